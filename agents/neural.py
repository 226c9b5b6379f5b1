"""The agent that plays by a trained network, computed with NumPy alone.

Trained policies come with the checkout: ``load("shadow_cards/ppo-v0")``. The number is the version of the game.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.checkpoint import CARD_FILE, Card, CheckpointError, Tensors, present, read_card
from agents.checkpoint import load as load_checkpoint
from agents.networks import alike_places, make_network
from shadowenvs import GAMES, get_game
from shadowenvs.game import Game
from shadowenvs.turn import Turn

BASELINES = Path(__file__).parent / "baselines"
"""Policies that come with the checkout: folders ``GAME/ppo-vVERSION``, as :mod:`agents.checkpoint` describes them."""


def load(name: str | Path, *, greedy: bool = True) -> NeuralAgent:
    """Loads a policy that comes with the checkout, or another one; the game is the one that its card names.

    Args:
        name: As ``"shadow_cards/ppo-v0"``, or the folder of a checkpoint.
        greedy: Whether it takes the most likely action; if not, it draws.

    Raises:
        CheckpointError: It is missing, damaged, or for a game, version or layout that is not this one.
    """
    baseline = BASELINES / name
    folder = baseline if baseline.is_dir() else Path(name)
    file = present(folder) / CARD_FILE
    if not file.exists():
        raise CheckpointError(folder, "", f"there is no such policy; those here are {', '.join(baselines())}")
    card = read_card(file)
    if card.game not in GAMES:
        raise CheckpointError(file, "game", f"{card.game!r} is not one of {', '.join(GAMES)}")
    return NeuralAgent.load(folder, get_game(card.game), greedy=greedy, name=str(name))


def baselines() -> list[str]:
    """Returns the names of the policies that come with the checkout."""
    return sorted(file.parent.relative_to(BASELINES).as_posix() for file in BASELINES.glob(f"*/*/{CARD_FILE}"))


def baseline(game: Game) -> NeuralAgent:
    """Loads the policy that comes with the checkout for a game.

    Any number of players may use it: one network serves them all, though it was trained at the usual one.

    Raises:
        ValueError: There is none for this game in its present version.
        CheckpointError: It was trained for another layout.
    """
    name = f"{game.name}/ppo-v{game.version}"
    if name not in baselines():
        raise ValueError(f"no trained policy of {game.id} is here; python -m training.ppo --game {game.name} makes one")
    return NeuralAgent.load(BASELINES / name, game, name="ppo")


class NeuralAgent:
    """Plays by the policy network of a checkpoint.

    Attributes:
        name: The folder, or what the caller chose.
        card: The checkpoint's card.
        greedy: Whether it takes the most likely action; if not, it draws from the network's distribution.
    """

    def __init__(
        self, card: Card, tensors: Tensors, name: str, *, greedy: bool = True, game: Game | None = None
    ) -> None:
        """Takes what :func:`agents.checkpoint.load` returned; :meth:`load` does both.

        Args:
            card: The checkpoint's card.
            tensors: Its tensors.
            name: What it is called.
            greedy: Whether it takes the most likely action.
            game: The game; default the listed one that the card names.

        Raises:
            ValueError: The network treats things alike that the game has not.
        """
        self.name = name
        self.card = card
        self.greedy = greedy
        kind = card.network.get("alike", "")
        places = alike_places(game or get_game(card.game), kind) if kind else None
        self._network = make_network(card.network, tensors, places)

    @classmethod
    def load(cls, folder: str | Path, game: Game, *, greedy: bool = True, name: str | None = None) -> NeuralAgent:
        """Loads a checkpoint of a game.

        Raises:
            CheckpointError: It is missing, damaged, or for another game, version or layout.
        """
        card, tensors = load_checkpoint(folder, game)
        return cls(card, tensors, str(folder) if name is None else name, greedy=greedy, game=game)

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Returns the network's outputs, float32 [B, A], for observations, int8 [B, F]."""
        return self._network(observations)

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
