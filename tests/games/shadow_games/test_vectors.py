"""Set-ups with known outcomes, by hand from the printed rules and our readings of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.games.shadow_games.table import Table, hands_of, rest, table

ARCHIVIST = {"pile": "TS HE", "top": "SC"}
TWENTY = rest("TS SC", "PO PO")
LOST_AND_REGAINED: dict[str, Any] = {
    "part": "A",
    "hands": ["PP PO", "TS TS"],
    "favours": {0: "5/1/1"},
    "top": "SC",
}
TO_AND_FRO = "skip, skip, play TS, declare TS, pass, skip, play PP, declare TS, pass"


@dataclass(frozen=True)
class Vector:
    """One row.

    Attributes:
        number: Of the row.
        clauses: Clauses that it shows.
        setup: Arguments of table().
        actions: Words, "" for none.
        favours: By seat afterwards.
        more: Other values afterwards, each by the name of an attribute or method of Table or Position.
    """

    number: int
    clauses: str
    setup: tuple[Any, ...]
    actions: str
    favours: dict[int, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def row(
    number: int,
    clauses: str,
    setup: tuple[Any, ...],
    actions: str,
    favours: dict[int, str] | None = None,
    options: dict[str, Any] | None = None,
    **more: Any,
) -> Vector:
    return Vector(number, clauses, setup, actions, favours or {}, more, options or {})


VECTORS = [
    row(1, "42 51 63", (2, "P", "TC PO TS"), "play TC, declare TC, pass", {0: "2/1/1"}, reserve="3/4/4", pile="TC"),
    row(1, "18", (2, "P", "TC PO TS"), "play TC, declare TC, pass", phase="play", move=0, agents=True, plotted=True),
    row(
        2,
        "43 62 65 101",
        (2, "P", "PO FS TS"),
        "play FS, declare TC, pass",
        {0: "2/1/1", 1: "0/1/1"},
        reserve="4/4/4",
        pile="FS",
    ),
    row(
        3,
        "44 47",
        (2, "P", "TC PO TS"),
        "play TC, declare TC, challenge, favour Union",
        {0: "2/2/1", 1: "1/0/1"},
        reserve="3/4/4",
    ),
    row(
        4,
        "45 47",
        (2, "P", "PO FS TS"),
        "play PO, declare TC, challenge, favour Guild",
        {0: "1/1/0", 1: "1/1/2"},
        reserve="4/4/4",
        pile="PO",
    ),
    row(
        5,
        "44 48",
        (2, "A", "TS PO"),
        "play TS, declare TS, challenge, favour Guild",
        {0: "2/1/2", 1: "0/0/0"},
        {"favours": {1: "1/0/0"}},
        reserve="4/5/4",
    ),
    row(
        6,
        "35 45 48",
        (2, "P", "PO FS TS"),
        "play PO, declare TC, challenge, favour Team",
        {0: "0/0/0", 1: "2/1/1"},
        {"favours": {0: "0/0/0"}},
        reserve="4/5/5",
    ),
    row(
        7,
        "48 101",
        (2, "P", "PO FS TS"),
        "play PO, declare TC, challenge",
        {1: "6/1/6"},
        {"favours": {0: "0/0/0", 1: "6/0/6"}},
        reserve="0/5/0",
        phase="play",
    ),
    row(
        8,
        "55 63",
        (2, "P", "TC PO TS"),
        "play TC, declare TC, pass",
        {0: "3/1/1"},
        {"favours": {0: "3/1/1", 1: "3/1/1"}},
        pile="TC",
        reserve="0/4/4",
    ),
    row(
        9,
        "38 103",
        (3, "P", "TC PO TS"),
        "play TC, declare TC",
        options={"favours": {1: "0/0/0"}},
        phase="challenge",
        move=2,
        legal=["pass", "challenge"],
    ),
    row(
        10,
        "38 41 65",
        (2, "P", "PO SH TS"),
        "play SH, declare TC",
        {0: "2/1/1"},
        {"favours": {1: "0/0/0"}},
        reserve="4/5/5",
        pile="SH",
        agents=True,
    ),
    row(
        11,
        "37 39 45",
        (4, "P", "PO FS TS"),
        "play PO, declare TC, pass, challenge",
        phase="take",
        move=2,
        legal=["favour Team", "favour Union", "favour Guild"],
        polls=[0, 1, 1, 0],
        passed={1},
    ),
    row(
        12,
        "32 55 66",
        (3, "A", "TS PO"),
        "play TS, declare TS, seat +2, pass, pass",
        {0: "1/1/1", 2: "0/2/1"},
        {"favours": {2: "0/2/1"}},
        actor=1,
        move=1,
    ),
    row(13, "69", (2, "P", "PO FS TS"), "play PO, declare PO, pass", shields={0}, reserve_tokens=1),
    row(
        14,
        "69",
        (2, "P", "PO FS TS"),
        "play PO, declare PO, pass",
        options={"shields": "0"},
        shields={0},
        reserve_tokens=1,
    ),
    row(
        15,
        "55 69",
        (2, "P", "PO FS TS"),
        "play PO, declare PO, pass",
        options={"shields": "1", "tokens": 1},
        shields={1},
        reserve_tokens=0,
    ),
    row(
        16,
        "76 77 82",
        (2, "A", "TS PO"),
        "play TS, declare TS, pass",
        {0: "1/1/1", 1: "1/1/1"},
        {"shields": "1"},
        reserve_tokens=2,
    ),
    row(
        17,
        "76 82",
        (2, "A", "SC PO"),
        "play SC, declare TS, pass",
        {0: "1/1/1", 1: "1/1/1"},
        {"shields": "1"},
        reserve_tokens=2,
    ),
    row(
        18,
        "62 82",
        (3, "A", "SC PO"),
        "play SC, declare TS, seat +1, pass, pass, seat +2",
        {0: "2/1/1", 1: "0/1/1", 2: "1/1/1"},
        {"shields": "2"},
        reserve_tokens=3,
    ),
    row(
        19,
        "78",
        (2, "A", "TS PO"),
        "play TS, declare TS, pass",
        {0: "1/1/1", 1: "0/2/1"},
        {"shields": "1", "favours": {1: "0/2/1"}},
        shields={1},
    ),
    row(
        20,
        "43 79",
        (2, "P", "TC PO TS"),
        "play TC, declare SH, pass",
        {0: "1/2/1", 1: "1/0/1"},
        {"shields": "1"},
        shields={1},
    ),
    row(
        21,
        "44 50 82",
        (2, "A", "TS PO"),
        "play TS, declare TS, challenge, favour Team",
        {0: "2/1/1", 1: "0/1/1"},
        {"shields": "1"},
        shields=set(),
    ),
    row(
        22, "56 67", (2, "A", "GB PO"), "play GB, declare GB, pass", {0: "0/0/0", 1: "1/1/1"}, {"favours": {0: "0/0/0"}}
    ),
    row(
        23,
        "53 58 67",
        (2, "A", "GB PO"),
        "play GB, declare GB, pass, favour Guild, favour Team",
        {0: "2/1/0", 1: "0/1/2"},
    ),
    row(
        24,
        "77 80",
        (2, "A", "GB PO"),
        "play GB, declare GB, pass, favour Guild",
        {0: "1/1/0", 1: "1/1/2"},
        {"shields": "1"},
        shields=set(),
    ),
    row(25, "23 43 46", (2, "P", "HE FS TS"), "play HE, declare TC, pass, favour Union", {0: "2/2/1", 1: "1/0/1"}),
    row(26, "20 21", (2, "P", "TC PO TS"), "skip", legal=["play TC", "play PO", "play TS"], agents=True),
    row(27, "17 21 26", (2, "P", "TC PO TS"), "play TC, declare TC, pass, skip", actor=1, move=1, hand_sizes=[2, 3]),
    row(
        28,
        "17 26",
        (2, "P", "TC PO TS"),
        "play TC, declare TC, pass, play TS, declare TS, pass",
        {0: "3/1/1", 1: "0/1/1"},
        hand_sizes=[2, 3],
    ),
    row(
        29,
        "22 52",
        (2, "P", "TC PO TS"),
        "play PO, declare TC, challenge, favour Team",
        {0: "0/1/1", 1: "2/1/1"},
        hand=(0, "TC TS"),
        phase="play",
        agents=True,
        plotted=True,
    ),
    row(
        30,
        "70 71 72 73 113",
        (2, "A", "AR PO"),
        "play AR, declare AR, pass, pick HE",
        options=ARCHIVIST,
        phase="discard",
        hand=(0, "PO SC HE"),
        pile="TS",
        seen=[{0, 1}],
        known=(0, "HE"),
    ),
    row(
        31,
        "51 74 75 115",
        (2, "A", "AR PO"),
        "play AR, declare AR, pass, pick HE, discard PO, discard SC",
        options=ARCHIVIST,
        pile="TS PO SC AR",
        hand_sizes=[2, 3],
        holds=(0, "HE"),
        known=(0, ""),
    ),
    row(
        32,
        "71 75 110",
        (3, "A", "AR PO"),
        "play AR, declare AR, pass, pass, leave, discard PO, discard SC",
        options=ARCHIVIST,
        pile="TS HE PO SC AR",
        seen=[{0, 1, 2}, {0, 1, 2}, {0}, {0, 1, 2}, {0, 1, 2}],
    ),
    row(
        33,
        "71 104",
        (2, "P", "AR PO FS"),
        "skip, play AR, declare AR, pass",
        options={"top": "SC"},
        phase="discard",
        hand=(0, "FS PO SC"),
    ),
    row(
        34,
        "11 12 13 26",
        (2, "A", ""),
        "play TS, declare TS, pass",
        options={"hands": ["TS SC", "PO PO"], "pile": TWENTY, "top": None},
        deck_size=19,
        pile_size=0,
        rebuilds=1,
    ),
    row(
        35,
        "112 116",
        (2, "A", ""),
        "play TS, declare TS, pass",
        options={"hands": ["TS SC", "PO PO"], "pile": TWENTY, "top": None},
        known=[(0, "SC"), (1, "PO PO")],
    ),
    row(
        36,
        "87 125",
        (2, "A", "PP PO"),
        "skip",
        options={"favours": {0: "5/1/1"}, "marks": {0: "T"}},
        phase="over",
        winners={0},
        rewards=[1.0, -1.0],
    ),
    row(
        37,
        "88 89",
        (2, "A", "PP PO"),
        "skip",
        options={"favours": {0: "4/5/1"}, "marks": {0: "T"}},
        phase="play",
        marks=(0, "U"),
    ),
    row(
        38,
        "88",
        (2, "P", "TC PO TS"),
        "play TC, declare TC, pass, skip",
        {0: "5/1/1"},
        {"favours": {0: "4/1/1"}},
        marks=(0, "T"),
        actor=1,
    ),
    row(39, "93", (2, "A", ""), TO_AND_FRO, options=LOST_AND_REGAINED, phase="over", winners={0}),
    row(
        40,
        "94",
        (2, "A", ""),
        TO_AND_FRO,
        options={**LOST_AND_REGAINED, "victory_check": "held"},
        phase="play",
        winners=set(),
        marks=(0, "T"),
        actor=1,
    ),
    row(
        41,
        "95 96",
        (2, "A", ""),
        "skip, skip, play SC, declare SC, pass",
        {0: "5/0/1"},
        {**LOST_AND_REGAINED, "victory_check": "turn_start"},
        phase="over",
        winners={0},
        turn=3,
    ),
    row(
        42,
        "85 90",
        (2, "A", "PP PO"),
        "skip",
        options={"favours": {1: "5/1/1"}, "marks": {1: "T"}},
        phase="play",
        actor=1,
        winners=set(),
    ),
    row(
        43,
        "99 125",
        (2, "P", "TC PO TS"),
        "play PO, declare PO, pass, skip",
        options={"favours": {0: "2/1/1", 1: "2/1/1"}, "max_turns": 1},
        phase="over",
        winners={0, 1},
        rewards=[0.0, 0.0],
    ),
    row(
        44,
        "99 100",
        (2, "P", "TC PO TS"),
        "play TC, declare TC, pass, skip",
        options={"max_turns": 1},
        phase="over",
        winners={0},
        rewards=[1.0, -1.0],
    ),
    row(45, "24", (2, "P", "TC PO SH"), "", options={"card_fits_phase": True}, legal=["play TC", "play SH", "play PO"]),
    row(46, "23 24 102", (2, "P", "TS PP SC"), "", options={"card_fits_phase": True}, legal=["skip"]),
    row(
        47,
        "83",
        (3, "A", "TS PO"),
        "play TS, declare TS, seat +1, pass, pass",
        {0: "1/1/1", 1: "1/1/1"},
        {"shields": "1", "protection": "until_turn"},
        actor=1,
        shields=set(),
        reserve_tokens=3,
    ),
    row(
        48,
        "83",
        (3, "A", "TS PO"),
        "play TS, declare TS, seat +2, pass, pass",
        {0: "1/1/1", 2: "1/1/1"},
        {"shields": "2", "protection": "until_turn"},
        actor=1,
        shields={2},
    ),
    row(
        49, "31 105", (4, "A", "TS PO"), "play TS, declare TS", phase="target", legal=["seat +1", "seat +2", "seat +3"]
    ),
    row(
        50,
        "58 63 101",
        (2, "P", "PO FS TS"),
        "play PO, declare TC, pass",
        {0: "3/3/2"},
        {"favours": {0: "3/3/1", 1: "3/3/1"}},
        reserve="0/0/3",
    ),
    row(
        51,
        "44 47 101",
        (3, "A", "HE PO"),
        "play HE, declare HE, seat +1, challenge, favour Team",
        {0: "1/1/2", 1: "0/0/0"},
        {"favours": {1: "1/0/1"}},
    ),
    row(
        52,
        "125",
        (4, "A", "PP PO"),
        "skip",
        options={"favours": {0: "5/1/1"}, "marks": {0: "T"}},
        rewards=[1.0, *[pytest.approx(-1 / 3)] * 3],
    ),
    row(
        52,
        "125 99",
        (4, "A", "PP PO"),
        "skip",
        options={"favours": {0: "3/1/1", 1: "1/3/1"}, "max_turns": 1},
        rewards=[pytest.approx(1 / 3)] * 2 + [pytest.approx(-1 / 3)] * 2,
        winners={0, 1},
    ),
]

VALUES: dict[str, Callable[[Table], Any]] = {
    "hand_sizes": lambda state: [len(hand) for hand in state.now.hands],
    "deck_size": lambda state: len(state.now.deck),
    "pile_size": lambda state: len(state.now.pile),
    "pile": lambda state: state.pile(),
    "reserve": lambda state: state.stored_reserve(),
    "legal": lambda state: state.legal(),
    "phase": lambda state: state.phase,
    "rewards": lambda state: state.rewards,
}
BY_SEAT = ("hand", "known", "marks")


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(
            one, marks=pytest.mark.rule(*(f"SG-{int(c):02}" for c in one.clauses.split())), id=f"v{one.number}"
        )
        for one in VECTORS
    ],
)
def test_vector(vector: Vector) -> None:
    n, part, hand = vector.setup
    setup = {"part": part, **vector.options}
    state = table(n, setup.pop("part"), hand, **setup)
    if vector.actions:
        state.play(vector.actions)
    for seat, favours in vector.favours.items():
        assert state.favours(seat) == favours, f"seat {seat}"
    for name, value in vector.more.items():
        if name in BY_SEAT:
            for seat, wanted in value if isinstance(value, list) else [value]:
                assert getattr(state, name)(seat) == wanted, name
        elif name == "holds":
            assert value[1] in state.hand(value[0]).split()
        elif name in VALUES:
            assert VALUES[name](state) == value, name
        else:
            assert getattr(state.now, name) == value, name
    assert state.reserve() == state.stored_reserve()


def test_there_are_52() -> None:
    assert {vector.number for vector in VECTORS} == set(range(1, 53))
    assert hands_of(4, "TC") == ["TC", "TC PO", "TC PO", "SH FS"]
