"""Text for Shadow Cards: cards (``R4``), actions (``play R4``) and whole positions as one line.

A position line is made of ``key=value`` words:

| key | value |
|:--|:--|
| an option's name | its value; left out where it is the default for that number of players |
| seed | the seed of the game |
| phase | predict, play, claim or end |
| round, trick | numbers from 1; trick 0 while predictions are made |
| leader, lead, move | leader of the round, leader of the trick, seat to move |
| hands, predictions, played, claimed | cards by seat: ``R4Y1/-/B9/G2G3`` |
| table | card of the trick by seat: ``-/R4/Y1/-`` |
| voids | suits by seat: ``-/G/GB/-`` |
| extra | 3 seats: extra cards in the order of turning, those of this round's tricks only |
| reserve, revealed | 2 seats: cards by seat |
| results | rounds separated by ``;``, seats by ``/``, each prediction:trick points:experience |
| rewards | of the last action, by seat; left out where all are 0 |

Points, winners and the end follow from these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from shadowenvs.cards import NO_CARD, NUM_CARDS, NUM_RANKS
from shadowenvs.games.shadow_cards.scoring import (
    pack_result,
    result_gain,
    result_prediction,
    result_trick_points,
)
from shadowenvs.games.shadow_cards.spec import (
    ACTIONS,
    END,
    MAX_TURNED,
    NUM_RESERVES,
    PHASE_NAMES,
    PREDICT,
    STATE,
    SUIT_LETTERS,
    ShadowCardsOptions,
)
from shadowenvs.notation import EMPTY, CardWords, by_seat, join_words, split_words, whole_number

_WORDS = CardWords(SUIT_LETTERS)
format_card, parse_card, format_cards, parse_cards = _WORDS.format, _WORDS.parse, _WORDS.format_all, _WORDS.parse_all
_BLOCKS = {"predict": "PREDICT", "play": "PLAY", "claim": "CLAIM"}


def format_action(_: ShadowCardsOptions, action: int) -> str:
    """Returns an action in words, as ``play R4``.

    Raises:
        ValueError: The number is not an action.
    """
    if not 0 <= action < ACTIONS.size:
        raise ValueError(f"{action} is not an action; actions are 0 to {ACTIONS.size - 1}")
    return f"{list(_BLOCKS)[action // NUM_CARDS]} {format_card(action % NUM_CARDS)}"


def parse_action(_: ShadowCardsOptions, text: str) -> int:
    """Returns the action of a text like ``play R4``.

    Raises:
        ValueError: The text is not an action.
    """
    kind, _space, card = text.strip().lower().partition(" ")
    if kind not in _BLOCKS:
        raise ValueError(
            f"{text!r} is not an action; actions are 'predict', 'play' or 'claim' and a card, as 'play R4'"
        )
    return ACTIONS.first[_BLOCKS[kind]] + parse_card(card)


@dataclass
class Position:
    """A state of Shadow Cards in plain Python: cards are numbers, sets of cards sets, one entry a seat in lists.

    Attributes:
        options: The game's options.
        seed: 64-bit seed of the game.
        phase: Index into PHASE_NAMES.
        round_no: From 1.
        trick_no: From 1; 0 while predictions are made.
        leader: Leader of the round.
        lead: Leader of the trick; the round's leader before trick 1.
        move: Seat to move; 0 at the end.
        hands: Cards in hand.
        predictions: Cards set aside; those of the last round stay at the end.
        played: Cards played since the last shuffle.
        claimed: Cards claimed this round; those of the last round stay at the end.
        table: Card played to the present trick, None.
        voids: Suits 0 to 3 that the hand is known to lack this round; those of the last round stay at the end.
        extra: 3 seats: the extra cards that this round's tricks turn, in order.
        reserve: 2 seats: the hands of the next round, in odd rounds if an even one can follow.
        revealed: 2 seats: the predictions of the round before, in even rounds.
        results: For each finished round, for each seat: prediction, trick points, experience.
        rewards: Of the last action.
    """

    options: ShadowCardsOptions
    seed: int = 0
    phase: int = PREDICT
    round_no: int = 1
    trick_no: int = 0
    leader: int = 0
    lead: int = 0
    move: int = 0
    hands: list[set[int]] = field(default_factory=list)
    predictions: list[set[int]] = field(default_factory=list)
    played: list[set[int]] = field(default_factory=list)
    claimed: list[set[int]] = field(default_factory=list)
    table: list[int | None] = field(default_factory=list)
    voids: list[set[int]] = field(default_factory=list)
    extra: list[int] = field(default_factory=list)
    reserve: list[set[int]] = field(default_factory=list)
    revealed: list[set[int]] = field(default_factory=list)
    results: list[list[tuple[int, int, int]]] = field(default_factory=list)
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
            "leader": str(self.leader),
            "lead": str(self.lead),
            "move": str(self.move),
            "hands": seats(self.hands),
            "predictions": seats(self.predictions),
            "played": seats(self.played),
            "claimed": seats(self.claimed),
            "table": "/".join(EMPTY if card is None else format_card(card) for card in self.table),
            "voids": "/".join("".join(SUIT_LETTERS[s] for s in sorted(suits)) or EMPTY for suits in self.voids),
            "extra": format_cards(self.extra),
            "reserve": seats(self.reserve),
            "revealed": seats(self.revealed),
            "results": ";".join("/".join(f"{p}:{t}:{g}" for p, t, g in row) for row in self.results),
            "rewards": "/".join(repr(float(reward)) for reward in self.rewards) if any(self.rewards) else "",
        }
        return join_words({key: word for key, word in words.items() if word.strip("-/")}, self.options)


_KEYS = (
    *("seed", "phase", "round", "trick", "leader", "lead", "move", "hands", "predictions", "played", "claimed"),
    *("table", "voids", "extra", "reserve", "revealed", "results", "rewards"),
)


def parse(text: str) -> Position:
    """Reads a position line; what it leaves out is empty, 0, or as at the start of that phase.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    words, options = split_words(text, _KEYS, ShadowCardsOptions)
    n = options.num_players
    assert options.rounds is not None

    def number(key: str, default: int, low: int, high: int) -> int:
        return whole_number(key, words[key], low, high) if key in words else default

    def cards(key: str, num: int = n) -> list[set[int]]:
        if key not in words:
            return [set() for _ in range(num)]
        return [set(parse_cards(part)) for part in by_seat(key, words[key], num)]

    if words.get("phase", "play") not in PHASE_NAMES:
        raise ValueError(f"phase must be one of {', '.join(PHASE_NAMES)}, not {words['phase']!r}")
    phase = PHASE_NAMES.index(words.get("phase", "play"))
    leader = number("leader", 0, 0, n - 1)
    lead = number("lead", leader, 0, n - 1)
    position = Position(
        options=options,
        seed=number("seed", 0, 0, 2**64 - 1),
        phase=phase,
        round_no=number("round", 1, 1, options.rounds),
        trick_no=number("trick", 0 if phase == PREDICT else 1, 0, options.num_tricks),
        leader=leader,
        lead=lead,
        move=number("move", 0 if phase == END else lead, 0, n - 1),
        hands=cards("hands"),
        predictions=cards("predictions"),
        played=cards("played"),
        claimed=cards("claimed"),
        table=[None] * n,
        voids=[set() for _ in range(n)],
        extra=parse_cards(words.get("extra", EMPTY)),
        reserve=cards("reserve", NUM_RESERVES),
        revealed=cards("revealed", NUM_RESERVES),
    )
    if "table" in words:
        position.table = [None if part == EMPTY else parse_card(part) for part in by_seat("table", words["table"], n)]
    if "voids" in words:
        position.voids = [_parse_suits(part) for part in by_seat("voids", words["voids"], n)]
    if "results" in words:
        rows = words["results"].split(";")
        position.results = [[_parse_result(part) for part in by_seat("results", row, n)] for row in rows]
    if "rewards" in words:
        position.rewards = [float(part) for part in by_seat("rewards", words["rewards"], n)]
    _check(position)
    return position


