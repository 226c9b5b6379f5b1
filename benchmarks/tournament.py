"""Tournaments: every agent against every other, on the same deals, at every seat in turn.

``python -m benchmarks.tournament --game NAME --agents random heuristic runs/x/policy --deals 500``

or, in a notebook, ``compare("shadow_cards", ["random", "heuristic"], deals=500)``. ``docs/tournaments.md`` says how to
read the result.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from tqdm import tqdm

from agents.base import Agent
from agents.command import argument, fail, parse
from agents.matches import NUM_TABLES
from agents.registry import ALLOWED, make
from benchmarks.estimates import FEWEST
from benchmarks.report import Report, is_narrow, make_report, write_report
from benchmarks.runs import CHUNK, Plan, Store, play
from benchmarks.schedule import count_games
from shadowenvs import GAMES, get_game
from shadowenvs.cli import parse_options
from shadowenvs.game import Game

PROG = "benchmarks.tournament"
DEALS = 500
BUDGET = 20_000
LOOK = 1.02  # so many times the deals between two looks at how narrow the intervals are
INTERRUPTED = 130


def play_tournament(
    plan: Plan,
    agents: Mapping[str, Agent],
    deals: int | None = None,
    *,
    until: float | None = None,
    budget: int = BUDGET,
    workers: int = 1,
    folder: Path | None = None,
    mode: str = "new",
    progress: Callable[[int], object] | None = None,
) -> Report:
    """Plays a tournament.

    Args:
        plan: What is played.
        agents: The agents by name. Several workers make their own by these names.
        deals: Number of deals, at least 2, by default 500; with ``until`` the fewest, at least 128 and by default so.
        until: Half the width that the interval of every win share shall have; then the number of deals is left open.
        budget: With ``until``, most deals.
        workers: Number of processes.
        folder: Where each finished chunk is kept; None for nowhere.
        mode: What becomes of results there: see :class:`benchmarks.runs.Store`.
        progress: Called with the number of games that have ended since its last call.

    Raises:
        ValueError: An argument is not allowed, or the folder holds something else.
    """
    fewest, most = count_deals(deals, until, budget)
    store = Store(plan, agents, folder, mode)

    next_look = float(fewest)

    def enough(so_far: int) -> bool:
        nonlocal next_look
        if until is None or so_far < next_look:
            return False
        next_look = LOOK * so_far
        return is_narrow(store, so_far, until)

    played = play(store, agents, most, workers=workers, enough=enough, progress=progress)
    return make_report(store, played, until)


def count_deals(deals: int | None, until: float | None, budget: int) -> tuple[int, int]:
    """Returns the fewest and the most deals of a tournament, or raises ValueError."""
    least = 2 if until is None else FEWEST
    fewest = (DEALS if until is None else FEWEST) if deals is None else deals
    if fewest < least:
        raise ValueError(f"deals must be at least {least}{' with until' if until is not None else ''}, not {fewest}")
    if until is None:
        return fewest, fewest
    if not 0.0 < until < 1.0:
        raise ValueError(f"until must be above 0 and below 1, not {until:g}")
    if budget < fewest:
        raise ValueError(f"budget must be at least the {fewest} deals that are the fewest, not {budget}")
    return fewest, budget


def compare(
    game: str | Game,
    agents: Sequence[str],
    deals: int | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    until: float | None = None,
    budget: int = BUDGET,
    workers: int = 1,
    run: str | Path | None = None,
    resume: bool = False,
    show_progress: bool | None = None,
    **settings: Any,
) -> Report:
    """Plays a tournament and returns the report, which a notebook shows with its plots.

    Args:
        game: The game or its name.
        agents: Names, as the command takes them.
        deals: Number of deals; with ``until`` the fewest.
        options: Options of the game.
        until: Half the width that the interval of every win share shall have.
        budget: With ``until``, most deals.
        workers: Number of processes.
        run: Folder in which finished deals are kept.
        resume: Whether to go on with those that are there.
        show_progress: Whether to show a bar; by default in a terminal.
        **settings: seed, tables, chunk, mirror and line_ups of :class:`benchmarks.runs.Plan`.

    Raises:
        ValueError: An argument is not allowed, or the folder holds something else.
    """
    game = get_game(game) if isinstance(game, str) else game
    plan = Plan(game, dict(options or {}), tuple(agents), **settings)
    made = {name: make(name, game) for name in agents}
    _, most = count_deals(deals, until, budget)
    hidden = None if show_progress is None else not show_progress
    with tqdm(total=count_games(plan.matches, most), unit="game", file=sys.stderr, disable=hidden) as bar:
        return play_tournament(
            *(plan, made, deals),
            until=until,
            budget=budget,
            workers=workers,
            folder=None if run is None else Path(run),
            mode="resume" if resume else "new",
            progress=bar.update,
        )


# ----------------------------------------------------------------------------------------------------------- command


@dataclass(frozen=True)
class Args:
    """Play every agent against every other, on the same deals and at every seat in turn."""

    game: str = argument(f"one of {', '.join(GAMES)}")
    agents: tuple[str, ...] = argument(f"two or more of: {ALLOWED}", metavar="AGENT")
    deals: int | None = argument(
        f"deals, each played in every pair and at every seat; {DEALS} if not given, with --until the fewest", None, "N"
    )
    until: float | None = argument("play on until every win share is known to ± this, 0.01 being 1 %", None, "WIDTH")
    budget: int = argument("with --until, most deals", BUDGET, "N")
    set: tuple[str, ...] = argument("options of the game", (), "OPTION=VALUE")
    seed: int = argument("of deals and random choices", 0, "N")
    tables: int = argument("most tables played at the same time", NUM_TABLES, "N")
    chunk: int = argument("deals that are played, and kept, together", CHUNK, "N")
    workers: int = argument("processes", 1, "N")
    mirror: bool = argument("also play each agent against itself: a check, and how much the deal decides", False)
    line_ups: bool = argument("with as many agents as seats, or more, also play tables of different agents", True)
    run: str | None = argument("folder that keeps finished deals; if not given, one in runs/", None, "FOLDER")
    resume: bool = argument("go on with the finished deals of an earlier run", False)
    json: str | None = argument("also write the result there; - for the output (tables as errors)", None, "FILE")
    html: str | None = argument("also write a page with plots there", None, "FILE")

    def __post_init__(self) -> None:
        get_game(self.game)
        if self.workers < 1:
            raise ValueError(f"workers must be at least 1, not {self.workers}")
        count_deals(self.deals, self.until, self.budget)
        for name in ("json", "html"):
            file = getattr(self, name)
            if file is not None and (name, file) != ("json", "-") and not Path(file).parent.is_dir():
                raise ValueError(f"--{name} {file}: there is no such folder")


def default_folder(plan: Plan, agents: Mapping[str, Agent]) -> Path:
    """Returns the folder in which the command keeps a tournament unless it is told another."""
    digest = hashlib.sha256(json.dumps(plan.settings(agents)).encode()).hexdigest()
    return Path("runs") / f"tournament-{plan.game.name}-{digest[:8]}"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    args = parse(Args, PROG, argv)
    game = get_game(args.game)
    try:
        plan = Plan(
            *(game, parse_options(game, args.set), args.agents, args.seed, args.tables, args.chunk),
            *(args.mirror, args.line_ups),
        )
        agents = {name: make(name, game) for name in args.agents}
        _, most = count_deals(args.deals, args.until, args.budget)
        if args.run is None:
            folder, mode = default_folder(plan, agents), "resume" if args.resume else "replace"
        else:
            folder, mode = Path(args.run), "resume" if args.resume else "new"
        try:
            with tqdm(total=count_games(plan.matches, most), unit="game", file=sys.stderr, disable=None) as bar:
                report = play_tournament(
                    *(plan, agents, args.deals),
                    until=args.until,
                    budget=args.budget,
                    workers=args.workers,
                    folder=folder,
                    mode=mode,
                    progress=bar.update,
                )
        except KeyboardInterrupt:
            sys.stderr.write(f"{PROG}: interrupted; finished deals are in {folder}, the same with --resume plays on\n")
            return INTERRUPTED
        out = sys.stderr if args.json == "-" else sys.stdout
        write_report(report, Console(file=out, width=None if out.isatty() else 200))
        content = json.dumps(report.as_dict(), indent=2, allow_nan=False) + "\n"
        if args.json == "-":
            sys.stdout.write(content)
        elif args.json is not None:
            Path(args.json).write_text(content)
        if args.html is not None:
            from benchmarks.page import document  # loads Matplotlib

            Path(args.html).write_text(document(report))
    except (ValueError, OSError, BrokenProcessPool) as error:
        return fail(PROG, error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
