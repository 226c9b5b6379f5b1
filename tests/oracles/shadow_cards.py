"""Shadow Cards a second time: slow, plain Python written from the rule file alone, to check the compiled game.

Clause ids (SC-nn) are those of the rule file. Cards are numbers suit * 15 + rank (SC-02).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_cards.notation import Position

PREDICT, PLAY, CLAIM, END = 0, 1, 2, 3
PLAY_FIRST, CLAIM_FIRST = 60, 120  # SC-99: PREDICT c = c, PLAY c = 60 + c, CLAIM c = 120 + c
RED = 0  # SC-02; red is trump

World = tuple[
    tuple[frozenset[int], ...],  # hands by seat
    tuple[frozenset[int], ...],  # predictions by seat
    tuple[int, ...],  # extra cards that this round will still turn, in order
    tuple[frozenset[int], ...],  # reserve stacks by seat
]


def option_sets() -> dict[str, dict[str, Any]]:
    """Returns options for random games by a short label, besides the defaults: small decks, other rules and sizes."""

    def small(n: int, rounds: int, suits: int, ranks: int, h: int, k: int, **others: Any) -> dict[str, Any]:
        sizes = {"num_suits": suits, "num_ranks": ranks, "hand_size": h, "prediction_cards": k}
        return {"num_players": n, "rounds": rounds, **sizes, **others}

    return {
        "2-one-round": small(2, 1, 2, 3, 3, 1),
        "2-reserve": small(2, 3, 2, 5, 2, 1, reward="points"),
        "2-leftover": small(2, 2, 4, 5, 4, 2, most_tie="none"),
        "2-longest": small(2, 1, 4, 15, 30, 1),
        "3-extra": small(3, 2, 3, 4, 3, 1, most_tie="exact_cancels"),
        "3-turned": small(3, 1, 4, 15, 15, 1, reward="points"),
        "3-introductory": small(3, 4, 4, 6, 5, 2, scoring="introductory", floor_penalty=True),
        "4-ties": small(4, 3, 4, 3, 3, 1, most_tie="exact_cancels", reward="points"),
        "4-introductory": small(4, 3, 4, 6, 6, 2, scoring="introductory", most_tie="none"),
        "4-picks": small(4, 1, 3, 8, 6, 4),
        "5-leftover": small(5, 12, 4, 3, 2, 1, floor_penalty=True),
    }


def suit_of(card: int) -> int:
    """Returns the suit 0 to 3 (SC-02)."""
    return card // 15


def value_of(card: int) -> int:
    """Returns the value, which is the rank (SC-03)."""
    return card % 15


def deck_of(options: Any) -> list[int]:
    """Returns the card numbers of the deck in ascending order (SC-01, SC-126)."""
    return [suit * 15 + rank for suit in range(options.num_suits) for rank in range(options.num_ranks)]


def trick_winner(table: Sequence[int], lead: int) -> int:
    """Returns the seat that wins a trick of one card a seat."""
    led_suit = suit_of(table[lead])  # SC-34
    # SC-38: the highest red card; SC-39: without red the highest card of the led suit.
    winning_suit = RED if any(suit_of(card) == RED for card in table) else led_suit
    candidates = [seat for seat in range(len(table)) if suit_of(table[seat]) == winning_suit]
    return max(candidates, key=lambda seat: value_of(table[seat]))  # SC-40: values of one suit differ


def experience(
    options: Any, round_no: int, predictions: Sequence[int], claimed_values: Sequence[Sequence[int]]
) -> list[int]:
    """Returns the experience points of a round by seat.

    Args:
        options: The game's options.
        round_no: From 1.
        predictions: P of each seat.
        claimed_values: Values of the cards each seat claimed, in any order.
    """
    totals = [sum(values) for values in claimed_values]  # SC-55
    if options.scoring == "introductory" and round_no <= 2:  # SC-85: standard rules from round 3 on
        return [introductory(round_no, p, t) for p, t in zip(predictions, totals, strict=True)]
    return standard(options, predictions, claimed_values)


def introductory(round_no: int, p: int, t: int) -> int:
    """Returns a seat's points of round 1 or 2 of introductory scoring; Zero and Most do not exist (SC-84)."""
    if round_no == 1:
        return p if t >= p else 0  # SC-79, SC-80
    if t == p:
        return 3 * p  # SC-81
    if t > p:
        return p + t  # SC-82
    return t  # SC-83


