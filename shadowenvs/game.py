"""The contract of a game, and its options.

A game is one NumPy record type and a handful of kernels over it. Everything else in this library and in the workbench
around it works through :class:`Game` and never asks which game it is.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from shadowenvs.jit import kernel
from shadowenvs.layout import Actions, Alike, Layout

NO_ACTION = -1
"""In a batch of actions: leave this table alone."""

WIN_SHARE, POINTS = range(2)


# ---------------------------------------------------------------------------------------------------------- options


@dataclass(frozen=True)
class _Option:
    """What is allowed for one option, kept in the metadata of its dataclass field."""

    meaning: str
    kind: str
    dtype: str | None = None  # None: not part of the state
    choices: tuple[str, ...] = ()
    words: Mapping[str, int] = dataclasses.field(default_factory=dict)  # words that stand for a number
    low: float | None = None
    high: float | None = None

    def values(self) -> str:
        """What is allowed, in words."""
        if self.kind == "choice":
            return ", ".join(map(repr, self.choices))
        if self.kind == "bool":
            return "False, True"
        return " or ".join([*map(repr, self.words), *([self._range()] if self.low is not None else [])]) or "text"

    def _range(self) -> str:
        return f"{self.low:g} and more" if self.high is None else f"{self.low:g} to {self.high:g}"

    def stored(self, value: Any) -> Any:
        """Returns the number that a state holds for the value."""
        return self.choices.index(value) if self.choices else self.words.get(value, value)

    def restored(self, stored: Any) -> Any:
        """Returns the value for the number that a state holds."""
        if self.choices:
            return self.choices[stored]
        for word, held in self.words.items():
            if held == stored:
                return word
        return bool(stored) if self.kind == "bool" else stored

    def parse(self, name: str, value: Any) -> Any:
        """Returns the value in its own type, or raises ValueError."""
        if isinstance(value, str) and value in self.words:
            return value
        if self.kind == "integer":
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
                wanted = " or ".join(["an integer", *map(repr, self.words)])
                raise ValueError(f"{name} must be {wanted}, not {value!r}")
            value = int(value)
        elif self.kind == "number":
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
                raise ValueError(f"{name} must be a number, not {value!r}")
            # What the state can hold, a 32-bit float, with as few digits as tell it apart.
            value = float(str(np.float32(value)))
        elif self.kind == "bool":
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} must be a bool, not {value!r}")
            return bool(value)
        elif self.kind == "choice":
            if not isinstance(value, str) or value not in self.choices:
                raise ValueError(f"unknown {name} {value!r}; choose one of {self.values()}")
            return value
        if self.low is not None and value < self.low and self.high is None:
            raise ValueError(f"{name} must be at least {self.low:g}, not {value}")
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            raise ValueError(f"{name} must be between {self.low:g} and {self.high:g}, not {value}")
        return value


def integer(
    default: int | str | None,
    low: int,
    high: int | None,
    meaning: str,
    dtype: str = "i1",
    words: Mapping[str, int] | None = None,
) -> Any:
    """Declares an integer option.

    Args:
        default: The default; None means that :meth:`Options.defaults` computes it.
        low: Lowest value.
        high: Highest value, None for no bound of its own.
        meaning: One line for a person.
        dtype: How the state holds it.
        words: Words that may stand instead of a number, with the numbers that the state holds for them.
    """
    option = _Option(meaning, "integer", dtype, words=words or {}, low=low, high=high)
    return dataclasses.field(default=default, metadata={"option": option})


def number(default: float, low: float, high: float, meaning: str) -> Any:
    """Declares an option that is a number from low to high; the state holds it as float32."""
    return dataclasses.field(default=default, metadata={"option": _Option(meaning, "number", "f4", low=low, high=high)})


def free(default: Any, meaning: str) -> Any:
    """Declares an option that the game itself checks and turns into tables (a file, a list); not part of the state."""
    return dataclasses.field(default=default, metadata={"option": _Option(meaning, "free")})


def choice(default: str, *choices: str, meaning: str) -> Any:
    """Declares an option with one of several words; in the state it is the word's index."""
    return dataclasses.field(default=default, metadata={"option": _Option(meaning, "choice", "i1", choices)})


def boolean(default: bool, meaning: str) -> Any:
    """Declares a yes-or-no option; in the state it is 0 or 1."""
    return dataclasses.field(default=default, metadata={"option": _Option(meaning, "bool", "i1")})


def reward_option(other: str = "points") -> Any:
    """Declares the option that every game has: the share of the victory, or another reward of the game's own."""
    return choice("win_share", "win_share", other, meaning="what a learner is given")


