"""Games between agents: the same deals in any line-ups, played many tables at a time, and what they say.

What a deal's games have in common, its cards, makes their results depend on each other. So all statistics take a
deal, not a game, as one observation. A win is read from the winners of the final state, never from rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.special
from numpy.typing import NDArray

from agents.base import Agent, begin, decide
from shadowenvs.batch import Batch
from shadowenvs.game import NO_ACTION, Game, ranks

NUM_TABLES = 1024
CONFIDENCE = 0.95

# First words of the random sources that grow from one seed.
DEALS, CHOICES = range(2)


@dataclass(frozen=True)
class Results:
    """What came out of D deals, each played in the same L line-ups of P seats.

    Attributes:
        line_ups: int64 [L, P], number of the agent at each seat.
        winners: uint8 [D, L], bit set of the winning seats.
        points: int64 [D, L, P], the game's own score by seat.
        ranks: int64 [D, L, P], by seat; 1 for winners, equal ones share the better rank.
        parts: int64 [D, L, P, R], of the game's rates, what they count by seat.
        wholes: int64 [D, L, P, R], of the game's rates, what that is a part of.
    """

    line_ups: NDArray[np.int64]
    winners: NDArray[np.uint8]
    points: NDArray[np.int64]
    ranks: NDArray[np.int64]
    parts: NDArray[np.int64]
    wholes: NDArray[np.int64]

    @property
    def shares(self) -> NDArray[np.float64]:
        """Shares of the victory, float64 [D, L, P]."""
        return win_shares(self.winners, self.line_ups.shape[1])

    def of(self, agent: int, values: NDArray[Any]) -> NDArray[Any]:
        """Picks from values [D, L, P, ...] those of the seats that an agent held: [D, N, ...]."""
        return values[:, self.line_ups == agent]


def win_shares(winners: NDArray[np.uint8], num_players: int) -> NDArray[np.float64]:
    """Returns 1/k for each of k winners and 0 for the others, float64 [..., P], from bit sets of winners [...]."""
    won = ((winners[..., None] >> np.arange(num_players, dtype=np.uint8)) & 1).astype(np.float64)
    shares: NDArray[np.float64] = won / np.maximum(won.sum(axis=-1, keepdims=True), 1.0)
    return shares


def draw_deals(seed: int, num_deals: int) -> NDArray[np.uint64]:
    """Returns seeds of deals, uint64 [D]; more deals of the same seed begin with the same ones."""
    return np.random.default_rng([DEALS, seed]).integers(2**64, size=num_deals, dtype=np.uint64)


def play_deals(
    game: Game,
    options: Mapping[str, Any],
    agents: Sequence[Agent],
    line_ups: NDArray[np.integer] | Sequence[Sequence[int]],
    deal_seeds: NDArray[np.uint64],
    *,
    seed: int | Sequence[int] = 0,
    num_tables: int = NUM_TABLES,
    progress: Callable[[int], object] | None = None,
) -> Results:
    """Plays every deal in every line-up.

    Equal arguments give equal results. Another number of tables gives equal results too unless an agent draws random
    numbers, or computes differently for another number of tables.

    Args:
        game: The game.
        options: Its options, by name.
        agents: K agents. One may stand there twice, and then draws from a random source at each place.
        line_ups: Integers [L, P], number of the agent at each seat.
        deal_seeds: uint64 [D].
        seed: Of the agents' random choices, one number or several.
        num_tables: Most tables that are played at the same time.
        progress: Called with the number of games that have ended since its last call.

    Raises:
        IllegalActionError: An agent chose an illegal action; a note names the agent.
        ValueError: An argument is not allowed, or an agent's answer is not one integer per table.
    """
    seatings = np.asarray(line_ups, np.int64)
    num_players = game.options.make(**options).num_players
    if seatings.ndim != 2 or seatings.shape[1] != num_players:
        raise ValueError(f"line_ups must list {num_players} seats each, not have shape {seatings.shape}")
    if not seatings.size or not 0 <= seatings.min() <= seatings.max() < len(agents):
        raise ValueError(f"line_ups must hold at least one, of numbers of agents from 0 to {len(agents) - 1}")
    if num_tables < 1:
        raise ValueError(f"num_tables must be at least 1, not {num_tables}")
    words = list(seed) if isinstance(seed, Sequence) else [seed]
    num_games = len(deal_seeds) * len(seatings)
    outcomes = [read_outcome(game, np.zeros(0, game.state), np.zeros((0, num_players), np.int32))]
    for start in range(0, num_games, num_tables):
        games = np.arange(start, min(start + num_tables, num_games))
        generators = [np.random.default_rng([CHOICES, start // num_tables, k, *words]) for k in range(len(agents))]
        states, keys = play_games(
            *(game, options, agents, seatings[games % len(seatings)], deal_seeds[games // len(seatings)]),
            *(generators, progress),
        )
        outcomes.append(read_outcome(game, states, keys))
    shape = (len(deal_seeds), len(seatings))
    return Results(
        seatings, *(np.concatenate(parts).reshape(*shape, *parts[0].shape[1:]) for parts in zip(*outcomes, strict=True))
    )


def read_outcome(game: Game, states: NDArray[Any], keys: NDArray[np.int32]) -> tuple[NDArray[Any], ...]:
    """Returns winners, points, ranks, parts and wholes, as :class:`Results` has them.

    Args:
        game: The game.
        states: Final states [B].
        keys: Their rank keys, int32 [B, P].
    """
    num_players = keys.shape[1]

    def by_seat(name: str) -> NDArray[np.int64]:
        return states[name][:, :num_players].astype(np.int64)

    counts = [np.zeros((2, len(states), num_players, 0), np.int64)]
    counts += [np.stack([by_seat(rate.part), by_seat(rate.whole)])[..., None] for rate in game.rates]
    parts, wholes = np.concatenate(counts, axis=-1)
    pairs = zip(keys.tolist(), states["winners"].tolist(), strict=True)
    places = np.array([ranks(seats, won) for seats, won in pairs], np.int64).reshape(keys.shape)
    return states["winners"], by_seat("points"), places, parts, wholes


def play_games(
    game: Game,
    options: Mapping[str, Any],
    agents: Sequence[Agent],
    seating: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    generators: Sequence[np.random.Generator],
    progress: Callable[[int], object] | None = None,
    watch: Callable[[Batch, NDArray[np.int64]], object] | None = None,
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Plays one game at each of B tables, all at the same time.

    Args:
        game: The game.
        options: Its options, by name.
        agents: K agents.
        seating: int64 [B, P], number of the agent at each seat.
        seeds: uint64 [B], of the deals.
        generators: K random sources, one for each agent.
        progress: Called with the number of games that have just ended.
        watch: Called before every step with the batch and the actions that it is about to carry out, int64 [B],
            NO_ACTION where a game is over. They change with the next step, and must not be changed here.

    Returns:
        The final states [B], and their rank keys, int32 [B, P].
    """
    num_tables = len(seating)
    batch = Batch(game, num_tables, autoreset=False, **options)
    batch.reset(seeds)
    for agent in agents:
        begin(agent, np.arange(num_tables))
    alive = np.ones(num_tables, np.bool_)
    actions = np.empty(num_tables, np.int64)
    for _ in range(game.max_steps(batch.options, batch.tables)):
        actions[:] = NO_ACTION
        acting = np.where(alive, seating[np.arange(num_tables), batch.seats], -1)
        for number, agent in enumerate(agents):
            tables = np.flatnonzero(acting == number)
            if len(tables):
                actions[tables] = choose(batch, agent, tables, generators[number])
        if watch is not None:
            watch(batch, actions)
        batch.step(actions)
        alive &= ~batch.dones
        if progress is not None and batch.dones.any():
            progress(int(batch.dones.sum()))
        if not alive.any():
            return np.asarray(batch.get_states()), batch.final_keys
    raise RuntimeError(f"{game.id}: a game is longer than max_steps allows")


