"""What a seat sees of a table of Shadow Cards (SC-105 to SC-107)."""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import (
    NO_CARD,
    NO_CARDS,
    NUM_SUITS,
    bit,
    count,
    rank_of,
    suit_of,
    sum_of_ranks,
    write_bits,
    write_rank_counts,
)
from shadowenvs.games.shadow_cards.rules import turned_card, winning_seat
from shadowenvs.games.shadow_cards.scoring import write_result
from shadowenvs.games.shadow_cards.spec import END, INTRODUCTORY, MAX_SEATS, OBSERVATION, PREDICT
from shadowenvs.jit import kernel
from shadowenvs.layout import clear_first, write_wide
from shadowenvs.seats import place_of

_RESULTS_START = OBSERVATION.slices["results"].start


@kernel
def observe(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the observation of a seat; seats inside it count clockwise from the observer.

    What the options fix is the same in every observation of an environment: it is written once and left alone. So are
    the zeros of rounds that the options do not provide for, and of cards that only two or three seats know.
    """
    n = int(state.options.num_players)
    clear_first(obs, _RESULTS_START)
    if obs.num_players == 0:
        observe_options(state, obs)
    observe_turn(state, seat, obs)
    write_bits(state.hand[seat], obs.hand)
    write_bits(state.prediction[seat], obs.prediction)
    write_wide(obs.prediction_sum, sum_of_ranks(state.prediction[seat]))
    for place in range(MAX_SEATS):
        obs.trick_rank[place] = NO_CARD
    obs.extra_rank = NO_CARD
    other = seat
    for place in range(n):
        observe_seat(state, other, place, obs)
        other = 0 if other + 1 == n else other + 1
    if n == 2:
        write_bits(state.revealed[seat], obs.revealed[0])
        write_bits(state.revealed[1 - seat], obs.revealed[1])
    elif n == 3:
        observe_extra(table, state, obs)
    observe_results(state, seat, obs)


@kernel
def observe_options(state: np.recarray, obs: np.recarray) -> None:
    """Writes what is fixed for the game."""
    options = state.options
    for place in range(int(options.num_players)):
        obs.present[place] = 1
    obs.num_players = options.num_players
    obs.rounds = options.rounds
    obs.introductory = options.scoring == INTRODUCTORY
    obs.most_tie[options.most_tie] = 1
    obs.floor_penalty = options.floor_penalty
    obs.points_reward = options.reward
    obs.num_suits = options.num_suits
    obs.num_ranks = options.num_ranks
    obs.hand_size = options.hand_size
    obs.prediction_cards = options.prediction_cards


@kernel
def observe_turn(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes where the game stands and whose turn it is."""
    n = int(state.options.num_players)
    obs.phase[state.phase] = 1
    obs.round_no = state.round_no
    obs.trick_no = state.trick_no
    obs.own_seat[seat] = 1
    obs.round_leader[place_of(state.round_leader, seat, n)] = 1
    if state.phase != END:
        obs.to_move[place_of(state.to_move, seat, n)] = 1
    if state.phase != PREDICT and state.phase != END:
        obs.trick_leader[place_of(state.trick_leader, seat, n)] = 1
        winner = winning_seat(state)
        if winner >= 0:
            obs.winning[place_of(winner, seat, n)] = 1
            obs.led_suit[suit_of(state.trick[state.trick_leader])] = 1


@kernel
def observe_seat(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes what is public of one seat into row ``place``."""
    obs.hand_sizes[place] = count(state.hand[other])
    obs.prediction_sizes[place] = count(state.prediction[other])
    write_bits(state.played[other], obs.played[place])
    card = int(state.trick[other])
    if card != NO_CARD:
        obs.trick_rank[place] = rank_of(card)
        obs.trick_suit[place, suit_of(card)] = 1
    voids = int(state.voids[other])
    if voids != 0:
        for suit in range(NUM_SUITS):
            obs.voids[place, suit] = (voids >> suit) & 1
    claimed = state.claimed[other]
    if claimed != NO_CARDS:
        write_rank_counts(claimed, obs.claimed[place])
        write_wide(obs.trick_points[place], sum_of_ranks(claimed))
    write_wide(obs.totals[place], int(state.points[other]))


@kernel
def observe_results(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the finished rounds of all seats (SC-77)."""
    n = int(state.options.num_players)
    finished = int(state.round_no) if state.done else int(state.round_no) - 1
    for round_no in range(int(state.options.rounds)):
        for place in range(MAX_SEATS):
            for what in range(3):
                obs.results[round_no, place, what, 0] = 0
                obs.results[round_no, place, what, 1] = 0
        other = seat
        for place in range(n if round_no < finished else 0):
            write_result(int(state.results[round_no, other]), obs.results[round_no, place])
            other = 0 if other + 1 == n else other + 1


@kernel
def observe_extra(table: np.recarray, state: np.recarray, obs: np.recarray) -> None:
    """Writes the extra stack of three seats: what was turned, and how many cards were not (SC-41, SC-107)."""
    turned = NO_CARDS
    for place in range(int(state.trick_no)):
        turned |= bit(state.extra[place])
    write_bits(turned, obs.turned)
    obs.unturned = int(table.num_cards) - 3 * int(state.options.hand_size) - int(state.trick_no)
    card = turned_card(state)
    if card != NO_CARD:
        obs.extra_rank = rank_of(card)
        obs.extra_suit[suit_of(card)] = 1
