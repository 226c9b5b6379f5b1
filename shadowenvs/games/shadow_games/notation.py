"""Text for Shadow Games: actions (``play Heckler``) and whole positions as one line of ``key=value`` words.

Kinds of cards are numbered in the order of the deck file. In actions they go by name (a number without a card by
``#11``), in positions by letter: ``a`` is the first kind of the file, ``l`` the twelfth; ``-`` is nothing. Seats are
digits.

| key | value |
|:--|:--|
| an option's name | its value; left out where it is the default for that number of players |
| seed | the seed of the game |
| phase | play, declare, target, challenge, favour, bonus_target, recipient, pick, discard, take or over |
| turn | number of the turn, from 1 |
| actor, move | seat whose turn it is; seat to move |
| part | plotting or agents: phase of the turn |
| plotted | 1 from the end of a play in the Plotting phase until the turn ends |
| hands | cards by seat: ``aad/bc`` |
| known | cards by seat that all others know to be in the hand, or put down face down or set aside from it |
| stock | the deck, top first (``deck`` is the option) |
| pile | the discard pile, bottom first, top last |
| seen | who knows each card of the pile, bottom first: seats, ``*`` for all, ``-`` for none: ``*/02/-/*`` |
| favours | by seat Team.Union.Guild: ``1.1.1/2.0.1`` |
| shields | seats with a protection token: ``02`` |
| marks | types by seat in which the streak mark is on, of TUG: ``T/-/UG`` |
| table | the card on the table |
| declared, target | of the play |
| passed, challenger | of the poll: seats; a seat |
| step | list and step being resolved: ``effect:0``, ``bonus:1`` |
| carried | 1 if the step before it was carried out |
| left | cards still to pick or to discard |
| bonus_target, recipient | seats |
| blocked | seats whose token this play has spent |
| aside | cards set aside by a discard step, in the order of choice |
| rebuilds | how often the deck was rebuilt |
| plays, bluffs, polls, challenges, challenges_won | counts by seat: ``1/0/2`` |
| rewards | of the last action, by seat; left out where all are 0 |
| winners | at the end: seats |
| forfeit | 1 if an illegal action ended the game |

A line may leave out words. Then the favours are as at the start, the hands as full as at the start of that turn (cards
that no other word places, in file order), the stock all cards that no other word places, in file order, and the rest
empty; every pile card is known to all.

Conventions, for whoever deals or steps positions independently. All draws are functions of :mod:`shadowenvs.rng`,
which use nothing up: the seed never changes.

* First seat: option ``first_seat``, or ``below(seed, STREAM_FIRST, 0, 0, n)``.
* Set-up: the list ``options.load_deck().kinds()`` (kinds ascending) is shuffled by ``shuffle(seed, STREAM_DECK, 0,
  list)``. The result is the deck, top first: a draw takes its first element. Seat 0 draws ``hand_keep`` cards, then
  seat 1, and so on; then the first turn begins.
* Rebuilding number r = 1, 2, ...: the pile, bottom first, is shuffled by ``shuffle(seed, STREAM_DECK, r, list)`` and
  becomes the deck, top first.
* Poll: the next seat asked is one of the candidates: the seats other than the actor that hold a favour and are not in
  ``passed``, listed clockwise from the actor. ``clockwise`` asks the first of them. ``random`` asks candidate number
  ``below(seed, STREAM_POLL, p, q, len(candidates))``, where p is the number of plays before this one in the game (the
  sum of ``plays``) and q the number of seats in ``passed``.
* Counts: ``plays`` and ``bluffs`` go up when the card is turned up, ``polls`` with PASS and CHALLENGE, ``challenges``
  with CHALLENGE, ``challenges_won`` when a challenged card is turned up and is a bluff.
* Between plays (phase play) and at the end everything from ``table`` to ``aside`` is empty. At the end, in addition,
  ``part`` is plotting, ``plotted`` False and ``move`` 0, while ``actor`` and ``turn`` stay those of the last turn.
  Under ``turn_start`` the turn at whose start a seat wins has begun: it is counted and its actor is the winner, but
  nobody has drawn and no token was given back.
* ``passed`` and ``challenger`` stay until the play is over. While a step waits for a choice, ``step`` is that step;
  ``recipient`` is set only while the type of the bribe is being chosen. In the phase bonus_target ``step`` is
  ``bonus:0``, in take it is ``effect:0``; ``carried`` is False in both.
* ``blocked`` is used under ``protection=single`` only.
* ``known`` of a seat is a part of its hand, face-down table card and cards set aside. It changes only as SG-113 to
  SG-116 say; for a discard step this happens when its last card is chosen, and it is then that the cards set aside go
  to the pile. SG-116 looks at both seats just before the rebuilding.
* SG-111: the copy that becomes unknown to a seat is the topmost copy of that kind which the seat still knows in the
  pile, the taken one being gone.
* Rewards are float32. With m(p) = min(victory, most favours of one type of p) and N(p) = (n - 1) m(p) - (sum of m
  over the other seats), an integer, ``favours`` adds (N after - N before) / (4 victory (n - 1)) per action, one
  division; N after the last action is 0.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from shadowenvs.games.shadow_games.deck import FAVOUR_NAMES, MAX_CARDS, MAX_KINDS
from shadowenvs.games.shadow_games.spec import (
    ACTIONS,
    AGENTS,
    CHALLENGE,
    DECLARE,
    MAX_ASIDE,
    NONE,
    OVER,
    PART_NAMES,
    PHASE_NAMES,
    PLAY,
    STATE,
    TARGET,
    ShadowGamesOptions,
)
from shadowenvs.notation import EMPTY, by_seat, join_words, split_words, whole_number

KIND_LETTERS = "abcdefghijkl"
TYPE_LETTERS = "TUG"
LIST_NAMES = ("effect", "bonus")
COUNTS = ("plays", "bluffs", "polls", "challenges", "challenges_won")
FACE_DOWN = (DECLARE, TARGET, CHALLENGE)  # phases in which the card on the table is hidden

# ---------------------------------------------------------------------------------------------------------- actions


def kind_name(options: ShadowGamesOptions, kind: int) -> str:
    """Returns the name of a kind, ``#11`` for a number beyond the deck's kinds."""
    names = options.load_deck().names
    return names[kind] if kind < len(names) else f"#{kind}"


