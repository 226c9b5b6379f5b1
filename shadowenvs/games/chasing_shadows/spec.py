"""Chasing Shadows as data: options, state, actions and observation.

Clause ids (CS-nn) are those of docs/rules/chasing_shadows.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shadowenvs.cards import NO_CARD, NUM_CARDS, NUM_RANKS, NUM_SUITS
from shadowenvs.game import Options, integer, reward_option, state_dtype
from shadowenvs.layout import ActionBlock, Actions, Alike, Field, Layout
from shadowenvs.rng import GAME_STREAMS

MIN_SEATS, MAX_SEATS = 3, 5
MAX_ROUNDS = 3
OFFICIAL_RANKS = {3: 11, 4: 14, 5: 15}  # CS-03

SUIT_LETTERS = "BRYG"
SUIT_NAMES = ("blue", "red", "yellow", "grey")
NO_SCORE = -1  # an empty box

PLAY, DISCARD, END = range(3)
PHASE_NAMES = ("play", "discard", "end")

STREAM_DEAL = GAME_STREAMS  # shuffle before a round, by round number
STREAM_STARTER = GAME_STREAMS + 1  # starter of round 1


@dataclass(frozen=True)
class ChasingShadowsOptions(Options):
    """Options of Chasing Shadows (CS-106 to CS-114)."""

    num_players: int = integer(4, MIN_SEATS, MAX_SEATS, "seats at the table")
    rounds: int = integer(3, 1, MAX_ROUNDS, "rounds of a game; scores are struck out in games of three only")
    reward: str = reward_option()
    num_suits: int = integer(4, 2, NUM_SUITS, "suits in the deck, from blue")
    num_ranks: int | None = integer(None, 3, NUM_RANKS, "ranks in the deck, from 0; 11, 14, 15 with 3, 4, 5 players")
    hand_size: int | None = integer(None, 2, None, "cards dealt to a seat; default deck div players, less 1")

    @property
    def deck_size(self) -> int:
        assert self.num_ranks is not None
        return self.num_suits * self.num_ranks

    @property
    def num_tricks(self) -> int:
        """Tricks of a round (CS-46)."""
        assert self.hand_size is not None
        return self.hand_size - 1

    def defaults(self) -> Mapping[str, Any]:
        ranks = self.num_ranks if self.num_ranks is not None else OFFICIAL_RANKS[self.num_players]
        return {"num_ranks": ranks, "hand_size": self.num_suits * ranks // self.num_players - 1}

    def check(self) -> None:
        """Refuses what CS-114 refuses."""
        n, size, deck = self.num_players, self.hand_size, self.deck_size
        assert size is not None
        if size < 2:
            raise ValueError(f"hand_size must be at least 2; {size} (default for this deck) is too small")
        if n * (size + 1) > deck:
            raise ValueError(
                f"hand_size {size}: {n} players need {n}·(hand_size + 1) = {n * (size + 1)} cards; the deck has {deck}"
            )


STATE = state_dtype(
    ChasingShadowsOptions,
    MAX_SEATS,
    [
        ("phase", np.int8),  # PLAY, DISCARD or END
        ("round_no", np.int8),  # from 1
        ("trick_no", np.int8),  # from 1; stays at the last trick at the end
        ("starter", np.int8),  # seat that led the first trick of the round
        ("trick_leader", np.int8),  # seat; the winner of the last trick at the end
        ("spotlight", np.int8),  # card
        ("follow", np.int8, (NUM_SUITS,)),  # remaining follow cards by suit
        ("trick", np.int8, (MAX_SEATS,)),  # card played to the present trick by seat, NO_CARD
        ("standing", np.int8, (MAX_SEATS, NUM_SUITS)),  # what the taken cards of a suit score, NO_SCORE for none
        ("boxes", np.int8, (MAX_SEATS, MAX_ROUNDS, NUM_SUITS)),  # score sheets, NO_SCORE for an empty box
        ("filler", np.int8, (2,)),  # always 0: NumPy leaves the bytes of a gap undefined when it copies records
        ("hand", np.uint64, (MAX_SEATS,)),  # set of cards
        ("taken", np.uint64, (MAX_SEATS,)),  # set of cards taken this round; with the unplayed card at the end
        ("first", np.uint64),  # set of the first follow cards of the round; stays until the next deal
        ("aside", np.uint64),  # set of the cards set aside at the deal; stays until the next deal
    ],
)

ACTIONS = Actions(
    ActionBlock("PLAY", NUM_CARDS, "play card c to the trick"),
    ActionBlock("DISCARD", NUM_SUITS, "remove a follow card of suit s after a card that could not match"),
)
PLAY_0, DISCARD_0 = (ACTIONS.first[name] for name in ("PLAY", "DISCARD"))

MAX_HAND = NUM_CARDS // MIN_SEATS - 1
MAX_FOLLOW = MAX_SEATS - 1
MAX_BOX = NUM_RANKS * (NUM_RANKS - 1) // 2
MAX_TOTAL = MAX_ROUNDS * 230  # no MAX_HAND cards have a higher sum of ranks than 230

OBSERVATION = Layout(
    Field("phase", (3,), 0, 1, "one-hot: play, discard, end"),
    Field("own_seat", (MAX_SEATS,), 0, 1, "one-hot: number of the own seat"),
    Field("to_move", (MAX_SEATS,), 0, 1, "one-hot: seat to move; zeros at the end"),
    Field("starter", (MAX_SEATS,), 0, 1, "one-hot: starter of the round"),
    Field("trick_leader", (MAX_SEATS,), 0, 1, "one-hot: leader of the trick; at the end the last winner"),
    Field("spotlight_suit", (NUM_SUITS,), 0, 1, "one-hot: suit of the spotlight card"),
    Field("spotlight_rank", (NUM_RANKS,), 0, 1, "one-hot: rank of the spotlight card"),
    Field("trick_suit", (MAX_SEATS, NUM_SUITS), 0, 1, "one-hot: suit of the card each seat played to the trick"),
    Field("trick_rank", (MAX_SEATS, NUM_RANKS), 0, 1, "one-hot: rank of that card"),
    Field("winning", (MAX_SEATS,), 0, 1, "one-hot: seat whose card wins the trick so far"),
    Field("struck", (MAX_SEATS, MAX_ROUNDS, NUM_SUITS), 0, 1, "at the end: scores that are struck out"),
    Field("winners", (MAX_SEATS,), 0, 1, "at the end: seats that have won"),
    # So far fields that are cleared before they are written, from here on such as are written whole.
    Field("round_no", (), 1, MAX_ROUNDS, "number of the round, from 1"),
    Field("trick_no", (), 1, MAX_HAND - 1, "number of the trick, from 1"),
    Field("hand", (NUM_CARDS,), 0, 1, "own hand"),
    Field("hand_suits", (MAX_SEATS, NUM_SUITS), 0, NUM_RANKS, "cards of each suit in the hand of each seat"),
    Field("follow", (NUM_SUITS,), 0, MAX_FOLLOW, "remaining follow cards by suit"),
    Field("first_suits", (NUM_SUITS,), 0, MAX_FOLLOW, "first follow cards of the round by suit, gone ones included"),
    Field("aside_suits", (NUM_SUITS,), 0, NUM_RANKS, "cards set aside at the deal by suit"),
    Field("seen", (NUM_CARDS,), 0, 1, "cards that lay face up since the last shuffle"),
    Field("taken", (MAX_SEATS, NUM_CARDS), 0, 1, "cards taken this round, by seat; with the unplayed one at the end"),
    Field("num_taken", (MAX_SEATS,), 0, MAX_HAND, "how many these are; at the end they break ties"),
    Field("standing", (MAX_SEATS, NUM_SUITS), NO_SCORE, MAX_BOX, "what the taken cards score by suit; -1 for none"),
    Field("boxes", (MAX_SEATS, MAX_ROUNDS, NUM_SUITS), NO_SCORE, MAX_BOX, "score sheets; -1 for an empty box"),
    Field("totals", (MAX_SEATS,), 0, MAX_TOTAL, "score so far; at the end the final score", wide=True),
    # What the options fix.
    Field("present", (MAX_SEATS,), 0, 1, "seat takes part; all else about other seats is zero"),
    Field("num_players", (), MIN_SEATS, MAX_SEATS, "option"),
    Field("rounds", (), 1, MAX_ROUNDS, "option"),
    Field("points_reward", (), 0, 1, "option reward = 'points'"),
    Field("num_suits", (), 2, NUM_SUITS, "option"),
    Field("num_ranks", (), 3, NUM_RANKS, "option"),
    Field("hand_size", (), 2, MAX_HAND, "option"),
)

ALIKE = Alike(
    "suits",
    NUM_SUITS,
    fields=(
        "spotlight_suit",
        "trick_suit",
        "struck",
        "hand",
        "hand_suits",
        "follow",
        "first_suits",
        "aside_suits",
        "seen",
        "taken",
        "standing",
        "boxes",
    ),
    actions=("PLAY", "DISCARD"),
)

# The same for every table of an environment; built once by tables().
TABLES = np.dtype([("deck", np.uint64), ("cards", np.int8, (NUM_CARDS,)), ("num_cards", np.int8)], align=True)


def tables(options: ChasingShadowsOptions) -> np.recarray:
    """Returns the deck: its set of cards, and their numbers in ascending order (CS-03, CS-106)."""
    assert options.num_ranks is not None
    cards = [suit * NUM_RANKS + rank for suit in range(options.num_suits) for rank in range(options.num_ranks)]
    record = np.zeros(1, TABLES)
    record["deck"] = sum(1 << card for card in cards)
    record["cards"] = NO_CARD
    record["cards"][0, : len(cards)] = cards
    record["num_cards"] = len(cards)
    record.flags.writeable = False
    return record.view(np.recarray)


def max_steps(options: ChasingShadowsOptions, _: np.recarray) -> int:
    """Returns a bound for the number of actions of a game: n plays and n - 2 discards a trick (CS-75)."""
    return options.rounds * options.num_tricks * (2 * options.num_players - 2)
