"""What a decision maker is."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shadowenvs.turn import Policy, Turn


class Agent(Protocol):
    """A batched decision maker for any seat of a game.

    An agent that remembers may also have ``reset(tables)``, called through :func:`begin` when new games start at these
    tables of the batch, int64 [B]. One agent can hold several seats of a table, so a memory belongs to a table and a
    seat (``turn.tables`` and ``turn.seats``), not to a table alone.

    Attributes:
        name: As a report shows it.
    """

    name: str

    def act(self, turn: Turn) -> NDArray[np.integer]:
        """Returns legal actions, integers [B], for the tables of a turn, drawing from ``turn.rng`` alone."""
        ...


class PolicyAgent:
    """A function, or an object with ``act`` and perhaps ``reset`` but no name, as an agent."""

    def __init__(self, policy: Any, name: str) -> None:
        self.name = name
        self._act: Policy = getattr(policy, "act", policy)
        self._reset = getattr(policy, "reset", None)

    def act(self, turn: Turn) -> NDArray[np.integer]:
        return self._act(turn)

    def reset(self, tables: NDArray[np.int64]) -> None:
        if self._reset is not None:
            self._reset(tables)


def begin(agent: Agent, tables: NDArray[np.int64]) -> None:
    """Tells an agent that new games start at these tables of the batch, int64 [B]; one without memory ignores it."""
    reset = getattr(agent, "reset", None)
    if reset is not None:
        reset(tables)


def decide(agent: Agent, turn: Turn) -> NDArray[np.int64]:
    """Returns an agent's actions, int64 [B], one for each table of the turn; whether they are legal is not checked.

    Raises:
        ValueError: They have another shape or type.
    """
    actions = np.asarray(agent.act(turn))
    if actions.shape != (len(turn),) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"agent {agent.name} must return integers of shape ({len(turn)},), "
            f"not {actions.dtype} of shape {actions.shape}"
        )
    return actions.astype(np.int64)
