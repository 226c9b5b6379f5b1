"""A Gymnasium environment: a learner's seat at one table, against opponents."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from shadowenvs import get_game
from shadowenvs.batch import Batch
from shadowenvs.game import Game, ranks
from shadowenvs.learner import LearnerBatch, Opponents


class SeatEnv(gymnasium.Env[Any, np.int64]):
    """One seat of one table.

    Observations are the flat int8 vector [F] of the seat to move, always the learner's; with images a dict of it,
    ``observation``, and of the images by name, uint8. ``info["action_mask"]`` is int8
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
        self.observation_space, self.action_space = spaces(self._batch)
        self._is_fresh = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deals a new game and plays on to the learner's first turn; equal seeds give equal games."""
        first = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or first:
            self._batch.reset(int(self.np_random.integers(2**63)))
        elif not self._is_fresh:
            self._batch.deal_again()
        self._is_fresh = True
        return row(shown(self._batch), 0), {"action_mask": self._mask()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
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
            return row(shown(batch), 0), reward, False, False, {"action_mask": self._mask()}
        info = {**result(batch, 0), "action_mask": np.zeros(self.game.num_actions, np.int8)}
        return shown_at_end(batch, 0), reward, True, False, info

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


def spaces(batch: Batch) -> tuple[Any, gymnasium.spaces.Discrete]:
    """Returns the spaces of one seat: a flat int8 observation, or a dict with images, and the number of an action."""
    layout = batch.game.observation
    flat = gymnasium.spaces.Box(layout.low, layout.high, dtype=np.int8)
    space = gymnasium.spaces.Dict({"observation": flat, **image_spaces(batch)}) if batch.picture_shapes else flat
    return space, gymnasium.spaces.Discrete(batch.game.num_actions)


def image_spaces(batch: Batch) -> dict[str, gymnasium.spaces.Space[Any]]:
    """Returns the spaces of the images that a seat is shown, by name."""
    return {name: gymnasium.spaces.Box(0, 255, shape, np.uint8) for name, shape in batch.picture_shapes.items()}


def shown(batch: LearnerBatch) -> Any:
    """Returns fresh observations int8 [B, F], or a dict of them and the images."""
    flat = batch.observations.copy()
    return {"observation": flat, **batch.pictures(batch.seats)} if batch.picture_shapes else flat


def shown_at_end(batch: LearnerBatch, b: int) -> Any:
    """Returns the observation of the end of the last game at table b in the same form; images are empty by then."""
    flat = batch.final_observations[b].copy()
    if not batch.picture_shapes:
        return flat
    return {"observation": flat, **{name: np.zeros(shape, np.uint8) for name, shape in batch.picture_shapes.items()}}


def row(observations: Any, b: int) -> Any:
    """Returns one table's part of observations."""
    return {name: part[b] for name, part in observations.items()} if isinstance(observations, dict) else observations[b]


def result(batch: LearnerBatch, b: int) -> dict[str, Any]:
    """Returns what is told of a game that has just ended at table b, from the learner's seat."""
    seat = int(batch.final_seats[b])
    winners = int(batch.final_winners[b])
    points = batch.final_points[b]
    return {
        "points": points.copy(),
        "winners": np.array([winners >> other & 1 for other in range(batch.num_players)], np.bool_),
        "rank": ranks(batch.final_keys[b], winners)[seat],
        "seat": seat,
    }
