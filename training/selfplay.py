"""The learner's past selves as opponents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.neural import NeuralAgent
from shadowenvs.game import Game
from shadowenvs.turn import Turn
from training.checkpoint import Card, Tensors, load, save


class OpponentPool:
    """A policy that plays each game with one past self of the learner, the newest or an older one at random.

    Past selves are checkpoints in a folder, named by their step. A table keeps the self that it drew until its next
    game. With an empty pool it plays at random.

    Attributes:
        steps: Steps of the past selves in the pool, ascending.
    """

    def __init__(self, folder: Path, game: Game, size: int, newest_share: float, seed: int) -> None:
        """Makes an empty pool.

        Args:
            folder: Where the checkpoints lie.
            game: The game.
            size: Most past selves; beyond it every second one of the older half is dropped.
            newest_share: Share of games against the newest self.
            seed: Of the draws.
        """
        self.folder = folder
        self.game = game
        self.size = size
        self.newest_share = newest_share
        self.steps: list[int] = []
        self._agents: dict[int, NeuralAgent] = {}
        self._choice = np.zeros(0, np.int64)
        self._generator = np.random.default_rng(seed)

    def add(self, step: int, card: Card, tensors: Tensors) -> None:
        """Saves the learner as it is now and lets it play."""
        save(self.folder / str(step), card, tensors)
        self._agents[step] = NeuralAgent(card, tensors, str(step), greedy=False)
        self.steps.append(step)
        if len(self.steps) > self.size:
            older = self.steps[: self.size // 2]
            for dropped in older[1::2]:
                self.steps.remove(dropped)
                # Games that are under way go on with it; its file stays for an older checkpoint that names it.

    def restore(self, steps: list[int]) -> None:
        """Loads the past selves of a resumed run.

        Raises:
            CheckpointError: One of them is missing or damaged.
        """
        for step in steps:
            self._agents[step] = NeuralAgent(*load(self.folder / str(step), self.game), str(step), greedy=False)
        self.steps = list(steps)

    def reset(self, tables: NDArray[np.int64]) -> None:
        """Draws a past self for the new games of these tables."""
        most = int(tables.max()) + 1
        if most > len(self._choice):
            self._choice = np.concatenate([self._choice, np.full(most - len(self._choice), -1)])
        if not self.steps:
            self._choice[tables] = -1
            return
        drawn = self._generator.choice(self.steps, len(tables))
        newest = self._generator.random(len(tables)) < self.newest_share
        self._choice[tables] = np.where(newest, self.steps[-1], drawn)

    def act(self, turn: Turn) -> NDArray[np.int64]:
        """Returns the actions of each table's past self, int64 [B]."""
        actions = turn.random_actions()
        choice = self._choice[turn.tables]
        for step in np.unique(choice):
            if step >= 0:
                chosen = np.flatnonzero(choice == step)
                actions[chosen] = self._agents[int(step)].act(turn.part(chosen))
        return actions
