"""The race: ``python -m benchmarks.race`` times all games in every form beside other libraries, and writes a page.

Everything runs in one process on one core (only the growth with threads uses more), in turns of short rounds, so that
a machine whose speed drifts treats all alike. The page gives medians and ranges over the rounds; ratios are taken round
by round. Libraries that are not installed are left out and said to be missing.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

import shadowenvs
from agents.command import argument, fail, parse
from benchmarks.contenders import (
    EmptyEnv,
    Work,
    aec_work,
    batch_work,
    playout_work,
    sb3_work,
    spin_work,
    training_work,
    vector_work,
)
from benchmarks.peers import leduc, openspiel_python_work, openspiel_work, pgx_work, rlcard_work
from shadowenvs.aec import TableEnv
from shadowenvs.cli import format_table

PROG = "benchmarks.race"
RESULTS = Path(__file__).parent / "results"

Makers = Mapping[str, Callable[[], Work]]


@dataclass(frozen=True)
class Args:
    """Times all games and other libraries, and writes benchmarks/results/throughput.md."""

    seconds: float = argument("length of one round of one contender", 0.3)
    rounds: int = argument("rounds", 5)
    tables: int = argument("tables of a batch on one core", 256)
    games: tuple[str, ...] = argument("games, default all", tuple(shadowenvs.GAMES), "GAME")
    peers: bool = argument("time other libraries too, where they are installed", True)
    growth: bool = argument("time batches of many sizes, threads and numbers of players too", True)
    out: str = argument("folder of throughput.md and throughput.json", str(RESULTS), "FOLDER")

    def __post_init__(self) -> None:
        for game in self.games:
            shadowenvs.get_game(game)
        if self.rounds < 1 or self.tables < 1 or not self.seconds > 0:
            raise ValueError("rounds, tables and seconds must be positive")
        if not Path(self.out).is_dir():
            raise ValueError(f"--out {self.out}: there is no such folder")


# ----------------------------------------------------------------------------------------------------- contenders


FORMS: dict[str, Callable[[str, int], Work]] = {
    "batch": lambda game, tables: batch_work(game, tables, 1),
    "rules alone": playout_work,
    "AEC": lambda game, _: aec_work(lambda: TableEnv(game)),
    "Gymnasium, random": lambda game, _: vector_work(game, 512, "random"),
    "Gymnasium, heuristic": lambda game, _: vector_work(game, 512, "heuristic"),
    "SB3, heuristic": lambda game, _: sb3_work(game, 512, "heuristic"),
}

OPENSPIEL = ("hearts", "oh_hell", "liars_dice")
PEERS: Makers = {
    **{f"OpenSpiel {game}, C++ loop": lambda game=game: openspiel_work(game) for game in OPENSPIEL},  # type: ignore[misc]
    **{
        f"OpenSpiel {game}, Python loop": lambda game=game: openspiel_python_work(game, False)  # type: ignore[misc]
        for game in OPENSPIEL
    },
    **{
        f"OpenSpiel {game}, Python loop with tensors": lambda game=game: openspiel_python_work(game, True)  # type: ignore[misc]
        for game in OPENSPIEL
    },
    "Pgx kuhn_poker, batch of 1024": lambda: pgx_work("kuhn_poker", 1024),
    "Pgx leduc_holdem, batch of 1024": lambda: pgx_work("leduc_holdem", 1024),
    "Pgx sparrow_mahjong, batch of 1024": lambda: pgx_work("sparrow_mahjong", 1024),
    "RLCard leduc-holdem": lambda: rlcard_work("leduc-holdem"),
    "RLCard uno": lambda: rlcard_work("uno"),
    "RLCard gin-rummy": lambda: rlcard_work("gin-rummy"),
    "PettingZoo leduc_holdem_v4.env": lambda: aec_work(lambda: leduc().env()),
    "PettingZoo leduc_holdem_v4.raw_env": lambda: aec_work(lambda: leduc().raw_env()),
}
FLOOR = "PettingZoo's loop around an empty environment"
TRAINERS = {"training": True, "training on nothing": False}

COMPARED = (
    ("batch", "OpenSpiel hearts, C++ loop"),
    ("rules alone", "OpenSpiel hearts, C++ loop"),
    ("batch", "OpenSpiel hearts, Python loop with tensors"),
    ("batch", "OpenSpiel liars_dice, C++ loop"),
    ("rules alone", "OpenSpiel liars_dice, C++ loop"),
    ("batch", "Pgx leduc_holdem, batch of 1024"),
    ("AEC", "RLCard uno"),
    ("AEC", "PettingZoo leduc_holdem_v4.env"),
    ("AEC", "PettingZoo leduc_holdem_v4.raw_env"),
    ("AEC", FLOOR),
)


def measure(
    makers: Makers, args: Args, note: Callable[[str], object], missing: dict[str, str]
) -> dict[str, list[float]]:
    """Returns decisions a second of each contender in each round; those that cannot be made go to ``missing``."""
    works: dict[str, Work] = {}
    for name, make in makers.items():
        try:
            works[name] = make()
        except ImportError as error:
            missing[name] = str(error)
    figures: dict[str, list[float]] = {name: [] for name in works}
    for number in range(args.rounds):
        note(f"round {number + 1} of {args.rounds}: {len(works)} contenders")
        for name, work in works.items():
            figures[name].append(work(args.seconds))
    return figures


def cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def pin(chosen: set[int]) -> None:
    """Lets this process, and the threads that it starts from now on, use these cores only, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, chosen)


