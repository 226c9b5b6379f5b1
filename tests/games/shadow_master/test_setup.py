"""Seats, board, colours, cards and the start of a round (SM-01 to SM-26)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.errors import IllegalActionError
from shadowenvs.games.shadow_master import GAME, deck
from shadowenvs.games.shadow_master.notation import parse
from shadowenvs.games.shadow_master.spec import (
    LOOK_0,
    NUM_DOTS,
    STREAM_DECK,
    STREAM_DOTS,
    ShadowMasterOptions,
)
from tests.games.shadow_master.table import Table, few, scored

make = ShadowMasterOptions.make


@pytest.mark.rule("SM-01")
def test_seats() -> None:
    assert list(GAME.seats) == [3, 4, 5, 6]
    for n in GAME.seats:
        table = Table.dealt(1, f"num_players={n}")
        seats = []
        for _ in range(n):
            seats.append(table.now.move)
            table.wait()
        assert seats == list(range(n)) and table.now.move == 0
        assert sum(table.observed(0, "present")) == table.observed(0, "num_players") == n
    for n in (1, 7):
        with pytest.raises(ValueError, match=f"num_players must be between 3 and 6, not {n}"):
            make(num_players=n)


@pytest.mark.rule("SM-02")
def test_two_seats_need_their_option() -> None:
    with pytest.raises(
        ValueError, match="num_players must be between 3 and 6, not 2; 2 is possible with two_player=True"
    ):
        make(num_players=2)
    assert make(num_players=2, two_player=True).num_coins == 1
    assert make(num_players=2, variant="pocket", reward="points").num_coins == 1
    table = Table("num_players=2 two_player=True cubes=012/012").play("grab, grab")
    assert sorted(table.last_coins) == [0, 1]


@pytest.mark.rule("SM-03")
def test_length_of_the_board() -> None:
    assert make().last_field == 40 and len(make().colours) == 41
    assert not scored(3, "012", "012/-/-", "0/0/0", "positions=36/0/0").now.done
    assert scored(3, "012", "012/-/-", "0/0/0", "positions=37/0/0").now.done
    assert scored(3, "012", "012/-/-", "0/0/0", "positions=1/0/0 last_field=4").now.done


@pytest.mark.rule("SM-04")
def test_colours_of_the_fields() -> None:
    for field in range(1, 37):
        table = scored(3, "012", "-/-/-", "0/0/0", f"positions={field}/0/0")
        assert table.now.colour == field % 3
    table = scored(3, "012", "-/-/-", "0/0/0", "positions=1/0/0 last_field=4 field_colours=wywbb")
    assert table.now.colour == 2
    assert make(last_field=4, field_colours=["white", "yellow", "white", "blue", "blue"]).colours == [0, 2, 0, 1, 1]


@pytest.mark.rule("SM-05")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"last_field": 39}, "field 39 must be blue, not white"),
        ({"last_field": 4, "field_colours": "bwybb"}, "field 0 must be white, not blue"),
        ({"last_field": 4, "field_colours": "wwybw"}, "field 4 must be blue, not white"),
        ({"last_field": 4, "field_colours": "wb"}, "field_colours must name 5 fields"),
        ({"last_field": 4, "field_colours": "wrybb"}, "field_colours must be made of"),
        ({"last_field": 4, "field_colours": 7}, "field_colours must be 'cyclic' or"),
    ],
)
def test_other_boards_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(**given)


@pytest.mark.rule("SM-06", "SM-07", "SM-09")
def test_start_of_the_game() -> None:
    """All tokens share field 0, which is white."""
    table = scored(3, "012", "012/-/-", "0/0/0", "positions=30/20/10")
    table.batch.reset(1)
    now = table.now
    assert now.positions == [0, 0, 0] and now.colour == 0 and now.round_no == 1 and now.last is None
    assert now.number == deck.find("standard").numbers[now.card, 0]


@pytest.mark.rule("SM-07")
def test_tokens_may_meet() -> None:
    table = scored(3, "012", "012/0/-", "0/0/0", "positions=5/7/8")
    assert table.now.positions == [8, 8, 8]


@pytest.mark.rule("SM-08")
@pytest.mark.parametrize("seat", range(4))
def test_the_foremost_token_tells_the_colour(seat: int) -> None:
    positions = [4, 4, 4, 4]
    positions[seat] = 11
    table = scored(4, "012", "-/-/-/-", "0/0/0/0", f"positions={'/'.join(map(str, positions))}")
    assert table.now.colour == 2
    assert table.observed(seat, "colour") == [0, 0, 1]


@pytest.mark.rule("SM-10")
def test_picture_cards() -> None:
    pictures = deck.references()
    assert pictures.shape[:2] == (10, 9)
    for card in range(10):
        assert len({picture.tobytes() for picture in pictures[card]}) == 9
    table = Table.dealt(3)
    assert sorted(table.now.objects) == list(range(9))


@pytest.mark.rule("SM-11", "SM-12", "SM-14", "SM-15")
def test_shadow_cards() -> None:
    standard = deck.find("standard")
    assert standard.letters.shape == standard.numbers.shape == (42, 3)
    assert standard.letters.max() < 10
    for letters in standard.letters.tolist():
        assert len(set(letters)) == 3
    assert (standard.numbers.sum(axis=1) == 9).all()
    assert standard.numbers.min() == 2 and standard.numbers.max() == 5
    assert (standard.answers.sum(axis=2) == standard.numbers).all()
    assert int(Table("").batch.tables["num_cards"][0]) == 42


@pytest.mark.rule("SM-13")
def test_the_picture_is_the_union_of_its_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[tuple[int, int, Any]] = []
    place = deck.place

    def remember(letter: int, item: int, generator: np.random.Generator) -> Any:
        mask = place(letter, item, generator)
        placed.append((letter, item, mask))
        return mask

    monkeypatch.setattr(deck, "place", remember)
    letters, _, answers, _, picture = deck.draw_card(5, 3)
    wanted = [(letters[colour], item) for colour in range(3) for item in np.flatnonzero(answers[colour])]
    first = {(letter, item): mask for letter, item, mask in placed[:9]}
    assert sorted(first) == sorted(wanted)
    redrawn = {(letter, item): mask for letter, item, mask in placed if (letter, item) in first}
    assert (np.any(list(redrawn.values()), axis=0) == picture).all()


@pytest.mark.rule("SM-16", "SM-17")
def test_cards_come_in_the_order_of_one_shuffle() -> None:
    for seed in range(3):
        table = Table.dealt(seed, "last_field=118")
        cards = []
        for _ in range(few(20, 6)):
            cards.append(table.now.card)
            table.batch.set_states(_at_the_cap(table))
            table.wait(4)
        order = np.arange(42, dtype=np.uint8)
        rng.shuffle(np.uint64(table.now.seed), STREAM_DECK, 0, order)
        assert cards == order[: len(cards)].tolist()
        assert table.now.used == {*cards, table.now.card}


def _at_the_cap(table: Table) -> np.recarray:
    state = table.batch.get_states()
    state["tick"] = table.options.tick_cap
    return state


@pytest.mark.rule("SM-16")
def test_first_cards_are_uniform() -> None:
    num = few(4200, 420)
    counts = np.zeros(42)
    for seed in range(num):
        order = np.arange(42, dtype=np.uint8)
        rng.shuffle(np.uint64(seed), STREAM_DECK, 0, order)
        counts[order[0]] += 1
    assert ((counts - num / 42) ** 2 / (num / 42)).sum() < 41 + 4 * (2 * 41) ** 0.5


@pytest.mark.rule("SM-11", "SM-18", "SM-19")
def test_the_card_follows_the_colour_and_tells_number_and_letter() -> None:
    """The card comes from the deck whatever the colour, and its square of this colour counts."""
    standard = deck.find("standard")
    cards = set()
    for field in (0, 1, 2):
        table = scored(3, "012", "-/-/-", "0/0/0", f"positions={field}/0/0 seed=9")
        now = table.now
        cards.add(now.card)
        assert now.number == standard.numbers[now.card, field]
        assert table.observed(0, "number").index(1) + 1 == now.number
        assert table.observed(0, "letters") == standard.letters[now.card].tolist()
        assert table.observed(0, "numbers") == standard.numbers[now.card].tolist()
    assert len(cards) == 1
    # Before the round is over its successor is nowhere in the observation (SM-18).
    line = "used=0,5 card=5 positions=3/3/3/3"
    before, other = Table(f"{line} seed=1"), Table(f"{line} seed=2")
    assert before.batch.observations.tobytes() == other.batch.observations.tobytes()


@pytest.mark.rule("SM-20", "SM-21")
@pytest.mark.parametrize("field", [0, 1, 2])
def test_targets_are_the_answers_of_the_square(field: int) -> None:
    standard = deck.find("standard")
    seen = set()
    for seed in range(few(20, 5)):
        now = scored(3, "012", "-/-/-", "0/0/0", f"positions={field}/0/0 seed={seed}").now
        answers = set(np.flatnonzero(standard.answers[now.card, field]).tolist())
        assert {now.objects[dot] for dot in now.targets} == answers
        assert now.visibility == [float(standard.visibility[now.card, field, item]) for item in now.objects]
        seen.add(tuple(now.objects))
        objects = np.arange(NUM_DOTS, dtype=np.int8)
        rng.shuffle(np.uint64(seed), STREAM_DOTS, 2, objects)
        assert now.objects == objects.tolist()
    assert len(seen) > 1


@pytest.mark.rule("SM-22")
def test_printed_dots() -> None:
    standard = deck.find("standard")
    for seed in range(5):
        now = scored(3, "012", "-/-/-", "0/0/0", f"dots=printed seed={seed}").now
        assert now.objects == list(range(9))
        assert now.targets == set(np.flatnonzero(standard.answers[now.card, 0]).tolist())


@pytest.mark.rule("SM-23", "SM-24", "SM-55")
def test_every_round_starts_on_a_clear_table() -> None:
    line = "targets=012 coins=0/3/0/2 cubes=012/012/01/456 tick=9 looks=0/1,1,1,0,0,0,0,0,0/0/0"
    table = Table(line).play("grab, look 1")
    now = table.now
    assert now.round_no == 2 and now.tick == 1
    assert now.coins == [0] * 4 and now.cubes == [set()] * 4 and now.grab_ticks == [0] * 4
    assert not any(map(any, now.looks)) and not any(map(any, now.evidence))
    assert table.observed(2, "coins_left") == 3 and table.observed(2, "coins") == [0] * 6
    assert table.observed(2, "cubes") == [0] * 9 and table.observed(2, "evidence") == [0] * 9


@pytest.mark.rule("SM-25")
def test_what_is_public() -> None:
    """All seats are shown the same of the card and the table; in evidence mode neither objects nor visibilities."""
    table = Table("card=7 used=3,7 colour=yellow coins=0/3/0/0 cubes=-/123/-/- positions=2/5/3/3 round=2 tick=4")
    standard = deck.find("standard")
    for seat in range(4):
        assert table.observed(seat, "letters") == standard.letters[7].tolist()
        assert table.observed(seat, "numbers") == standard.numbers[7].tolist()
        assert table.observed(seat, "colour") == [0, 0, 1]
        assert table.observed(seat, "number") == [0, 0, 1, 0, 0]
        assert (table.observed(seat, "tick"), table.observed(seat, "round_no")) == (4, 2)
        assert table.observed(seat, "coins_left") == 2
        for name, values in (("coins", [0, 3, 0, 0]), ("positions", [2, 5, 3, 3])):
            assert table.observed(seat, name) == [values[(seat + place) % 4] for place in range(4)] + [0, 0]
    line = "card=7 targets=012 objects={} visibility={}"
    views = [
        Table(line.format(*pair)).batch.observations.tobytes()
        for pair in (("012345678", "1,1,1,1,1,1,1,1,1"), ("876543210", "0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"))
    ]
    assert views[0] == views[1]


@pytest.mark.rule("SM-26")
def test_targets_are_hidden() -> None:
    own = "evidence=1,2,3,0,0,0,0,0,0/0/0/0 looks=1,1,1,0,0,0,0,0,0/0/0/0"
    lines = [f"targets={targets} {own}" for targets in ("012", "678")]
    for seat in range(4):
        views = [Table(line).batch.observe(np.array([seat])).tobytes() for line in lines]
        assert views[0] == views[1]


@pytest.mark.rule("SM-39")
def test_illegal_actions_change_nothing() -> None:
    table = Table("cubes=012/-/-/-")
    before = table.now
    with pytest.raises(IllegalActionError, match=r"illegal action 12 .*toggle 3.* of seat 0"):
        table.play("toggle 3")
    assert table.now == before
    table.play("grab")
    with pytest.raises(IllegalActionError, match="grab"):
        table.play("grab")


def test_first_cards_of_many_games_differ() -> None:
    assert len({Table.dealt(seed).now.card for seed in range(20)}) > 5


def test_all_pairs_of_seats_see_the_same_table() -> None:
    """What one seat sees of the others is what they see of themselves, moved round the table."""
    table = Table("coins=0/3/0/0 cubes=-/123/-/- positions=2/5/3/4 last=012:01/345/-/8:1/3/0/2:2/0/0/0 round=2")
    for first, second in itertools.permutations(range(4), 2):
        for name in ("coins", "positions", "last_coins", "last_points", "last_cubes"):
            shown = [table.observed(seat, name)[:4] for seat in (first, second)]
            moved = [shown[0][(second - first + place) % 4] for place in range(4)]
            assert moved == shown[1]


def test_looks_have_numbers_below_toggles() -> None:
    assert LOOK_0 == 0 and parse("").number == 3
