"""What agents do while they play: events noted step by step, and their means with intervals over games."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.matches import CHOICES, Interval, draw_deals, play_games
from agents.registry import make
from benchmarks.estimates import ratio
from shadowenvs.batch import Batch
from shadowenvs.game import Game

NUM_TABLES = 64  # played at the same time: few, so that a progress bar moves

Columns = Mapping[str, NDArray[Any]]

Notes = Callable[[np.recarray, np.recarray], Columns]
"""``(before, after) -> columns``: what one step did.

It is given the states [B] of the same tables before and after a step, and returns columns [N] with a row for each event
that is to be noted. Columns ``table`` and ``seat`` tell where it was; the others are the game's own, integers or bool.
"""


@dataclass(frozen=True)
class Record:
    """What was noted in G games: a table with a row for each event.

    Attributes:
        title: Of the game.
        agents: Names.
        num_games: G.
        num_players: Seats of each game.
        columns: int64 [N] each: ``game`` from 0, ``agent`` as a place in ``agents``, ``seat``, and the game's own.
    """

    title: str
    agents: list[str]
    num_games: int
    num_players: int
    columns: dict[str, NDArray[np.int64]]

    def __len__(self) -> int:
        return len(self.columns["game"])

    def __getitem__(self, name: str) -> NDArray[np.int64]:
        return self.columns[name]

    def where(self, chosen: NDArray[np.bool_]) -> Record:
        """Returns the record with some of its rows, bool [N], alone."""
        columns = {name: values[chosen] for name, values in self.columns.items()}
        return Record(self.title, self.agents, self.num_games, self.num_players, columns)

    def of(self, agent: str) -> Record:
        """Returns what was noted of one agent."""
        return self.where(self["agent"] == self.agents.index(agent))

    def mean(self, part: str | NDArray[Any], whole: str | NDArray[Any] | None = None) -> Interval:
        """Returns the sum of one column over that of another, and its 95 % interval, clustered by game.

        Args:
            part: A column's name, or values [N].
            whole: The same; None for 1 in each row, which gives the mean of ``part``.
        """
        return ratio(self.sums(part), self.sums(np.ones(len(self)) if whole is None else whole))

    def sums(self, values: str | NDArray[Any]) -> NDArray[np.float64]:
        """Returns the sum of a column, or of values [N], in each game: float64 [G]."""
        weights = self[values] if isinstance(values, str) else values
        sums = np.zeros(self.num_games)
        np.add.at(sums, self["game"], weights)
        return sums

    def count_games(self) -> int:
        """Returns the number of games with a row."""
        return len(np.unique(self["game"]))


def watch(
    game: Game,
    agents: Sequence[str],
    num_games: int,
    notes: Notes,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    show_progress: bool = True,
) -> Record:
    """Plays games and notes what happens in them.

    The agents sit down together, each game being a new deal with other places; each of them has about as many seats as
    every other. So what an agent meets are the other agents, and itself where there are fewer agents than seats.

    Args:
        game: The game.
        agents: Names, as :func:`agents.registry.make` takes them.
        num_games: G, at least 1.
        notes: What is noted.
        options: Options of the game.
        seed: Of deals, places and choices.
        show_progress: Whether to show a bar.

    Raises:
        ValueError: An argument is not allowed.
    """
    if not agents or num_games < 1:
        raise ValueError(f"at least one agent must play at least one game, not {len(agents)} agents {num_games} games")
    options = dict(options or {})
    num_players = game.options.make(**options).num_players
    made = [make(name, game) for name in agents]
    seating = draw_seating(len(agents), num_players, num_games, seed)
    deals = draw_deals(seed, num_games)
    found: list[dict[str, NDArray[np.int64]]] = []
    with tqdm(total=num_games, unit="game", desc=game.title, file=sys.stderr, disable=not show_progress) as bar:
        for start in range(0, num_games, NUM_TABLES):
            part = slice(start, start + NUM_TABLES)
            watcher = Watcher(notes, seating[part], start)
            generators = [np.random.default_rng([CHOICES, start, number, seed]) for number in range(len(made))]
            final, _ = play_games(
                *(game, options, made, seating[part], deals[part], generators),
                progress=bar.update,
                watch=watcher.watch,
            )
            watcher.note(final.view(np.recarray))
            found += watcher.found
    names = found[0].keys()
    columns = {name: np.concatenate([rows[name] for rows in found]) for name in names}
    return Record(game.title, list(agents), num_games, num_players, columns)


def draw_seating(num_agents: int, num_players: int, num_games: int, seed: int) -> NDArray[np.int64]:
    """Returns the number of the agent at each seat of each game, int64 [G, P], in any order and evenly spread."""
    lists = (np.arange(num_games)[:, None] + np.arange(num_players)) % num_agents
    return np.random.default_rng(seed).permuted(lists, axis=1)


class Watcher:
    """Compares the states before and after each step."""

    def __init__(self, notes: Notes, seating: NDArray[np.int64], first_game: int) -> None:
        self.found: list[dict[str, NDArray[np.int64]]] = []
        self._notes = notes
        self._seating = seating
        self._first_game = first_game
        self._before: np.recarray | None = None

    def watch(self, batch: Batch, _: NDArray[np.int64]) -> None:
        """Notes what the step before this one did."""
        self.note(batch.get_states())

    def note(self, after: np.recarray) -> None:
        """Notes what led to these states."""
        if self._before is not None:
            columns = {name: np.asarray(values, np.int64) for name, values in self._notes(self._before, after).items()}
            table = columns.pop("table")
            # Steps without an event leave nothing, but for the first, which tells the columns' names.
            if len(table) or not self.found:
                agent = self._seating[table, columns["seat"]]
                self.found.append({"game": self._first_game + table, "agent": agent, **columns})
        self._before = after
