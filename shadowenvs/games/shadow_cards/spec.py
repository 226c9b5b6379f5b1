"""Shadow Cards as data: options, state, actions and observation.

Clause ids (SC-nn) are those of docs/rules/shadow_cards.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shadowenvs.cards import NO_CARD, NUM_CARDS, NUM_RANKS, NUM_SUITS
from shadowenvs.game import Options, boolean, choice, integer, reward_option, state_dtype
from shadowenvs.layout import ActionBlock, Actions, Field, Layout
from shadowenvs.rng import GAME_STREAMS

MIN_SEATS, MAX_SEATS = 2, 5
MAX_ROUNDS = 12
MAX_TURNED = 14  # most extra cards that a round with three seats can turn
NUM_RESERVES = 2  # seats of the form of the game that keeps reserve stacks

SUIT_LETTERS = "RYGB"
SUIT_NAMES = ("red", "yellow", "green", "blue")
TRUMP = 0  # red

# Words as the state holds them, in the order of the options' choices.
STANDARD, INTRODUCTORY = range(2)
TIE_ALL, TIE_NONE, TIE_EXACT_CANCELS = range(3)

PREDICT, PLAY, CLAIM, END = range(4)
PHASE_NAMES = ("predict", "play", "claim", "end")

STREAM_DEAL = GAME_STREAMS  # shuffle before a round, by round number
STREAM_LEADER = GAME_STREAMS + 1  # leader of round 1


@dataclass(frozen=True)
class ShadowCardsOptions(Options):
    """Options of Shadow Cards (SC-126 to SC-135)."""

    num_players: int = integer(4, MIN_SEATS, MAX_SEATS, "seats at the table")
    rounds: int | None = integer(None, 1, MAX_ROUNDS, "rounds of a game; 4 with 2 players, else 3")
    scoring: str = choice(
        "standard", "standard", "introductory", meaning="'introductory' scores rounds 1 and 2 more simply"
    )
    most_tie: str = choice(
        "all", "all", "none", "exact_cancels", meaning="whom rule Most hits when seats share the most"
    )
    floor_penalty: bool = boolean(False, "whether a negative result of rule Most counts as 0")
    reward: str = reward_option()
    num_suits: int = integer(4, 2, NUM_SUITS, "suits in the deck, red always among them")
    num_ranks: int = integer(15, 3, NUM_RANKS, "ranks in the deck, from 0")
    hand_size: int | None = integer(None, 2, None, "cards dealt to a seat; default deck div max(4, players)")
    prediction_cards: int | None = integer(None, 1, None, "cards of a prediction; 3 with 2 players, else 2")

    @property
    def deck_size(self) -> int:
        return self.num_suits * self.num_ranks

    @property
    def num_tricks(self) -> int:
        """Tricks of a round."""
        assert self.hand_size is not None
        assert self.prediction_cards is not None
        return self.hand_size - self.prediction_cards

    def defaults(self) -> Mapping[str, Any]:
        two = self.num_players == 2
        return {
            "rounds": 4 if two else 3,
            "hand_size": self.deck_size // max(4, self.num_players),
            "prediction_cards": 3 if two else 2,
        }

    def check(self) -> None:
        """Refuses what SC-135 refuses."""
        n, size, k, deck = self.num_players, self.hand_size, self.prediction_cards, self.deck_size
        assert size is not None
        assert k is not None
        if self.scoring == "introductory" and n == 2:
            raise ValueError("scoring 'introductory': introductory scoring is defined for 3 to 5 players only")
        if size < 2:
            raise ValueError(f"hand_size must be at least 2; {size} (default for this deck) is too small")
        if not 1 <= k <= size - 1:
            raise ValueError(
                f"prediction_cards must be between 1 and hand_size - 1 = {size - 1} so that a card is left to play, "
                f"not {k}"
            )
        if n == 2 and self.rounds == 1:
            needed, what = 2 * size, "2 players with one round need 2·hand_size"
        elif n == 2:
            needed, what = 4 * size, "2 players need 4·hand_size (two reserve stacks)"
        elif n == 3:
            needed, what = 4 * size - k, "3 players need 3·hand_size and one extra card per trick,"
        else:
            needed, what = n * size, f"{n} players need {n}·hand_size"
        if needed > deck:
            raise ValueError(f"hand_size {size}: {what} = {needed} cards; the deck has {deck}")


STATE = state_dtype(
    ShadowCardsOptions,
    MAX_SEATS,
    [
        ("phase", np.int8),  # PREDICT, PLAY, CLAIM or END
        ("round_no", np.int8),  # from 1
        ("trick_no", np.int8),  # from 1; 0 while predictions are made
        ("round_leader", np.int8),  # seat
        ("trick_leader", np.int8),  # seat; the round leader before trick 1
        ("voids", np.uint8, (MAX_SEATS,)),  # bit set of suits a hand is known to lack this round
        ("trick", np.int8, (MAX_SEATS,)),  # card played to the present trick by seat, NO_CARD
        ("extra", np.int8, (MAX_TURNED,)),  # 3 seats: extra cards in the order of turning, NO_CARD beyond
        ("hand", np.uint64, (MAX_SEATS,)),  # set of cards
        ("prediction", np.uint64, (MAX_SEATS,)),  # set of cards; stays until the next deal
        ("played", np.uint64, (MAX_SEATS,)),  # set of cards played since the last shuffle
        ("claimed", np.uint64, (MAX_SEATS,)),  # set of cards claimed this round
        ("reserve", np.uint64, (NUM_RESERVES,)),  # 2 seats: the hand of the next round, in odd rounds
        ("revealed", np.uint64, (NUM_RESERVES,)),  # 2 seats: predictions of the round before, in even rounds
        ("results", np.uint32, (MAX_ROUNDS, MAX_SEATS)),  # finished rounds, see pack_result; 0 before
    ],
)

ACTIONS = Actions(
    ActionBlock("PREDICT", NUM_CARDS, "set card c aside for the prediction"),
    ActionBlock("PLAY", NUM_CARDS, "play card c to the trick"),
    ActionBlock("CLAIM", NUM_CARDS, "claim card c of the trick just won"),
)
PREDICT_0, PLAY_0, CLAIM_0 = (ACTIONS.first[name] for name in ("PREDICT", "PLAY", "CLAIM"))

MAX_SUM = 330  # no set of cards of a hand is worth more
MAX_GAIN = 3 * MAX_SUM
MAX_TOTAL = 12_000

OBSERVATION = Layout(
    Field("phase", (4,), 0, 1, "one-hot: predict, play, claim, end"),
    Field("round_no", (), 1, MAX_ROUNDS, "number of the round, from 1"),
    Field("trick_no", (), 0, 30, "number of the trick, from 1; 0 while predictions are made"),
    Field("own_seat", (MAX_SEATS,), 0, 1, "one-hot: number of the own seat"),
    Field("to_move", (MAX_SEATS,), 0, 1, "one-hot: seat to move; zeros at the end"),
    Field("round_leader", (MAX_SEATS,), 0, 1, "one-hot: leader of the round"),
    Field("trick_leader", (MAX_SEATS,), 0, 1, "one-hot: leader of the trick; zeros while predictions are made"),
    Field("hand", (NUM_CARDS,), 0, 1, "own hand"),
    Field("prediction", (NUM_CARDS,), 0, 1, "own prediction so far"),
    Field("prediction_sum", (), 0, MAX_SUM, "value of the own prediction so far", wide=True),
    Field("hand_sizes", (MAX_SEATS,), 0, 30, "cards in the hand of each seat"),
    Field("prediction_sizes", (MAX_SEATS,), 0, 29, "cards each seat has set aside"),
    Field("played", (MAX_SEATS, NUM_CARDS), 0, 1, "cards played since the last shuffle, by seat"),
    Field("trick_suit", (MAX_SEATS, NUM_SUITS), 0, 1, "one-hot: suit of the card each seat played to the trick"),
    Field("trick_rank", (MAX_SEATS,), NO_CARD, NUM_RANKS - 1, "rank of that card; -1 for none"),
    Field("led_suit", (NUM_SUITS,), 0, 1, "one-hot: led suit"),
    Field("extra_suit", (NUM_SUITS,), 0, 1, "one-hot: suit of the extra card on the table"),
    Field("extra_rank", (), NO_CARD, NUM_RANKS - 1, "rank of the extra card on the table; -1 for none"),
    Field("unturned", (), 0, 54, "3 players: extra cards not turned yet"),
    Field("winning", (MAX_SEATS,), 0, 1, "one-hot: seat whose card wins the trick so far"),
    Field("claimed", (MAX_SEATS, NUM_RANKS), 0, NUM_SUITS, "cards claimed this round, by seat and value"),
    Field("trick_points", (MAX_SEATS,), 0, MAX_SUM, "trick points of this round", wide=True),
    Field("voids", (MAX_SEATS, NUM_SUITS), 0, 1, "suits that the hand is known to lack"),
    Field("totals", (MAX_SEATS,), -MAX_TOTAL, MAX_TOTAL, "experience so far", wide=True),
    # What the options fix, or fix to be zero in part, comes last; see observation.observe.
    Field(
        "results",
        (MAX_ROUNDS, MAX_SEATS, 3),
        -MAX_SUM,
        MAX_GAIN,
        "finished rounds, by seat: prediction, trick points, experience",
        wide=True,
    ),
    Field("revealed", (2, NUM_CARDS), 0, 1, "2 players, even rounds: predictions of the round before, by seat"),
    Field("turned", (NUM_CARDS,), 0, 1, "3 players: extra cards turned this round"),
    Field("present", (MAX_SEATS,), 0, 1, "seat takes part"),
    Field("num_players", (), MIN_SEATS, MAX_SEATS, "option"),
    Field("rounds", (), 1, MAX_ROUNDS, "option"),
    Field("introductory", (), 0, 1, "option scoring = 'introductory'"),
    Field("most_tie", (3,), 0, 1, "one-hot: option most_tie"),
    Field("floor_penalty", (), 0, 1, "option"),
    Field("points_reward", (), 0, 1, "option reward = 'points'"),
    Field("num_suits", (), 2, NUM_SUITS, "option"),
    Field("num_ranks", (), 3, NUM_RANKS, "option"),
    Field("hand_size", (), 2, 30, "option"),
    Field("prediction_cards", (), 1, 29, "option"),
)

# The same for every table of an environment; built once by tables().
TABLES = np.dtype([("deck", np.uint64), ("cards", np.int8, (NUM_CARDS,)), ("num_cards", np.int8)], align=True)


def tables(options: ShadowCardsOptions) -> np.recarray:
    """Returns the deck: its set of cards, and their numbers in ascending order (SC-126)."""
    cards = [suit * NUM_RANKS + rank for suit in range(options.num_suits) for rank in range(options.num_ranks)]
    record = np.zeros(1, TABLES)
    record["deck"] = sum(1 << card for card in cards)
    record["cards"] = NO_CARD
    record["cards"][0, : len(cards)] = cards
    record["num_cards"] = len(cards)
    record.flags.writeable = False
    return record.view(np.recarray)


def max_steps(options: ShadowCardsOptions, _: np.recarray) -> int:
    """Returns the number of actions of every game with these options: it does not vary (SC-98)."""
    n, k, tricks = options.num_players, options.prediction_cards, options.num_tricks
    assert options.rounds is not None
    assert k is not None
    return options.rounds * (n * k + (n + 1) * tricks)