def parse_kind(options: ShadowGamesOptions, text: str) -> int:
    """Returns the number of a kind from its name, or raises ValueError."""
    names = [kind_name(options, kind) for kind in range(MAX_KINDS)]
    if text in names:
        return names.index(text)
    alike = [kind for kind, name in enumerate(names) if name.casefold() == text.casefold()]
    if len(alike) != 1:
        raise ValueError(f"{text!r} is not a card; cards are {', '.join(options.load_deck().names)}")
    return alike[0]


def format_action(options: ShadowGamesOptions, action: int) -> str:
    """Returns an action in words, as ``play Heckler``.

    Raises:
        ValueError: The number is not an action.
    """
    if not 0 <= action < ACTIONS.size:
        raise ValueError(f"{action} is not an action; actions are 0 to {ACTIONS.size - 1}")
    name, number = _block_of(action)
    word = name.lower()
    if name in ("PLAY", "DECLARE", "PICK", "DISCARD"):
        return f"{word} {kind_name(options, number)}"
    if name == "SEAT":
        return f"{word} +{number + 1}"
    return f"{word} {FAVOUR_NAMES[number].capitalize()}" if name == "FAVOUR" else word


def parse_action(options: ShadowGamesOptions, text: str) -> int:
    """Returns the action of a text like ``play Heckler``.

    Raises:
        ValueError: The text is not an action.
    """
    word, _, rest = text.strip().partition(" ")
    name, rest = word.upper(), rest.strip()
    first = ACTIONS.first.get(name, NONE)
    if name in ("PLAY", "DECLARE", "PICK", "DISCARD") and rest:
        return first + parse_kind(options, rest)
    if name == "SEAT" and rest in _SEATS:
        return first + _SEATS.index(rest)
    if name == "FAVOUR" and rest.lower() in FAVOUR_NAMES:
        return first + FAVOUR_NAMES.index(rest.lower())
    if name in ("SKIP", "PASS", "CHALLENGE", "LEAVE") and not rest:
        return first
    raise ValueError(
        f"{text!r} is not an action; actions are 'play', 'declare', 'pick' or 'discard' and a card, 'seat' +1 to "
        f"+{len(_SEATS)}, 'favour' Team, Union or Guild, 'skip', 'pass', 'challenge' and 'leave'"
    )