def standard(options: Any, predictions: Sequence[int], claimed_values: Sequence[Sequence[int]]) -> list[int]:
    """Returns the points of a round by the standard rules, by seat (SC-57 to SC-75)."""
    totals = [sum(values) for values in claimed_values]
    most = max(totals)
    sharing = [seat for seat in range(len(totals)) if totals[seat] == most]
    most_exists = True
    if options.most_tie == "none" and len(sharing) >= 2:
        most_exists = False  # SC-71
    if options.most_tie == "exact_cancels" and any(totals[seat] == predictions[seat] for seat in sharing):
        most_exists = False  # SC-72
    gains = []
    for p, t, values in zip(predictions, totals, claimed_values, strict=True):
        # SC-57: the first rule whose condition is met.
        if t == p:
            gains.append(3 * p)  # SC-58 Exact
        elif t == 0:
            gains.append(2 * p)  # SC-59 Zero
        elif t == most and most_exists:
            gains.append(most_gain(options, values))  # SC-60 Most
        elif t > p:
            gains.append(p + t)  # SC-61 Over
        else:
            gains.append(t)  # SC-62 Under
    return gains


def most_gain(options: Any, values: Sequence[int]) -> int:
    """Returns the points of rule Most (SC-60)."""
    num_best = 5 if options.num_players == 2 else 3  # SC-63
    descending = sorted(values, reverse=True)
    gain = sum(descending[:num_best]) - sum(descending[num_best:])
    if options.floor_penalty and gain < 0:
        return 0  # SC-75
    return gain  # SC-74


def win_share(totals: Sequence[int]) -> list[float]:
    """Returns the rewards of the end of the game (SC-121, SC-122), as float32 values."""
    n = len(totals)
    winners = winners_of(totals)
    w = len(winners)
    won = float(np.float32(n - w) / np.float32(w * (n - 1)))  # SC-122: 0 if all win
    lost = float(np.float32(-1) / np.float32(n - 1))
    return [won if seat in winners else lost for seat in range(n)]


def winners_of(totals: Sequence[int]) -> set[int]:
    """Returns every seat with the highest total (SC-89, SC-90)."""
    return {seat for seat in range(len(totals)) if totals[seat] == max(totals)}


def _sets(groups: Sequence[set[int]], num: int) -> list[set[int]]:
    """Returns a copy with num entries, the missing ones empty."""
    return [set(group) for group in groups] + [set() for _ in range(num - len(groups))]


