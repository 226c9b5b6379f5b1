"""A Stable-Baselines3 VecEnv over the same batch, as MaskablePPO takes it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from shadowenvs import get_game
from shadowenvs.game import Game
from shadowenvs.learner import LearnerBatch, Opponents
from shadowenvs.single import result, shown, shown_at_end, spaces


class SeatVecEnv(VecEnv):
    """One seat at each of N tables.

    Observations are fresh int8 arrays [N, F]; with images, for a "MultiInputPolicy", a dict of ``observation`` and the
    images by name. At the end of a game ``infos[b]`` holds ``terminal_observation``, ``episode`` (return, length, time:
    SB3's Monitor format) and what :class:`shadowenvs.single.SeatEnv` tells.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal_actions: str = "raise",
        num_threads: int = 1,
        **options: Any,
    ) -> None:
        """Makes the tables; the arguments are those of :class:`shadowenvs.learner.LearnerBatch`.

        Raises:
            ValueError: An argument is not allowed.
        """
        self.game = get_game(game) if isinstance(game, str) else game
        self.render_mode = None
        self.batch = LearnerBatch(
            self.game,
            num_envs,
            opponents=opponents,
            seat=seat,
            illegal_actions=illegal_actions,
            num_threads=num_threads,
            **options,
        )
        self._returns = np.zeros(num_envs, np.float64)
        self._start = time.monotonic()
        self._actions = np.zeros(num_envs, np.int64)
        self._was_dealt = False
        super().__init__(num_envs, *spaces(self.batch))

    def reset(self) -> Any:
        """Deals at every table; a seed given to :meth:`seed` is used once, then the tables go on to new games."""
        seed = self._seeds[0]
        if seed is not None or not self._was_dealt:
            self.batch.reset(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]))
            self._was_dealt = True
        else:
            self.batch.deal_again()
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0.0
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return shown(self.batch)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions, integers [N], for :meth:`step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Carries out the actions and plays on to the learner's next turns.

        Raises:
            IllegalActionError: An action is not legal (with ``illegal_actions="raise"``); nothing has changed.
        """
        batch = self.batch
        batch.step(self._actions)
        self._returns += batch.learner_rewards
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for b in np.flatnonzero(batch.dones).tolist():
            elapsed = round(time.monotonic() - self._start, 6)
            infos[b] = {
                "terminal_observation": shown_at_end(batch, b),
                "TimeLimit.truncated": False,
                "episode": {"r": float(self._returns[b]), "l": int(batch.final_lengths[b]), "t": elapsed},
                **result(batch, b),
            }
            self._returns[b] = 0.0
        return shown(batch), batch.learner_rewards.copy(), batch.dones.copy(), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [N, A]."""
        return self.batch.masks.copy()

    def close(self) -> None:
        """Does nothing: there is nothing to release."""

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not offered: the tables share one object.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"the tables share one environment; set {attr_name} when you make it")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **keywords: Any) -> Any:
        """Calls a method that answers for all tables, and returns its rows for the chosen ones."""
        answer = getattr(self, method_name)(*arguments, **keywords)
        return answer if indices is None else answer[list(self._get_indices(indices))]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))
