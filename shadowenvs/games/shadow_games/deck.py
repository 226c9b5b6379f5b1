"""The deck as data: reads a TOML file, checks it and compiles it into small arrays (SG-129, SG-130).

A file is a ``[deck]`` table (``name``, ``cards`` = 24) and 1 to 12 ``[[card]]`` tables (``name``, ``type``, ``copies``,
``effect``, ``bonus``); a step of an effect or bonus is a table with ``op``, the keys of that op, and ``then``. Kinds of
cards are numbered in file order, from 0 (SG-106).
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

STAND_IN = "stand-in"
"""Name of the built-in deck. It was invented for this project and is not the published card list."""

MAX_KINDS = 12
MAX_CARDS = 64
MAX_STEPS = 4
NUM_TYPES = 3  # of favour

PLOT, AGENT = range(2)
TEAM, UNION, GUILD, ANY = range(4)
NO_OP, GAIN, LOSE, STEAL, BRIBE, PROTECT, LOOK, DISCARD_OP, DRAW = range(9)

CARD_TYPES = ("plot", "agent")
FAVOUR_NAMES = ("team", "union", "guild")
FAVOURS = (*FAVOUR_NAMES, "any")
OPS = ("gain", "lose", "steal", "bribe", "protect", "look", "discard", "draw")

# For each op, its keys with what they allow and the default (None: the key must be there).
_OP_KEYS: dict[str, dict[str, tuple[tuple[Any, ...], Any]]] = {
    "gain": {"favour": (FAVOURS, None)},
    "lose": {"favour": (FAVOURS, None), "who": (("self", "target"), "self")},
    "steal": {"favour": (FAVOURS, None)},
    "bribe": {"favour": (FAVOURS, None), "to": (("target", "choice"), "target")},
    "protect": {},
    "look": {"take": ((0, 1, 2), 0)},
    "discard": {"count": ((1, 2, 3), None)},
    "draw": {"count": ((1, 2, 3), None)},
}
_STEP_KEYS = ("op", "favour", "who", "to", "take", "count", "then")
_CARD_KEYS = ("name", "type", "copies", "effect", "bonus")
_DECK_KEYS = ("name", "cards")


@dataclass(frozen=True)
class Step:
    """One step of an effect or bonus, in numbers.

    Attributes:
        op: GAIN 1, LOSE 2, STEAL 3, BRIBE 4, PROTECT 5, LOOK 6, DISCARD_OP 7 or DRAW 8.
        favour: TEAM 0, UNION 1, GUILD 2 or ANY 3; 0 where the op has none.
        who: 1 if the step concerns the target (every steal, a loss of the target, a bribe to the target), else 0 (a
            bribe to a chosen seat too).
        count: Cards that ``look`` may take, or that ``discard`` and ``draw`` move; else 0.
        then: Whether the step needs that the step before it was carried out.
    """

    op: int
    favour: int
    who: int
    count: int
    then: bool


@dataclass(frozen=True)
class Card:
    """A kind of card.

    Attributes:
        name: As printed.
        card_type: PLOT 0 or AGENT 1.
        copies: How many cards of this kind the deck has.
        effect: 1 to 4 steps.
        bonus: 0 to 4 steps.
    """

    name: str
    card_type: int
    copies: int
    effect: tuple[Step, ...]
    bonus: tuple[Step, ...]


@dataclass(frozen=True)
class Deck:
    """A checked deck.

    Attributes:
        file: The file it came from, as error messages name it.
        name: Its name.
        cards: The kinds in file order.
    """

    file: str
    name: str
    cards: tuple[Card, ...]

    @property
    def size(self) -> int:
        """Number of cards, all copies counted."""
        return sum(card.copies for card in self.cards)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(card.name for card in self.cards)

    def kinds(self) -> list[int]:
        """Returns the kind of every card: kinds in ascending order, each as often as it has copies."""
        return [kind for kind, card in enumerate(self.cards) for _ in range(card.copies)]

    def check_seats(self, num_players: int, hand_keep: int, hand_draw: int) -> None:
        """Raises ValueError if the cards are too few for the table."""
        if self.size < num_players * hand_keep + (hand_draw - hand_keep):
            raise ValueError(f"{self.file}: {self.size} cards are too few for {num_players} seats")


# ---------------------------------------------------------------------------------------------------------- reading


def load(source: str, favour_types: int = NUM_TYPES) -> Deck:
    """Reads and checks a deck.

    Args:
        source: "stand-in" for the built-in deck, else the path of a TOML file.
        favour_types: How many types of favour are in play; the deck may name no others.

    Raises:
        ValueError: The file cannot be read or is wrong. The message names the file, the place, the value found and what
            is allowed; of several errors it is the first in the order of the file, a missing key counting as at the end
            of its table.
    """
    path = Path(__file__).with_name("deck.toml") if source == STAND_IN else Path(source)
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        hint = f"; the built-in deck is {STAND_IN!r}"
        raise ValueError(f"{source}: the file cannot be read: {error.strerror}{hint}") from None
    return _load(str(source), path, changed, favour_types)


@functools.lru_cache(maxsize=64)
def _load(source: str, path: Path, changed: int, favour_types: int) -> Deck:
    """Reads a file anew only after it has changed."""
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{source}: the file cannot be read: {error.strerror}") from None
    except ValueError as error:  # neither TOML nor UTF-8
        raise ValueError(f"{source}: {error}") from None
    return _Reader(source, favour_types).deck(document)


class _Reader:
    """Checks the tables of one file and turns them into a deck."""

    def __init__(self, file: str, favour_types: int) -> None:
        self.file = file
        self.favour_types = favour_types

    def fail(self, place: str, message: str) -> NoReturn:
        raise ValueError(": ".join(part for part in (self.file, place, message) if part))

    def deck(self, document: Mapping[str, Any]) -> Deck:
        head: tuple[str, int] = ("", 24)
        cards: list[Card] = []
        for key in document:  # in the order of the file
            if key == "deck":
                head = self.head(document[key])
            elif key == "card":
                cards = self.cards(document[key])
            else:
                self.fail("", f"unknown key {_shown(key)}; known keys: deck, card")
        if "deck" not in document:
            self.fail("", 'key "deck" is missing')
        if not cards:
            self.fail("", "no card")
        total = sum(card.copies for card in cards)
        if total != head[1]:
            self.fail("", f"the copies sum to {total}, but [deck] cards is {head[1]}")
        return Deck(self.file, head[0], tuple(cards))

    def head(self, found: Any) -> tuple[str, int]:
        """Returns name and number of cards of the [deck] table."""
        if not isinstance(found, dict):
            self.fail("", f'"deck" is {_shown(found)}, expected a table')
        for key, value in found.items():
            if key not in _DECK_KEYS:
                self.unknown("[deck]", key, _DECK_KEYS)
            elif key == "name":
                self.expect("[deck]", key, value, _is_name, "text")
            else:
                self.expect("[deck]", key, value, _is_count, "a whole number of at least 1")
                if value > MAX_CARDS:
                    self.fail("", f"{value} cards, at most {MAX_CARDS}")
        self.require("[deck]", found, ("name",))
        return found["name"], found.get("cards", 24)

    def cards(self, found: Any) -> list[Card]:
        if not isinstance(found, list):
            self.fail("", f'"card" is {_shown(found)}, expected a list of tables')
        cards: list[Card] = []
        numbers: dict[str, int] = {}
        for number, table in enumerate(found, 1):
            if number > MAX_KINDS:
                self.fail("", f"{len(found)} card names, at most {MAX_KINDS}")
            cards.append(self.card(number, table, numbers))
        return cards

    def card(self, number: int, found: Any, numbers: dict[str, int]) -> Card:
        """Checks one [[card]] table; ``numbers`` holds the numbers of the cards before it by name."""
        if not isinstance(found, dict):
            self.fail(f"card {number}", f"is {_shown(found)}, expected a table")
        place = f"card {number}"
        if _is_name(found.get("name")):
            place += f' "{found["name"]}"'
        steps: dict[str, tuple[Step, ...]] = {}
        for key, value in found.items():
            if key not in _CARD_KEYS:
                self.unknown(place, key, _CARD_KEYS)
            elif key == "name":
                self.expect(place, key, value, _is_name, 'text, printable and without "#" or a blank in front')
                if value in numbers:
                    self.fail(place, f"the name was already used by card {numbers[value]}")
                numbers[value] = number
            elif key == "type":
                self.expect(place, key, value, _is_one_of(CARD_TYPES), _alternatives(CARD_TYPES))
            elif key == "copies":
                self.expect(place, key, value, _is_count, "a whole number of at least 1")
            else:
                steps[key] = self.steps(place, key, value)
        self.require(place, found, _CARD_KEYS)
        card_type = CARD_TYPES.index(found["type"])
        return Card(found["name"], card_type, found["copies"], steps["effect"], steps["bonus"])

    def steps(self, place: str, key: str, found: Any) -> tuple[Step, ...]:
        """Checks a list of steps."""
        fewest = 1 if key == "effect" else 0
        self.expect(place, key, found, lambda value: isinstance(value, list), "a list of steps")
        if not fewest <= len(found) <= MAX_STEPS:
            self.fail(place, f"{key} has {len(found)} steps, allowed are {fewest} to {MAX_STEPS}")
        return tuple(self.step(f"{place}: {key} step {i}", table, i) for i, table in enumerate(found, 1))

    def step(self, place: str, found: Any, number: int) -> Step:
        """Checks one step."""
        if not isinstance(found, dict):
            self.fail(place, f"is {_shown(found)}, expected a table")
        op = found.get("op")
        allowed = _OP_KEYS.get(op) if isinstance(op, str) else None
        for key, value in found.items():
            if key not in _STEP_KEYS:
                self.unknown(place, key, _STEP_KEYS)
            elif key == "op":
                self.expect(place, key, value, _is_one_of(OPS), _alternatives(OPS))
            elif key == "then":
                if number == 1:
                    self.fail(place, '"then" needs a step before it')
                self.expect(place, key, value, lambda value: isinstance(value, bool), "false or true")
            elif allowed is not None:
                if key not in allowed:
                    self.fail(place, f'op "{op}" does not take "{key}"')
                self.expect(place, key, value, _is_one_of(allowed[key][0]), _alternatives(allowed[key][0]))
                if key == "favour" and value != "any" and FAVOURS.index(value) >= self.favour_types:
                    self.fail(place, f'"favour" is "{value}", but favour_types is {self.favour_types}')
        self.require(place, found, ("op",))
        assert allowed is not None
        self.require(place, found, [key for key, (_, default) in allowed.items() if default is None])
        values = {key: found.get(key, default) for key, (_, default) in allowed.items()}
        return Step(
            op=OPS.index(found["op"]) + 1,
            favour=FAVOURS.index(values["favour"]) if "favour" in values else 0,
            who=int(op == "steal" or "target" in (values.get("who"), values.get("to"))),
            count=values.get("take", values.get("count", 0)),
            then=found.get("then", False),
        )

    def expect(self, place: str, key: str, value: Any, allowed: Callable[[Any], bool], wanted: str) -> None:
        if not allowed(value):
            self.fail(place, f'"{key}" is {_shown(value)}, expected {wanted}')

    def require(self, place: str, found: Mapping[str, Any], keys: Iterable[str]) -> None:
        for key in keys:
            if key not in found:
                self.fail(place, f'key "{key}" is missing')

    def unknown(self, place: str, key: str, known: Iterable[str]) -> NoReturn:
        self.fail(place, f"unknown key {_shown(key)}; known keys: {', '.join(known)}")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value == value.strip() != "" and value.isprintable() and value[0] != "#"


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_one_of(values: tuple[Any, ...]) -> Callable[[Any], bool]:
    # True == 1 and 1.0 == 1, but neither is a whole number in TOML.
    return lambda value: any(type(value) is type(other) and value == other for other in values)


def _shown(value: Any) -> str:
    """Returns a value about as TOML writes it."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _alternatives(values: tuple[Any, ...]) -> str:
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}"


# -------------------------------------------------------------------------------------------------------- compiling


def compile_steps(deck: Deck) -> NDArray[np.int8]:
    """Returns all steps, int8 [12, 2, 4, 5]: kind, effect or bonus, step, (op, favour, who, count, then); op 0 ends."""
    compiled = np.zeros((MAX_KINDS, 2, MAX_STEPS, 5), np.int8)
    for kind, card in enumerate(deck.cards):
        for list_no, steps in enumerate((card.effect, card.bonus)):
            for step_no, step in enumerate(steps):
                compiled[kind, list_no, step_no] = step.op, step.favour, step.who, step.count, step.then
    return compiled


def most_choices(deck: Deck) -> int:
    """Returns E + B: the most choices that the steps of one effect and of one bonus can ask for."""

    def choices(step: Step) -> int:
        to_chosen_seat = step.op == BRIBE and step.who == 0
        cards = step.count if step.op in (LOOK, DISCARD_OP) else 0
        return int(step.favour == ANY) + int(to_chosen_seat) + cards

    lists = [[card.effect for card in deck.cards], [card.bonus for card in deck.cards]]
    return sum(max(sum(map(choices, steps)) for steps in of_all) for of_all in lists)
