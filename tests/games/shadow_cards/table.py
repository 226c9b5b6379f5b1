"""A table of the compiled game to set up and play in words, for the tests of its clauses.

Cards are written R4, Y0, G14, B3, sets of cards "R4 Y0", actions "play R4".
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_cards import GAME
from shadowenvs.games.shadow_cards.notation import Position, format_card, from_state, parse, parse_card, to_state
from shadowenvs.games.shadow_cards.spec import ShadowCardsOptions
from shadowenvs.jit import is_compiled

PREDICT, PLAY, CLAIM, END = range(4)
COUNTS = (2, 3, 4, 5)


def few(compiled: int, uncompiled: int) -> int:
    """Returns a number of games or samples: uncompiled kernels are a thousand times slower."""
    return compiled if is_compiled() else uncompiled


def options(**chosen: Any) -> ShadowCardsOptions:
    return ShadowCardsOptions.make(**chosen)


def cards(text: str) -> set[int]:
    """Returns the cards of a text like "R4 Y0", none for "-"."""
    return {parse_card(word) for word in text.split() if word != "-"}


def words(numbers: Any) -> str:
    """Returns cards in words, in ascending order of their numbers."""
    return " ".join(map(format_card, sorted(numbers))) or "-"


def joined(text: str) -> str:
    """Returns cards as a position line has them, "R4Y0" for "R4 Y0"."""
    return text.replace(" ", "") or "-"


def value(numbers: Any) -> int:
    """Returns the value of a set of cards."""
    return sum(number % 15 for number in numbers)


@functools.cache
def _batch(chosen: ShadowCardsOptions) -> Batch:
    return Batch(GAME, 1, autoreset=False, **chosen.as_dict())


class Table:
    """One table without autoreset.

    Attributes:
        batch: A batch of one.
        options: Its options.
    """

    def __init__(self, position: Position) -> None:
        """Sets up a position."""
        self.options = position.options
        self.batch = _batch(position.options).copy()
        self.batch.set_states(to_state(position))

    @classmethod
    def at(cls, line: str, **chosen: Any) -> Table:
        """Sets up a position line, with further options by keyword."""
        shown = " ".join(f"{key}={chosen_value}" for key, chosen_value in chosen.items())
        return cls(parse(f"{line} {shown}"))

    @classmethod
    def dealt(cls, seed: int, **chosen: Any) -> Table:
        """Deals a game."""
        table = cls(Position(options(**chosen)))
        table.batch.reset(np.array([seed], np.uint64))
        return table

    @property
    def now(self) -> Position:
        """The whole state in plain Python."""
        return from_state(self.options, self.batch.get_states())

    @property
    def row(self) -> Any:
        return self.batch.get_states()[0]

    @property
    def n(self) -> int:
        return self.options.num_players

    @property
    def phase(self) -> int:
        return int(self.row["phase"])

    @property
    def round_no(self) -> int:
        return int(self.row["round_no"])

    @property
    def trick_no(self) -> int:
        return int(self.row["trick_no"])

    @property
    def ends_round(self) -> bool:
        """Whether the next action is the last claim of the round."""
        return self.phase == CLAIM and not self.row["hand"].any()

    @property
    def seat(self) -> int:
        """The seat to move."""
        return int(self.batch.seats[0])

    @property
    def done(self) -> bool:
        return bool(self.row["done"])

    @property
    def rewards(self) -> list[float]:
        return [float(reward) for reward in self.batch.rewards[0]]

    @property
    def points(self) -> list[int]:
        return [int(points) for points in self.batch.points[0]]

    @property
    def winners(self) -> list[int]:
        return [seat for seat in range(self.n) if int(self.row["winners"]) >> seat & 1]

    @property
    def actions(self) -> list[int]:
        """The legal actions."""
        return [int(action) for action in np.flatnonzero(self.batch.masks[0])]

    def legal(self) -> dict[str, set[int]]:
        """Returns the legal cards by kind of action: {"play": {4}}."""
        found: dict[str, set[int]] = {}
        for action in self.actions:
            kind, card = GAME.format_action(self.options, action).split()
            found.setdefault(kind, set()).add(parse_card(card))
        return found

    def do(self, *actions: str) -> Table:
        """Carries out actions in words; each must be legal."""
        for action in actions:
            self.act(GAME.parse_action(self.options, action))
        return self

    def act(self, action: int) -> None:
        self.batch.step(np.array([action]))

    def play(self, chooser: random.Random, until: Callable[[Table], bool] = lambda _: False) -> int:
        """Plays random actions until a condition or the end; returns their number, at most max_steps."""
        limit = GAME.max_steps(self.options, self.batch.tables)
        for count in range(limit + 1):
            if self.done or until(self):
                return count
            self.act(chooser.choice(self.actions))
        raise AssertionError("the game goes on after max_steps actions")

    def states(self, chooser: random.Random) -> Iterator[Table]:
        """Plays a random game and yields the table before every action and at the end."""
        for _ in range(GAME.max_steps(self.options, self.batch.tables) + 1):
            yield self
            if self.done:
                return
            self.act(chooser.choice(self.actions))
        raise AssertionError("the game goes on after max_steps actions")

    def see(self, seat: int) -> Any:
        """Returns what a seat observes, as a function from the name of a field to its values."""
        observation = self.batch.observe(np.array([seat]))[0]
        return functools.partial(GAME.observation.read, observation)

    def observation(self, seat: int) -> bytes:
        return self.batch.observe(np.array([seat])).tobytes()

    def copy(self) -> Table:
        new = object.__new__(Table)
        new.options, new.batch = self.options, self.batch.copy()
        return new

    def changed(self, **fields: Any) -> Table:
        """Returns another table with some fields of the position changed."""
        position = self.now
        for name, field_value in fields.items():
            setattr(position, name, field_value)
        return Table(position)


def deals(number: int, **chosen: Any) -> Batch:
    """Returns a batch of freshly dealt games."""
    batch = Batch(GAME, number, **chosen)
    batch.reset(2024)
    return batch


def members(sets: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Returns sets of cards [...] as bool [..., 60]."""
    return (sets[..., None] >> np.arange(60, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)


def set_aside(unused: set[int], sums: Sequence[int | None], k: int) -> list[set[int]]:
    """Returns disjoint predictions of k unused cards each with these sums, None for any."""

    def choose(left: set[int], seats: list[int]) -> dict[int, set[int]] | None:
        if not seats:
            return {}
        for choice in combinations(sorted(left), k):
            if sums[seats[0]] in (None, value(choice)):
                others = choose(left - set(choice), seats[1:])
                if others is not None:
                    return {seats[0]: set(choice), **others}
        return None

    # Sums far from the middle are hardest to make, so they come first.
    order = sorted(range(len(sums)), key=lambda seat: -abs((sums[seat] or 7 * k) - 7 * k))
    found = choose(unused, order)
    if found is None:
        raise ValueError(f"there are no such predictions: {sums}")
    return [found[seat] for seat in range(len(sums))]


def before_scoring(
    chosen: ShadowCardsOptions, sums: Sequence[int | None], values: list[list[int]], round_no: int = 1
) -> Table:
    """Returns a table before the last claim of a round; the claim completes the values claimed.

    Args:
        chosen: The options.
        sums: P of each seat, None for any.
        values: Values that each seat has claimed in the end; the last seat with any claims the last of them.
        round_no: Number of the round.
    """
    unused = deck(chosen)

    def take(wanted: int) -> int:
        found = max(number for number in unused if number % 15 == wanted)
        unused.remove(found)
        return found

    claimed = [[take(wanted) for wanted in seat_values] for seat_values in values]
    assert chosen.prediction_cards is not None
    predictions = set_aside(unused, sums, chosen.prediction_cards)
    return last_claim(chosen, predictions, claimed, round_no)


def deck(chosen: ShadowCardsOptions) -> set[int]:
    return {suit * 15 + rank for suit in range(chosen.num_suits) for rank in range(chosen.num_ranks)}


def last_claim(
    chosen: ShadowCardsOptions, predictions: list[set[int]], claimed: list[list[int]], round_no: int = 1
) -> Table:
    """Returns a table before the last claim of a round.

    Args:
        chosen: The options.
        predictions: Cards set aside by seat.
        claimed: Cards claimed by seat in the end; the last seat with any claims the last of them now.
        round_no: Number of the round; the rounds before brought nothing.
    """
    n, tricks = chosen.num_players, chosen.num_tricks
    last = max(seat for seat in range(n) if claimed[seat])
    before = [set(own) for own in claimed]
    before[last].discard(claimed[last][-1])
    unused = sorted(deck(chosen).difference(*predictions, *claimed))
    trick: list[int | None] = [claimed[last][-1] if seat == last else unused.pop() for seat in range(n)]
    return Table(
        Position(
            chosen,
            phase=CLAIM,
            round_no=round_no,
            trick_no=tricks,
            lead=last,
            move=last,
            hands=[set() for _ in range(n)],
            predictions=predictions,
            played=[{*before[seat], trick[seat] or 0} for seat in range(n)],
            claimed=before,
            table=trick,
            extra=unused[:tricks] if n == 3 else [],
            results=[[(0, 0, 0)] * n for _ in range(round_no - 1)],
        )
    )


def scored(
    chosen: ShadowCardsOptions, sums: Sequence[int | None], values: list[list[int]], round_no: int = 1
) -> tuple[list[int], Table]:
    """Returns the experience of a round by seat, from :func:`before_scoring` over its last claim, and the table."""
    table = before_scoring(chosen, sums, values, round_no)
    last = max(seat for seat in range(chosen.num_players) if values[seat])
    card = table.now.table[last]
    assert card is not None
    table.do(f"claim {format_card(card)}")
    result = table.now.results[round_no - 1]
    for wanted, seat_values, (p, t, _) in zip(sums, values, result, strict=True):
        assert wanted in (None, p) and t == sum(seat_values)
    return [gain for _, _, gain in result], table


def gains_of(chosen: ShadowCardsOptions, sums: Sequence[int | None], values: list[list[int]]) -> list[int]:
    """Returns the experience of a round by seat."""
    return scored(chosen, sums, values)[0]
