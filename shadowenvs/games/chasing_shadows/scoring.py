"""From taken cards to boxes, final scores and winners. Clause ids: docs/rules/chasing_shadows.md."""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import NO_CARDS, NUM_SUITS, bit, count, lowest, rank_of, suit_cards, suit_of, without_lowest
from shadowenvs.games.chasing_shadows.spec import MAX_ROUNDS, MAX_SEATS, NO_SCORE
from shadowenvs.jit import kernel

LONE_ZERO = 15  # CS-54, CS-57, CS-113: in every deck


@kernel
def box_score(cards: np.uint64) -> int:
    """Returns what a seat's cards of one suit score; NO_SCORE for no cards (CS-58).

    An odd number of cards scores all ranks (CS-52), an even number the lower half (CS-53), a single 0 15 (CS-54).
    """
    num = count(cards)
    if num == 0:
        return NO_SCORE
    if num == 1 and rank_of(lowest(cards)) == 0:
        return LONE_ZERO
    scoring = num if num % 2 == 1 else num // 2
    total = 0
    for _ in range(scoring):
        total += rank_of(lowest(cards))
        cards = without_lowest(cards)
    return total


@kernel
def add_card(state: np.recarray, seat: int, card: int) -> None:
    """Adds a card to those a seat has taken, and scores its suit anew (CS-51)."""
    suit = suit_of(card)
    state.taken[seat] |= bit(card)
    state.standing[seat, suit] = box_score(state.taken[seat] & suit_cards(suit))


@kernel
def round_score(state: np.recarray, seat: int, round_index: int) -> int:
    """Returns the sum of a seat's scores of a round, counted from 0."""
    total = 0
    for suit in range(NUM_SUITS):
        total += max(0, int(state.boxes[seat, round_index, suit]))
    return total


@kernel
def score_round(state: np.recarray) -> None:
    """Adds the unplayed card to the taken ones (CS-48, CS-55) and fills the boxes of the round (CS-50 to CS-59)."""
    round_index = int(state.round_no) - 1
    for seat in range(int(state.options.num_players)):
        while state.hand[seat] != NO_CARDS:
            add_card(state, seat, lowest(state.hand[seat]))
            state.hand[seat] = without_lowest(state.hand[seat])
        for suit in range(NUM_SUITS):
            state.boxes[seat, round_index, suit] = state.standing[seat, suit]
        state.points[seat] += round_score(state, seat, round_index)


@kernel
def struck_round(state: np.recarray, seat: int, suit: int) -> int:
    """Returns the round, counted from 0, whose score in a suit is struck out at the end; -1 for none.

    CS-61, CS-62: the earlier of exactly two scores. CS-110: nothing in games of fewer than three rounds.
    """
    num_scores = 0
    earliest = -1
    for round_index in range(MAX_ROUNDS):
        if state.boxes[seat, round_index, suit] != NO_SCORE:
            num_scores += 1
            if earliest < 0:
                earliest = round_index
    return earliest if num_scores == 2 and state.options.rounds == MAX_ROUNDS else -1


@kernel
def struck_score(state: np.recarray, seat: int) -> int:
    """Returns the sum of the scores of a seat that are struck out at the end (CS-61, CS-63)."""
    total = 0
    for suit in range(NUM_SUITS):
        round_index = struck_round(state, seat, suit)
        if round_index >= 0:
            total += int(state.boxes[seat, round_index, suit])
    return total


@kernel
def decide(state: np.recarray) -> None:
    """Final scores (CS-64) and winners: the lowest score, then the fewest cards of the last round (CS-66 to CS-69)."""
    n = int(state.options.num_players)
    best = 1 << 30
    for seat in range(n):
        state.points[seat] -= struck_score(state, seat)
        best = min(best, rank_at_end(state, seat))
    state.winners = 0
    for seat in range(n):
        if rank_at_end(state, seat) == best:
            state.winners |= 1 << seat


@kernel
def rank_at_end(state: np.recarray, seat: int) -> int:
    """Returns a number that is lower the better a seat has done: score, then last cards (CS-67, CS-68, CS-111)."""
    return 64 * int(state.points[seat]) + count(state.taken[seat])


@kernel
def restore_scores(state: np.recarray) -> None:
    """Computes points, standings and, at the end, winners of a state whose cards and boxes are set."""
    for seat in range(MAX_SEATS):
        state.points[seat] = 0
        for round_index in range(MAX_ROUNDS):
            state.points[seat] += round_score(state, seat, round_index)
        for suit in range(NUM_SUITS):
            state.standing[seat, suit] = box_score(state.taken[seat] & suit_cards(suit))
    if state.done:
        decide(state)
