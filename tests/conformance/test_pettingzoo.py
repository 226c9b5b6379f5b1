"""The AEC and parallel environments of every game, by PettingZoo's own tests and ours."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import shadowenvs
from shadowenvs import IllegalActionError, get_game
from shadowenvs.aec import TableEnv
from shadowenvs.batch import Batch
from shadowenvs.jit import for_kernels
from tests.conformance.playing import cases, counts, few, length, option_sets, pick, played, rewards_of, same
from tests.conftest import games

# api_test knows masked environments of PettingZoo by name and warns of Dict observations in others. It looks at all
# agents, and those that are not to move have no legal action.
DICT = "ignore:Observation is not a NumPy array:UserWarning"
DICT_SPACE = "ignore:Observation space for each agent probably should be:UserWarning"
EMPTY_MASK = "ignore:Action mask numpy array is all zeros:UserWarning"


def module_of(name: str) -> Any:
    return importlib.import_module("shadowenvs").__getattr__(get_game(name).id)


def play(env: TableEnv, number: int, steps: int | None = None) -> list[Any]:
    """Plays legal actions that depend on masks and a number alone; returns all that last() told."""
    told: list[Any] = []
    for count, agent in enumerate(env.agent_iter()):
        if steps is not None and count == steps:
            break
        observation, reward, terminated, truncated, info = env.last()
        mask = observation["action_mask"].astype(np.bool_)
        told.append((agent, observation["observation"].tobytes(), mask.tobytes(), reward, terminated, truncated, info))
        env.step(None if terminated else pick(mask, number + count))
    return told


@pytest.mark.filterwarnings(DICT, DICT_SPACE, EMPTY_MASK)
@pytest.mark.parametrize(("name", "n"), counts())
def test_pettingzoo_api(name: str, n: int, capsys: pytest.CaptureFixture[str]) -> None:
    env = module_of(name).env(num_players=n)
    api_test(env, num_cycles=few(2 * length(name, n), 40))


@pytest.mark.parametrize("reward", ["first", "last"])
@pytest.mark.parametrize(("name", "n"), counts())
def test_pettingzoo_seed(name: str, n: int, reward: str) -> None:
    chosen = rewards_of(get_game(name))[0 if reward == "first" else -1]
    seed_test(lambda: module_of(name).env(num_players=n, reward=chosen), num_cycles=few(500, 20))


@pytest.mark.parametrize(("name", "n"), counts())
def test_pettingzoo_parallel_api(name: str, n: int, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(module_of(name).parallel_env(num_players=n), num_cycles=few(500, 40))


@pytest.mark.parametrize("name", games())
def test_pettingzoo_parallel_seed(name: str) -> None:
    """It plays without masks."""
    parallel_seed_test(lambda: module_of(name).parallel_env(illegal_actions="terminate"), num_cycles=few(200, 10))


@pytest.mark.parametrize("name", games())
def test_pettingzoo_render(name: str) -> None:
    """render_test first makes an environment with mode "human", which there is not: nothing here opens windows."""

    def make(render_mode: str) -> TableEnv:
        env: TableEnv = module_of(name).env(render_mode=None if render_mode == "human" else render_mode)
        assert "human" not in env.metadata["render_modes"]
        return env

    render_test(make)


@pytest.mark.parametrize("name", games())
def test_the_module_and_the_registry(name: str) -> None:
    module = module_of(name)
    assert module.__name__ == f"shadowenvs.{get_game(name).id}"
    assert module.env is module.raw_env and set(module.__all__) == {"env", "raw_env", "parallel_env"}
    registered = f"shadowenvs/{get_game(name).id}"
    env = pettingzoo.make("aec", registered)
    env.reset(seed=3)
    other = module.env()
    other.reset(seed=3)
    assert same(env.unwrapped.state(), other.state())
    parallel = pettingzoo.make("parallel", registered)
    observations, _ = parallel.reset(seed=3)
    for agent in other.agents:
        assert same(observations[agent]["observation"], other.observe(agent)["observation"])


@pytest.mark.parametrize(("name", "label"), cases())
def test_the_rewards_told_add_up(name: str, label: str) -> None:
    """What last() tells an agent over a game is the sum of its rewards, whoever acted last."""
    for kind in rewards_of(get_game(name), **option_sets(name)[label]):
        for seed in range(few(3)):
            env = TableEnv(name, **{**option_sets(name)[label], "reward": kind})
            env.reset(seed=seed)
            told = dict.fromkeys(env.possible_agents, 0.0)
            paid = dict.fromkeys(env.possible_agents, 0.0)
            for number, agent in enumerate(env.agent_iter()):
                observation, reward, terminated, _, _ = env.last()
                told[agent] += reward
                action = None if terminated else pick(observation["action_mask"].astype(np.bool_), number + 999 * seed)
                env.step(action)
                if not terminated:
                    for other, value in env.rewards.items():
                        paid[other] += value
            assert told == pytest.approx(paid, abs=1e-6)
            if kind == "win_share":
                assert sum(paid.values()) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("name", "n"), counts())
def test_an_environment_plays_as_a_batch(name: str, n: int) -> None:
    """Observation, mask, agent, rewards and end of the AEC environment are those of the recorded game."""
    record = played(name, str(n))
    env = TableEnv(name, n)
    env.reset(seed=0)
    for number, action in enumerate(record.actions):
        agent = f"seat_{record.seats[number]}"
        assert env.agent_selection == agent
        observation, _, terminated, truncated, info = env.last()
        assert not terminated and not truncated and info == {}
        assert same(observation["observation"], record.observations[number])
        assert same(observation["action_mask"], record.masks[number].astype(np.int8))
        for other in env.agents:
            if other != agent:
                assert not env.observe(other)["action_mask"].any()
        env.step(action)
        assert list(env.rewards.values()) == record.rewards[number + 1].tolist()
        assert same(env.get_state(), record.states[number + 1 : number + 2])
    assert all(env.terminations.values()) and not any(env.truncations.values())
    end = record.batch(slice(-1, None))
    winners = [f"seat_{seat}" for seat in range(n) if record.states["winners"][-1] >> seat & 1]
    for agent, info in env.infos.items():
        assert info["points"] == end.points[0].tolist() and info["winners"] == winners
        assert (info["rank"] == 1) == (agent in winners)
    for _ in range(n):
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize(("name", "n"), counts())
def test_ranks_follow_the_order_of_the_game(name: str, n: int) -> None:
    env = TableEnv(name, n)
    env.set_state(played(name, str(n), 1).states[-1:])
    if env.game.rank_key is None:
        keys = [env.game.points_sign * value for value in env.infos["seat_0"]["points"]]
    else:
        keys = [int(env.game.rank_key(for_kernels(env.get_state())[0], seat)) for seat in range(n)]
    places = [info["rank"] for info in env.infos.values()]
    for seat in range(n):
        for other in range(n):
            if places[seat] < places[other] and places[seat] > 1:
                assert keys[seat] > keys[other]
            if keys[seat] == keys[other] and min(places[seat], places[other]) > 1:
                assert places[seat] == places[other]
    assert min(places) == 1 and all(1 + sum(p < place for p in places) == place for place in places)


@pytest.mark.parametrize(("name", "n"), counts())
def test_an_illegal_action_changes_nothing(name: str, n: int) -> None:
    env = TableEnv(name, n)
    env.reset(seed=1)
    play(env, 0, 7)
    mask = env.observe(env.agent_selection)["action_mask"]
    twin = copy.deepcopy(env)
    for action in [*np.flatnonzero(mask == 0)[::17].tolist(), -1, -2, len(mask), 10**12]:
        with pytest.raises(IllegalActionError) as caught:
            env.step(action)
        assert caught.value.seat == int(env.agent_selection[-1]) and caught.value.action == action
        assert caught.value.legal == np.flatnonzero(mask).tolist()
        assert same(env.get_state(), twin.get_state()) and env.agent_selection == twin.agent_selection
    for action in (None, 1.0, "0", [0]):
        with pytest.raises(ValueError, match="an action must be an integer"):
            env.step(action)
    assert play(env, 3) == play(twin, 3)


@pytest.mark.parametrize("offence", ["masked", -1, -2, -3, "far", 2**70])
@pytest.mark.parametrize(("name", "n"), counts())
def test_an_illegal_action_terminates_if_asked(name: str, n: int, offence: int | str) -> None:
    """-1 to the offender, 0 to the others, the game is over, nobody wins."""
    env = TableEnv(name, n, illegal_actions="terminate")
    env.reset(seed=1)
    play(env, 0, 7)
    offender = env.agent_selection
    mask = env.observe(offender)["action_mask"]
    env.step({"masked": int(mask.argmin()), "far": len(mask)}.get(offence, offence))
    assert env.rewards == {agent: -1.0 * (agent == offender) for agent in env.possible_agents}
    assert all(env.terminations.values())
    told = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, _, info = env.last()
        told[agent] += reward
        assert terminated and info["winners"] == []
        env.step(None)
    assert told == {agent: -1.0 * (agent == offender) for agent in env.possible_agents}


@pytest.mark.parametrize("name", games())
def test_after_the_end_only_none_is_taken(name: str) -> None:
    env = TableEnv(name)
    env.set_state(played(name, str(get_game(name).options.make().num_players)).states[-1:])
    agents = env.agents.copy()
    with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
        env.step(0)
    assert env.agents == agents
    for _ in agents:
        env.step(None)
    assert env.agents == []
    env.reset(seed=1)
    assert env.agents == agents


def by_pickle(env: TableEnv) -> TableEnv:
    return pickle.loads(pickle.dumps(env))  # type: ignore[no-any-return]


@pytest.mark.parametrize("way", [copy.deepcopy, by_pickle])
@pytest.mark.parametrize(("name", "n"), counts())
def test_copies_continue_alike(name: str, n: int, way: Callable[[TableEnv], TableEnv]) -> None:
    unplayed = way(TableEnv(name, n))
    unplayed.reset(seed=9)
    env = TableEnv(name, n)
    env.reset(seed=9)
    play(env, 0, few(60, 15))
    twin = way(env)
    before = env.get_state()
    told = play(twin, 1)
    assert same(env.get_state(), before)
    assert play(env, 1) == told and env.infos == twin.infos
    play(unplayed, 0, few(60, 15))
    assert play(unplayed, 1) == told
    env.reset()
    twin.reset()
    assert same(env.get_state(), twin.get_state())


@pytest.mark.parametrize(("name", "n"), counts())
def test_states_can_be_put_back(name: str, n: int) -> None:
    env = TableEnv(name, n)
    env.reset(seed=6)
    play(env, 0, few(50, 10))
    state, told = env.get_state(), None
    told = play(env, 2)
    other = TableEnv(name, n)
    other.set_state(state)
    assert not any(other._cumulative_rewards.values())
    again = play(other, 2)
    # Only a reward gained before the state was taken may differ.
    assert [entry[:3] for entry in again] == [entry[:3] for entry in told]
    foreign = played(name, str(next(value for value in get_game(name).seats if value != n)))
    with pytest.raises(ValueError, match="other options"):
        other.set_state(foreign.states[:1])


@pytest.mark.parametrize("name", games())
def test_games_go_on_from_the_last_seed(name: str) -> None:
    first, second = TableEnv(name), TableEnv(name)
    deals = []
    for env in (first, second):
        env.reset(seed=5)
        deals.append([env.get_state()])
        for _ in range(3):
            env.reset()
            deals[-1].append(env.get_state())
    assert all(same(left, right) for left, right in zip(*deals, strict=True))
    assert len({state.tobytes() for state in deals[0]}) == 4
    unseeded = [TableEnv(name) for _ in range(2)]
    for env in unseeded:
        env.reset()
    assert not same(unseeded[0].get_state(), unseeded[1].get_state())
    wide = TableEnv(name)
    for seed in (-1, 2**64 + 3, np.int64(7)):
        wide.reset(seed=seed)
    batch = Batch(wide.game, 1)
    batch.reset(7)
    assert same(wide.get_state(), batch.get_states())


@pytest.mark.parametrize(("name", "n"), counts())
def test_what_an_environment_returns_is_fresh(name: str, n: int) -> None:
    env = TableEnv(name, n)
    env.reset(seed=1)
    agent = env.agent_selection
    first, again = env.observe(agent), env.observe(agent)
    kept = {key: value.copy() for key, value in first.items()}
    for value in again.values():
        value[:] = 1
    again["action_mask"][:] = 0
    assert same(env.observe(agent)["action_mask"], kept["action_mask"])
    env.step(int(kept["action_mask"].argmax()))
    assert all(same(first[key], kept[key]) for key in kept)
    state = env.state()
    assert same(state, np.concatenate([env.observe(other)["observation"] for other in env.possible_agents]))
    assert state in env.state_space
    env.observe(env.possible_agents[0])["action_mask"][:] = 1
    others = [other for other in env.agents if other != env.agent_selection]
    assert not any(env.observe(other)["action_mask"].any() for other in others)
    for other in env.agents:
        observation = env.observe(other)
        assert env.observation_space(other).contains(observation)


@pytest.mark.parametrize("name", games())
def test_wrong_arguments_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="render_mode must be None or 'ansi', not 'human'"):
        TableEnv(name, render_mode="human")
    n = get_game(name).options.make().num_players
    for seat in (-1, n, "0", 1.0):
        with pytest.raises(ValueError, match=f"render_seat must be None or 0 to {n - 1}, not"):
            TableEnv(name, render_mode="ansi", render_seat=seat)
    with pytest.raises(ValueError, match="illegal_actions must be"):
        TableEnv(name, illegal_actions="pass")
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        TableEnv("chess")


@pytest.mark.parametrize(("name", "n"), counts())
def test_render_shows_the_chosen_view(name: str, n: int) -> None:
    record = played(name, str(n))
    for seat in (None, *range(n)):
        env = TableEnv(name, n, "ansi", render_seat=seat)
        for number in range(0, len(record.states), few(37, 101)):
            env.set_state(record.states[number : number + 1])
            text = env.render()
            assert text == record.game.render(env.options, env.get_state(), seat)
            assert text.strip() and max(map(len, text.splitlines())) <= 100
            if record.game.render_svg is not None:
                assert env._repr_svg_().startswith("<svg")
    env = TableEnv(name, n)
    assert env._repr_svg_() is None
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert env.render() is None
    assert any("render_mode" in str(warning.message) for warning in caught)
    env.close()


@pytest.mark.parametrize("name", games())
def test_wrong_versions_are_told(name: str) -> None:
    version = shadowenvs.GAMES[name]
    with pytest.raises(AttributeError, match=f"{name} has version {version}; import {name}_v{version}"):
        shadowenvs.__getattr__(f"{name}_v{version + 1}")
    assert get_game(name).version == version
