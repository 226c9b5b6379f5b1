"""Text for Shadow Master: actions (``look 3``, ``toggle 3``, ``grab``, ``wait``) and whole positions as one line.

A position line is made of ``key=value`` words. Sets of dots are their digits one after the other; ``-`` is the empty
set, no action, or nothing. Lists by seat are separated by ``/``.

| key | value | when left out |
|:--|:--|:--|
| an option's name | its value | the default |
| seed | the seed of the game | 0 |
| phase | commit or end | commit |
| round, tick | numbers from 1; tick 0 at the end | 1, 1 (end: 0) |
| pass | finished passes through the deck | 0 |
| used | numbers of the cards dealt in this pass, the present one among them: ``3,17`` | the present card |
| card | number of the shadow card in its deck, from 0 | 0 |
| colour | white, blue or yellow: the colour in play | that of the farthest field (SM-08) |
| number | N | the number of targets if these are given, else 3 (pocket 2); 0 at the end |
| targets | set of dots | the N lowest dots |
| visibility | nine numbers separated by ``,``, by dot | 0.5 each (0 in pocket and at the end) |
| objects | number of the object at dot 0, 1, ..., 8 as nine digits | 012345678 |
| move | seat to move | the first seat without a coin; 0 at the end |
| positions | by seat | 0 |
| coins | coin by seat, 0 for none | 0 |
| grabbed | by seat, tick in which the coin was taken, 0 for none | 1 with a coin, else 0 |
| cubes | set of dots by seat | empty |
| looks | by seat, nine numbers separated by ``,``, or 0 for nine zeros | 0 |
| evidence | by seat, nine numbers separated by ``,``, in nats, or 0 for nine zeros | 0 |
| commits | by seat, the action committed in this tick: ``look:3/-/grab/wait`` | seats before the one to move wait |
| last | the round before (at the end: the last one): ``targets:cubes:coins:points``, the last three by seat | nothing |
| grain | only in sampled worlds with detail 'grains': ``seat:seed:stop`` | nobody |
| rewards | of the last action, by seat | 0 |

The coins in the middle, the end and the winners follow from these. Evidence and visibility are 32-bit floats, written
with as few digits as tell them apart.

What a position holds besides the rules: in a round the seats without a coin commit in ascending order; as soon as the
last has committed, the tick is resolved in the same step, and after the last tick of a round the round is scored and
the next one dealt in that step too. So no position ever shows a finished tick or round. At the end of the game the
table is cleared (SM-55): tick, number and visibility are 0, the sets, coins, looks, evidence and grab ticks are empty,
``objects`` is 012345678, while round, pass, used, card and colour stay those of the last round; ``last`` holds its
result.
In pocket there is no deck: card 0, pass 0, no used card, colour white; objects 0 and 1 are the targets, shuffled over
dots 0 to 3, and objects 4 to 8 stay at dots 4 to 8.

Random draws are those that ``spec.STREAM_*`` describe. The next card is the first of the shuffled pass that is not in
``used``. The k-th look of seat s at dot i (k = its looks at i before + 1) adds to its evidence e[j] of every dot j, in
32-bit floats with no operation fused or reordered:

    reach = clarity for j = i, else clarity * periphery
    m     = reach * visibility[j]
    e[j]  = e[j] + ((m if j is a target else -m) + sqrt(2 * m) * z[j])

where z[j] is entry q of the table of normals, q being the 16-bit number of dot j (spec.STREAM_LOOK). With periphery 0
the other dots stay as they are. In pocket e[i] goes up by float32(ln 9) if dot i is a target and the look right, or
neither, and down by it otherwise; other dots stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from shadowenvs.game import NO_ACTION
from shadowenvs.games.shadow_master.spec import (
    ACTIONS,
    COLOUR_NAMES,
    GRAB,
    MAX_CARDS,
    MAX_GAIN,
    MAX_NUMBER,
    NUM_DOTS,
    PHASE_NAMES,
    POCKET_DOTS,
    POCKET_NUMBER,
    STATE,
    TOGGLE_0,
    WAIT,
    WHITE,
    ShadowMasterOptions,
)
from shadowenvs.notation import EMPTY, by_seat, join_words, split_words, whole_number

_MAX_POSITION = 10_000
_USUAL_VISIBILITY = ",".join(["0.5"] * NUM_DOTS)
_Item = TypeVar("_Item")


def format_action(_: ShadowMasterOptions, action: int) -> str:
    """Returns an action in words, as ``look 3``.

    Raises:
        ValueError: The number is not an action.
    """
    if not 0 <= action < ACTIONS.size:
        raise ValueError(f"{action} is not an action; actions are 0 to {ACTIONS.size - 1}")
    if action == GRAB:
        return "grab"
    if action == WAIT:
        return "wait"
    return f"look {action}" if action < TOGGLE_0 else f"toggle {action - TOGGLE_0}"


_ACTIONS = {format_action(ShadowMasterOptions(), action): action for action in range(ACTIONS.size)}


def parse_action(_: ShadowMasterOptions, text: str) -> int:
    """Returns the action of a text like ``look 3``.

    Raises:
        ValueError: The text is not an action.
    """
    word = " ".join(text.lower().split())
    if word not in _ACTIONS:
        raise ValueError(f"{text!r} is not an action; actions are 'look' or 'toggle' and a dot, 'grab' and 'wait'")
    return _ACTIONS[word]


@dataclass
class LastRound:
    """A finished round: what all have learnt of it.

    Attributes:
        targets: Set of dots.
        cubes: Set of dots by seat.
        coins: By seat, 0 for none.
        points: By seat.
    """

    targets: set[int]
    cubes: list[set[int]]
    coins: list[int]
    points: list[int]


@dataclass
class Position:
    """A state of Shadow Master in plain Python; lists have one entry a seat or one a dot. See the module for the end.

    Attributes:
        options: The game's options.
        seed: 64-bit seed of the game.
        done: Whether the game is over.
        round_no: From 1.
        tick: The tick that is being committed, from 1; 0 at the end.
        pass_no: Finished passes through the deck.
        used: Cards dealt in this pass, the present one among them.
        card: The shadow card.
        colour: Colour in play, index into COLOUR_NAMES.
        number: N.
        targets: Dots in the shadow.
        visibility: By dot; each is exactly a 32-bit float.
        objects: Number of the object at each dot.
        move: Seat to move; 0 at the end.
        positions: Field of each token.
        coins: Coin of each seat, 0 for none.
        grab_ticks: Tick in which each seat got its coin, 0 for none.
        cubes: Dots with a cube of each seat.
        looks: By seat and dot, this round.
        evidence: By seat and dot, in nats; each is exactly a 32-bit float.
        commits: Action that each seat has committed in this tick, None.
        last: The round before, at the end the last one; None in round 1.
        grain: Sampled worlds with detail 'grains': seat, seed and last tick of the grain that it sees; else None.
        rewards: Of the last action.
    """

    options: ShadowMasterOptions
    seed: int = 0
    done: bool = False
    round_no: int = 1
    tick: int = 1
    pass_no: int = 0
    used: set[int] = field(default_factory=set)
    card: int = 0
    colour: int = WHITE
    number: int = 3
    targets: set[int] = field(default_factory=set)
    visibility: list[float] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    move: int = 0
    positions: list[int] = field(default_factory=list)
    coins: list[int] = field(default_factory=list)
    grab_ticks: list[int] = field(default_factory=list)
    cubes: list[set[int]] = field(default_factory=list)
    looks: list[list[int]] = field(default_factory=list)
    evidence: list[list[float]] = field(default_factory=list)
    commits: list[int | None] = field(default_factory=list)
    last: LastRound | None = None
    grain: tuple[int, int, int] | None = None
    rewards: list[float] = field(default_factory=list)

    def text(self) -> str:
        """Returns the position as one line."""

        def seats(items: Iterable[_Item], form: Callable[[_Item], str] = str) -> str:
            return "/".join(form(item) for item in items)

        def commit(action: int | None) -> str:
            return EMPTY if action is None else format_action(self.options, action).replace(" ", ":")

        words = {
            "seed": str(self.seed),
            "phase": PHASE_NAMES[self.done],
            "round": str(self.round_no),
            "tick": str(self.tick),
            "pass": str(self.pass_no) if self.pass_no else "",
            "used": ",".join(map(str, sorted(self.used))) or EMPTY,
            "card": str(self.card),
            "colour": COLOUR_NAMES[self.colour],
            "number": str(self.number),
            "targets": _format_dots(self.targets),
            "visibility": _format_numbers(self.visibility),
            "objects": "".join(map(str, self.objects)),
            "move": str(self.move),
            "positions": seats(self.positions),
            "coins": seats(self.coins) if any(self.coins) else "",
            "grabbed": seats(self.grab_ticks) if any(self.coins) or any(self.grab_ticks) else "",
            "cubes": seats(self.cubes, _format_dots) if any(self.cubes) else "",
            "looks": seats(self.looks, _format_numbers) if any(map(any, self.looks)) else "",
            "evidence": seats(self.evidence, _format_numbers) if any(map(any, self.evidence)) else "",
            "commits": seats(self.commits, commit) if any(action is not None for action in self.commits) else "",
        }
        if self.last is not None:
            last = self.last
            parts = [seats(last.cubes, _format_dots), seats(last.coins), seats(last.points)]
            words["last"] = ":".join([_format_dots(last.targets), *parts])
        if self.grain is not None:
            words["grain"] = ":".join(map(str, self.grain))
        if any(self.rewards):
            words["rewards"] = seats(self.rewards, lambda reward: repr(float(reward)))
        return join_words({key: word for key, word in words.items() if word}, self.options)


_KEYS = (
    *("seed", "phase", "round", "tick", "pass", "used", "card", "colour", "number", "targets", "visibility", "objects"),
    *("move", "positions", "coins", "grabbed", "cubes", "looks", "evidence", "commits", "last", "grain", "rewards"),
)


def _format_dots(dots: Iterable[int]) -> str:
    return "".join(map(str, sorted(dots))) or EMPTY


def _parse_dots(key: str, text: str) -> set[int]:
    if text == EMPTY:
        return set()
    if not text.isdecimal() or "9" in text or len(set(text)) != len(text):
        raise ValueError(f"{key}: {text!r} is not a set of dots; dots are the digits 0 to 8, as 047")
    return {int(digit) for digit in text}


def _format_float(value: float) -> str:
    if value == 0 and not np.signbit(value):
        return "0"
    return str(np.format_float_positional(np.float32(value), unique=True, trim="-"))


def _format_numbers(values: Sequence[float]) -> str:
    return ",".join(map(_format_float, values)) if any(values) or any(np.signbit(values)) else "0"


def _parse_numbers(key: str, text: str) -> list[float]:
    """Returns nine numbers, each exactly a 32-bit float."""
    if text == "0":
        return [0.0] * NUM_DOTS
    try:
        values = [float(np.float32(part)) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{key}: {text!r} is not a list of numbers") from None
    if len(values) != NUM_DOTS:
        raise ValueError(f"{key} must list {NUM_DOTS} numbers separated by ',', not {len(values)}")
    if not np.isfinite(values).all():
        raise ValueError(f"{key}: {text!r} holds a number that is not finite")
    return values


def parse(text: str) -> Position:
    """Reads a position line; what it leaves out is as the table above says.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    words, options = split_words(text, _KEYS, ShadowMasterOptions)
    n, seats = options.num_players, range(options.num_players)
    assert options.tick_cap is not None

    def number(key: str, default: int, low: int, high: int) -> int:
        return whole_number(key, words[key], low, high) if key in words else default

    def numbers(key: str, high: int) -> list[int]:
        return [whole_number(key, part, 0, high) for part in by_seat(key, words[key], n)] if key in words else [0] * n

    if words.get("phase", "commit") not in PHASE_NAMES:
        raise ValueError(f"phase must be one of {', '.join(PHASE_NAMES)}, not {words['phase']!r}")
    done = words.get("phase") == "end"
    card = number("card", 0, 0, MAX_CARDS - 1)
    positions, coins = numbers("positions", _MAX_POSITION), numbers("coins", options.num_coins)
    targets = _parse_dots("targets", words["targets"]) if "targets" in words else None
    usual = POCKET_NUMBER if options.is_pocket else 3
    if done:
        usual = 0
    elif targets is not None:
        usual = len(targets)
    sought = number("number", usual, 0, MAX_NUMBER)
    empty = done or options.is_pocket
    position = Position(
        options=options,
        seed=number("seed", 0, 0, 2**64 - 1),
        done=done,
        round_no=number("round", 1, 1, 1000),
        tick=number("tick", 0 if done else 1, 0, options.tick_cap),
        pass_no=number("pass", 0, 0, 1000),
        used=_parse_used(words["used"]) if "used" in words else set() if options.is_pocket else {card},
        card=card,
        colour=_parse_colour(words["colour"]) if "colour" in words else _colour_in_play(options, positions),
        number=sought,
        targets=set(range(sought)) if targets is None else targets,
        visibility=_parse_numbers("visibility", words.get("visibility", "0" if empty else _USUAL_VISIBILITY)),
        objects=[int(digit) for digit in _parse_objects(words.get("objects", "012345678"))],
        move=number("move", 0 if done or all(coins) else coins.index(0), 0, n - 1),
        positions=positions,
        coins=coins,
        grab_ticks=numbers("grabbed", options.tick_cap) if "grabbed" in words else [int(coin > 0) for coin in coins],
        cubes=[set() for _ in seats],
        looks=[[0] * NUM_DOTS for _ in seats],
        evidence=[[0.0] * NUM_DOTS for _ in seats],
        commits=[None] * n,
        last=_parse_last(words["last"], n) if "last" in words else None,
        grain=_parse_grain(words["grain"], options) if "grain" in words else None,
        rewards=[0.0] * n,
    )
    if "cubes" in words:
        position.cubes = [_parse_dots("cubes", part) for part in by_seat("cubes", words["cubes"], n)]
    if "looks" in words:
        rows = [_parse_numbers("looks", part) for part in by_seat("looks", words["looks"], n)]
        position.looks = [[whole_number("looks", f"{value:g}", 0, 120) for value in row] for row in rows]
    if "evidence" in words:
        position.evidence = [_parse_numbers("evidence", part) for part in by_seat("evidence", words["evidence"], n)]
    if "commits" in words:
        parts = by_seat("commits", words["commits"], n)
        position.commits = [None if part == EMPTY else parse_action(options, part.replace(":", " ")) for part in parts]
    elif not done:
        position.commits = [WAIT if seat < position.move and not coins[seat] else None for seat in seats]
    if "rewards" in words:
        position.rewards = [_parse_reward(part) for part in by_seat("rewards", words["rewards"], n)]
    _check(position)
    return position


