"""Tournaments: every agent against every other, on the same deals, at every seat in turn.

``python -m benchmarks.tournament --game NAME --agents random heuristic runs/x/policy --deals 500``

What a deal's games have in common, its cards, makes their results depend on each other. So all statistics take a
deal, not a game, as one observation. A win is read from the winners of the final state, never from rewards.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.stats
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from agents.base import Agent, begin, decide
from agents.registry import ALLOWED, make
from benchmarks.command import argument, fail, parse, parse_settings
from shadowenvs import GAMES, __version__, get_game
from shadowenvs.batch import Batch
from shadowenvs.game import NO_ACTION, Game

PROG = "benchmarks.tournament"
FORMAT = "shadowenvs-tournament-1"
CONFIDENCE = 0.95
NUM_TABLES = 1024

# First words of the random sources that grow from one seed.
DEALS, CHOICES = range(2)

# -------------------------------------------------------------------------------------------------------------- play


@dataclass(frozen=True)
class Results:
    """What came out of D deals, each played in the same L line-ups of P seats.

    Attributes:
        line_ups: int64 [L, P], number of the agent at each seat.
        winners: uint8 [D, L], bit set of the winning seats.
        points: int64 [D, L, P], the game's own score by seat.
        parts: int64 [D, L, P, R], of the game's rates, what they count by seat.
        wholes: int64 [D, L, P, R], of the game's rates, what that is a part of.
    """

    line_ups: NDArray[np.int64]
    winners: NDArray[np.uint8]
    points: NDArray[np.int64]
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
    won = (winners[..., None] >> np.arange(num_players, dtype=np.uint8)) & 1
    return won / np.maximum(won.sum(axis=-1, keepdims=True), 1).astype(np.float64)


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
    seed: int = 0,
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
        seed: Of the agents' random choices.
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
    num_games = len(deal_seeds) * len(seatings)
    outcomes = [read_outcome(game, num_players, np.zeros(0, game.state))]
    for start in range(0, num_games, num_tables):
        games = np.arange(start, min(start + num_tables, num_games))
        generators = [np.random.default_rng([CHOICES, start // num_tables, k, seed]) for k in range(len(agents))]
        states = play_games(
            *(game, options, agents, seatings[games % len(seatings)], deal_seeds[games // len(seatings)]),
            *(generators, progress),
        )
        outcomes.append(read_outcome(game, num_players, states))
    shape = (len(deal_seeds), len(seatings))
    return Results(
        seatings, *(np.concatenate(parts).reshape(*shape, *parts[0].shape[1:]) for parts in zip(*outcomes, strict=True))
    )


def read_outcome(game: Game, num_players: int, states: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Returns winners, points, parts and wholes, as :class:`Results` has them, of final states [B]."""

    def by_seat(name: str) -> NDArray[np.int64]:
        return states[name][:, :num_players].astype(np.int64)

    counts = [np.zeros((2, len(states), num_players, 0), np.int64)]
    counts += [np.stack([by_seat(rate.part), by_seat(rate.whole)])[..., None] for rate in game.rates]
    parts, wholes = np.concatenate(counts, axis=-1)
    return states["winners"], by_seat("points"), parts, wholes


def play_games(
    game: Game,
    options: Mapping[str, Any],
    agents: Sequence[Agent],
    seating: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    generators: Sequence[np.random.Generator],
    progress: Callable[[int], object] | None = None,
) -> NDArray[Any]:
    """Plays one game at each of B tables, all at the same time.

    Args:
        game: The game.
        options: Its options, by name.
        agents: K agents.
        seating: int64 [B, P], number of the agent at each seat.
        seeds: uint64 [B], of the deals.
        generators: K random sources, one for each agent.
        progress: Called with the number of games that have just ended.

    Returns:
        The final states, [B].
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
        batch.step(actions)
        alive &= ~batch.dones
        if progress is not None and batch.dones.any():
            progress(int(batch.dones.sum()))
        if not alive.any():
            return np.asarray(batch.get_states())
    raise RuntimeError(f"{game.id}: a game is longer than max_steps allows")


def choose(
    batch: Batch, agent: Agent, tables: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Returns an agent's actions for some tables, or raises IllegalActionError: leaving a table alone is illegal too."""
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
    half = float(scipy.stats.t.ppf((1.0 + confidence) / 2.0, num_deals - 1)) * error
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
        shares, points = (results.of(number, values) for values in (results.shares, results.points))
        return cls(agent, opponents, interval(shares), interval(points))


@dataclass(frozen=True)
class RateCount:
    """One of the game's rates for one agent: part of whole."""

    agent: str
    rate: str
    part: int
    whole: int