@functools.cache
def _block_of(action: int) -> tuple[str, int]:
    """Returns the block of an action and its number within the block."""
    for block in reversed(ACTIONS.blocks):
        if action >= ACTIONS.first[block.name]:
            return block.name, action - ACTIONS.first[block.name]
    raise AssertionError


_SEATS = [f"+{number + 1}" for number in range(next(block.count for block in ACTIONS.blocks if block.name == "SEAT"))]

# --------------------------------------------------------------------------------------------------------- position


@dataclass
class Position:
    """A state of Shadow Games in plain Python.

    Kinds, seats, types (Team 0, Union 1, Guild 2) are numbers; lists with an entry a seat have ``num_players`` entries.

    Attributes:
        options: The game's options.
        seed: 64-bit seed of the game.
        phase: Index into PHASE_NAMES.
        turn: Number of the turn, from 1; at the end that of the last one.
        actor: Seat whose turn it is; at the end that of the last turn.
        move: Seat to move; 0 at the end.
        agents: Whether it is the Agents phase; False at the end.
        plotted: Whether the Plotting phase of this turn is over and a card was played in it; False at the end.
        hands: Kinds in each hand, ascending.
        known: Kinds that all other seats know to be in each hand (SG-113), ascending.
        deck: Kinds, top first.
        pile: Kinds, bottom first.
        seen: For each card of the pile, the seats that know it (SG-110).
        favours: For each seat, for each of the three types; 0 for types that are not in play.
        shields: Seats with a protection token; all other tokens are in the reserve.
        marks: For each seat, the types whose streak mark is on.
        table: Kind of the card on the table, face down up to the phase challenge, then turned up; None.
        declared: Kind, None.
        target: Seat, None.
        passed: Seats that have passed in the poll of this play.
        challenger: Seat, None.
        bonus: Whether the bonus is being resolved (or its target chosen), not the effect.
        step: Number of the step being resolved, from 0.
        carried: Whether the step before it in the same list was carried out; False for the first.
        left: Phases pick and discard: cards that may or must still be chosen, the present one included; else 0.
        bonus_target: Seat, None.
        recipient: Seat that gets the bribe whose type is being chosen, None.
        blocked: Seats whose token this play has spent (SG-82).
        aside: Kinds set aside by the discard step, in the order of choice.
        rebuilds: How often the deck was rebuilt.
        plays, bluffs, polls, challenges, challenges_won: Counts of the whole game.
        rewards: Of the last action.
        winners: Winning seats; empty before the end.
        forfeit: Whether the game ended by an illegal action; phase and move are then as they were.
    """

    options: ShadowGamesOptions
    seed: int = 0
    phase: int = PLAY
    turn: int = 1
    actor: int = 0
    move: int = 0
    agents: bool = False
    plotted: bool = False
    hands: list[list[int]] = field(default_factory=list)
    known: list[list[int]] = field(default_factory=list)
    deck: list[int] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    seen: list[set[int]] = field(default_factory=list)
    favours: list[list[int]] = field(default_factory=list)
    shields: set[int] = field(default_factory=set)
    marks: list[set[int]] = field(default_factory=list)
    table: int | None = None
    declared: int | None = None
    target: int | None = None
    passed: set[int] = field(default_factory=set)
    challenger: int | None = None
    bonus: bool = False
    step: int = 0
    carried: bool = False
    left: int = 0
    bonus_target: int | None = None
    recipient: int | None = None
    blocked: set[int] = field(default_factory=set)
    aside: list[int] = field(default_factory=list)
    rebuilds: int = 0
    plays: list[int] = field(default_factory=list)
    bluffs: list[int] = field(default_factory=list)
    polls: list[int] = field(default_factory=list)
    challenges: list[int] = field(default_factory=list)
    challenges_won: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    winners: set[int] = field(default_factory=set)
    forfeit: bool = False

    @property
    def reserve(self) -> list[int]:
        """Favours of each type in the reserve: those that no seat holds (SG-04)."""
        in_play = self.options.favour_types
        total = [self.options.total_favour if t < in_play else 0 for t in range(len(FAVOUR_NAMES))]
        return [total[t] - sum(pool[t] for pool in self.favours) for t in range(len(FAVOUR_NAMES))]

    @property
    def reserve_tokens(self) -> int:
        """Protection tokens in the reserve."""
        assert self.options.tokens is not None
        return self.options.tokens - len(self.shields)

    @property
    def face_down(self) -> bool:
        """Whether the card on the table is still hidden."""
        return self.phase in FACE_DOWN

    @property
    def points(self) -> list[int]:
        """For each seat the most favours of one type (SG-133)."""
        return [max(pool) for pool in self.favours]

    def text(self) -> str:
        """Returns the position as one line."""
        everybody = set(range(self.options.num_players))

        def seats(chosen: Iterable[int]) -> str:
            return "".join(map(str, sorted(chosen))) or EMPTY

        def hands(groups: Iterable[Iterable[int]]) -> str:
            return "/".join(format_kinds(sorted(kinds)) for kinds in groups)

        def one(value: int | None) -> str:
            return "" if value is None else str(value)

        def kind(value: int | None) -> str:
            return "" if value is None else format_kinds([value])

        always = {
            "seed": str(self.seed),
            "phase": PHASE_NAMES[self.phase],
            "turn": str(self.turn),
            "actor": str(self.actor),
            "move": str(self.move),
            "hands": hands(self.hands),
            "stock": format_kinds(self.deck),
            "favours": "/".join(".".join(map(str, pool)) for pool in self.favours),
        }
        sometimes = {
            "part": PART_NAMES[AGENTS] if self.agents else "",
            "plotted": "1" if self.plotted else "",
            "known": hands(self.known),
            "pile": format_kinds(self.pile),
            "seen": "/".join("*" if who == everybody else seats(who) for who in self.seen),
            "shields": seats(self.shields),
            "marks": "/".join("".join(TYPE_LETTERS[t] for t in sorted(types)) or EMPTY for types in self.marks),
            "table": kind(self.table),
            "declared": kind(self.declared),
            "target": one(self.target),
            "passed": seats(self.passed),
            "challenger": one(self.challenger),
            "step": f"{LIST_NAMES[self.bonus]}:{self.step}" if self.bonus or self.step else "",
            "carried": "1" if self.carried else "",
            "left": str(self.left) if self.left else "",
            "bonus_target": one(self.bonus_target),
            "recipient": one(self.recipient),
            "blocked": seats(self.blocked),
            "aside": format_kinds(self.aside),
            "rebuilds": str(self.rebuilds) if self.rebuilds else "",
            **{name: "/".join(map(str, getattr(self, name))) if any(getattr(self, name)) else "" for name in COUNTS},
            "rewards": "/".join(repr(float(reward)) for reward in self.rewards) if any(self.rewards) else "",
            "winners": seats(self.winners),
            "forfeit": "1" if self.forfeit else "",
        }
        if all(who == everybody for who in self.seen):
            del sometimes["seen"]
        shown = {key: word for key, word in sometimes.items() if word.strip("-/")}
        line = join_words({**always, **shown}, self.options)
        # The path of a deck may contain blanks.
        return line.replace(f"deck={self.options.deck}", f"deck={quote(self.options.deck, safe=_SAFE)}", 1)


