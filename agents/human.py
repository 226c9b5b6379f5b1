"""The agent that asks a person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shadowenvs.cli import in_columns, matches
from shadowenvs.turn import Turn


class HumanAgent:
    """Shows a person the table as the seat to move may see it, and asks for an action.

    What is rendered is a sampled world, which looks to that seat like the true one, so nothing hidden can leak.

    Attributes:
        name: As a report shows it.
    """

    def __init__(
        self, read: Callable[[str], str] = input, write: Callable[[str], object] = print, name: str = "human"
    ) -> None:
        """Takes what asks for a line, given a prompt, and what shows a text."""
        self.name = name
        self._read = read
        self._write = write

    def act(self, turn: Turn) -> NDArray[np.int64]:
        """Returns the person's action; ``read`` may raise EOFError or KeyboardInterrupt to leave.

        Raises:
            ValueError: More than one table waits.
        """
        if len(turn) != 1:
            raise ValueError(f"a person plays at one table, not at {len(turn)}")
        seat = int(turn.seats[0])
        legal = np.flatnonzero(turn.masks[0]).tolist()
        words = {action: turn.game.format_action(turn.options, action) for action in legal}
        self._write(turn.game.render(turn.options, turn.sample_worlds(1).get_states(), seat))
        moves = [f"{number:3} {text}" for number, text in enumerate(words.values(), start=1)]
        self._write("\n".join(in_columns(moves)))
        while True:
            line = self._read(f"Seat {seat}, your move (1 to {len(legal)}, or words): ").strip()
            found = legal[int(line) - 1 : int(line)] if line.isdecimal() else matches(line, words) if line else []
            if len(found) == 1:
                return np.array(found, np.int64)
            known = f"can mean: {', '.join(words[action] for action in found)}" if found else "is no legal move"
            self._write(f"{line!r} {known}")
