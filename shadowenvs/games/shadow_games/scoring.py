"""From favours to majorities, ranks and rewards."""

from __future__ import annotations

import numpy as np

from shadowenvs.game import WIN_SHARE
from shadowenvs.games.shadow_games.deck import NUM_TYPES
from shadowenvs.games.shadow_games.spec import MAX_SEATS
from shadowenvs.jit import kernel
from shadowenvs.seats import add_win_shares


@kernel
def count_points(state: np.recarray, seat: int) -> None:
    """SG-133: the points of a seat are the most favours of one type that it holds."""
    most = 0
    for t in range(NUM_TYPES):
        most = max(most, int(state.favour[seat, t]))
    state.points[seat] = most


@kernel
def total_favour(state: np.recarray, seat: int) -> int:
    """Returns how many favours a seat holds in all."""
    total = 0
    for t in range(NUM_TYPES):
        total += int(state.favour[seat, t])
    return total


@kernel
def majorities(state: np.recarray, seat: int) -> int:
    """SG-84: the bit set of types in which a seat has a majority."""
    types = 0
    for t in range(NUM_TYPES):
        if state.favour[seat, t] >= state.options.victory:
            types |= 1 << t
    return types


@kernel
def has_won(state: np.recarray, seat: int) -> bool:
    """SG-87, SG-89: whether a seat has a majority in a type whose streak mark is on."""
    return (majorities(state, seat) & int(state.marks[seat])) != 0


@kernel
def best_ranked(state: np.recarray) -> int:
    """SG-99: the bit set of seats with the most favours of one type, among equals with the most favours in all."""
    best = 0
    best_points = -1
    best_total = -1
    for seat in range(int(state.options.num_players)):
        points = int(state.points[seat])
        total = total_favour(state, seat)
        if points > best_points or (points == best_points and total > best_total):
            best = 0
            best_points = points
            best_total = total
        if points == best_points and total == best_total:
            best |= 1 << seat
    return best


# ---------------------------------------------------------------------------------------------------------- rewards


@kernel
def start_rewards(state: np.recarray) -> None:
    """Clears the rewards, or under SG-126 sets them to the potentials before an action, taken off."""
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
    if state.options.reward != WIN_SHARE:
        add_potentials(state, -1)


@kernel
def finish_rewards(state: np.recarray) -> None:
    """SG-125, SG-126: adds the potentials after the action, and at the end the win shares."""
    if state.options.reward != WIN_SHARE:
        if not state.done:
            add_potentials(state, 1)
        scale_potentials(state)
    if state.done:
        add_win_shares(state)


@kernel
def add_potentials(state: np.recarray, sign: int) -> None:
    """SG-126: adds the numerators of F, whole numbers, so that no rounding depends on the order of the seats."""
    n = int(state.options.num_players)
    total = 0
    for seat in range(n):
        total += capped_points(state, seat)
    for seat in range(n):
        state.rewards[seat] += np.float32(sign * (n * capped_points(state, seat) - total))


@kernel
def capped_points(state: np.recarray, seat: int) -> int:
    """Returns the most favours of one type of a seat, at most the number that makes a majority."""
    return min(int(state.points[seat]), int(state.options.victory))


@kernel
def scale_potentials(state: np.recarray) -> None:
    """SG-126: brings the differences of numerators over their denominator, with the weight of a quarter."""
    n = int(state.options.num_players)
    denominator = np.float32(4 * int(state.options.victory) * (n - 1))
    for seat in range(n):
        state.rewards[seat] = state.rewards[seat] / denominator
