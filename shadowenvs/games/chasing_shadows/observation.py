"""What a seat sees of a table of Chasing Shadows (CS-80 to CS-86)."""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import NO_CARD, NUM_SUITS, count, rank_of, suit_cards, suit_of, write_bits
from shadowenvs.games.chasing_shadows.belief import hidden_cards
from shadowenvs.games.chasing_shadows.rules import winning_seat
from shadowenvs.games.chasing_shadows.scoring import struck_round
from shadowenvs.games.chasing_shadows.spec import END, MAX_ROUNDS, OBSERVATION
from shadowenvs.jit import kernel
from shadowenvs.layout import clear_first, write_wide
from shadowenvs.seats import place_of

_WRITTEN_WHOLE = OBSERVATION.slices["round_no"].start


@kernel
def observe(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the observation of a seat; seats inside it count clockwise from the observer.

    What the options fix is the same in every observation of an environment: it is written once and left alone. So are
    the zeros of seats that take no part.
    """
    n = int(state.options.num_players)
    clear_first(obs, _WRITTEN_WHOLE)
    if obs.num_players == 0:
        observe_options(state, obs)
    observe_turn(state, seat, obs)
    observe_table(state, obs)
    write_bits(state.hand[seat], obs.hand)
    write_bits(table.deck & ~hidden_cards(state), obs.seen)
    other = seat
    for place in range(n):
        observe_seat(state, other, place, obs)
        other = 0 if other + 1 == n else other + 1


@kernel
def observe_options(state: np.recarray, obs: np.recarray) -> None:
    """Writes what is fixed for the game."""
    options = state.options
    for place in range(int(options.num_players)):
        obs.present[place] = 1
    obs.num_players = options.num_players
    obs.rounds = options.rounds
    obs.points_reward = options.reward
    obs.num_suits = options.num_suits
    obs.num_ranks = options.num_ranks
    obs.hand_size = options.hand_size


@kernel
def observe_turn(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes where the game stands and whose turn it is."""
    n = int(state.options.num_players)
    obs.phase[state.phase] = 1
    obs.round_no = state.round_no
    obs.trick_no = state.trick_no
    obs.own_seat[seat] = 1
    obs.starter[place_of(state.starter, seat, n)] = 1
    obs.trick_leader[place_of(state.trick_leader, seat, n)] = 1
    if state.phase != END:
        obs.to_move[place_of(state.to_move, seat, n)] = 1
    winner = winning_seat(state)
    if winner >= 0:
        obs.winning[place_of(winner, seat, n)] = 1


@kernel
def observe_table(state: np.recarray, obs: np.recarray) -> None:
    """Writes the middle of the table: spotlight card, follow cards, and the suits of what was laid face down."""
    if state.spotlight != NO_CARD:
        obs.spotlight_suit[suit_of(state.spotlight)] = 1
        obs.spotlight_rank[rank_of(state.spotlight)] = 1
    for suit in range(NUM_SUITS):
        obs.follow[suit] = state.follow[suit]
        obs.first_suits[suit] = count(state.first & suit_cards(suit))
        obs.aside_suits[suit] = count(state.aside & suit_cards(suit))


@kernel
def observe_seat(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes what is public of one seat into row ``place``."""
    card = int(state.trick[other])
    if card != NO_CARD:
        obs.trick_suit[place, suit_of(card)] = 1
        obs.trick_rank[place, rank_of(card)] = 1
    write_bits(state.taken[other], obs.taken[place])
    obs.num_taken[place] = count(state.taken[other])
    for suit in range(NUM_SUITS):
        obs.hand_suits[place, suit] = count(state.hand[other] & suit_cards(suit))
    copy_suits(state.standing[other], obs.standing[place])
    for round_index in range(MAX_ROUNDS):
        copy_suits(state.boxes[other, round_index], obs.boxes[place, round_index])
    write_wide(obs.totals[place], int(state.points[other]))
    if state.phase == END:
        observe_end(state, other, place, obs)


@kernel
def copy_suits(source: np.ndarray, target: np.ndarray) -> None:
    """Copies one entry a suit, int8 [4]; all are read first, so that they can be moved as one."""
    blue, red, yellow, grey = source[0], source[1], source[2], source[3]
    target[0], target[1], target[2], target[3] = blue, red, yellow, grey


@kernel
def observe_end(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes which scores of a seat are struck out (CS-61), and whether it has won."""
    for suit in range(NUM_SUITS):
        round_index = struck_round(state, other, suit)
        if round_index >= 0:
            obs.struck[place, round_index, suit] = 1
    obs.winners[place] = (int(state.winners) >> other) & 1
