"""From predictions and claimed cards to experience points."""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import NUM_RANKS, count, rank_cards, sum_of_ranks
from shadowenvs.games.shadow_cards.spec import (
    INTRODUCTORY,
    TIE_ALL,
    TIE_EXACT_CANCELS,
    TIE_NONE,
)
from shadowenvs.jit import kernel
from shadowenvs.layout import WIDE_BASE

# A finished round of one seat in 32 bits: prediction, trick points and experience, each split as the observation shows
# wide values, so that observing takes no division: hundreds and rest of each, in 2 + 7, 2 + 7 and 4 + 7 bits. The
# hundreds of the experience are stored plus 4; bit 29 tells a finished round.
_LOWEST_HUNDREDS = -4


@kernel
def pack_result(prediction: int, trick_points: int, gain: int) -> int:
    """Returns prediction, trick points and experience of a round as one number; never 0."""
    gain_hundreds = gain // WIDE_BASE
    return (
        (prediction // WIDE_BASE << 7 | prediction % WIDE_BASE)
        | (trick_points // WIDE_BASE << 7 | trick_points % WIDE_BASE) << 9
        | (gain_hundreds - _LOWEST_HUNDREDS << 7 | gain - gain_hundreds * WIDE_BASE) << 18
        | 1 << 29
    )


@kernel
def result_prediction(result: int) -> int:
    return ((result >> 7) & 3) * WIDE_BASE + (result & 127)


@kernel
def result_trick_points(result: int) -> int:
    return ((result >> 16) & 3) * WIDE_BASE + ((result >> 9) & 127)


@kernel
def result_gain(result: int) -> int:
    return (((result >> 25) & 15) + _LOWEST_HUNDREDS) * WIDE_BASE + ((result >> 18) & 127)


@kernel
def write_result(result: int, entries: np.ndarray) -> None:
    """Writes a packed round into the three wide entries, int8 [3, 2], of an observation."""
    entries[0, 0] = (result >> 7) & 3
    entries[0, 1] = result & 127
    entries[1, 0] = (result >> 16) & 3
    entries[1, 1] = (result >> 9) & 127
    entries[2, 0] = ((result >> 25) & 15) + _LOWEST_HUNDREDS
    entries[2, 1] = (result >> 18) & 127


@kernel
def most_cards(num_players: int) -> int:
    """SC-63: how many of its highest cards a seat keeps under rule Most, for every deck and hand size."""
    return 5 if num_players == 2 else 3


@kernel
def highest_values(cards: np.uint64, num: int) -> int:
    """Returns the sum of the num highest ranks of a set of cards."""
    total = 0
    for rank in range(NUM_RANKS - 1, -1, -1):
        taken = min(num, count(cards & rank_cards(rank)))
        total += taken * rank
        num -= taken
    return total


@kernel
def most_gain(claimed: np.uint64, num_players: int, floor_penalty: int) -> int:
    """SC-60, SC-68, SC-74, SC-75: the highest claimed values less all others, floored at 0 by option."""
    kept = highest_values(claimed, most_cards(num_players))
    gain = kept - (sum_of_ranks(claimed) - kept)
    return 0 if floor_penalty != 0 and gain < 0 else gain


@kernel
def introductory_gain(round_no: int, prediction: int, trick_points: int) -> int:
    """SC-79 to SC-84: rounds 1 and 2 of introductory scoring."""
    if round_no == 1:
        return prediction if trick_points >= prediction else 0
    if trick_points == prediction:
        return 3 * prediction
    if trick_points > prediction:
        return prediction + trick_points
    return trick_points


@kernel
def most_applies(tie_rule: int, num_most: int, num_most_exact: int) -> bool:
    """SC-69 to SC-72: whether rule Most is in force in a round.

    Args:
        tie_rule: TIE_ALL, TIE_NONE or TIE_EXACT_CANCELS.
        num_most: Seats that share the most trick points.
        num_most_exact: Those among them whose prediction is exact.
    """
    if tie_rule == TIE_NONE:
        return num_most == 1
    if tie_rule == TIE_EXACT_CANCELS:
        return num_most_exact == 0
    return tie_rule == TIE_ALL


@kernel
def standard_gain(prediction: int, trick_points: int, has_most: bool, gain_by_most: int) -> int:
    """SC-57 to SC-62: the first rule whose condition holds, of Exact, Zero, Most, Over and Under.

    Args:
        prediction: P.
        trick_points: T.
        has_most: T is the most of all seats, and rule Most is in force.
        gain_by_most: The result of rule Most for this seat.
    """
    if trick_points == prediction:
        return 3 * prediction
    if trick_points == 0:
        return 2 * prediction
    if has_most:
        return gain_by_most
    if trick_points > prediction:
        return prediction + trick_points
    return trick_points


@kernel
def score_round(state: np.recarray) -> None:
    """Adds the experience of the finished round to points and results (SC-54 to SC-87)."""
    options = state.options
    n = int(options.num_players)
    most = 0
    num_most = 0
    num_most_exact = 0
    for seat in range(n):
        trick_points = sum_of_ranks(state.claimed[seat])
        if trick_points > most:
            most = trick_points
            num_most = 0
            num_most_exact = 0
        if trick_points == most:
            num_most += 1
            if trick_points == sum_of_ranks(state.prediction[seat]):
                num_most_exact += 1
    in_force = most_applies(int(options.most_tie), num_most, num_most_exact)
    introductory = options.scoring == INTRODUCTORY and state.round_no <= 2
    for seat in range(n):
        prediction = sum_of_ranks(state.prediction[seat])
        trick_points = sum_of_ranks(state.claimed[seat])
        if introductory:
            gain = introductory_gain(int(state.round_no), prediction, trick_points)
        else:
            by_most = most_gain(state.claimed[seat], n, int(options.floor_penalty))
            gain = standard_gain(prediction, trick_points, in_force and trick_points == most, by_most)
        state.points[seat] += gain
        state.results[state.round_no - 1, seat] = pack_result(prediction, trick_points, gain)


@kernel
def most_points(state: np.recarray) -> int:
    """Returns the highest total (SC-89)."""
    best = int(state.points[0])
    for seat in range(1, int(state.options.num_players)):
        best = max(best, int(state.points[seat]))
    return best
