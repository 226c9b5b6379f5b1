"""Networks that treat suits or dots alike: what they compute, and that exchanging two of them changes nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agents.checkpoint import network_error
from agents.networks import alike_kinds, alike_places, make_network
from shadowenvs import GAMES, get_game
from shadowenvs.batch import Batch
from shadowenvs.game import Game
from shadowenvs.layout import AlikePlaces

Tensors = dict[str, np.ndarray]
KINDS = [(name, kind) for name in GAMES for kind in alike_kinds(get_game(name))[1:]]


def observe(game: Game, decisions: int = 25) -> np.ndarray:
    """Observations from games of heuristics, int8 [B, F]."""
    batch = Batch(game, 8)
    batch.reset(3)
    seen, generator = [], np.random.default_rng(1)
    for _ in range(decisions):
        seen.append(batch.observations.copy())
        batch.step(batch.turn(generator).heuristic_actions())
    return np.concatenate(seen)


def shared_reference(places: AlikePlaces, tensors: Tensors, hidden: int, observation: np.ndarray) -> np.ndarray:
    """The outputs for one observation, thing by thing in float64."""
    scaled = observation / tensors["scale"].astype(float)
    units = []
    for entries in places.entries:
        inputs = np.concatenate([scaled[entries], scaled[places.other_entries]])
        units.append(np.tanh(tensors["policy.0.weight"].astype(float) @ inputs + tensors["policy.0.bias"]))
    for layer in [*range(1, hidden), "out"]:
        weight, bias = tensors[f"policy.{layer}.weight"].astype(float), tensors[f"policy.{layer}.bias"]
        mean = np.mean(units, axis=0)
        units = [weight @ np.concatenate([unit, mean]) + bias for unit in units]
        if layer != "out":
            units = [np.tanh(unit) for unit in units]
    outputs = np.full(places.actions.size + len(places.other_actions), np.nan)
    for actions, unit in zip(places.actions, units, strict=True):
        outputs[actions] = unit
    if len(places.other_actions):
        outputs[places.other_actions] = tensors["policy.rest.weight"].astype(float) @ mean + tensors["policy.rest.bias"]
    return outputs


@pytest.mark.parametrize("name", sorted({name for name, _ in KINDS}))
def test_shared_weights(name: str, make_policy: Callable[..., Any]) -> None:
    game = get_game(name)
    card, tensors = make_policy(game, (8, 6, 5), alike="shared")
    observations = observe(game)[::7]
    places = alike_places(game, "shared")
    found = make_network(card.network, tensors, places)(observations)
    assert places is not None and found.dtype == np.float32
    wanted = [shared_reference(places, tensors, 3, observation) for observation in observations]
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", [name for name, kind in KINDS if kind == "ordered"])
def test_things_in_order(name: str, make_policy: Callable[..., Any]) -> None:
    """As an ordinary network gives it for an observation whose things are in order already."""
    game = get_game(name)
    card, tensors = make_policy(game, alike="ordered")
    places = alike_places(game, "ordered")
    plain = make_network(card.network, tensors, None)
    network = make_network(card.network, tensors, places)
    assert places is not None and places.order is not None
    for observation in observe(game)[::7]:
        keys = observation[places.order].astype(int)
        order = sorted(range(len(keys)), key=lambda thing: (-keys[thing], thing))
        ordered = observation.copy()
        for place, thing in enumerate(order):
            ordered[places.entries[place]] = observation[places.entries[thing]]
        outputs = plain(ordered[None])[0]
        wanted = outputs.copy()
        for place, thing in enumerate(order):
            wanted[places.actions[thing]] = outputs[places.actions[place]]
        np.testing.assert_allclose(network(observation[None])[0], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_things_change_places(name: str, kind: str, make_policy: Callable[..., Any]) -> None:
    game = get_game(name)
    card, tensors = make_policy(game, alike=kind)
    places = alike_places(game, kind)
    network = make_network(card.network, tensors, places)
    assert places is not None
    generator = np.random.default_rng(0)
    observations = observe(game)
    if places.order is not None:  # equal ones stay where they are, so they must differ
        values = np.tile(np.arange(len(places.order)), (len(observations), 1))
        observations[:, places.order] = generator.permuted(values, axis=1)
    moved = generator.permutation(len(places.entries))
    changed = observations.copy()
    changed[:, places.entries[moved]] = observations[:, places.entries]
    outputs, wanted = network(observations), np.empty((len(observations), game.num_actions), np.float32)
    wanted[:, places.other_actions] = outputs[:, places.other_actions]
    wanted[:, places.actions[moved]] = outputs[:, places.actions]
    assert (changed != observations).any(axis=1).mean() > 0.5
    np.testing.assert_allclose(network(changed), wanted, rtol=1e-4, atol=1e-4)


def test_a_network_that_shares_weights_needs_a_hidden_layer() -> None:
    assert "needs a hidden layer" in network_error({"hidden": [], "activation": "relu", "alike": "shared"})
    assert not network_error({"hidden": [], "activation": "relu", "alike": "ordered"})
