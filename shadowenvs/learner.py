"""A learner's seat against opponents: a batch whose tables always wait for the learner.

This is what the single, the vector and the Stable-Baselines3 environments share. Built-in opponents play inside the
compiled loop; any other policy is asked for all tables that wait for it at once.
"""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shadowenvs import rng
from shadowenvs.batch import (
    Batch,
    deal,
    forfeit,
    game_kernels,
    heuristic,
    keep_result,
    legal,
    observe,
    random_action,
    rank_key,
    step,
)
from shadowenvs.game import NO_ACTION, Game
from shadowenvs.jit import kernel, specialise
from shadowenvs.turn import Policy

RESTART = -3
"""In a batch of actions: leave the game and deal the table's next one."""

LEARNER = -1
RANDOM = -2
HEURISTIC = -3
BUILT_IN = {"random": RANDOM, "heuristic": HEURISTIC}
"""Opponents by name. Who sits where is a number: one of these, LEARNER, or the index of a policy from 0 up."""

ROTATE = -1

Opponents = str | Policy | Any | Sequence[tuple[Any, float]]


# --------------------------------------------------------------------------------------------------------- template


def advance_tables(
    tables: Any,
    states: Any,
    records: Any,
    masks: Any,
    mask_bytes: Any,
    seats: Any,
    rewards: Any,
    dones: Any,
    finals: Any,
    final_points: Any,
    final_winners: Any,
    final_keys: Any,
    final_seats: Any,
    final_lengths: Any,
    seeds: Any,
    games: Any,
    plies: Any,
    controllers: Any,
    learners: Any,
    lengths: Any,
    pending: Any,
    codes: Any,
    edges: Any,
    seat_choice: int,
    actions: Any,
    start: int,
    stop: int,
) -> None:
    """Carries out one action per table, then plays the built-in opponents until somebody else is to move."""
    table = tables[0]
    num_actions = len(masks[0].legal)
    for b in range(start, stop):
        action = actions[b]
        if action == NO_ACTION:
            continue
        state = states[b]
        if action == RESTART:
            games[b] += 1
            deal(table, state, rng.mix(seeds[b], rng.STREAM_TABLE, games[b], 0))
            seat_players(state, seeds[b], games[b], b, seat_choice, codes, edges, controllers[b], learners)
            plies[b] = 0
            lengths[b] = 0
            pending[b] = 0.0
            action = NO_ACTION
        while True:
            seat = int(state.to_move)
            if action != NO_ACTION:
                learner = int(learners[b])
                lengths[b] += seat == learner
                if 0 <= action < num_actions and masks[b].legal[action]:
                    step(table, state, action)
                else:
                    forfeit(state, seat)
                pending[b] += state.rewards[learner]
                plies[b] += 1
                if state.done:
                    # A game that ends before the learner's first turn is nobody's episode.
                    if lengths[b] > 0 and not dones[b]:
                        dones[b] = True
                        rewards[b] = pending[b]
                        observe(table, state, learner, finals[b])
                        keep_result(state, final_points[b], final_winners, b)
                        for other in range(controllers.shape[1]):
                            final_keys[b, other] = rank_key(state, other)
                        final_seats[b] = learner
                        final_lengths[b] = lengths[b]
                    games[b] += 1
                    deal(table, state, rng.mix(seeds[b], rng.STREAM_TABLE, games[b], 0))
                    seat_players(state, seeds[b], games[b], b, seat_choice, codes, edges, controllers[b], learners)
                    plies[b] = 0
                    lengths[b] = 0
                    pending[b] = 0.0
                seat = int(state.to_move)
            who = controllers[b, seat]
            legal(table, state, seat, masks[b].legal)
            if who == RANDOM:
                drawn = rng.block(seeds[b], rng.STREAM_ACTION, games[b], plies[b])
                action = random_action(mask_bytes, b, drawn[0])
                continue
            observe(table, state, seat, records[b])
            if who == HEURISTIC:
                seed = rng.mix(seeds[b], rng.STREAM_ACTION, games[b], plies[b])
                action = heuristic(table, records[b], masks[b].legal, seed)
                continue
            break
        seats[b] = seat
        if who == LEARNER and lengths[b] > 0 and not dones[b]:  # before its first turn rewards wait for that turn's
            rewards[b] = pending[b]
            pending[b] = 0.0


