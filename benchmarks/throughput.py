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
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from rich.console import Console
from rich.table import Table

import shadowenvs
from agents.command import argument, parse
from shadowenvs import rng
from shadowenvs.aec import TableEnv
from shadowenvs.batch import Batch
from shadowenvs.jit import kernel
from shadowenvs.vector import SeatVectorEnv

PROG = "benchmarks.throughput"

Work = Callable[[float], float]
"""Works for about so many seconds and returns decisions a second."""


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


def timed(step: Callable[[], int], seconds: float) -> float:
    """Returns decisions a second of a function that takes some decisions and returns how many."""
    start = time.perf_counter()
    decisions = 0
    while True:
        decisions += step()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return decisions / elapsed


# ----------------------------------------------------------------------------------------------------- contenders


def batch_work(game: str, tables: int, threads: int) -> Work:
    """Lock-step: every table takes one uniformly random legal action, then the next observations and masks exist."""
    batch = Batch(shadowenvs.get_game(game), tables, num_threads=threads)
    batch.reset(1)
    actions = np.empty(tables, np.int64)
    number = 0

    def step() -> int:
        nonlocal number
        batch.fill_random_actions(2, number, actions)
        batch.apply(actions)
        number += 1
        return tables

    step()
    return lambda seconds: timed(step, seconds)


@kernel
def spin(count: int) -> int:
    """Draws random words without touching memory."""
    total = np.uint64(0)
    for i in range(count):
        total ^= rng.block(np.uint64(i), 0, 0, 0)[0]
    return np.int64(total)  # type: ignore[return-value]


def spin_work(threads: int) -> Work:
    """A kernel that touches no memory, on some threads: what threads can give at best."""
    pool = ThreadPoolExecutor(threads)
    size = 100_000
    spin(1)

    def step() -> int:
        for job in [pool.submit(spin, size) for _ in range(threads)]:
            job.result()
        return size * threads

    return lambda seconds: timed(step, seconds)


def first_legal(observation: Any) -> int:
    return int(observation["action_mask"].argmax())


def aec_work(make: Callable[[], Any]) -> Work:
    """PettingZoo's loop; the first legal action is taken."""
    env = make()
    seed = 0

    def game() -> int:
        nonlocal seed
        env.reset(seed=seed)
        seed += 1
        decisions = 0
        for _ in env.agent_iter():
            observation, _reward, terminated, truncated, _info = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(first_legal(observation))
                decisions += 1
        return decisions

    game()
    return lambda seconds: timed(game, seconds)


class EmptyEnv(AECEnv):
    """An AEC environment that does nothing for 200 steps: the floor of PettingZoo's loop."""

    metadata = {"name": "empty", "render_modes": []}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = [f"seat_{seat}" for seat in range(4)]
        self._observation = {"observation": np.zeros(1, np.int8), "action_mask": np.ones(1, np.int8)}

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self._steps = 0

    def observe(self, agent: str) -> Any:
        return self._observation

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self.agent_selection = self.possible_agents[self._steps % 4]
        if self._steps == 200:
            self.terminations = dict.fromkeys(self.agents, True)


def vector_work(game: str, tables: int, opponents: str) -> Work:
    """Gymnasium's vector environment; decisions are the learner's."""
    env = SeatVectorEnv(tables, game=game, opponents=opponents)
    env.reset(seed=1)

    def step() -> int:
        env.step(env.action_masks().argmax(axis=1))
        return tables

    step()
    return lambda seconds: timed(step, seconds)


def sb3_work(game: str, tables: int, opponents: str) -> Work:
    """Stable-Baselines3's VecEnv, masks and infos included; decisions are the learner's."""
    from sb3_contrib.common.maskable.utils import get_action_masks

    from shadowenvs.sb3 import SeatVecEnv

    env = SeatVecEnv(game, tables, opponents=opponents)
    env.seed(1)
    env.reset()

    def step() -> int:
        env.step(get_action_masks(env).argmax(axis=1))
        return tables

    step()
    return lambda seconds: timed(step, seconds)


def openspiel_work(game: str) -> Work:
    """OpenSpiel's own loop in C++ with its own uniformly random bots, no tensors; chance is not counted."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    bots = [pyspiel.make_uniform_random_bot(seat, 7 + seat) for seat in range(loaded.num_players())]
    per_game = statistics.mean(openspiel_decisions(loaded, seed) for seed in range(100))
    seed = 0

    def play() -> int:
        nonlocal seed
        for _ in range(20):
            pyspiel.evaluate_bots(loaded.new_initial_state(), bots, seed)
            seed += 1
        return round(20 * per_game)

    play()
    return lambda seconds: timed(play, seconds)


def openspiel_decisions(game: Any, seed: int) -> int:
    """Returns the number of decisions of one random game."""
    generator = np.random.default_rng(seed)
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        decisions += not state.is_chance_node()
        state.apply_action(int(generator.choice(state.legal_actions())))
    return decisions


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


def leduc() -> Any:
    from pettingzoo.classic import leduc_holdem_v4

    return leduc_holdem_v4


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
