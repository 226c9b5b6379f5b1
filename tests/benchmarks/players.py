"""Agents that commands in tests find by ``tests.benchmarks.players:name``."""

from __future__ import annotations

import time

import numpy as np

from agents.base import PolicyAgent
from shadowenvs import get_game
from shadowenvs.turn import Turn


def first() -> PolicyAgent:
    """Takes the first legal action."""
    return PolicyAgent(lambda turn: turn.masks.argmax(axis=1), "first")


def last() -> PolicyAgent:
    """Takes the last legal action."""
    return PolicyAgent(lambda turn: turn.masks.shape[1] - 1 - turn.masks[:, ::-1].argmax(axis=1), "last")


def slow() -> PolicyAgent:
    """Chooses at random and takes its time."""

    def act(turn: Turn) -> np.ndarray:
        time.sleep(0.001)
        return turn.random_actions()

    return PolicyAgent(act, "slow")


def cheat() -> PolicyAgent:
    """Takes an illegal action."""
    return PolicyAgent(lambda turn: turn.masks.argmin(axis=1), "cheat")


def liar(challenges: bool = False) -> PolicyAgent:
    """In Shadow Games: plays always, declares what it did not play, and challenges never, or always."""
    game = get_game("shadow_games")
    first_of, table_card = game.actions.first, game.observation.slices["table_card"]
    declare = slice(first_of["DECLARE"], first_of["SEAT"])

    def act(turn: Turn) -> np.ndarray:
        wanted = turn.masks.astype(np.int64)
        wanted[:, first_of["CHALLENGE" if challenges else "PASS"]] *= 3
        wanted[:, first_of["PLAY"] : first_of["SKIP"]] *= 2
        wanted[:, declare] *= 2 - turn.observations[:, table_card]
        return wanted.argmax(axis=1)

    return PolicyAgent(act, "liar")


def sceptic() -> PolicyAgent:
    """Lies always and challenges always."""
    return liar(challenges=True)