def _parse_reward(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"rewards: {text!r} is not a number") from None


def _parse_colour(text: str) -> int:
    if text not in COLOUR_NAMES:
        raise ValueError(f"colour must be one of {', '.join(COLOUR_NAMES)}, not {text!r}")
    return COLOUR_NAMES.index(text)


def _parse_used(text: str) -> set[int]:
    return set() if text == EMPTY else {whole_number("used", part, 0, MAX_CARDS - 1) for part in text.split(",")}


def _parse_objects(text: str) -> str:
    if sorted(text) != list("012345678"):
        raise ValueError(f"objects must be the digits 0 to 8 in some order, not {text!r}")
    return text


def _parse_last(text: str, n: int) -> LastRound:
    parts = text.split(":")
    if len(parts) != 4:
        raise ValueError(f"last must be targets:cubes:coins:points, not {text!r}")
    targets, cubes, coins, points = parts
    return LastRound(
        targets=_parse_dots("last", targets),
        cubes=[_parse_dots("last", part) for part in by_seat("last", cubes, n)],
        coins=[whole_number("last", part, 0, n - 1) for part in by_seat("last", coins, n)],
        points=[whole_number("last", part, 0, MAX_GAIN) for part in by_seat("last", points, n)],
    )


def _parse_grain(text: str, options: ShadowMasterOptions) -> tuple[int, int, int]:
    parts = text.split(":")
    assert options.tick_cap is not None
    if len(parts) != 3:
        raise ValueError(f"grain must be seat:seed:stop, not {text!r}")
    bounds = (options.num_players - 1, 2**64 - 1, options.tick_cap)
    seat, seed, stop = (whole_number("grain", part, 0, high) for part, high in zip(parts, bounds, strict=True))
    return seat, seed, stop


