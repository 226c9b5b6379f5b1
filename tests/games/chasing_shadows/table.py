"""A table of the compiled game to set up and play in words, for the tests of its clauses.

Cards are written B4, R0, Y14, G3, sets of cards "B4 R0", suits "B R", actions "play B4" and "discard blue".
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from shadowenvs.batch import Batch
from shadowenvs.games.chasing_shadows import GAME
from shadowenvs.games.chasing_shadows.notation import (
    Boxes,
    Position,
    format_card,
    from_state,
    parse,
    parse_card,
    to_state,
)
from shadowenvs.games.chasing_shadows.spec import SUIT_LETTERS, SUIT_NAMES, ChasingShadowsOptions
from shadowenvs.jit import is_compiled

PLAY, DISCARD, END = range(3)
COUNTS = (3, 4, 5)


def few(compiled: int, uncompiled: int) -> int:
    """Returns a number of games or samples: uncompiled kernels are a thousand times slower."""
    return compiled if is_compiled() else uncompiled


def options(**chosen: Any) -> ChasingShadowsOptions:
    return ChasingShadowsOptions.make(**chosen)


def cards(text: str) -> list[int]:
    """Returns the cards of a text like "R4 Y0" in its order, none for "-"."""
    return [parse_card(word) for word in text.split() if word != "-"]


def words(numbers: Iterable[int]) -> str:
    """Returns cards in words, in ascending order of their numbers."""
    return " ".join(map(format_card, sorted(numbers))) or "-"


def suits(text: str) -> list[int]:
    """Returns the suits of a text like "R Y", ascending; none for "-"."""
    return sorted(SUIT_LETTERS.index(word) for word in text.split() if word != "-")


def suit_of(card: int) -> int:
    return card // 15


def rank_of(card: int) -> int:
    return card % 15


def deck(chosen: ChasingShadowsOptions) -> set[int]:
    return {suit * 15 + rank for suit in range(chosen.num_suits) for rank in range(chosen.num_ranks or 0)}


def members(bits: Any) -> set[int]:
    """Returns the cards of a bit set."""
    return {card for card in range(60) if int(bits) >> card & 1}


@functools.cache
def _batch(chosen: ChasingShadowsOptions) -> Batch:
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
    def at(cls, line: str) -> Table:
        """Sets up a position line."""
        return cls(parse(line))

    @classmethod
    def dealt(cls, seed: int, **chosen: Any) -> Table:
        """Deals a game."""
        table = object.__new__(cls)
        table.options = options(**chosen)
        table.batch = _batch(table.options).copy()
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

    @property
    def plays(self) -> str:
        """The cards that may be played, in words; "-" outside PLAY."""
        return words(action for action in self.actions if action < 60)

    @property
    def discards(self) -> list[int]:
        """The suits that may be discarded."""
        return [action - 60 for action in self.actions if action >= 60]

    def do(self, *actions: str) -> Table:
        """Carries out actions in words; each must be legal."""
        for action in actions:
            self.act(GAME.parse_action(self.options, action))
        return self

    def act(self, action: int) -> None:
        self.batch.step(np.array([action]))

    def states(
        self, chooser: random.Random | None = None, until: Callable[[Table], bool] | None = None
    ) -> Iterator[Table]:
        """Plays random actions and yields the table before each of them and at the end."""
        chooser = chooser or random.Random(0)
        for _ in range(GAME.max_steps(self.options, self.batch.tables) + 1):
            yield self
            if self.done or (until is not None and until(self)):
                return
            self.act(chooser.choice(self.actions))
        raise AssertionError("the game goes on after max_steps actions")

    def run(self, chooser: random.Random | None = None, until: Callable[[Table], bool] | None = None) -> Table:
        """Plays random actions until a condition or the end."""
        for _ in self.states(chooser, until):
            pass
        return self

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


def suit_name(letter: str) -> str:
    return SUIT_NAMES[SUIT_LETTERS.index(letter)]


def fill(used: set[int], sizes: Sequence[int], pool: Iterable[int]) -> list[set[int]]:
    """Returns sets of these sizes of cards of a pool that are not used yet, and marks them as used."""
    free = [card for card in pool if card not in used]
    groups = []
    for size in sizes:
        groups.append(set(free[:size]))
        free = free[size:]
    used |= set().union(*groups)
    return groups


def trick_so_far(
    n: int, spotlight: str, played: str, hand: str, remaining: str, lead: int = 0, phase: int = PLAY, keep: int = 2
) -> Table:
    """Returns a table amid a trick of round 1.

    Args:
        n: Seats.
        spotlight: The spotlight card.
        played: The cards on the table in the order of play from the leader on.
        hand: The hand of the seat to move.
        remaining: Suits of the remaining follow cards.
        lead: The leader.
        phase: PLAY or DISCARD.
        keep: Cards in the hands of the other seats that have played; those to come hold one more.
    """
    chosen = options(num_players=n, num_ranks=15, hand_size=11)
    on_table = cards(played)
    used = {*cards(spotlight), *on_table, *cards(hand)}
    move = (lead + len(on_table) - (phase == DISCARD)) % n
    order = [(lead + place) % n for place in range(n)]
    table: list[int | None] = [None] * n
    for seat, card in zip(order, on_table, strict=False):
        table[seat] = card
    sizes = [0 if seat == move else keep + (table[seat] is None) for seat in range(n)]
    hands = fill(used, sizes, sorted(deck(chosen), key=lambda card: (rank_of(card), card)))
    hands[move] = set(cards(hand))
    return Table(
        Position(
            *(chosen, 0, phase, 1, 1, lead, lead, move),
            spotlight=cards(spotlight)[0],
            follow=suits(remaining),
            hands=hands,
            taken=[set() for _ in range(n)],
            table=table,
        )
    )


def before_scoring(
    chosen: ChasingShadowsOptions,
    scored: Sequence[Iterable[int]],
    *,
    round_no: int = 1,
    boxes: list[list[Boxes]] | None = None,
    unplayed: dict[int, int] | None = None,
) -> tuple[Table, int]:
    """Returns a table before the last play of a round, and the play.

    Args:
        chosen: The options.
        scored: The cards that each seat scores in the end, at least one; some seat must score two.
        round_no: Number of the round.
        boxes: Score sheets of the rounds before; empty ones by default.
        unplayed: The unplayed card of some seats.
    """
    n = chosen.num_players
    sets = [set(group) for group in scored]
    winner = max(range(n), key=lambda seat: len(sets[seat]))
    last = {seat: (unplayed or {}).get(seat, min(sets[seat])) for seat in range(n)}
    spotlight = max(sets[winner] - {last[winner]})
    free = sorted(deck(chosen).difference(*sets))
    lower = [card for card in free if rank_of(card) < rank_of(spotlight)]
    # The winner plays last, so that it needs no more than an equal card.
    winning = max(lower or free, key=rank_of)
    others = [card for card in free if card != winning]
    lead = (winner + 1) % n
    table = [None if seat == winner else others.pop() for seat in range(n)]
    hands = [{last[seat]} for seat in range(n)]
    hands[winner].add(winning)
    taken = [sets[seat] - {last[seat]} for seat in range(n)]
    taken[winner].remove(spotlight)
    empty: Boxes = [None] * 4
    position = Position(
        *(chosen, 0, PLAY, round_no, chosen.num_tricks, 0, lead, winner),
        spotlight=spotlight,
        follow=[suit_of(winning)],
        hands=hands,
        taken=taken,
        table=list(table),
        boxes=boxes or [[list(empty) for _ in range(n)] for _ in range(round_no - 1)],
    )
    return Table(position), winning


def box_of(ranks: Iterable[int]) -> int | None:
    """What the ranks of one suit score, in other words than the game's: for the set-up of tests."""
    ordered = sorted(ranks)
    if len(ordered) < 2:
        return None if not ordered else (ordered[0] or 15)
    half = len(ordered) // 2
    return sum(ordered[:half]) + (sum(ordered[half:]) if len(ordered) % 2 else 0)


def ranks_scoring(score: int | None) -> list[int]:
    """Returns ranks of one suit with a score from 0 to 39; none for None."""
    if score is None:
        return []
    for num in (1, 2, 3):
        for ranks in combinations(range(15), num):
            if box_of(ranks) == score:
                return list(ranks)
    raise ValueError(f"no three ranks score {score}")
