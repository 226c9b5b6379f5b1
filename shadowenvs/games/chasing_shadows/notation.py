"""Text for Chasing Shadows: cards (``R8``), actions (``play R8``, ``discard blue``) and whole positions as one line.

A position line is made of ``key=value`` words:

| key | value |
|:--|:--|
| an option's name | its value; left out where it is the default for that number of players |
| seed | the seed of the game |
| phase | play, discard or end |
| round, trick | numbers from 1 |
| starter, lead, move | starter of the round, leader of the trick, seat to move |
| spotlight | card |
| follow | suits of the remaining follow cards, a letter a card: ``BYY`` |
| hands, taken | cards by seat: ``R4Y1/-/B9/G2G3`` |
| table | card of the trick by seat: ``-/R4/Y1/-`` |
| first | the first follow cards of the round |
| aside | the cards set aside |
| boxes | finished rounds separated by ``;``, seats by ``/``, each blue,red,yellow,grey with ``-`` for an empty box |
| rewards | of the last action, by seat; left out where all are 0 |

Points, winners, the end and the cards seen follow from these: a card of the deck that lies in no hand and is neither a
first follow card nor set aside has been seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from shadowenvs.cards import NO_CARD, NUM_CARDS, NUM_RANKS, NUM_SUITS
from shadowenvs.games.chasing_shadows.scoring import restore_scores
from shadowenvs.games.chasing_shadows.spec import (
    ACTIONS,
    DISCARD,
    DISCARD_0,
    END,
    MAX_BOX,
    NO_SCORE,
    PHASE_NAMES,
    PLAY,
    PLAY_0,
    STATE,
    SUIT_LETTERS,
    SUIT_NAMES,
    ChasingShadowsOptions,
)
from shadowenvs.notation import EMPTY, CardWords, by_seat, join_words, split_words, whole_number

_WORDS = CardWords(SUIT_LETTERS)
format_card, parse_card, format_cards, parse_cards = _WORDS.format, _WORDS.parse, _WORDS.format_all, _WORDS.parse_all

Boxes = list[int | None]
"""Blue, red, yellow and grey box of one seat in one round, None for an empty one."""


# -------------------------------------------------------------------------------------------------- cards and actions


def format_action(_: ChasingShadowsOptions, action: int) -> str:
    """Returns an action in words, as ``play R8`` or ``discard blue``.

    Raises:
        ValueError: The number is not an action.
    """
    if not 0 <= action < ACTIONS.size:
        raise ValueError(f"{action} is not an action; actions are 0 to {ACTIONS.size - 1}")
    if action >= DISCARD_0:
        return f"discard {SUIT_NAMES[action - DISCARD_0]}"
    return f"play {format_card(action - PLAY_0)}"


def parse_action(_: ChasingShadowsOptions, text: str) -> int:
    """Returns the action of a text like ``play R8`` or ``discard blue``; a suit's letter will do.

    Raises:
        ValueError: The text is not an action.
    """
    kind, what = [*text.strip().lower().split(maxsplit=1), "", ""][:2]
    if kind == "play":
        return PLAY_0 + parse_card(what)
    if kind == "discard":
        for suit, name in enumerate(SUIT_NAMES):
            if what in (name, name[0]):
                return DISCARD_0 + suit
        raise ValueError(f"{what!r} is not a suit; suits are {', '.join(SUIT_NAMES)}")
    raise ValueError(f"{text!r} is not an action; actions are like 'play R8' and 'discard blue'")


# ----------------------------------------------------------------------------------------------------------- position


@dataclass
class Position:
    """A state of Chasing Shadows in plain Python: cards are numbers, sets of cards sets, one entry a seat in lists.

    How a deal reads the generator: the starter of round 1 is ``rng.below(seed, GAME_STREAMS + 1, 0, 0, n)``. For
    round r (from 1) the numbers of the cards in use, ascending, in an int8 array are shuffled by
    ``rng.shuffle(seed, GAME_STREAMS, r, array)``. Then seat s gets ``array[s * h : (s + 1) * h]``; the next card is
    the spotlight card, the n - 1 after it are the first follow cards, and all that follow are set aside.

    A trick is cleared in the same step as its last card is played: the winner takes the spotlight card, its own card
    becomes the spotlight card, ``follow`` lists the other cards' suits, ``table`` is empty again and ``lead`` and
    ``move`` are the winner. If tricks are left, ``trick_no`` rises. If not, the round is scored in this very step: the
    unplayed cards go from ``hands`` to ``taken`` and a row is added to ``boxes``; then the next round is dealt
    (``trick_no`` 1, ``taken`` and ``table`` empty, ``starter``, ``lead`` and ``move`` the new starter), or the game is
    over.

    At the end (phase END) all hands are empty and ``move`` is 0. All else stays as the last trick and the scoring left
    it: ``round_no`` and ``trick_no`` those of the last trick, ``starter`` that of the last round, ``lead`` the winner
    of the last trick, ``spotlight`` and ``follow`` what is left over, ``taken`` with the unplayed cards, ``first``,
    ``aside`` and ``boxes`` (struck scores too are still in them).

    In DISCARD, ``move`` is the seat that has just played; its card is on the table, no longer in its hand.

    Rewards are float32. With 'win_share' a winner's is float32(n - w) / float32(w * (n - 1)) and that of another seat
    float32(-1) / float32(n - 1). With 'points' it is float32(-s) / float32(100), s the sum of the round's scores less,
    in the step that ends the game, the sum of the seat's struck scores. -0.0 equals 0.0.

    Attributes:
        options: The game's options.
        seed: 64-bit seed of the game.
        phase: Index into PHASE_NAMES.
        round_no: From 1.
        trick_no: From 1.
        starter: Starter of the round.
        lead: Leader of the trick.
        move: Seat to move; 0 at the end.
        spotlight: The spotlight card; None in incomplete positions at the end only.
        follow: Suits 0 to 3 of the remaining follow cards, one entry a card, ascending.
        hands: Cards in hand.
        taken: Cards taken this round.
        table: Card played to the present trick, None.
        first: The first follow cards of this round, also after they have left the table.
        aside: The cards set aside at this round's deal.
        boxes: For each finished round, for each seat: the boxes.
        rewards: Of the last action, one entry a seat.
    """

    options: ChasingShadowsOptions
    seed: int = 0
    phase: int = PLAY
    round_no: int = 1
    trick_no: int = 1
    starter: int = 0
    lead: int = 0
    move: int = 0
    spotlight: int | None = None
    follow: list[int] = field(default_factory=list)
    hands: list[set[int]] = field(default_factory=list)
    taken: list[set[int]] = field(default_factory=list)
    table: list[int | None] = field(default_factory=list)
    first: set[int] = field(default_factory=set)
    aside: set[int] = field(default_factory=set)
    boxes: list[list[Boxes]] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)

    def text(self) -> str:
        """Returns the position as one line."""

        def seats(groups: Iterable[Iterable[int]]) -> str:
            return "/".join(format_cards(sorted(cards)) for cards in groups)

        words = {
            "seed": str(self.seed),
            "phase": PHASE_NAMES[self.phase],
            "round": str(self.round_no),
            "trick": str(self.trick_no),
            "starter": str(self.starter),
            "lead": str(self.lead),
            "move": str(self.move),
            "spotlight": EMPTY if self.spotlight is None else format_card(self.spotlight),
            "follow": "".join(SUIT_LETTERS[suit] for suit in self.follow),
            "hands": seats(self.hands),
            "taken": seats(self.taken),
            "table": "/".join(EMPTY if card is None else format_card(card) for card in self.table),
            "first": format_cards(sorted(self.first)),
            "aside": format_cards(sorted(self.aside)),
            "boxes": ";".join("/".join(map(_format_boxes, row)) for row in self.boxes),
            "rewards": "/".join(repr(float(reward)) for reward in self.rewards) if any(self.rewards) else "",
        }
        return join_words({key: word for key, word in words.items() if word.strip("-/")}, self.options)


def _format_boxes(boxes: Boxes) -> str:
    return ",".join(EMPTY if score is None else str(score) for score in boxes)


_KEYS = (
    *("seed", "phase", "round", "trick", "starter", "lead", "move", "spotlight", "follow"),
    *("hands", "taken", "table", "first", "aside", "boxes", "rewards"),
)


def parse(text: str) -> Position:
    """Reads a position line. Before the end it needs the spotlight card and the remaining follow cards.

    What the line leaves out is empty or 0, or follows from the rest: the phase is play; the round comes after those in
    ``boxes`` (at the end it is the last); the trick is 1; the leader is the starter; the seat to move is the first from
    the leader on without a card on the table, in phase discard the last with one.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    words, options = split_words(text, _KEYS, ChasingShadowsOptions)
    n = options.num_players

    def number(key: str, default: int, low: int, high: int) -> int:
        return whole_number(key, words[key], low, high) if key in words else default

    def cards(key: str) -> list[set[int]]:
        return [_card_set(key, part) for part in by_seat(key, words.get(key, "/".join(EMPTY * n)), n)]

    phase = words.get("phase", PHASE_NAMES[PLAY])
    if phase not in PHASE_NAMES:
        raise ValueError(f"phase must be one of {', '.join(PHASE_NAMES)}, not {phase!r}")
    position = Position(
        options=options,
        seed=number("seed", 0, 0, 2**64 - 1),
        phase=PHASE_NAMES.index(phase),
        trick_no=number("trick", 1, 1, options.num_tricks),
        starter=number("starter", 0, 0, n - 1),
        follow=_parse_suits(words.get("follow", EMPTY)),
        hands=cards("hands"),
        taken=cards("taken"),
        table=[
            None if part == EMPTY else parse_card(part)
            for part in by_seat("table", words.get("table", "/".join(EMPTY * n)), n)
        ],
        first=_card_set("first", words.get("first", EMPTY)),
        aside=_card_set("aside", words.get("aside", EMPTY)),
        rewards=[0.0] * n,
    )
    if words.get("spotlight", EMPTY) != EMPTY:
        position.spotlight = parse_card(words["spotlight"])
    if "boxes" in words:
        rows = words["boxes"].split(";")
        position.boxes = [[_parse_boxes(part) for part in by_seat("boxes", row, n)] for row in rows]
    if "rewards" in words:
        position.rewards = [_parse_reward(part) for part in by_seat("rewards", words["rewards"], n)]
    following = min(len(position.boxes) + 1, options.rounds)
    position.round_no = number("round", options.rounds if position.phase == END else following, 1, options.rounds)
    position.lead = number("lead", position.starter, 0, n - 1)
    position.move = number("move", _seat_to_move(position), 0, n - 1)
    _check(position)
    return position