class Oracle:
    """One game of Shadow Cards.

    Attributes:
        to_move: Seat to move; 0 at the end.
        points: Experience points so far, by seat.
        winners: Seats that have won; empty before the end.
        done: Whether the game has ended.
        rewards: Of the last action, by seat.
    """

    def __init__(self, options: Any) -> None:
        self.options = options
        self.n: int = options.num_players
        self.h: int = options.hand_size
        self.k: int = options.prediction_cards
        self.t: int = self.h - self.k  # SC-29
        self.seed = 0
        self.phase = PREDICT
        self.round_no = 1
        self.trick_no = 0
        self.leader = 0
        self.lead = 0
        self.to_move = 0
        self.hands: list[set[int]] = _sets([], self.n)
        self.predictions: list[set[int]] = _sets([], self.n)
        self.played: list[set[int]] = _sets([], self.n)  # since the last shuffle
        self.claimed: list[set[int]] = _sets([], self.n)  # of this round
        self.voids: list[set[int]] = _sets([], self.n)  # of this round (SC-112)
        self.table: list[int | None] = [None] * self.n
        self.extra: list[int] = []
        self.reserve: list[set[int]] = _sets([], 2)
        self.revealed: list[set[int]] = _sets([], 2)
        self.results: list[list[tuple[int, int, int]]] = []
        self.points: list[int] = [0] * self.n
        self.winners: set[int] = set()
        self.done = False
        self.rewards: list[float] = [0.0] * self.n

    def deal(self, seed: int) -> None:
        """Starts a game from a 64-bit seed."""
        self.seed = seed
        self.results = []
        self.points = [0] * self.n
        self.winners = set()
        self.done = False
        self.rewards = [0.0] * self.n
        # SC-07: the first leader is drawn uniformly.
        self.leader = int(rng.below(np.uint64(seed), rng.GAME_STREAMS + 1, 0, 0, self.n))
        self._start_round(1)

    @classmethod
    def from_position(cls, position: Position) -> Oracle:
        """Returns a game set up from a position; what the position leaves out is empty."""
        game = cls(position.options)
        n = game.n
        game.seed = position.seed
        game.phase = position.phase
        game.round_no = position.round_no
        game.trick_no = position.trick_no
        game.leader = position.leader
        game.lead = position.lead
        game.to_move = position.move
        game.hands = _sets(position.hands, n)
        game.predictions = _sets(position.predictions, n)
        game.played = _sets(position.played, n)
        game.claimed = _sets(position.claimed, n)
        game.voids = _sets(position.voids, n)
        game.table = list(position.table) + [None] * (n - len(position.table))
        game.extra = list(position.extra)
        game.reserve = _sets(position.reserve, 2)
        game.revealed = _sets(position.revealed, 2)
        game.results = [list(row) for row in position.results]
        game.points = [sum(row[seat][2] for row in game.results) for seat in range(n)]  # SC-76
        game.rewards = list(position.rewards) + [0.0] * (n - len(position.rewards))
        if game.phase == END:
            game.done = True
            game.winners = winners_of(game.points)
        return game

    def position(self) -> Position:
        """Returns the complete state."""
        return Position(
            options=self.options,
            seed=self.seed,
            phase=self.phase,
            round_no=self.round_no,
            trick_no=self.trick_no,
            leader=self.leader,
            lead=self.lead,
            move=self.to_move,
            hands=_sets(self.hands, self.n),
            predictions=_sets(self.predictions, self.n),
            played=_sets(self.played, self.n),
            claimed=_sets(self.claimed, self.n),
            table=list(self.table),
            voids=_sets(self.voids, self.n),
            extra=list(self.extra),
            reserve=_sets(self.reserve, 2),
            revealed=_sets(self.revealed, 2),
            results=[list(row) for row in self.results],
            rewards=list(self.rewards),
        )

    def turned(self) -> list[int]:
        """Returns the extra cards turned in this round, the last one for the present trick (SC-41)."""
        return self.extra[: self.trick_no]

    def trick_cards(self) -> set[int]:
        """Returns the cards of the trick that the winner chooses from (SC-45, SC-46)."""
        cards = {card for card in self.table if card is not None}
        if 1 <= self.trick_no <= len(self.extra):
            cards.add(self.extra[self.trick_no - 1])
        return cards

    def legal(self) -> set[int]:
        """Returns the legal actions of the seat to move; none at the end (SC-101)."""
        hand = self.hands[self.to_move]
        if self.phase == PREDICT:
            picks = self.predictions[self.to_move]
            lacking = self.k - len(picks) - 1  # after the pick
            return {
                card
                for card in hand
                if all(card > pick for pick in picks)  # SC-95
                and len([other for other in hand if other > card]) >= lacking  # SC-96
            }
        if self.phase == PLAY:
            led = self.table[self.lead]
            following = set() if led is None else {card for card in hand if suit_of(card) == suit_of(led)}
            return {PLAY_FIRST + card for card in following or hand}  # SC-33; SC-35, SC-37; SC-36
        if self.phase == CLAIM:
            return {CLAIM_FIRST + card for card in self.trick_cards()}  # SC-45, SC-48
        return set()

    def step(self, action: int) -> None:
        """Carries out an action of the seat to move.

        Raises:
            ValueError: The action is not legal; the state is as before (SC-100).
        """
        if action not in self.legal():
            raise ValueError(f"{action} is not a legal action")
        self.rewards = [0.0] * self.n  # SC-123, SC-124
        if self.phase == PREDICT:
            self._predict(action)
        elif self.phase == PLAY:
            self._play(action - PLAY_FIRST)
        else:
            self._claim(action - CLAIM_FIRST)

    def _start_round(self, number: int) -> None:
        two = self.n == 2
        before = self.predictions
        if two and number % 2 == 0:
            # SC-16, SC-131: the hands are the reserve stacks; SC-56: the predictions before have become public.
            self.hands = self.reserve
            self.reserve = _sets([], 2)
            self.revealed = before
        else:
            cards = self._shuffled(number)  # SC-10, SC-14
            h = self.h
            self.hands = [set(cards[seat * h : (seat + 1) * h]) for seat in range(self.n)]
            self.played = _sets([], self.n)
            self.revealed = _sets([], 2)
            # SC-13, SC-44, SC-130: only the extra cards that will be turned are kept.
            self.extra = cards[3 * h : 3 * h + self.t] if self.n == 3 else []
            # SC-15, SC-132: no stacks in a game of one round.
            stacked = two and self.options.rounds > 1
            self.reserve = [set(cards[(2 + seat) * h : (3 + seat) * h]) if stacked else set() for seat in range(2)]
        self.round_no = number
        self.trick_no = 0
        self.phase = PREDICT
        self.lead = self.leader
        self.to_move = self.leader  # SC-93
        self.predictions = _sets([], self.n)
        self.claimed = _sets([], self.n)
        self.voids = _sets([], self.n)  # SC-112
        self.table = [None] * self.n

    def _shuffled(self, number: int) -> list[int]:
        array = np.array(deck_of(self.options), dtype=np.int8)
        rng.shuffle(np.uint64(self.seed), rng.GAME_STREAMS, number, array)
        return [int(card) for card in array]

    def _predict(self, card: int) -> None:
        seat = self.to_move
        self.hands[seat].remove(card)  # SC-94
        self.predictions[seat].add(card)
        if len(self.predictions[seat]) < self.k:
            return  # SC-93: the same seat goes on
        self.to_move = (seat + 1) % self.n
        if all(len(prediction) == self.k for prediction in self.predictions):  # SC-28
            self._start_trick(1, self.leader)  # SC-30

    def _start_trick(self, number: int, lead: int) -> None:
        # SC-41: with 3 seats the extra card of this number is now turned, see turned().
        self.phase = PLAY
        self.trick_no = number
        self.lead = lead
        self.to_move = lead
        self.table = [None] * self.n

    def _play(self, card: int) -> None:
        seat = self.to_move
        led = self.table[self.lead]
        if led is not None and suit_of(card) != suit_of(led):
            self.voids[seat].add(suit_of(led))  # SC-110
        self.hands[seat].remove(card)
        self.played[seat].add(card)
        self.table[seat] = card
        self.to_move = (seat + 1) % self.n  # SC-32
        cards = [other for other in self.table if other is not None]
        if len(cards) == self.n:
            self.phase = CLAIM
            self.to_move = trick_winner(cards, self.lead)  # SC-43: the extra card takes no part

    def _claim(self, card: int) -> None:
        winner = self.to_move
        self.claimed[winner].add(card)  # SC-47
        if any(self.hands):
            self._start_trick(self.trick_no + 1, winner)  # SC-31
            return
        # SC-54: the round is over.
        self.table = [None] * self.n
        self.lead = winner
        gains = self._score()
        if self.options.reward == "points":
            self.rewards = [float(np.float32(gain) / np.float32(100)) for gain in gains]  # SC-124
        if self.round_no == self.options.rounds:  # SC-88, SC-131
            self.phase = END
            self.to_move = 0
            self.done = True
            self.winners = winners_of(self.points)
            if self.options.reward == "win_share":
                self.rewards = win_share(self.points)
            return
        self.leader = (self.leader + 1) % self.n  # SC-08
        self._start_round(self.round_no + 1)

    def _score(self) -> list[int]:
        predictions = [sum(value_of(card) for card in cards) for cards in self.predictions]  # SC-22
        values = [[value_of(card) for card in cards] for cards in self.claimed]
        gains = experience(self.options, self.round_no, predictions, values)
        totals = [sum(claims) for claims in values]
        self.results.append(list(zip(predictions, totals, gains, strict=True)))
        self.points = [points + gain for points, gain in zip(self.points, gains, strict=True)]  # SC-76
        return gains


