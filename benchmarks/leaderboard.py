"""The standing tournament of all agents in all games.

``make leaderboard`` plays it and rewrites ``benchmarks/results/leaderboard.md`` and ``leaderboard.json`` beside it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from agents.base import Agent
from agents.command import argument, fail, parse
from agents.registry import ALLOWED, BUILT_IN, make
from benchmarks.estimates import Luck
from benchmarks.report import Report, percent
from benchmarks.runs import Plan
from benchmarks.tournament import default_folder, play_tournament
from shadowenvs import GAMES, __version__, get_game
from shadowenvs.game import Game

PROG = "benchmarks.leaderboard"
FORMAT = "shadowenvs-leaderboard-1"
FOLDER = Path(__file__).parent / "results"

BASELINES = ("random", "heuristic")
"""Agents against whose copies the table shows all others."""

STANDING = tuple(dict.fromkeys((*BUILT_IN, "ppo")))
"""Agents that take part in each game that they can play."""


def find_agents(names: Iterable[str], game: Game) -> tuple[dict[str, Agent], dict[str, str]]:
    """Returns those agents that can play a game, and why the others cannot."""
    found, missing = {}, {}
    for name in dict.fromkeys(names):
        try:
            found[name] = make(name, game)
        except ValueError as error:
            missing[name] = str(error)
    return found, missing


def play_game(game: Game, agents: dict[str, Agent], deals: int, seed: int, workers: int, resume: bool) -> Report:
    """Plays the tournament of one game, with its default options."""
    plan = Plan(game, {}, tuple(agents), seed, mirror=True)
    mode = "resume" if resume else "replace"
    return play_tournament(plan, agents, deals, workers=workers, folder=default_folder(plan, agents), mode=mode)


# -------------------------------------------------------------------------------------------------------------- text


def write_page(reports: dict[str, Report], left_out: dict[str, dict[str, str]]) -> str:
    """Returns the leaderboard as Markdown.

    Args:
        reports: By game.
        left_out: By game, the agents that cannot play it, with reasons.
    """
    one = next(iter(reports.values()))
    parts = [
        "# Leaderboard",
        f"Written by `make leaderboard` with version {__version__}: {one.deals} deals of each game with its default "
        f"options, seed {one.seed}. Win shares are those of one player at every seat in turn against copies of "
        "another, with a 95 % t-interval over deals. A rating is OpenSkill's mu ± 2 sigma from all games, 25 being the "
        "mean of the agents here. Under luck stands how much of the variance of a seat's win share the deal explains "
        "when that agent holds every seat: all of it, if the agent draws no random numbers. "
        "[docs/tournaments.md](../../docs/tournaments.md) explains each figure.",
    ]
    for name, report in reports.items():
        parts += [f"## {get_game(name).title}", write_table(report)]
        parts.append(f"`{report.game}`, {report.num_players} players; a fair share is {100 * report.fair_share:.1f} %.")
        parts += [describe_luck(one.luck) for one in report.luck if not one.agent]
        if left_out[name]:
            parts.append(f"Without {', '.join(left_out[name])}: there is none for this game.")
    return "\n\n".join(parts) + "\n"


def describe_luck(luck: Luck) -> str:
    """Returns in a sentence what decides at tables of different agents."""
    return (
        f"Where different agents meet, {100 * luck.line_up:.0f} % of the variance of a seat's win share is who sits "
        f"where, {100 * luck.deal:.0f} % ({100 * luck.low:.0f} to {100 * luck.high:.0f}) the deal whoever plays it, "
        f"and {100 * luck.rest:.0f} % the rest: choices, and which deals suit which agents."
    )


def write_table(report: Report) -> str:
    """Returns a game's table, the highest rating first."""
    against = [name for name in BASELINES if name in report.agents]
    shares = {(pair.agent, pair.opponents): percent(pair.share) for pair in report.pairs}
    fates = {one.agent: one.luck for one in report.luck}
    rows = [["agent", *(f"against {report.num_players - 1} {name}" for name in against), "rating", "luck"]]
    rows.append([":--", *["--:"] * (len(rows[0]) - 1)])
    for rating in report.ratings:
        luck = fates.get(rating.agent)
        cells = [rating.agent, *("-" if name == rating.agent else shares[rating.agent, name] for name in against)]
        cells.append(f"{rating.mu:.1f} ± {2 * rating.sigma:.1f}")
        cells.append(f"{100 * luck.deal:.0f} % ({100 * luck.low:.0f} to {100 * luck.high:.0f})" if luck else "-")
        rows.append(cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


# ----------------------------------------------------------------------------------------------------------- command


@dataclass(frozen=True)
class Args:
    """Play the standing tournament of all agents in all games and write the leaderboard."""

    games: tuple[str, ...] = argument(f"some of: {', '.join(GAMES)}", tuple(GAMES), "GAME")
    agents: tuple[str, ...] = argument(
        f"some of: {ALLOWED}; those that cannot play a game are left out", STANDING, "AGENT"
    )
    deals: int = argument("deals of each game", 300, "N")
    seed: int = argument("of deals and random choices", 0, "N")
    workers: int = argument("processes", 1, "N")
    resume: bool = argument("go on with the finished deals of an interrupted run", False)
    folder: str = argument("where the leaderboard is written", str(FOLDER), "FOLDER")

    def __post_init__(self) -> None:
        for name in self.games:
            get_game(name)
        for name, low in (("deals", 2), ("seed", 0), ("workers", 1)):
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, not {getattr(self, name)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    args = parse(Args, PROG, argv)
    reports, left_out = {}, {}
    try:
        for name in dict.fromkeys(args.games):
            game = get_game(name)
            agents, left_out[name] = find_agents(args.agents, game)
            if len(agents) < 2:
                raise ValueError(f"fewer than 2 agents can play {name}: {'; '.join(left_out[name].values())}")
            sys.stderr.write(f"{name}: {', '.join(agents)}\n")
            sys.stderr.writelines(f"{name}: without {agent}: {why}\n" for agent, why in left_out[name].items())
            reports[name] = play_game(game, agents, args.deals, args.seed, args.workers, args.resume)
        folder = Path(args.folder)
        folder.mkdir(parents=True, exist_ok=True)
        content = {"format": FORMAT, "games": {name: report.as_dict() for name, report in reports.items()}}
        (folder / "leaderboard.json").write_text(json.dumps(content, indent=2, allow_nan=False) + "\n")
        (folder / "leaderboard.md").write_text(write_page(reports, left_out))
    except (ValueError, OSError, BrokenProcessPool) as error:
        return fail(PROG, error)
    except KeyboardInterrupt:
        sys.stderr.write(f"{PROG}: interrupted; the same with --resume plays on\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
