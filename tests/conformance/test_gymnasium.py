"""The single and the vector environment of every game, by Gymnasium's own checks and ours."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from shadowenvs import IllegalActionError, get_game
from shadowenvs.learner import LearnerBatch
from shadowenvs.single import SeatEnv
from shadowenvs.vector import SeatVectorEnv
from tests.conformance.playing import counts, few, length, pick, rewards_of, same
from tests.conftest import games


def env_id(name: str) -> str:
    title = "".join(word.capitalize() for word in name.split("_"))
    return f"shadowenvs/{title}-v{get_game(name).version}"


def play(env: SeatEnv, steps: int) -> list[bytes]:
    """Plays on, over the ends of games; returns all that is told."""
    told = []
    for number in range(steps):
        observation, reward, terminated, truncated, info = env.step(pick(env.action_masks(), number))
        told.append(pickle.dumps((observation.tobytes(), reward, terminated, truncated, sorted(info))))
        if terminated:
            observation, info = env.reset()
            told.append(observation.tobytes() + info["action_mask"].tobytes())
    return told


@pytest.mark.parametrize(("name", "n"), counts())
def test_gymnasium_check(name: str, n: int) -> None:
    env = gymnasium.make(env_id(name), num_players=n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("reward", ["first", "last"])
@pytest.mark.parametrize(("name", "n"), counts())
def test_one_table_is_a_learner_batch_of_one(name: str, n: int, reward: str) -> None:
    """Observations, masks, rewards, ends; games go on from one to the next by reset()."""
    options = {"num_players": n, "reward": rewards_of(get_game(name))[0 if reward == "first" else -1]}
    env = SeatEnv(name, "heuristic", **options)
    batch = LearnerBatch(get_game(name), 1, opponents="heuristic", **options)
    observation, info = env.reset(seed=11)
    batch.reset(int(np.random.default_rng(np.random.PCG64(np.random.SeedSequence(11))).integers(2**63)))
    ended = 0
    for number in range(few(4 * length(name, n), 20)):
        assert same(observation, batch.observations[0]) and same(info["action_mask"], batch.masks[0].astype(np.int8))
        assert env.observation_space.contains(observation) and env.action_masks().any()
        action = pick(env.action_masks(), number)
        observation, gained, terminated, truncated, info = env.step(action)
        batch.step(np.array([action]))
        assert (gained, terminated, truncated) == (float(batch.learner_rewards[0]), bool(batch.dones[0]), False)
        if not terminated:
            assert set(info) == {"action_mask"}
            continue
        ended += 1
        assert same(observation, batch.final_observations[0]) and not info["action_mask"].any()
        assert same(info["points"], batch.final_points[0]) and info["seat"] == batch.final_seats[0]
        assert info["winners"].tolist() == [bool(batch.final_winners[0] >> seat & 1) for seat in range(n)]
        assert (info["rank"] == 1) == info["winners"][info["seat"]]
        observation, info = env.reset()
        if ended == 3:
            return
    assert ended >= few(3, 0)


@pytest.mark.parametrize("name", games())
def test_seeds_and_fresh_games(name: str) -> None:
    first, second = SeatEnv(name), SeatEnv(name)
    for env in (first, second):
        env.reset(seed=4)
    told = play(first, few(60, 10))
    assert told == play(second, few(60, 10))
    observation, _ = first.reset(seed=4)
    fresh, _ = SeatEnv(name).reset(seed=4)
    assert same(observation, fresh)
    # A game that was begun is left for the next one.
    before = first._batch.get_states()["seed"]
    first.step(pick(first.action_masks(), 0))
    first.reset()
    assert not same(first._batch.get_states()["seed"], before)
    assert SeatEnv(name).reset()[0].shape == observation.shape


@pytest.mark.parametrize(("name", "n"), counts())
def test_the_seat_can_be_chosen(name: str, n: int) -> None:
    for seat in range(n):
        env = SeatEnv(name, seat=seat, num_players=n)
        for seed in range(3):
            env.reset(seed=seed)
            assert env._batch.seats[0] == seat
    env = SeatEnv(name, num_players=n)
    env.reset(seed=1)
    seats = [int(env._batch.seats[0])]
    for _ in range(n - 1):
        env.step(pick(env.action_masks(), 0))
        env.reset()
        seats.append(int(env._batch.seats[0]))
    assert sorted(seats) == list(range(n))


def by_pickle(env: SeatEnv) -> SeatEnv:
    return pickle.loads(pickle.dumps(env))  # type: ignore[no-any-return]


@pytest.mark.parametrize("way", [copy.deepcopy, by_pickle])
@pytest.mark.parametrize("name", games())
def test_copies_continue_alike(name: str, way: Callable[[SeatEnv], SeatEnv]) -> None:
    env = SeatEnv(name, [("random", 1.0), ("heuristic", 1.0)])
    env.reset(seed=3)
    play(env, few(70, 10))
    twin = way(env)
    before = env._batch.get_states()
    told = play(twin, few(70, 10))
    assert same(env._batch.get_states(), before)
    assert play(env, few(70, 10)) == told


@pytest.mark.parametrize("name", games())
def test_illegal_actions_end_the_game_or_raise(name: str) -> None:
    strict, lenient = SeatEnv(name, illegal_actions="raise"), SeatEnv(name)
    for env in (strict, lenient):
        env.reset(seed=2)
    illegal = int(strict.action_masks().argmin())
    before = strict._batch.get_states()
    for action in (illegal, get_game(name).num_actions, -3, 10**9):
        with pytest.raises(IllegalActionError):
            strict.step(action)
        assert same(strict._batch.get_states(), before)
        lenient.reset(seed=2)
        _, reward, terminated, truncated, info = lenient.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert not info["winners"].any() and info["rank"] >= 1


@pytest.mark.parametrize("name", games())
def test_what_is_returned_is_fresh(name: str) -> None:
    env, vector = SeatEnv(name), SeatVectorEnv(2, game=name)
    first = {env: lambda: pick(env.action_masks(), 0), vector: lambda: vector.action_masks().argmax(axis=1)}
    for tables, action in first.items():
        observation, info = tables.reset(seed=1)
        kept, kept_mask = observation.copy(), info["action_mask"].copy()
        tables.action_masks()[:] = False
        assert tables.action_masks().any()
        tables.step(action())
        assert same(observation, kept) and same(info["action_mask"], kept_mask)


@pytest.mark.parametrize("name", games())
def test_render_shows_the_learners_view(name: str) -> None:
    env = SeatEnv(name, render_mode="ansi")
    env.reset(seed=1)
    game = get_game(name)
    for number in range(10):
        batch = env._batch
        assert env.render() == game.render(env.options, batch.get_states(), int(batch.seats[0]))
        env.step(pick(env.action_masks(), number))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert SeatEnv(name).render() is None
    assert any("render_mode" in str(warning.message) for warning in caught)
    with pytest.raises(ValueError, match="render_mode must be None or 'ansi', not 'human'"):
        SeatEnv(name, render_mode="human")
    with pytest.raises(ValueError, match="render_mode must be None for a vector environment, not 'ansi'"):
        SeatVectorEnv(2, game=name, render_mode="ansi")


# ----------------------------------------------------------------------------------------------------------- vector


@pytest.mark.parametrize(("name", "n"), counts())
def test_a_vector_deals_anew_in_the_same_step(name: str, n: int) -> None:
    """SAME_STEP: at the end of a game its last observation is in final_obs, and the next game's first is returned."""
    env = gymnasium.make_vec(env_id(name), 3, num_players=n, opponents="heuristic").unwrapped
    assert isinstance(env, SeatVectorEnv) and env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    batch = LearnerBatch(get_game(name), 3, opponents="heuristic", num_players=n)
    observations, infos = env.reset(seed=7)
    batch.reset(int(np.random.default_rng(np.random.PCG64(np.random.SeedSequence(7))).integers(2**63)))
    ended = 0
    for number in range(few(4 * length(name, n), 20)):
        assert same(observations, batch.observations) and env.observation_space.contains(observations)
        assert same(infos["action_mask"], batch.masks.astype(np.int8)) and same(env.action_masks(), batch.masks)
        actions = np.array([pick(mask, number) for mask in batch.masks])
        observations, rewards, terminated, truncated, infos = env.step(actions)
        batch.step(actions)
        assert same(terminated, batch.dones) and not truncated.any() and rewards.dtype == np.float64
        assert same(rewards, batch.learner_rewards.astype(np.float64))
        assert ("final_obs" in infos) == bool(terminated.any())
        if not terminated.any():
            continue
        assert same(infos["_final_obs"], terminated) and same(infos["_final_info"], terminated)
        for b in range(3):
            if not terminated[b]:
                assert infos["final_obs"][b] is None
                continue
            ended += 1
            final = {key: value[b] for key, value in infos["final_info"].items() if not key.startswith("_")}
            assert same(infos["final_obs"][b], batch.final_observations[b])
            assert final["points"].tolist() == batch.final_points[b].tolist()
            assert final["seat"] == batch.final_seats[b]
            assert (final["rank"] == 1) == bool(final["winners"][final["seat"]])
        if ended >= 6:
            return
    assert ended >= few(6, 0)


