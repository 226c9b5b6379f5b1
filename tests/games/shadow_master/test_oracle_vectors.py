"""The oracle of Shadow Master against the test vectors of the rule file (section 8) and against itself."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.aec import TickEnv
from shadowenvs.games.shadow_master import deck, notation
from shadowenvs.games.shadow_master.spec import ShadowMasterOptions
from tests.conformance.playing import few, same
from tests.oracles import shadow_master as oracle
from tests.oracles.shadow_master import GRAB, LOOK_FIRST, TOGGLE_FIRST, WAIT, Oracle

LOOKS, TOGGLES = set(range(9)), set(range(9, 18))
POCKET: dict[str, Any] = {"num_players": 2, "variant": "pocket", "reward": "points"}

Chooser = Callable[[Oracle], int]


def options(**chosen: Any) -> ShadowMasterOptions:
    return ShadowMasterOptions.make(**chosen)


def new_game(seed: int, **chosen: Any) -> Oracle:
    game = Oracle(options(**chosen))
    game.deal(seed)
    return game


class Scripted(Oracle):
    """A game whose grabs are served in a given order, and whose looks come out as told (pocket)."""

    order: list[int]
    right: dict[tuple[int, int], bool]  # by seat and dot

    def _grab_order(self) -> list[int]:
        return self.order

    def _is_look_right(self, seat: int, dot: int, look: int) -> bool:
        assert look == 1
        return self.right[seat, dot]


def at(line: str, order: str = "") -> Scripted:
    """Returns a game set up from a position line, and from the order of its grabs as digits."""
    game = Scripted.from_position(notation.parse(line))
    assert isinstance(game, Scripted)
    game.order = [int(digit) for digit in order]
    return game


def do(game: Oracle, text: str) -> Oracle:
    """Carries out actions like "look 3, grab"."""
    for word in text.split(","):
        game.step(action(word))
    return game


def action(text: str) -> int:
    """Returns the number of an action like "toggle 3", by the table of section 3."""
    word, _, dot = text.strip().partition(" ")
    return {"look": LOOK_FIRST, "toggle": TOGGLE_FIRST, "grab": GRAB, "wait": WAIT}[word] + int(dot or 0)


def at_random(seed: int | str) -> Chooser:
    chooser = random.Random(seed)
    return lambda game: chooser.choice(sorted(game.legal()))


def hasty(seed: int | str) -> Chooser:
    """Grabs as soon as it can; places cubes on targets more often than not."""
    chooser = random.Random(seed)

    def choose(game: Oracle) -> int:
        legal = game.legal()
        wanted = {TOGGLE_FIRST + dot for dot in game.targets ^ game.cubes[game.to_move]} & legal
        if GRAB in legal and chooser.random() < 0.7:
            return GRAB
        return chooser.choice(sorted(wanted if wanted and chooser.random() < 0.7 else legal))

    return choose


CHOOSERS: dict[str, Callable[[int | str], Chooser]] = {"random": at_random, "hasty": hasty}


def float32(value: str | Fraction) -> float:
    """Returns the 32-bit float nearest to a quotient."""
    return float(np.float32(float(Fraction(value))))


def dots(text: str) -> set[int]:
    return {int(digit) for digit in text if digit != "-"}


# --------------------------------------------------------------------------------------------------- board and coins


@pytest.mark.parametrize(
    ("n", "coins"), [(2, {1}), (3, {1, 2}), (4, {1, 2, 3}), (5, {*range(1, 5)}), (6, {*range(1, 6)})]
)
def test_vector_1_coins(n: int, coins: set[int]) -> None:
    game = new_game(3, num_players=n, two_player=n == 2)
    assert set(game.coins_left) == coins
    assert game.coins == [0] * n and game.points == [0] * n and game.cubes == [set()] * n  # SM-06, SM-24


def test_vector_2_board() -> None:
    colours = oracle.colours_of(options())
    assert [colours[field] for field in (0, 1, 2, 3, 39, 40)] == [0, 1, 2, 0, 0, 1]
    for last_field in (39, 41):
        with pytest.raises(ValueError, match="last_field"):
            options(last_field=last_field)


def test_vector_3_colour() -> None:
    assert oracle.colour_in_play(options(), [7, 4, 7, 2]) == oracle.BLUE


# ------------------------------------------------------------------------------------------------------ legal actions

# Number | position | legal actions of seat 0
LEGAL = [
    (4, "number=2", LOOKS | TOGGLES | {WAIT}, 19),
    (5, "number=2 cubes=35/-/-/-", LOOKS | {12, 14, GRAB, WAIT}, 13),
    (6, "number=3 cubes=0/-/-/-", LOOKS | TOGGLES | {WAIT}, 19),
    (6, "number=3 cubes=0/-/-/- grab_rule=any", LOOKS | TOGGLES | {WAIT, GRAB}, 20),
    (8, "number=3 cubes=01/-/-/- mode=pixels", TOGGLES | {WAIT}, 10),
]


@pytest.mark.parametrize(("number", "line", "legal", "count"), LEGAL)
def test_vectors_4_to_8_legal(number: int, line: str, legal: set[int], count: int) -> None:
    game = at(line)
    assert game.legal() == game.legal_of(0) == legal and len(legal) == count
    before = game.position()
    for other in set(range(-3, 40)) - legal:  # SM-39
        with pytest.raises(ValueError, match="not a legal action"):
            game.step(other)
        assert game.position() == before


def test_vector_7_coin_held() -> None:
    game = at("number=3 coins=0/3/2/0 cubes=-/012/345/-")
    assert game.legal_of(2) == game.legal_of(1) == {WAIT}
    assert game.seats_without_coin() == [0, 3]
    assert do(game, "wait").to_move == 3
    do(game, "toggle 1")
    assert (game.to_move, game.tick) == (0, 2) and game.cubes == [set(), {0, 1, 2}, {3, 4, 5}, {1}]  # SM-43


def test_vector_36_order_in_the_tick() -> None:
    game = at("coins=0/3/0/0 cubes=-/012/-/-")
    asked = []
    for _ in range(6):
        asked.append(game.to_move)
        do(game, "wait")
    assert asked == [0, 2, 3, 0, 2, 3]


# ------------------------------------------------------------------------------------------------------------- ticks


def test_vector_9_grabs() -> None:
    game = do(at("cubes=012/-/012/034", "2013"), "grab, look 4, grab, grab")
    assert game.last is not None and game.last.coins == [2, 0, 3, 1]
    assert game.round_no == 2 and game.tick == 1


def test_vector_10_one_grab_too_many() -> None:
    game = do(at("num_players=3 cubes=012/345/678", "120"), "grab, grab, grab")
    assert game.last is not None and game.last.coins == [0, 2, 1]
    assert game.round_no == 2


def test_vector_11_cubes_before_grabs() -> None:
    line = "num_players=3 number=2 targets=24 coins=0/0/2 cubes=13/2/45"
    game = do(at(line, "012"), "grab, toggle 4")
    assert game.last is not None and game.last.coins == [1, 0, 2]
    assert game.last.cubes[1] == {2, 4} and game.last.points == [0, 2, 1]


def test_vector_12_cube_taken_back() -> None:
    game = do(at("num_players=3 number=2 coins=0/0/2 cubes=13/24/45"), "wait, toggle 4")
    assert game.cubes[1] == {2} and (game.round_no, game.tick) == (1, 2)


def test_vector_19_tick_cap() -> None:
    line = "tick=40 coins=0/0/3/0 targets=012 cubes=01/6/012/012"
    game = do(at(line), "wait, toggle 2, wait")
    assert game.last is not None and game.last.coins == [0, 0, 3, 0]
    assert game.last.points == [2, 1, 6, 3] and game.points == [2, 1, 6, 3]
    assert (game.round_no, game.tick) == (2, 1) and game.coins_left == [1, 2, 3]  # SM-55


# ----------------------------------------------------------------------------------------------------------- scoring

# Number | targets | cubes | coin | options | points
SCORES: list[tuple[int, str, str, int, dict[str, Any], int]] = [
    (13, "047", "047", 2, {}, 5),
    (14, "047", "048", 3, {}, 2),
    (15, "047", "047", 0, {}, 3),
    (15, "047", "047", 0, {"coinless": "nothing"}, 0),
    (16, "0123", "3", 0, {}, 1),
    (17, "01", "56", 3, {}, 0),
    (18, "02468", "02468", 5, {"num_players": 6}, 10),
]


@pytest.mark.parametrize(("number", "targets", "cubes", "coin", "chosen", "points"), SCORES)
def test_vectors_13_to_18_points(
    number: int, targets: str, cubes: str, coin: int, chosen: dict[str, Any], points: int
) -> None:
    assert oracle.points_of(options(**chosen), len(targets), dots(targets), dots(cubes), coin) == points


def test_fewer_cubes_do_not_earn_the_coin() -> None:  # SM-36 'any', SM-50
    assert oracle.points_of(options(grab_rule="any"), 3, {0, 4, 7}, {0, 4}, 3) == 2


def test_vector_20_last_round() -> None:
    points = [oracle.points_of(options(), 3, {0, 1, 2}, dots(c), k) for c, k in (("045", 0), ("012", 2), ("012", 3))]
    assert points == [1, 5, 6]
    line = "positions=38/37/36/30 targets=012 coins=0/2/3/0 cubes=045/012/012/0"
    game = do(at(line, "3012"), "wait, toggle 1")
    game.cubes[3] = {0, 1, 8}
    do(game, "wait, grab")
    assert game.last is not None and game.last.points == [1, 5, 6, 2] and game.last.coins == [0, 2, 3, 1]
    assert game.done and game.points == [39, 42, 42, 32] and game.winners == {2}
    assert game.rewards == [float32("-1/3")] * 2 + [1.0, float32("-1/3")]
    assert game.legal() == set() and game.legal_of(2) == set()


# Number | positions | coins of the last round | options | winners
ENDS: list[tuple[int, list[int], list[int], dict[str, Any], set[int]]] = [
    (20, [39, 42, 42, 32], [0, 2, 3, 1], {}, {2}),
    (21, [42, 42, 30], [0, 1, 2], {}, {1}),
    (22, [41, 43, 40], [2, 0, 1], {}, {1}),
    (22, [41, 43, 40], [2, 0, 1], {"finish": "coin"}, {0}),
    (23, [44, 44, 10, 9], [0, 0, 0, 0], {}, {0, 1}),
    (24, [12, 15, 15], [2, 0, 1], {}, {2}),
    (24, [12, 15, 15], [2, 0, 1], {"finish": "coin"}, {2}),  # SM-61: with 'farthest'
    (22, [39, 43, 40], [2, 0, 0], {"finish": "coin"}, {1}),  # no coin at or beyond L: the position
    (22, [39, 43, 43], [2, 0, 0], {"finish": "coin"}, {1, 2}),
]


@pytest.mark.parametrize(("number", "positions", "coins", "chosen", "winners"), ENDS)
def test_vectors_20_to_24_winners(
    number: int, positions: list[int], coins: list[int], chosen: dict[str, Any], winners: set[int]
) -> None:
    assert oracle.winners_of(options(num_players=len(positions), **chosen), positions, coins) == winners


@pytest.mark.parametrize(
    ("positions", "coins", "chosen", "places"),
    [
        ([39, 42, 42, 32], [0, 2, 3, 1], {}, [3, 2, 1, 4]),
        ([44, 10, 10, 10], [3, 1, 1, 2], {}, [1, 3, 3, 2]),
        ([44, 44, 10, 9], [0, 0, 0, 0], {}, [1, 1, 3, 4]),
        ([41, 43, 43, 3], [3, 0, 2, 1], {"finish": "coin"}, [1, 3, 2, 4]),
    ],
)
def test_ranks(positions: list[int], coins: list[int], chosen: dict[str, Any], places: list[int]) -> None:  # SM-62
    assert oracle.ranks_of(options(**chosen), positions, coins) == places


def test_vector_23_together() -> None:
    line = "tick=40 positions=43/43/10/9 targets=012 cubes=0/1/8/7"
    game = do(at(line), "wait, wait, wait, wait")
    assert game.done and game.points == [44, 44, 10, 9] and game.winners == {0, 1}
    assert game.rewards == [float32(value) for value in ("1/3", "1/3", "-1/3", "-1/3")]


def test_vector_24_deck_exhausted() -> None:
    used = ",".join(map(str, range(42)))
    line = f"num_players=3 used={used} card=41 positions=9/12/14 targets=012 coins=0/0/1 cubes=012/012/03"
    assert not do(
        at(line.replace("41 ", "40 ").replace(",41", "").replace("/0/1", "/0/0"), "0"), "wait, wait, wait"
    ).done
    line = f"num_players=3 used={used} card=41 positions=9/12/14 targets=012 coins=2/0/0 cubes=013/012/03"
    game = at(line, "2")
    game.cubes[2] = {0, 5, 6}
    do(game, "look 1, grab")
    assert game.done and game.points == [11, 15, 15] and game.last is not None and game.last.coins == [2, 0, 1]
    assert game.winners == {2} and game.used == set(range(42))


def test_vector_25_win_share() -> None:
    third = float32("-1/3")
    assert oracle.win_share(4, {2}) == [third, third, 1.0, third]
    assert oracle.win_share(5, {0, 1}) == [0.375, 0.375, -0.25, -0.25, -0.25]
    assert oracle.win_share(3, {0, 1, 2}) == [0.0, 0.0, 0.0]


def test_vector_26_points_reward() -> None:
    assert oracle.points_reward(options(reward="points"), [5, 0, 10, 3]) == [0.5, 0.0, 1.0, float32("3/10")]
    game = do(at("tick=40 reward=points targets=012 cubes=0/12/8/-"), "wait, wait, wait, wait")
    assert not game.done and game.rewards == [float32(value) for value in ("1/10", "2/10", "0", "0")]
    assert do(game, "wait").rewards == [0.0] * 4


# ---------------------------------------------------------------------------------------------------------- evidence

# Number | looked at | visibility | target | z | periphery | change
CHANGES = [
    (27, True, 0.5, True, 0.0, 0.25, 3.0),
    (27, True, 0.5, True, -1.0, 0.25, 0.5505),
    (28, True, 0.2, False, 0.5, 0.25, -0.4254),
    (39, False, 0.5, True, 0.0, 0.25, 0.75),
    (39, False, 0.5, True, -1.0, 0.25, -0.4747),
    (39, False, 0.5, True, 0.0, 0.0, 0.0),
    (39, False, 0.5, True, -1.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("number", "looked_at", "v", "is_target", "z", "periphery", "change"), CHANGES)
def test_vectors_27_28_39_changes(
    number: int, looked_at: bool, v: float, is_target: bool, z: float, periphery: float, change: float
) -> None:
    found = oracle.added_evidence(6.0, periphery, looked_at, v, is_target, z)
    assert type(found) is np.float32 and float(found) == pytest.approx(change, abs=5e-5)


def test_vector_29_posterior() -> None:
    chances = oracle.posterior([math.log(4), *[0.0] * 8], 2)
    for dot in range(9):
        expected = 8 / 15 if dot == 0 else 11 / 60
        assert sum(p for found, p in chances.items() if dot in found) == pytest.approx(expected)


def test_vector_30_no_evidence() -> None:
    for number, count in ((2, 36), (3, 84), (4, 126), (5, 126)):
        chances = oracle.posterior([0.0] * 9, number)
        assert len(chances) == count and list(chances.values()) == pytest.approx([1 / count] * count)
    assert -math.log(1 / max(oracle.posterior([0.0] * 9, 3).values()) - 1) == pytest.approx(-4.4188, abs=5e-5)


@pytest.mark.parametrize(("number", "hits"), [(2, 0.4444), (3, 1), (4, 1.7778), (5, 2.7778)])
def test_vector_31_guesses(number: int, hits: float) -> None:
    targets = set(range(number))
    chosen = options(coinless="scores")
    points = [oracle.points_of(chosen, number, targets, set(c), 0) for c in itertools.combinations(range(9), number)]
    assert sum(points) / len(points) == pytest.approx(hits, abs=5e-5)


def test_vector_34_wrong_signs() -> None:
    """The table of normal numbers says how often one look points the wrong way about its dot."""
    table = np.array(oracle.normals(), np.float32)
    for v, expected in ((0.2, 0.2193), (0.5, 0.1103), (1.0, 0.0416)):
        mean = np.float32(6) * np.float32(v)
        wrong = np.mean(mean + np.sqrt(np.float32(2) * mean) * table < 0)
        assert wrong == pytest.approx(expected, abs=1e-4)
        assert float(oracle.added_evidence(6.0, 0.25, True, v, True, float(table[100]))) == (
            float(mean + np.sqrt(np.float32(2) * mean) * table[100])
        )


def test_normals_follow_the_law() -> None:  # 4.2: within 1e-4
    law = NormalDist()
    found = oracle.normals()
    assert len(found) == 65536 and found == sorted(found)
    for place in range(0, 65536, 37):
        assert found[place] == pytest.approx(law.inv_cdf((place + 0.5) / 65536), abs=1e-4)
        assert law.cdf(found[place]) == pytest.approx(place / 65536, abs=1e-4)


def test_vector_40_law_of_sums() -> None:
    """Two looks at a dot and three elsewhere: mean 8.25 and variance 16.5 over many seats' noise."""
    sums = []
    for seed in range(600):
        game = at(f"num_players=3 seed={seed} targets=012")
        for dot in (0, 0, 5, 1, 8):
            do(game, f"look {dot}, look {dot}, look {dot}")
        assert game.looks == [[2, 1, 0, 0, 0, 1, 0, 0, 1]] * 3
        sums += [float(game.evidence[seat][0]) for seat in range(3)]
    assert np.mean(sums) == pytest.approx(8.25, abs=4 * math.sqrt(16.5 / len(sums)))
    assert np.var(sums) == pytest.approx(16.5, abs=4 * 16.5 * math.sqrt(2 / len(sums)))