def choose(batch: Batch, agent: Agent, tables: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Returns an agent's actions for some tables, int64 [B].

    Raises:
        IllegalActionError: One is illegal; to leave a table alone is illegal too.
    """
    actions = decide(agent, batch.turn(generator, tables))
    inside = (actions >= 0) & (actions < batch.game.num_actions)
    legal = inside & batch.masks[tables, np.where(inside, actions, 0)]
    if not legal.all():
        bad = int(np.flatnonzero(~legal)[0])
        error = batch.illegal(int(tables[bad]), int(actions[bad]))
        error.add_note(f"(chosen by agent {agent.name})")
        raise error
    return actions


# -------------------------------------------------------------------------------------------------------- statistics


class Interval(NamedTuple):
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float


def interval(values_by_deal: NDArray[Any], confidence: float = CONFIDENCE) -> Interval:
    """Returns the mean over deals and its t-interval.

    The interval holds for independent deals whose number is large enough for their mean to be about normal. Its width
    is 0 where all deals came out alike, which does not mean that the next one must.

    Args:
        values_by_deal: Numbers [D, ...] with D at least 2. The values of one deal count as one, their mean.
        confidence: How often the interval shall cover the expectation.

    Raises:
        ValueError: There are fewer than two deals.
    """
    values = np.asarray(values_by_deal, np.float64)
    num_deals = len(values)
    if num_deals < 2:
        raise ValueError(f"an interval needs at least 2 deals, not {num_deals}")
    deals = values.reshape(num_deals, -1).mean(axis=1)
    mean = float(deals.mean())
    error = float(deals.std(ddof=1)) / num_deals**0.5
    half = float(scipy.special.stdtrit(num_deals - 1, (1.0 + confidence) / 2.0)) * error
    return Interval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Standing:
    """How an agent did.

    Attributes:
        agent: Its name.
        opponents: Name of the agent at all other seats; "" where line-ups are mixed.
        share: Mean share of the victory.
        points: Mean points.
    """

    agent: str
    opponents: str
    share: Interval
    points: Interval

    @classmethod
    def of(cls, results: Results, number: int, agent: str, opponents: str = "") -> Standing:
        shares, points = results.of(number, results.shares), results.of(number, results.points)
        return cls(agent, opponents, interval(shares), interval(points))