@pytest.mark.parametrize("name", games())
def test_a_vector_is_reset_in_part(name: str) -> None:
    env = SeatVectorEnv(4, game=name)
    with pytest.raises(ValueError, match="reset all tables first"):
        env.reset(options={"reset_mask": np.ones(4, np.bool_)})
    first, _ = env.reset(seed=3)
    states = env._batch.get_states()
    mask = np.array([True, False, False, True])
    observations, infos = env.reset(options={"reset_mask": mask})
    after = env._batch.get_states()
    assert same(after[~mask], states[~mask]) and same(observations[~mask], first[~mask])
    assert (after["seed"][mask] != states["seed"][mask]).all() and infos["action_mask"].any(axis=1).all()
    for wrong in (np.ones(3, np.bool_), np.zeros(4, np.bool_)):
        with pytest.raises(ValueError, match=r"reset_mask must be bool \[4\] with at least one True"):
            env.reset(options={"reset_mask": wrong})
    with pytest.raises(ValueError, match="give no seed"):
        env.reset(seed=1, options={"reset_mask": mask})
    env.reset()
    assert (env._batch.get_states()["seed"] != after["seed"]).all()


@pytest.mark.parametrize("name", games())
def test_seeds_of_a_vector(name: str) -> None:
    """One number, or one for each table; equal seeds give equal games whatever the other tables are given."""
    env, other = SeatVectorEnv(3, game=name, seat=0), SeatVectorEnv(3, game=name, seat=0, num_threads=2)
    assert same(env.reset(seed=5)[0], other.reset(seed=5)[0])
    assert not same(env.reset(seed=6)[0], other.reset(seed=5)[0])
    by_table, by_other = env.reset(seed=[1, 2, 3])[0], other.reset(seed=[4, 2, 3])[0]
    assert same(by_table[1:], by_other[1:])
    swapped = env.reset(seed=[3, 2, 1])[0]
    assert same(swapped[::-1], by_table)
    env.reset(seed=[None, 1, 2])
    with pytest.raises(ValueError, match="seed must be an integer or 3 of them"):
        env.reset(seed=[1, 2])
    assert SeatVectorEnv(2, game=name).reset()[0].shape == (2, get_game(name).observation.size)