@kernel
def seat_players(
    state: Any,
    seed: Any,
    game_no: int,
    b: int,
    seat_choice: int,
    codes: Any,
    edges: Any,
    controllers: Any,
    learners: Any,
) -> None:
    """Chooses the learner's seat for a game and draws an opponent for every other seat.

    Args:
        state: The state just dealt.
        seed: Seed of the table.
        game_no: Number of the table's game.
        b: Number of the table.
        seat_choice: A seat, or ROTATE.
        codes: Opponents to draw from, int64 [M].
        edges: Their cumulative chances, float64 [M].
        controllers: Receives who sits where, int64 [P].
        learners: Receives the learner's seat at place b, int8 [B].
    """
    n = int(state.options.num_players)
    learner = (b + game_no) % n if seat_choice == ROTATE else seat_choice
    learners[b] = learner
    for seat in range(n):
        if seat == learner:
            controllers[seat] = LEARNER
            continue
        share = float(rng.block(seed, rng.STREAM_OPPONENT, game_no, seat)[0]) / 4294967296.0
        choice = 0
        while choice < len(codes) - 1 and share >= edges[choice]:
            choice += 1
        controllers[seat] = codes[choice]


@functools.cache
def advance_loop(game: Game) -> Callable[..., None]:
    """Returns the compiled loop of a game."""
    return specialise(advance_tables, game.id, **game_kernels(game))


# ------------------------------------------------------------------------------------------------------------ batch


