"""Shadow Master a second time: slow, plain Python written from the rule file alone, to check the compiled game.

Clause ids (SM-nn) are those of the rule file. Sets of dots are Python sets; coin 0 is no coin. The order in which a
look adds up 32-bit floats, and the places of all random draws, are those that the notation and the spec state.
"""

from __future__ import annotations

import functools
import hashlib
import math
import os
import tempfile
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_master import deck
from shadowenvs.games.shadow_master.notation import LastRound, Position

# The action layout of section 3.
LOOK_FIRST, TOGGLE_FIRST, GRAB, WAIT = 0, 9, 18, 19
WHITE, BLUE, YELLOW = range(3)  # SM-04

STREAM_DECK, STREAM_DOTS, STREAM_LOOK, STREAM_GRABS = (rng.GAME_STREAMS + number for number in range(4))

# ------------------------------------------------------------------------------------------------ options worth testing

OTHER_DECKS = {
    # Numbers from 1 to 5 with any sum (SM-14).
    "five": """
        [[card]]
        white = { letter = "A", dots = [0] }
        blue = { letter = "B", dots = [1, 3, 5, 7, 8] }
        yellow = { letter = "C", dots = [4, 8] }
        [[card]]
        white = { letter = "J", dots = [0, 1, 2, 3, 4] }
        blue = { letter = "I", dots = [8] }
        yellow = { letter = "H", dots = [2, 4, 6, 8] }
        [[card]]
        white = { letter = "C", dots = [5, 6, 7] }
        blue = { letter = "A", dots = [0, 8] }
        yellow = { letter = "B", dots = [3] }
        [[card]]
        white = { letter = "D", dots = [1, 4, 7, 8] }
        blue = { letter = "E", dots = [0, 2, 4] }
        yellow = { letter = "F", dots = [0, 1, 2, 3, 8] }
        [[card]]
        white = { letter = "G", dots = [2, 7] }
        blue = { letter = "J", dots = [5, 6, 7, 8] }
        yellow = { letter = "A", dots = [0, 3, 6] }
    """,
    "single": """
        [[card]]
        white = { letter = "B", dots = [3] }
        blue = { letter = "F", dots = [0, 2, 7, 8] }
        yellow = { letter = "A", dots = [4, 5] }
    """,
}


def deck_file(name: str) -> str:
    """Returns the path of one of the other decks; the file lies among the temporary ones, always at the same place."""
    text = textwrap.dedent(OTHER_DECKS[name]).lstrip()
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    path = Path(tempfile.gettempdir()) / f"shadow-master-{name}-{digest}.toml"
    if not path.exists():
        # Written elsewhere first, so that nobody reads half a file.
        handle, other = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(other).chmod(0o644)
        Path(other).replace(path)
    return str(path)


