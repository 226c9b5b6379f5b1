"""Shadow Master as data: options, state, actions, observation and tables.

Clause ids (SM-nn) are those of docs/rules/shadow_master.md. Sets of dots are bit sets: bit i for dot i, 0 to 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shadowenvs.game import Options, boolean, choice, free, integer, number, reward_option, state_dtype
from shadowenvs.layout import ActionBlock, Actions, Alike, Field, Layout
from shadowenvs.rng import GAME_STREAMS

MIN_SEATS, MAX_SEATS = 3, 6  # as published; two seats are a variant (SM-02)
NUM_DOTS = 9
NUM_LETTERS = 10
NUM_COLOURS = 3
MAX_NUMBER = 5
MAX_FIELD = 120
MAX_CARDS = 255
MAX_GAIN = MAX_NUMBER + MAX_SEATS - 1  # most points of a round

POCKET_DOTS, POCKET_NUMBER, POCKET_TICKS = 4, 2, 7

LETTERS = "ABCDEFGHIJ"
COLOUR_NAMES = ("white", "blue", "yellow")
WHITE, BLUE, YELLOW = range(3)

# Words as the state holds them, in the order of the options' choices.
EVIDENCE, PIXELS = range(2)
WHOLE, GRAINS = range(2)
FULL, POCKET = range(2)
SHUFFLED, PRINTED = range(2)
EXACT, ANY = range(2)
SCORES, NOTHING = range(2)
FARTHEST, COIN = range(2)
END_OF_DECK, RESHUFFLE = range(2)

PHASE_NAMES = ("commit", "end")

# Streams of random numbers. round_no counts from 1, tick and k from 1.
STREAM_DECK = GAME_STREAMS  # shuffle of the cards 0 to K - 1: i = number of the pass through the deck, from 0
STREAM_DOTS = GAME_STREAMS + 1  # shuffle of the objects 0 to 8 (pocket: 0 to 3): i = round_no
# Noise of the k-th look of a seat at a dot: i = round_no, j = ((9 * seat + dot) * 128 + k) * 2 for the first four words
# and one more for the next four. The 16-bit number q of these eight words, low half before high half, belongs to dot q.
# Pocket: the look is right if rng.below(seed, STREAM_LOOK, i, j, 10) is not 9, with the even j.
STREAM_LOOK = GAME_STREAMS + 2
STREAM_GRABS = GAME_STREAMS + 3  # shuffle of the seats 0 to n - 1: i = 128 * round_no + tick
STREAM_GRAIN = GAME_STREAMS + 4  # i = 8 * round_no + seat, j = pixel // 4, word pixel % 4; pixel = 96 * row + column
STREAM_FRESH = GAME_STREAMS + 5  # seed of a fresh deck: rng.mix(seed, STREAM_FRESH, 0, 0)

_COLOUR_LETTERS = "wby"
CYCLIC = "cyclic"
STANDARD, FRESH = "standard", "fresh"


def _wrong_seats(num: int) -> str:
    return (
        f"num_players must be between {MIN_SEATS} and {MAX_SEATS}, not {num}; 2 is possible with two_player=True or "
        "variant='pocket'"
    )


@dataclass(frozen=True)
class ShadowMasterOptions(Options):
    """Options of Shadow Master; the readings among them are marked in docs/rules/shadow_master.md."""

    num_players: int = integer(4, 2, MAX_SEATS, "seats at the table; 2 only with two_player or variant='pocket'")
    two_player: bool = boolean(False, "whether two seats may play (unpublished)")
    mode: str = choice("evidence", "evidence", "pixels", meaning="what stands for the eyes: looks, or pictures")
    detail: str = choice("full", "full", "grains", meaning="pixels mode: the whole picture at once, or bit by bit")
    grain_rate: float = number(0.06, 0, 1, "chance that an unseen pixel appears in a tick (detail='grains'); above 0")
    deck: str | int = free(STANDARD, "'standard', a deck seed, a file, or 'fresh' for a new deck in every game")
    variant: str = choice("full", "full", "pocket", meaning="'pocket' is a tiny game for exact analysis")
    dots: str = choice("shuffled", "shuffled", "printed", meaning="whether objects change their dots every round")
    clarity: float = number(6.0, 0, 100, "nats of evidence that a look gives at full visibility; above 0")
    periphery: float = number(0.25, 0, 1, "share of the clarity that a look gives about every other dot")
    tick_cap: int | None = integer(None, 1, 120, "ticks of a round at most; default 40, pocket 7")
    last_field: int = integer(40, 3, MAX_FIELD, "number of the last field of the board")
    field_colours: str | Sequence[str] = free(CYCLIC, "'cyclic', or the colours of all fields as letters w, b, y")
    grab_rule: str = choice("exact", "exact", "any", meaning="whether a grab needs all cubes placed")
    coinless: str = choice("scores", "scores", "nothing", meaning="what a seat without a coin gets for its hits")
    finish: str = choice("farthest", "farthest", "coin", meaning="what decides among seats past the last field")
    deck_end: str = choice("end", "end", "reshuffle", meaning="what happens when no shadow card is left")
    max_rounds: int = integer(200, 1, 1000, "rounds of a game at most with deck_end='reshuffle'", dtype="i2")
    reward: str = reward_option()

    @property
    def has_own_tables(self) -> bool:
        return self.deck == FRESH and not self.is_pocket

    @property
    def is_pocket(self) -> bool:
        return self.variant == "pocket"

    @property
    def num_coins(self) -> int:
        """Coins in the middle at the start of a round (SM-23)."""
        return self.num_players - 1

    @property
    def colours(self) -> list[int]:
        """Colour of each field from 0 to the last (SM-04)."""
        if self.field_colours == CYCLIC:
            return [field % NUM_COLOURS for field in range(self.last_field + 1)]
        return [_COLOUR_LETTERS.index(letter) for letter in self.field_colours]

    def __post_init__(self) -> None:
        num = self.num_players
        if isinstance(num, (int, np.integer)) and not isinstance(num, bool) and not 2 <= num <= MAX_SEATS:
            raise ValueError(_wrong_seats(num))
        super().__post_init__()

    def defaults(self) -> Mapping[str, Any]:
        return {"tick_cap": POCKET_TICKS if self.is_pocket else 40}

    def check(self) -> None:
        """Refuses two seats without their option (SM-02), boards without their ends (SM-05), and what does not fit."""
        if self.is_pocket:
            self._check_pocket()
        elif self.num_players == 2 and not self.two_player:
            raise ValueError(_wrong_seats(2))
        for name in ("grain_rate", "clarity", "periphery"):
            value = getattr(self, name)
            if value <= 0 and name != "periphery":
                raise ValueError(f"{name} must be above 0, not {value}")
        self._check_deck()
        self._check_colours()

    def _check_pocket(self) -> None:
        wanted = {"num_players": 2, "tick_cap": POCKET_TICKS, "mode": "evidence", "reward": "points"}
        for name, value in wanted.items():
            if getattr(self, name) != value:
                raise ValueError(f"variant='pocket' needs {name}={value!r}, not {getattr(self, name)!r}")

    def _check_deck(self) -> None:
        deck = self.deck
        # A position line gives a seed as text.
        if (isinstance(deck, str) and deck.isdecimal()) or isinstance(deck, np.integer):
            object.__setattr__(self, "deck", int(deck))
        elif isinstance(deck, bool) or not isinstance(deck, (str, int)) or deck == "":
            raise ValueError(f"deck must be 'standard', 'fresh', a seed of at least 0 or a file, not {deck!r}")
        if isinstance(self.deck, int) and self.deck < 0:
            raise ValueError(f"deck must be a seed of at least 0, not {self.deck}")

    def _check_colours(self) -> None:
        given = self.field_colours
        if given != CYCLIC:
            if not isinstance(given, (str, list, tuple)):
                raise ValueError(f"field_colours must be 'cyclic' or a list of colours, not {given!r}")
            words = dict(zip(COLOUR_NAMES, _COLOUR_LETTERS, strict=True))
            letters = [words.get(word, word) for word in given]
            if not all(isinstance(letter, str) and letter in words.values() for letter in letters):
                raise ValueError(f"field_colours must be made of 'w', 'b' and 'y', not {given!r}")
            if len(letters) != self.last_field + 1:
                raise ValueError(
                    f"field_colours must name {self.last_field + 1} fields, 0 to last_field, not {len(letters)}"
                )
            object.__setattr__(self, "field_colours", "".join(letters))
        if self.is_pocket:
            return
        for field, wanted in ((0, WHITE), (self.last_field, BLUE)):
            found = self.colours[field]
            if found != wanted:
                raise ValueError(
                    f"field {field} must be {COLOUR_NAMES[wanted]}, not {COLOUR_NAMES[found]}: change field_colours or "
                    f"last_field={self.last_field}"
                )


STATE = state_dtype(
    ShadowMasterOptions,
    MAX_SEATS,
    [
        # In an order that leaves no padding between fields: states are compared and copied as bytes.
        ("tick", np.int8),  # the one that is being committed, from 1; 0 at the end
        ("colour", np.int8),  # in play: WHITE, BLUE or YELLOW
        ("evidence", np.float32, (MAX_SEATS, NUM_DOTS)),  # nats for "in the shadow", by seat and dot, this round
        ("visibility", np.float32, (NUM_DOTS,)),  # v of the object at each dot; 0 in pocket and at the end
        ("used", np.uint64, (4,)),  # set of cards dealt in this pass through the deck, the present one among them
        ("grain_seed", np.uint64),  # sampled worlds, detail 'grains': seed of the grain that grain_seat sees; else 0
        ("targets", np.uint16),  # set of dots in the shadow; 0 at the end
        ("cubes", np.uint16, (MAX_SEATS,)),  # set of dots, by seat
        ("last_targets", np.uint16),  # of the round before (of the last round at the end); 0 in round 1
        ("last_cubes", np.uint16, (MAX_SEATS,)),  # of that round
        ("last_points", np.int16, (MAX_SEATS,)),  # of the round before
        ("round_no", np.int16),  # from 1; at the end that of the last round
        ("pass_no", np.int16),  # passes through the deck finished before this one
        ("card", np.uint8),  # the shadow card; 0 in pocket
        ("number_sought", np.int8),  # N; 0 at the end
        ("coins_left", np.int8),  # coins 1 to coins_left lie in the middle
        ("coins", np.int8, (MAX_SEATS,)),  # coin by seat; 0 for none
        ("grab_ticks", np.int8, (MAX_SEATS,)),  # tick in which a seat got its coin; 0 for none
        ("commits", np.int8, (MAX_SEATS,)),  # action committed in this tick, NO_ACTION
        ("looks", np.int8, (MAX_SEATS, NUM_DOTS)),  # looks this round, by seat and dot
        ("objects", np.int8, (NUM_DOTS,)),  # number of the object at each dot
        ("last_coins", np.int8, (MAX_SEATS,)),  # of the round before
        ("grain_seat", np.int8),  # sampled worlds, detail 'grains': whose grain comes from grain_seed; else -1
        ("grain_stop", np.int8),  # sampled worlds: last tick of this round whose grain grain_seat sees; else 0
    ],
)

ACTIONS = Actions(
    ActionBlock("LOOK", NUM_DOTS, "look at dot i"),
    ActionBlock("TOGGLE", NUM_DOTS, "put a cube on dot i, or take it back"),
    ActionBlock("GRAB", 1, "reach for the highest coin"),
    ActionBlock("WAIT", 1, "do nothing this tick"),
)
LOOK_0, TOGGLE_0, GRAB, WAIT = (ACTIONS.first[name] for name in ("LOOK", "TOGGLE", "GRAB", "WAIT"))
NUM_ACTIONS = ACTIONS.size

EVIDENCE_SCALE = 6  # entries per nat
MAX_EVIDENCE = 120
MAX_COUNT = 127  # counts above it are shown as it

OBSERVATION = Layout(
    Field("number", (MAX_NUMBER,), 0, 1, "one-hot: how many objects are sought, 1 to 5; zeros at the end"),
    Field("tick", (), 0, 120, "tick that is being committed, from 1; 0 at the end"),
    Field("coins_left", (), 0, MAX_SEATS - 1, "coins in the middle"),
    Field("coins", (MAX_SEATS,), 0, MAX_SEATS - 1, "coin of each seat; 0 for none"),
    Field("positions", (MAX_SEATS,), 0, MAX_COUNT, "field of each token; 127 stands for all above"),
    Field("round_no", (), 1, MAX_COUNT, "number of the round, from 1; 127 stands for all above"),
    Field("colour", (NUM_COLOURS,), 0, 1, "one-hot: colour in play; zeros at the end"),
    Field("letters", (NUM_COLOURS,), -1, NUM_LETTERS - 1, "letters of the shadow card, A = 0; -1 without a card"),
    Field("numbers", (NUM_COLOURS,), 0, MAX_NUMBER, "numbers of the shadow card; 0 without a card"),
    Field("cubes", (NUM_DOTS,), 0, 1, "own cubes"),
    Field("evidence", (NUM_DOTS,), -MAX_EVIDENCE, MAX_EVIDENCE, "own evidence in sixths of a nat, at most 120"),
    Field("looks", (NUM_DOTS,), 0, 120, "own looks this round"),
    Field("last_targets", (NUM_DOTS,), 0, 1, "last round: dots in the shadow"),
    Field("last_coins", (MAX_SEATS,), 0, MAX_SEATS - 1, "last round: coin of each seat"),
    Field("last_points", (MAX_SEATS,), 0, MAX_GAIN, "last round: points of each seat"),
    Field("last_cubes", (MAX_SEATS, NUM_DOTS), 0, 1, "last round: cubes by seat"),
    # What the options fix comes last; see observation.observe.
    Field("present", (MAX_SEATS,), 0, 1, "seat takes part"),
    Field("num_players", (), 2, MAX_SEATS, "option"),
    Field("pixels", (), 0, 1, "option mode = 'pixels'"),
    Field("pocket", (), 0, 1, "option variant = 'pocket'"),
    Field("tick_cap", (), 1, 120, "option"),
    Field("last_field", (), 3, MAX_FIELD, "option"),
    Field("any_grab", (), 0, 1, "option grab_rule = 'any'"),
    Field("coinless_nothing", (), 0, 1, "option coinless = 'nothing'"),
    Field("coin_finish", (), 0, 1, "option finish = 'coin'"),
    Field("points_reward", (), 0, 1, "option reward = 'points'"),
)

ALIKE = Alike(
    "dots",
    NUM_DOTS,
    fields=("cubes", "evidence", "looks", "last_targets", "last_cubes"),
    actions=("LOOK", "TOGGLE"),
    order="evidence",
)

NUM_NORMALS = 1 << 16
SHADOW_SIDE, OBJECT_SIDE = 96, 48
SHADOW_BYTES, OBJECT_BYTES = SHADOW_SIDE**2 // 8, OBJECT_SIDE**2 // 8

# The same for every table of an environment; built once by tables(). Answers and visibilities are hidden from players.
TABLES = np.dtype(
    [
        ("num_cards", np.int16),
        ("num_dots", np.int16),
        ("cards", np.uint8, (MAX_CARDS,)),  # 0 to num_cards - 1 in order
        ("colours", np.int8, (MAX_FIELD + 1,)),  # of the fields
        ("letters", np.int8, (MAX_CARDS, NUM_COLOURS)),  # A = 0
        ("numbers", np.int8, (MAX_CARDS, NUM_COLOURS)),
        ("answers", np.uint16, (MAX_CARDS, NUM_COLOURS)),  # sets of objects
        ("visibility", np.float32, (MAX_CARDS, NUM_COLOURS, NUM_DOTS)),  # by object
        ("normals", np.float32, (NUM_NORMALS,)),  # quantiles of the normal law at (i + 1/2) / 65536
        ("has_pictures", np.bool_),
        ("shadows", np.uint8, (MAX_CARDS, SHADOW_BYTES)),  # packed bits, row by row, 1 = black
        ("pictures", np.uint8, (NUM_LETTERS, NUM_DOTS, OBJECT_BYTES)),  # reference drawings, packed in the same way
    ],
    align=True,
)


def tables(options: ShadowMasterOptions, game_seed: int | None = None) -> np.recarray:
    """Returns deck, board and the table of normal quantiles.

    Args:
        options: The options.
        game_seed: Seed of the game that is to be dealt, for ``deck='fresh'`` alone.

    Raises:
        ValueError: The deck cannot be had.
    """
    from shadowenvs.games.shadow_master import deck as decks

    record = np.zeros(1, TABLES)
    row = record[0]
    row["num_dots"] = POCKET_DOTS if options.is_pocket else NUM_DOTS
    row["normals"] = decks.load_normals()
    if not options.is_pocket:
        row["colours"][: options.last_field + 1] = options.colours
        deck = decks.find(options.deck, game_seed)
        if options.mode == "pixels" and not deck.has_pictures:
            raise ValueError(f"deck {options.deck!r} has no pictures, which mode='pixels' needs")
        num = len(deck.letters)
        row["num_cards"] = num
        row["cards"][:num] = np.arange(num)
        row["letters"][:num] = deck.letters
        row["numbers"][:num] = deck.numbers
        row["answers"][:num] = (deck.answers * (1 << np.arange(NUM_DOTS))).sum(axis=2)
        row["visibility"][:num] = deck.visibility
        row["has_pictures"] = deck.has_pictures
        if deck.has_pictures:
            row["shadows"][:num] = np.packbits(deck.shadows.reshape(num, -1), axis=1)
            row["pictures"] = np.packbits(deck.objects.reshape(NUM_LETTERS, NUM_DOTS, -1), axis=2)
    record.flags.writeable = False
    return record.view(np.recarray)


def max_steps(options: ShadowMasterOptions, tables: np.recarray) -> int:
    """Returns more decisions than any game can have: every seat in every tick of every round (SM-46, SM-61)."""
    if options.is_pocket:
        rounds = 1
    elif options.deck_end == "reshuffle":
        rounds = options.max_rounds
    else:
        rounds = int(tables["num_cards"][0])
    assert options.tick_cap is not None
    return rounds * options.tick_cap * options.num_players