def _colour_in_play(options: ShadowMasterOptions, positions: Sequence[int]) -> int:
    """SM-08; a token beyond the last field, at the end, counts as on it."""
    return WHITE if options.is_pocket else options.colours[min(max(positions), options.last_field)]


def _check(position: Position) -> None:
    """Refuses positions that break a rule about cubes, coins or targets."""
    options, number = position.options, position.number
    last_dot = (POCKET_DOTS if options.is_pocket else NUM_DOTS) - 1
    if len(position.targets) != number:
        raise ValueError(f"targets are {len(position.targets)}, but number is {number}")
    if position.done != (number == 0) or position.done != (position.tick == 0):
        raise ValueError(f"number and tick must be 0 at the end and only there, not {number} and {position.tick}")
    for seat, cubes in enumerate(position.cubes):
        if len(cubes) > number:
            raise ValueError(f"cubes: seat {seat} has {len(cubes)}, but number is {number}")
        if max(cubes | position.targets, default=0) > last_dot:
            raise ValueError(f"targets and cubes lie on dots 0 to {last_dot}")
    taken = sorted(coin for coin in position.coins if coin)
    if taken != list(range(options.num_coins - len(taken) + 1, options.num_coins + 1)):
        raise ValueError(f"coins: {taken} are taken, but the highest coin, {options.num_coins}, goes first")
    if not position.done and position.coins[position.move]:
        raise ValueError(f"move: seat {position.move} has a coin")
    for seat, action in enumerate(position.commits):
        if (action is not None) != (not position.done and seat < position.move and not position.coins[seat]):
            raise ValueError(f"commits: exactly the seats without a coin before seat {position.move} have committed")


