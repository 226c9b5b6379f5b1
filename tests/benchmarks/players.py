"""Agents that commands in tests find by ``tests.benchmarks.players:name``."""

from __future__ import annotations

import time

import numpy as np

from agents.base import PolicyAgent
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