def option_sets() -> dict[str, dict[str, Any]]:
    """Returns options for random games by a short label, besides the defaults of 3 to 6 players."""
    five, single = deck_file("five"), deck_file("single")
    colours = ("white", "white", "yellow", "yellow", "blue", "white", "blue")
    return {
        "2-pocket": {"num_players": 2, "variant": "pocket", "reward": "points"},
        "2-pocket-any": {
            "num_players": 2,
            "variant": "pocket",
            "reward": "points",
            "grab_rule": "any",
            "coinless": "nothing",
            "clarity": 9.0,
            "periphery": 1.0,
        },
        "2-players": {"num_players": 2, "two_player": True},
        "2-small": {"num_players": 2, "two_player": True, "last_field": 4, "tick_cap": 9, "reward": "points"},
        "2-pixels": {
            "num_players": 2,
            "two_player": True,
            "mode": "pixels",
            "last_field": 10,
            "tick_cap": 25,
            "grab_rule": "any",
            "finish": "coin",
        },
        "2-deck-again": {
            "num_players": 2,
            "two_player": True,
            "deck": five,
            "deck_end": "reshuffle",
            "max_rounds": 17,
            "tick_cap": 6,
            "last_field": 118,
            "coinless": "nothing",
        },
        "3-any-coin": {"num_players": 3, "grab_rule": "any", "finish": "coin", "reward": "points"},
        "3-capped": {"num_players": 3, "tick_cap": 5, "finish": "coin", "last_field": 7, "coinless": "nothing"},
        "3-one-tick": {"num_players": 3, "tick_cap": 1, "grab_rule": "any", "deck_end": "reshuffle", "max_rounds": 90},
        "3-printed": {"num_players": 3, "dots": "printed", "deck": 7, "last_field": 13, "periphery": 0.0},
        "3-pixels-grains": {
            "num_players": 3,
            "mode": "pixels",
            "detail": "grains",
            "grain_rate": 0.3,
            "tick_cap": 12,
            "last_field": 4,
            "reward": "points",
        },
        "3-deck-ends": {"num_players": 3, "deck": five, "last_field": 22, "tick_cap": 8, "finish": "coin"},
        "3-one-card": {"num_players": 3, "deck": single, "last_field": 7, "grab_rule": "any", "reward": "points"},
        "4-small": {"num_players": 4, "last_field": 4, "reward": "points"},
        "4-any": {"num_players": 4, "grab_rule": "any", "coinless": "nothing", "last_field": 16},
        "4-coin": {"num_players": 4, "finish": "coin", "last_field": 4, "grab_rule": "any"},
        "4-clear": {"num_players": 4, "clarity": 100.0, "periphery": 1.0, "last_field": 7, "tick_cap": 50},
        "4-dim": {"num_players": 4, "clarity": 0.1, "periphery": 0.7, "last_field": 10, "tick_cap": 30},
        "4-colours": {"num_players": 4, "last_field": 6, "field_colours": colours, "tick_cap": 15},
        "4-deck-again": {
            "num_players": 4,
            "deck": single,
            "deck_end": "reshuffle",
            "max_rounds": 7,
            "last_field": 40,
            "dots": "printed",
            "tick_cap": 10,
            "finish": "coin",
        },
        "4-pixels": {"num_players": 4, "mode": "pixels", "dots": "printed", "last_field": 10, "deck": 7},
        "5-longest-ticks": {"num_players": 5, "tick_cap": 120, "last_field": 7, "periphery": 0.1},
        "5-deck-ends": {"num_players": 5, "deck": five, "tick_cap": 20, "grab_rule": "any", "coinless": "nothing"},
        "5-coin": {"num_players": 5, "finish": "coin", "last_field": 10, "tick_cap": 10, "reward": "points"},
        "5-long-board": {"num_players": 5, "last_field": 118, "grab_rule": "any", "tick_cap": 7},
        "6-small": {"num_players": 6, "last_field": 4, "tick_cap": 30, "finish": "coin"},
        "6-any": {
            "num_players": 6,
            "grab_rule": "any",
            "coinless": "nothing",
            "finish": "coin",
            "last_field": 13,
            "clarity": 24.0,
            "dots": "printed",
            "reward": "points",
        },
        "6-deck-again": {
            "num_players": 6,
            "deck": five,
            "deck_end": "reshuffle",
            "last_field": 25,
            "tick_cap": 12,
            "periphery": 0.0,
            "max_rounds": 30,
        },
    }


# ------------------------------------------------------------------------------------------------------------ the deck


@dataclass(frozen=True)
class Card:
    """A shadow card (SM-11); lists in the order white, blue, yellow.

    Attributes:
        letters: A = 0.
        numbers: How many objects of each square are in the picture.
        answers: These objects.
        visibility: By square and object, 32-bit floats.
    """

    letters: list[int]
    numbers: list[int]
    answers: list[set[int]]
    visibility: list[list[float]]


def _cards(found: deck.Deck) -> list[Card]:
    return [
        Card(
            letters=found.letters[card].tolist(),
            numbers=found.numbers[card].tolist(),
            answers=[set(np.flatnonzero(row).tolist()) for row in found.answers[card]],
            visibility=found.visibility[card].tolist(),
        )
        for card in range(len(found.letters))
    ]