class Hidden:
    """What one seat does not know in a position: the unseen cards and the places that they fill.

    Attributes:
        unseen: Unseen cards in ascending order (SC-108).
        hands: Foreign hands: sizes by seat.
        predictions: Foreign predictions: sizes by seat; none at the end, where they are public (SC-56).
        voids: Suits that each foreign hand lacks (SC-110).
        picking: Foreign seats that have made a part of their picks, with the number they still lack (SC-116).
        to_turn: Number of extra cards that this round's tricks will still turn.
        stacks: Sizes of the reserve stacks, the own one included; the owner sees it only when it is dealt.
        rest: Unseen cards in no place above: the extra cards that are never turned (SC-130) with 3 seats, else the
            cards left over by the deal (SC-129).
    """

    def __init__(self, position: Position, seat: int) -> None:
        game = Oracle.from_position(position)
        self.game = game
        self.seat = seat
        known = game.hands[seat] | game.predictions[seat] | set(game.turned())
        known |= {card for card in game.table if card is not None}
        for cards in [*game.played, *game.claimed, *game.revealed]:
            known |= cards
        foreign = [other for other in range(game.n) if other != seat]
        self.hands = {other: len(game.hands[other]) for other in foreign}
        self.voids = {other: game.voids[other] for other in foreign}
        self.picking: dict[int, int] = {}
        if game.phase == END:
            for cards in game.predictions:
                known |= cards
            self.predictions: dict[int, int] = {}
        else:
            self.predictions = {other: len(game.predictions[other]) for other in foreign}
        if game.phase == PREDICT:
            for other in foreign:
                if 0 < len(game.predictions[other]) < game.k:
                    self.picking[other] = game.k - len(game.predictions[other])
        self.to_turn = len(game.extra) - len(game.turned())
        self.stacks = [len(cards) for cards in game.reserve]
        self.unseen = [card for card in deck_of(game.options) if card not in known]
        places = [*self.hands.values(), *self.predictions.values(), self.to_turn, *self.stacks]
        self.rest = len(self.unseen) - sum(places)
        if self.rest < 0:
            raise ValueError(f"{sum(places)} cards are hidden, but only {len(self.unseen)} are unseen")


