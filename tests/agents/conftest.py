"""Games and small policies that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from agents.checkpoint import Card, Tensors
from agents.networks import alike_places, network_shapes
from shadowenvs import GAMES, get_game
from shadowenvs.batch import Batch
from shadowenvs.game import Game
from shadowenvs.turn import Turn


@pytest.fixture(params=list(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    return get_game(request.param)


@pytest.fixture
def make_policy() -> Callable[..., tuple[Card, Tensors]]:
    """Returns a function that makes a policy with random weights."""

    def make(
        game: Game,
        hidden: Sequence[int] = (8, 6),
        activation: str = "tanh",
        seed: int = 0,
        value: bool = False,
        alike: str = "",
    ) -> tuple[Card, Tensors]:
        generator = np.random.default_rng(seed)
        network = {"hidden": list(hidden), "activation": activation, **({"alike": alike} if alike else {})}
        places = alike_places(game, alike)
        card = Card.of(game, game.options.make(), network, step=5, seed=seed, command="train", results={"share": 0.5})
        shapes = network_shapes("policy", network, game.observation.size, game.num_actions, places)
        if value:
            shapes |= network_shapes("value", network, game.observation.size, 1, places)
        tensors: Tensors = {"scale": game.observation.scale()}
        tensors |= {name: generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        return card, tensors

    return make


@pytest.fixture
def make_turn() -> Callable[..., Turn]:
    """Returns a function that plays some random actions at some tables and returns the turn that waits then."""

    def make(game: Game, num_tables: int = 6, num_actions: int = 9, seed: int = 1) -> Turn:
        batch = Batch(game, num_tables)
        batch.reset(seed)
        for number in range(num_actions):
            batch.step(batch.random_actions(seed, number))
        return batch.turn(np.random.default_rng(seed))

    return make
