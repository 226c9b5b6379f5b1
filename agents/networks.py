"""What a policy's network computes, with NumPy alone.

Where a game has things that the rules treat alike (suits, dots: :class:`shadowenvs.layout.Alike`), a network can make
use of it in two ways:

- ``"shared"``: the same weights read the entries of each thing and give its actions (deep sets; Zaheer et al., 2017).
  A layer sees the thing and the mean over all of them, the first layer also the entries that belong to none.
- ``"ordered"``: the things are put in descending order of one of their entries before an ordinary network reads them.

Either way two things that change places in an observation change places in the outputs; with ``"ordered"`` if their
entries differ, as things whose entries are equal stay in the order of their numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shadowenvs.game import Game
from shadowenvs.layout import AlikePlaces

ALIKE = ("", "shared", "ordered")
"""What a network makes of things that are alike; "" for nothing."""

Floats = NDArray[np.float32]
Network = Callable[[NDArray[np.int8]], Floats]
"""Gives outputs, float32 [B, A], for observations, int8 [B, F]."""


def alike_kinds(game: Game) -> tuple[str, ...]:
    """Returns those of :data:`ALIKE` that a network for this game can be."""
    if game.alike is None:
        return ALIKE[:1]
    return ALIKE if game.alike.order else ALIKE[:2]


def alike_places(game: Game, kind: str) -> AlikePlaces | None:
    """Returns where the things are that a network of this kind treats alike; None for the kind "".

    They have an order only if the network is to put them in order.

    Raises:
        ValueError: There are no such things in the game, or no order of them.
    """
    if not kind:
        return None
    if game.alike is None:
        raise ValueError(f"{game.title} has no things that are alike: alike must be '', not {kind!r}")
    if kind == "ordered" and not game.alike.order:
        raise ValueError(f"{game.title} has no order of its {game.alike.name}: alike must be '' or 'shared'")
    places = game.alike.places(game.observation, game.actions)
    return places if kind == "ordered" else dataclasses.replace(places, order=None)


def make_network(
    network: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]], places: AlikePlaces | None
) -> Network:
    """Returns a policy's network.

    Args:
        network: Its description in a checkpoint's card.
        tensors: Its weights, as :mod:`agents.checkpoint` lists them.
        places: What :func:`alike_places` returned for its kind.
    """
    if places is None:
        return FlatNetwork(network, tensors)
    if places.order is not None:
        return OrderedNetwork(places, network, tensors)
    return SharedNetwork(places, network, tensors)


class FlatNetwork:
    """Layers one after the other, each of which sees all of the one before."""

    def __init__(self, network: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
        self.inverse_scale = np.float32(1.0) / tensors["scale"]
        self.activate = activation(network)
        names = [*map(str, range(len(network["hidden"]))), "out"]
        self.layers = [(tensors[f"policy.{name}.weight"].T, tensors[f"policy.{name}.bias"]) for name in names]

    def __call__(self, observations: NDArray[np.int8]) -> Floats:
        values: Floats = np.multiply(observations, self.inverse_scale, dtype=np.float32)
        for i, (weight, bias) in enumerate(self.layers):
            values = values @ weight
            values += bias
            if i < len(self.layers) - 1:
                self.activate(values)
        return values


class OrderedNetwork(FlatNetwork):
    """The same, for observations in which the things have been put in order."""

    def __init__(self, places: AlikePlaces, network: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(network, tensors)
        self.places = places

    def __call__(self, observations: NDArray[np.int8]) -> Floats:
        places, rows = self.places, np.arange(len(observations))[:, None, None]
        assert places.order is not None
        # Stable, so that PyTorch finds the same order where entries are equal.
        order = np.argsort(-observations[:, places.order].astype(np.int16), axis=1, kind="stable")
        ordered = observations.copy()
        ordered[rows, places.entries] = observations[rows, places.entries[order]]
        found = super().__call__(ordered)
        outputs = found.copy()
        outputs[rows, places.actions[order]] = found[rows, places.actions]
        return outputs


class SharedNetwork:
    """Layers with the same weights for each thing."""

    def __init__(self, places: AlikePlaces, network: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
        self.places = places
        self.activate = activation(network)
        first, self.first_bias = tensors["policy.0.weight"], tensors["policy.0.bias"]
        inverse_scale = np.float32(1.0) / tensors["scale"]
        num_entries = places.entries.shape[1]
        # Entries without weight are left out.
        used: NDArray[np.bool_] = np.any(first != 0.0, axis=0)
        mine, others = used[:num_entries], used[num_entries:]
        self.entries, self.other_entries = places.entries[:, mine], places.other_entries[others]
        self.entry_scale, self.other_scale = inverse_scale[self.entries], inverse_scale[self.other_entries]
        self.first_own = first[:, :num_entries][:, mine].T.copy()
        self.first_others = first[:, num_entries:][:, others].T.copy()
        names = [*map(str, range(1, len(network["hidden"]))), "out"]
        self.layers = [split(tensors, f"policy.{name}") for name in names]
        self.rest = (
            (tensors["policy.rest.weight"].T, tensors["policy.rest.bias"]) if len(places.other_actions) else None
        )

    def __call__(self, observations: NDArray[np.int8]) -> Floats:
        own = observations[:, self.entries] * self.entry_scale
        others = observations[:, self.other_entries] * self.other_scale
        values: Floats = own @ self.first_own + (others @ self.first_others)[:, None] + self.first_bias
        for own_weight, mean_weight, bias in self.layers:
            self.activate(values)
            mean = values.mean(axis=1)
            values = values @ own_weight + (mean @ mean_weight)[:, None] + bias
        outputs = np.empty((len(observations), self.places.actions.size + len(self.places.other_actions)), np.float32)
        outputs[:, self.places.actions] = values
        if self.rest is not None:
            outputs[:, self.places.other_actions] = mean @ self.rest[0] + self.rest[1]
        return outputs


def split(tensors: Mapping[str, NDArray[Any]], layer: str) -> tuple[Floats, Floats, Floats]:
    """Returns the weights for a thing and for the mean over all, both [in, out], and the bias [out] of a layer."""
    weight = tensors[f"{layer}.weight"]
    size = weight.shape[1] // 2
    return weight[:, :size].T.copy(), weight[:, size:].T.copy(), tensors[f"{layer}.bias"]


def activation(network: Mapping[str, Any]) -> Callable[[Floats], object]:
    """Returns the function that applies a network's activation in place."""
    if network["activation"] == "relu":
        return lambda values: np.maximum(values, np.float32(0.0), out=values)
    return lambda values: np.tanh(values, out=values)