@functools.cache
def _lasting_cards(name: str | int) -> list[Card]:
    return _cards(deck.find(name))


def cards_of(options: Any, seed: int) -> list[Card]:
    """Returns the shadow cards of a game with this seed; none in pocket (section 10)."""
    if options.variant == "pocket":
        return []
    return _cards(deck.find("fresh", seed)) if options.deck == "fresh" else _lasting_cards(options.deck)


@functools.cache
def normals() -> list[float]:
    """Returns the table of normal quantiles (4.2)."""
    return [float(value) for value in deck.load_normals()]


# ----------------------------------------------------------------------------------------------------------- the rules


def colours_of(options: Any) -> list[int]:
    """Returns the colours of the fields 0 to L (SM-03, SM-04)."""
    if options.field_colours == "cyclic":
        return [field % 3 for field in range(options.last_field + 1)]
    return ["wby".index(letter) for letter in options.field_colours]


def colour_in_play(options: Any, positions: Sequence[int]) -> int:
    """Returns the colour of the field of the foremost tokens when a round begins (SM-08, SM-09)."""
    if options.variant == "pocket":
        return WHITE  # no board
    return colours_of(options)[max(positions)]


def points_of(options: Any, number: int, targets: set[int], cubes: set[int], coin: int) -> int:
    """Returns the points of a seat in a round.

    Args:
        options: The game's options.
        number: N.
        targets: The dots in the shadow.
        cubes: The dots with a cube of the seat.
        coin: The seat's coin, 0 for none.
    """
    if coin == 0 and options.coinless == "nothing":
        return 0  # SM-52, SM-53
    hits = len(cubes & targets)  # SM-48, SM-49
    is_right = len(cubes) == number and cubes <= targets
    return hits + coin if is_right else hits  # SM-50, SM-51; coin 0: SM-52


def winners_of(options: Any, positions: Sequence[int], coins: Sequence[int]) -> set[int]:
    """Returns the seats that win a game that ends.

    Args:
        options: The game's options.
        positions: By seat, after the last round.
        coins: By seat, of the last round; 0 for none, and whether a coin scored is no matter (SM-59).
    """
    seats = range(len(positions))
    arrived = [seat for seat in seats if positions[seat] >= options.last_field]
    if options.variant == "pocket":
        arrived = []  # no board
    if options.finish == "coin" and arrived:
        order = {seat: (coins[seat], positions[seat]) for seat in arrived}  # SM-58
    else:  # SM-61: nobody has arrived, so the position decides whatever the option
        order = {seat: (positions[seat], coins[seat]) for seat in seats}  # SM-58, SM-59
    return {seat for seat in order if order[seat] == max(order.values())}  # SM-60


def ranks_of(options: Any, positions: Sequence[int], coins: Sequence[int]) -> list[int]:
    """Returns the rank of each seat at the end: 1 for winners, then by position and coin (SM-62)."""
    winners = winners_of(options, positions, coins)
    keys = [(1, 0, 0) if s in winners else (0, positions[s], coins[s]) for s in range(len(positions))]
    return [1 + sum(other > key for other in keys) for key in keys]


def win_share(n: int, winners: set[int]) -> list[float]:
    """Returns the rewards of the end of the game by seat (section 6), as 32-bit floats."""
    k = len(winners)
    won = float(np.float32((n - k) / (k * (n - 1))))  # 0 if all win
    lost = float(np.float32(-1 / (n - 1)))
    return [won if seat in winners else lost for seat in range(n)]


def points_reward(options: Any, points: Sequence[int]) -> list[float]:
    """Returns the rewards of a round with ``reward`` = 'points' by seat (section 6; 10 in pocket), as 32-bit floats."""
    if options.variant == "pocket":
        return [float(np.float32((points[seat] - points[1 - seat]) / 3)) for seat in (0, 1)]
    return [float(np.float32(gained / 10)) for gained in points]


