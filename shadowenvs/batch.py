"""Batches of tables: the only loops over states.

The templates at the top are ordinary functions; :func:`shadowenvs.jit.specialise` compiles one of each per game, with
the game's kernels in place of the names below. ``b`` is a table's number. :class:`Batch` owns the arrays.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shadowenvs import rng
from shadowenvs.bits import CHUNK, chunk_bits, count, nth
from shadowenvs.errors import IllegalActionError
from shadowenvs.game import NO_ACTION, Game, Options, few_points, many_points
from shadowenvs.jit import cached, direct, for_kernels, kernel, specialise
from shadowenvs.turn import Turn

LOOK = -2
"""In a batch of actions: do nothing, but refresh observation and mask."""

# ------------------------------------------------------------------------------------------------------- templates


def deal(table: Any, state: Any, seed: Any) -> None: ...
def legal(table: Any, state: Any, seat: Any, mask: Any) -> None: ...
def step(table: Any, state: Any, action: Any) -> None: ...
def observe(table: Any, state: Any, seat: Any, obs: Any) -> None: ...
def determinise(table: Any, state: Any, seat: Any, seed: Any) -> None: ...
def heuristic(table: Any, obs: Any, mask: Any, seed: Any) -> Any: ...
def rank_key(state: Any, seat: Any) -> Any: ...


def deal_tables(
    tables: Any, states: Any, records: Any, masks: Any, seats: Any, seeds: Any, games: Any, start: int, stop: int
) -> None:
    """Starts game number games[b] at every table."""
    table = tables[0]
    for b in range(start, stop):
        state = states[b]
        deal(table, state, rng.mix(seeds[b], rng.STREAM_TABLE, games[b], 0))
        seat = int(state.to_move)
        seats[b] = seat
        observe(table, state, seat, records[b])
        legal(table, state, seat, masks[b].legal)


def step_tables(
    tables: Any,
    states: Any,
    records: Any,
    masks: Any,
    seats: Any,
    rewards: Any,
    dones: Any,
    finals: Any,
    final_points: Any,
    final_winners: Any,
    final_keys: Any,
    seeds: Any,
    games: Any,
    autoreset: bool,
    actions: Any,
    start: int,
    stop: int,
) -> None:
    """Carries out one action per table, and deals anew where a game has ended."""
    table = tables[0]
    num_actions = len(masks[0].legal)
    for b in range(start, stop):
        action = actions[b]
        if action == NO_ACTION:
            dones[b] = False
            for seat in range(rewards.shape[1]):
                rewards[b, seat] = 0.0
            continue
        state = states[b]
        seat = int(state.to_move)
        if action != LOOK:
            if 0 <= action < num_actions and masks[b].legal[action]:
                step(table, state, action)
            else:
                forfeit(state, seat)
            for other in range(rewards.shape[1]):
                rewards[b, other] = state.rewards[other]
            dones[b] = state.done
        if state.done:
            keep_result(state, final_points[b], final_winners, b)
            for other in range(rewards.shape[1]):
                final_keys[b, other] = rank_key(state, other)
            if action != LOOK and autoreset:
                observe(table, state, seat, finals[b])
                games[b] += 1
                deal(table, state, rng.mix(seeds[b], rng.STREAM_TABLE, games[b], 0))
        seat = int(state.to_move)
        seats[b] = seat
        observe(table, state, seat, records[b])
        legal(table, state, seat, masks[b].legal)


def observe_tables(tables: Any, states: Any, seats: Any, records: Any, start: int, stop: int) -> None:
    """Writes the observation of any seat of each table."""
    for b in range(start, stop):
        observe(tables[0], states[b], int(seats[b]), records[b])


def determinise_tables(tables: Any, states: Any, seats: Any, seeds: Any, start: int, stop: int) -> None:
    """Replaces all that a seat of each table cannot know."""
    for b in range(start, stop):
        determinise(tables[0], states[b], int(seats[b]), seeds[b])


def choose_tables(tables: Any, records: Any, masks: Any, seeds: Any, actions: Any, start: int, stop: int) -> None:
    """Writes the heuristic's choice for each table."""
    for b in range(start, stop):
        actions[b] = heuristic(tables[0], records[b], masks[b].legal, seeds[b])