@dataclass(frozen=True)
class Report:
    """The result of a tournament.

    Attributes:
        game: Name and version.
        options: All options of the game.
        agents: Names.
        deals: Number of deals.
        seed: Of deals and choices.
        tables: Most tables played at the same time.
        num_players: P.
        points_sign: 1 where many points are good, -1 where few are.
        pairs: For each ordered pair (A, B), how A did, at every seat in turn, against P - 1 copies of B.
        line_ups: With exactly P agents, how each did over all seatings of the P different agents; else empty.
        rates: The game's rates of each agent over every seat that it held in all these games.
    """

    game: str
    options: dict[str, Any]
    agents: list[str]
    deals: int
    seed: int
    tables: int
    num_players: int
    points_sign: int
    pairs: list[Standing]
    line_ups: list[Standing]
    rates: list[RateCount]

    @property
    def fair_share(self) -> float:
        return 1.0 / self.num_players

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as JSON can hold it; equal tournaments give equal content."""
        content = {"format": FORMAT, "shadowenvs": __version__, "confidence": CONFIDENCE, "fair_share": self.fair_share}
        content |= {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        for name in ("pairs", "line_ups"):
            content[name] = [
                {
                    "agent": standing.agent,
                    **({"opponents": standing.opponents} if standing.opponents else {}),
                    "share": standing.share._asdict(),
                    "points": standing.points._asdict(),
                }
                for standing in content[name]
            ]
        content["rates"] = [dataclasses.asdict(rate) for rate in self.rates]
        return content


def one_against_all(num_players: int) -> NDArray[np.int64]:
    """Returns the line-ups [P, P] with agent 0 at each seat in turn and agent 1 at the others."""
    return 1 - np.eye(num_players, dtype=np.int64)


def all_seatings(num_players: int) -> NDArray[np.int64]:
    """Returns the line-ups [P!, P] of P different agents."""
    return np.array(list(itertools.permutations(range(num_players))), np.int64)


def play_tournament(
    game: Game,
    options: Mapping[str, Any],
    agents: Mapping[str, Agent],
    num_deals: int,
    *,
    seed: int = 0,
    num_tables: int = NUM_TABLES,
    mirror: bool = False,
    line_ups: bool = True,
    progress: Callable[[int], object] | None = None,
) -> Report:
    """Plays a tournament.

    Args:
        game: The game.
        options: Its options, by name.
        agents: The agents by name.
        num_deals: D, at least 2; the same deals are played by all.
        seed: Of deals and choices.
        num_tables: Most tables played at the same time.
        mirror: Whether each agent also plays against itself, as a check.
        line_ups: Whether exactly P agents also meet in all P! seatings.
        progress: Called with the number of games that have ended since its last call.
    """
    filled = game.options.make(**options)
    seats = filled.num_players
    deal_seeds = draw_deals(seed, num_deals)
    counts = {name: np.zeros((2, len(game.rates)), np.int64) for name in agents}

    def play(names: Sequence[str], seatings: NDArray[np.int64]) -> Results:
        players = [agents[name] for name in names]
        results = play_deals(
            *(game, options, players, seatings, deal_seeds), seed=seed, num_tables=num_tables, progress=progress
        )
        for number, name in enumerate(names):
            for i, values in enumerate((results.parts, results.wholes)):
                counts[name][i] += results.of(number, values).sum(axis=(0, 1))
        return results

    pairs = [
        Standing.of(play([agent, other], one_against_all(seats)), 0, agent, other)
        for agent, other in itertools.product(agents, repeat=2)
        if mirror or agent != other
    ]
    mixed: list[Standing] = []
    if line_ups and len(agents) == seats:
        results = play(list(agents), all_seatings(seats))
        mixed = [Standing.of(results, number, agent) for number, agent in enumerate(agents)]
    rates = [
        RateCount(name, rate.name, int(counts[name][0, i]), int(counts[name][1, i]))
        for name in agents
        for i, rate in enumerate(game.rates)
    ]
    return Report(
        *(game.id, filled.as_dict(), list(agents), num_deals, seed, num_tables, seats, game.points_sign),
        *(pairs, mixed, rates),
    )


def count_games(num_agents: int, num_players: int, num_deals: int, mirror: bool, line_ups: bool) -> int:
    """Returns how many games a tournament has."""
    pairs = num_agents * (num_agents if mirror else num_agents - 1)
    mixed = len(all_seatings(num_players)) if line_ups and num_agents == num_players else 0
    return num_deals * (pairs * num_players + mixed)


# -------------------------------------------------------------------------------------------------------------- text


def percent(value: Interval) -> str:
    return f"{100 * value.mean:.1f} ± {100 * (value.high - value.mean):.1f} %"


def plain(value: Interval) -> str:
    return f"{value.mean:.2f} ± {value.high - value.mean:.2f}"


def write_report(report: Report, console: Console) -> None:
    """Writes a report as aligned tables."""
    many_or_few = "many" if report.points_sign > 0 else "few"
    settings = " ".join(f"{name}={value}" for name, value in report.options.items())
    console.print(f"{report.game}: {report.deals} deals, seed {report.seed}", f"({settings})", highlight=False)
    for title, show in (
        (f"Win share; a fair share is {100 * report.fair_share:.1f} %", lambda standing: percent(standing.share)),
        (f"Points; {many_or_few} are good", lambda standing: plain(standing.points)),
    ):
        cells = {(standing.agent, standing.opponents): show(standing) for standing in report.pairs}
        rows = [[agent, *(cells.get((agent, other), "-") for other in report.agents)] for agent in report.agents]
        against = [f"against {report.num_players - 1} x {other}" for other in report.agents]
        write_table(console, title, ["agent", *against], rows)
    if report.line_ups:
        rows = [[standing.agent, percent(standing.share), plain(standing.points)] for standing in report.line_ups]
        write_table(console, "All agents at one table, in every seating", ["agent", "win share", "points"], rows)
    if report.rates:
        names = list(dict.fromkeys(rate.rate for rate in report.rates))
        shown = {
            (rate.agent, rate.rate): f"{100 * rate.part / rate.whole:.1f} % of {rate.whole}" if rate.whole else "-"
            for rate in report.rates
        }
        rows = [[agent, *(shown[agent, name] for name in names)] for agent in report.agents]
        write_table(console, "Rates over all seats held in these games", ["agent", *names], rows)
    console.print(
        f"± is a {100 * CONFIDENCE:.0f} % t-interval over {report.deals} deals; all games of a deal count as one "
        "observation. Every cell is of the same deals, so cells depend on each other, and none is corrected for the "
        "number of cells. ± 0 means that all deals came out alike, not that every deal must.",
        highlight=False,
    )


def write_table(console: Console, title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for number, word in enumerate(header):
        table.add_column(word, justify="right" if number else "left", no_wrap=number > 0)
    for row in rows:
        table.add_row(*row)
    console.print()
    console.print(table, highlight=False)


# ----------------------------------------------------------------------------------------------------------- command


@dataclass(frozen=True)
class Args:
    """Play every agent against every other, on the same deals and at every seat in turn."""

    game: str = argument(f"one of {', '.join(GAMES)}")
    agents: tuple[str, ...] = argument(f"two or more of: {ALLOWED}", metavar="AGENT")
    deals: int = argument("deals, each played in every pair and at every seat", 500, "N")
    set: tuple[str, ...] = argument("options of the game", (), "OPTION=VALUE")
    seed: int = argument("of deals and random choices", 0, "N")
    tables: int = argument("most tables played at the same time", NUM_TABLES, "N")
    mirror: bool = argument("also play each agent against itself, as a check", False)
    line_ups: bool = argument("with as many agents as seats also play all seatings of them", True)
    json: str | None = argument("also write the result there; - for the output, with the tables as errors", None, "FILE")

    def __post_init__(self) -> None:
        get_game(self.game)
        least = 1 if self.mirror else 2
        if len(self.agents) < least:
            raise ValueError(f"--agents must name at least {least} agents, not {len(self.agents)}")
        for name in self.agents:
            if self.agents.count(name) > 1:
                raise ValueError(f"--agents names {name} twice; --mirror plays an agent against itself")
        for name, low in (("deals", 2), ("seed", 0), ("tables", 1)):
            if getattr(self, name) < low:
                raise ValueError(f"--{name} must be at least {low}, not {getattr(self, name)}")
        if self.json is not None and self.json != "-" and not Path(self.json).parent.is_dir():
            raise ValueError(f"--json {self.json}: there is no such folder")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    args = parse(Args, PROG, argv)
    game = get_game(args.game)
    try:
        options = parse_settings(game, args.set)
        num_players = game.options.make(**options).num_players
        agents = {name: make(name, game) for name in args.agents}
        total = count_games(len(agents), num_players, args.deals, args.mirror, args.line_ups)
        with tqdm(total=total, unit="game", file=sys.stderr, disable=None) as bar:
            report = play_tournament(
                *(game, options, agents, args.deals),
                **{"seed": args.seed, "num_tables": args.tables, "mirror": args.mirror, "line_ups": args.line_ups},
                progress=bar.update,
            )
        out = sys.stderr if args.json == "-" else sys.stdout
        write_report(report, Console(file=out, width=None if out.isatty() else 200))
        content = json.dumps(report.as_dict(), indent=2, allow_nan=False) + "\n"
        if args.json == "-":
            sys.stdout.write(content)
        elif args.json is not None:
            Path(args.json).write_text(content)
    except (ValueError, OSError) as error:
        return fail(PROG, error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