def _seat_to_move(position: Position) -> int:
    n = position.options.num_players
    played = 0
    while played < n and position.table[(position.lead + played) % n] is not None:
        played += 1
    if position.phase == END:
        return 0
    return (position.lead + max(played - 1, 0) if position.phase == DISCARD else position.lead + played) % n


def _card_set(key: str, text: str) -> set[int]:
    cards = parse_cards(text)
    if len(set(cards)) < len(cards):
        raise ValueError(f"{key}: {text!r} lists a card twice")
    return set(cards)


def _parse_suits(text: str) -> list[int]:
    if text != EMPTY and not set(text) <= set(SUIT_LETTERS):
        raise ValueError(f"follow: {text!r} is not a list of suits; suits are {SUIT_LETTERS}")
    return sorted(SUIT_LETTERS.index(letter) for letter in text if letter != EMPTY)


def _parse_boxes(text: str) -> Boxes:
    parts = text.split(",")
    if len(parts) != NUM_SUITS:
        raise ValueError(f"boxes: {text!r} must list {NUM_SUITS} boxes separated by ','")
    return [None if part == EMPTY else whole_number("boxes", part, 0, MAX_BOX) for part in parts]


def _parse_reward(text: str) -> float:
    try:
        return float(np.float32(text))
    except ValueError:
        raise ValueError(f"rewards: {text!r} is not a number") from None


