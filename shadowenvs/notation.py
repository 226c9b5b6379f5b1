"""What the text forms of all games share: a position is one line of ``key=value`` words in a fixed order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from shadowenvs.game import Options

EMPTY = "-"
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
    """Returns the line: options that differ from the defaults of their class, then the words."""
    standard = type(options).make(num_players=options.num_players)
    shown = {"num_players": str(options.num_players)}
    shown |= {
        name: str(value) for name, value in options.as_dict().items() if value != standard.as_dict()[name]
    }
    return " ".join(f"{key}={value}" for key, value in {**shown, **words}.items())


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