_SAFE = "/\\:~+,;@()[]!'$&#="
_KEYS = (
    *("seed", "phase", "turn", "actor", "move", "part", "plotted", "hands", "known", "stock", "pile", "seen"),
    *("favours", "shields", "marks", "table", "declared", "target", "passed", "challenger", "step", "carried", "left"),
    *("bonus_target", "recipient", "blocked", "aside", "rebuilds", *COUNTS, "rewards", "winners", "forfeit"),
)


class _WrittenOptions(ShadowGamesOptions):
    """Options as a position line writes them."""

    @classmethod
    def make(cls, **options: Any) -> Any:
        if "deck" in options:
            options["deck"] = unquote(options["deck"])
        return ShadowGamesOptions.make(**options)


def format_kinds(kinds: Iterable[int]) -> str:
    """Returns kinds as letters, ``-`` for none."""
    return "".join(KIND_LETTERS[kind] for kind in kinds) or EMPTY


class _Words:
    """The words of a line, read by what they mean; the defaults are empty."""

    def __init__(self, words: dict[str, str], options: ShadowGamesOptions) -> None:
        self.words = words
        self.n = options.num_players
        self.num_kinds = len(options.load_deck().cards)

    def __contains__(self, key: str) -> bool:
        return key in self.words

    def number(self, key: str, default: int, low: int, high: int) -> int:
        return whole_number(key, self.words[key], low, high) if key in self.words else default

    def seat(self, key: str) -> int | None:
        return whole_number(key, self.words[key], 0, self.n - 1) if key in self.words else None

    def kinds_in(self, key: str, text: str) -> list[int]:
        allowed = KIND_LETTERS[: self.num_kinds]
        if text != EMPTY and not set(text) <= set(allowed):
            raise ValueError(f"{key}: {text!r} is not a list of cards; the kinds of this deck are {allowed}")
        return [KIND_LETTERS.index(letter) for letter in text if letter != EMPTY]

    def kinds(self, key: str) -> list[int]:
        return self.kinds_in(key, self.words.get(key, EMPTY))

    def kind(self, key: str) -> int | None:
        kinds = self.kinds(key)
        if len(kinds) > 1:
            raise ValueError(f"{key} must be one card, not {self.words[key]!r}")
        return kinds[0] if kinds else None

    def hands(self, key: str) -> list[list[int]]:
        if key not in self.words:
            return [[] for _ in range(self.n)]
        return [sorted(self.kinds_in(key, part)) for part in by_seat(key, self.words[key], self.n)]

    def seats_in(self, key: str, text: str) -> set[int]:
        if text == "*":
            return set(range(self.n))
        allowed = "0123456789"[: self.n]
        if text != EMPTY and not set(text) <= set(allowed):
            raise ValueError(f"{key}: {text!r} is not a list of seats; seats are {allowed}")
        return {int(digit) for digit in text if digit != EMPTY}

    def seats(self, key: str) -> set[int]:
        return self.seats_in(key, self.words.get(key, EMPTY))

    def numbers(self, key: str, low: int, high: int) -> list[int]:
        if key not in self.words:
            return [0] * self.n
        return [whole_number(key, part, low, high) for part in by_seat(key, self.words[key], self.n)]

    def choice(self, key: str, words: Sequence[str], default: int) -> int:
        word = self.words.get(key, words[default])
        if word not in words:
            raise ValueError(f"{key} must be one of {', '.join(words)}, not {word!r}")
        return words.index(word)