def world_of(position: Position) -> World:
    """Returns the true world of a position."""
    game = Oracle.from_position(position)
    return (
        tuple(map(frozenset, game.hands)),
        tuple(map(frozenset, game.predictions)),
        tuple(game.extra[len(game.turned()) :]),
        tuple(map(frozenset, game.reserve)),
    )


def worlds(position: Position, seat: int) -> Iterator[World]:
    """Yields every world that is consistent with what a seat knows, once each; for small decks.

    The cards left over (SC-129) follow from the rest of a world. With 3 seats the extra cards that are never turned
    do so too, but not their order, which SC-118 counts: every tuple stands for rest! worlds of SC-118, always the same
    number, so that uniform over tuples is uniform over worlds.
    """
    hidden = Hidden(position, seat)
    true_hands, true_predictions, _, _ = world_of(position)

    def fill_seats(
        others: list[int], cards: list[int], hands: list[frozenset[int]], predictions: list[frozenset[int]]
    ) -> Iterator[World]:
        """Fills the hands and predictions of the foreign seats given, then the places that no seat holds."""
        if not others:
            for extra, reserve in fill_outside(cards):
                yield tuple(hands), tuple(predictions), extra, reserve
            return
        other = others[0]
        possible = [card for card in cards if suit_of(card) not in hidden.voids[other]]  # SC-110
        for hand in combinations(possible, hidden.hands[other]):
            left = [card for card in cards if card not in hand]
            choices: Iterable[tuple[int, ...]] = [tuple(true_predictions[other])]  # public at the end
            if other in hidden.predictions:
                choices = combinations(left, hidden.predictions[other])  # SC-111: of any suit
            for prediction in choices:
                if other in hidden.picking:
                    higher = [card for card in hand if card > max(prediction)]
                    if len(higher) < hidden.picking[other]:  # SC-116
                        continue
                hands[other], predictions[other] = frozenset(hand), frozenset(prediction)
                yield from fill_seats(others[1:], [card for card in left if card not in prediction], hands, predictions)

    def fill_outside(cards: list[int]) -> Iterator[tuple[tuple[int, ...], tuple[frozenset[int], ...]]]:
        for extra in permutations(cards, hidden.to_turn):
            left = [card for card in cards if card not in extra]
            for first in combinations(left, hidden.stacks[0]):
                for second in combinations([card for card in left if card not in first], hidden.stacks[1]):
                    yield extra, (frozenset(first), frozenset(second))

    yield from fill_seats(list(hidden.hands), hidden.unseen, list(true_hands), list(true_predictions))


