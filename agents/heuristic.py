"""The agent that plays by a game's built-in heuristic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shadowenvs.turn import Turn


class HeuristicAgent:
    """Chooses as the heuristic that every game brings."""

    name = "heuristic"

    def act(self, turn: Turn) -> NDArray[np.int64]:
        return turn.heuristic_actions()
