"""A Gymnasium vector environment: a learner's seat at many tables, played in one compiled batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from shadowenvs import get_game
from shadowenvs.game import Game
from shadowenvs.learner import LearnerBatch, Opponents
from shadowenvs.single import result, shown, shown_at_end, spaces


class SeatVectorEnv(VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """One seat at each of N tables; finished tables are dealt anew in the same step (SAME_STEP autoreset).

    Observations are int8 [N, F]; with images a dict of ``observation`` and the images by name.
    ``infos["action_mask"]`` is int8 [N, A]. At the end of games ``infos["final_obs"]`` and ``infos["final_info"]`` hold
    the last observation and what :class:`shadowenvs.single.SeatEnv` tells.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        game: Game | str,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal_actions: str = "terminate",
        num_threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Makes the tables; the arguments are those of :class:`shadowenvs.learner.LearnerBatch`.

        Raises:
            ValueError: An argument is not allowed.
        """
        if render_mode is not None:
            raise ValueError(f"render_mode must be None for a vector environment, not {render_mode!r}")
        self.game = get_game(game) if isinstance(game, str) else game
        self._batch = LearnerBatch(
            self.game,
            num_envs,
            opponents=opponents,
            seat=seat,
            illegal_actions=illegal_actions,
            num_threads=num_threads,
            **options,
        )
        self.options = self._batch.options
        self.num_envs = num_envs
        self.render_mode = None
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space, self.single_action_space = spaces(self._batch)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deals new games.

        Args:
            seed: An integer, or one per table; without one the tables go on to their next games.
            options: ``{"reset_mask": bool [N]}`` deals only at these tables.

        Raises:
            ValueError: Seeds or mask have another shape.
        """
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask, np.bool_)
            if mask.shape != (self.num_envs,) or not mask.any():
                raise ValueError(f"reset_mask must be bool [{self.num_envs}] with at least one True")
        first = self._np_random is None
        if mask is not None and (seed is not None or first):
            raise ValueError("reset_mask goes on from games already dealt: give no seed, and reset all tables first")
        if mask is not None:
            self._batch.deal_again(mask)
        elif seed is None and not first:
            self._batch.deal_again()
        elif isinstance(seed, (int, np.integer)) or seed is None:
            super().reset(seed=None if seed is None else int(seed))
            self._batch.reset(int(self.np_random.integers(2**63)))
        else:
            chosen = [np.random.SeedSequence(entry).generate_state(1, np.uint64)[0] for entry in seed]
            super().reset(seed=int(chosen[0] >> np.uint64(1)))
            self._batch.reset(np.array(chosen, np.uint64))
        return shown(self._batch), {"action_mask": self._masks()}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Carries out the learner's actions, integers [N], and plays on to its next turns.

        Raises:
            IllegalActionError: An action is not legal (with ``illegal_actions="raise"``); nothing has changed.
        """
        batch = self._batch
        batch.step(actions)
        infos: dict[str, Any] = {"action_mask": self._masks()}
        dones = batch.dones.copy()
        if dones.any():
            final_obs = np.full(self.num_envs, None, object)
            final_info: dict[str, Any] = {}
            for b in np.flatnonzero(dones):
                final_obs[b] = shown_at_end(batch, int(b))
                final_info = self._add_info(final_info, result(batch, int(b)), int(b))
            infos |= {"final_obs": final_obs, "_final_obs": dones.copy()}
            infos |= {"final_info": final_info, "_final_info": dones.copy()}
        return (
            shown(batch),
            batch.learner_rewards.astype(np.float64),
            dones,
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [N, A]."""
        return self._batch.masks.copy()

    def _masks(self) -> NDArray[np.int8]:
        return self._batch.masks.astype(np.int8)