def test_vector_41_observed_evidence() -> None:
    shown = [oracle.shown_evidence(value) for value in (3.0, -0.4254, 25.0, -25.0)]
    assert shown == [18, -3, 120, -120]


def test_looks_are_private_and_change_nothing_else() -> None:  # SM-31, SM-28
    one, other = (do(at("seed=77 num_players=3"), f"look 4, {second}, wait") for second in ("look 2", "toggle 8"))
    assert one.evidence[0] == other.evidence[0] and one.looks[0] == other.looks[0] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert one.evidence[1] != other.evidence[1] == [np.float32(0)] * 9
    assert all(value != 0 for value in one.evidence[0])
    dark = do(at("seed=77 num_players=3 periphery=0"), "look 4, wait, wait")
    assert [dot for dot in range(9) if dark.evidence[0][dot] != 0] == [4]
    assert dark.evidence[0][4] == one.evidence[0][4] and one.cubes == dark.cubes == [set()] * 3


def test_looks_follow_the_generator() -> None:
    """One look by hand: words, halves, table and 32-bit floats."""
    game = do(at("seed=9 round=5 num_players=3 targets=024 looks=0/0,0,0,3,0,0,0,0,0/0"), "wait, look 3, wait")
    first = ((9 * 1 + 3) * 128 + 4) * 2
    words = [int(w) for j in (first, first + 1) for w in rng.block(np.uint64(9), rng.GAME_STREAMS + 2, 5, j)]
    for dot in range(9):
        half = words[dot // 2] >> 16 if dot % 2 else words[dot // 2] & 0xFFFF
        z = np.float32(oracle.normals()[half])
        mean = np.float32(3.0) if dot == 3 else np.float32(0.75)
        expected = (mean if dot in (0, 2, 4) else -mean) + np.sqrt(np.float32(2) * mean) * z
        assert game.evidence[1][dot] == expected


# ------------------------------------------------------------------------------------------------------------ the deck


def edges(shape: set[tuple[int, int]], union: set[tuple[int, int]]) -> Fraction:
    """Returns the visibility of a shape by 4.1."""
    pairs = [(x + dx, y + dy) for x, y in shape for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    outside = [pair for pair in pairs if pair not in shape]
    return Fraction(sum(pair not in union for pair in outside), len(outside))


def box(x0: int, x1: int, y0: int, y1: int) -> set[tuple[int, int]]:
    return {(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)}


def test_vector_32_visibility() -> None:
    one, other = box(2, 5, 2, 5), box(4, 7, 2, 5)
    assert edges(one, one | other) == edges(other, one | other) == Fraction(3, 4)
    assert edges(one, one) == 1


# Whether a point of the box 0 to 100 is inside a shape (7.3).


def in_ellipse(x: float, y: float, cx: float, cy: float, rx: float, ry: float) -> bool:
    return ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1


def in_ring(x: float, y: float) -> bool:  # a 50 50 20 10 0 360
    return abs(math.hypot(x - 50, y - 50) - 20) <= 5


def in_tooth(x: float, y: float) -> bool:  # r 42 2 58 24 2
    # With rounded corners: within 2 of the rectangle that is smaller by 2.
    return math.hypot(max(44 - x, 0, x - 56), max(4 - y, 0, y - 22)) <= 2


def in_gear(x: float, y: float) -> bool:
    inside = in_ellipse(x, y, 50, 50, 35, 35)
    for turn in range(8):
        angle = turn * math.pi / 4
        a, b = x - 50, y - 50
        inside |= in_tooth(
            50 + a * math.cos(angle) + b * math.sin(angle), 50 - a * math.sin(angle) + b * math.cos(angle)
        )
    return inside and not in_ellipse(x, y, 50, 50, 15, 15)


def count_cells(is_inside: Callable[[float, float], bool], side: int) -> int:
    centres = [(cell + 0.5) * 100 / side for cell in range(side)]
    return sum(is_inside(x, y) for y in centres for x in centres)


def test_vector_35_drawings() -> None:
    assert [count_cells(lambda x, y: in_ellipse(x, y, 50, 50, 30, 30), side) for side in (96, 128)] == [2608, 4628]
    assert [count_cells(in_ring, side) for side in (96, 128)] == [1156, 2068]
    assert count_cells(in_gear, 128) == 7844 == int(deck.masters()[1, 2].sum())


def test_vector_33_triples() -> None:
    """The cards of two generated decks have the ten triples and nothing else (SM-14)."""
    cards = [card for seed in ("standard", 7) for card in oracle.cards_of(options(deck=seed), 0)]
    triples = {(2, 2, 5), (2, 5, 2), (5, 2, 2), (3, 3, 3), *itertools.permutations((2, 3, 4))}
    assert len(triples) == 10 and {sum(triple) for triple in triples} == {9}
    shares = Counter(number for triple in triples for number in triple)
    assert [shares[number] / 30 for number in (2, 3, 4, 5)] == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert {tuple(card.numbers) for card in cards} == triples
    for card in cards:  # SM-11, SM-12, SM-13
        assert len(set(card.letters)) == 3 and card.numbers == [len(answer) for answer in card.answers]
        assert all(0 < v <= 1 for row in card.visibility for v in row)


def test_card_check() -> None:
    cards = oracle.cards_of(options(), 0)
    assert len(cards) == 42  # SM-15

    def name(card: oracle.Card) -> str:
        return " ".join(f"{'ABCDEFGHIJ'[x]}{y}" for x, y in zip(card.letters, card.numbers, strict=True))

    assert [name(card) for card in cards[:3]] == ["C5 I2 J2", "A5 J2 D2", "I4 J2 H3"]
    assert cards[0].answers[0] == {2, 5, 6, 7, 8}
    assert int(deck.find("standard").shadows[0].sum()) == 3199


def test_fresh_decks_depend_on_the_game() -> None:
    one, other = (oracle.cards_of(options(deck="fresh"), seed) for seed in (1, 2))
    assert len(one) == len(other) == 42 and [c.letters for c in one] != [c.letters for c in other]
    game = new_game(1, deck="fresh")
    assert game.cards == one and game.targets == {game.objects.index(thing) for thing in one[game.card].answers[0]}


@pytest.mark.parametrize("name", oracle.OTHER_DECKS)
def test_other_decks(name: str) -> None:
    cards = oracle.cards_of(options(deck=oracle.deck_file(name)), 0)
    assert len(cards) == oracle.OTHER_DECKS[name].count("[[card]]")
    assert {v for card in cards for row in card.visibility for v in row} == {0.5}


def test_deals_follow_the_generator() -> None:  # SM-16, SM-17, SM-20, SM-21
    cards = oracle.cards_of(options(), 0)
    firsts = set()
    for seed in (*range(30), 2**64 - 1):
        game = new_game(seed)
        order, things = np.arange(42, dtype=np.uint8), np.arange(9, dtype=np.int8)
        rng.shuffle(np.uint64(seed), rng.GAME_STREAMS, 0, order)
        choose = hasty(seed)
        for number in (1, 2, 3):
            things = np.arange(9, dtype=np.int8)
            rng.shuffle(np.uint64(seed), rng.GAME_STREAMS + 1, number, things)
            card = cards[order[number - 1]]
            assert game.round_no == number and game.card == order[number - 1]
            assert game.colour == max(game.points) % 3  # SM-08
            assert game.objects == things.tolist() and game.number == card.numbers[game.colour]
            assert game.targets == {dot for dot in range(9) if things[dot] in card.answers[game.colour]}
            assert game.visibility == [card.visibility[game.colour][thing] for thing in things]
            while game.round_no == number and not game.done:
                game.step(choose(game))
            if game.done:
                break
        firsts.add(int(order[0]))
    assert len(firsts) > 15


# -------------------------------------------------------------------------------------------------------------- pocket


def best_set(evidence: dict[int, int]) -> list[int]:
    """Returns the more probable two dots, the more probable one first."""
    return sorted(range(4), key=lambda dot: (-evidence.get(dot, 0), dot))[:2]


class Reference:
    """R_k: looks once at dots 0 to k - 1, places the more probable set, grabs at tick k + 3 (section 10)."""

    def __init__(self, k: int) -> None:
        self.k = k

    def action(self, game: Oracle) -> int:
        seat, tick = game.to_move, game.tick
        if tick <= self.k:
            return LOOK_FIRST + tick - 1
        if tick == self.k + 3:
            return GRAB
        evidence = {dot: int(np.sign(game.evidence[seat][dot])) for dot in range(4)}
        return TOGGLE_FIRST + best_set(evidence)[tick - self.k - 1]


def margins(first: int, second: int) -> tuple[Fraction, Fraction, Fraction]:
    """Returns mean points margin, mean hits of the first seat, and how often both its cubes are right."""
    chances = (Fraction(1, 10), Fraction(9, 10))
    margin = hits = both = total = Fraction(0)
    for targets in itertools.combinations("0123", 2):
        for outcomes in itertools.product((False, True), repeat=first + second):
            for order in ("01", "10") if first == second else ("01",):
                weight = Fraction(1, 6)
                for outcome in outcomes:
                    weight *= chances[outcome]
                game = at(f"variant=pocket num_players=2 reward=points targets={''.join(targets)}", order)
                places = [(0, dot) for dot in range(first)] + [(1, dot) for dot in range(second)]
                game.right = dict(zip(places, outcomes, strict=True))
                policies = (Reference(first), Reference(second))
                while not game.done:
                    game.step(policies[game.to_move].action(game))
                weight /= 2 if first == second else 1
                assert game.last is not None
                assert game.rewards[0] == float32(Fraction(game.points[0] - game.points[1], 3)) == -game.rewards[1]
                found = len(game.last.cubes[0] & game.last.targets)
                margin += weight * (game.points[0] - game.points[1])
                hits += weight * found
                both += weight * (found == 2)
                total += weight
    assert total == 1
    return margin, hits, both


@pytest.mark.parametrize(("k", "hits", "both"), [(0, 1, 1 / 6), (1, 1.2667, 0.3), (2, 1.5333, 0.54), (3, 1.752, 0.756)])
def test_vector_37_pocket_hits(k: int, hits: float, both: float) -> None:
    found = margins(k, k)
    assert found[0] == 0
    assert float(found[1]) == pytest.approx(hits, abs=5e-5) and float(found[2]) == pytest.approx(both, abs=5e-5)


@pytest.mark.parametrize(
    ("first", "second", "margin"),
    [(0, 1, -0.1), (1, 2, 0.0333), (2, 3, 0.3213), (0, 2, 0.2667), (0, 3, 1.1667), (1, 3, 0.6427)],
)
def test_vector_38_pocket_margins(first: int, second: int, margin: float) -> None:
    assert float(margins(first, second)[0]) == pytest.approx(margin, abs=5e-5)
    assert margins(second, first)[0] == -margins(first, second)[0]


def test_pocket() -> None:
    """Section 10: set-up, actions, looks that are right nine times of ten, target sets equally often."""
    sets: Counter[frozenset[int]] = Counter()
    right = 0
    for seed in range(600):
        game = new_game(seed, **POCKET)
        assert game.number == 2 and len(game.targets) == 2 and max(game.targets) < 4 and game.coins_left == [1]
        assert game.legal() == {*range(4), *range(9, 13), WAIT}
        sets[frozenset(game.targets)] += 1
        do(game, "look 1, toggle 3")
        assert game.evidence[1] == [0] * 9 and [dot for dot in range(9) if game.evidence[0][dot]] == [1]
        assert abs(game.evidence[0][1]) == np.float32(math.log(9))
        right += (game.evidence[0][1] > 0) == (1 in game.targets)
        do(game, "wait, toggle 1, wait, grab")
        assert game.done and game.round_no == 1 and game.last is not None and game.last.coins == [0, 1]
        assert game.points == game.last.points == [0, 3 if game.last.targets == {1, 3} else game.last.points[1]]
    assert len(sets) == 6 and min(sets.values()) > 100 - 4 * math.sqrt(600 * 5 / 36)
    assert right / 600 == pytest.approx(0.9, abs=4 * 0.3 / math.sqrt(600))
    assert do(new_game(3, **POCKET), ", ".join(["wait"] * 14)).done  # T = 7


# ------------------------------------------------------------------------------------------------- invariants and masks


def check_invariants(game: Oracle) -> None:
    n, number = game.n, game.number
    assert len(game.targets) == number and sorted([*game.coins_left, *filter(None, game.coins)]) == [*range(1, n)]
    taken = {coin for coin in game.coins if coin}
    assert not taken or min(taken) > max(game.coins_left, default=0)  # SM-41
    for seat in range(n):
        assert len(game.cubes[seat]) <= number and (game.coins[seat] > 0) == (game.grab_ticks[seat] > 0)
        if game.coins[seat] and game.options.grab_rule == "exact":
            assert len(game.cubes[seat]) == number  # SM-36, SM-43
        assert game.done or game.coins[seat] or WAIT in game.legal_of(seat)  # SM-38
    if game.done:
        assert game.winners and game.legal() == set() and game.tick == 0
    else:
        assert 1 <= game.tick <= game.options.tick_cap and game.coins[game.to_move] == 0
        assert game.commits[game.to_move] is None and len(game.coins_left) >= 1
        assert max(game.points) < game.options.last_field  # SM-57
        assert game.is_pocket or game.card in game.used


@pytest.mark.parametrize("style", CHOOSERS)
@pytest.mark.parametrize("label", oracle.option_sets())
def test_option_sets(label: str, style: str) -> None:
    """A game keeps what never changes; set up again from its position after every action it goes on as itself."""
    game = new_game(21, **oracle.option_sets()[label])
    choose = CHOOSERS[style](label)
    total = np.zeros(game.n)
    actions = 0
    while not game.done:
        check_invariants(game)
        chosen = choose(game)
        position = game.position()
        again = Oracle.from_position(notation.parse(position.text()))
        assert again.position() == position and again.legal() == game.legal()
        before, previous = game.last, list(game.points)
        game.step(chosen)
        again.step(chosen)
        assert again.position() == game.position()
        assert (again.points, again.winners, again.done) == (game.points, game.winners, game.done)
        total += game.rewards
        actions += 1
        if game.last is not before:
            assert game.last is not None
            gained = [now - then for now, then in zip(game.points, previous, strict=True)]
            assert gained == game.last.points and max(gained) <= 5 + game.n - 1  # SM-54
    check_invariants(game)
    if game.options.reward == "win_share":
        assert total.tolist() == oracle.win_share(game.n, game.winners)
    elif not game.is_pocket:
        assert total * 10 == pytest.approx(game.points, abs=1e-4)
    rounds = (
        1 if game.is_pocket else game.options.max_rounds if game.options.deck_end == "reshuffle" else len(game.cards)
    )
    assert game.round_no <= rounds and actions <= rounds * game.options.tick_cap * game.n


def test_option_sets_are_many() -> None:
    chosen = [options(**entry) for entry in oracle.option_sets().values()]
    assert len(set(chosen)) == len(chosen)
    assert {entry.num_players for entry in chosen} == {2, 3, 4, 5, 6}
    seen = {(name, str(getattr(entry, name))) for entry in chosen for name in entry.__dataclass_fields__}
    for name, field in ShadowMasterOptions.__dataclass_fields__.items():
        for choice in field.metadata["option"].choices:
            assert (name, choice) in seen
        assert len({value for other, value in seen if other == name}) > 1


@pytest.mark.parametrize("label", oracle.option_sets())
def test_all_seats_at_once(label: str) -> None:
    """The ParallelEnv against the oracle: masks of every seat, rewards of a tick, the state after it, who has won."""
    env = TickEnv("shadow_master", **oracle.option_sets()[label])
    table = env.table
    agents = env.possible_agents
    for seed, style in enumerate(CHOOSERS):
        observations, _ = env.reset(seed=seed)
        game = Oracle(table.options)
        game.deal(int(table.get_state()["seed"][0]))
        choose = CHOOSERS[style](label)
        for _ in range(few(150, 15)):
            for seat, agent in enumerate(agents):
                mask = observations[agent]["action_mask"]
                assert set(np.flatnonzero(mask).tolist()) == game.legal_of(seat)
            chosen = dict.fromkeys(agents, WAIT)  # SM-29
            rewards = [0.0] * game.n
            for seat in game.seats_without_coin():
                assert game.to_move == seat
                chosen[agents[seat]] = choose(game)
                game.step(chosen[agents[seat]])
                rewards = [sum(pair) for pair in zip(rewards, game.rewards, strict=True)]
            observations, paid, ended, _, infos = env.step(chosen)
            assert list(paid.values()) == rewards and set(ended.values()) == {game.done}
            assert same(table.game.parse_position(game.position().text())[1], table.get_state())
            if game.done:
                for info in infos.values():
                    assert (info["points"], set(info["winners"])) == (game.points, {agents[s] for s in game.winners})
                break


def test_vectors_are_all_here() -> None:
    found: set[int] = set()
    for name in globals():
        if name.startswith("test_vector"):
            numbers = [int(number) for number in re.findall(r"\d+", name)]
            found |= set(range(numbers[0], numbers[-1] + 1)) if "_to_" in name else set(numbers)
    assert found >= set(range(1, 42))
