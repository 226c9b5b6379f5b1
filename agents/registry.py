"""Agents by name, as commands take them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.base import Agent, PolicyAgent
from agents.checkpoint import present
from agents.heuristic import HeuristicAgent
from agents.neural import NeuralAgent, baseline
from agents.random import RandomAgent
from shadowenvs.cli import make_player
from shadowenvs.game import Game

BUILT_IN: dict[str, Callable[[Game], Agent]] = {
    "random": lambda game: RandomAgent(),
    "heuristic": lambda game: HeuristicAgent(),
    "ppo": baseline,
}
ALLOWED = f"{', '.join(BUILT_IN)}, the folder of a checkpoint (runs/.../policy), module:factory"

_FACTORY = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def make(name: str, game: Game) -> Agent:
    """Returns an agent for a game by its name.

    Args:
        name: One of BUILT_IN ("ppo" is the trained policy that comes with the checkout), the folder of a checkpoint, or
            ``module:factory``: what the factory returns when it is called without arguments, an agent or a policy.
        game: The game that it shall play.

    Raises:
        CheckpointError: The checkpoint is missing, damaged, or for another game.
        ValueError: The name is of no such kind, no trained policy of this game is there, or a factory cannot be found
            or returned something else.
    """
    if name in BUILT_IN:
        return BUILT_IN[name](game)
    if _FACTORY.fullmatch(name) and not Path(name).exists():
        made: Any = make_player(name, {})
        return made if hasattr(made, "act") and hasattr(made, "name") else PolicyAgent(made, name)
    if os.sep in name or (name and present(Path(name)).exists()):
        return NeuralAgent.load(name, game)
    raise ValueError(f"unknown agent {name!r}; allowed are {ALLOWED}")


def available(game: Game) -> list[str]:
    """Returns the names of BUILT_IN that can play a game here: a trained policy may be missing."""
    found = []
    for name in BUILT_IN:
        try:
            make(name, game)
        except ValueError:
            continue
        found.append(name)
    return found
