"""The Stable-Baselines3 environments of every game."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import SubprocVecEnv

from shadowenvs import IllegalActionError, get_game
from shadowenvs.learner import LearnerBatch
from shadowenvs.sb3 import SeatVecEnv
from shadowenvs.single import SeatEnv
from tests.conformance.playing import counts, few, length, pick, same
from tests.conftest import games


@pytest.mark.parametrize("name", games())
def test_sb3_check(name: str) -> None:
    check_env(SeatEnv(name), warn=True)


@pytest.mark.parametrize(("name", "n"), counts())
def test_a_vec_env_is_a_learner_batch(name: str, n: int) -> None:
    """Fresh arrays, the last observation of a game in its info, no empty row of masks, Monitor's episode sums."""
    env = SeatVecEnv(name, 3, num_players=n, opponents="heuristic")
    batch = LearnerBatch(get_game(name), 3, opponents="heuristic", num_players=n)
    env.seed(5)
    observations = env.reset()
    batch.reset(int(np.random.SeedSequence(5).generate_state(1, np.uint64)[0]))
    returns, lengths = np.zeros(3), np.zeros(3, np.int64)
    ended = 0
    for number in range(few(4 * length(name, n), 20)):
        assert same(observations, batch.observations)
        masks = get_action_masks(env)
        assert same(masks, batch.masks) and masks.any(axis=1).all()
        actions = np.array([pick(mask, number) for mask in masks])
        kept, before = observations, observations.copy()
        observations, rewards, dones, infos = env.step(actions)
        assert same(kept, before)
        batch.step(actions)
        assert same(rewards, batch.learner_rewards) and same(dones, batch.dones)
        returns += rewards
        lengths += 1
        for b in range(3):
            if not dones[b]:
                assert infos[b] == {}
                continue
            ended += 1
            assert same(infos[b]["terminal_observation"], batch.final_observations[b])
            assert infos[b]["TimeLimit.truncated"] is False
            assert infos[b]["episode"]["r"] == pytest.approx(returns[b], abs=1e-6)
            assert infos[b]["episode"]["l"] == lengths[b] and infos[b]["episode"]["t"] >= 0
            assert infos[b]["points"].tolist() == batch.final_points[b].tolist()
            assert infos[b]["seat"] == batch.final_seats[b]
            returns[b] = lengths[b] = 0
        if ended >= 6:
            return
    assert ended >= few(6, 0)


@pytest.mark.parametrize("name", games())
def test_a_vec_env_answers_as_sb3_asks(name: str) -> None:
    env = SeatVecEnv(name, 3, num_threads=2)
    env.reset()
    assert is_masking_supported(env) and env.num_envs == 3
    assert same(np.asarray(env.env_method("action_masks", indices=[2, 0])), env.action_masks()[[2, 0]])
    assert env.get_attr("num_envs", indices=1) == [3] and env.has_attr("batch") and not env.has_attr("colour")
    assert env.env_is_wrapped(SeatEnv) == [False] * 3 and env.env_is_wrapped(SeatEnv, indices=[1]) == [False]
    with pytest.raises(NotImplementedError, match="the tables share one environment; set colour when you make it"):
        env.set_attr("colour", "red")
    masks = env.action_masks()
    masks[:] = False
    assert env.action_masks().any(axis=1).all()
    env.close()


@pytest.mark.parametrize("name", games())
def test_seeds_of_a_vec_env(name: str) -> None:
    first, second = SeatVecEnv(name, 2), SeatVecEnv(name, 2)
    for env in (first, second):
        env.seed(3)
    start = first.reset()
    assert same(start, second.reset())
    following = first.reset()
    assert not same(first.batch.get_states()["seed"], second.batch.get_states()["seed"])
    assert same(following, second.reset())
    first.seed(3)
    assert same(first.reset(), start)


@pytest.mark.parametrize("name", games())
def test_an_illegal_action_raises(name: str) -> None:
    env = SeatVecEnv(name, 2)
    env.seed(1)
    env.reset()
    before = env.batch.get_states()
    with pytest.raises(IllegalActionError):
        env.step(env.action_masks().argmin(axis=1))
    assert same(env.batch.get_states(), before)
    lenient = SeatVecEnv(name, 2, illegal_actions="terminate")
    lenient.reset()
    _, rewards, dones, infos = lenient.step(lenient.action_masks().argmin(axis=1))
    assert rewards.tolist() == [-1.0, -1.0] and dones.all() and infos[0]["episode"]["l"] == 1


@pytest.mark.parametrize("name", games())
def test_masks_come_through_processes(name: str) -> None:
    """SubprocVecEnv with spawned workers gives the observations and masks of environments in this process."""
    make = [functools.partial(SeatEnv, name, seat=seat) for seat in (0, 1)]
    workers = SubprocVecEnv(make, start_method="spawn")
    try:
        here = [function() for function in make]
        workers.seed(9)
        observations = workers.reset()
        expected = [env.reset(seed=9 + place)[0] for place, env in enumerate(here)]
        for number in range(few(20, 5)):
            assert same(observations, np.stack(expected))
            masks = get_action_masks(workers)
            assert same(masks, np.stack([env.action_masks() for env in here])) and masks.any(axis=1).all()
            actions = np.array([pick(mask, number) for mask in masks])
            observations, _, dones, _ = workers.step(actions)
            expected = [env.step(action)[0] for env, action in zip(here, actions, strict=True)]
            for place in np.flatnonzero(dones):
                expected[place] = here[place].reset()[0]
    finally:
        workers.close()