def added_evidence(
    clarity: float, periphery: float, looked_at: bool, visibility: float, is_target: bool, z: float
) -> np.float32:
    """Returns what one look adds to the evidence about one dot (4.2), in 32-bit floats.

    Args:
        clarity: Nats per look at full visibility.
        periphery: Share of the clarity for the other dots.
        looked_at: Whether this is the dot that the seat looks at.
        visibility: Of the object at the dot.
        is_target: Whether the dot is a target.
        z: A standard normal number.
    """
    reach = np.float32(clarity) if looked_at else np.float32(clarity) * np.float32(periphery)
    mean = reach * np.float32(visibility)
    noise = np.sqrt(np.float32(2) * mean) * np.float32(z)
    change: np.float32 = (mean if is_target else -mean) + noise
    return change


def shown_evidence(evidence: float) -> int:
    """Returns evidence as a seat observes it: sixths of a nat, at most 120 (4.2)."""
    return max(-120, min(120, round(6 * evidence)))


def posterior(evidence: Sequence[float], number: int) -> dict[frozenset[int], float]:
    """Returns the chance of every set of N dots given the evidence about each dot (4.2)."""
    sums = {frozenset(dots): sum(evidence[i] for i in dots) for dots in combinations(range(len(evidence)), number)}
    highest = max(sums.values())
    weights = {dots: math.exp(total - highest) for dots, total in sums.items()}
    whole = sum(weights.values())
    return {dots: weight / whole for dots, weight in weights.items()}


