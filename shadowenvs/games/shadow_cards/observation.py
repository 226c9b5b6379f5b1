"""What a seat sees of a table of Shadow Cards (SC-105 to SC-107)."""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import (
    NO_CARD,
    NO_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    bit,
    count,
    lowest,
    rank_of,
    suit_of,
    sum_of_ranks,
    without_lowest,
    write_bits,
)
from shadowenvs.games.shadow_cards.rules import legal_claims, turned_card, winning_seat
from shadowenvs.games.shadow_cards.scoring import result_gain, result_prediction, result_trick_points
from shadowenvs.games.shadow_cards.spec import (
    END,
    INTRODUCTORY,
    MAX_ROUNDS,
    MAX_SEATS,
    NUM_RESERVES,
    PREDICT,
)
from shadowenvs.jit import kernel
from shadowenvs.layout import write_wide


@kernel
def observe(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the observation of a seat; seats inside it count clockwise from the observer."""
    n = int(state.options.num_players)
    observe_options(state, obs)
    observe_turn(state, seat, obs)
    write_bits(state.hand[seat], obs.hand)
    write_bits(state.prediction[seat], obs.prediction)
    write_wide(obs.prediction_sum, sum_of_ranks(state.prediction[seat]))
    other = seat
    for place in range(MAX_SEATS):
        if place < n:
            observe_seat(state, other, place, obs)
            other = 0 if other + 1 == n else other + 1
        else:
            clear_seat(place, obs)
    for place in range(NUM_RESERVES):
        shown = state.revealed[(seat + place) % NUM_RESERVES] if n == NUM_RESERVES else NO_CARDS
        write_bits(shown, obs.revealed[place])
    observe_results(state, seat, obs)
    observe_extra(table, state, obs)
    write_bits(legal_claims(state), obs.trick)


@kernel
def observe_options(state: np.recarray, obs: np.recarray) -> None:
    """Writes what is fixed for the game."""
    options = state.options
    obs.num_players = options.num_players
    obs.rounds = options.rounds
    obs.introductory = options.scoring == INTRODUCTORY
    for rule in range(3):
        obs.most_tie[rule] = options.most_tie == rule
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
    for phase in range(4):
        obs.phase[phase] = state.phase == phase
    obs.round_no = state.round_no
    obs.trick_no = state.trick_no
    led = int(state.trick[state.trick_leader])
    for suit in range(NUM_SUITS):
        obs.led_suit[suit] = led != NO_CARD and suit_of(led) == suit
    playing = state.phase != PREDICT and state.phase != END
    winner = winning_seat(state)
    for place in range(MAX_SEATS):
        other = seat + place
        if other >= n:
            other -= n
        there = place < n
        obs.own_seat[place] = place == seat
        obs.present[place] = there
        obs.to_move[place] = there and other == state.to_move and state.phase != END
        obs.round_leader[place] = there and other == state.round_leader
        obs.trick_leader[place] = there and other == state.trick_leader and playing
        obs.winning[place] = there and other == winner


@kernel
def observe_seat(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes what is public of one seat into row ``place``."""
    obs.hand_sizes[place] = count(state.hand[other])
    obs.prediction_sizes[place] = count(state.prediction[other])
    write_bits(state.played[other], obs.played[place])
    card = int(state.trick[other])
    obs.trick_rank[place] = NO_CARD if card == NO_CARD else rank_of(card)
    for suit in range(NUM_SUITS):
        obs.trick_suit[place, suit] = card != NO_CARD and suit_of(card) == suit
        obs.voids[place, suit] = (int(state.voids[other]) >> suit) & 1
    for rank in range(NUM_RANKS):
        obs.claimed[place, rank] = 0
    claimed = state.claimed[other]
    points = 0
    while claimed != NO_CARDS:
        rank = rank_of(lowest(claimed))
        obs.claimed[place, rank] += 1
        points += rank
        claimed = without_lowest(claimed)
    write_wide(obs.trick_points[place], points)
    write_wide(obs.totals[place], int(state.points[other]))


@kernel
def observe_results(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the finished rounds of all seats (SC-77)."""
    for round_no in range(MAX_ROUNDS):
        for place in range(MAX_SEATS):
            for entry in range(2):
                obs.predictions[round_no, place, entry] = 0
                obs.round_points[round_no, place, entry] = 0
                obs.gains[round_no, place, entry] = 0
    n = int(state.options.num_players)
    finished = int(state.round_no) if state.done else int(state.round_no) - 1
    for round_no in range(finished):
        other = seat
        for place in range(n):
            result = int(state.results[round_no, other])
            write_wide(obs.predictions[round_no, place], result_prediction(result))
            write_wide(obs.round_points[round_no, place], result_trick_points(result))
            write_wide(obs.gains[round_no, place], result_gain(result))
            other = 0 if other + 1 == n else other + 1


@kernel
def clear_seat(place: int, obs: np.recarray) -> None:
    """Writes the row of a seat that takes no part."""
    obs.hand_sizes[place] = 0
    obs.prediction_sizes[place] = 0
    write_bits(NO_CARDS, obs.played[place])
    obs.trick_rank[place] = NO_CARD
    for suit in range(NUM_SUITS):
        obs.trick_suit[place, suit] = 0
        obs.voids[place, suit] = 0
    for rank in range(NUM_RANKS):
        obs.claimed[place, rank] = 0
    write_wide(obs.trick_points[place], 0)
    write_wide(obs.totals[place], 0)


@kernel
def observe_extra(table: np.recarray, state: np.recarray, obs: np.recarray) -> None:
    """Writes the extra stack of three seats: what was turned, and how many cards were not (SC-41, SC-107)."""
    turned = NO_CARDS
    unturned = 0
    if state.options.num_players == 3:
        for place in range(int(state.trick_no)):
            turned |= bit(state.extra[place])
        unturned = int(table.num_cards) - 3 * int(state.options.hand_size) - int(state.trick_no)
    write_bits(turned, obs.turned)
    obs.unturned = unturned
    card = turned_card(state)
    obs.extra_rank = NO_CARD if card == NO_CARD else rank_of(card)
    for suit in range(NUM_SUITS):
        obs.extra_suit[suit] = card != NO_CARD and suit_of(card) == suit
