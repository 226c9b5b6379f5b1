"""Ticks, looks, cubes and grabs (SM-27 to SM-46)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.games.shadow_master import deck
from shadowenvs.games.shadow_master.spec import GRAB, STREAM_LOOK, WAIT
from tests.games.shadow_master.table import LOOKS, TOGGLES, Table, few, order_of_grabs, scored, seed_with_order


@pytest.mark.rule("SM-27")
def test_ticks_count_from_one() -> None:
    table = Table.dealt(4)
    for tick in range(1, 6):
        assert table.now.tick == table.observed(0, "tick") == tick
        assert table.now.commits == [None] * 4
        table.wait(4)


@pytest.mark.rule("SM-28")
def test_commits_are_secret() -> None:
    """Nothing that anybody sees depends on what was committed in this tick, before all have committed."""
    for words in ("grab, look 3", "toggle 0, toggle 3", "wait, wait"):
        table = Table("cubes=012/-/-/-")
        before = [table.batch.observe(np.array([seat])).tobytes() for seat in range(4)]
        cubes = table.now.cubes
        table.play(words)
        assert [table.batch.observe(np.array([seat])).tobytes() for seat in range(4)] == before
        assert table.now.cubes == cubes and table.now.coins == [0] * 4 and table.rewards == [0] * 4


@pytest.mark.rule("SM-29")
def test_a_seat_with_a_coin_is_not_asked() -> None:
    table = Table("cubes=012/-/-/- targets=012").play("grab, wait, wait, wait")
    assert table.now.coins == [3, 0, 0, 0]
    for _ in range(3):
        assert [table.now.move, table.wait().now.move, table.wait().now.move] == [1, 2, 3]
        table.wait()
    assert table.parallel_mask(0) == {WAIT}
    assert table.parallel_mask(2) == LOOKS | TOGGLES | {WAIT}


@pytest.mark.rule("SM-30")
def test_looks_and_toggles_come_before_grabs() -> None:
    """The grab of seat 0 ends the round; the toggles and looks of later seats still happen."""
    table = Table("num_players=3 coins=0/2/0 cubes=012/345/0 targets=012").play("grab, toggle 1")
    assert table.points == [4, 0, 2]


@pytest.mark.rule("SM-31")
def test_a_look_changes_own_evidence_only() -> None:
    table = Table("cubes=01/2/-/-").play("wait, look 4, wait, wait")
    now = table.now
    assert now.looks == [[0] * 9, [0, 0, 0, 0, 1, 0, 0, 0, 0], [0] * 9, [0] * 9]
    assert all(now.evidence[1]) and not any(map(any, (now.evidence[0], *now.evidence[2:])))
    assert now.cubes == [{0, 1}, {2}, set(), set()] and now.coins == [0] * 4
    assert table.observed(1, "looks") == now.looks[1] and any(table.observed(1, "evidence"))
    assert not any(table.observed(0, "evidence")) and not any(table.observed(0, "looks"))
    narrow = Table("periphery=0").play("look 4, wait, wait, wait").now
    assert [dot for dot in range(9) if narrow.evidence[0][dot]] == [4]


@pytest.mark.rule("SM-31")
@pytest.mark.parametrize("periphery", [0, 0.25])
def test_noise_depends_on_its_place_alone(periphery: float) -> None:
    """The deviate of a look is found again from seed, round, seat, dot, number and dot affected."""
    normals = deck.load_normals()
    line = f"seed=77 periphery={periphery} targets=012 clarity=2 round=3"
    table = Table(line)
    for number in (1, 2):
        before = table.now.evidence
        table.play("wait, look 7, look 8, wait")
        for seat, dot in ((1, 7), (2, 8)):
            place = ((9 * seat + dot) * 128 + number) * 2
            blocks = [rng.block(np.uint64(77), STREAM_LOOK, 3, place + number_of_block) for number_of_block in (0, 1)]
            words = [*blocks[0], *blocks[1]]
            for other in range(9):
                half = int(words[other // 2]) >> 16 * (other % 2) & 0xFFFF
                reach = np.float32(2) if other == dot else np.float32(2) * np.float32(periphery)
                m = reach * np.float32(0.5)
                change = (m if other < 3 else -m) + np.sqrt(np.float32(2) * m) * normals[half]
                wanted = np.float32(before[seat][other]) + change if m else np.float32(0)
                assert table.now.evidence[seat][other] == float(wanted)


@pytest.mark.rule("SM-32", "SM-33")
@pytest.mark.parametrize("dot", range(9))
def test_toggle(dot: int) -> None:
    table = Table("")
    for cubes in ({dot}, set(), {dot}):
        table.play(f"wait, wait, toggle {dot}, wait")
        assert table.now.cubes == [set(), set(), cubes, set()]
        assert table.observed(2, "cubes") == [int(other in cubes) for other in range(9)]
        assert not any(table.observed(1, "cubes"))


@pytest.mark.rule("SM-34", "SM-35")
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_no_more_cubes_than_sought(number: int) -> None:
    cubes = "".join(map(str, range(number)))
    legal = Table(f"number={number} cubes={cubes}/-/-/-").legal()
    assert legal & TOGGLES == {9 + dot for dot in range(number)}
    fewer = cubes[1:] or "-"
    assert Table(f"number={number} cubes={fewer}/-/-/-").legal() & TOGGLES == TOGGLES


@pytest.mark.rule("SM-35")
def test_cubes_can_be_taken_back() -> None:
    table = Table("cubes=048/-/-/-").play("toggle 4, wait, wait, wait")
    assert table.now.cubes[0] == {0, 8} and table.legal() & TOGGLES == TOGGLES


@pytest.mark.rule("SM-36")
def test_a_grab_needs_all_cubes() -> None:
    for num in range(4):
        cubes = "".join(map(str, range(num))) or "-"
        assert (GRAB in Table(f"cubes={cubes}/-/-/-").legal()) == (num == 3)
        table = Table(f"cubes={cubes}/-/-/- grab_rule=any targets=012").play("grab, wait, wait, wait")
        assert table.now.coins == [3, 0, 0, 0]


@pytest.mark.rule("SM-36", "SM-50", "SM-51")
def test_a_grab_with_few_cubes_scores_them_alone() -> None:
    assert scored(4, "012", "01/-/-/-", "3/0/0/0", "grab_rule=any").points == [2, 0, 0, 0]


@pytest.mark.rule("SM-37", "SM-38")
def test_nobody_must_grab() -> None:
    table = Table("cubes=012/012/012/012")
    assert table.legal() == LOOKS | {9, 10, 11, GRAB, WAIT}
    before = table.now
    table.wait(4)
    assert (table.now.tick, table.now.cubes, table.now.coins) == (2, before.cubes, [0] * 4)
    assert not any(map(any, table.now.evidence))


@pytest.mark.rule("SM-40")
def test_every_order_of_grabs_is_served_alike() -> None:
    num = few(600, 120)
    firsts = dict.fromkeys(itertools.permutations(range(3)), 0)
    for seed in range(num):
        firsts[tuple(order_of_grabs(seed, 3))] += 1  # type: ignore[index]
    assert all(abs(count - num / 6) < 4 * (num * 5 / 36) ** 0.5 for count in firsts.values())
    for order in firsts:
        seed = seed_with_order(order, tick=5)
        table = Table(f"num_players=3 seed={seed} tick=5 cubes=345/345/345 targets=012").play("grab, grab, grab")
        assert [table.last_coins[seat] for seat in order] == [2, 1, 0]


@pytest.mark.rule("SM-41")
def test_the_highest_coin_goes_first() -> None:
    table = Table("num_players=6 cubes=345/345/345/345/345/- targets=012")
    for seat, coin in enumerate((5, 4, 3, 2)):
        table.play(", ".join("grab" if other == seat else "wait" for other in range(seat, 6)))
        assert table.now.coins[seat] == coin and table.observed(0, "coins_left") == coin - 1
        assert table.now.grab_ticks[seat] == seat + 1


@pytest.mark.rule("SM-42")
def test_a_late_grab_gets_nothing() -> None:
    seed = seed_with_order([2, 0, 1, 3])
    table = Table(f"seed={seed} coins=0/3/2/0 cubes=012/012/012/012 targets=012").play("grab, grab")
    assert table.last_coins == [1, 3, 2, 0] and table.points == [4, 6, 5, 3]


@pytest.mark.rule("SM-43")
def test_cubes_with_a_coin_stay() -> None:
    table = Table("cubes=345/-/-/- targets=012").play("grab, wait, wait, wait")
    table.wait_until(lambda position: position.last is not None)
    last = table.now.last
    assert last is not None and last.cubes[0] == {3, 4, 5}


@pytest.mark.rule("SM-44")
def test_the_last_coin_ends_the_round() -> None:
    table = Table("num_players=3 cubes=012/012/01 targets=012 looks=0/0/1,0,0,0,0,0,0,0,0").play("grab, wait, look 3")
    assert table.now.round_no == 1
    table.play("grab, toggle 0")
    assert table.now.round_no == 2 and table.last_coins == [2, 1, 0]
    assert table.now.last is not None and table.now.last.cubes[2] == {1}


@pytest.mark.rule("SM-45")
def test_cubes_of_the_last_tick_count() -> None:
    table = Table("num_players=3 coins=2/0/0 cubes=345/012/01 targets=012").play("grab, toggle 2")
    assert table.points == [0, 4, 3]


@pytest.mark.rule("SM-46")
@pytest.mark.parametrize("cap", [1, 5, 40, 120])
def test_the_tick_cap(cap: int) -> None:
    table = Table(f"tick_cap={cap} tick={max(1, cap - 1)} coins=3/0/0/0 cubes=345/-/-/- targets=012")
    if cap > 1:
        table.wait(3)
        assert (table.now.round_no, table.now.tick) == (1, cap)
    table.wait(3)
    assert (table.now.round_no, table.now.tick) == (2, 1)
    assert table.last_coins == [3, 0, 0, 0] and table.observed(1, "coins_left") == 3


@pytest.mark.rule("SM-64")
def test_order_gives_no_advantage() -> None:
    """Seats commit in ascending order; the last commit resolves the tick, and the mask was that of the tick's start."""
    table = Table("cubes=012/01/-/-")
    masks = [table.parallel_mask(seat) for seat in range(4)]
    for seat, word in enumerate(("grab", "toggle 2", "look 5", "wait")):
        assert table.now.move == seat and table.legal() == masks[seat]
        table.play(word)
    now = table.now
    assert now.tick == 2 and now.move == 1 and now.coins == [3, 0, 0, 0] and now.cubes[1] == {0, 1, 2}


@pytest.mark.rule("SM-64")
def test_no_seat_is_asked_after_the_end() -> None:
    table = scored(3, "012", "012/-/-", "0/0/0", "positions=39/0/0")
    assert table.now.done and table.legal() == set()
    assert all(table.parallel_mask(seat) == set() for seat in range(3))
