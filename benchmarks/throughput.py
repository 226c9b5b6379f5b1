"""How many decisions a second: ``python -m benchmarks.throughput [--json FILE] [--peers]``.

A decision is one action of one seat: choosing it by a cheap rule, carrying it out, and making the next observation and
mask. All contenders of a table take turns in short rounds of one run, so that a machine whose speed drifts treats them
alike; ratios are medians over rounds.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import shadowenvs
from agents.command import argument, parse
from benchmarks.contenders import EmptyEnv, Work, aec_work, batch_work, sb3_work, spin_work, vector_work
from benchmarks.peers import leduc, openspiel_work
from shadowenvs.aec import TableEnv

PROG = "benchmarks.throughput"


@dataclass
class Args:
    """Measures decisions a second."""

    game: str = argument("name of the game", "shadow_cards")
    seconds: float = argument("length of one round of one contender", 0.5)
    rounds: int = argument("rounds", 7)
    tables: int = argument("tables of the batch on one core; many more do not fit into its cache", 256)
    peers: bool = argument("add other libraries, where they are installed", False)
    openspiel: str = argument("game of OpenSpiel for comparison", "hearts")
    json: str = argument("also write the figures as JSON; - for standard output", "", "FILE")

    def __post_init__(self) -> None:
        shadowenvs.get_game(self.game)
        if self.rounds < 1 or self.tables < 1 or not self.seconds > 0:
            raise ValueError("rounds, tables and seconds must be positive")


# ------------------------------------------------------------------------------------------------------------- run


def contenders(args: Args) -> dict[str, Callable[[], Work]]:
    """Returns what is measured, by name."""
    cores = os.cpu_count() or 1
    game = args.game
    works: dict[str, Callable[[], Work]] = {
        "batch, 1 thread": lambda: batch_work(game, args.tables, 1),
        "batch of 8192, 1 thread": lambda: batch_work(game, 8192, 1),
        f"batch of 8192, {cores} threads": lambda: batch_work(game, 8192, cores),
        "kernel without memory, 1 thread": lambda: spin_work(1),
        f"kernel without memory, {cores} threads": lambda: spin_work(cores),
        "AEC loop": lambda: aec_work(lambda: TableEnv(game)),
        "AEC loop, empty environment": lambda: aec_work(EmptyEnv),
        "Gymnasium vector, 512 tables, random opponents": lambda: vector_work(game, 512, "random"),
        "Gymnasium vector, 512 tables, heuristic opponents": lambda: vector_work(game, 512, "heuristic"),
        "SB3 VecEnv, 512 tables, heuristic opponents": lambda: sb3_work(game, 512, "heuristic"),
    }
    if args.peers:
        works[f"OpenSpiel {args.openspiel}, C++ loop"] = lambda: openspiel_work(args.openspiel)
        works["PettingZoo leduc_holdem_v4.env, AEC loop"] = lambda: aec_work(lambda: leduc().env())
        works["PettingZoo leduc_holdem_v4.raw_env, AEC loop"] = lambda: aec_work(lambda: leduc().raw_env())
    return works


def ratios(args: Args) -> list[tuple[str, str, str]]:
    """Returns what is compared: a title, and the names of the two contenders."""
    cores = os.cpu_count() or 1
    pairs = [
        (f"batch, {cores} threads : 1", f"batch of 8192, {cores} threads", "batch of 8192, 1 thread"),
        (
            f"kernel without memory, {cores} threads : 1",
            f"kernel without memory, {cores} threads",
            "kernel without memory, 1 thread",
        ),
        ("AEC loop : empty environment", "AEC loop", "AEC loop, empty environment"),
    ]
    if args.peers:
        pairs += [
            (
                f"batch : OpenSpiel {args.openspiel} in C++",
                "batch, 1 thread",
                f"OpenSpiel {args.openspiel}, C++ loop",
            ),
            ("AEC loop : leduc_holdem_v4.env", "AEC loop", "PettingZoo leduc_holdem_v4.env, AEC loop"),
            ("AEC loop : leduc_holdem_v4.raw_env", "AEC loop", "PettingZoo leduc_holdem_v4.raw_env, AEC loop"),
        ]
    return pairs


def measure(args: Args, note: Callable[[str], object] = lambda _: None) -> dict[str, Any]:
    """Runs all contenders in turn and returns medians and ratios, as JSON can hold them."""
    works: dict[str, Work] = {}
    missing = {}
    for name, make in contenders(args).items():
        try:
            works[name] = make()
        except ImportError as error:
            missing[name] = str(error)
            note(f"{name}: not measured ({error})")
    figures: dict[str, list[float]] = {name: [] for name in works}
    for number in range(args.rounds):
        note(f"round {number + 1} of {args.rounds}")
        for name, work in works.items():
            figures[name].append(work(args.seconds))
    compared = {
        title: [a / b for a, b in zip(figures[first], figures[second], strict=True)]
        for title, first, second in ratios(args)
        if first in figures and second in figures
    }
    return {
        "version": shadowenvs.__version__,
        "game": args.game,
        "command": f"python -m {PROG} {' '.join(sys.argv[1:])}".strip(),
        "decisions_per_second": {name: summary(values) for name, values in figures.items()},
        "ratios": {title: summary(values) for title, values in compared.items()},
        "missing": missing,
    }


def summary(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its status."""
    args = parse(Args, PROG, argv)
    console = Console(stderr=True)
    result = measure(args, console.print)
    for title, key, digits in (("decisions a second", "decisions_per_second", 0), ("ratio", "ratios", 2)):
        table = Table(title=f"{args.game}: {title}, median and range of {args.rounds} rounds")
        for heading in ("what", "median", "lowest", "highest"):
            table.add_column(heading, justify="left" if heading == "what" else "right")
        for name, values in result[key].items():
            table.add_row(name, *(f"{values[part]:,.{digits}f}" for part in ("median", "low", "high")))
        Console().print(table)
    if args.json == "-":
        Console().print_json(json.dumps(result))
    elif args.json:
        Path(args.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
