"""The agent that plays at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shadowenvs.turn import Turn


class RandomAgent:
    """Chooses uniformly among the legal actions."""

    name = "random"

    def act(self, turn: Turn) -> NDArray[np.int64]:
        return turn.random_actions()