def parse(text: str) -> Position:
    """Reads a position line; see the top of this module for what a line may leave out.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    found, options = split_words(text, _KEYS, _WrittenOptions)
    words = _Words(found, options)
    n = options.num_players
    assert options.max_turns is not None
    phase = words.choice("phase", PHASE_NAMES, PLAY)
    actor = words.number("actor", 0, 0, n - 1)
    list_name, _, step = found.get("step", "effect:0").partition(":")
    if list_name not in LIST_NAMES or step not in ("0", "1", "2", "3"):
        raise ValueError(f"step must be 'effect' or 'bonus' and a number 0 to 3, as 'bonus:1', not {found['step']!r}")
    pile = words.kinds("pile")
    position = Position(
        options=options,
        seed=words.number("seed", 0, 0, 2**64 - 1),
        phase=phase,
        turn=words.number("turn", 1, 1, options.max_turns),
        actor=actor,
        move=words.number("move", 0 if phase == OVER else actor, 0, n - 1),
        agents=words.choice("part", PART_NAMES, 0) == AGENTS,
        plotted=words.number("plotted", 0, 0, 1) == 1,
        hands=words.hands("hands"),
        known=words.hands("known"),
        deck=words.kinds("stock"),
        pile=pile,
        seen=[set(range(n)) for _ in pile],
        favours=_parse_favours(found, options),
        shields=words.seats("shields"),
        marks=[set() for _ in range(n)],
        table=words.kind("table"),
        declared=words.kind("declared"),
        target=words.seat("target"),
        passed=words.seats("passed"),
        challenger=words.seat("challenger"),
        bonus=LIST_NAMES.index(list_name) == 1,
        step=int(step),
        carried=words.number("carried", 0, 0, 1) == 1,
        left=words.number("left", 0, 0, MAX_ASIDE),
        bonus_target=words.seat("bonus_target"),
        recipient=words.seat("recipient"),
        blocked=words.seats("blocked"),
        aside=words.kinds("aside"),
        rebuilds=words.number("rebuilds", 0, 0, 2**31 - 1),
        **{name: words.numbers(name, 0, 2**15 - 1) for name in COUNTS},
        rewards=[0.0] * n,
        winners=words.seats("winners"),
        forfeit=words.number("forfeit", 0, 0, 1) == 1,
    )
    if "seen" in words and pile:
        position.seen = [words.seats_in("seen", part) for part in found["seen"].split("/")]
    if "marks" in words:
        position.marks = [_parse_types(part) for part in by_seat("marks", found["marks"], n)]
    if "rewards" in words:
        position.rewards = [_parse_reward(part) for part in by_seat("rewards", found["rewards"], n)]
    _fill_cards(position, "hands" in words, "stock" in words)
    _check(position)
    return position


def _parse_favours(words: dict[str, str], options: ShadowGamesOptions) -> list[list[int]]:
    types = len(FAVOUR_NAMES)
    if "favours" not in words:
        pool = [options.start_favour if t < options.favour_types else 0 for t in range(types)]
        return [list(pool) for _ in range(options.num_players)]
    pools = []
    for part in by_seat("favours", words["favours"], options.num_players):
        numbers = part.split(".")
        if len(numbers) != types:
            raise ValueError(f"favours: {part!r} is not Team.Union.Guild")
        limits = [options.total_favour if t < options.favour_types else 0 for t in range(types)]
        pools.append([whole_number("favours", numbers[t], 0, limits[t]) for t in range(types)])
    return pools


def _parse_types(text: str) -> set[int]:
    if text != EMPTY and not set(text) <= set(TYPE_LETTERS):
        raise ValueError(f"marks: {text!r} is not a list of types; types are {TYPE_LETTERS}")
    return {TYPE_LETTERS.index(letter) for letter in text if letter != EMPTY}


def _parse_reward(text: str) -> float:
    try:
        return float(np.float32(text))
    except ValueError:
        raise ValueError(f"rewards: {text!r} is not a number") from None


def _fill_cards(position: Position, has_hands: bool, has_stock: bool) -> None:
    """Places the cards that the line leaves out, in file order: in hands that are not given, then in the stock."""
    options = position.options
    placed = Counter(position.pile + position.aside + position.deck)
    placed.update(kind for hand in position.hands for kind in hand)
    if position.table is not None:
        placed[position.table] += 1
    left = options.load_deck().kinds()
    for kind, copies in placed.items():
        for _ in range(min(copies, left.count(kind))):
            left.remove(kind)
    if not has_hands:
        for seat in range(options.num_players):
            own_turn = seat == position.actor and position.phase != OVER
            size = options.hand_draw if own_turn else options.hand_keep
            if seat == position.actor:
                size = max(0, size - len(position.aside) - (position.table is not None))
            position.hands[seat], left = sorted(left[:size]), left[size:]
    if not has_stock:
        position.deck = left


def _check(position: Position) -> None:
    """Refuses positions that no record can hold or whose cards, favours or tokens do not add up."""
    options = position.options
    deck = options.load_deck()
    cards = Counter(position.deck + position.pile + position.aside)
    cards.update(kind for hand in position.hands for kind in hand)
    if position.table is not None:
        cards[position.table] += 1
    for kind, card in enumerate(deck.cards):
        if cards[kind] != card.copies:
            raise ValueError(
                f"card {KIND_LETTERS[kind]} ({card.name}) stands {cards[kind]} times in the position, but the deck has "
                f"{card.copies}"
            )
    for seat, known in enumerate(position.known):
        held = Counter(position.hands[seat])
        if seat == position.actor:
            held.update(position.aside)
            if position.face_down and position.table is not None:
                held[position.table] += 1
        if Counter(known) - held:
            raise ValueError(f"known: seat {seat} does not hold {format_kinds(known)}")
    if len(position.seen) != len(position.pile):
        raise ValueError(f"seen must list {len(position.pile)} pile cards separated by '/', not {len(position.seen)}")
    if len(position.aside) > MAX_ASIDE:
        raise ValueError(f"aside must be at most {MAX_ASIDE} cards, not {len(position.aside)}")
    if min(position.reserve) < 0:
        raise ValueError(f"favours: the game has {options.total_favour} of each type, fewer than the seats hold")
    if position.reserve_tokens < 0:
        raise ValueError(f"shields: the game has {options.tokens} tokens, fewer than {len(position.shields)}")
    hidden = position.phase in FACE_DOWN or PLAY < position.phase < OVER
    if hidden != (position.table is not None):
        raise ValueError(f"table: in phase {PHASE_NAMES[position.phase]} there is {'a' if hidden else 'no'} card there")


# ------------------------------------------------------------------------------------------------------------ state


def to_state(position: Position) -> np.recarray:
    """Returns the position as a state recarray [1]."""
    state = np.zeros(1, STATE)
    row = state[0]
    n = position.options.num_players

    def bits(members: Iterable[int]) -> int:
        return sum(1 << member for member in members)

    def or_none(value: int | None) -> int:
        return NONE if value is None else value

    row["options"] = position.options.pack()
    row["seed"] = position.seed
    row["phase"], row["turn_no"], row["actor"], row["to_move"] = (
        *(position.phase, position.turn, position.actor, position.move),
    )
    row["part"], row["plotted"] = position.agents, position.plotted
    row["favour"][:n], row["reserve"] = position.favours, position.reserve
    row["points"][:n] = position.points
    row["shields"] = bits(position.shields)
    row["marks"][:n] = [bits(types) for types in position.marks]
    for name in ("table", "declared", "target", "challenger", "bonus_target", "recipient"):
        row["table_kind" if name == "table" else name] = or_none(getattr(position, name))
    row["passed"], row["blocked"] = bits(position.passed), bits(position.blocked)
    row["list_no"], row["step_no"] = position.bonus, position.step
    row["carried"], row["left"] = position.carried, position.left
    row["aside"] = NONE
    row["aside"][: len(position.aside)] = position.aside
    for seat in range(n):
        row["hand_size"][seat] = len(position.hands[seat])
        for kind in position.hands[seat]:
            row["hand"][seat, kind] += 1
        for kind in position.known[seat]:
            row["known"][seat, kind] += 1
    row["deck_size"], row["pile_size"] = len(position.deck), len(position.pile)
    row["cards"] = NONE
    row["cards"][: len(position.pile)] = position.pile
    row["cards"][MAX_CARDS - len(position.deck) :] = position.deck
    row["seen"][: len(position.pile)] = [bits(who) for who in position.seen]
    row["any_known"] = bits(seat for seat in range(n) if position.known[seat])
    row["rebuilds"] = position.rebuilds
    for name in COUNTS:
        row[name][:n] = getattr(position, name)
    row["rewards"][: len(position.rewards)] = position.rewards
    row["winners"] = bits(position.winners)
    row["done"] = position.phase == OVER or position.forfeit
    return state.view(np.recarray)


def from_state(options: ShadowGamesOptions, state: np.recarray) -> Position:
    """Returns a state recarray [1] as a position."""
    row = state[0]
    n = options.num_players

    def members(bits: Any, among: int = n) -> set[int]:
        return {member for member in range(among) if int(bits) >> member & 1}

    def or_none(name: str) -> int | None:
        return None if row[name] == NONE else int(row[name])

    def by_kind(counts: Any) -> list[int]:
        return [kind for kind in range(MAX_KINDS) for _ in range(int(counts[kind]))]

    pile_size, deck_size = int(row["pile_size"]), int(row["deck_size"])
    return Position(
        options=options,
        seed=int(row["seed"]),
        phase=int(row["phase"]),
        turn=int(row["turn_no"]),
        actor=int(row["actor"]),
        move=int(row["to_move"]),
        agents=row["part"] == AGENTS,
        plotted=bool(row["plotted"]),
        hands=[by_kind(row["hand"][seat]) for seat in range(n)],
        known=[by_kind(row["known"][seat]) for seat in range(n)],
        deck=row["cards"][MAX_CARDS - deck_size :].tolist(),
        pile=row["cards"][:pile_size].tolist(),
        seen=[members(row["seen"][place]) for place in range(pile_size)],
        favours=row["favour"][:n].tolist(),
        shields=members(row["shields"]),
        marks=[members(row["marks"][seat], len(FAVOUR_NAMES)) for seat in range(n)],
        table=or_none("table_kind"),
        declared=or_none("declared"),
        target=or_none("target"),
        passed=members(row["passed"]),
        challenger=or_none("challenger"),
        bonus=bool(row["list_no"]),
        step=int(row["step_no"]),
        carried=bool(row["carried"]),
        left=int(row["left"]),
        bonus_target=or_none("bonus_target"),
        recipient=or_none("recipient"),
        blocked=members(row["blocked"]),
        aside=[int(kind) for kind in row["aside"] if kind != NONE],
        rebuilds=int(row["rebuilds"]),
        **{name: row[name][:n].tolist() for name in COUNTS},
        rewards=[float(reward) for reward in row["rewards"][:n]],
        winners=members(row["winners"]),
        forfeit=bool(row["done"]) and row["phase"] != OVER,
    )


def format_position(options: ShadowGamesOptions, state: np.recarray) -> str:
    """Returns a state recarray [1] as one line."""
    return from_state(options, state).text()


def parse_position(text: str) -> tuple[ShadowGamesOptions, np.recarray]:
    """Returns options and state recarray [1] of a position line.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    position = parse(text)
    return position.options, to_state(position)