@dataclass(frozen=True)
class Options:
    """Base of the options of a game: a frozen dataclass whose fields are made by the functions above.

    A wrong value raises ``ValueError`` with the option's name, the value and what is allowed. An option left at None
    holds its computed default after construction.
    """

    num_players: int

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None or field.default is not None:
                object.__setattr__(self, field.name, field.metadata["option"].parse(field.name, value))
        for name, value in self.defaults().items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        self.check()

    def defaults(self) -> Mapping[str, Any]:
        """Returns the computed defaults of options left at None."""
        return {}

    def check(self) -> None:
        """Raises ValueError where options do not fit together."""

    @property
    def has_own_tables(self) -> bool:
        """Whether every game has tables of its own, drawn from its seed; such options serve single tables only."""
        return False

    def as_dict(self) -> dict[str, Any]:
        """Returns all options, computed defaults included, as JSON can hold them."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @classmethod
    def make(cls, **options: Any) -> Self:
        """Builds options from keywords.

        Raises:
            ValueError: An option is unknown, or its value is not allowed.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in options:
            if name not in known:
                raise ValueError(f"unknown option {name!r}; the options are {', '.join(known)}")
        return cls(**options)

    @classmethod
    def dtype(cls) -> np.dtype[Any]:
        """Returns the record type that holds these options inside a state."""
        described = [(field.name, field.metadata["option"]) for field in dataclasses.fields(cls)]
        return np.dtype([(name, option.dtype) for name, option in described if option.dtype is not None])

    def pack(self) -> np.ndarray:
        """Returns the options as a record, words as their indices."""
        record = np.zeros((), self.dtype())
        for field in dataclasses.fields(self):
            option = field.metadata["option"]
            if option.dtype is not None:
                value = getattr(self, field.name)
                record[field.name] = option.stored(value)
        return record

    @classmethod
    def unpack(cls, record: Any) -> Self:
        """Returns the options that a record made by :meth:`pack` stands for; those outside the state are default."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            option = field.metadata["option"]
            if option.dtype is not None:
                values[field.name] = option.restored(record[field.name].item())
        return cls(**values)

    @classmethod
    def table(cls) -> list[tuple[str, str, str, str]]:
        """Returns rows (option, values, default, meaning) for documentation."""
        rows = []
        for field in dataclasses.fields(cls):
            option = field.metadata["option"]
            default = "computed" if field.default is None else repr(field.default)
            rows.append((field.name, option.values(), default, option.meaning))
        return rows


# ------------------------------------------------------------------------------------------------------------ state


def state_dtype(options: type[Options], max_seats: int, fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Returns the record type of a state: the header that every game has, then the game's own fields.

    Args:
        options: The game's options.
        max_seats: S, the most seats of the game.
        fields: The game's own fields as NumPy takes them.

    Raises:
        ValueError: A field has the name of an array's attribute, or bytes between fields are left free. States are
            compared and copied as bytes, and NumPy leaves such bytes undefined.
    """
    header = [
        ("seed", np.uint64),  # of the deal and of every later draw; never advanced
        ("rewards", np.float32, (max_seats,)),  # of the last action, by seat
        ("points", np.int16, (max_seats,)),  # the game's own score so far, by seat
        ("to_move", np.int8),  # seat that decides next; 0 at the end
        ("done", np.bool_),
        ("winners", np.uint8),  # bit set of seats, 0 until done
        ("options", options.dtype()),
    ]
    dtype = np.dtype(header + fields, align=True)
    assert dtype.names is not None
    assert dtype.fields is not None
    end = 0
    for name in dtype.names:
        if name in dir(np.recarray):
            raise ValueError(f"state field {name} would hide an attribute of NumPy arrays")
        kind, start = dtype.fields[name][:2]
        if start != end:
            raise ValueError(f"state field {name} leaves {start - end} bytes free before it: order fields by size")
        end = start + kind.itemsize
    if end != dtype.itemsize:
        raise ValueError(f"the state leaves {dtype.itemsize - end} bytes free at its end: add a field")
    return dtype


# --------------------------------------------------------------------------------------------------------- contract


@dataclass(frozen=True)
class Rate:
    """A rate that a report gives by agent: the sum of one state field over the sum of another at the ends of games.

    Attributes:
        name: As a report shows it.
        part: State field, integers [S], counted by seat from the deal on.
        whole: The same, for what it is a part of.
        meaning: One line for a person.
    """

    name: str
    part: str
    whole: str
    meaning: str


def no_pictures(options: Any) -> Mapping[str, tuple[int, ...]]:
    """Says that a game shows no images."""
    return {}


@kernel
def many_points(state: Any, seat: int) -> int:
    """Ranks seats by their points, where many are good."""
    return int(state.points[seat])


@kernel
def few_points(state: Any, seat: int) -> int:
    """Ranks seats by their points, where few are good."""
    return -int(state.points[seat])


