"""The agent that plays by a trained network, computed with NumPy alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.checkpoint import Card, Tensors, load
from shadowenvs.game import Game
from shadowenvs.turn import Turn


class NeuralAgent:
    """Plays by the policy network of a checkpoint.

    Attributes:
        name: The folder, or what the caller chose.
        card: The checkpoint's card.
        greedy: Whether it takes the most likely action; if not, it draws from the network's distribution.
    """

    def __init__(self, card: Card, tensors: Tensors, name: str, *, greedy: bool = True) -> None:
        """Takes what :func:`agents.checkpoint.load` returned; :meth:`load` does both."""
        self.name = name
        self.card = card
        self.greedy = greedy
        self._inverse_scale = np.float32(1.0) / tensors["scale"]
        layers = [*map(str, range(len(card.network["hidden"]))), "out"]
        self._layers = [(tensors[f"policy.{layer}.weight"].T, tensors[f"policy.{layer}.bias"]) for layer in layers]
        self._relu = card.network["activation"] == "relu"

    @classmethod
    def load(cls, folder: str | Path, game: Game, *, greedy: bool = True, name: str | None = None) -> NeuralAgent:
        """Loads a checkpoint of a game.

        Raises:
            CheckpointError: It is missing, damaged, or for another game, version or layout.
        """
        card, tensors = load(folder, game)
        return cls(card, tensors, str(folder) if name is None else name, greedy=greedy)

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Returns the network's outputs, float32 [B, A], for observations, int8 [B, F]."""
        values: NDArray[np.float32] = np.multiply(observations, self._inverse_scale, dtype=np.float32)
        for i, (weight, bias) in enumerate(self._layers):
            values = values @ weight
            values += bias
            if i < len(self._layers) - 1:
                values = np.maximum(values, np.float32(0.0), out=values) if self._relu else np.tanh(values, out=values)
        return values

    def act(self, turn: Turn) -> NDArray[np.int64]:
        assert turn.masks.any(axis=1).all(), "a table without a legal action waits for a decision"
        # Weights are finite; a sum that is not must still not make an illegal action the best one.
        scores = np.nan_to_num(self.logits(turn.observations), copy=False)
        if not self.greedy:
            # The largest of the logits, each plus Gumbel noise, is a draw from their softmax.
            noise = turn.rng.standard_exponential(scores.shape, dtype=np.float32)
            scores -= np.log(np.maximum(noise, np.finfo(np.float32).tiny))
        actions: NDArray[np.int64] = np.where(turn.masks, scores, np.float32(-np.inf)).argmax(axis=1)
        assert turn.masks[np.arange(len(turn)), actions].all()
        return actions
