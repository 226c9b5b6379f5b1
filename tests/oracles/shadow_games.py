"""Shadow Games a second time: slow, plain Python written from the rule file alone, to check the compiled game.

Clause ids (SG-nn) are those of the rule file. Kinds of cards are numbers in the order of the deck file (SG-106).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, prod
from pathlib import Path
from typing import Any

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_games.deck import Deck, Step
from shadowenvs.games.shadow_games.notation import Position

PLAY, DECLARE, TARGET, CHALLENGE, FAVOUR, BONUS_TARGET, RECIPIENT, PICK, DISCARD, TAKE, OVER = range(11)
PLOT, AGENT = 0, 1  # card types
ANY = 3  # in place of a type of favour
GAIN, LOSE, STEAL, BRIBE, PROTECT, LOOK, DISCARD_STEP, DRAW = range(1, 9)

# The action layout of section 3.
K, S = 12, 6
PLAY_FIRST = 0
SKIP = PLAY_FIRST + K
DECLARE_FIRST = SKIP + 1
SEAT_FIRST = DECLARE_FIRST + K  # SEAT r = SEAT_FIRST + r - 1
PASS = SEAT_FIRST + S - 1
CALL = PASS + 1  # CHALLENGE
FAVOUR_FIRST = CALL + 1
PICK_FIRST = FAVOUR_FIRST + 3
LEAVE = PICK_FIRST + K
DISCARD_FIRST = LEAVE + 1

STREAM_FIRST, STREAM_DECK, STREAM_POLL = rng.GAME_STREAMS, rng.GAME_STREAMS + 1, rng.GAME_STREAMS + 2

World = tuple[
    tuple[tuple[int, ...], ...],  # hands by seat, each ascending
    int | None,  # the card on the table
    tuple[int, ...],  # cards set aside, in the order of choice
    tuple[int, ...],  # the deck, top first
    tuple[int, ...],  # the discard pile, bottom first
]

# ------------------------------------------------------------------------------------------------ options worth testing

SMALL_DECK = Path(__file__).parents[1] / "data" / "small_deck.toml"

OTHER_DECKS = {
    # Every op with every key, long lists, an empty bonus.
    "every-op": """
        deck = { name = "every-op", cards = 26 }
        [[card]]
        name = "Envelope"
        type = "plot"
        copies = 3
        effect = [
            { op = "bribe", to = "choice", favour = "any" },
            { op = "protect", then = true },
            { op = "draw", count = 3, then = true },
        ]
        bonus = [{ op = "bribe", to = "choice", favour = "team" }, { op = "gain", favour = "any", then = true }]
        [[card]]
        name = "Cabinet"
        type = "plot"
        copies = 3
        effect = [{ op = "look", take = 2 }, { op = "discard", count = 3, then = true }]
        bonus = []
        [[card]]
        name = "Sacrifice"
        type = "plot"
        copies = 2
        effect = [
            { op = "lose", favour = "any" },
            { op = "gain", favour = "guild", then = true },
            { op = "gain", favour = "union" },
        ]
        bonus = [{ op = "lose", favour = "union" }, { op = "draw", count = 1, then = true }]
        [[card]]
        name = "Burglar"
        type = "plot"
        copies = 2
        effect = [{ op = "steal", favour = "any" }, { op = "lose", who = "target", favour = "any", then = true }]
        bonus = [{ op = "protect" }, { op = "discard", count = 1 }]
        [[card]]
        name = "Envoy"
        type = "agent"
        copies = 3
        effect = [
            { op = "bribe", to = "choice", favour = "guild" },
            { op = "steal", favour = "any" },
            { op = "lose", who = "target", favour = "team", then = true },
            { op = "draw", count = 2 },
        ]
        bonus = [{ op = "look", take = 1 }, { op = "draw", count = 1, then = true }]
        [[card]]
        name = "Clerk"
        type = "agent"
        copies = 3
        effect = [
            { op = "look" },
            { op = "gain", favour = "guild", then = true },
            { op = "discard", count = 2 },
            { op = "gain", favour = "any", then = true },
        ]
        bonus = [{ op = "discard", count = 2 }, { op = "look", take = 2 }]
        [[card]]
        name = "Bodyguard"
        type = "agent"
        copies = 3
        effect = [{ op = "protect" }, { op = "steal", favour = "union" }, { op = "steal", favour = "union" }]
        bonus = [
            { op = "steal", favour = "any" },
            { op = "bribe", favour = "any", then = true },
            { op = "lose", who = "target", favour = "guild" },
            { op = "bribe", favour = "union" },
        ]
        [[card]]
        name = "Friend"
        type = "agent"
        copies = 7
        effect = [{ op = "bribe", favour = "team" }, { op = "gain", favour = "any", then = true }]
        bonus = [{ op = "lose", who = "self", favour = "any" }]
    """,
    # No plots, and one kind that can be declared.
    "one-kind": """
        deck = { name = "one-kind", cards = 9 }
        [[card]]
        name = "Twin"
        type = "agent"
        copies = 9
        effect = [{ op = "steal", favour = "any" }, { op = "gain", favour = "any", then = true }]
        bonus = []
    """,
    # One type of favour; one kind of each card type, so that every declaration is automatic.
    "one-type": """
        deck = { name = "one-type", cards = 14 }
        [[card]]
        name = "Cheer"
        type = "plot"
        copies = 8
        effect = [{ op = "gain", favour = "team" }]
        bonus = [{ op = "steal", favour = "any" }]
        [[card]]
        name = "Thief"
        type = "agent"
        copies = 6
        effect = [{ op = "steal", favour = "team" }]
        bonus = [{ op = "gain", favour = "any" }]
    """,
    # So many draws and so few cards that deck and pile are often empty.
    "scarce": """
        deck = { name = "scarce", cards = 9 }
        [[card]]
        name = "Hoard"
        type = "plot"
        copies = 3
        effect = [{ op = "draw", count = 3 }, { op = "gain", favour = "team", then = true }]
        bonus = [{ op = "look", take = 2 }]
        [[card]]
        name = "Drop"
        type = "agent"
        copies = 3
        effect = [{ op = "discard", count = 3 }, { op = "gain", favour = "guild", then = true }]
        bonus = [{ op = "discard", count = 1 }]
        [[card]]
        name = "Search"
        type = "agent"
        copies = 3
        effect = [{ op = "look", take = 2 }, { op = "draw", count = 1, then = true }, { op = "steal", favour = "any" }]
        bonus = [{ op = "draw", count = 2 }]
    """,
}


def deck_file(name: str) -> str:
    """Returns the path of one of the other decks; the file lies among the temporary ones, always at the same place."""
    text = textwrap.dedent(OTHER_DECKS[name]).lstrip()
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    path = Path(tempfile.gettempdir()) / f"shadow-games-{name}-{digest}.toml"
    if not path.exists():
        # Written elsewhere first, so that nobody reads half a file.
        handle, other = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(other).chmod(0o644)
        Path(other).replace(path)
    return str(path)


def small_variant(max_turns: int) -> dict[str, Any]:
    """Returns the options of section 9."""
    return {
        "num_players": 2,
        "deck": str(SMALL_DECK),
        "victory": 3,
        "favour_types": 2,
        "start_favour": 1,
        "reserve_per_seat": 2,
        "hand_keep": 1,
        "hand_draw": 2,
        "tokens": 0,
        "first_seat": 0,
        "max_turns": max_turns,
    }


def option_sets() -> list[dict[str, Any]]:
    """Returns options worth playing: every value of every option, 2 to 6 players, the small variant, other decks."""
    chosen: list[dict[str, Any]] = []
    for n in (2, 3, 4, 5, 6):
        chosen += [
            {"num_players": n},
            {
                "num_players": n,
                "protection": "until_turn",
                "victory_check": "held",
                "first_seat": 0,
                "reward": "favours",
            },
            {
                "num_players": n,
                "victory_check": "turn_start",
                "challenge_order": "random",
                "tokens": 1,
                "first_seat": n - 1,
            },
            {"num_players": n, "card_fits_phase": True, "tokens": 0, "max_turns": 10_000},
            {
                "num_players": n,
                "protection": "until_turn",
                "victory_check": ("turn_start", "held")[n % 2],
                "challenge_order": "random",
                "card_fits_phase": True,
                "max_turns": 5 * n,
                "reward": "favours",
            },
        ]
    # Other sizes.
    chosen += [
        {"num_players": 2, "max_turns": 1, "reward": "favours"},
        {"num_players": 3, "max_turns": 1},
        {"num_players": 2, "victory": 2, "victory_check": "turn_start", "reward": "favours"},
        {"num_players": 3, "victory": 1, "victory_check": "held"},
        {"num_players": 3, "victory": 9, "start_favour": 3, "reserve_per_seat": 1, "max_turns": 60},
        {"num_players": 2, "victory": 100, "start_favour": 100, "reserve_per_seat": 100, "max_turns": 20},
        {"num_players": 5, "hand_keep": 1, "hand_draw": 2, "victory": 4},
        {"num_players": 6, "hand_keep": 3, "hand_draw": 5, "challenge_order": "random", "reward": "favours"},
        {"num_players": 2, "hand_keep": 11, "hand_draw": 13, "card_fits_phase": True},
    ]
    # Other decks.
    chosen += [small_variant(turns) for turns in (2, 3, 4)]
    chosen += [{**small_variant(40), "reward": "favours", "first_seat": "random", "victory_check": "held"}]
    every_op, one_kind, one_type, scarce = (deck_file(name) for name in OTHER_DECKS)
    chosen += [
        {"num_players": 2, "deck": every_op},
        {"num_players": 3, "deck": every_op, "protection": "until_turn", "victory_check": "held", "reward": "favours"},
        {"num_players": 4, "deck": every_op, "card_fits_phase": True, "challenge_order": "random", "victory": 8},
        {"num_players": 6, "deck": every_op, "victory_check": "turn_start"},
        {"num_players": 2, "deck": one_kind},
        {"num_players": 3, "deck": one_kind, "protection": "until_turn", "victory": 3, "card_fits_phase": True},
        {"num_players": 2, "deck": one_type, "favour_types": 1},
        {"num_players": 5, "deck": one_type, "favour_types": 2, "reward": "favours", "card_fits_phase": True},
        {"num_players": 2, "deck": scarce, "card_fits_phase": True, "reward": "favours"},
        {"num_players": 3, "deck": scarce, "victory": 7, "challenge_order": "random"},
        {"num_players": 4, "deck": scarce, "victory_check": "held", "max_turns": 100},
    ]
    return chosen


# ------------------------------------------------------------------------------------------------------------ the rules


def win_share(n: int, winners: set[int]) -> list[np.float32]:
    """Returns the rewards of the end of the game by seat (SG-125)."""
    k = len(winners)
    won = np.float32(n - k) / np.float32(k * (n - 1))  # 0 if all win
    lost = np.float32(-1) / np.float32(n - 1)
    return [won if seat in winners else lost for seat in range(n)]


def first_of(favours: Sequence[Sequence[int]]) -> set[int]:
    """Returns the seats that rank first at the cap (SG-99)."""
    ranks = [(max(pool), sum(pool)) for pool in favours]
    return {seat for seat in range(len(ranks)) if ranks[seat] == max(ranks)}


def uses_target(steps: Iterable[Step]) -> bool:
    """Returns whether a list uses a target (SG-60)."""
    return any(step.op == STEAL or (step.op in (LOSE, BRIBE) and step.who == 1) for step in steps)


def _lists(groups: Sequence[Iterable[int]], num: int) -> list[list[int]]:
    """Returns a copy with num entries, the missing ones empty."""
    return [list(group) for group in groups] + [[] for _ in range(num - len(groups))]


class Oracle:
    """One game of Shadow Games.

    Attributes:
        to_move: Seat to move; 0 at the end.
        points: The most favours of one type, by seat (SG-133).
        winners: Seats that have won; empty before the end.
        done: Whether the game has ended.
        rewards: Of the last action, by seat.
    """

    def __init__(self, options: Any) -> None:
        self.options = options
        self.n: int = options.num_players
        self.cards: Deck = options.load_deck()
        self.v: int = options.victory
        self.types = range(options.favour_types)
        self.seed = 0
        self._clear()

    def _clear(self) -> None:
        n = self.n
        self.phase = PLAY
        self.turn = 0
        self.actor = 0
        self.to_move = 0
        self.part = PLOT  # PLOT in the Plotting phase, AGENT in the Agents phase
        self.plotted = False
        self.hands: list[list[int]] = [[] for _ in range(n)]
        self.known: list[list[int]] = [[] for _ in range(n)]
        self.deck: list[int] = []  # top first
        self.pile: list[int] = []  # bottom first; SG-07
        self.seen: list[set[int]] = []  # by pile card
        start = [self.options.start_favour if t in self.types else 0 for t in range(3)]
        self.favours = [list(start) for _ in range(n)]  # SG-02
        stock = n * self.options.reserve_per_seat
        self.reserve = [stock if t in self.types else 0 for t in range(3)]  # SG-03
        self.reserve_tokens: int = self.options.tokens  # SG-05
        self.shields: set[int] = set()
        self.marks: list[set[int]] = [set() for _ in range(n)]  # SG-86
        self.rebuilds = 0
        self.plays = [0] * n
        self.bluffs = [0] * n
        self.polls = [0] * n
        self.challenges = [0] * n
        self.challenges_won = [0] * n
        self.rewards: list[float] = [0.0] * n
        self.winners: set[int] = set()
        self.forfeit = False
        self._clear_play()

    def _clear_play(self) -> None:
        """Forgets what belongs to one play."""
        self.table: int | None = None
        self.declared: int | None = None
        self.target: int | None = None
        self.passed: set[int] = set()
        self.challenger: int | None = None
        self.bonus = False
        self.step_no = 0
        self.carried = False
        self.left = 0
        self.bonus_target: int | None = None
        self.recipient: int | None = None
        self.blocked: set[int] = set()
        self.aside: list[int] = []

    @property
    def done(self) -> bool:
        return self.phase == OVER or self.forfeit

    @property
    def points(self) -> list[int]:
        return [max(pool) for pool in self.favours]  # SG-133

    # ------------------------------------------------------------------------------------------------------ set-up

    def deal(self, seed: int) -> None:
        """Starts a game from a 64-bit seed."""
        self.seed = seed
        first = self.options.first_seat
        if first == "random":
            first = int(rng.below(np.uint64(seed), STREAM_FIRST, 0, 0, self.n))  # SG-08
        self.start(self._shuffled(0, self.cards.kinds()), first)  # SG-06

    def start(self, order: Sequence[int], first: int) -> None:
        """Starts a game with a given order of the deck, top first, and a given first seat."""
        self._clear()
        self.deck = list(order)
        for seat in range(self.n):
            for _ in range(self.options.hand_keep):
                self._draw(seat)  # SG-06
        self._start_turn(first)

    def _shuffled(self, number: int, kinds: Sequence[int]) -> list[int]:
        array = np.array(kinds, dtype=np.int8)
        rng.shuffle(np.uint64(self.seed), STREAM_DECK, number, array)
        return [int(kind) for kind in array]

    @classmethod
    def from_position(cls, position: Position) -> Oracle:
        """Returns a game set up from a position; lists that the position leaves out are as at the start."""
        game = cls(position.options)
        n = game.n
        game.seed = position.seed
        game.phase = position.phase
        game.turn = position.turn
        game.actor = position.actor
        game.to_move = position.move
        game.part = AGENT if position.agents else PLOT
        game.plotted = position.plotted
        game.hands = _lists(position.hands, n)
        game.known = _lists(position.known, n)
        game.deck = list(position.deck)
        game.pile = list(position.pile)
        game.seen = [set(who) for who in position.seen]
        game.seen += [set(range(n)) for _ in range(len(game.pile) - len(game.seen))]
        if position.favours:
            total = [game.reserve[t] + sum(pool[t] for pool in game.favours) for t in range(3)]
            game.favours = [list(pool) for pool in position.favours]
            game.reserve = [total[t] - sum(pool[t] for pool in game.favours) for t in range(3)]  # SG-04
        game.shields = set(position.shields)
        game.reserve_tokens -= len(game.shields)
        game.marks = [set(types) for types in position.marks] + [set() for _ in range(n - len(position.marks))]
        game.table = position.table
        game.declared = position.declared
        game.target = position.target
        game.passed = set(position.passed)
        game.challenger = position.challenger
        game.bonus = position.bonus
        game.step_no = position.step
        game.carried = position.carried
        game.left = position.left
        game.bonus_target = position.bonus_target
        game.recipient = position.recipient
        game.blocked = set(position.blocked)
        game.aside = list(position.aside)
        game.rebuilds = position.rebuilds
        game.plays = list(position.plays) or [0] * n
        game.bluffs = list(position.bluffs) or [0] * n
        game.polls = list(position.polls) or [0] * n
        game.challenges = list(position.challenges) or [0] * n
        game.challenges_won = list(position.challenges_won) or [0] * n
        game.rewards = list(position.rewards) or [0.0] * n
        game.winners = set(position.winners)
        game.forfeit = position.forfeit
        return game

    def position(self) -> Position:
        """Returns the complete state."""
        return Position(
            options=self.options,
            seed=self.seed,
            phase=self.phase,
            turn=self.turn,
            actor=self.actor,
            move=self.to_move,
            agents=self.part == AGENT,
            plotted=self.plotted,
            hands=[sorted(hand) for hand in self.hands],
            known=[sorted(kinds) for kinds in self.known],
            deck=list(self.deck),
            pile=list(self.pile),
            seen=[set(who) for who in self.seen],
            favours=[list(pool) for pool in self.favours],
            shields=set(self.shields),
            marks=[set(types) for types in self.marks],
            table=self.table,
            declared=self.declared,
            target=self.target,
            passed=set(self.passed),
            challenger=self.challenger,
            bonus=self.bonus,
            step=self.step_no,
            carried=self.carried,
            left=self.left,
            bonus_target=self.bonus_target,
            recipient=self.recipient,
            blocked=set(self.blocked),
            aside=list(self.aside),
            rebuilds=self.rebuilds,
            plays=list(self.plays),
            bluffs=list(self.bluffs),
            polls=list(self.polls),
            challenges=list(self.challenges),
            challenges_won=list(self.challenges_won),
            rewards=list(self.rewards),
            winners=set(self.winners),
            forfeit=self.forfeit,
        )

    # ------------------------------------------------------------------------------------------------------ actions

    def legal(self) -> set[int]:
        """Returns the legal actions of the seat to move; none at the end (SG-124)."""
        if self.done:
            return set()
        if self.phase == PLAY:
            return self._legal_plays()
        if self.phase == DECLARE:
            return {DECLARE_FIRST + kind for kind in self._kinds_of(self.part)}  # SG-30
        if self.phase in (TARGET, BONUS_TARGET, RECIPIENT):
            return {SEAT_FIRST + r - 1 for r in range(1, self.n)}  # SG-31, SG-32; SG-62; SG-67
        if self.phase == CHALLENGE:
            return {PASS, CALL}
        if self.phase == FAVOUR:
            return {FAVOUR_FIRST + t for t in self._possible_types(self._present_step())}  # SG-58
        if self.phase == PICK:
            return {PICK_FIRST + kind for kind in self.pile} | {LEAVE}  # SG-71
        if self.phase == DISCARD:
            return {DISCARD_FIRST + kind for kind in self.hands[self.actor]}
        return {FAVOUR_FIRST + t for t in self._types_to_take()}  # TAKE

    def _legal_plays(self) -> set[int]:
        hand = self.hands[self.actor]
        plots = [kind for kind in hand if self._type_of(kind) == PLOT]
        agents = [kind for kind in hand if self._type_of(kind) == AGENT]
        fits = self.options.card_fits_phase
        if self.part == PLOT:
            playable = plots if fits else hand  # SG-23
            may_skip = len(self._kinds_of(AGENT)) > 0  # SG-20; SG-28
            if fits and not (agents or not plots):
                may_skip = False  # SG-24
        else:
            playable = agents if fits else hand  # SG-23
            may_skip = self.plotted  # SG-21, SG-22
            if fits and not agents:
                may_skip = True  # SG-24
        return {PLAY_FIRST + kind for kind in playable} | ({SKIP} if may_skip else set())

    def step(self, action: int) -> None:
        """Carries out an action of the seat to move.

        Raises:
            ValueError: The action is not legal; the state is as before.
        """
        if action not in self.legal():
            raise ValueError(f"{action} is not a legal action")
        before = self._leads()
        self._act(action)
        rewards = win_share(self.n, self.winners) if self.done else [np.float32(0)] * self.n  # SG-125
        if self.options.reward == "favours":
            after = [0] * self.n if self.done else self._leads()  # SG-126: F after the last action is 0
            unit = np.float32(4 * self.v * (self.n - 1))
            rewards = [
                share + np.float32(now - then) / unit for share, now, then in zip(rewards, after, before, strict=True)
            ]
        self.rewards = [float(reward) for reward in rewards]

    def _leads(self) -> list[int]:
        """Returns F of SG-126 times victory times (n - 1), by seat."""
        b = [min(self.v, points) for points in self.points]
        return [(self.n - 1) * b[seat] - (sum(b) - b[seat]) for seat in range(self.n)]

    def _act(self, action: int) -> None:
        if self.phase == PLAY:
            if action == SKIP:
                self._end_phase()
            else:
                self._play(action - PLAY_FIRST)
        elif self.phase == DECLARE:
            self._declare(action - DECLARE_FIRST)
        elif self.phase in (TARGET, BONUS_TARGET, RECIPIENT):
            self._choose_seat(action - SEAT_FIRST + 1)
        elif self.phase == CHALLENGE:
            self._answer(action == CALL)
        elif self.phase == FAVOUR:
            self._move_favour(self._present_step(), action - FAVOUR_FIRST)
            self._next_step(True)
        elif self.phase == PICK:
            self._pick(None if action == LEAVE else action - PICK_FIRST)
        elif self.phase == DISCARD:
            self._discard(action - DISCARD_FIRST)
        else:
            self._take(action - FAVOUR_FIRST)

    def _ask(self, phase: int, seat: int) -> None:
        self.phase = phase
        self.to_move = seat

    def _type_of(self, kind: int) -> int:
        return self.cards.cards[kind].card_type

    def _kinds_of(self, card_type: int) -> list[int]:
        return [kind for kind in range(len(self.cards.cards)) if self._type_of(kind) == card_type]

    # -------------------------------------------------------------------------------------------- cards and favours

    def _draw(self, seat: int) -> bool:
        """Draws a card; returns whether there was one."""
        if not self.deck:
            if not self.pile:
                return False  # SG-14
            self._rebuild()  # SG-11, SG-12
        self.hands[seat].append(self.deck.pop(0))  # SG-10
        return True

    def _rebuild(self) -> None:
        if self.n == 2:
            for seat in (0, 1):
                if all(1 - seat in who for who in self.seen):
                    self.known[seat] = list(self.hands[seat])  # SG-116
        self.rebuilds += 1
        self.deck = self._shuffled(self.rebuilds, self.pile)  # SG-11; SG-13: table and aside stay where they are
        self.pile = []
        self.seen = []  # SG-112

    def _draw_up_to(self, size: int) -> None:
        for _ in range(size - len(self.hands[self.actor])):  # none if the hand is as large or larger
            self._draw(self.actor)

    def _lay_open(self, kind: int) -> None:
        """Puts a card on the discard pile as its visible top."""
        self.pile.append(kind)
        self.seen.append(set(range(self.n)))  # SG-110

    def _show(self, seat: int, kind: int) -> None:
        """Notes that a card of a seat is turned up or discarded visibly (SG-114)."""
        if kind in self.known[seat]:
            self.known[seat].remove(kind)

    def _transfer(self, t: int, giver: int | None, taker: int | None) -> None:
        """Moves one favour; None is the reserve (SG-04)."""
        source = self.reserve if giver is None else self.favours[giver]
        goal = self.reserve if taker is None else self.favours[taker]
        assert source[t] > 0
        source[t] -= 1
        goal[t] += 1
        if self.options.victory_check == "held" and giver is not None and source[t] < self.v:
            self.marks[giver].discard(t)  # SG-94

    # ---------------------------------------------------------------------------------------------------- the turn

    def _start_turn(self, seat: int) -> None:
        self.turn += 1
        self.actor = seat
        if self.options.victory_check == "turn_start" and self._has_won(seat):
            self._end_game({seat})  # SG-95
            return
        if self.options.protection == "until_turn" and seat in self.shields:
            self._return_token(seat)  # SG-83: before drawing
        self._draw_up_to(self.options.hand_draw)  # SG-17
        self._start_phase(PLOT)  # SG-18

    def _start_phase(self, part: int) -> None:
        self.part = part
        if not self.hands[self.actor] or not self._kinds_of(part):
            self._end_phase()  # SG-25; SG-27
        else:
            self._ask(PLAY, self.actor)  # SG-19

    def _end_phase(self) -> None:
        if self.part == PLOT:
            self._start_phase(AGENT)  # SG-18
        else:
            self._end_turn()

    def _end_turn(self) -> None:
        self._draw_up_to(self.options.hand_keep)  # SG-26
        actor = self.actor
        if self.options.victory_check != "turn_start" and self._has_won(actor):
            self._end_game({actor})  # SG-85, SG-87
            return
        self.marks[actor] = {t for t in self.types if self.favours[actor][t] >= self.v}  # SG-88, SG-96
        if self.turn == self.options.max_turns:
            self._end_game(first_of(self.favours))  # SG-99, SG-100
            return
        self.part, self.plotted = PLOT, False
        self._start_turn((actor + 1) % self.n)  # SG-08

    def _has_won(self, seat: int) -> bool:
        """Returns whether a seat has a majority in a type whose mark is on (SG-84, SG-87)."""
        return any(self.favours[seat][t] >= self.v for t in self.marks[seat])

    def _end_game(self, winners: set[int]) -> None:
        self._ask(OVER, 0)
        self.part, self.plotted = PLOT, False
        self.winners = winners

    # ---------------------------------------------------------------------------------------------------- the play

    def _play(self, kind: int) -> None:
        self.hands[self.actor].remove(kind)
        self.table = kind  # SG-29
        kinds = self._kinds_of(self.part)
        if len(kinds) == 1:
            self._declare(kinds[0])  # SG-101
        else:
            self._ask(DECLARE, self.actor)

    def _declare(self, kind: int) -> None:
        self.declared = kind
        if not uses_target(self.cards.cards[kind].effect):
            self._poll()
        elif self.n == 2:
            self.target = 1 - self.actor  # SG-101
            self._poll()
        else:
            self._ask(TARGET, self.actor)  # SG-31

    def _choose_seat(self, r: int) -> None:
        seat = (self.actor + r) % self.n  # SG-105
        if self.phase == TARGET:
            self.target = seat
            self._poll()
        elif self.phase == BONUS_TARGET:
            self._start_bonus(seat)
        else:
            self._choose_recipient(seat)

    def _poll(self) -> None:
        """Asks the next seat, or turns up the card if there is none."""
        clockwise = [(self.actor + r) % self.n for r in range(1, self.n)]
        candidates = [seat for seat in clockwise if seat not in self.passed and sum(self.favours[seat]) > 0]  # SG-38
        if not candidates:
            self._reveal()  # SG-36, SG-41
            return
        number = 0
        if self.options.challenge_order == "random":
            draw = (sum(self.plays), len(self.passed), len(candidates))
            number = int(rng.below(np.uint64(self.seed), STREAM_POLL, *draw))
        self._ask(CHALLENGE, candidates[number])  # SG-39

    def _answer(self, challenges: bool) -> None:
        seat = self.to_move
        self.polls[seat] += 1
        if challenges:
            self.challenges[seat] += 1
            self.challenger = seat
            self._reveal()  # SG-37
        else:
            self.passed.add(seat)
            self._poll()

    def _is_bluff(self) -> bool:
        return self.table != self.declared  # SG-34

    def _reveal(self) -> None:
        assert self.table is not None
        self.plays[self.actor] += 1
        self._show(self.actor, self.table)
        if self._is_bluff():
            self.bluffs[self.actor] += 1
            if self.challenger is not None:
                self.challenges_won[self.challenger] += 1
                self._start_take()  # SG-45
                return
        self._resolve_from(False, 0, False)  # SG-42, SG-43, SG-44

    def _after_effect(self) -> None:
        assert self.table is not None
        if self.challenger is not None:
            self._start_take()  # SG-44
        elif not self._is_bluff():
            self._end_play()  # SG-42
        elif not uses_target(self.cards.cards[self.table].bonus):
            self._start_bonus(None)  # SG-43
        elif self.n == 2:
            self._start_bonus(1 - self.actor)  # SG-101
        else:
            self.bonus, self.step_no, self.carried = True, 0, False
            self._ask(BONUS_TARGET, self.actor)  # SG-62

    def _start_bonus(self, target: int | None) -> None:
        self.bonus_target = target
        self._resolve_from(True, 0, False)

    def _taker_and_payer(self) -> tuple[int, int]:
        assert self.challenger is not None
        if self._is_bluff():
            return self.challenger, self.actor  # SG-45
        return self.actor, self.challenger  # SG-44

    def _types_to_take(self) -> list[int]:
        _, payer = self._taker_and_payer()
        held = [t for t in self.types if self.favours[payer][t] > 0]  # SG-47; SG-50: tokens do not matter
        return held or [t for t in self.types if self.reserve[t] > 0]  # SG-48

    def _start_take(self) -> None:
        self.bonus, self.step_no, self.carried = False, 0, False
        taker, _ = self._taker_and_payer()
        types = self._types_to_take()
        if not types:
            self._end_play()  # SG-49
        elif len(types) == 1:
            self._take(types[0])  # SG-101
        else:
            self._ask(TAKE, taker)

    def _take(self, t: int) -> None:
        taker, payer = self._taker_and_payer()
        if sum(self.favours[payer]) > 0:
            self._transfer(t, payer, taker)
        else:
            self._transfer(t, None, taker)  # SG-48
        self._end_play()

    def _end_play(self) -> None:
        assert self.table is not None
        self._lay_open(self.table)  # SG-51
        self._clear_play()
        if self.part == PLOT:
            self.plotted = True  # SG-22
        self._end_phase()

    # ------------------------------------------------------------------------------------------- effects and bonuses

    def _steps(self, bonus: bool) -> tuple[Step, ...]:
        assert self.table is not None and self.declared is not None
        return self.cards.cards[self.table].bonus if bonus else self.cards.cards[self.declared].effect  # SG-46

    def _present_step(self) -> Step:
        return self._steps(self.bonus)[self.step_no]

    def _victim(self, step: Step) -> int | None:
        """Returns the seat, other than the actor, out of whose pool a step moves a favour."""
        if step.op == STEAL or (step.op == LOSE and step.who == 1):
            return self.bonus_target if self.bonus else self.target  # SG-61, SG-62
        return None

    def _possible_types(self, step: Step) -> list[int]:
        """Returns the types for which a step can be carried out, protection apart."""
        named = list(self.types) if step.favour == ANY else [step.favour]  # SG-57, SG-58
        if step.op == GAIN:
            return [t for t in named if self.reserve[t] > 0]  # SG-63
        victim = self._victim(step)
        if victim is not None:
            return [t for t in named if self.favours[victim][t] > 0]  # SG-65, SG-66
        return [t for t in named if self.favours[self.actor][t] > 0]  # SG-64, SG-67

    def _resolve_from(self, bonus: bool, number: int, carried: bool) -> None:
        """Resolves a list from a step on, until the actor has to choose or the list is over (SG-53).

        Args:
            bonus: Whether it is the bonus.
            number: Number of the step.
            carried: Whether the step before it was carried out.
        """
        steps = self._steps(bonus)
        while number < len(steps):
            self.bonus, self.step_no, self.carried = bonus, number, carried
            outcome = self._try_step(steps[number])
            if outcome is None:
                return
            carried = outcome
            number += 1
        if bonus:
            self._end_play()
        else:
            self._after_effect()

    def _next_step(self, carried: bool) -> None:
        """Goes on after a step for which the actor had to choose."""
        self.recipient = None
        self.left = 0
        self._resolve_from(self.bonus, self.step_no + 1, carried)

    def _try_step(self, step: Step) -> bool | None:
        """Resolves a step; returns whether it was carried out, or None if the actor has to choose first."""
        if step.then and not self.carried:
            return False  # SG-56
        if step.op == PROTECT:
            return self._protect()
        if step.op == LOOK:
            return self._look(step.count)
        if step.op == DISCARD_STEP:
            return self._start_discard(step.count)
        if step.op == DRAW:
            drawn = [self._draw(self.actor) for _ in range(step.count)]
            return any(drawn)  # SG-70
        types = self._possible_types(step)
        if not types:
            return False  # SG-55; SG-78
        victim = self._victim(step)
        if victim is not None and self._blocks(victim):
            return False  # SG-77
        if step.op == BRIBE and step.who == 0:
            if self.n > 2:
                self._ask(RECIPIENT, self.actor)  # SG-67, SG-68
                return None
            self.recipient = 1 - self.actor  # SG-101
        if len(types) > 1:
            self._ask(FAVOUR, self.actor)
            return None
        self._move_favour(step, types[0])  # SG-101
        self.recipient = None
        return True

    def _choose_recipient(self, seat: int) -> None:
        self.recipient = seat
        types = self._possible_types(self._present_step())
        if len(types) > 1:
            self._ask(FAVOUR, self.actor)
            return
        self._move_favour(self._present_step(), types[0])  # SG-101
        self._next_step(True)

    def _move_favour(self, step: Step, t: int) -> None:
        target = self.bonus_target if self.bonus else self.target
        if step.op == GAIN:
            self._transfer(t, None, self.actor)  # SG-63
        elif step.op == LOSE:
            self._transfer(t, target if step.who == 1 else self.actor, None)  # SG-64, SG-65
        elif step.op == STEAL:
            self._transfer(t, target, self.actor)  # SG-66
        else:
            assert step.op == BRIBE
            receiver = target if step.who == 1 else self.recipient
            assert receiver is not None
            self._transfer(t, self.actor, receiver)  # SG-67

    def _blocks(self, owner: int) -> bool:
        """Returns whether a step that would take a favour from a seat is blocked, and spends the token."""
        if self.part == PLOT:
            return False  # SG-76, SG-79
        if owner in self.blocked:
            return True  # SG-82: a later step of the same play
        if owner not in self.shields:
            return False
        if self.options.protection == "single":
            self._return_token(owner)  # SG-82
            self.blocked.add(owner)
        return True  # SG-83: until_turn spends nothing

    def _return_token(self, owner: int) -> None:
        self.shields.remove(owner)
        self.reserve_tokens += 1

    def _protect(self) -> bool:
        if self.actor in self.shields or self.reserve_tokens == 0:
            return False  # SG-69
        self.reserve_tokens -= 1
        self.shields.add(self.actor)
        return True

    def _look(self, take: int) -> bool | None:
        if not self.pile:
            return False  # SG-71, SG-104
        for who in self.seen:
            who.add(self.actor)  # SG-110
        if take == 0:
            return True
        self.left = take
        self._ask(PICK, self.actor)  # SG-102
        return None

    def _pick(self, kind: int | None) -> None:
        if kind is None:
            self._next_step(True)  # LEAVE
            return
        place = max(place for place in range(len(self.pile)) if self.pile[place] == kind)  # SG-72: the topmost
        del self.pile[place]
        knew = self.seen.pop(place)
        for seat in range(self.n):
            copies = [p for p in range(len(self.pile)) if self.pile[p] == kind and seat in self.seen[p]]
            if seat not in knew and copies:
                self.seen[max(copies)].remove(seat)  # SG-111
        if self.pile:
            self.seen[-1] = set(range(self.n))  # SG-73
        self.hands[self.actor].append(kind)
        self.known[self.actor].append(kind)  # SG-113
        self.left -= 1
        if self.left == 0 or not self.pile:  # SG-104
            self._next_step(True)

    def _start_discard(self, count: int) -> bool | None:
        self.left = min(count, len(self.hands[self.actor]))  # SG-74
        if self.left == 0:
            return False  # SG-104
        self._ask(DISCARD, self.actor)  # SG-102
        return None

    def _discard(self, kind: int) -> None:
        actor = self.actor
        self.hands[actor].remove(kind)
        self.aside.append(kind)  # SG-75
        self.left -= 1
        if self.left > 0:
            return
        *buried, last = self.aside
        self.aside = []
        for other in buried:
            self.pile.append(other)
            self.seen.append({actor})  # SG-110
        self._lay_open(last)
        self._show(actor, last)  # SG-114
        for known_kind in set(self.known[actor]):
            for _ in buried:  # SG-115
                if known_kind in self.known[actor]:
                    self.known[actor].remove(known_kind)
        self._next_step(True)


# --------------------------------------------------------------------------------------------------------------- worlds


def world_of(position: Position) -> World:
    """Returns the true world of a position."""
    game = Oracle.from_position(position)
    hands = tuple(tuple(sorted(hand)) for hand in game.hands)
    return hands, game.table, tuple(game.aside), tuple(game.deck), tuple(game.pile)


def with_world(position: Position, world: World) -> Position:
    """Returns the position with its cards replaced by those of a world."""
    game = Oracle.from_position(position)
    hands, game.table, aside, deck, pile = world
    game.hands = [list(hand) for hand in hands]
    game.aside, game.deck, game.pile = list(aside), list(deck), list(pile)
    return game.position()


def _pools(pool: Counter[int], size: int) -> Iterator[Counter[int]]:
    """Yields every multiset of a size out of a pool, once each."""
    cards = sorted(pool.elements())
    for chosen in sorted(set(combinations(cards, size))):
        yield Counter(chosen)


def _orders(pool: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Yields every order of a pool, once each."""
    if not pool.total():
        yield ()
    for kind in sorted(pool):
        for rest in _orders(pool - Counter([kind])):
            yield kind, *rest


