"""From cubes and coins to points, winners and rewards."""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import count
from shadowenvs.game import WIN_SHARE
from shadowenvs.games.shadow_master.spec import COIN, MAX_SEATS, NOTHING, POCKET
from shadowenvs.jit import kernel

POINTS_SCALE = np.float32(10.0)  # most points of a round with six seats
POCKET_SCALE = np.float32(3.0)  # most points of the pocket round


@kernel
def gain_of(cubes: int, targets: int, coin: int, coinless: int) -> int:
    """Returns the points of one seat for a round.

    A point for each cube on a target (SM-48), nothing off for the others (SM-49). A seat whose cubes are exactly the
    targets adds its coin (SM-50), any other seat does not (SM-51). Without a coin the hits count (SM-52), or nothing by
    option ``coinless``.
    """
    if coin == 0 and coinless == NOTHING:
        return 0
    hits = count(np.uint64(cubes & targets))
    return hits + coin if cubes == targets else hits


@kernel
def score_round(state: np.recarray) -> None:
    """Makes the round public (SM-47), moves the tokens at once (SM-53, SM-54), and gives the rewards of the round."""
    options = state.options
    state.last_targets = state.targets
    for seat in range(MAX_SEATS):
        state.last_cubes[seat] = state.cubes[seat]
        state.last_coins[seat] = state.coins[seat]
    for seat in range(int(options.num_players)):
        coin = int(state.coins[seat])
        gain = gain_of(int(state.cubes[seat]), int(state.targets), coin, int(options.coinless))
        state.last_points[seat] = gain
        state.points[seat] = int(state.points[seat]) + gain
    if options.variant == POCKET:
        margin = int(state.last_points[0]) - int(state.last_points[1])
        state.rewards[0] = np.float32(margin) / POCKET_SCALE
        state.rewards[1] = np.float32(-margin) / POCKET_SCALE
    elif options.reward != WIN_SHARE:
        for seat in range(int(options.num_players)):
            state.rewards[seat] = np.float32(state.last_points[seat]) / POINTS_SCALE


@kernel
def is_past_the_end(state: np.recarray) -> bool:
    """SM-57: whether a token has reached or passed the last field; pocket has no board."""
    for seat in range(int(state.options.num_players)):
        if state.options.variant != POCKET and state.points[seat] >= state.options.last_field:
            return True
    return False


@kernel
def compare_key(state: np.recarray, seat: int, coin_first: bool) -> int:
    """Returns a number that is higher for the better seat.

    Position, then the coin of the last round whether or not it scored (SM-58, SM-59, SM-62). If the coin comes first
    (option ``finish``), seats that have not reached the last field come after all others.
    """
    position, coin = int(state.points[seat]), int(state.last_coins[seat])
    if not coin_first:
        return position * 8 + coin
    return (coin + 1) * 65536 + position if position >= state.options.last_field else position


@kernel
def is_coin_first(state: np.recarray) -> bool:
    """Whether the coin decides before the position (option ``finish``, once the end of the board is reached)."""
    return state.options.finish == COIN and is_past_the_end(state)


@kernel
def rank_key(state: np.recarray, seat: int) -> int:
    """SM-62: returns a number that is higher for the better seat at the end."""
    return compare_key(state, seat, is_coin_first(state))


@kernel
def find_winners(state: np.recarray) -> int:
    """Returns the set of seats that nobody is better than (SM-58 to SM-61)."""
    coin_first = is_coin_first(state)
    best = -1
    winners = 0
    for seat in range(int(state.options.num_players)):
        key = compare_key(state, seat, coin_first)
        if key > best:
            best = key
            winners = 0
        if key == best:
            winners |= 1 << seat
    return winners
