"""The pocket variant: its rules, and its exact table by a dynamic program over private states (SM-69)."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest

from shadowenvs.games.shadow_master.spec import GRAB, WAIT
from tests.games.shadow_master.table import POCKET, Table, few, frequencies, seed_with_order

SETS = [set(pair) for pair in itertools.combinations(range(4), 2)]
RIGHT = 0.9
TABLE = [
    [0, -0.1, 0.2667, 1.1667],
    [0.1, 0, 0.0333, 0.6427],
    [-0.2667, -0.0333, 0, 0.3213],
    [-1.1667, -0.6427, -0.3213, 0],
]


def outcomes(looks: int, targets: set[int]) -> Iterator[tuple[float, list[int]]]:
    """Yields probability and evidence of each dot, in looks, of all that one look at each first dot may give."""
    for rights in itertools.product((True, False), repeat=looks):
        chance = math.prod(RIGHT if right else 1 - RIGHT for right in rights)
        yield chance, [1 if right == (dot in targets) else -1 for dot, right in enumerate(rights)] + [0] * (4 - looks)


def placed(evidence: list[int], num: int) -> set[int]:
    """Returns the dots on which R_k has placed its first cubes: the more probable first."""
    return set(sorted(range(4), key=lambda dot: -evidence[dot])[:num])


@functools.cache
def cubes_of(looks: int, ticks: int, targets: frozenset[int]) -> list[tuple[float, frozenset[int]]]:
    """Returns probability and cubes of R_looks after some ticks, given the targets."""
    num = max(0, min(2, ticks - looks))
    return [(chance, frozenset(placed(evidence, num))) for chance, evidence in outcomes(looks, set(targets))]


def margin(row: int, column: int) -> float:
    """Returns the mean difference of points of R_row against R_column."""
    if row == column:
        return 0.0
    fast, slow = min(row, column), max(row, column)
    ticks = fast + 3
    total = 0.0
    for targets in SETS:
        goal = frozenset(targets)
        for chance, cubes in cubes_of(fast, ticks, goal):
            total += chance * (len(cubes & goal) + (cubes == goal)) / len(SETS)
        for chance, cubes in cubes_of(slow, ticks, goal):
            total -= chance * len(cubes & goal) / len(SETS)
    return total if row < column else -total


@pytest.mark.rule("SM-69")
def test_vector_37() -> None:
    hits = [1, 1.2667, 1.5333, 1.752]
    right = [1 / 6, 0.3, 0.54, 0.756]
    for looks in range(4):
        ends = [
            (chance / 6, len(cubes & targets))
            for targets in map(frozenset, SETS)
            for chance, cubes in cubes_of(looks, looks + 2, targets)
        ]
        assert sum(chance * num for chance, num in ends) == pytest.approx(hits[looks], abs=1e-4)
        assert sum(chance for chance, num in ends if num == 2) == pytest.approx(right[looks], abs=1e-4)


@pytest.mark.rule("SM-69")
def test_vector_38_and_the_table() -> None:
    for row, column in itertools.product(range(4), repeat=2):
        assert margin(row, column) == pytest.approx(TABLE[row][column], abs=1e-4)
    # R_1 is the only equilibrium: the only row without a loss, and each other row loses to it.
    assert [min(row) for row in TABLE].index(0) == 1 and sum(min(row) >= 0 for row in TABLE) == 1
    assert all(TABLE[row][1] < 0 for row in (0, 2, 3))


@pytest.mark.rule("SM-69")
@pytest.mark.parametrize(("row", "column"), [(0, 1), (0, 2), (1, 2), (0, 3)])
def test_the_table_by_play(row: int, column: int) -> None:
    """The game itself, over all targets and outcomes of looks; a look is played as a wait, its outcome by the cubes."""
    total = 0.0
    chosen = SETS if few(1, 0) else SETS[:1]
    for targets in chosen:
        goal = "".join(map(str, sorted(targets)))
        for (p, first), (q, second) in itertools.product(outcomes(row, targets), outcomes(column, targets)):
            orders = [np.argsort(-np.array(evidence), kind="stable").tolist() for evidence in (first, second)]
            table = Table(f"{POCKET} targets={goal}")
            while not table.now.done:
                tick = table.now.tick
                for looks, order in zip((row, column), orders, strict=True):
                    if table.now.done or tick <= looks:
                        table.wait()
                    else:
                        word = "grab" if tick == looks + 3 else f"toggle {order[tick - looks - 1]}"
                        table.play(word)
            assert sum(table.rewards) == 0
            total += p * q * table.rewards[0] * 3 / len(chosen)
    if len(chosen) == len(SETS):
        assert total == pytest.approx(TABLE[row][column], abs=1e-4)


@pytest.mark.rule("SM-69")
def test_rules_of_the_pocket_variant() -> None:
    table = Table.dealt(1, POCKET)
    now = table.now
    assert table.legal() == {0, 1, 2, 3, 9, 10, 11, 12, WAIT}
    assert now.number == 2 and now.targets < {0, 1, 2, 3} | {9} and table.options.tick_cap == 7
    assert table.observed(0, "coins_left") == 1 and table.observed(0, "letters") == [-1, -1, -1]
    table.play("toggle 3, wait, toggle 0, wait")
    assert GRAB in table.legal()
    seed = seed_with_order([1, 0], tick=1)
    table = Table(f"{POCKET} targets=01 cubes=01/01 seed={seed}").play("grab, grab")
    assert table.now.done and table.points == [2, 3] and table.winners == {1}
    assert table.rewards == pytest.approx([-1 / 3, 1 / 3])
    table = Table(f"{POCKET} targets=01 cubes=0/1 tick=7").wait(2)
    assert table.now.done and table.points == [1, 1] and table.winners == {0, 1} and table.rewards == [0, 0]


@pytest.mark.rule("SM-69")
def test_looks_in_pocket() -> None:
    num, right = few(2000, 200), 0
    for seed in range(num):
        table = Table(f"{POCKET} targets=01 seed={seed}")
        table.play("look 1, look 3")
        now = table.now
        assert now.evidence[0][1] in (pytest.approx(math.log(9)), pytest.approx(-math.log(9)))
        assert [dot for dot in range(9) if now.evidence[0][dot]] == [1]
        assert [dot for dot in range(9) if now.evidence[1][dot]] == [3]
        right += (now.evidence[0][1] > 0) + (now.evidence[1][3] < 0)
    assert abs(right / (2 * num) - RIGHT) < 4 * math.sqrt(0.09 / (2 * num))


@pytest.mark.rule("SM-69")
def test_targets_in_pocket_are_uniform() -> None:
    num = few(1200, 300)
    counts: dict[frozenset[int], int] = {}
    for seed in range(num):
        targets = frozenset(Table.dealt(seed, POCKET).now.targets)
        counts[targets] = counts.get(targets, 0) + 1
    assert len(counts) == 6
    assert sum((count - num / 6) ** 2 / (num / 6) for count in counts.values()) < 5 + 4 * math.sqrt(10)


@pytest.mark.rule("SM-69", "SM-70")
def test_worlds_in_pocket() -> None:
    evidence = f"{np.float32(math.log(9))},0,0,0,0,0,0,0,0/0"
    table = Table(f"{POCKET} targets=01 evidence={evidence} looks=1,0,0,0,0,0,0,0,0/0 tick=5")
    num = few(1000, 300)
    worlds = table.worlds(0, num)
    found = frequencies(worlds["targets"].astype(int), 4)
    for dot, share in enumerate([27 / 30, 11 / 30, 11 / 30, 11 / 30]):  # odds of 9 for dot 0: 3 sets hold it, 3 do not
        assert abs(found[dot] - share) < 4 * math.sqrt(share * (1 - share) / num)
    for seed in range(20):
        world = table.world(0, seed)
        assert {world.objects[dot] for dot in world.targets} == {0, 1}
        assert max(world.cubes[1], default=0) < 4 and not any(world.looks[1][4:])
