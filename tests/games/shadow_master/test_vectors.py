"""Set-ups with known outcomes, by hand from the printed rules and our readings of them; numbers as in the document."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from shadowenvs.games.shadow_master import deck, drawing
from shadowenvs.games.shadow_master.scoring import gain_of
from shadowenvs.games.shadow_master.spec import GRAB, LETTERS, TOGGLE_0, WAIT, ShadowMasterOptions
from tests.games.shadow_master.table import (
    LOOKS,
    TOGGLES,
    Table,
    finished,
    frequencies,
    scored,
    seed_with_order,
)


@pytest.mark.rule("SM-23")
@pytest.mark.parametrize(("n", "coins"), [(2, 1), (3, 2), (4, 3), (5, 4), (6, 5)])
def test_vector_1(n: int, coins: int) -> None:
    table = Table.dealt(1, f"num_players={n} two_player={n == 2}")
    assert table.observed(0, "coins_left") == coins
    assert table.now.coins == [0] * n


@pytest.mark.rule("SM-04", "SM-05")
def test_vector_2() -> None:
    colours = ShadowMasterOptions.make().colours
    assert [colours[field] for field in (0, 1, 2, 3, 39, 40)] == [0, 1, 2, 0, 0, 1]
    for last_field in (39, 41):
        with pytest.raises(ValueError, match=f"field {last_field} must be blue"):
            ShadowMasterOptions.make(last_field=last_field)


@pytest.mark.rule("SM-08")
def test_vector_3() -> None:
    table = scored(4, "012", "-/-/-/-", "0/0/0/0", "positions=7/4/7/2")
    assert table.now.round_no == 2 and table.now.colour == 1


@pytest.mark.rule("SM-36", "SM-38")
def test_vector_4() -> None:
    assert Table("number=2").legal() == set(range(20)) - {GRAB}


@pytest.mark.rule("SM-34", "SM-35", "SM-36")
def test_vector_5() -> None:
    legal = Table("number=2 cubes=35/-/-/-").legal()
    assert legal == LOOKS | {12, 14, GRAB, WAIT} and len(legal) == 13


@pytest.mark.rule("SM-36")
def test_vector_6() -> None:
    assert Table("cubes=0/-/-/-").legal() == set(range(20)) - {GRAB}
    assert Table("cubes=0/-/-/- grab_rule=any").legal() == set(range(20))


@pytest.mark.rule("SM-29", "SM-43")
def test_vector_7() -> None:
    table = Table("num_players=3 coins=0/2/0 cubes=-/012/-")
    assert table.parallel_mask(1) == {WAIT}
    assert [table.now.move, table.wait().now.move, table.wait().now.move] == [0, 2, 0]
    assert table.now.cubes[1] == {0, 1, 2}


@pytest.mark.rule("SM-31")
def test_vector_8() -> None:
    legal = Table("mode=pixels cubes=01/-/-/-").legal()
    assert legal == TOGGLES | {WAIT} and len(legal) == 10


@pytest.mark.rule("SM-40", "SM-41", "SM-44")
def test_vector_9() -> None:
    seed = seed_with_order([2, 0, 1, 3])
    table = Table(f"seed={seed} cubes=345/-/345/345 targets=012").play("grab, look 0, grab, grab")
    assert table.last_coins == [2, 0, 3, 1] and table.now.round_no == 2


@pytest.mark.rule("SM-40", "SM-42")
def test_vector_10() -> None:
    seed = seed_with_order([1, 2, 0])
    table = Table(f"num_players=3 seed={seed} cubes=345/345/345 targets=012").play("grab, grab, grab")
    assert table.last_coins == [0, 2, 1] and table.now.round_no == 2


@pytest.mark.rule("SM-30", "SM-45")
def test_vector_11() -> None:
    table = Table("num_players=3 targets=24 coins=0/0/2 cubes=01/2/01").play("grab, toggle 4")
    assert table.last_coins == [1, 0, 2] and table.points == [0, 2, 0]


@pytest.mark.rule("SM-32")
def test_vector_12() -> None:
    table = Table("number=2 cubes=-/24/-/-").play("wait, toggle 4, wait, wait")
    assert table.now.cubes[1] == {2} and (table.now.round_no, table.now.tick) == (1, 2)


@pytest.mark.rule("SM-48", "SM-50")
def test_vector_13() -> None:
    assert scored(3, "047", "047/-/-", "2/0/0").points[0] == 5


@pytest.mark.rule("SM-49", "SM-51")
def test_vector_14() -> None:
    assert scored(4, "047", "048/-/-/-", "3/0/0/0").points[0] == 2


@pytest.mark.rule("SM-52")
def test_vector_15() -> None:
    assert scored(4, "047", "047/-/-/-", "0/0/0/0").points[0] == 3
    assert scored(4, "047", "047/-/-/-", "0/0/0/0", "coinless=nothing").points[0] == 0


@pytest.mark.rule("SM-48", "SM-52")
def test_vector_16() -> None:
    assert scored(4, "0123", "3/-/-/-", "0/0/0/0").points[0] == 1


@pytest.mark.rule("SM-51")
def test_vector_17() -> None:
    assert scored(4, "01", "56/-/-/-", "3/0/0/0").points[0] == 0


@pytest.mark.rule("SM-50")
def test_vector_18() -> None:
    assert scored(6, "01234", "01234/-/-/-/-/-", "5/0/0/0/0/0").points[0] == 10


@pytest.mark.rule("SM-46", "SM-53")
def test_vector_19() -> None:
    table = Table("tick=40 targets=012 coins=3/0/0/0 cubes=345/012/05/3").play("wait, wait, wait")
    assert table.now.round_no == 2 and table.points == [0, 3, 1, 0] and table.last_coins == [3, 0, 0, 0]


@pytest.mark.rule("SM-54", "SM-57", "SM-58", "SM-59")
def test_vector_20() -> None:
    line = "positions=38/37/36/30 targets=012 coins=0/2/3/0 cubes=0/012/012/015"
    table = Table(line).play("wait, grab")
    assert table.points == [1, 5, 6, 2] and table.last_coins == [0, 2, 3, 1]
    assert table.now.positions == [39, 42, 42, 32] and table.now.done and table.winners == {2}


@pytest.mark.rule("SM-59")
def test_vector_21() -> None:
    assert finished("42/42/30", "0/1/2").winners == {1}


@pytest.mark.rule("SM-58")
def test_vector_22() -> None:
    assert finished("41/43/40", "2/0/1").winners == {1}
    assert finished("41/43/40", "2/0/1", "finish=coin").winners == {0}


@pytest.mark.rule("SM-60", "SM-68")
def test_vector_23() -> None:
    table = finished("44/44/10/9", "0/0/0/0")
    assert table.winners == {0, 1}
    assert table.rewards == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


@pytest.mark.rule("SM-61")
def test_vector_24() -> None:
    used = ",".join(map(str, range(42)))
    assert finished("12/15/15", "2/0/1", f"used={used}").winners == {2}


@pytest.mark.rule("SM-68")
def test_vector_25() -> None:
    assert finished("41/3/3/3", "0/0/0/0").rewards == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])
    assert finished("41/41/3/3/3", "0/0/0/0/0").rewards == pytest.approx([0.375, 0.375, -0.25, -0.25, -0.25])
    assert finished("41/41/41", "0/0/0").rewards == [0, 0, 0]


@pytest.mark.rule("SM-68")
def test_vector_26() -> None:
    assert scored(3, "047", "047/-/-", "2/0/0", "reward=points").rewards[0] == pytest.approx(0.5)


def change(visibility: float, is_target: bool, looked_at: bool, z: float, periphery: float = 0.25) -> float:
    """Returns what one look adds to the evidence about dot 0, with a given normal deviate."""
    line = f"targets={'012' if is_target else '123'} visibility={','.join([str(visibility)] * 9)} periphery={periphery}"
    table = Table(line).change_tables(normals=z)
    table.play("look 0" if looked_at else "look 5").wait(3)
    return table.now.evidence[0][0]


@pytest.mark.rule("SM-65")
def test_vector_27() -> None:
    assert change(0.5, True, True, 0) == pytest.approx(3.0)
    assert change(0.5, True, True, -1) == pytest.approx(0.5505, abs=1e-4)


@pytest.mark.rule("SM-65")
def test_vector_28() -> None:
    assert change(0.2, False, True, 0.5) == pytest.approx(-0.4254, abs=1e-4)


@pytest.mark.rule("SM-70")
def test_vector_29() -> None:
    """Within four standard errors."""
    num = 1000
    table = Table(f"number=2 evidence={math.log(4)},0,0,0,0,0,0,0,0/0/0/0")
    found = frequencies(table.worlds(0, num)["targets"].astype(int))
    for dot, share in enumerate([8 / 15] + [11 / 60] * 8):
        assert abs(found[dot] - share) < 4 * math.sqrt(share * (1 - share) / num)


@pytest.mark.rule("SM-70")
def test_vector_30() -> None:
    """Without evidence every set of three is as good as another: 84 of them."""
    assert math.comb(9, 3) == 84 and -math.log(83) == pytest.approx(-4.4188, abs=1e-4)
    num = 2000
    sets = Table("number=3").worlds(0, num)["targets"].astype(int)
    counts = np.array([(sets == sum(1 << dot for dot in dots)).sum() for dots in itertools.combinations(range(9), 3)])
    assert counts.sum() == num
    chi_square = ((counts - num / 84) ** 2 / (num / 84)).sum()
    assert chi_square < 83 + 4 * math.sqrt(2 * 83)


@pytest.mark.rule("SM-48")
@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_vector_31(number: int) -> None:
    sets = [sum(1 << dot for dot in dots) for dots in itertools.combinations(range(9), number)]
    hits = [gain_of(sets[0], targets, 0, 0) for targets in sets]
    assert np.mean(hits) == pytest.approx(number**2 / 9)


@pytest.mark.rule("SM-67")
def test_vector_32() -> None:
    left, right = np.zeros((2, 96, 96), np.bool_)
    left[2:6, 2:6] = True
    right[2:6, 4:8] = True
    assert deck.visibility(left, left | right) == deck.visibility(right, left | right) == 0.75
    assert deck.visibility(left, left) == 1.0


@pytest.mark.rule("SM-14")
def test_vector_33() -> None:
    assert len(deck.TRIPLES) == len(set(deck.TRIPLES)) == 10
    assert {sum(triple) for triple in deck.TRIPLES} == {9}
    numbers = [number for triple in deck.TRIPLES for number in triple]
    assert [numbers.count(number) / 30 for number in (2, 3, 4, 5)] == [0.4, 0.3, 0.2, 0.1]


@pytest.mark.rule("SM-65")
@pytest.mark.parametrize(("visibility", "share"), [(0.2, 0.2193), (0.5, 0.1103), (1.0, 0.0416)])
def test_vector_34(visibility: float, share: float) -> None:
    """By the table of normal deviates."""
    strength = 6 * visibility
    wrong = strength + np.sqrt(2 * strength) * deck.load_normals() < 0
    assert wrong.mean() == pytest.approx(share, abs=1e-4)


@pytest.mark.rule("SM-79")
def test_vector_35() -> None:
    def cells(text: str, side: int) -> int:
        return int(drawing.draw(text, side).sum())

    assert [cells("e 50 50 30 30", side) for side in (96, 128)] == [2608, 4628]
    assert [cells("a 50 50 20 10 0 360", side) for side in (96, 128)] == [1156, 2068]
    assert cells(drawing.load_objects()[1][1][2], 128) == 7844


@pytest.mark.rule("SM-64")
def test_vector_36() -> None:
    table = Table("coins=0/3/0/0 cubes=-/012/-/-")
    assert [table.now.move, table.wait().now.move, table.wait().now.move] == [0, 2, 3]


@pytest.mark.rule("SM-31", "SM-65")
def test_vector_39() -> None:
    assert change(0.5, True, False, 0) == pytest.approx(0.75)
    assert change(0.5, True, False, -1) == pytest.approx(-0.4747, abs=1e-4)
    assert change(0.5, True, False, -1, periphery=0) == 0.0


@pytest.mark.rule("SM-65", "SM-73")
@pytest.mark.parametrize("z", [0.0, 1.0])
def test_vector_40(z: float) -> None:
    """Two looks at a target and five in all, in a sampled world as in the game."""
    line = f"targets=012 visibility={','.join(['0.5'] * 9)}"
    table = Table(line).change_tables(normals=0.0)
    for look in ("look 0, wait", "look 0, wait", "look 1, wait", "look 5, wait", "look 8, wait"):
        table.play(look).wait(2)
    assert table.now.looks[0] == [2, 1, 0, 0, 0, 1, 0, 0, 1]
    assert table.now.evidence[0][0] == pytest.approx(8.25) and table.now.evidence[0][5] == pytest.approx(-0.5 * 12)
    table.change_tables(normals=z, visibility=0.5)
    found = set()
    for seed in range(400):
        world = table.world(0, seed)
        for looks, evidence in zip(world.looks[1:], world.evidence[1:], strict=True):
            for dot in range(9):
                if sum(looks) == 5 and looks[dot] == 2:
                    sign = 1 if dot in world.targets else -1
                    assert evidence[dot] == pytest.approx(sign * 8.25 + z * math.sqrt(16.5), abs=1e-4)
                    found.add(sign)
        if len(found) == 2:
            return
    pytest.fail("no sampled world looks twice at a dot")


@pytest.mark.rule("SM-66")
def test_vector_41() -> None:
    table = Table("evidence=3,-0.4254,25,-25,0,0,0,0,0/0/0/0")
    assert table.observed(0, "evidence") == [18, -3, 120, -120, 0, 0, 0, 0, 0]


@pytest.mark.rule("SM-79")
@pytest.mark.parametrize(("card", "words"), [(0, "C5 I2 J2"), (1, "A5 J2 D2"), (2, "I4 J2 H3")])
def test_card_check(card: int, words: str) -> None:
    letters, numbers, answers, _, picture = deck.draw_card(deck.STANDARD_SEED, card)
    squares = [LETTERS[letter] + str(number) for letter, number in zip(letters, numbers, strict=True)]
    assert " ".join(squares) == words
    if card == 0:
        assert np.flatnonzero(answers[0]).tolist() == [2, 5, 6, 7, 8] and int(picture.sum()) == 3199


def test_actions_are_numbered_as_in_the_document() -> None:
    assert (min(LOOKS), TOGGLE_0, GRAB, WAIT) == (0, 9, 18, 19)
