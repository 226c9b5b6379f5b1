"""What a decision maker is given when tables wait for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from shadowenvs.batch import Batch
    from shadowenvs.game import Game, Options


@dataclass(frozen=True)
class Turn:
    """The tables that wait for one decision maker, as the seats to move may see them.

    Attributes:
        game: The game.
        options: Its options.
        tables: int64 [B], numbers of the tables in the batch that is played: a recurrent agent's key.
        seats: int8 [B], the seat to move at each table.
        observations: int8 [B, F], of that seat.
        masks: bool [B, A], its legal actions.
        rng: The decision maker's source of randomness.
    """

    game: Game
    options: Options
    tables: NDArray[np.int64]
    seats: NDArray[np.int8]
    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    rng: np.random.Generator
    _heuristic: Callable[[Turn], NDArray[np.int64]] = field(repr=False)
    _worlds: Callable[[Turn, int], Batch] = field(repr=False)

    def __len__(self) -> int:
        return len(self.tables)

    def part(self, places: NDArray[np.integer]) -> Turn:
        """Returns the turn of some of its tables, integers from 0 to B - 1."""
        return replace(
            self,
            tables=self.tables[places],
            seats=self.seats[places],
            observations=self.observations[places],
            masks=self.masks[places],
        )

    def random_actions(self) -> NDArray[np.int64]:
        """Returns uniformly random legal actions, int64 [B]."""
        scores = self.rng.random(self.masks.shape, dtype=np.float32)
        return np.where(self.masks, scores, np.float32(-1.0)).argmax(axis=1)

    def heuristic_actions(self) -> NDArray[np.int64]:
        """Returns the choices of the game's built-in heuristic, int64 [B]; it sees what this turn shows."""
        return self._heuristic(self)

    def sample_worlds(self, size: int) -> Batch:
        """Returns tables to think with: samples of what the seats to move cannot rule out, never the true states.

        Args:
            size: Worlds per table.

        Returns:
            A batch of B * size tables without autoreset; worlds of table b are b * size to (b + 1) * size - 1.
        """
        return self._worlds(self, size)


Policy = Callable[[Turn], NDArray[np.integer]]
"""A batched decision maker: legal actions, integers [B], for a turn."""
