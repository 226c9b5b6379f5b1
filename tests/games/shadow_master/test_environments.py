"""The environments with pictures (SM-77, SM-78), and with a new deck in every game (SM-81)."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from pettingzoo.test import api_test, parallel_api_test
from sb3_contrib import MaskablePPO

from shadowenvs import rng
from shadowenvs.aec import TableEnv, TickEnv
from shadowenvs.batch import Batch
from shadowenvs.games.shadow_master import GAME
from shadowenvs.games.shadow_master.pictures import GREY, SHAPES, WHITE
from shadowenvs.games.shadow_master.spec import ShadowMasterOptions, tables
from shadowenvs.sb3 import SeatVecEnv
from shadowenvs.single import SeatEnv
from shadowenvs.vector import SeatVectorEnv
from tests.conformance.playing import pick, same
from tests.conformance.test_pettingzoo import DICT, DICT_SPACE, EMPTY_MASK
from tests.games.shadow_master.table import few

PIXELS = {"mode": "pixels", "num_players": 3}
GRAINS = {**PIXELS, "detail": "grains"}


def images(observation: Any) -> dict[str, NDArray[np.uint8]]:
    return {name: observation[name] for name in SHAPES}


@pytest.mark.rule("SM-77")
@pytest.mark.filterwarnings(DICT, DICT_SPACE, EMPTY_MASK)
def test_pettingzoo_with_pictures() -> None:
    api_test(TableEnv(GAME, **PIXELS), num_cycles=few(100, 10))
    parallel_api_test(TickEnv(GAME, **PIXELS), num_cycles=few(50, 5))
    env = TableEnv(GAME, **PIXELS)
    assert list(env.observation_space("seat_1").spaces) == ["action_mask", "objects", "observation", "shadow"]
    assert "shadow" not in TableEnv(GAME).observation_space("seat_1").spaces


@pytest.mark.rule("SM-77", "SM-78")
@pytest.mark.parametrize("options", [PIXELS, GRAINS], ids=["full", "grains"])
def test_every_seat_sees_its_own_picture(options: dict[str, Any]) -> None:
    """AEC, parallel and the game's own function show the same; grains differ between seats, the objects do not."""
    env, parallel = TableEnv(GAME, **options), TickEnv(GAME, **options)
    env.reset(seed=3)
    told, _ = parallel.reset(seed=3)
    assert GAME.pictures is not None
    for _ in range(3):
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            wanted = GAME.pictures(tables(env.options), env.get_state(), np.array([seat]))
            for name, image in images(seen).items():
                assert image.dtype == np.uint8 and same(image, wanted[name][0]) and same(image, told[agent][name])
            assert env.observation_space(agent).contains(seen)
        first, second = (env.observe(agent)["shadow"] for agent in env.possible_agents[:2])
        assert same(first, second) == (options is PIXELS) and (GREY in first) == (options is GRAINS)
        waits = dict.fromkeys(env.agents, GAME.idle_action)
        told, *_ = parallel.step(waits)
        for action in waits.values():
            env.step(action)


@pytest.mark.rule("SM-77")
def test_pictures_are_empty_after_the_end() -> None:
    env = TableEnv(GAME, **PIXELS, deck_end="end", tick_cap=1, last_field=4)
    env.reset(seed=1)
    number = 0
    while not all(env.terminations.values()):
        env.step(pick(env.observe(env.agent_selection)["action_mask"].astype(np.bool_), number))
        number += 1
    for image in images(env.observe("seat_0")).values():
        assert (image == WHITE).all()


@pytest.mark.rule("SM-77")
def test_one_seat_with_pictures() -> None:
    env = SeatEnv(GAME, **PIXELS, tick_cap=2, last_field=4)
    check_env(gymnasium.make("shadowenvs/ShadowMaster-v0", **PIXELS).unwrapped)
    observation, _ = env.reset(seed=1)
    for number in range(few(300, 30)):
        assert env.observation_space.contains(observation)
        assert observation["shadow"].any() and observation["objects"].any()
        observation, _, terminated, _, _ = env.step(pick(env.action_masks(), number))
        if terminated:
            assert env.observation_space.contains(observation)
            assert not observation["shadow"].any() and not observation["objects"].any()
            observation, _ = env.reset()


