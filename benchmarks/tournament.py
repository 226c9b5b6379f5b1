"""Tournaments: every agent against every other, on the same deals, at every seat in turn.

``python -m benchmarks.tournament --game NAME --agents random heuristic runs/x/policy --deals 500``

How games are played and intervals computed is in :mod:`agents.matches`.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text
from tqdm import tqdm

from agents.base import Agent
from agents.command import argument, fail, parse
from agents.matches import CONFIDENCE, NUM_TABLES, Interval, Results, Standing, draw_deals, play_deals
from agents.registry import ALLOWED, make
from shadowenvs import GAMES, __version__, get_game
from shadowenvs.cli import parse_options
from shadowenvs.game import Game

PROG = "benchmarks.tournament"
FORMAT = "shadowenvs-tournament-1"

# ------------------------------------------------------------------------------------------------------------ report


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
        content: dict[str, Any] = {"format": FORMAT, "shadowenvs": __version__}
        content |= {"confidence": CONFIDENCE, "fair_share": self.fair_share}
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
    title = f"{report.game}: {report.deals} deals, seed {report.seed} ({settings})"
    console.print(title, highlight=False, markup=False)
    shares = {(standing.agent, standing.opponents): percent(standing.share) for standing in report.pairs}
    points = {(standing.agent, standing.opponents): plain(standing.points) for standing in report.pairs}
    for title, cells in (
        (f"Win share; a fair share is {100 * report.fair_share:.1f} %", shares),
        (f"Points; {many_or_few} are good", points),
    ):
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
        f"\n± is a {100 * CONFIDENCE:.0f} % t-interval over {report.deals} deals; all games of a deal count as one "
        "observation. Every cell is of the same deals, so cells depend on each other, and none is corrected for the "
        "number of cells. ± 0 means that all deals came out alike, not that every deal must.",
        highlight=False,
    )


def write_table(console: Console, title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False)
    for number, word in enumerate(header):
        table.add_column(Text(word), justify="right" if number else "left", no_wrap=number > 0)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
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
    json: str | None = argument("also write the result there; - for the output (tables as errors)", None, "FILE")

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
        options = parse_options(game, args.set)
        num_players = game.options.make(**options).num_players
        agents = {name: make(name, game) for name in args.agents}
        total = count_games(len(agents), num_players, args.deals, args.mirror, args.line_ups)
        with tqdm(total=total, unit="game", file=sys.stderr, disable=None) as bar:
            report = play_tournament(
                *(game, options, agents, args.deals),
                seed=args.seed,
                num_tables=args.tables,
                mirror=args.mirror,
                line_ups=args.line_ups,
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