class LearnerBatch(Batch):
    """B tables that each have a learner at one seat; a step goes on to the learner's next turn.

    The arrays of :class:`Batch` describe every table from the learner's view. Finished tables are dealt anew in the
    same call. ``rewards`` is replaced by:

    Attributes:
        learner_rewards: float32 [B], what the learner was given since its last turn.
        final_seats: int8 [B], the learner's seat in the last game that ended.
        final_lengths: int64 [B], the learner's decisions in that game.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        num_threads: int = 1,
        illegal_actions: str = "raise",
        **options: Any,
    ) -> None:
        """Makes the tables; :meth:`reset` deals.

        Args:
            game: The game.
            num_tables: B.
            opponents: "random", "heuristic", a policy (called with a :class:`shadowenvs.turn.Turn`, returns actions, or
                an object with such a method ``act``), or a list of pairs (one of these, weight), from which every seat
                of every game draws.
            seat: The learner's seat, or "rotate" for another one in every game.
            num_threads: Slices of the batch that run at the same time.
            illegal_actions: "raise", or "terminate" with -1 for the learner.
            **options: Options of the game.

        Raises:
            ValueError: An argument is not allowed.
        """
        super().__init__(game, num_tables, num_threads=num_threads, illegal_actions=illegal_actions, **options)
        players = self.num_players
        if seat != "rotate" and (isinstance(seat, (bool, str)) or not 0 <= operator.index(seat) < players):
            raise ValueError(f"seat must be 'rotate' or 0 to {players - 1}, not {seat!r}")
        self._seat_choice = ROTATE if isinstance(seat, str) else int(seat)
        self._policies: list[Policy] = []
        self._resets: list[Callable[[NDArray[np.int64]], None]] = []
        self._codes, self._edges = self._read_opponents(opponents)
        self.learner_rewards = np.zeros(num_tables, np.float32)
        self.final_seats = np.zeros(num_tables, np.int8)
        self.final_lengths = np.zeros(num_tables, np.int64)
        self._plies = np.zeros(num_tables, np.int64)
        self._controllers = np.zeros((num_tables, players), np.int64)
        self._learners = np.zeros(num_tables, np.int8)
        self._lengths = np.zeros(num_tables, np.int64)
        self._pending = np.zeros(num_tables, np.float32)
        self._loop = advance_loop(game)
        self._generator = np.random.default_rng()

    def _read_opponents(self, opponents: Opponents) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        pairs = list(opponents) if isinstance(opponents, (list, tuple)) else [(opponents, 1.0)]
        if not pairs or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise ValueError("a list of opponents must hold pairs (opponent, weight)")
        weights = np.array([weight for _, weight in pairs], np.float64)
        if not (np.all(np.isfinite(weights)) and np.all(weights >= 0) and weights.sum() > 0):
            raise ValueError(f"weights of opponents must be at least 0 and not all 0, not {weights.tolist()}")
        codes = [self._code(opponent) for opponent, _ in pairs]
        return np.array(codes, np.int64), np.cumsum(weights / weights.sum())

    def _code(self, opponent: Any) -> int:
        if isinstance(opponent, str):
            if opponent not in BUILT_IN:
                names = ", ".join(map(repr, BUILT_IN))
                raise ValueError(f"unknown opponent {opponent!r}; choose one of {names}, or pass a policy")
            return BUILT_IN[opponent]
        policy = getattr(opponent, "act", opponent)
        if not callable(policy):
            raise ValueError(f"an opponent must be a name or a policy, not {opponent!r}")
        self._policies.append(policy)
        if hasattr(opponent, "reset"):
            self._resets.append(opponent.reset)
        return len(self._policies) - 1

    # ------------------------------------------------------------------------------------------------- playing

    def reset(self, seed: int | Sequence[int] | NDArray[np.uint64]) -> None:
        """Deals a first game at every table and goes on to the learner's first turn; see :meth:`Batch.reset`."""
        self.seed_tables(seed)
        self._generator = np.random.default_rng(self._seeds)
        self._games[:] = -1
        self.apply(np.full(self.num_tables, RESTART, np.int64))

    def deal_again(self, tables: NDArray[np.bool_] | None = None) -> None:
        """Leaves the games of some tables, bool [B] (default all), and deals the next ones."""
        chosen = np.ones(self.num_tables, np.bool_) if tables is None else tables
        self.apply(np.where(chosen, RESTART, NO_ACTION))

    def apply(self, actions: NDArray[np.int64]) -> None:
        """Carries out the learner's actions without a check, and goes on to its next turn."""
        self.dones[:] = False
        self.learner_rewards[:] = 0.0
        self._advance(actions)
        if not self._policies:
            return
        everywhere = np.arange(self.num_tables)
        while True:
            who = self._controllers[everywhere, self.seats]
            if not np.any(who >= 0):
                return
            self._advance(self._ask_policies(who))

    def _ask_policies(self, who: NDArray[np.int64]) -> NDArray[np.int64]:
        actions = np.full(self.num_tables, NO_ACTION, np.int64)
        for index, policy in enumerate(self._policies):
            waiting = np.flatnonzero(who == index)
            if len(waiting):
                actions[waiting] = policy(self.turn(self._generator, waiting))
        chosen = np.clip(actions, 0, self.game.num_actions - 1)
        allowed = (chosen == actions) & self.masks[np.arange(self.num_tables), chosen]
        bad = np.flatnonzero((who >= 0) & ~allowed)
        if len(bad):
            raise self.illegal(int(bad[0]), int(actions[bad[0]]))
        return actions

    def _advance(self, actions: NDArray[np.int64]) -> None:
        if not (self._resets or self._has_own_tables):
            self._run_loop(actions)
            return
        before = self._games.copy()
        self._run_loop(actions)
        if self._has_own_tables:
            self._deal_with_own_tables(int(before[0]))
        for reset in self._resets:
            if np.any(dealt := before != self._games):
                reset(np.flatnonzero(dealt))

    def _deal_with_own_tables(self, game_no: int) -> None:
        """Deals again what the loop has dealt with the tables of an earlier game, number ``game_no``."""
        while self._games[0] != game_no:
            game_no += 1
            self._games[0] = game_no
            self._renew_tables()
            self._games[0] = game_no - 1
            self._run_loop(np.array([RESTART]))

    def _run_loop(self, actions: NDArray[np.int64]) -> None:
        self._run(
            self._loop,
            *(self.tables, self._states, self._records, self._mask_records, self._mask_bytes, self.seats),
            *(self.learner_rewards, self.dones, self._final_records, self.final_points, self.final_winners),
            *(self.final_keys, self.final_seats, self.final_lengths, self._seeds, self._games, self._plies),
            self._controllers,
            *(self._learners, self._lengths, self._pending, self._codes, self._edges, self._seat_choice),
            actions,
        )

    def copy(self) -> Batch:
        """Returns an independent batch in the same state, as :meth:`Batch.copy` does; policies are shared."""
        new = super().copy()
        new.__dict__["_generator"] = copy.deepcopy(self._generator)
        return new

    def set_states(self, states: np.ndarray, tables: NDArray[np.integer] | None = None) -> None:
        """Not offered: who sits where and what the learner was given are not part of a state."""
        raise NotImplementedError("set_states needs a Batch; a LearnerBatch also keeps whose turn a table waits for")

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "_loop"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._loop = advance_loop(self.game)
