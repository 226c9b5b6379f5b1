"""A table of Shadow Master to set up and move in words, for the tests of its clauses."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shadowenvs import rng
from shadowenvs.batch import Batch
from shadowenvs.games.shadow_master import GAME
from shadowenvs.games.shadow_master.notation import Position, from_state, parse, to_state
from shadowenvs.games.shadow_master.spec import (
    GRAB,
    LOOK_0,
    STREAM_GRABS,
    TOGGLE_0,
    WAIT,
    ShadowMasterOptions,
)
from shadowenvs.jit import is_compiled
from tests.conformance.playing import masks_of

LOOKS, TOGGLES = set(range(LOOK_0, TOGGLE_0)), set(range(TOGGLE_0, GRAB))
POCKET = "variant=pocket num_players=2 reward=points"


def few(compiled: int, uncompiled: int) -> int:
    """Returns a number of games or samples: uncompiled kernels are a thousand times slower."""
    return compiled if is_compiled() else uncompiled


@functools.cache
def _batch(options: ShadowMasterOptions) -> Batch:
    return Batch(GAME, 1, autoreset=False, **options.as_dict())


class Table:
    """One table without autoreset, moved by words.

    Attributes:
        options: Its options.
        batch: A batch of one.
    """

    def __init__(self, line: str) -> None:
        position = parse(line)
        self.options = position.options
        self.batch = _batch(self.options).copy()
        self.batch.set_states(to_state(position))

    @classmethod
    def dealt(cls, seed: int = 0, line: str = "") -> Table:
        """Returns a table with a new game."""
        table = cls(line)
        table.batch.reset(seed)
        return table

    def change_tables(self, **values: Any) -> Table:
        """Replaces fields of the tables record: all entries by one value, or by those of an array."""
        tables = self.batch.tables.copy()
        for name, value in values.items():
            tables[name][0] = value
        tables.flags.writeable = False
        self.batch.tables = tables
        return self

    @property
    def now(self) -> Position:
        return from_state(self.options, self.batch.get_states())

    @property
    def rewards(self) -> list[float]:
        return [float(reward) for reward in self.batch.rewards[0]]

    @property
    def winners(self) -> set[int]:
        winners = int(self.batch.get_states()["winners"][0])
        return {seat for seat in range(self.options.num_players) if winners >> seat & 1}

    @property
    def points(self) -> list[int]:
        """Points of the round before."""
        last = self.now.last
        assert last is not None
        return last.points

    @property
    def last_coins(self) -> list[int]:
        last = self.now.last
        assert last is not None
        return last.coins

    def legal(self) -> set[int]:
        return set(np.flatnonzero(self.batch.masks[0]).tolist())

    def play(self, words: str) -> Table:
        """Carries out actions, separated by commas: "look 3, grab"."""
        for word in words.split(","):
            self.batch.step(np.array([GAME.parse_action(self.options, word)]))
        return self

    def wait(self, num: int = 1) -> Table:
        for _ in range(num):
            self.batch.step(np.array([WAIT]))
        return self

    def wait_until(self, is_reached: Callable[[Position], bool]) -> Table:
        while not is_reached(self.now):
            self.wait()
        return self

    def parallel_mask(self, seat: int) -> set[int]:
        """Returns the legal actions of a seat that is asked at the same time as all others."""
        state = self.batch.get_states()
        state["to_move"] = seat
        other = self.batch.copy()
        other._state_bytes[:] = state.view(np.uint8)
        return set(np.flatnonzero(masks_of(other, np.array([seat]))[0]).tolist())

    def observed(self, seat: int, name: str) -> Any:
        """Returns one field of a seat's observation, as a list or a number."""
        return GAME.observation.read(self.batch.observe(np.array([seat])), name)[0].tolist()

    def worlds(self, seat: int, num: int, first_seed: int = 0) -> np.recarray:
        """Returns sampled worlds of a seat."""
        batch = Batch(GAME, num, autoreset=False, **self.options.as_dict())
        batch.tables = self.batch.tables
        batch.set_states(np.repeat(self.batch.get_states(), num))
        seeds = np.arange(first_seed, first_seed + num).astype(np.uint64)
        return batch.determinised(np.full(num, seat), seeds)

    def world(self, seat: int, seed: int = 0) -> Position:
        return from_state(self.options, self.worlds(seat, 1, seed))

    def seen(self, state: np.recarray, seat: int) -> tuple[bytes, bytes]:
        """Returns observation and mask of a seat in a state, as bytes."""
        other = self.batch.copy()
        other.set_states(state)
        return other.observe(np.array([seat])).tobytes(), masks_of(other, np.array([seat])).tobytes()


def order_of_grabs(seed: int, n: int, round_no: int = 1, tick: int = 1) -> list[int]:
    """Returns the order in which the grabs of a tick are served."""
    order = np.arange(n)
    rng.shuffle(np.uint64(seed), STREAM_GRABS, 128 * round_no + tick, order)
    return [int(seat) for seat in order]


def seed_with_order(wanted: Sequence[int], tick: int = 1) -> int:
    """Returns the lowest seed that serves the grabs of a tick of round 1 in an order."""
    return next(seed for seed in count() if order_of_grabs(seed, len(wanted), tick=tick) == list(wanted))


def scored(n: int, targets: str, cubes: str, coins: str, more: str = "") -> Table:
    """Returns a table after its round was scored: tick 40 passes, and everybody without a coin waits."""
    line = f"num_players={n} targets={targets} cubes={cubes} coins={coins} tick=40 {more}"
    table = Table(line)
    return table.wait_until(lambda position: position.last is not None)


def finished(positions: str, coins: str, more: str = "") -> Table:
    """Returns a finished game: nobody hits anything in the last round, and the last coin 1, if any, is grabbed.

    Args:
        positions: By seat, at the end, one of them on the last field or beyond.
        coins: By seat, of the last round.
        more: Further words.
    """
    taken = coins.split("/")
    before = "/".join("0" if coin == "1" else coin for coin in taken)
    cubes = "/".join("-" if coin == "0" else "345" for coin in taken)
    line = f"num_players={len(taken)} positions={positions} coins={before} cubes={cubes} tick=40 targets=012 {more}"
    table = Table(line)
    while not table.now.done:
        table.play("grab" if taken[table.now.move] == "1" else "wait")
    return table


def frequencies(sets: NDArray[np.integer], size: int = 9) -> NDArray[np.float64]:
    """Returns how often each dot is in the sets, float64 [size], from bit sets [B]."""
    return np.array([(sets >> dot & 1).mean() for dot in range(size)])
