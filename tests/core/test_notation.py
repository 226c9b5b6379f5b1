"""What the text forms of all games share."""

from __future__ import annotations

import re
from typing import Any

import pytest

from shadowenvs import notation
from shadowenvs.games.shadow_cards.notation import parse, parse_card, parse_cards
from shadowenvs.games.shadow_cards.spec import ShadowCardsOptions
from tests.core.test_game import SomeOptions


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seed", "'seed' is not a word of a position; keys are hands, seed, num_players, rounds, target"),
        ("colour=red", "'colour=red' is not a word of a position"),
        ("seed=1 seed=2", "'seed' stands twice in the position"),
        ("num_players=3 num_players=3", "'num_players' stands twice in the position"),
        ("num_players=x", "num_players must be a number, not 'x'"),
        ("num_players=9", "num_players must be between 2 and 6, not 9"),
        ("strict=yes", "strict must be True or False, not 'yes'"),
        ("noise=x", "noise must be a number, not 'x'"),
        ("tie=some", "unknown tie 'some'"),
    ],
)
def test_bad_lines(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        notation.split_words(line, ["seed", "hands"], SomeOptions)


@pytest.mark.parametrize(
    "chosen",
    [{}, {"num_players": 2}, {"tie": "none"}, {"strict": True, "noise": 1.25, "reward": "score"}, {"target": 40}],
)
def test_options_in_lines(chosen: dict[str, Any]) -> None:
    """Those that differ from the defaults of their number of players."""
    options = SomeOptions.make(**chosen)
    line = notation.join_words({"seed": "5", "hands": "a/b"}, options)
    words, read = notation.split_words(line, ["seed", "hands"], SomeOptions)
    assert words == {"seed": "5", "hands": "a/b"} and read == options
    shown = [word.partition("=")[0] for word in line.split()]
    assert shown[0] == "num_players" and shown[-2:] == ["seed", "hands"]
    assert set(shown) == {"num_players", "seed", "hands", *chosen} and len(shown) == len(set(shown))


def test_numbers_and_seats() -> None:
    assert notation.whole_number("trick", "7", 0, 9) == 7
    for text, message in (
        ("x", "trick must be a whole number, not 'x'"),
        ("10", "trick must be between 0 and 9, not 10"),
        ("-1", "trick must be between 0 and 9, not -1"),
    ):
        with pytest.raises(ValueError, match=message):
            notation.whole_number("trick", text, 0, 9)
    assert notation.by_seat("hands", "a/-/c", 3) == ["a", "-", "c"]
    with pytest.raises(ValueError, match="hands must list 4 seats separated by '/', not 3"):
        notation.by_seat("hands", "a/-/c", 4)


@pytest.mark.parametrize("text", ["", "R", "R15", "X3", "3R", "R 3", "R3R4"])
def test_bad_cards(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        parse_card(text)


def test_lists_of_cards() -> None:
    assert parse_cards("R4Y1B14") == [4, 16, 59] and parse_cards("-") == []
    for text in ("R4,Y1", "R4Y", "4"):
        with pytest.raises(ValueError, match="is not a list of cards"):
            parse_cards(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hands=R1/R1/-/-", "card R1 lies in two places"),
        ("hands=R1/-/-/- played=R1/-/-/-", "card R1 lies in two places"),
        ("num_ranks=5 hand_size=3 hands=R5/-/-/-", "card R5 is not in a deck of this size"),
        ("num_ranks=5 hand_size=3 table=R5/-/-/-", "card R5 is not in a deck of this size"),
        ("hands=R1/R2/R3", "hands must list 4 seats"),
        ("phase=claimed", "phase must be one of predict, play, claim, end, not 'claimed'"),
        ("voids=X/-/-/-", "voids: 'X' is not a list of suits"),
        ("results=1:2/3:4/5:6/7:8", "results: '1:2' is not prediction:trick points:experience"),
        ("results=1:2:3/1:2:3/1:2:3/1:2:3", "results has 1 rounds, but 0 are finished"),
        ("leader=4", "leader must be between 0 and 3, not 4"),
        ("round=4", "round must be between 1 and 3, not 4"),
        ("trick=14", "trick must be between 0 and 13, not 14"),
        ("seed=-1", "seed must be between 0 and"),
    ],
)
def test_bad_positions_of_shadow_cards(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(line)


def test_incomplete_positions_are_filled_up() -> None:
    position = parse("phase=play leader=2 hands=R1/R2/R3/R4")
    assert position.options == ShadowCardsOptions.make()
    assert (position.lead, position.move, position.trick_no, position.round_no) == (2, 2, 1, 1)
    assert position.predictions == [set()] * 4 and position.table == [None] * 4
    position = parse("phase=end round=3 trick=13")
    assert position.move == 0