@pytest.mark.parametrize("name", games())
def test_illegal_actions_in_a_vector(name: str) -> None:
    strict, lenient = SeatVectorEnv(2, game=name, illegal_actions="raise"), SeatVectorEnv(2, game=name)
    for env in (strict, lenient):
        env.reset(seed=2)
    actions = np.array([int(strict.action_masks()[0].argmax()), int(strict.action_masks()[1].argmin())])
    before = strict._batch.get_states()
    with pytest.raises(IllegalActionError):
        strict.step(actions)
    assert same(strict._batch.get_states(), before)
    _, rewards, terminated, _, infos = lenient.step(actions)
    assert rewards.tolist() == [0.0, -1.0] and terminated.tolist() == [False, True]
    assert not infos["final_info"]["winners"][1].any()


@pytest.mark.parametrize("name", games())
def test_the_registered_environment(name: str) -> None:
    spec: Any = gymnasium.spec(env_id(name))
    env = gymnasium.make(env_id(name), opponents="heuristic", seat=0)
    assert isinstance(env.unwrapped, SeatEnv) and env.unwrapped.game is get_game(name)
    assert spec.entry_point == "shadowenvs.single:SeatEnv"
    assert spec.vector_entry_point == "shadowenvs.vector:SeatVectorEnv"
