"""Chasing Shadows a second time: slow, plain Python written from the rule file alone, to check the compiled game.

Clause ids (CS-nn) are those of the rule file. Cards are numbers suit * 15 + rank (CS-02).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import factorial
from typing import Any

import numpy as np

from shadowenvs import rng
from shadowenvs.games.chasing_shadows.notation import Position

PLAY, DISCARD, END = 0, 1, 2
DISCARD_FIRST = 60  # CS-77: PLAY c = c, DISCARD s = 60 + s
SUITS = range(4)  # CS-02: blue, red, yellow, grey

Boxes = list[int | None]  # of one seat in one round, by suit; None for an empty box (CS-58)

World = tuple[
    tuple[frozenset[int], ...],  # hands by seat
    frozenset[int],  # the first follow cards of the round, also after they have left the table (CS-90)
    frozenset[int],  # the cards set aside
]


def suit_of(card: int) -> int:
    """Returns the suit 0 to 3 (CS-02)."""
    return card // 15


def rank_of(card: int) -> int:
    """Returns the rank (CS-02); a 0 is 0 in trick play (CS-40) and beside other cards of its suit (CS-56)."""
    return card % 15


def deck_of(options: Any) -> list[int]:
    """Returns the card numbers of the deck in ascending order (CS-01, CS-03, CS-106)."""
    return [suit * 15 + rank for suit in range(options.num_suits) for rank in range(options.num_ranks)]


def winning_place(spotlight: int, played: Sequence[int]) -> int:
    """Returns the place in the order of play, from 0, of the card that wins a trick.

    Args:
        spotlight: The spotlight card.
        played: The cards of all seats, in the order of play.
    """
    ranks = [rank_of(card) for card in played]  # CS-39
    lower = [rank for rank in ranks if rank < rank_of(spotlight)]  # CS-36
    winning_rank = max(lower) if lower else max(ranks)  # CS-35; CS-37
    return max(place for place in range(len(ranks)) if ranks[place] == winning_rank)  # CS-38: the latest


def box_of(ranks: Sequence[int]) -> int | None:
    """Returns what a seat's cards of one suit score in a round, None for no score."""
    ordered = sorted(ranks)
    if not ordered:
        return None  # CS-58
    if ordered == [0]:
        return 15  # CS-54, CS-57, CS-113
    if len(ordered) % 2 == 1:
        return sum(ordered)  # CS-52
    return sum(ordered[: len(ordered) // 2])  # CS-53


def boxes_of(cards: set[int]) -> Boxes:
    """Returns the boxes of a seat's cards, the unplayed one included (CS-48, CS-55), suit by suit (CS-51)."""
    return [box_of([rank_of(card) for card in cards if suit_of(card) == suit]) for suit in SUITS]


def sum_of(boxes: Boxes) -> int:
    """Returns the sum of the scores in some boxes."""
    return sum(score for score in boxes if score is not None)


def struck_of(options: Any, sheet: Sequence[Boxes]) -> list[tuple[int, int]]:
    """Returns the scores of a seat that are struck out after the last round, as pairs of round (from 1) and suit.

    Args:
        options: The game's options.
        sheet: The seat's boxes of round 1, round 2 and so on.
    """
    if options.rounds != 3:
        return []  # CS-110
    struck = []
    for suit in SUITS:
        scored = [number for number, boxes in enumerate(sheet, start=1) if boxes[suit] is not None]  # CS-59
        if len(scored) == 2:
            struck.append((scored[0], suit))  # CS-61: the earlier one
        # CS-62: with one or three, none.
    return sorted(struck)


def struck_sum(options: Any, sheet: Sequence[Boxes]) -> int:
    """Returns the sum of a seat's struck scores."""
    return sum_of([sheet[number - 1][suit] for number, suit in struck_of(options, sheet)])


def final_score(options: Any, sheet: Sequence[Boxes]) -> int:
    """Returns the final score of a seat (CS-64)."""
    return sum(sum_of(boxes) for boxes in sheet) - struck_sum(options, sheet)


def winners_of(scores: Sequence[int], num_cards: Sequence[int]) -> set[int]:
    """Returns the seats that win.

    Args:
        scores: Final scores by seat.
        num_cards: How many cards each seat scored in the last round played (CS-68, CS-111).
    """
    lowest = [seat for seat in range(len(scores)) if scores[seat] == min(scores)]  # CS-66
    fewest = min(num_cards[seat] for seat in lowest)
    return {seat for seat in lowest if num_cards[seat] == fewest}  # CS-67, CS-69


def win_share(n: int, winners: set[int]) -> list[float]:
    """Returns the rewards of the end of the game by seat (CS-100, CS-101), as float32 values."""
    w = len(winners)
    won = float(np.float32(n - w) / np.float32(w * (n - 1)))  # CS-101: 0 if all win
    lost = float(np.float32(-1) / np.float32(n - 1))
    return [won if seat in winners else lost for seat in range(n)]


def points_reward(scores: Sequence[int]) -> list[float]:
    """Returns minus the scores of a round by seat, divided by 100 (CS-103), as float32 values."""
    return [float(np.float32(-score) / np.float32(100)) for score in scores]


def option_sets() -> list[dict[str, Any]]:
    """Returns options worth playing: all official games with all rounds and rewards, then decks of other sizes."""
    chosen: list[dict[str, Any]] = [
        {"num_players": n, "rounds": rounds, "reward": reward}
        for n in (3, 4, 5)
        for rounds in (3, 2, 1)
        for reward in ("win_share", "points")
    ]
    decks: list[tuple[int, int, int, int | None]] = [  # players, suits, ranks, hand size (None: default)
        (3, 3, 3, 2),  # the smallest deck, one trick a round
        (3, 2, 5, 2),  # 1 set aside
        (3, 2, 15, None),
        (3, 4, 3, 3),
        (3, 3, 4, 2),  # 3 set aside
        (3, 3, 15, None),
        (3, 4, 15, 13),  # 18 set aside
        (3, 4, 15, None),  # the largest hands
        (4, 2, 6, 2),
        (4, 2, 7, 2),  # 2 set aside
        (4, 3, 5, 2),  # 3 set aside
        (4, 4, 3, 2),
        (4, 4, 4, 3),
        (4, 3, 14, None),  # 2 set aside
        (4, 4, 15, 5),  # 36 set aside
        (5, 2, 8, 2),  # 1 set aside
        (5, 2, 15, None),
        (5, 3, 5, 2),
        (5, 4, 4, 2),  # 1 set aside
        (5, 4, 14, None),  # 1 set aside
        (5, 4, 15, 2),  # 45 set aside
    ]
    for number, (n, suits, ranks, hand_size) in enumerate(decks):
        options: dict[str, Any] = {"num_players": n, "num_suits": suits, "num_ranks": ranks}
        if hand_size is not None:
            options["hand_size"] = hand_size
        # Every deck with three rounds, where scores are struck out, and with another number and the other reward.
        rewards = ("win_share", "points") if number % 2 == 0 else ("points", "win_share")
        chosen.append({**options, "rounds": 3, "reward": rewards[0]})
        chosen.append({**options, "rounds": 1 + number // 2 % 2, "reward": rewards[1]})
    return chosen


def _sets(groups: Sequence[set[int]], num: int) -> list[set[int]]:
    """Returns a copy with num entries, the missing ones empty."""
    return [set(group) for group in groups] + [set() for _ in range(num - len(groups))]


class Oracle:
    """One game of Chasing Shadows.

    Attributes:
        to_move: Seat to move; 0 at the end.
        points: Sum of the scores so far, by seat; at the end the final scores, without those struck out.
        winners: Seats that have won; empty before the end.
        done: Whether the game has ended.
        rewards: Of the last action, by seat.
    """

    def __init__(self, options: Any) -> None:
        self.options = options
        self.n: int = options.num_players
        self.h: int = options.hand_size
        self.seed = 0
        self.phase = PLAY
        self.round_no = 1
        self.trick_no = 1
        self.starter = 0
        self.lead = 0
        self.to_move = 0
        self.spotlight: int | None = None
        self.follow: list[int] = []  # suits of the remaining follow cards, ascending; CS-30: ranks make no difference
        self.hands: list[set[int]] = _sets([], self.n)
        self.taken: list[set[int]] = _sets([], self.n)
        self.table: list[int | None] = [None] * self.n
        self.first: set[int] = set()
        self.aside: set[int] = set()
        self.boxes: list[list[Boxes]] = []
        self.points: list[int] = [0] * self.n
        self.winners: set[int] = set()
        self.done = False
        self.rewards: list[float] = [0.0] * self.n

    def deal(self, seed: int) -> None:
        """Starts a game from a 64-bit seed."""
        self.seed = seed
        self.boxes = []
        self.points = [0] * self.n
        self.winners = set()
        self.done = False
        self.rewards = [0.0] * self.n
        # CS-07: the first starter is drawn uniformly.
        starter = int(rng.below(np.uint64(seed), rng.GAME_STREAMS + 1, 0, 0, self.n))
        self._start_round(1, starter)

    @classmethod
    def from_position(cls, position: Position) -> Oracle:
        """Returns a game set up from a position; what the position leaves out is empty."""
        game = cls(position.options)
        n = game.n
        game.seed = position.seed
        game.phase = position.phase
        game.round_no = position.round_no
        game.trick_no = position.trick_no
        game.starter = position.starter
        game.lead = position.lead
        game.to_move = position.move
        game.spotlight = position.spotlight
        game.follow = sorted(position.follow)
        game.hands = _sets(position.hands, n)
        game.taken = _sets(position.taken, n)
        game.table = list(position.table) + [None] * (n - len(position.table))
        game.first = set(position.first)
        game.aside = set(position.aside)
        game.boxes = [[list(boxes) for boxes in row] for row in position.boxes]
        game.rewards = list(position.rewards) + [0.0] * (n - len(position.rewards))
        game.points = [sum(sum_of(boxes) for boxes in game.sheet(seat)) for seat in range(n)]
        if game.phase == END:
            game._end()
        return game

    def position(self) -> Position:
        """Returns the complete state."""
        return Position(
            options=self.options,
            seed=self.seed,
            phase=self.phase,
            round_no=self.round_no,
            trick_no=self.trick_no,
            starter=self.starter,
            lead=self.lead,
            move=self.to_move,
            spotlight=self.spotlight,
            follow=list(self.follow),
            hands=_sets(self.hands, self.n),
            taken=_sets(self.taken, self.n),
            table=list(self.table),
            first=set(self.first),
            aside=set(self.aside),
            boxes=[[list(boxes) for boxes in row] for row in self.boxes],
            rewards=list(self.rewards),
        )

    def sheet(self, seat: int) -> list[Boxes]:
        """Returns the boxes of a seat by finished round."""
        return [row[seat] for row in self.boxes]

    def legal(self) -> set[int]:
        """Returns the legal actions of the seat to move; none at the end (CS-79)."""
        if self.phase == PLAY:
            hand = self.hands[self.to_move]
            if self.to_move == self.lead:
                return set(hand)  # CS-20
            matching = {card for card in hand if suit_of(card) in self.follow}
            return matching or set(hand)  # CS-22, CS-23, CS-25; CS-24
        if self.phase == DISCARD:
            return {DISCARD_FIRST + suit for suit in self.follow}  # CS-28
        return set()

    def step(self, action: int) -> None:
        """Carries out an action of the seat to move.

        Raises:
            ValueError: The action is not legal; the state is as before (CS-78).
        """
        if action not in self.legal():
            raise ValueError(f"{action} is not a legal action")
        self.rewards = [0.0] * self.n  # CS-102, CS-103
        if self.phase == PLAY:
            self._play(action)
        else:
            self.follow.remove(action - DISCARD_FIRST)  # CS-29
            self._next_seat()

    def _start_round(self, number: int, starter: int) -> None:
        n, h = self.n, self.h
        array = np.array(deck_of(self.options), dtype=np.int8)
        rng.shuffle(np.uint64(self.seed), rng.GAME_STREAMS, number, array)  # CS-09
        cards = [int(card) for card in array]
        self.hands = [set(cards[seat * h : (seat + 1) * h]) for seat in range(n)]  # CS-10
        self.spotlight = cards[n * h]  # CS-11
        first = cards[n * h + 1 : n * h + n]  # CS-12: n - 1 cards
        self.first = set(first)
        self.aside = set(cards[n * h + n :])  # CS-13, CS-14, CS-109
        self.follow = sorted(suit_of(card) for card in first)
        self.taken = _sets([], n)
        self.table = [None] * n
        self.phase = PLAY
        self.round_no = number
        self.trick_no = 1
        self.starter = starter
        self.lead = starter  # CS-18
        self.to_move = starter

    def _play(self, card: int) -> None:
        seat = self.to_move
        self.hands[seat].remove(card)
        self.table[seat] = card
        if seat == self.lead:
            pass  # CS-21
        elif suit_of(card) in self.follow:
            self.follow.remove(suit_of(card))  # CS-27, CS-74
        elif len(set(self.follow)) >= 2:
            self.phase = DISCARD  # CS-72
            return
        else:
            self.follow.pop()  # CS-73: all that remain are of one suit
        self._next_seat()

    def _next_seat(self) -> None:
        """Goes on after the play and the removal of the seat to move."""
        self.phase = PLAY
        self.to_move = (self.to_move + 1) % self.n  # CS-19
        if self.to_move == self.lead:
            self._finish_trick()  # CS-34

    def _finish_trick(self) -> None:
        in_order = [(self.lead + number) % self.n for number in range(self.n)]
        played: list[int] = []
        for seat in in_order:
            card = self.table[seat]
            assert card is not None
            played.append(card)
        assert self.spotlight is not None
        place = winning_place(self.spotlight, played)
        winner = in_order[place]
        self.taken[winner].add(self.spotlight)  # CS-41
        self.spotlight = played[place]  # CS-43
        self.follow = sorted(suit_of(card) for card in played if card != played[place])  # CS-44
        self.table = [None] * self.n
        self.lead = winner  # CS-45
        self.to_move = winner
        if all(len(hand) >= 2 for hand in self.hands):
            self.trick_no += 1  # CS-46
        else:
            self._finish_round()

    def _finish_round(self) -> None:
        for seat in range(self.n):
            self.taken[seat] |= self.hands[seat]  # CS-48
            self.hands[seat] = set()
        self.boxes.append([boxes_of(cards) for cards in self.taken])  # CS-50
        scores = [sum_of(boxes) for boxes in self.boxes[-1]]
        self.points = [points + score for points, score in zip(self.points, scores, strict=True)]
        last = self.round_no == self.options.rounds  # CS-06, CS-110
        if last:
            self._end()  # CS-63
            struck = [struck_sum(self.options, self.sheet(seat)) for seat in range(self.n)]
            scores = [score - less for score, less in zip(scores, struck, strict=True)]  # CS-104
        if self.options.reward == "points":
            self.rewards = points_reward(scores)
        elif last:
            self.rewards = win_share(self.n, self.winners)
        if not last:
            self._start_round(self.round_no + 1, (self.starter + 1) % self.n)  # CS-08

    def _end(self) -> None:
        """Ends the game, the last round being scored (CS-65)."""
        self.phase = END
        self.to_move = 0
        self.done = True
        self.points = [final_score(self.options, self.sheet(seat)) for seat in range(self.n)]
        self.winners = winners_of(self.points, [len(cards) for cards in self.taken])


# ------------------------------------------------------------------------------------------------------------- worlds


def world_of(position: Position) -> World:
    """Returns the true world of a position."""
    game = Oracle.from_position(position)
    return tuple(map(frozenset, game.hands)), frozenset(game.first), frozenset(game.aside)


def with_world(position: Position, world: World) -> Position:
    """Returns the position with its hidden cards replaced by those of a world."""
    game = Oracle.from_position(position)
    hands, first, aside = world
    game.hands = [set(hand) for hand in hands]
    game.first = set(first)
    game.aside = set(aside)
    return game.position()


def hidden_places(position: Position, seat: int) -> list[set[int]]:
    """Returns the cards that truly lie in each place hidden from a seat (CS-88); together they are its unseen cards.

    The places are the hands by seat (that of the seat itself counts as empty), the first follow cards, which stay
    hidden for the whole round (CS-90), and the cards set aside. All other cards are in the own hand or have been seen
    since the last shuffle (CS-87).
    """
    game = Oracle.from_position(position)
    hands = [set() if other == seat else game.hands[other] for other in range(game.n)]
    return [*hands, game.first, game.aside]


def unseen_cards(position: Position, seat: int) -> set[int]:
    """Returns the unseen cards of a seat (CS-87)."""
    return set().union(*hidden_places(position, seat))


def _fillings(cards: list[int], sizes: list[int]) -> Iterator[list[frozenset[int]]]:
    """Yields every way to fill places of these sizes with all the cards; within a place order does not matter."""
    if not sizes:
        assert not cards
        yield []
        return
    for chosen in combinations(cards, sizes[0]):
        left = [card for card in cards if card not in chosen]
        for others in _fillings(left, sizes[1:]):
            yield [frozenset(chosen), *others]


def worlds(position: Position, seat: int) -> Iterator[World]:
    """Yields every world that is consistent with what a seat knows, once each (CS-89, CS-91 to CS-93).

    Drawing one of them uniformly is the default resampling (CS-96).
    """
    own_hand = frozenset(Oracle.from_position(position).hands[seat])
    places = hidden_places(position, seat)
    by_suit = []
    for suit in SUITS:
        cards = [card for card in sorted(unseen_cards(position, seat)) if suit_of(card) == suit]
        sizes = [len([card for card in place if suit_of(card) == suit]) for place in places]  # public (CS-04, CS-16)
        by_suit.append(list(_fillings(cards, sizes)))
    for fillings in product(*by_suit):  # CS-91: suits are independent
        *hands, first, aside = (frozenset().union(*parts) for parts in zip(*fillings, strict=True))
        hands[seat] = own_hand
        yield tuple(hands), first, aside


def count_worlds(position: Position, seat: int) -> int:
    """Returns the number of worlds that are consistent with what a seat knows (CS-91)."""
    places = hidden_places(position, seat)
    count = 1
    for suit in SUITS:
        sizes = [len([card for card in place if suit_of(card) == suit]) for place in places]
        count *= factorial(sum(sizes))
        for size in sizes:
            count //= factorial(size)
    return count