@dataclass(frozen=True)
class Game:
    """All that the suite knows of a game.

    Kernels are compiled functions. ``table`` is the record of what is the same for every table of an environment,
    ``state`` one record of :attr:`state`, ``seat`` a seat number, ``mask`` int8 [A] and ``obs`` a record of
    :attr:`observation`. Kernels fill their last argument and neither raise nor allocate (``determinise`` may).

    Attributes:
        name: Identifier, also the folder's name.
        title: The printed name.
        version: Raised whenever equal seeds and actions no longer give equal games or observations.
        summary: One line for lists.
        seats: Allowed numbers of players.
        simultaneous: Whether seats choose at the same time; such a game also has a ParallelEnv of its own.
        points_sign: 1 where many points are good, -1 where few are.
        options: The frozen dataclass of its options.
        state: Record type of a state.
        observation: Layout of an observation.
        actions: Layout of the actions.
        max_steps: ``(options, tables) -> int``, more actions than any game can have.
        tables: ``(options) -> recarray [1]``, read-only. With options that ask for new tables in every game
            (:attr:`Options.has_own_tables`) ``(options, seed of the game)``.
        deal: ``(table, state, seed)`` starts a game; writes everything but ``state.options``.
        legal: ``(table, state, seat, mask)``; all 0 for a seat that is not to move.
        step: ``(table, state, action)``; the action must be legal.
        observe: ``(table, state, seat, obs)``; ``obs`` holds zeros or an earlier observation of a table with the same
            options, and entries that are zero under these options always may be left alone.
        determinise: ``(table, state, seat, seed)`` replaces all that the seat cannot know by a sample.
        heuristic: ``(table, obs, mask, seed) -> action``, a decent opponent; reads only public fields of the table.
        format_action: ``(options, action) -> str``.
        parse_action: ``(options, text) -> int``, raises ValueError.
        format_position: ``(options, state recarray [1]) -> str``, the whole state as one line.
        parse_position: ``(text) -> (options, state recarray [1])``, raises ValueError.
        render: ``(options, state recarray [1], seat or None) -> str``, the table as one seat may see it, or all of it.
        render_svg: The same as an SVG document, or None.
        rates: Rates that reports give by agent.
        idle_action: In a simultaneous game, what a seat sends that has nothing to decide in a tick.
        rank_key: ``(state, seat) -> int`` at the end of a game, higher for the better seat; None where points decide.
        picture_shapes: ``(options) -> {name: shape}`` of the images that a seat is shown, channels first; empty where
            there are none.
        draw_sheet: ``(options, path)`` writes a PNG file with all pictures of the game; None in games without images.
        pictures: ``(tables, states, seats) -> {name: uint8 [B, *shape]}``, what each seat is shown; None in games
            without images.
        alike: Things that the rules treat alike, such as suits; None in games without such.
    """

    name: str
    title: str
    version: int
    summary: str
    seats: range
    simultaneous: bool
    points_sign: int
    options: type[Options]
    state: np.dtype[Any]
    observation: Layout
    actions: Actions
    max_steps: Callable[[Any, np.recarray], int]
    tables: Callable[..., np.recarray]
    deal: Callable[..., None]
    legal: Callable[..., None]
    step: Callable[..., None]
    observe: Callable[..., None]
    determinise: Callable[..., None]
    heuristic: Callable[..., int]
    format_action: Callable[[Any, int], str]
    parse_action: Callable[[Any, str], int]
    format_position: Callable[[Any, np.recarray], str]
    parse_position: Callable[[str], tuple[Any, np.recarray]]
    render: Callable[[Any, np.recarray, int | None], str]
    render_svg: Callable[[Any, np.recarray, int | None], str] | None = None
    rates: tuple[Rate, ...] = ()
    idle_action: int = NO_ACTION
    rank_key: Callable[..., int] | None = None
    picture_shapes: Callable[[Any], Mapping[str, tuple[int, ...]]] = no_pictures
    pictures: Callable[..., dict[str, np.ndarray]] | None = None
    draw_sheet: Callable[[Any, str], None] | None = None
    alike: Alike | None = None

    @property
    def id(self) -> str:
        """Name and version, as in ``shadow_cards_v0``."""
        return f"{self.name}_v{self.version}"

    @property
    def max_seats(self) -> int:
        return max(self.seats)

    @property
    def num_actions(self) -> int:
        return self.actions.size

    def __reduce__(self) -> tuple[Any, ...]:
        # Kernels do not pickle; the game is found again by its module.
        return _load, (self.options.__module__.rpartition(".")[0],)


def ranks(keys: Sequence[int] | np.ndarray, winners: int) -> list[int]:
    """Returns the rank of each seat: 1 for winners, then by the game's order; equal ones share the better rank.

    Args:
        keys: Rank keys at the end, integers [P], higher for the better seat.
        winners: Bit set of the winning seats.
    """
    order = [(1, 0) if winners >> seat & 1 else (0, int(key)) for seat, key in enumerate(keys)]
    return [1 + sum(other > own for other in order) for own in order]


def _load(module: str) -> Game:
    game: Game = importlib.import_module(module).GAME
    return game
