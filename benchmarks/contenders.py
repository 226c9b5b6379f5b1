"""What is timed: the games of this suite in every form, and loops around nothing.

A decision is one action of one seat: choosing it by a cheap rule, carrying it out, and making the next observation and
mask, unless said otherwise. A :data:`Work` works for about so many seconds and says its decisions a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from pettingzoo import AECEnv

import shadowenvs
from shadowenvs import rng
from shadowenvs.batch import Batch, deal, game_kernels, legal, mask_records, random_action, step
from shadowenvs.bits import CHUNK
from shadowenvs.game import Game
from shadowenvs.jit import for_kernels, kernel, specialise
from shadowenvs.sb3 import SeatVecEnv
from shadowenvs.vector import SeatVectorEnv

Work = Callable[[float], float]
"""Works for about so many seconds and returns decisions a second."""


def timed(step: Callable[[], int], seconds: float) -> float:
    """Returns decisions a second of a function that takes some decisions and returns how many."""
    start = time.perf_counter()
    decisions = 0
    while True:
        decisions += step()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return decisions / elapsed


def batch_work(game: str, tables: int, threads: int, **options: Any) -> Work:
    """Lock-step: every table takes one uniformly random legal action, then the next observations and masks exist."""
    batch = Batch(shadowenvs.get_game(game), tables, num_threads=threads, **options)
    batch.reset(1)
    actions = np.empty(tables, np.int64)
    number = 0

    def step() -> int:
        nonlocal number
        batch.fill_random_actions(2, number, actions)
        batch.apply(actions)
        number += 1
        return tables

    step()
    return lambda seconds: timed(step, seconds)


def playout_tables(
    tables: Any, states: Any, masks: Any, mask_bytes: Any, seeds: Any, number: int, start: int, stop: int
) -> None:
    """Plays one uniformly random legal action at each table, and shows nothing to anybody."""
    table = tables[0]
    for b in range(start, stop):
        state = states[b]
        legal(table, state, int(state.to_move), masks[b].legal)
        step(table, state, random_action(mask_bytes, b, rng.block(seeds[b], rng.STREAM_ACTION, number, 0)[0]))
        if state.done:
            deal(table, state, rng.mix(seeds[b], rng.STREAM_TABLE, number, 0))


def playout_work(game: str, tables: int) -> Work:
    """The rules alone: masks, random choices and steps, no observation."""
    found = shadowenvs.get_game(game)
    loop = specialise(playout_tables, found.id, **game_kernels(found))
    batch = Batch(found, tables)
    batch.reset(1)
    states, number = batch.get_states(), 0
    mask_bytes = np.zeros((tables, -(-found.num_actions // CHUNK) * CHUNK), np.uint8)
    arguments = (batch.tables, for_kernels(states), mask_records(mask_bytes, found.num_actions), mask_bytes)
    seeds = np.arange(tables, dtype=np.uint64)

    def play() -> int:
        nonlocal number
        number += 1
        loop(*arguments, seeds, number, 0, tables)
        return tables

    play()
    return lambda seconds: timed(play, seconds)


@kernel
def spin(count: int) -> int:
    """Draws random words without touching memory."""
    total = np.uint64(0)
    for i in range(count):
        total ^= rng.block(np.uint64(i), 0, 0, 0)[0]
    return np.int64(total)  # type: ignore[return-value]


def spin_work(threads: int) -> Work:
    """A kernel that touches no memory, on some threads: what threads can give at best."""
    pool = ThreadPoolExecutor(threads)
    size = 100_000
    spin(1)

    def step() -> int:
        for job in [pool.submit(spin, size) for _ in range(threads)]:
            job.result()
        return size * threads

    return lambda seconds: timed(step, seconds)


def first_legal(observation: Any) -> int:
    return int(observation["action_mask"].argmax())


def aec_work(make: Callable[[], Any]) -> Work:
    """PettingZoo's loop; the first legal action is taken."""
    env = make()
    seed = 0

    def game() -> int:
        nonlocal seed
        env.reset(seed=seed)
        seed += 1
        decisions = 0
        for _ in env.agent_iter():
            observation, _reward, terminated, truncated, _info = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(first_legal(observation))
                decisions += 1
        return decisions

    game()
    return lambda seconds: timed(game, seconds)


class EmptyEnv(AECEnv):
    """An AEC environment that does nothing for 200 steps: the floor of PettingZoo's loop."""

    metadata = {"name": "empty", "render_modes": []}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = [f"seat_{seat}" for seat in range(4)]
        self._observation = {"observation": np.zeros(1, np.int8), "action_mask": np.ones(1, np.int8)}

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self._steps = 0

    def observe(self, agent: str) -> Any:
        return self._observation

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self.agent_selection = self.possible_agents[self._steps % 4]
        if self._steps == 200:
            self.terminations = dict.fromkeys(self.agents, True)


def vector_work(game: str, tables: int, opponents: str) -> Work:
    """Gymnasium's vector environment; decisions are the learner's."""
    env = SeatVectorEnv(tables, game=game, opponents=opponents)
    env.reset(seed=1)

    def step() -> int:
        env.step(env.action_masks().argmax(axis=1))
        return tables

    step()
    return lambda seconds: timed(step, seconds)


def sb3_work(game: str, tables: int, opponents: str) -> Work:
    """Stable-Baselines3's VecEnv, masks and infos included; decisions are the learner's."""
    from sb3_contrib.common.maskable.utils import get_action_masks

    env = SeatVecEnv(game, tables, opponents=opponents)
    env.seed(1)
    env.reset()

    def step() -> int:
        env.step(get_action_masks(env).argmax(axis=1))
        return tables

    step()
    return lambda seconds: timed(step, seconds)


class NothingVecEnv(SeatVecEnv):
    """The VecEnv of a game, with every answer prepared: what a trainer alone can reach."""

    def __init__(self, game: Game, num_envs: int) -> None:
        super().__init__(game, num_envs)
        self._observations = np.zeros((num_envs, game.observation.size), np.int8)
        self._nothing = (np.zeros(num_envs, np.float32), np.zeros(num_envs, np.bool_))
        self._masks = np.zeros((num_envs, game.num_actions), np.bool_)
        self._masks[:, :5] = True  # about as many as a hand allows

    def reset(self) -> Any:
        return self._observations

    def step_wait(self) -> Any:
        return self._observations, *self._nothing, [{} for _ in range(self.num_envs)]

    def action_masks(self) -> Any:
        return self._masks


def training_work(game: str, tables: int, is_real: bool) -> Work:
    """MaskablePPO with two layers of 64: rollouts and updates, on the game or on an environment that does nothing."""
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    found = shadowenvs.get_game(game)
    env = SeatVecEnv(found, tables, opponents="heuristic") if is_real else NothingVecEnv(found, tables)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16 * tables, n_epochs=1, device="cpu", seed=1)

    def learn() -> int:
        model.learn(16 * tables, reset_num_timesteps=False)
        return 16 * tables

    learn()
    return lambda seconds: timed(learn, seconds)