def _parse_suits(text: str) -> set[int]:
    if text != EMPTY and not set(text) <= set(SUIT_LETTERS):
        raise ValueError(f"voids: {text!r} is not a list of suits; suits are {SUIT_LETTERS}")
    return {SUIT_LETTERS.index(letter) for letter in text if letter != EMPTY}


def _parse_result(text: str) -> tuple[int, int, int]:
    try:
        prediction, trick_points, gain = map(int, text.split(":"))
    except ValueError:
        raise ValueError(f"results: {text!r} is not prediction:trick points:experience") from None
    return prediction, trick_points, gain


def _check(position: Position) -> None:
    """Refuses positions that no record can hold or in which a card lies in two places."""
    options = position.options
    in_deck = {s * NUM_RANKS + r for s in range(options.num_suits) for r in range(options.num_ranks)}
    finished = position.round_no if position.phase == END else position.round_no - 1
    if len(position.results) > finished:
        raise ValueError(f"results has {len(position.results)} rounds, but {finished} are finished")
    if len(position.extra) > MAX_TURNED:
        raise ValueError(f"extra has {len(position.extra)} cards, at most {MAX_TURNED}")
    places = [*position.hands, *position.predictions, *position.played, *position.reserve, *position.revealed]
    where: set[int] = set()
    for place in [*places, position.extra]:
        for card in place:
            if card in where:
                raise ValueError(f"card {format_card(card)} lies in two places")
            where.add(card)
    for card in sorted(where.union(*position.claimed, {card for card in position.table if card is not None})):
        if card not in in_deck:
            raise ValueError(f"card {format_card(card)} is not in a deck of this size")


