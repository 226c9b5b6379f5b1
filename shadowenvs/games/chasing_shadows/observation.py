"""What a seat sees of a table of Chasing Shadows (CS-80 to CS-86)."""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import (
    NO_CARD,
    NO_CARDS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    count,
    lowest,
    rank_of,
    suit_cards,
    suit_of,
    without_lowest,
    write_bits,
)
from shadowenvs.games.chasing_shadows.belief import hidden_cards
from shadowenvs.games.chasing_shadows.rules import winning_seat
from shadowenvs.games.chasing_shadows.scoring import struck_round
from shadowenvs.games.chasing_shadows.spec import END, MAX_ROUNDS, MAX_SEATS, NO_SCORE
from shadowenvs.jit import kernel
from shadowenvs.layout import write_wide


@kernel
def observe(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the observation of a seat; seats inside it count clockwise from the observer."""
    n = int(state.options.num_players)
    observe_options(state, obs)
    observe_turn(state, seat, obs)
    observe_table(state, obs)
    write_bits(state.hand[seat], obs.hand)
    write_bits(table.deck & ~hidden_cards(state), obs.seen)
    clear_taken(obs)
    other = seat
    for place in range(MAX_SEATS):
        if place < n:
            observe_seat(state, other, place, obs)
            other = 0 if other + 1 == n else other + 1
        else:
            clear_seat(place, obs)
    observe_struck(state, seat, obs)


@kernel
def observe_options(state: np.recarray, obs: np.recarray) -> None:
    """Writes what is fixed for the game."""
    options = state.options
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
    for phase in range(3):
        obs.phase[phase] = state.phase == phase
    obs.round_no = state.round_no
    obs.trick_no = state.trick_no
    playing = state.phase != END
    winner = winning_seat(state)
    for place in range(MAX_SEATS):
        other = seat + place
        if other >= n:
            other -= n
        there = place < n
        obs.own_seat[place] = place == seat
        obs.present[place] = there
        obs.to_move[place] = there and other == state.to_move and playing
        obs.starter[place] = there and other == state.starter
        obs.trick_leader[place] = there and other == state.trick_leader
        obs.winning[place] = there and other == winner
        obs.winners[place] = there and (int(state.winners) >> other) & 1


@kernel
def observe_table(state: np.recarray, obs: np.recarray) -> None:
    """Writes the middle of the table: spotlight card, follow cards, and the suits of what was laid face down."""
    write_card(int(state.spotlight), obs.spotlight_suit, obs.spotlight_rank)
    for suit in range(NUM_SUITS):
        obs.follow[suit] = state.follow[suit]
        obs.first_suits[suit] = count(state.first & suit_cards(suit))
        obs.aside_suits[suit] = count(state.aside & suit_cards(suit))


@kernel
def write_card(card: int, suits: np.ndarray, ranks: np.ndarray) -> None:
    """Writes a card as one-hot suit, int8 [4], and rank, int8 [15]; zeros for NO_CARD."""
    card_suit = NO_CARD if card == NO_CARD else suit_of(card)
    card_rank = NO_CARD if card == NO_CARD else rank_of(card)
    for suit in range(NUM_SUITS):
        suits[suit] = suit == card_suit
    for rank in range(NUM_RANKS):
        ranks[rank] = rank == card_rank


@kernel
def clear_taken(obs: np.recarray) -> None:
    for place in range(MAX_SEATS):
        for card in range(NUM_CARDS):
            obs.taken[place, card] = 0


@kernel
def observe_seat(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes what is public of one seat into row ``place``."""
    write_card(int(state.trick[other]), obs.trick_suit[place], obs.trick_rank[place])
    for suit in range(NUM_SUITS):
        obs.hand_suits[place, suit] = count(state.hand[other] & suit_cards(suit))
        obs.standing[place, suit] = state.standing[other, suit]
    taken = state.taken[other]
    while taken != NO_CARDS:
        obs.taken[place, lowest(taken)] = 1
        taken = without_lowest(taken)
    obs.num_taken[place] = count(state.taken[other])
    for round_index in range(MAX_ROUNDS):
        for suit in range(NUM_SUITS):
            obs.boxes[place, round_index, suit] = state.boxes[other, round_index, suit]
    write_wide(obs.totals[place], int(state.points[other]))


@kernel
def clear_seat(place: int, obs: np.recarray) -> None:
    """Writes the row of a seat that takes no part."""
    for suit in range(NUM_SUITS):
        obs.hand_suits[place, suit] = 0
        obs.standing[place, suit] = NO_SCORE
    write_card(NO_CARD, obs.trick_suit[place], obs.trick_rank[place])
    obs.num_taken[place] = 0
    for round_index in range(MAX_ROUNDS):
        for suit in range(NUM_SUITS):
            obs.boxes[place, round_index, suit] = NO_SCORE
    write_wide(obs.totals[place], 0)


@kernel
def observe_struck(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes at the end which scores are struck out (CS-61)."""
    for place in range(MAX_SEATS):
        for round_index in range(MAX_ROUNDS):
            for suit in range(NUM_SUITS):
                obs.struck[place, round_index, suit] = 0
    if state.phase != END:
        return
    n = int(state.options.num_players)
    other = seat
    for place in range(n):
        for suit in range(NUM_SUITS):
            round_index = struck_round(state, other, suit)
            if round_index >= 0:
                obs.struck[place, round_index, suit] = 1
        other = 0 if other + 1 == n else other + 1