@pytest.mark.rule("SM-77")
def test_many_seats_with_pictures() -> None:
    """Vector and SB3 environments show what one table after the other would show."""
    options = {**PIXELS, "tick_cap": 2, "last_field": 4}
    vector, sb3 = SeatVectorEnv(3, game=GAME, **options), SeatVecEnv(GAME, 3, **options)
    observations, _ = vector.reset(seed=4)
    told = sb3.reset()
    ended = 0
    for number in range(few(200, 20)):
        assert vector.observation_space.contains(observations)
        for name, image in vector._batch.pictures(vector._batch.seats).items():
            assert same(observations[name], image) and image.any()
        assert {name: part.shape[1:] for name, part in images(told).items()} == SHAPES
        for b, mask in enumerate(sb3.action_masks()):
            assert mask.any(), b
        observations, _, _, _, infos = vector.step(np.array([pick(mask, number) for mask in vector.action_masks()]))
        told, _, dones, sb3_infos = sb3.step(np.array([pick(mask, number) for mask in sb3.action_masks()]))
        for b in np.flatnonzero(dones):
            ended += 1
            assert not sb3_infos[b]["terminal_observation"]["shadow"].any()
            assert sb3.observation_space.contains(sb3_infos[b]["terminal_observation"])
        for b in np.flatnonzero(infos.get("_final_obs", [])):
            assert vector.single_observation_space.contains(infos["final_obs"][b])
    assert ended


@pytest.mark.rule("SM-77")
def test_a_network_can_be_trained_on_pictures() -> None:
    env = SeatVecEnv(GAME, 2, **PIXELS)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=4, batch_size=4, n_epochs=1, device="cpu", seed=1)
    model.learn(16)
    assert model.num_timesteps == 16


# ----------------------------------------------------------------------------------------------------------- decks

FRESH = {"deck": "fresh", "num_players": 3, "tick_cap": 1, "last_field": 4}


def deck_of(batch: Batch) -> bytes:
    return batch.tables["letters"].tobytes() + batch.tables["answers"].tobytes()


def wanted_deck(batch: Batch) -> bytes:
    """Returns the deck of the game that a batch of one plays, from the seed in its state."""
    record = tables(ShadowMasterOptions.make(**FRESH), int(batch.get_states()["seed"][0]))
    return bytes(record["letters"].tobytes() + record["answers"].tobytes())


@pytest.mark.rule("SM-81")
def test_every_game_of_an_environment_has_its_own_deck() -> None:
    env = TableEnv(GAME, **FRESH)
    decks = []
    for number in range(3):
        env.reset(seed=5 if number == 0 else None)
        assert deck_of(env._batch) == wanted_deck(env._batch)
        decks.append(deck_of(env._batch))
        state, clone = env.get_state(), copy.deepcopy(env)
        assert deck_of(clone._batch) == deck_of(pickle.loads(pickle.dumps(env))._batch) == decks[-1]
    assert len(set(decks)) == 3
    other = TableEnv(GAME, **FRESH)
    other.set_state(state)
    assert deck_of(other._batch) == decks[-1] and same(other.get_state(), state)
    env.reset(seed=5)
    assert deck_of(env._batch) == decks[0] != deck_of(clone._batch) == decks[-1]


@pytest.mark.rule("SM-81")
def test_a_learner_meets_a_new_deck_in_every_game() -> None:
    env = SeatEnv(GAME, **FRESH)
    env.reset(seed=2)
    decks = {deck_of(env._batch)}
    ended = 0
    for number in range(100):
        _, _, terminated, _, info = env.step(pick(env.action_masks(), number))
        assert deck_of(env._batch) == wanted_deck(env._batch)
        decks.add(deck_of(env._batch))
        if terminated:
            ended += 1
            assert max(info["points"]) > 0
            env.reset()
        if ended == 3:
            break
    assert ended == 3 and len(decks) == 4


@pytest.mark.rule("SM-81")
def test_a_batch_of_one_goes_on_with_a_new_deck() -> None:
    batch = Batch(GAME, 1, **FRESH)
    batch.reset(9)
    before, ended = deck_of(batch), 0
    for number in range(100):
        batch.step(np.array([pick(batch.masks[0], number)]))
        assert deck_of(batch) == wanted_deck(batch)
        if batch.dones[0]:
            ended += 1
            assert batch.rewards.any() and deck_of(batch) != before
            assert int(batch.get_states()["seed"][0]) == int(rng.mix(batch._seeds[0], rng.STREAM_TABLE, ended, 0))
            break
    assert ended


@pytest.mark.rule("SM-81")
def test_fresh_decks_serve_single_tables_only() -> None:
    for make in (lambda: SeatVectorEnv(2, game=GAME, **FRESH), lambda: SeatVecEnv(GAME, 2, **FRESH)):
        with pytest.raises(ValueError, match="deck='fresh' draws a deck for every game"):
            make()