def same_worlds(position: Position, seat: int) -> int:
    """Returns how many worlds of SC-118 each tuple of worlds() stands for: the orders of the never-turned cards."""
    hidden = Hidden(position, seat)
    return factorial(hidden.rest) if hidden.game.n == 3 else 1


def count_worlds(position: Position, seat: int) -> int:
    """Returns the number of worlds of SC-118, the order of all unturned extra cards included.

    Raises:
        ValueError: The position has fewer unseen cards than hidden ones, or while predictions are made it has voids or
            more than one unfinished foreign prediction, as no game has.
    """
    hidden = Hidden(position, seat)
    if hidden.picking:
        return _count_picking(hidden)
    limited = [other for other in hidden.hands if hidden.voids[other]]
    free = [size for other, size in hidden.hands.items() if other not in limited]
    free += [*hidden.predictions.values(), *_sizes_outside(hidden)]
    # Suit by suit, deals the unseen cards of the suit to the hands with voids. Keys are the cards these hands lack.
    ways: dict[tuple[int, ...], int] = {tuple(hidden.hands[other] for other in limited): 1}
    for suit in range(4):
        number = len([card for card in hidden.unseen if suit_of(card) == suit])
        dealt = {(room, number): count for room, count in ways.items()}
        for place, other in enumerate(limited):
            if suit in hidden.voids[other]:
                continue  # SC-110
            after: defaultdict[tuple[tuple[int, ...], int], int] = defaultdict(int)
            for (room, left), count in dealt.items():
                for cards in range(min(room[place], left) + 1):
                    smaller = (*room[:place], room[place] - cards, *room[place + 1 :])
                    after[smaller, left - cards] += count * comb(left, cards)
            dealt = after
        ways = defaultdict(int)
        for (room, _), count in dealt.items():  # what is left of the suit goes to the free places
            ways[room] += count
    return ways.get((0,) * len(limited), 0) * _arrangements(free)


def _sizes_outside(hidden: Hidden) -> list[int]:
    """Returns the sizes of the places that no seat holds; of an ordered place every card is a place of its own."""
    ordered = hidden.to_turn
    if hidden.game.n == 3:
        ordered += hidden.rest  # SC-118, SC-130
        return [1] * ordered + hidden.stacks
    return [1] * ordered + [*hidden.stacks, hidden.rest]  # SC-129


def _arrangements(sizes: Sequence[int]) -> int:
    """Returns the number of ways to fill places of these sizes with as many different cards."""
    count = factorial(sum(sizes))
    for size in sizes:
        count //= factorial(size)
    return count


def _count_picking(hidden: Hidden) -> int:
    """Returns the number of worlds while a foreign seat has made a part of its picks (SC-116)."""
    if len(hidden.picking) > 1 or any(hidden.voids.values()):
        raise ValueError("no game has voids or two unfinished predictions while predictions are made")
    ((picker, lacking),) = hidden.picking.items()
    made, in_hand = hidden.predictions[picker], hidden.hands[picker]
    pairs = 0  # of prediction and hand of this seat
    for lower in range(len(hidden.unseen)):
        # The highest pick has this many unseen cards below it; the other picks are among them.
        higher = len(hidden.unseen) - lower - 1
        below_left = lower - (made - 1)
        if below_left < 0:
            continue
        hands = sum(comb(higher, above) * comb(below_left, in_hand - above) for above in range(lacking, in_hand + 1))
        pairs += comb(lower, made - 1) * hands
    sizes = [size for other, size in hidden.hands.items() if other != picker]
    sizes += [size for other, size in hidden.predictions.items() if other != picker]
    return pairs * _arrangements([*sizes, *_sizes_outside(hidden)])
