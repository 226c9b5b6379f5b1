"""The built-in opponent: stronger than chance, no seat better than another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.game import NO_ACTION
from shadowenvs.games.shadow_master import GAME
from shadowenvs.jit import is_compiled
from tests.conformance.playing import heuristic_action
from tests.games.shadow_master.table import POCKET, Table, few


def win_shares(num: int, seed: int, heuristic_seats: int, **options: Any) -> np.ndarray:
    """Returns the mean win share of each seat; those in a bit set play the heuristic, the others at random."""
    batch = Batch(GAME, num, autoreset=False, **options)
    batch.reset(seed)
    generator = np.random.default_rng(seed)
    number = 0
    while True:
        waiting = np.flatnonzero(batch.masks.any(axis=1))
        if len(waiting) == 0:
            break
        actions = batch.random_actions(seed, number)
        thinking = waiting[(heuristic_seats >> batch.seats[waiting].astype(int) & 1) == 1]
        if len(thinking):
            actions[thinking] = batch.turn(generator, thinking).heuristic_actions()
        batch.step(np.where(batch.masks.any(axis=1), actions, NO_ACTION))
        number += 1
    won = batch.get_states()["winners"][:, None] >> np.arange(batch.num_players) & 1
    shares: np.ndarray = (won / won.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


@pytest.mark.skipif(not is_compiled(), reason="takes minutes uncompiled")
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_it_beats_random_players(n: int) -> None:
    assert win_shares(60, n, 1 << n - 1, num_players=n)[n - 1] * n >= 2.5


@pytest.mark.skipif(not is_compiled(), reason="takes minutes uncompiled")
@pytest.mark.rule("SM-40")
@pytest.mark.parametrize("n", [3, 6])
def test_seats_are_equal(n: int) -> None:
    """Equal players win equally often in all seats, within four standard errors."""
    num = 1500
    for seats in ((1 << n) - 1, 0):
        shares = win_shares(num if seats else num // 3, 3, seats, num_players=n)
        error = math.sqrt((1 / n) * (1 - 1 / n) / (num if seats else num // 3))
        assert (np.abs(shares - 1 / n) < 4 * error).all()


def choice(line: str, seed: int = 0) -> str:
    table = Table(line)
    return GAME.format_action(table.options, heuristic_action(table.batch, seed))


def test_it_looks_where_it_is_undecided() -> None:
    """At the edge of its best set: dots 2 and 3 here, the one looked at less often."""
    line = "evidence=4,4,0.6,0.5,0.3,0.3,0.3,0.3,0.3/0/0/0 looks=0,0,{},{},0,0,0,0,0/0/0/0"
    assert choice(line.format(1, 0)) == "look 3"
    assert choice(line.format(0, 1)) == "look 2"


def test_it_places_and_grabs_when_sure() -> None:
    sure = "evidence=6,5,4,-4,-4,-4,-4,-4,-4/0/0/0"
    assert choice(sure) == "toggle 0"
    assert choice(f"{sure} cubes=01/-/-/-") == "toggle 2"
    assert choice(f"{sure} cubes=012/-/-/-") == "grab"
    assert choice(f"{sure} cubes=018/-/-/-") == "toggle 8"
    assert choice(f"{sure} cubes=8/-/-/-") == "toggle 0"


def test_it_hurries_at_the_tick_cap() -> None:
    assert choice("tick=37").startswith("toggle")
    assert choice("tick=40 cubes=012/-/-/-") == "grab"
    assert choice("tick=10").startswith("look")


def test_it_guesses_without_evidence() -> None:
    words = {choice("mode=pixels", seed) for seed in range(few(40, 20))}
    assert all(word.startswith("toggle") for word in words) and len(words) > 2
    assert choice("mode=pixels cubes=012/-/-/-") == "grab"


def test_it_plays_pocket() -> None:
    table = Table.dealt(2, POCKET)
    number = 0
    while not table.now.done:
        table.play(GAME.format_action(table.options, heuristic_action(table.batch, number)))
        number += 1
    assert table.last_coins in ([1, 0], [0, 1])
