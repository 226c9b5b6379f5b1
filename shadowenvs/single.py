"""A Gymnasium environment: a learner's seat at one table, against opponents."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from shadowenvs import get_game
from shadowenvs.game import Game, ranks
from shadowenvs.learner import LearnerBatch, Opponents


class SeatEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """One seat of one table.

    Observations are the flat int8 vector [F] of the seat to move, always the learner's. ``info["action_mask"]`` is int8
    [A]; :meth:`action_masks` gives the same as bool. At the end ``info`` also holds ``points`` (of all seats),
    ``winners`` (bool per seat), ``rank`` and ``seat`` of the learner.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        render_mode: str | None = None,
        illegal_actions: str = "terminate",
        **options: Any,
    ) -> None:
        """Makes the environment.

        Args:
            game: The game or its name.
            opponents: See :class:`shadowenvs.learner.LearnerBatch`.
            seat: The learner's seat, or "rotate" for another one in every game.
            render_mode: None or "ansi".
            illegal_actions: "terminate" ends the game with -1; "raise" raises an error.
            **options: Options of the game.

        Raises:
            ValueError: An argument is not allowed.
        """
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode must be None or 'ansi', not {render_mode!r}")
        self.game = get_game(game) if isinstance(game, str) else game
        self._batch = LearnerBatch(
            self.game, 1, opponents=opponents, seat=seat, illegal_actions=illegal_actions, **options
        )
        self.options = self._batch.options
        self.render_mode = render_mode
        self.observation_space: Any
        self.action_space: Any
        self.observation_space, self.action_space = spaces(self.game)
        self._is_fresh = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deals a new game and plays on to the learner's first turn; equal seeds give equal games."""
        first = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or first:
            self._batch.reset(int(self.np_random.integers(2**63)))
        elif not self._is_fresh:
            self._batch.deal_again()
        self._is_fresh = True
        return self._batch.observations[0].copy(), {"action_mask": self._mask()}

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Carries out the learner's action and plays on to its next turn or the end.

        Raises:
            IllegalActionError: The action is not legal (with ``illegal_actions="raise"``); nothing has changed.
        """
        batch = self._batch
        batch.step(np.asarray([action]))
        reward = float(batch.learner_rewards[0])
        done = bool(batch.dones[0])
        self._is_fresh = done
        if not done:
            return batch.observations[0].copy(), reward, False, False, {"action_mask": self._mask()}
        info = {**result(batch, 0), "action_mask": np.zeros(self.game.num_actions, np.int8)}
        return batch.final_observations[0].copy(), reward, True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [A]."""
        return self._batch.masks[0].copy()

    def _mask(self) -> NDArray[np.int8]:
        return self._batch.masks[0].astype(np.int8)

    def render(self) -> str | None:
        """Returns the table as text in mode "ansi", as the learner may see it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render was called without a render_mode; make the environment with 'ansi'")
            return None
        return self.game.render(self.options, self._batch.get_states(), int(self._batch.seats[0]))


def spaces(game: Game) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    """Returns the spaces of one seat: a flat int8 observation and the number of an action."""
    layout = game.observation
    return (
        gymnasium.spaces.Box(layout.low, layout.high, dtype=np.int8),
        gymnasium.spaces.Discrete(game.num_actions),
    )


def result(batch: LearnerBatch, b: int) -> dict[str, Any]:
    """Returns what is told of a game that has just ended at table b, from the learner's seat."""
    seat = int(batch.final_seats[b])
    winners = int(batch.final_winners[b])
    points = batch.final_points[b]
    return {
        "points": points.copy(),
        "winners": np.array([winners >> other & 1 for other in range(batch.num_players)], np.bool_),
        "rank": ranks(points, winners, batch.game.points_sign)[seat],
        "seat": seat,
    }
