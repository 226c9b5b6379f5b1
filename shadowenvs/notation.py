"""What the text forms of all games share: a position is one line of ``key=value`` words in a fixed order."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from shadowenvs.cards import NUM_RANKS
from shadowenvs.game import Options

EMPTY = "-"
_CARD = re.compile(r"([A-Z])(\d+)")
OptionsType = TypeVar("OptionsType", bound=Options)


def split_words(text: str, keys: Iterable[str], options: type[OptionsType]) -> tuple[dict[str, str], OptionsType]:
    """Splits a position line into its own words and the options among them.

    Args:
        text: The line.
        keys: Keys that the game knows.
        options: The game's options; each may stand in the line under its name.

    Raises:
        ValueError: A word has no ``=``, or its key is unknown or stands twice, or an option is not allowed.
    """
    known = set(keys)
    fields = {field.name: field.metadata["option"] for field in dataclasses.fields(options)}
    words: dict[str, str] = {}
    chosen: dict[str, Any] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not (key in known or key in fields):
            raise ValueError(f"{word!r} is not a word of a position; keys are {', '.join([*sorted(known), *fields])}")
        if key in words or key in chosen:
            raise ValueError(f"{key!r} stands twice in the position")
        if key in fields:
            chosen[key] = parse_option(key, fields[key].kind, value)
        else:
            words[key] = value
    return words, options.make(**chosen)


def parse_option(name: str, kind: str, text: str) -> Any:
    """Returns an option's value from text, still to be checked by the options themselves."""
    if kind == "bool":
        if text not in ("True", "False"):
            raise ValueError(f"{name} must be True or False, not {text!r}")
        return text == "True"
    if kind in ("integer", "number"):
        try:
            return int(text) if kind == "integer" else float(text)
        except ValueError:
            raise ValueError(f"{name} must be a number, not {text!r}") from None
    return text


def join_words(words: Mapping[str, str], options: Options) -> str:
    """Returns the line: the options that reading it would not find by itself, then the words."""
    values = options.as_dict()
    defaults = {field.name: field.default for field in dataclasses.fields(options)}
    shown = {
        name: value
        for name, value in values.items()
        if name == "num_players" or (defaults[name] is not None and value != defaults[name])
    }
    # Computed defaults depend on options shown and on each other: they are added one at a time.
    computed = [name for name, default in defaults.items() if default is None]
    while (name := first_difference(type(options), shown, values, computed)) is not None:
        shown[name] = values[name]
    ordered = {name: str(shown[name]) for name in values if name in shown}
    return " ".join(f"{key}={value}" for key, value in {**ordered, **words}.items())


def first_difference(
    kind: type[Options], shown: Mapping[str, Any], values: Mapping[str, Any], computed: Iterable[str]
) -> str | None:
    """Returns the first computed option that ``shown`` does not determine; None if it determines all."""
    left = [name for name in computed if name not in shown]
    try:
        found = kind.make(**shown).as_dict()
    except ValueError:
        return left[0]
    return next((name for name in left if found[name] != values[name]), None)


def whole_number(key: str, text: str, low: int, high: int) -> int:
    """Returns a number of a position, or raises ValueError naming its key and the bounds."""
    try:
        value = int(text)
    except ValueError:
        raise ValueError(f"{key} must be a whole number, not {text!r}") from None
    if not low <= value <= high:
        raise ValueError(f"{key} must be between {low} and {high}, not {value}")
    return value


def by_seat(key: str, text: str, num: int) -> list[str]:
    """Splits a value that lists something per seat, separated by ``/``."""
    parts = text.split("/")
    if len(parts) != num:
        raise ValueError(f"{key} must list {num} seats separated by '/', not {len(parts)}")
    return parts


class CardWords:
    """Cards as text: the letter of a suit and a rank, as ``R8``."""

    def __init__(self, letters: str) -> None:
        """Takes the letters of the suits in the order of their numbers, which begin with 0."""
        self.letters = letters

    def format(self, card: int) -> str:
        """Returns a card as its suit's letter and its rank."""
        return self.letters[card // NUM_RANKS] + str(card % NUM_RANKS)

    def parse(self, text: str) -> int:
        """Returns the card number 0 to 59, or raises ValueError."""
        match = _CARD.fullmatch(text.strip().upper())
        if match is None or match[1] not in self.letters or int(match[2]) >= NUM_RANKS:
            raise ValueError(
                f"{text!r} is not a card; cards are a letter of {self.letters} and a rank 0 to {NUM_RANKS - 1}, as R8"
            )
        return self.letters.index(match[1]) * NUM_RANKS + int(match[2])

    def format_all(self, cards: Iterable[int]) -> str:
        """Returns cards one after the other, ``-`` for none."""
        return "".join(map(self.format, cards)) or EMPTY

    def parse_all(self, text: str) -> list[int]:
        """Returns the cards of a text like ``R4Y1``, in its order, or raises ValueError."""
        if text == EMPTY:
            return []
        if _CARD.sub("", text):
            raise ValueError(f"{text!r} is not a list of cards like R4Y1")
        return [self.parse(match[0]) for match in _CARD.finditer(text)]
