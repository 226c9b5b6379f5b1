"""Seats around a table, and the reward that every game can give: the share of the victory."""

from __future__ import annotations

import numpy as np

from shadowenvs.bits import count
from shadowenvs.jit import kernel


@kernel
def next_seat(state: np.recarray, seat: int) -> int:
    """Returns the seat clockwise after a seat."""
    following = seat + 1
    return 0 if following == state.options.num_players else following


@kernel
def place_of(other: int, seat: int, n: int) -> int:
    """Returns how many places clockwise of an observer a seat sits."""
    place = int(other) - seat
    return place + n if place < 0 else place


@kernel
def add_win_shares(state: np.recarray) -> None:
    """Adds the share of the victory to the rewards.

    Each of k winners among n seats gets (n - k) / (k (n - 1)), every other seat -1 / (n - 1).
    """
    n = int(state.options.num_players)
    num_winners = count(np.uint64(state.winners))
    for seat in range(n):
        if (int(state.winners) >> seat) & 1:
            state.rewards[seat] += np.float32(n - num_winners) / np.float32(num_winners * (n - 1))
        else:
            state.rewards[seat] -= np.float32(1.0) / np.float32(n - 1)