# ------------------------------------------------------------------------------------------------------------- states


def _bits(dots: Iterable[int]) -> int:
    return sum(1 << dot for dot in dots)


def _dots(bits: int) -> set[int]:
    return {dot for dot in range(NUM_DOTS) if int(bits) >> dot & 1}


def to_state(position: Position) -> np.recarray:
    """Returns the position as a state recarray [1]."""
    state = np.zeros(1, STATE)
    row = state[0]
    n = position.options.num_players
    row["options"] = position.options.pack()
    row["seed"] = position.seed
    row["round_no"], row["tick"], row["pass_no"] = position.round_no, position.tick, position.pass_no
    for card in position.used:
        row["used"][card // 64] |= np.uint64(1 << card % 64)
    row["card"], row["colour"], row["number_sought"] = position.card, position.colour, position.number
    row["targets"] = _bits(position.targets)
    row["visibility"], row["objects"] = position.visibility, position.objects
    row["to_move"] = position.move
    row["points"][:n] = position.positions
    row["coins"][:n], row["grab_ticks"][:n] = position.coins, position.grab_ticks
    row["coins_left"] = position.options.num_coins - sum(coin > 0 for coin in position.coins)
    row["cubes"][:n] = [_bits(cubes) for cubes in position.cubes]
    row["looks"][:n], row["evidence"][:n] = position.looks, position.evidence
    row["commits"] = NO_ACTION
    row["commits"][:n] = [NO_ACTION if action is None else action for action in position.commits]
    if position.last is not None:
        last = position.last
        row["last_targets"] = _bits(last.targets)
        row["last_cubes"][:n] = [_bits(cubes) for cubes in last.cubes]
        row["last_coins"][:n], row["last_points"][:n] = last.coins, last.points
    row["grain_seat"] = -1
    if position.grain is not None:
        row["grain_seat"], row["grain_seed"], row["grain_stop"] = position.grain
    row["rewards"][:n] = position.rewards
    row["done"] = position.done
    row["winners"] = _bits(winners(position)) if position.done else 0
    return state.view(np.recarray)


def winners(position: Position) -> set[int]:
    """Returns who wins a finished game (SM-58 to SM-60)."""
    options = position.options
    seats = range(options.num_players)
    coins = position.last.coins if position.last is not None else [0] * len(seats)
    positions = position.positions
    keys = [(positions[seat], coins[seat]) for seat in seats]
    candidates = list(seats)
    if options.finish == "coin" and not options.is_pocket and max(positions) >= options.last_field:
        candidates = [seat for seat in seats if positions[seat] >= options.last_field]
        keys = [(coins[seat], positions[seat]) for seat in seats]
    best = max(keys[seat] for seat in candidates)
    return {seat for seat in candidates if keys[seat] == best}


def from_state(options: ShadowMasterOptions, state: np.recarray) -> Position:
    """Returns a state recarray [1] as a position."""
    row = state[0]
    n = options.num_players
    has_last = bool(row["last_targets"])
    return Position(
        options=options,
        seed=int(row["seed"]),
        done=bool(row["done"]),
        round_no=int(row["round_no"]),
        tick=int(row["tick"]),
        pass_no=int(row["pass_no"]),
        used={card for card in range(MAX_CARDS) if int(row["used"][card // 64]) >> card % 64 & 1},
        card=int(row["card"]),
        colour=int(row["colour"]),
        number=int(row["number_sought"]),
        targets=_dots(row["targets"]),
        visibility=[float(value) for value in row["visibility"]],
        objects=[int(value) for value in row["objects"]],
        move=int(row["to_move"]),
        positions=[int(value) for value in row["points"][:n]],
        coins=[int(value) for value in row["coins"][:n]],
        grab_ticks=[int(value) for value in row["grab_ticks"][:n]],
        cubes=[_dots(bits) for bits in row["cubes"][:n]],
        looks=[[int(value) for value in seat] for seat in row["looks"][:n]],
        evidence=[[float(value) for value in seat] for seat in row["evidence"][:n]],
        commits=[None if action == NO_ACTION else int(action) for action in row["commits"][:n]],
        last=LastRound(
            targets=_dots(row["last_targets"]),
            cubes=[_dots(bits) for bits in row["last_cubes"][:n]],
            coins=[int(value) for value in row["last_coins"][:n]],
            points=[int(value) for value in row["last_points"][:n]],
        )
        if has_last
        else None,
        grain=(int(row["grain_seat"]), int(row["grain_seed"]), int(row["grain_stop"]))
        if row["grain_seat"] >= 0
        else None,
        rewards=[float(reward) for reward in row["rewards"][:n]],
    )


def format_position(options: ShadowMasterOptions, state: np.recarray) -> str:
    """Returns a state recarray [1] as one line."""
    return from_state(options, state).text()


def parse_position(text: str) -> tuple[ShadowMasterOptions, np.recarray]:
    """Returns options and state recarray [1] of a position line.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    position = parse(text)
    return position.options, to_state(position)