class Oracle:
    """One game of Shadow Master.

    Attributes:
        to_move: Seat to move; 0 at the end.
        points: Positions of the tokens, by seat.
        winners: Seats that have won; empty before the end.
        done: Whether the game has ended.
        rewards: Of the last action, by seat.
    """

    def __init__(self, options: Any) -> None:
        self.options = options
        self.n: int = options.num_players
        self.is_pocket: bool = options.variant == "pocket"
        self.dots = range(4 if self.is_pocket else 9)
        self.seed = 0
        self.cards: list[Card] = []
        self._clear()

    def _clear(self) -> None:
        n = self.n
        self.points: list[int] = [0] * n  # SM-06
        self.winners: set[int] = set()
        self.done = False
        self.rewards: list[float] = [0.0] * n
        self.round_no = 0
        self.pass_no = 0
        self.used: set[int] = set()
        self.card = 0
        self.colour = WHITE
        self.last: LastRound | None = None
        self._clear_table()

    def _clear_table(self) -> None:
        """Takes everything off the table that belongs to one round (SM-24, SM-55)."""
        n = self.n
        self.tick = 0
        self.number = 0
        self.targets: set[int] = set()
        self.visibility = [0.0] * 9
        self.objects = list(range(9))
        self.coins = [0] * n
        self.grab_ticks = [0] * n
        self.cubes: list[set[int]] = [set() for _ in range(n)]
        self.looks = [[0] * 9 for _ in range(n)]
        self.evidence = [[np.float32(0)] * 9 for _ in range(n)]
        self.commits: list[int | None] = [None] * n
        self.grain: tuple[int, int, int] | None = None  # a sampled world keeps it for its present round
        self.to_move = 0

    # ------------------------------------------------------------------------------------------------------ set-up

    def deal(self, seed: int) -> None:
        """Starts a game from a 64-bit seed."""
        self.seed = seed
        self.cards = cards_of(self.options, seed)
        self._clear()
        self._start_round()

    @classmethod
    def from_position(cls, position: Position) -> Oracle:
        """Returns a game set up from a position."""
        game = cls(position.options)
        game.seed = position.seed
        game.cards = cards_of(position.options, position.seed)
        game.done = position.done
        game.round_no = position.round_no
        game.tick = position.tick
        game.pass_no = position.pass_no
        game.used = set(position.used)
        game.card = position.card
        game.colour = position.colour
        game.number = position.number
        game.targets = set(position.targets)
        game.visibility = list(position.visibility)
        game.objects = list(position.objects)
        game.to_move = position.move
        game.points = list(position.positions)
        game.coins = list(position.coins)
        game.grab_ticks = list(position.grab_ticks)
        game.cubes = [set(cubes) for cubes in position.cubes]
        game.looks = [list(row) for row in position.looks]
        game.evidence = [[np.float32(value) for value in row] for row in position.evidence]
        game.commits = list(position.commits)
        game.last = _copy_of_last(position.last)
        game.grain = position.grain
        game.rewards = list(position.rewards)
        if game.done:
            game.winners = winners_of(game.options, game.points, game.last.coins if game.last else game.coins)
        return game

    def position(self) -> Position:
        """Returns the complete state."""
        return Position(
            options=self.options,
            seed=self.seed,
            done=self.done,
            round_no=self.round_no,
            tick=self.tick,
            pass_no=self.pass_no,
            used=set(self.used),
            card=self.card,
            colour=self.colour,
            number=self.number,
            targets=set(self.targets),
            visibility=list(self.visibility),
            objects=list(self.objects),
            move=self.to_move,
            positions=list(self.points),
            coins=list(self.coins),
            grab_ticks=list(self.grab_ticks),
            cubes=[set(cubes) for cubes in self.cubes],
            looks=[list(row) for row in self.looks],
            evidence=[[float(value) for value in row] for row in self.evidence],
            commits=list(self.commits),
            last=_copy_of_last(self.last),
            grain=self.grain,
            rewards=list(self.rewards),
        )

    # ------------------------------------------------------------------------------------------------------- draws

    def _shuffled(self, stream: int, number: int, items: Collection[int]) -> list[int]:
        array = np.array(list(items), dtype=np.int64)
        rng.shuffle(np.uint64(self.seed), stream, number, array)
        return [int(item) for item in array]

    def _next_card(self) -> int:
        """Returns the next card of the shuffled deck (SM-16, SM-17)."""
        order = self._shuffled(STREAM_DECK, self.pass_no, range(len(self.cards)))
        return next(card for card in order if card not in self.used)

    def _objects_by_dot(self) -> list[int]:
        """Returns the object at each dot in this round."""
        if self.options.dots == "printed" and not self.is_pocket:
            return list(range(9))  # SM-22
        # SM-21. Section 10: in pocket the six target sets are equally likely.
        return self._shuffled(STREAM_DOTS, self.round_no, self.dots) + list(range(len(self.dots), 9))

    def _noise(self, seat: int, dot: int, look: int) -> list[float]:
        """Returns the normal numbers z of a seat's look-th look at a dot in this round, one for each dot."""
        place = ((9 * seat + dot) * 128 + look) * 2
        halves: list[int] = []
        for j in (place, place + 1):
            for word in rng.block(np.uint64(self.seed), STREAM_LOOK, self.round_no, j):
                halves += [int(word) % 65536, int(word) // 65536]
        return [normals()[half] for half in halves[:9]]

    def _is_look_right(self, seat: int, dot: int, look: int) -> bool:
        """Returns whether a look in pocket is right (section 10)."""
        place = ((9 * seat + dot) * 128 + look) * 2
        return int(rng.below(np.uint64(self.seed), STREAM_LOOK, self.round_no, place, 10)) != 9

    def _grab_order(self) -> list[int]:
        """Returns the order in which the grabs of this tick are served (SM-40)."""
        return self._shuffled(STREAM_GRABS, 128 * self.round_no + self.tick, range(self.n))

    # ----------------------------------------------------------------------------------------------------- actions

    @property
    def coins_left(self) -> list[int]:
        """The coins in the middle, ascending (SM-23); all of them at the end (SM-55)."""
        return [coin for coin in range(1, self.n) if coin not in self.coins]

    def seats_without_coin(self) -> list[int]:
        """Returns the seats that commit in this tick, in the order in which they do (SM-27, SM-29)."""
        return [] if self.done else [seat for seat in range(self.n) if self.coins[seat] == 0]

    def legal(self) -> set[int]:
        """Returns the legal actions of the seat to move; none at the end."""
        return self.legal_of(self.to_move)

    def legal_of(self, seat: int) -> set[int]:
        """Returns the legal actions of any seat in this tick, as before its first commit; none at the end."""
        if self.done:
            return set()
        if self.coins[seat] != 0:
            return {WAIT}  # SM-29, SM-43
        actions = {WAIT}  # SM-38
        if self.options.mode == "evidence":
            actions |= {LOOK_FIRST + dot for dot in self.dots}  # SM-31
        cubes = self.cubes[seat]
        # SM-33, SM-34, SM-35.
        actions |= {TOGGLE_FIRST + dot for dot in self.dots if dot in cubes or len(cubes) < self.number}
        if len(cubes) == self.number or self.options.grab_rule == "any":
            actions.add(GRAB)  # SM-36, SM-37
        return actions

    def step(self, action: int) -> None:
        """Commits an action of the seat to move.

        Raises:
            ValueError: The action is not legal; the state is as before (SM-39).
        """
        if action not in self.legal():
            raise ValueError(f"{action} is not a legal action")
        self.rewards = [0.0] * self.n
        self.commits[self.to_move] = action  # SM-28
        waiting = [seat for seat in self.seats_without_coin() if self.commits[seat] is None]
        if waiting:
            self.to_move = waiting[0]
        else:
            self._resolve_tick()

    # -------------------------------------------------------------------------------------------------- the machine

    def _start_round(self) -> None:
        """Starts the next round: colour, card, dots, in this order (SM-18)."""
        self._clear_table()
        self.round_no += 1
        self.colour = colour_in_play(self.options, self.points)
        if self.is_pocket:
            self.number = 2
            answers, visibility = {0, 1}, [0.0] * 9
        else:
            if len(self.used) == len(self.cards):
                self.pass_no += 1  # SM-61, 'reshuffle'
                self.used = set()
            self.card = self._next_card()
            self.used.add(self.card)  # SM-56
            card = self.cards[self.card]
            self.number = card.numbers[self.colour]  # SM-19
            answers, visibility = card.answers[self.colour], card.visibility[self.colour]
        self.objects = self._objects_by_dot()
        self.targets = {dot for dot in range(9) if self.objects[dot] in answers}  # SM-20
        self.visibility = [visibility[thing] for thing in self.objects]
        self._start_tick()

    def _start_tick(self) -> None:
        self.tick += 1
        self.commits = [None] * self.n
        self.to_move = self.seats_without_coin()[0]

    def _resolve_tick(self) -> None:
        chosen = {seat: action for seat, action in enumerate(self.commits) if action is not None}
        # SM-30: looks, toggles, grabs.
        for seat, action in chosen.items():
            if LOOK_FIRST <= action < TOGGLE_FIRST:
                self._look(seat, action - LOOK_FIRST)
        for seat, action in chosen.items():
            if TOGGLE_FIRST <= action < GRAB:
                self.cubes[seat] ^= {action - TOGGLE_FIRST}  # SM-32
        if GRAB in chosen.values():
            for seat in self._grab_order():
                if chosen.get(seat) == GRAB and self.coins_left:  # SM-42
                    self.coins[seat] = max(self.coins_left)  # SM-41
                    self.grab_ticks[seat] = self.tick
        if not self.coins_left or self.tick == self.options.tick_cap:
            self._end_round()  # SM-44, SM-45, SM-46
        else:
            self._start_tick()

    def _look(self, seat: int, dot: int) -> None:
        self.looks[seat][dot] += 1
        look = self.looks[seat][dot]
        evidence = self.evidence[seat]
        if self.is_pocket:
            points_up = (dot in self.targets) == self._is_look_right(seat, dot, look)
            nats = np.float32(math.log(9))
            evidence[dot] = evidence[dot] + (nats if points_up else -nats)
            return
        noise = self._noise(seat, dot, look)
        for other in self.dots:
            if other != dot and self.options.periphery == 0:
                continue  # SM-31
            evidence[other] = evidence[other] + added_evidence(
                *(self.options.clarity, self.options.periphery, other == dot),
                *(self.visibility[other], other in self.targets, noise[other]),
            )

    def _end_round(self) -> None:
        options = self.options
        points = [points_of(options, self.number, self.targets, self.cubes[s], self.coins[s]) for s in range(self.n)]
        self.last = LastRound(
            set(self.targets), [set(cubes) for cubes in self.cubes], list(self.coins), points
        )  # SM-47
        self.points = [field + gained for field, gained in zip(self.points, points, strict=True)]  # SM-54
        if self.is_pocket:
            over = True  # section 10: one round
        elif max(self.points) >= options.last_field:
            over = True  # SM-57
        elif options.deck_end == "end":
            over = len(self.used) == len(self.cards)  # SM-61
        else:
            over = self.round_no == options.max_rounds  # section 6
        if over:
            self.done = True
            self.winners = winners_of(options, self.points, self.coins)
        if options.reward == "points":
            self.rewards = points_reward(options, points)
        elif over:
            self.rewards = win_share(self.n, self.winners)
        if over:
            self._clear_table()  # SM-55
        else:
            self._start_round()


def _copy_of_last(last: LastRound | None) -> LastRound | None:
    if last is None:
        return None
    return LastRound(set(last.targets), [set(cubes) for cubes in last.cubes], list(last.coins), list(last.points))


# --------------------------------------------------------------------------------------------------------------- worlds


def known_to(position: Position, seat: int) -> list[Any]:
    """Returns all that a seat knows of a position (section 5 and the table of visibility in section 3)."""
    options = position.options
    public = [options, position.done, position.round_no, position.tick, position.pass_no, position.card, position.used]
    public += [position.colour, position.number, position.move, position.positions, position.coins]
    public += [position.grab_ticks, position.last, position.rewards]
    own = [position.cubes[seat], position.looks[seat], position.evidence[seat], position.commits[seat]]
    own += [[action is not None for action in position.commits]]  # follows from the order
    shown = [position.objects] if options.mode == "pixels" or options.dots == "printed" else []
    return public + own + shown


def faults(position: Position, seat: int, world: Position) -> list[str]:
    """Returns what is wrong with a world that a seat is to take for possible in a position (section 5)."""
    found = []
    options, number = position.options, position.number
    if known_to(world, seat) != known_to(position, seat):
        found.append("the seat sees a difference")
    if position.done:
        return found
    game = Oracle.from_position(world)
    if len(world.targets) != number or not world.targets <= set(game.dots):
        found.append("1: the targets are not N dots")
    if sorted(world.objects) != list(range(9)):
        found.append("the objects are not one for each dot")
    if not game.is_pocket:
        known = {v for card in game.cards for row in card.visibility for v in row}
        if not set(world.visibility) <= known:
            found.append("2: a visibility is not from the deck")
    for other in range(game.n):
        cubes, coin = len(world.cubes[other]), world.coins[other]
        if coin and cubes != number and options.grab_rule == "exact":
            found.append(f"3: seat {other} has a coin and {cubes} cubes")
        if not world.cubes[other] <= set(game.dots) or cubes > number:
            found.append(f"3: seat {other} has impossible cubes")
        ticks = world.grab_ticks[other] if coin else world.tick - 1
        if sum(world.looks[other]) + cubes + (coin > 0) > ticks:
            found.append(f"3: seat {other} cannot have done so much")
        if options.mode == "pixels" and any(world.looks[other]):
            found.append(f"3: seat {other} has looked")
        reached = world.looks[other] if options.periphery == 0 or game.is_pocket else [sum(world.looks[other])] * 9
        if any(value != 0 and not looks for value, looks in zip(world.evidence[other], reached, strict=True)):
            found.append(f"4: seat {other} has evidence without looks")
        action = world.commits[other]
        if action is not None and action not in game.legal_of(other):
            found.append(f"6: seat {other} has committed what is not legal")
    return found
