"""Playing a tournament: in chunks of deals, in any number of processes, kept in a folder from which it goes on.

A chunk is some deals in a row, of which a match plays all its line-ups. What comes out of it depends on the settings,
the match and the chunk's number alone, so neither the number of processes nor a stop changes a result. Each finished
chunk is one line of ``results.jsonl``; ``settings.json`` beside it says what it belongs to.
"""

from __future__ import annotations

import functools
import itertools
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.matches import NUM_TABLES, Results, draw_deals, play_deals
from agents.registry import make
from benchmarks.schedule import Match, schedule
from shadowenvs import __version__
from shadowenvs.game import Game

FORMAT = "shadowenvs-run-1"
CHUNK = 64

# ------------------------------------------------------------------------------------------------------------- what


class Task(NamedTuple):
    """A chunk of a match: some deals from ``chunk * plan.chunk`` on."""

    chunk: int
    match: int
    deals: int


@dataclass(frozen=True)
class Plan:
    """What a tournament's results depend on, but for the number of deals.

    Attributes:
        game: The game.
        options: Options of the game, by name.
        agents: Names.
        seed: Of deals and choices.
        tables: Most tables played at the same time.
        chunk: Deals that are played, and kept, together.
        mirror: Whether each agent also plays against copies of itself.
        line_ups: Whether as many agents as seats, or more, also meet at mixed tables.
    """

    game: Game
    options: Mapping[str, Any]
    agents: tuple[str, ...]
    seed: int = 0
    tables: int = NUM_TABLES
    chunk: int = CHUNK
    mirror: bool = False
    line_ups: bool = True

    def __post_init__(self) -> None:
        least = 1 if self.mirror else 2
        if len(self.agents) < least:
            raise ValueError(f"agents must name at least {least} agents, not {len(self.agents)}")
        for name in self.agents:
            if self.agents.count(name) > 1:
                raise ValueError(f"agents names {name} twice; with mirror an agent plays against itself")
        for name, low in (("seed", 0), ("tables", 1), ("chunk", 1)):
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, not {getattr(self, name)}")

    @property
    def num_players(self) -> int:
        return self.game.options.make(**self.options).num_players

    @functools.cached_property
    def matches(self) -> list[Match]:
        """The matches, in the order in which a chunk is played."""
        return schedule(self.agents, self.num_players, mirror=self.mirror, line_ups=self.line_ups)

    def tasks(self, num_deals: int) -> list[Task]:
        """Returns what some deals consist of, in the order in which it is played."""
        return [
            Task(chunk, match, min(self.chunk, num_deals - first))
            for chunk, first in enumerate(range(0, num_deals, self.chunk))
            for match in range(len(self.matches))
        ]

    def settings(self, agents: Mapping[str, Agent]) -> dict[str, Any]:
        """Returns the settings as JSON can hold them, with what tells one trained agent from another."""
        return {
            "format": FORMAT,
            "shadowenvs": __version__,
            "game": self.game.id,
            "options": self.game.options.make(**self.options).as_dict(),
            "agents": list(self.agents),
            "networks": [getattr(getattr(agents[name], "card", None), "sha256", "") for name in self.agents],
            **{name: getattr(self, name) for name in ("seed", "tables", "chunk", "mirror", "line_ups")},
        }


@dataclass(frozen=True)
class Record:
    """What came out of a task, as :class:`agents.matches.Results` has it; of rates the sums by agent, [K, R]."""

    task: Task
    winners: NDArray[np.uint8]
    points: NDArray[np.int64]
    ranks: NDArray[np.int64]
    parts: NDArray[np.int64]
    wholes: NDArray[np.int64]

    def to_json(self) -> str:
        """Returns one line of text."""
        arrays = {name: getattr(self, name).tolist() for name in self.__dataclass_fields__ if name != "task"}
        return json.dumps({**self.task._asdict(), **arrays}, separators=(",", ":")) + "\n"

    @classmethod
    def from_json(cls, line: str | bytes, num_rates: int) -> Record:
        """Reads what :meth:`to_json` returns; KeyError, TypeError or ValueError if it is something else."""
        content = json.loads(line)
        parts, wholes = (
            np.array(content[name], np.int64).reshape(len(content[name]), num_rates) for name in ("parts", "wholes")
        )
        points, ranks = (np.array(content[name], np.int64) for name in ("points", "ranks"))
        task = Task(*(int(content[name]) for name in Task._fields))
        return cls(task, np.array(content["winners"], np.uint8), points, ranks, parts, wholes)


def play_task(plan: Plan, task: Task, agents: Mapping[str, Agent]) -> Record:
    """Plays a chunk of a match."""
    match = plan.matches[task.match]
    first = task.chunk * plan.chunk
    results = play_deals(
        *(plan.game, plan.options, [agents[name] for name in match.names], match.line_ups),
        draw_deals(plan.seed, first + task.deals)[first:],
        seed=[plan.seed, task.chunk],
        num_tables=plan.tables,
    )
    parts, wholes = (
        np.array([results.of(number, values).sum(axis=(0, 1)) for number in range(len(match.names))])
        for values in (results.parts, results.wholes)
    )
    return Record(task, results.winners, results.points, results.ranks, parts, wholes)


# ------------------------------------------------------------------------------------------------------------- where