def to_state(position: Position) -> np.recarray:
    """Returns the position as a state recarray [1]."""
    state = np.zeros(1, STATE)
    row = state[0]
    row["options"] = position.options.pack()
    row["seed"] = position.seed
    row["phase"], row["round_no"], row["trick_no"] = position.phase, position.round_no, position.trick_no
    row["round_leader"], row["trick_leader"], row["to_move"] = position.leader, position.lead, position.move
    for name, groups in (
        ("hand", position.hands),
        ("prediction", position.predictions),
        ("played", position.played),
        ("claimed", position.claimed),
        ("reserve", position.reserve),
        ("revealed", position.revealed),
    ):
        for seat, cards in enumerate(groups):
            row[name][seat] = sum(1 << card for card in cards)
    row["trick"], row["extra"] = NO_CARD, NO_CARD
    for seat, table_card in enumerate(position.table):
        row["trick"][seat] = NO_CARD if table_card is None else table_card
    row["extra"][: len(position.extra)] = position.extra
    for seat, suits in enumerate(position.voids):
        row["voids"][seat] = sum(1 << suit for suit in suits)
    for round_index, results in enumerate(position.results):
        for seat, result in enumerate(results):
            row["results"][round_index, seat] = pack_result(*result)
            row["points"][seat] += result[2]
    row["rewards"][: len(position.rewards)] = position.rewards
    if position.phase == END:
        n = position.options.num_players
        best = max(row["points"][:n])
        row["done"] = True
        row["winners"] = sum(1 << seat for seat in range(n) if row["points"][seat] == best)
    return state.view(np.recarray)


def from_state(options: ShadowCardsOptions, state: np.recarray) -> Position:
    """Returns a state recarray [1] as a position."""
    row = state[0]
    n = options.num_players

    def sets(name: str, num: int = n) -> list[set[int]]:
        return [{card for card in range(NUM_CARDS) if int(row[name][seat]) >> card & 1} for seat in range(num)]

    finished = int(row["round_no"]) - (0 if row["done"] else 1)
    return Position(
        options=options,
        seed=int(row["seed"]),
        phase=int(row["phase"]),
        round_no=int(row["round_no"]),
        trick_no=int(row["trick_no"]),
        leader=int(row["round_leader"]),
        lead=int(row["trick_leader"]),
        move=int(row["to_move"]),
        hands=sets("hand"),
        predictions=sets("prediction"),
        played=sets("played"),
        claimed=sets("claimed"),
        table=[None if card == NO_CARD else int(card) for card in row["trick"][:n]],
        voids=[{suit for suit in range(4) if int(row["voids"][seat]) >> suit & 1} for seat in range(n)],
        extra=[int(card) for card in row["extra"] if card != NO_CARD],
        reserve=sets("reserve", NUM_RESERVES),
        revealed=sets("revealed", NUM_RESERVES),
        results=[
            [
                (result_prediction(result), result_trick_points(result), result_gain(result))
                for result in map(int, row["results"][round_index, :n])
            ]
            for round_index in range(finished)
        ],
        rewards=[float(reward) for reward in row["rewards"][:n]],
    )


def format_position(options: ShadowCardsOptions, state: np.recarray) -> str:
    """Returns a state recarray [1] as one line."""
    return from_state(options, state).text()


def parse_position(text: str) -> tuple[ShadowCardsOptions, np.recarray]:
    """Returns options and state recarray [1] of a position line.

    Raises:
        ValueError: The line is not a position; the message names the word.
    """
    position = parse(text)
    return position.options, to_state(position)
