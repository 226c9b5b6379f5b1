"""Shadow Games as data: options, state, actions and observation.

Clause ids (SG-nn) are those of docs/rules/shadow_games.md. The cards are data too: see deck.py.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from shadowenvs.game import Options, boolean, choice, free, integer, reward_option, state_dtype
from shadowenvs.games.shadow_games import deck as decks
from shadowenvs.games.shadow_games.deck import (
    CARD_TYPES,
    MAX_CARDS,
    MAX_KINDS,
    MAX_STEPS,
    NUM_TYPES,
    OPS,
    STAND_IN,
)
from shadowenvs.layout import ActionBlock, Actions, Field, Layout
from shadowenvs.rng import GAME_STREAMS

MIN_SEATS, MAX_SEATS = 2, 6
MAX_SCALE = 100  # of the numbers that scale the game
MAX_TURNS = 10_000
MAX_ASIDE = 3  # most cards of one discard step
NONE = -1  # no kind, no seat

# Words as the state holds them, in the order of the options' choices.
SINGLE, UNTIL_TURN = range(2)
TURN_END, HELD, TURN_START = range(3)
CLOCKWISE, RANDOM = range(2)
RANDOM_SEAT = -1

(PLAY, DECLARE, TARGET, CHALLENGE, FAVOUR, BONUS_TARGET, RECIPIENT, PICK, DISCARD, TAKE, OVER) = range(11)
PHASE_NAMES = (
    *("play", "declare", "target", "challenge", "favour", "bonus_target", "recipient", "pick", "discard", "take"),
    "over",
)
NUM_PHASES = len(PHASE_NAMES)

# Parts of a turn; the same numbers as the card types that are declared in them.
PLOTTING, AGENTS = range(2)
PART_NAMES = ("plotting", "agents")
EFFECT, BONUS = range(2)

# What comes next within an action; ASK: a seat has to decide, or the game is over.
ASK, POLL, REVEAL, RESOLVE, PAY, FINISH, END_PHASE, OPEN_PHASE = range(8)

# Draws: first seat (0, 0); deck (0) at set-up and (r) for the r-th rebuilding, from 1; next seat of a random poll
# (number of the play in the game from 0, seats that have passed so far).
STREAM_FIRST = GAME_STREAMS
STREAM_DECK = GAME_STREAMS + 1
STREAM_POLL = GAME_STREAMS + 2


def _scale(default: int, meaning: str) -> Any:
    return integer(default, 1, MAX_SCALE, meaning)


@dataclass(frozen=True)
class ShadowGamesOptions(Options):
    """Options of Shadow Games. The default deck is a stand-in, not the published cards."""

    num_players: int = integer(4, MIN_SEATS, MAX_SEATS, "seats at the table")
    deck: str = free(STAND_IN, "cards of the game: 'stand-in' (not the published cards) or the path of a TOML file")
    protection: str = choice(
        "single", "single", "until_turn", meaning="whether a token is spent when it blocks or at the owner's next turn"
    )
    tokens: int | None = integer(None, 0, MAX_SEATS, "protection tokens in the game; one per player")
    victory_check: str = choice(
        "turn_end", "turn_end", "held", "turn_start", meaning="when a majority counts for the second time"
    )
    challenge_order: str = choice("clockwise", "clockwise", "random", meaning="order in which seats may challenge")
    first_seat: int | str = integer("random", 0, MAX_SEATS - 1, "seat of the first turn", words={"random": RANDOM_SEAT})
    card_fits_phase: bool = boolean(False, "whether the card itself, too, must fit the phase it is played in")
    max_turns: int | None = integer(None, 1, MAX_TURNS, "turns before the ranking decides; 60 per player", "i2")
    reward: str = reward_option("favours")
    victory: int = _scale(5, "favours of one type that make a majority")
    favour_types: int = integer(3, 1, NUM_TYPES, "types of favour in play")
    start_favour: int = _scale(1, "favours of each type that a seat starts with")
    reserve_per_seat: int = _scale(2, "favours of each type in the reserve at the start, per seat")
    hand_keep: int = _scale(2, "cards of a hand between turns")
    hand_draw: int = _scale(3, "cards of a hand at the start of the own turn; more than hand_keep")

    @property
    def total_favour(self) -> int:
        """Favours of each type in the game (SG-04)."""
        return self.num_players * (self.start_favour + self.reserve_per_seat)

    def defaults(self) -> Mapping[str, Any]:
        return {"tokens": self.num_players, "max_turns": 60 * self.num_players}

    def check(self) -> None:
        """Refuses options that do not fit together, and wrong deck files (SG-129)."""
        n = self.num_players
        if isinstance(self.deck, os.PathLike):
            object.__setattr__(self, "deck", os.fspath(self.deck))
        if not isinstance(self.deck, str) or not self.deck:
            raise ValueError(f"deck must be {STAND_IN!r} or the path of a TOML file, not {self.deck!r}")
        assert self.tokens is not None
        if self.tokens > n:
            raise ValueError(f"tokens must be between 0 and num_players = {n}, not {self.tokens}")
        if isinstance(self.first_seat, int) and self.first_seat >= n:
            raise ValueError(f"first_seat must be 'random' or between 0 and {n - 1}, not {self.first_seat}")
        if self.hand_draw <= self.hand_keep:
            raise ValueError(f"hand_draw must be more than hand_keep = {self.hand_keep}, not {self.hand_draw}")
        self.load_deck().check_seats(n, self.hand_keep, self.hand_draw)

    @classmethod
    def unpack(cls, record: Any) -> Self:
        """As in the base class, but unchecked: the record does not hold the deck, and the default one may not fit."""
        options = object.__new__(cls)
        for field in dataclasses.fields(cls):
            option = field.metadata["option"]
            held = option.dtype is not None
            value = option.restored(record[field.name].item()) if held else field.default
            object.__setattr__(options, field.name, value)
        return options

    def load_deck(self) -> decks.Deck:
        """Returns the deck, read anew only if the file has changed."""
        return decks.load(self.deck, self.favour_types)


STATE = state_dtype(
    ShadowGamesOptions,
    MAX_SEATS,
    [
        # In an order without gaps, so that equal states are equal bytes. First the phase, then the table.
        ("phase", np.int8),  # PLAY ... OVER
        ("favour", np.int16, (MAX_SEATS, NUM_TYPES)),  # favours of each seat
        ("reserve", np.int16, (NUM_TYPES,)),  # favours in the reserve
        ("turn_no", np.int16),  # from 1
        # Counts of the whole game by seat, for reports; a play counts when its card is turned up.
        ("plays", np.int16, (MAX_SEATS,)),
        ("bluffs", np.int16, (MAX_SEATS,)),
        ("polls", np.int16, (MAX_SEATS,)),  # answers in CHALLENGE
        ("challenges", np.int16, (MAX_SEATS,)),
        ("challenges_won", np.int16, (MAX_SEATS,)),
        ("rebuilds", np.int32),  # times that the deck was rebuilt (SG-11)
        ("shields", np.int8),  # bit set of seats with a protection token; the others are in the reserve
        ("marks", np.int8, (MAX_SEATS,)),  # streak marks: bit set of types (SG-86)
        ("actor", np.int8),  # seat whose turn it is
        # The play; all empty before the card is put down, and at the end.
        ("part", np.int8),  # PLOTTING or AGENTS; PLOTTING at the end
        ("plotted", np.bool_),  # the Plotting phase of this turn is over and had a play; False at the end
        ("table_kind", np.int8),  # card on the table: face down up to CHALLENGE, then turned up; NONE
        ("declared", np.int8),  # kind, NONE
        ("target", np.int8),  # seat, NONE
        ("passed", np.int8),  # bit set of seats that have passed in the poll
        ("challenger", np.int8),  # seat, NONE
        ("list_no", np.int8),  # list being resolved: EFFECT or BONUS; EFFECT when none is
        ("step_no", np.int8),  # step of that list, 0 when none is
        ("carried", np.bool_),  # whether the step before it was carried out; False for the first
        ("left", np.int8),  # PICK, DISCARD: cards that may or must still be chosen, this one included; else 0
        ("bonus_target", np.int8),  # seat, NONE
        ("recipient", np.int8),  # seat chosen for a bribe whose type is being chosen, NONE
        ("blocked", np.int8),  # bit set of seats whose token this play has spent (SG-82)
        ("aside", np.int8, (MAX_ASIDE,)),  # kinds set aside by a discard step, in order; NONE beyond
        # Cards.
        ("deck_size", np.int8),
        ("pile_size", np.int8),
        ("hand_size", np.int8, (MAX_SEATS,)),
        ("hand", np.int8, (MAX_SEATS, MAX_KINDS)),  # cards of each kind
        ("known", np.int8, (MAX_SEATS, MAX_KINDS)),  # of these, known to all other seats (SG-113)
        ("cards", np.int8, (MAX_CARDS,)),  # pile from place 0, bottom first; deck up to the last, top first; else NONE
        ("seen", np.int8, (MAX_CARDS,)),  # bit set of seats that know the pile card at this place; 0 beyond
        ("any_known", np.int8),  # bit set of seats with a card in ``known``
        ("filler", np.int8, (2,)),  # 0; up to a multiple of 8 bytes
    ],
)

ACTIONS = Actions(
    ActionBlock("PLAY", MAX_KINDS, "put a card of kind k face down on the table"),
    ActionBlock("SKIP", 1, "play nothing in this phase"),
    ActionBlock("DECLARE", MAX_KINDS, "declare the card to be of kind k"),
    ActionBlock("SEAT", MAX_SEATS - 1, "name the r-th seat clockwise from the actor, r from 1"),
    ActionBlock("PASS", 1, "believe the declaration"),
    ActionBlock("CHALLENGE", 1, "call it a lie"),
    ActionBlock("FAVOUR", NUM_TYPES, "choose favour type t: Team, Union, Guild"),
    ActionBlock("PICK", MAX_KINDS, "take a card of kind k from the discard pile"),
    ActionBlock("LEAVE", 1, "take no further card from the pile"),
    ActionBlock("DISCARD", MAX_KINDS, "discard a card of kind k"),
)
NUM_ACTIONS = ACTIONS.size
PLAY_0, SKIP_0, DECLARE_0, SEAT_0, PASS_0, CHALLENGE_0, FAVOUR_0, PICK_0, LEAVE_0, DISCARD_0 = (
    ACTIONS.first[block.name] for block in ACTIONS.blocks
)

MAX_FAVOUR = MAX_SEATS * 2 * MAX_SCALE
MAX_COUNT = 9_999  # counts of the whole game are shown up to this
# Small numbers are also shown as bars, entry i being 1 from i + 1 on: the bounds of a field allow for large decks and
# scales, so that the plain number of an ordinary game is tiny once a network has scaled it.
FAVOUR_BARS, HAND_BARS, UNSEEN_BARS = 6, 2, 3

# In the order in which observation.py writes: what it clears first; flags, many at a time; numbers; what is fixed.
OBSERVATION = Layout(
    Field("pile", (MAX_KINDS,), 0, MAX_CARDS, "cards of the discard pile that the observer knows, by kind"),
    Field("aside", (MAX_KINDS,), 0, MAX_ASIDE, "cards that the own discard step has set aside"),
    Field("known", (MAX_SEATS, MAX_KINDS), 0, MAX_CARDS, "cards that all others know to be in the hand"),
    Field("known_bars", (MAX_SEATS, MAX_KINDS), 0, 1, "the same: at least 1 card"),
    Field("favour", (MAX_SEATS, NUM_TYPES), 0, MAX_FAVOUR, "favours of each seat and type", wide=True),
    Field("plays", (MAX_SEATS,), 0, MAX_COUNT, "plays of the seat so far (up to 9,999)", wide=True),
    Field("bluffs", (MAX_SEATS,), 0, MAX_COUNT, "of these, bluffs", wide=True),
    Field("polls", (MAX_SEATS,), 0, MAX_COUNT, "times that the seat was polled (up to 9,999)", wide=True),
    Field("challenges", (MAX_SEATS,), 0, MAX_COUNT, "of these, challenges", wide=True),
    Field("challenges_won", (MAX_SEATS,), 0, MAX_COUNT, "of these, bluffs exposed", wide=True),
    Field("phase", (NUM_PHASES,), 0, 1, "one-hot: " + ", ".join(PHASE_NAMES)),
    Field("part", (2,), 0, 1, "one-hot: Plotting phase, Agents phase"),
    Field("plotted", (), 0, 1, "the Plotting phase of this turn is over and had a play"),
    Field("present", (MAX_SEATS,), 0, 1, "seat takes part"),
    Field("actor", (MAX_SEATS,), 0, 1, "one-hot: seat whose turn it is"),
    Field("to_move", (MAX_SEATS,), 0, 1, "one-hot: seat to move; zeros at the end"),
    Field("shields", (MAX_SEATS,), 0, 1, "seat holds a protection token"),
    Field("target", (MAX_SEATS,), 0, 1, "one-hot: target of the declaration"),
    Field("passed", (MAX_SEATS,), 0, 1, "seat has passed in the poll"),
    Field("challenger", (MAX_SEATS,), 0, 1, "one-hot: seat that challenged"),
    Field("blocked", (MAX_SEATS,), 0, 1, "token of the seat was spent in this play"),
    Field("declared", (MAX_KINDS,), 0, 1, "one-hot: declared kind"),
    Field("table_card", (MAX_KINDS,), 0, 1, "one-hot: own face-down card on the table"),
    Field("turned_up", (MAX_KINDS,), 0, 1, "one-hot: kind of the card on the table, once it is turned up"),
    Field("pile_top", (MAX_KINDS,), 0, 1, "one-hot: top card of the discard pile"),
    Field("list_no", (2,), 0, 1, "one-hot while a list is resolved: effect, bonus"),
    Field("step_no", (MAX_STEPS,), 0, 1, "one-hot while a list is resolved: number of the step"),
    Field("step_op", (len(OPS),), 0, 1, "one-hot while a list is resolved: " + ", ".join(OPS)),
    Field("carried", (), 0, 1, "the step before was carried out"),
    Field("bonus_target", (MAX_SEATS,), 0, 1, "one-hot: target of the bonus"),
    Field("recipient", (MAX_SEATS,), 0, 1, "one-hot: seat that will get the bribe"),
    Field("reserve_bars", (NUM_TYPES,), 0, 1, "the reserve holds at least 1 favour of the type"),
    Field("majority", (MAX_SEATS, NUM_TYPES), 0, 1, "seat has a majority in the type"),
    Field("marks", (MAX_SEATS, NUM_TYPES), 0, 1, "streak mark is on"),
    Field("favour_bars", (MAX_SEATS, NUM_TYPES, FAVOUR_BARS), 0, 1, "seat holds at least 1, 2, ..., 6 favours"),
    Field("hand", (MAX_KINDS,), 0, MAX_CARDS, "own hand, cards of each kind"),
    Field("hand_bars", (HAND_BARS, MAX_KINDS), 0, 1, "the same: at least 1, 2 cards"),
    Field("unseen", (MAX_KINDS,), 0, MAX_CARDS, "cards of each kind of which the observer does not know the place"),
    Field("unseen_bars", (UNSEEN_BARS, MAX_KINDS), 0, 1, "the same: at least 1, 2, 3 cards"),
    Field("left", (), 0, MAX_ASIDE, "cards still to pick or to discard, this one included"),
    Field("aside_size", (), 0, MAX_ASIDE, "cards that the actor's discard step has set aside"),
    Field("turn_no", (), 1, MAX_TURNS, "number of the turn, from 1", wide=True),
    Field("reserve", (NUM_TYPES,), 0, MAX_FAVOUR, "favours in the reserve", wide=True),
    Field("reserve_tokens", (), 0, MAX_SEATS, "protection tokens in the reserve"),
    Field("deck_size", (), 0, MAX_CARDS, "cards in the deck"),
    Field("pile_size", (), 0, MAX_CARDS, "cards in the discard pile"),
    Field("pile_unknown", (), 0, MAX_CARDS, "cards of the discard pile that the observer does not know"),
    Field("hand_sizes", (MAX_SEATS,), 0, MAX_CARDS, "cards in the hand of each seat"),
    Field("copies", (MAX_KINDS,), 0, MAX_CARDS, "deck list: cards of each kind"),
    Field("agent", (MAX_KINDS,), 0, 1, "deck list: the kind is an agent"),
    Field("num_players", (), MIN_SEATS, MAX_SEATS, "option"),
    Field("until_turn", (), 0, 1, "option protection = 'until_turn'"),
    Field("victory_check", (3,), 0, 1, "one-hot: option victory_check"),
    Field("random_order", (), 0, 1, "option challenge_order = 'random'"),
    Field("card_fits_phase", (), 0, 1, "option"),
    Field("max_turns", (), 1, MAX_TURNS, "option", wide=True),
    Field("favours_reward", (), 0, 1, "option reward = 'favours'"),
    Field("victory", (), 1, MAX_SCALE, "option"),
    Field("favour_types", (), 1, NUM_TYPES, "option"),
    Field("hand_keep", (), 1, MAX_SCALE, "option"),
    Field("hand_draw", (), 2, MAX_SCALE, "option"),
)

# The same for every table of an environment; built once by tables(). All of it is public.
TABLES = np.dtype(
    [
        ("steps", np.int8, (MAX_KINDS, 2, MAX_STEPS, 5)),  # op, favour, who, count, then; op 0 ends a list
        ("card_type", np.int8, (MAX_KINDS,)),  # PLOT or AGENT, NONE
        ("copies", np.int8, (MAX_KINDS,)),
        ("uses_target", np.int8, (MAX_KINDS, 2)),  # 1 for an effect, a bonus that uses a target (SG-60)
        ("cards", np.int8, (MAX_CARDS,)),  # kinds of all cards, ascending; NONE beyond
        ("num_cards", np.int8),
        ("num_kinds", np.int8),
        ("kinds", np.int16, (len(CARD_TYPES),)),  # bit set of the kinds of each type
        ("single", np.int8, (len(CARD_TYPES),)),  # the only kind of each type, NONE where there are more or none
    ],
    align=True,
)


def tables(options: ShadowGamesOptions) -> np.recarray:
    """Returns the compiled deck."""
    deck = options.load_deck()
    record = np.zeros(1, TABLES)
    row = record[0]
    row["steps"] = decks.compile_steps(deck)
    row["card_type"], row["cards"], row["single"] = NONE, NONE, NONE
    for kind, card in enumerate(deck.cards):
        row["card_type"][kind], row["copies"][kind] = card.card_type, card.copies
        row["uses_target"][kind] = [any(step.who for step in steps) for steps in (card.effect, card.bonus)]
        row["single"][card.card_type] = NONE if row["kinds"][card.card_type] else kind
        row["kinds"][card.card_type] |= 1 << kind
    row["cards"][: deck.size] = deck.kinds()
    row["num_cards"], row["num_kinds"] = deck.size, len(deck.cards)
    record.flags.writeable = False
    return record.view(np.recarray)


def max_steps(options: ShadowGamesOptions, _: np.recarray) -> int:
    """Returns a bound on the actions of a game: max_turns turns of two plays of at most n + 4 + E + B decisions."""
    assert options.max_turns is not None
    return 2 * (options.num_players + 4 + decks.most_choices(options.load_deck())) * options.max_turns
