"""Things that a game calls alike are: where they change places, a good player's choice changes with them."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs import GAMES, get_game
from shadowenvs.batch import Batch

GAMES_WITH_ALIKE = [name for name in GAMES if get_game(name).alike is not None]


@pytest.mark.parametrize("name", GAMES_WITH_ALIKE)
def test_no_field_is_forgotten(name: str) -> None:
    """A field that has a value or a row of values for each thing tells something of each."""
    game = get_game(name)
    assert game.alike is not None
    count = game.alike.count
    fields = {field.name for field in game.observation.fields if field.shape and field.shape[-1] % count == 0}
    assert set(game.alike.fields) == fields
    assert set(game.alike.actions) == {block.name for block in game.actions.blocks if block.count % count == 0}


@pytest.mark.parametrize("name", GAMES_WITH_ALIKE)
def test_the_heuristic_follows_things_that_change_places(name: str) -> None:
    game = get_game(name)
    assert game.alike is not None
    places = game.alike.places(game.observation, game.actions)
    batch = Batch(game, 64)
    batch.reset(5)
    generator = np.random.default_rng(2)
    followed = decisions = 0
    for _ in range(60):
        moved = generator.permutation(game.alike.count)
        observations, masks = batch.observations.copy(), batch.masks.copy()
        observations[:, places.entries[moved]] = batch.observations[:, places.entries]
        masks[:, places.actions[moved]] = batch.masks[:, places.actions]
        new_place = np.arange(game.num_actions)
        new_place[places.actions] = places.actions[moved]
        records = game.observation.records(observations)
        actions = batch.turn(generator).heuristic_actions()
        for b in range(0, batch.num_tables, 4):
            if batch.masks[b].sum() < 3:
                continue
            # It breaks ties at random, or by the number of a card: several draws, of which one must follow.
            choices = {
                int(game.heuristic(batch.tables[0], records[b], masks[b], np.uint64(seed))) for seed in range(24)
            }
            decisions += 1
            followed += int(new_place[actions[b]]) in choices
        batch.step(actions)
    assert decisions > 200
    assert followed > 0.97 * decisions, (followed, decisions)