def _check(position: Position) -> None:
    """Refuses positions that no record can hold or in which a card lies in two places."""
    options = position.options
    n = options.num_players
    assert options.num_ranks is not None
    assert options.hand_size is not None
    finished = position.round_no if position.phase == END else position.round_no - 1
    if len(position.boxes) > finished:
        raise ValueError(f"boxes has {len(position.boxes)} rounds, but {finished} are finished")
    if position.spotlight is None and position.phase != END:
        raise ValueError("spotlight is missing")
    num_played = n - position.table.count(None)
    num_follow = n - max(num_played, 1) + (position.phase == DISCARD)
    if len(position.follow) != num_follow and position.phase != END:
        raise ValueError(f"follow must list {num_follow} suits, not {len(position.follow)}")
    if len(position.follow) > n - 1:
        raise ValueError(f"follow has {len(position.follow)} suits, at most {n - 1}")
    if position.follow and position.follow[-1] >= options.num_suits:
        raise ValueError(f"follow: no {SUIT_NAMES[position.follow[-1]]} cards are in a deck of this size")
    if len(position.first) > n - 1:
        raise ValueError(f"first has {len(position.first)} cards, at most {n - 1}")
    for hand in position.hands:
        if len(hand) > options.hand_size:
            raise ValueError(f"hands: {format_cards(sorted(hand))} has {len(hand)} cards, at most {options.hand_size}")
    where: set[int] = set()
    open_cards = [card for card in (position.spotlight, *position.table) if card is not None]
    for place in [*position.hands, *position.taken, position.first, position.aside, open_cards]:
        for card in place:
            if card in where:
                raise ValueError(f"card {format_card(card)} lies in two places")
            if card // NUM_RANKS >= options.num_suits or card % NUM_RANKS >= options.num_ranks:
                raise ValueError(f"card {format_card(card)} is not in a deck of this size")
            where.add(card)


