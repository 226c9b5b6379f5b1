"""The parallel environment of every game against its AEC environment: equal seeds and actions, equal games."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from shadowenvs import IllegalActionError, get_game
from shadowenvs.aec import TableEnv, make_parallel
from tests.conformance.playing import counts, few, pick, same
from tests.conftest import games


def seat_of(agent: str) -> int:
    return int(agent.rpartition("_")[2])


def follow(table: TableEnv, actions: dict[str, int], shown: dict[str, Any]) -> dict[str, float]:
    """Carries out one step of the parallel environment in the AEC environment; returns the rewards.

    In a simultaneous game every agent that decides in this tick acts, in ascending order, by the mask that it was
    shown; else it is the agent to move alone.
    """
    rewards = dict.fromkeys(actions, 0.0)
    last = -1
    while not any(table.terminations.values()) and seat_of(table.agent_selection) > last:
        agent = table.agent_selection
        mask = table.observe(agent)["action_mask"]
        assert same(mask, shown[agent]["action_mask"])
        table.step(actions[agent])
        for other, reward in table.rewards.items():
            rewards[other] += reward
        last = seat_of(agent) if table.game.simultaneous else len(rewards)
    return rewards


@pytest.mark.parametrize(("name", "n"), counts())
def test_parallel_games_are_aec_games(name: str, n: int) -> None:
    game = get_game(name)
    env, table = make_parallel(name, n), TableEnv(name, n)
    for seed in range(few(2)):
        observations, _ = env.reset(seed=seed)
        table.reset(seed=seed)
        for number in range(game.max_steps(table.options, table._batch.tables)):
            masks = {agent: shown["action_mask"].astype(np.bool_) for agent, shown in observations.items()}
            for agent, shown in observations.items():
                assert same(shown["observation"], table.observe(agent)["observation"])
                assert env.observation_space(agent).contains(shown)
            if game.simultaneous:
                assert all(mask.any() for mask in masks.values())
            actions = {agent: max(0, pick(masks[agent], number)) for agent in env.agents}
            expected = follow(table, actions, observations)
            observations, rewards, terminations, truncations, infos = env.step(actions)
            assert rewards == pytest.approx(expected) and not any(truncations.values())
            assert all(terminations.values()) == (not env.agents) == all(table.terminations.values())
            if not env.agents:
                assert infos == table.infos and infos["seat_0"]["points"] is not None
                break
        assert env.agents == []


@pytest.mark.parametrize("name", games())
def test_an_illegal_action_in_a_tick_changes_nothing(name: str) -> None:
    """Whichever seat of a simultaneous game tries it; every seat has a legal one."""
    if not get_game(name).simultaneous:
        return
    env = make_parallel(name)
    observations, _ = env.reset(seed=1)
    for number in range(few(300, 40)):
        if not env.agents:
            observations, _ = env.reset()
        masks = {agent: shown["action_mask"].astype(np.bool_) for agent, shown in observations.items()}
        assert all(mask.any() for mask in masks.values())
        actions = {agent: pick(masks[agent], number) for agent in env.agents}
        before = env.state()
        for agent in env.agents if number % 10 == 0 else []:
            with pytest.raises(IllegalActionError) as caught:
                env.step({**actions, agent: int(masks[agent].argmin())})
            assert caught.value.seat == seat_of(agent) and same(env.state(), before)
            assert caught.value.legal == np.flatnonzero(masks[agent]).tolist()
        observations, *_ = env.step(actions)


@pytest.mark.parametrize("name", games())
def test_a_parallel_environment_can_be_copied(name: str) -> None:
    env = make_parallel(name)
    observations, _ = env.reset(seed=2)
    for number in range(7):
        actions = {a: max(0, pick(o["action_mask"].astype(np.bool_), number)) for a, o in observations.items()}
        observations, *_ = env.step(actions)
    twin = pickle.loads(pickle.dumps(env))
    for number in range(few(40, 8)):
        actions = {a: max(0, pick(o["action_mask"].astype(np.bool_), number)) for a, o in observations.items()}
        told = [tables.step(actions) for tables in (env, twin)]
        observations = told[0][0]
        assert told[0][1:] == told[1][1:]
        assert all(same(told[0][0][agent]["observation"], told[1][0][agent]["observation"]) for agent in observations)