class Store:
    """The finished chunks of a tournament, in memory and, if it has a folder, there too.

    Attributes:
        records: By task.
    """

    def __init__(self, plan: Plan, agents: Mapping[str, Agent], folder: Path | None = None, mode: str = "new") -> None:
        """Opens a folder.

        Args:
            plan: The tournament.
            agents: Its agents, by name.
            folder: Where results are kept; None for nowhere.
            mode: "new" for a folder without results, "resume" to go on with those there (there may be none),
                "replace" to drop them.

        Raises:
            ValueError: The folder holds results and shall be new, or those of another tournament, or damaged ones.
        """
        self.plan = plan
        self.records: dict[Task, Record] = {}
        self._file: Path | None = None
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        settings, self._file = folder / "settings.json", folder / "results.jsonl"
        wanted = plan.settings(agents)
        if mode == "resume" and (settings.exists() or self._file.exists()):
            _compare(settings, wanted)
            self._read(self._file)
            return
        if mode == "new" and self._file.exists():
            raise ValueError(f"{folder} holds results already; --resume plays on, or name another folder with --run")
        self._file.unlink(missing_ok=True)
        new = settings.with_suffix(".new")
        new.write_text(json.dumps(wanted, indent=2) + "\n")
        new.replace(settings)
        self._file.touch()

    def _read(self, file: Path) -> None:
        content = file.read_bytes() if file.exists() else b""
        whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                record = Record.from_json(line, len(self.plan.game.rates))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{file}: line {number} is damaged ({type(error).__name__}: {error})") from None
            self.records[record.task] = record
        if whole < len(content):
            # The last line was being written when the run was stopped.
            os.truncate(file, whole)

    def add(self, record: Record) -> None:
        """Keeps a finished chunk; a line is there as a whole or does not count."""
        if self._file is not None:
            with self._file.open("ab", buffering=0) as stream:
                stream.write(record.to_json().encode())
                os.fsync(stream.fileno())
        self.records[record.task] = record

    def of(self, match: int, num_deals: int) -> tuple[Results, list[Record]]:
        """Returns what a match's first deals gave, parts and wholes being empty, and the records of it."""
        records = [self.records[task] for task in self.plan.tasks(num_deals) if task.match == match]
        line_ups = self.plan.matches[match].line_ups
        nothing = np.zeros((num_deals, *line_ups.shape, 0), np.int64)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(record, name) for record in records])

        results = Results(line_ups, joined("winners"), joined("points"), joined("ranks"), nothing, nothing)
        return results, records


def _compare(file: Path, wanted: Mapping[str, Any]) -> None:
    """Raises ValueError if a file of settings says something else."""
    try:
        found = json.loads(file.read_text())
        for name, value in wanted.items():
            if found[name] != value:
                raise ValueError(f"{name} is {found[name]!r} there and {value!r} here; --resume cannot change it")
    except KeyError as error:
        raise ValueError(f"{file}: there is no {error}") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


# --------------------------------------------------------------------------------------------------------------- how


def play(
    store: Store,
    agents: Mapping[str, Agent],
    num_deals: int,
    *,
    workers: int = 1,
    enough: Callable[[int], bool] | None = None,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Plays what a store does not hold yet, chunk by chunk.

    Args:
        store: The store.
        agents: The agents by name; with several workers each makes its own by these names.
        num_deals: Most deals.
        workers: Number of processes.
        enough: Asked after each chunk, in their order, with the number of deals so far; True ends the tournament.
        progress: Called with the number of games that have ended since its last call, those in the store first.

    Returns:
        The number of deals.
    """
    plan, records = store.plan, store.records
    tasks = plan.tasks(num_deals)
    rounds = [list(group) for _, group in itertools.groupby(tasks, lambda task: task.chunk)]
    finished = deals = 0

    def is_over() -> bool:
        """Whether the tournament is over, asking once after each chunk."""
        nonlocal finished, deals
        while finished < len(rounds):
            if not all(task in records for task in rounds[finished]):
                return False
            deals += rounds[finished][0].deals
            finished += 1
            if enough is not None and enough(deals):
                return True
        return True

    def report(task: Task) -> None:
        if progress is not None:
            progress(task.deals * len(plan.matches[task.match].line_ups))

    missing = []
    for task in tasks:
        if task in records:
            report(task)
        else:
            missing.append(task)
    if not is_over():
        with players(plan, agents, min(workers, len(missing))) as play_all:
            for record in play_all(missing):
                store.add(record)
                report(record.task)
                if is_over():
                    break
    return deals


Players = Callable[[Iterable[Task]], Iterator[Record]]


@contextmanager
def players(plan: Plan, agents: Mapping[str, Agent], workers: int) -> Iterator[Players]:
    """Gives a function that plays tasks, one after the other or in several processes, and yields them as they end."""
    if workers <= 1:
        yield lambda tasks: (play_task(plan, task, agents) for task in tasks)
        return
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, context, _start_worker, (plan,))
    try:
        yield functools.partial(_play_in, executor, 2 * workers)
    finally:
        # What still runs is not needed: the tournament is over, or interrupted.
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        executor.shutdown(cancel_futures=True)


def _play_in(executor: ProcessPoolExecutor, ahead: int, tasks: Iterable[Task]) -> Iterator[Record]:
    """Yields tasks as they end, some being given out ahead."""
    rest = iter(tasks)
    running: set[Future[Record]] = set()
    while True:
        with _without_interrupt():
            running |= {executor.submit(_play_in_worker, task) for task in itertools.islice(rest, ahead - len(running))}
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Holds Ctrl-C back; processes that are started meanwhile never receive it, and the parent ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_worker: dict[str, Any] = {}  # of this process: its plan and its agents


def _start_worker(plan: Plan) -> None:
    _worker["plan"] = plan
    _worker["agents"] = {name: make(name, plan.game) for name in plan.agents}


def _play_in_worker(task: Task) -> Record:
    return play_task(_worker["plan"], task, _worker["agents"])
