"""Batches of tables: the only loops over states.

The templates at the top are ordinary Python functions; :func:`shadowenvs.jit.specialise` compiles one of each per game.
``table`` is what is the same for all tables of a batch, ``b`` a table's number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shadowenvs import rng
from shadowenvs.game import NO_ACTION
from shadowenvs.jit import cached, kernel


def deal(*_: Any) -> None: ...
def legal(*_: Any) -> None: ...
def step(*_: Any) -> None: ...
def observe(*_: Any) -> None: ...


def step_tables(
    tables: np.recarray,
    states: np.recarray,
    actions: np.ndarray,
    records: np.recarray,
    masks: np.ndarray,
    seats: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    start: int,
    stop: int,
) -> None:
    table = tables[0]
    for b in range(start, stop):
        state = states[b]
        step(table, state, actions[b])
        for seat in range(rewards.shape[1]):
            rewards[b, seat] = state.rewards[seat]
        dones[b] = state.done
        if state.done:
            deal(table, state, rng.mix(state.seed, 1, 2, 3))
        seat = int(state.to_move)
        seats[b] = seat
        observe(table, state, seat, records[b])
        legal(table, state, seat, masks[b])

@cached
def random_actions(words, counts, seed, number, actions):
    pass