def race(args: Args, note: Callable[[str], object] = lambda _: None) -> dict[str, Any]:
    """Runs everything and returns the figures, as JSON can hold them."""
    available = cores()
    missing: dict[str, str] = {}
    pin({min(available)})
    try:
        makers: dict[str, Callable[[], Work]] = {FLOOR: lambda: aec_work(EmptyEnv)}
        for game in args.games:
            for form, work in FORMS.items():
                makers[f"{game}, {form}"] = lambda game=game, work=work: work(game, args.tables)  # type: ignore[misc]
        first = args.games[0]
        for name, is_real in TRAINERS.items():
            makers[f"{first}, {name}"] = lambda is_real=is_real: training_work(first, 256, is_real)  # type: ignore[misc]
        if args.peers:
            makers |= PEERS
        figures = measure(makers, args, note, missing)
        grown = measure(sizes(args), args, note, missing) if args.growth else {}
    finally:
        pin(available)
    if args.growth:
        grown |= measure(threads(args, len(available)), args, note, missing)
    return {
        "version": shadowenvs.__version__,
        "command": " ".join(["python", "-m", PROG, *sys.argv[1:]]),
        "machine": f"{processor()}, {len(available)} cores; Python {platform.python_version()}",
        "games": list(args.games),
        "rounds": args.rounds,
        "seconds": args.seconds,
        "tables": args.tables,
        "figures": {name: summary(values) for name, values in figures.items()},
        "ratios": ratios(figures, args.games),
        "growth": {name: summary(values) for name, values in grown.items()},
        "missing": missing,
    }


def sizes(args: Args) -> Makers:
    """Returns batches of many sizes, and of every number of players."""
    makers: dict[str, Callable[[], Work]] = {}
    for game in args.games:
        for size in (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536):
            makers[f"{game}, {size} tables"] = lambda game=game, size=size: batch_work(game, size, 1)  # type: ignore[misc]
        for n in shadowenvs.get_game(game).seats:
            makers[f"{game}, {n} players"] = lambda game=game, n=n: batch_work(  # type: ignore[misc]
                game, args.tables, 1, num_players=n
            )
    return makers


def threads(args: Args, num_cores: int) -> Makers:
    """Returns batches on one thread and on several, and a kernel that touches no memory for comparison."""
    makers: dict[str, Callable[[], Work]] = {}
    for number in sorted({1, 2, num_cores}):
        for game in args.games:
            makers[f"{game}, {number} threads"] = lambda game=game, number=number: batch_work(game, 8192, number)  # type: ignore[misc]
        makers[f"no memory, {number} threads"] = lambda number=number: spin_work(number)  # type: ignore[misc]
    return makers


def ratios(figures: Mapping[str, Sequence[float]], games: Sequence[str]) -> dict[str, dict[str, float]]:
    """Returns ratios to other libraries, taken round by round."""
    pairs = [(f"{game}, {form}", peer) for form, peer in COMPARED for game in games]
    pairs += [(f"{games[0]}, training", f"{games[0]}, training on nothing")]
    return {
        f"{one} : {other}": summary([a / b for a, b in zip(figures[one], figures[other], strict=True)])
        for one, other in pairs
        if one in figures and other in figures
    }