@kernel
def forfeit(state: Any, seat: int) -> None:
    """Ends a game without a winner: -1 for the seat that tried an illegal action, 0 for the others."""
    for other in range(len(state.rewards)):
        state.rewards[other] = 0.0
    state.rewards[seat] = -1.0
    state.winners = 0
    state.done = True


@kernel
def keep_result(state: Any, points: Any, winners: Any, b: int) -> None:
    """Copies the final points, int16 [P], and winners of a game that is over."""
    for seat in range(len(points)):
        points[seat] = state.points[seat]
    winners[b] = state.winners


# -------------------------------------------------------------------------------------------- loops without a game


@cached
def mix_seeds(seed: Any, seeds: Any) -> None:
    """Writes a seed for each table, uint64 [B], mixed from one seed and the table's number."""
    for b in range(len(seeds)):
        seeds[b] = rng.mix(seed, rng.STREAM_TABLE, b, 1)


@cached
def first_illegal(masks: Any, actions: Any) -> int:
    """Returns the first table whose action is neither legal nor NO_ACTION, -1 if there is none."""
    for b in range(len(actions)):
        action = actions[b]
        if action != NO_ACTION and not (0 <= action < masks.shape[1] and masks[b, action]):
            return b
    return -1


@kernel
def random_action(mask_bytes: Any, b: int, word: Any) -> int:
    """Returns a uniformly random legal action of table b, NO_ACTION if there is none.

    Args:
        mask_bytes: uint8 [B, 64 * C], the padded masks.
        b: The table.
        word: 32 random bits.
    """
    chunks = mask_bytes.shape[1] // CHUNK
    total = 0
    for chunk in range(chunks):
        total += count(chunk_bits(mask_bytes, b, chunk))
    k = np.int64((word * np.uint64(total)) >> np.uint64(32))
    for chunk in range(chunks):
        legal_here = chunk_bits(mask_bytes, b, chunk)
        num = count(legal_here)
        if k < num:
            return CHUNK * chunk + nth(legal_here, int(k))
        k -= num
    return NO_ACTION


@cached
def random_actions(mask_bytes: Any, seed: Any, number: int, actions: Any, start: int, stop: int) -> None:
    """Writes a uniformly random legal action for each table, NO_ACTION where there is none.

    Args:
        mask_bytes: uint8 [B, 64 * C], the padded masks.
        seed: Seed of the choices.
        number: How many times this seed was used before.
        actions: int64 [B], written.
        start: First table.
        stop: Table after the last.
    """
    for b in range(start, stop):
        if b == start or b & 3 == 0:
            drawn = rng.block(seed, rng.STREAM_ACTION, number, b >> 2)
        actions[b] = random_action(mask_bytes, b, drawn[b & 3])


# ----------------------------------------------------------------------------------------------------------- loops


class Loops(NamedTuple):
    """The compiled loops of one game."""

    deal: Callable[..., None]
    step: Callable[..., None]
    observe: Callable[..., None]
    determinise: Callable[..., None]
    choose: Callable[..., None]


def game_kernels(game: Game) -> dict[str, Callable[..., Any]]:
    """Returns the kernels of a game by the names that templates use."""
    names = ("deal", "legal", "step", "observe", "determinise", "heuristic")
    by_points = many_points if game.points_sign > 0 else few_points
    return {**{name: getattr(game, name) for name in names}, "rank_key": game.rank_key or by_points}


@functools.cache
def loops(game: Game) -> Loops:
    """Returns the loops of a game, compiled at their first call."""
    templates = (deal_tables, step_tables, observe_tables, determinise_tables, choose_tables)
    return Loops(*(specialise(template, game.id, **game_kernels(game)) for template in templates))


_VIEWS = ("_states", "_records", "_final_records", "_mask_records", "masks")


def as_states(rows: NDArray[np.uint8], dtype: np.dtype[Any]) -> np.ndarray:
    """Views rows of bytes, uint8 [B, itemsize], as states [B], without a copy."""
    return rows.view(dtype)[:, 0]


