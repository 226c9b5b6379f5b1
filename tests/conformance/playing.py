"""Random games of every game in the suite, for the tests that hold for all of them."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shadowenvs import get_game
from shadowenvs.batch import Batch
from shadowenvs.game import NO_ACTION, Game
from shadowenvs.jit import is_compiled, specialise
from tests.conftest import games

MOST_SETS = 8
"""Options sets of an oracle that tests other than the oracle's own play, beside the defaults."""


@functools.cache
def option_sets(name: str) -> dict[str, dict[str, Any]]:
    """Returns sets of options by a short label: the defaults of every player count, and what the oracle proposes."""
    sets: dict[str, dict[str, Any]] = {str(n): {"num_players": n} for n in get_game(name).seats}
    module = f"tests.oracles.{name}"
    if importlib.util.find_spec(module) is not None:
        proposed = getattr(importlib.import_module(module), "option_sets", dict)()
        if not isinstance(proposed, dict):
            others = [chosen for chosen in proposed if chosen not in sets.values()]
            proposed = {f"{chosen['num_players']}-set{place}": chosen for place, chosen in enumerate(others)}
        sets |= proposed
    return sets


def counts() -> list[Any]:
    """Returns test parameters (game, players) for every allowed number of players."""
    return [pytest.param(name, n, id=f"{name}-{n}") for name in games() for n in get_game(name).seats]


def all_cases() -> list[Any]:
    """Returns test parameters (game, label of an options set)."""
    return [pytest.param(name, label, id=f"{name}-{label}") for name in games() for label in option_sets(name)]


def cases() -> list[Any]:
    """Returns those of all_cases with default options, and some others of each game, evenly chosen."""
    chosen = []
    for name in games():
        labels = list(option_sets(name))
        defaults, others = labels[: len(get_game(name).seats)], labels[len(get_game(name).seats) :]
        others = others[:: max(1, -(-len(others) // MOST_SETS))]
        chosen += [pytest.param(name, label, id=f"{name}-{label}") for label in (*defaults, *others)]
    return chosen


def few(compiled: int, uncompiled: int = 1) -> int:
    """Returns a number of games or steps: uncompiled kernels are a thousand times slower."""
    return compiled if is_compiled() else uncompiled


def rewards_of(game: Game, **options: Any) -> tuple[str, ...]:
    """Returns the kinds of rewards that a game offers, at least one, with these options."""
    choices: tuple[str, ...] = game.options.__dataclass_fields__["reward"].metadata["option"].choices
    allowed = []
    for kind in choices:
        with contextlib.suppress(ValueError):
            allowed.append(game.options.make(**{**options, "reward": kind}).reward)
    assert allowed, options
    return tuple(allowed)


def pick(mask: NDArray[np.bool_], number: int) -> int:
    """Returns a legal action that depends on the mask and a number alone, NO_ACTION where none is legal."""
    legal = np.flatnonzero(mask)
    # A multiplicative hash (Knuth): neighbouring numbers give unrelated choices.
    return int(legal[((number + 1) * 2654435761 % 2**32) * len(legal) >> 32]) if len(legal) else NO_ACTION


@dataclass(frozen=True)
class Record:
    """One random game: T actions, T + 1 states.

    Attributes:
        game: The game.
        options: Its options as keywords.
        states: recarray [T + 1].
        actions: int64 [T].
        seats: int64 [T], who carried them out.
        masks: bool [T + 1, A], of the seat to move.
        observations: int8 [T + 1, F], of the seat to move.
        rewards: float32 [T + 1, P], of the action before.
    """

    game: Game
    options: dict[str, Any]
    states: np.recarray
    actions: NDArray[np.int64]
    seats: NDArray[np.int64]
    masks: NDArray[np.bool_]
    observations: NDArray[np.int8]
    rewards: NDArray[np.float32]

    @property
    def num_players(self) -> int:
        return self.rewards.shape[1]

    def batch(self, chosen: slice = slice(None)) -> Batch:
        """Returns a batch with one table for each state."""
        states = self.states[chosen]
        batch = Batch(self.game, len(states), autoreset=False, **self.options)
        batch.set_states(states)
        return batch


@functools.cache
def played(name: str, label: str, seed: int = 0) -> Record:
    """Plays a random game."""
    game, options = get_game(name), option_sets(name)[label]
    batch = Batch(game, 1, autoreset=False, **options)
    batch.reset(seed)
    rows: list[tuple[Any, ...]] = []
    actions, seats = [], []
    for number in range(game.max_steps(batch.options, batch.tables) + 1):
        rows.append((batch.get_states(), batch.masks[0].copy(), batch.observations[0].copy(), batch.rewards[0].copy()))
        if rows[-1][0]["done"][0]:
            break
        action = pick(batch.masks[0], 1000 * seed + number)
        actions.append(action)
        seats.append(int(batch.seats[0]))
        batch.step(np.array([action]))
    states = np.concatenate([row[0] for row in rows]).view(np.recarray)
    masks, observations, rewards = (np.stack([row[place] for row in rows]) for place in (1, 2, 3))
    return Record(
        *(game, options, states, np.array(actions), np.array(seats), masks),
        observations=observations,
        rewards=rewards,
    )


def length(name: str, n: int) -> int:
    """Returns the number of actions of one random game: max_steps may be far more than usual."""
    return len(played(name, str(n)).actions)


def _legal_tables(tables: Any, states: Any, seats: Any, masks: Any) -> None:
    for b in range(len(states)):
        legal(tables[0], states[b], int(seats[b]), masks[b])


def legal(table: Any, state: Any, seat: Any, mask: Any) -> None: ...


@functools.cache
def legal_loop(game: Game) -> Callable[..., None]:
    """Returns a compiled loop that writes the legal actions of any seat."""
    return specialise(_legal_tables, f"{game.id}_of_seats", legal=game.legal)


def _choose(tables: Any, records: Any, masks: Any, seed: Any) -> int:
    return heuristic(tables[0], records[0], masks[0], seed)  # type: ignore[no-any-return]


def heuristic(table: Any, obs: Any, mask: Any, seed: Any) -> Any: ...


@functools.cache
def choose_loop(game: Game) -> Callable[..., int]:
    """Returns the compiled heuristic of a game, called with arrays of one."""
    return specialise(_choose, f"{game.id}_of_one", heuristic=game.heuristic)


def heuristic_action(batch: Batch, seed: int) -> int:
    """Returns what the heuristic chooses at the first table from this seed."""
    records = batch.game.observation.records(batch.observations[:1].copy())
    masks = batch.masks[:1].astype(np.int8)
    return int(choose_loop(batch.game)(batch.tables, records, masks, np.uint64(seed)))


def masks_of(batch: Batch, seats: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Returns the legal actions, bool [B, A], of any seat of each table, as the kernel tells them."""
    masks = np.ones((batch.num_tables, batch.game.num_actions), np.bool_)
    states = batch._states
    legal_loop(batch.game)(batch.tables, states, seats.astype(np.int8), masks)
    return masks


def same(left: Any, right: Any) -> bool:
    """Whether two arrays of any kind are equal bit for bit."""
    left, right = np.asarray(left), np.asarray(right)
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()