def _draws(pool: Counter[int], number: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yields every way to draw cards in order from a pool, with its probability."""
    if number == 0:
        yield (), Fraction(1)
        return
    for kind in sorted(pool):
        for rest, chance in _draws(pool - Counter([kind]), number - 1):
            yield (kind, *rest), Fraction(pool[kind], pool.total()) * chance


def _weighted_worlds(position: Position, seat: int) -> Iterator[tuple[World, Fraction]]:
    """Yields every world that a seat holds possible, once each, with a weight in proportion to its probability."""
    game = Oracle.from_position(position)
    n, actor = game.n, game.actor
    fits = game.options.card_fits_phase
    face_down = game.table is not None and game.phase in (DECLARE, TARGET, CHALLENGE)
    others = [other for other in range(n) if other != seat]

    pool = Counter(game.cards.kinds())  # SG-118
    pool.subtract(game.hands[seat])
    if actor == seat:
        pool.subtract(game.aside)
    if game.table is not None and (actor == seat or not face_down):
        pool.subtract([game.table])
    pool.subtract([game.pile[place] for place in range(len(game.pile)) if seat in game.seen[place]])
    for other in others:
        pool.subtract(game.known[other])
    assert min(pool.values(), default=0) >= 0
    pool = +pool

    slots = {}  # SG-119
    for other in others:
        slots[other] = len(game.hands[other]) - len(game.known[other])
        if other == actor:
            slots[other] += len(game.aside) + int(face_down)
    unknown_places = [place for place in range(len(game.pile)) if seat not in game.seen[place]]
    assert pool.total() == sum(slots.values()) + len(game.deck) + len(unknown_places)

    def fill_seats(
        todo: list[int], left: Counter[int], cards: dict[int, Counter[int]], weight: Fraction
    ) -> Iterator[tuple[World, Fraction]]:
        """Puts cards into the slots of the seats given, then goes on (SG-120)."""
        if not todo:
            yield from split_actor(left, cards, weight)
            return
        other = todo[0]
        for chosen in _pools(left, slots[other]):
            ways = prod(comb(left[kind], chosen[kind]) for kind in chosen)
            chance = Fraction(ways, comb(left.total(), slots[other]))
            together = chosen + Counter(game.known[other])
            yield from fill_seats(todo[1:], left - chosen, {**cards, other: together}, weight * chance)

    def split_actor(
        left: Counter[int], cards: dict[int, Counter[int]], weight: Fraction
    ) -> Iterator[tuple[World, Fraction]]:
        """Draws the hidden card on the table, or the cards set aside, from those of the actor (SG-121)."""
        if actor == seat or not (face_down or game.aside):
            skipped = fits and game.phase == PLAY and game.part == AGENT and not game.plotted
            if skipped and actor != seat and not any(game._type_of(kind) == AGENT for kind in cards[actor]):
                return  # SG-131
            yield from fill_rest(left, cards, game.table, tuple(game.aside), weight)
            return
        whole = cards[actor]
        drawable = whole
        if face_down and fits:
            drawable = Counter({kind: whole[kind] for kind in whole if game._type_of(kind) == game.part})  # SG-122
        for drawn, chance in _draws(drawable, 1 if face_down else len(game.aside)):
            parted = {**cards, actor: whole - Counter(drawn)}
            if face_down:
                yield from fill_rest(left, parted, drawn[0], (), weight * chance)
            else:
                yield from fill_rest(left, parted, game.table, drawn, weight * chance)

    def fill_rest(
        left: Counter[int], cards: dict[int, Counter[int]], table: int | None, aside: tuple[int, ...], weight: Fraction
    ) -> Iterator[tuple[World, Fraction]]:
        """Puts what is left into the deck and the unknown places of the pile (SG-109, SG-110)."""
        hands = [game.hands[seat] if other == seat else list(cards[other].elements()) for other in range(n)]
        chance = Fraction(prod(factorial(number) for number in left.values()), factorial(left.total()))
        for order in _orders(left):
            pile = list(game.pile)
            for place, kind in zip(unknown_places, order[len(game.deck) :], strict=True):
                pile[place] = kind
            in_order = tuple(tuple(sorted(hand)) for hand in hands)
            yield (in_order, table, aside, order[: len(game.deck)], tuple(pile)), weight * chance

    yield from fill_seats(others, pool, {}, Fraction(1))


def worlds(position: Position, seat: int) -> Iterator[World]:
    """Yields every world that is consistent with what a seat knows, once each; for small decks.

    A world holds cards alone: the order of a random poll (SG-132) is no part of it. Copies of a kind are alike, so the
    worlds are not equally likely; see chances().
    """
    for world, _ in _weighted_worlds(position, seat):
        yield world


def chances(position: Position, seat: int) -> dict[World, Fraction]:
    """Returns the probability of every world under SG-118 to SG-123 and SG-131; for small decks."""
    weights = dict(_weighted_worlds(position, seat))
    total = sum(weights.values(), Fraction(0))  # less than 1 where shuffles are repeated (SG-122, SG-131)
    return {world: weight / total for world, weight in weights.items()}