def mask_records(mask_bytes: NDArray[np.uint8], num_actions: int) -> np.ndarray:
    """Views masks, uint8 [B, A or more], as records with one field ``legal``, int8 [A].

    Inside a loop a record costs nothing to index, a row of an array a reference count. (Numba has no bool there.)
    """
    dtype = np.dtype({"names": ["legal"], "formats": [(np.int8, (num_actions,))], "itemsize": mask_bytes.shape[1]})
    return for_kernels(mask_bytes.view(dtype)[:, 0])


def _read_only(tables: np.recarray) -> np.recarray:
    """Returns a copy of tables that is marked as read-only, as compiled loops take it."""
    copied = tables.copy()
    copied.flags.writeable = False
    return copied


def illegal_action(game: Game, options: Options, seat: int, action: int, legal: list[int]) -> IllegalActionError:
    """Returns the error for an illegal action of a seat whose legal ones are given."""
    if not legal:
        return IllegalActionError("the game is over; no action is legal", seat, action, [])
    try:
        word = repr(game.format_action(options, action))
    except ValueError as error:
        word = str(error)
    words = ", ".join(game.format_action(options, other) for other in legal)
    return IllegalActionError(
        f"illegal action {action} ({word}) of seat {seat}; legal are: {words}", seat, action, legal
    )