def summary(values: Sequence[float]) -> dict[str, float]:
    """Returns median, lowest and highest value."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


# ----------------------------------------------------------------------------------------------------------- page


NOTES = """\
## What is and is not compared

- A decision is one action of one seat. Chance moves are not counted for anybody.
- *batch*: every table takes a uniformly random legal action; then the next observation and mask exist. *rules alone*:
  the same without observations, which is what OpenSpiel's C++ loop with random bots does. *AEC*: PettingZoo's loop with
  `last()` and `step()`, first legal action. *Gymnasium* and *SB3*: decisions of the learner at one seat of 512 tables;
  the moves of the opponents come on top and are not counted.
- The games differ: hearts and oh_hell are trick-taking games of about the size of ours, liars_dice is a small bluffing
  game, kuhn and leduc poker are tiny, sparrow_mahjong, uno and gin-rummy are mid-sized. A ratio between different games
  says what a user pays for a decision, not which code is better written.
- OpenSpiel's observations exist only on request, and its Python loop with tensors asks for one at every decision, as a
  learner must. Pgx is made for accelerators; here it runs on one core of a CPU.
- *training*: MaskablePPO with two layers of 64 units, rollouts and updates, against heuristics; *on nothing*: the same
  with an environment of the same spaces that does nothing."""


def cell(values: Mapping[str, float], digits: int = 0) -> str:
    return f"{values['median']:,.{digits}f} ({values['low']:,.{digits}f} to {values['high']:,.{digits}f})"


def page(result: Mapping[str, Any]) -> str:
    """Returns the figures as Markdown."""
    figures, games = result["figures"], result["games"]
    parts = [
        "# Decisions a second",
        f"`{result['command']}` on {result['machine']}; one core, one run. Median (lowest to highest) of "
        f"{result['rounds']} rounds of {result['seconds']:g} seconds each, shadowenvs {result['version']}; a batch has "
        f"{result['tables']} tables.",
        "## This suite",
        table(
            ("game", *FORMS),
            [[game, *(cell(figures[f"{game}, {form}"]) for form in FORMS)] for game in games],
        ),
        "## Others",
        table(
            ("what", "decisions a second"), [[name, cell(figures[name])] for name in (FLOOR, *PEERS) if name in figures]
        ),
        "## Ratios",
        table(
            ("this suite : other", *games),
            [
                [f"{form} : {peer}", *(ratio_cell(result, f"{game}, {form} : {peer}") for game in games)]
                for form, peer in COMPARED
                if any(f"{game}, {form} : {peer}" in result["ratios"] for game in games)
            ],
        ),
        "Training steps a second, game : nothing, for "
        f"{games[0]}: {ratio_cell(result, f'{games[0]}, training : {games[0]}, training on nothing')}",
    ]
    if result["growth"]:
        parts += ["## Growth", *growth(result)]
    if result["missing"]:
        parts.append("Not installed, so not measured: " + ", ".join(sorted(result["missing"])) + ".")
    return "\n\n".join([*parts, NOTES]) + "\n"


def growth(result: Mapping[str, Any]) -> list[str]:
    """Returns a table each for the numbers of tables, players and threads."""
    found, games = result["growth"], result["games"]
    parts = []
    for word in ("tables", "players", "threads"):
        numbers = sorted({int(name.split()[-2]) for name in found if name.endswith(f" {word}")})
        rows = [*games, *(["no memory"] if word == "threads" else [])]
        parts.append(
            table(
                (word, *map(str, numbers)),
                [
                    [
                        row,
                        *(
                            f"{found[key]['median']:,.0f}" if (key := f"{row}, {n} {word}") in found else ""
                            for n in numbers
                        ),
                    ]
                    for row in rows
                ],
            )
        )
    return parts


def ratio_cell(result: Mapping[str, Any], key: str) -> str:
    return cell(result["ratios"][key], 2) if key in result["ratios"] else ""


def table(head: tuple[str, ...], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(format_table(head, [tuple(row) for row in rows], markdown=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    args = parse(Args, PROG, argv)
    console = Console(stderr=True)
    try:
        result = race(args, console.print)
        out = Path(args.out)
        (out / "throughput.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        (out / "throughput.md").write_text(page(result), encoding="utf-8")
    except (ValueError, OSError) as error:
        return fail(PROG, error)
    console.print(f"written: {out / 'throughput.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
