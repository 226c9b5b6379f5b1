"""Games kept as text: a change of rules, deals or notation shows here. Written anew with --update-golden."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shadowenvs import get_game
from shadowenvs.batch import Batch
from tests.conformance.playing import counts, pick, same

FOLDER = Path(__file__).parents[1] / "golden"


def record(name: str, n: int) -> list[str]:
    """Plays a game; returns the position after the deal, the actions, and the last position."""
    game = get_game(name)
    batch = Batch(game, 1, autoreset=False, num_players=n)
    batch.reset(n)
    lines = [game.format_position(batch.options, batch.get_states())]
    for number in range(game.max_steps(batch.options, batch.tables)):
        if batch.get_states()["done"][0]:
            break
        # Every other action is the heuristic's, so that the game is neither senseless nor narrow.
        generator = np.random.default_rng(number)
        action = int(batch.turn(generator).heuristic_actions()[0]) if number % 2 else pick(batch.masks[0], number)
        lines.append(game.format_action(batch.options, action))
        batch.step(np.array([action]))
    return [*lines, game.format_position(batch.options, batch.get_states())]


@pytest.mark.parametrize(("name", "n"), counts())
def test_golden_game(name: str, n: int, pytestconfig: pytest.Config) -> None:
    """The deal of the seed, every action's legality and the last position are as they were."""
    path = FOLDER / f"{name}_{n}.txt"
    if pytestconfig.getoption("update_golden"):
        path.write_text("\n".join(record(name, n)) + "\n", encoding="utf-8")
    first, *actions, last = path.read_text(encoding="utf-8").splitlines()
    game = get_game(name)
    options, state = game.parse_position(first)
    batch = Batch(game, 1, autoreset=False, **options.as_dict())
    batch.reset(n)
    assert same(batch.get_states(), state), "the deal is another one"
    for number, word in enumerate(actions, start=2):
        action = game.parse_action(options, word)
        assert batch.masks[0, action], f"{path.name}:{number}: {word} is not legal"
        batch.step(np.array([action]))
    assert game.format_position(options, batch.get_states()) == last
    assert batch.get_states()["done"][0]