class Batch:
    """B tables of one game, turn by turn.

    After :meth:`reset` and :meth:`step` the arrays below describe every table from the view of the seat to move. They
    are the batch's own memory and change with the next call: copy what must last.

    Attributes:
        game: The game.
        options: Its options.
        tables: What is the same for every table, recarray [1], read-only.
        picture_shapes: Shapes of the images that a seat is shown beside the observation, by name; mostly none.
        num_tables: B.
        num_players: P.
        observations: int8 [B, F].
        masks: bool [B, A], True for legal actions.
        seats: int8 [B], the seat to move.
        rewards: float32 [B, P], of the last action, by seat.
        dones: bool [B], whether the last action ended the game.
        final_observations: int8 [B, F], of the seat that acted last, for tables in ``dones``.
        final_points: int16 [B, P], of the last game that ended at each table.
        final_winners: uint8 [B], bit set of its winning seats; 0 if it was forfeited.
        final_keys: int32 [B, P], its rank keys, higher for the better seat; see :func:`shadowenvs.game.ranks`.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        *,
        num_threads: int = 1,
        illegal_actions: str = "raise",
        autoreset: bool = True,
        **options: Any,
    ) -> None:
        """Makes the tables; :meth:`reset` deals.

        Args:
            game: The game.
            num_tables: B, at least 1.
            num_threads: Slices of the batch that run at the same time.
            illegal_actions: "raise" an error, or "terminate" the game with -1 for the offender.
            autoreset: Whether finished tables are dealt anew in the same call. If not, they take NO_ACTION only.
            **options: Options of the game.

        Raises:
            ValueError: An argument is not allowed.
        """
        for name, number in (("num_tables", num_tables), ("num_threads", num_threads)):
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
                raise ValueError(f"{name} must be an integer of at least 1, not {number!r}")
        if illegal_actions not in ("raise", "terminate"):
            raise ValueError(f"illegal_actions must be 'raise' or 'terminate', not {illegal_actions!r}")
        self.game = game
        self.options: Options = game.options.make(**options)
        self._has_own_tables = self.options.has_own_tables and num_tables == 1
        self.tables = _read_only(game.tables(self.options, 0)) if self._has_own_tables else game.tables(self.options)
        self.picture_shapes = dict(game.picture_shapes(self.options))
        self.num_tables = int(num_tables)
        self.num_players = self.options.num_players
        self.illegal_actions = illegal_actions
        self.autoreset = autoreset
        self.num_threads = min(int(num_threads), self.num_tables)
        self._allocate()
        self._loops = loops(game)
        self._direct: dict[Callable[..., None], Callable[..., None]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def _allocate(self) -> None:
        game, size, players = self.game, self.num_tables, self.num_players
        # States are copied as bytes: NumPy copies structured arrays field by field.
        self._state_bytes = np.zeros((size, game.state.itemsize), np.uint8)
        self.observations = np.zeros((size, game.observation.size), np.int8)
        # Masks are padded so that they can be tested 64 actions at a time.
        self._mask_bytes = np.zeros((size, -(-game.num_actions // CHUNK) * CHUNK), np.uint8)
        self.seats = np.zeros(size, np.int8)
        self.rewards = np.zeros((size, players), np.float32)
        self.dones = np.zeros(size, np.bool_)
        self.final_observations = np.zeros((size, game.observation.size), np.int8)
        self.final_points = np.zeros((size, players), np.int16)
        self.final_winners = np.zeros(size, np.uint8)
        self.final_keys = np.zeros((size, players), np.int32)
        self._seeds = np.zeros(size, np.uint64)
        self._games = np.zeros(size, np.int64)
        self._view()
        self._states["options"] = self.options.pack()

    def _view(self) -> None:
        layout = self.game.observation
        self._states = for_kernels(as_states(self._state_bytes, self.game.state))
        self._records = layout.records(self.observations)
        self._final_records = layout.records(self.final_observations)
        self._mask_records = mask_records(self._mask_bytes, self.game.num_actions)
        self.masks = self._mask_bytes.view(np.bool_)[:, : self.game.num_actions]

    # ------------------------------------------------------------------------------------------------- playing

    def reset(self, seed: int | Sequence[int] | NDArray[np.uint64]) -> None:
        """Deals a first game at every table.

        Args:
            seed: An integer, from which the seed of table b is mixed with b; or the seeds of the tables, [B]. The g-th
                game of a table is dealt from a mix of its seed and g.
        """
        self.seed_tables(seed)
        self._games[:] = 0
        self._deal()

    def seed_tables(self, seed: int | Sequence[int] | NDArray[np.uint64]) -> None:
        """Sets the seeds of the tables, as :meth:`reset` does, without a deal."""
        if isinstance(seed, (int, np.integer)):
            mix_seeds(np.uint64(int(seed) & 0xFFFFFFFFFFFFFFFF), self._seeds)
        else:
            seeds = np.asarray(seed, np.uint64)
            if seeds.shape != (self.num_tables,):
                raise ValueError(f"seed must be an integer or {self.num_tables} of them, not an array {seeds.shape}")
            self._seeds[:] = seeds

    def deal_again(self) -> None:
        """Leaves every game and deals the table's next one."""
        self._games += 1
        self._deal()

    def _deal(self) -> None:
        self.rewards[:] = 0.0
        self.dones[:] = False
        self._run_deal()

    def _run_deal(self) -> None:
        self._renew_tables()
        self._run(
            self._loops.deal,
            *(self.tables, self._states, self._records, self._mask_records, self.seats, self._seeds, self._games),
        )

    def _renew_tables(self) -> None:
        """Draws the tables of the present game, with options that ask for new ones in every game."""
        if self._has_own_tables:
            seed = int(rng.mix(self._seeds[0], rng.STREAM_TABLE, self._games[0], 0))
            self._replace_tables(self.game.tables(self.options, seed))

    def _replace_tables(self, tables: np.recarray) -> None:
        # In place: bound arguments of compiled loops go on to hold the same memory.
        self.tables.flags.writeable = True
        self.tables[:] = tables
        self.tables.flags.writeable = False

    def step(self, actions: NDArray[np.integer]) -> None:
        """Carries out one action per table; all are checked before any is applied.

        Args:
            actions: Integers [B]; NO_ACTION leaves a table alone.

        Raises:
            IllegalActionError: An action is not legal (with ``illegal_actions="raise"``). No table has changed.
            ValueError: The array has another shape or type.
        """
        self.apply(self.checked(actions))

    def checked(self, actions: NDArray[np.integer]) -> NDArray[np.int64]:
        """Returns the actions as int64 [B], or raises as :meth:`step` does."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_tables,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be integers of shape ({self.num_tables},), not {actions.dtype} of shape {actions.shape}"
            )
        numbers: NDArray[np.int64] = np.ascontiguousarray(actions, np.int64)
        bad = first_illegal(self.masks, numbers)
        if bad < 0:
            return numbers
        if self.illegal_actions == "raise":
            raise self.illegal(bad, int(numbers[bad]))
        inside = np.clip(numbers, 0, self.game.num_actions - 1)
        illegal = (numbers != NO_ACTION) & ~((inside == numbers) & self.masks[np.arange(self.num_tables), inside])
        over = np.flatnonzero(illegal & self._states["done"])
        if len(over):
            raise self.illegal(int(over[0]), int(numbers[over[0]]))
        # The loops take some negative numbers for commands; this one forfeits.
        return np.where(illegal, self.game.num_actions, numbers)

    def apply(self, actions: NDArray[np.int64]) -> None:
        """Carries out actions without a check: int64 [B], legal ones or NO_ACTION. An illegal one forfeits the game."""
        self._run(self._loops.step, *self._step_arguments(), actions)
        if self._has_own_tables and self.autoreset and self.dones[0]:
            self._run_deal()  # again: the loop has dealt with the tables of the last game

    def bound_apply(self, actions: NDArray[np.int64]) -> Callable[[], None]:
        """Returns :meth:`apply` for one array of actions: each call carries out what the array holds by then.

        It spares a small batch the look-ups; it is good until the batch is copied or unpickled.
        """
        arguments = (*self._step_arguments(), actions, 0, self.num_tables)
        return functools.partial(self._compiled(self._loops.step, arguments), *arguments)

    def _step_arguments(self) -> tuple[Any, ...]:
        return (
            *(self.tables, self._states, self._records, self._mask_records, self.seats, self.rewards, self.dones),
            *(self._final_records, self.final_points, self.final_winners, self.final_keys),
            *(self._seeds, self._games, self.autoreset),
        )

    def illegal(self, b: int, action: int) -> IllegalActionError:
        """Returns the error for an illegal action at table b."""
        legal_actions = np.flatnonzero(self.masks[b]).tolist()
        return illegal_action(self.game, self.options, int(self.seats[b]), action, legal_actions)

    # -------------------------------------------------------------------------------------------------- looking

    @property
    def points(self) -> NDArray[np.int16]:
        """The game's own score so far, int16 [B, P]; a view."""
        points: NDArray[np.int16] = self._states["points"][:, : self.num_players]
        return points

    def observe(self, seats: NDArray[np.integer]) -> NDArray[np.int8]:
        """Returns the observations, int8 [B, F], of any seats, [B]."""
        observations = np.zeros_like(self.observations)
        records = self.game.observation.records(observations)
        self._run(self._loops.observe, self.tables, self._states, np.ascontiguousarray(seats, np.int8), records)
        return observations

    def pictures(self, seats: NDArray[np.integer]) -> dict[str, NDArray[np.uint8]]:
        """Returns the images that any seats, [B], are shown: uint8 [B, *shape] by name, {} without images."""
        if not self.picture_shapes or self.game.pictures is None:
            return {}
        return self.game.pictures(self.tables, self._states, np.asarray(seats))

    def turn(self, generator: np.random.Generator, tables: NDArray[np.integer] | None = None) -> Turn:
        """Returns what a decision maker is given for some tables (default all)."""
        chosen = np.arange(self.num_tables) if tables is None else np.asarray(tables, np.int64)
        return Turn(
            *(self.game, self.options, chosen, self.seats[chosen], self.observations[chosen], self.masks[chosen]),
            rng=generator,
            _heuristic=self._heuristic_actions,
            _worlds=self._sample_worlds,
        )

    def random_actions(self, seed: int, number: int) -> NDArray[np.int64]:
        """Returns uniformly random legal actions, int64 [B], NO_ACTION for finished tables.

        Args:
            seed: Seed of the choices.
            number: How many times this seed was used before, below 2**32.
        """
        actions = np.empty(self.num_tables, np.int64)
        self.fill_random_actions(seed, number, actions)
        return actions

    def fill_random_actions(self, seed: int, number: int, actions: NDArray[np.int64]) -> None:
        """Writes what :meth:`random_actions` returns into an array of the caller's."""
        self._run(random_actions, self._mask_bytes, np.uint64(seed), number, actions)

    def _heuristic_actions(self, turn: Turn) -> NDArray[np.int64]:
        actions = np.empty(len(turn), np.int64)
        records = self.game.observation.records(np.ascontiguousarray(turn.observations))
        masks = mask_records(np.ascontiguousarray(turn.masks).view(np.uint8), self.game.num_actions)
        seeds = turn.rng.integers(2**64, size=len(turn), dtype=np.uint64)
        choose = self._loops.choose
        choose(self.tables, records, masks, seeds, actions, 0, len(turn))
        return actions

    def _sample_worlds(self, turn: Turn, size: int) -> Batch:
        worlds = Batch(self.game, len(turn) * size, autoreset=False, **self.options.as_dict())
        copies = np.repeat(self._state_bytes[turn.tables], size, axis=0)
        states = for_kernels(as_states(copies, self.game.state))
        seeds = turn.rng.integers(2**64, size=len(states), dtype=np.uint64)
        seats = np.repeat(turn.seats, size)
        self._loops.determinise(self.tables, states, seats, seeds, 0, len(states))
        worlds.set_states(states)
        return worlds

    # --------------------------------------------------------------------------------------------------- states

    def get_states(self, tables: NDArray[np.integer] | None = None) -> np.recarray:
        """Returns copies of the states of some tables (default all): everything, hidden cards included."""
        chosen = self._state_bytes.copy() if tables is None else self._state_bytes[np.asarray(tables)]
        return as_states(chosen, self.game.state).view(np.recarray)

    def set_states(self, states: np.ndarray, tables: NDArray[np.integer] | None = None) -> None:
        """Puts tables (default all) into given states, and refreshes the arrays.

        Raises:
            ValueError: The states are of another game or have other options.
        """
        if states.dtype != self.game.state:
            raise ValueError(f"these are not states of {self.game.name}")
        if np.any(states["options"] != self.options.pack()):
            raise ValueError("these states were made with other options")
        chosen = np.arange(self.num_tables) if tables is None else np.asarray(tables, np.int64)
        self._state_bytes[chosen] = np.ascontiguousarray(states).view(np.uint8).reshape(len(states), -1)
        if self._has_own_tables:
            self._replace_tables(self.game.tables(self.options, int(states["seed"][0])))
        actions = np.full(self.num_tables, NO_ACTION, np.int64)
        actions[chosen] = LOOK
        self.apply(actions)

    def determinised(self, seats: NDArray[np.integer], seeds: NDArray[np.uint64]) -> np.recarray:
        """Returns for each table a state that its given seat cannot tell from the true one.

        Args:
            seats: Integers [B].
            seeds: uint64 [B], of the samples.
        """
        states = for_kernels(as_states(self._state_bytes.copy(), self.game.state))
        self._run(
            self._loops.determinise, self.tables, states, np.asarray(seats, np.int8), np.asarray(seeds, np.uint64)
        )
        return states.view(np.recarray)

    # -------------------------------------------------------------------------------------------------- threads

    def _run(self, loop: Callable[..., None], *arguments: Any) -> None:
        """Runs a loop over all tables."""
        function = self._compiled(loop, (*arguments, 0, 0))
        if self.num_threads == 1:
            function(*arguments, 0, self.num_tables)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.num_threads - 1)
        edges = np.linspace(0, self.num_tables, self.num_threads + 1).astype(int).tolist()
        own, *others = itertools.pairwise(edges)
        jobs = [self._pool.submit(function, *arguments, start, stop) for start, stop in others]
        function(*arguments, *own)  # in this thread, which need not wait for another one to wake up
        for job in jobs:
            job.result()

    def _compiled(self, loop: Callable[..., None], arguments: tuple[Any, ...]) -> Callable[..., None]:
        """Returns the machine code of a loop; the types of its arguments never change within a batch."""
        function = self._direct.get(loop)
        if function is None:
            function = self._direct[loop] = direct(loop, *arguments)
        return function

    def copy(self) -> Batch:
        """Returns an independent batch in the same state; finished threads and machine code are shared."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        for name, value in self.__dict__.items():
            if isinstance(value, np.ndarray) and name not in (*_VIEWS, "tables"):
                new.__dict__[name] = value.copy()
        if self._has_own_tables:
            new.tables = _read_only(self.tables)
        new._view()
        new._pool = None
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        memo[id(self)] = new = self.copy()
        return new

    def __getstate__(self) -> dict[str, Any]:
        # Views into shared memory would come back as separate arrays, and neither threads nor machine code pickle.
        left_out = ("_pool", "_loops", "_direct", *_VIEWS)
        return {key: value for key, value in self.__dict__.items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tables.flags.writeable = False  # pickling forgets it, and the machine code takes read-only tables
        self._view()
        self._pool = None
        self._loops = loops(self.game)
        self._direct = {}