def network_shapes(
    name: str, network: Mapping[str, Any], features: int, outputs: int, places: AlikePlaces | None
) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of a network's tensors by name.

    Args:
        name: ``"policy"`` or ``"value"``.
        network: Its description in a checkpoint's card.
        features: Entries of an observation.
        outputs: Outputs: actions, or 1 for values.
        places: What :func:`alike_places` returned for its kind.
    """
    hidden = list(network["hidden"])
    inputs = [features, *hidden]
    shared = places if places is not None and places.order is None else None
    if shared is not None:
        inputs[0] = shared.entries.shape[1] + len(shared.other_entries)
        if name == "policy":  # values concern no thing: after the first layer their network is an ordinary one
            inputs = [inputs[0], *(2 * size for size in hidden)]
            outputs = shared.actions.shape[1]
    names = [*(f"{name}.{i}" for i in range(len(hidden))), f"{name}.out"]
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, size, after in zip(names, inputs, [*hidden, outputs], strict=True):
        shapes |= {f"{layer}.weight": (after, size), f"{layer}.bias": (after,)}
    if shared is not None and name == "policy" and len(shared.other_actions):
        shapes["policy.rest.weight"] = (len(shared.other_actions), hidden[-1])
        shapes["policy.rest.bias"] = (len(shared.other_actions),)
    return shapes