# -------------------------------------------------------------------------------------------------------------- state


def to_state(position: Position) -> np.recarray:
    """Returns the position as a state recarray [1]."""
    states = np.zeros(1, STATE).view(np.recarray)
    row = states[0]
    row["options"] = position.options.pack()
    row["seed"] = position.seed
    row["phase"], row["round_no"], row["trick_no"] = position.phase, position.round_no, position.trick_no
    row["starter"], row["trick_leader"], row["to_move"] = position.starter, position.lead, position.move
    row["spotlight"] = NO_CARD if position.spotlight is None else position.spotlight
    for suit in position.follow:
        row["follow"][suit] += 1
    for name, groups in (("hand", position.hands), ("taken", position.taken)):
        for seat, cards in enumerate(groups):
            row[name][seat] = sum(1 << card for card in cards)
    row["trick"] = NO_CARD
    for seat, table_card in enumerate(position.table):
        row["trick"][seat] = NO_CARD if table_card is None else table_card
    row["first"] = sum(1 << card for card in position.first)
    row["aside"] = sum(1 << card for card in position.aside)
    row["boxes"] = NO_SCORE
    for round_index, sheets in enumerate(position.boxes):
        for seat, boxes in enumerate(sheets):
            row["boxes"][seat, round_index] = [NO_SCORE if score is None else score for score in boxes]
    row["rewards"][: len(position.rewards)] = position.rewards
    row["done"] = position.phase == END
    restore_scores(row)
    return states


def from_state(options: ChasingShadowsOptions, state: np.recarray) -> Position:
    """Returns a state recarray [1] as a position."""
    row = state[0]
    n = options.num_players

    def members(cards: np.uint64) -> set[int]:
        return {card for card in range(NUM_CARDS) if int(cards) >> card & 1}

    return Position(
        options=options,
        seed=int(row["seed"]),
        phase=int(row["phase"]),
        round_no=int(row["round_no"]),
        trick_no=int(row["trick_no"]),
        starter=int(row["starter"]),
        lead=int(row["trick_leader"]),
        move=int(row["to_move"]),
        spotlight=None if row["spotlight"] == NO_CARD else int(row["spotlight"]),
        follow=[suit for suit in range(NUM_SUITS) for _ in range(row["follow"][suit])],
        hands=[members(row["hand"][seat]) for seat in range(n)],
        taken=[members(row["taken"][seat]) for seat in range(n)],
        table=[None if card == NO_CARD else int(card) for card in row["trick"][:n]],
        first=members(row["first"]),
        aside=members(row["aside"]),
        boxes=[
            [[None if score == NO_SCORE else int(score) for score in row["boxes"][seat, number]] for seat in range(n)]
            for number in range(int(row["round_no"]) - (0 if row["phase"] == END else 1))
        ],
        rewards=[float(reward) for reward in row["rewards"][:n]],
    )


def format_position(options: ChasingShadowsOptions, state: np.recarray) -> str:
    """Returns a state recarray [1] as one line."""
    return from_state(options, state).text()


def parse_position(text: str) -> tuple[ChasingShadowsOptions, np.recarray]:
    """Returns options and state recarray [1] of a position line.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    position = parse(text)
    return position.options, to_state(position)
