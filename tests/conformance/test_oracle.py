"""Every game in lock-step with its oracle: random games, compared after every action."""

from __future__ import annotations

import importlib
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from shadowenvs import get_game, rng
from shadowenvs.batch import Batch
from shadowenvs.game import Game
from tests.conformance.playing import all_cases, few, option_sets, same
from tests.conftest import games

MOST_ACTIONS = few(20_000, 500)
"""No further game of a set of options begins after so many actions: random games of some kinds are very long."""


@dataclass
class Pair:
    """A game twice: the compiled kernels, and the oracle."""

    batch: Batch
    oracle: Any

    @classmethod
    def dealt(cls, batch: Batch, seed: int) -> Pair:
        batch.reset(np.array([seed], np.uint64))
        oracle = oracle_class(batch.game)(batch.options)
        oracle.deal(int(rng.mix(np.uint64(seed), rng.STREAM_TABLE, 0, 0)))
        return cls(batch, oracle)

    @classmethod
    def at(cls, batch: Batch, line: str) -> Pair:
        """Sets both up from a position line."""
        notation = importlib.import_module(f"shadowenvs.games.{batch.game.name}.notation")
        batch.set_states(batch.game.parse_position(line)[1])
        return cls(batch, oracle_class(batch.game).from_position(notation.parse(line)))

    def step(self, action: int) -> None:
        self.batch.step(np.array([action]))
        self.oracle.step(action)

    def line(self) -> str:
        return self.batch.game.format_position(self.batch.options, self.batch.get_states())

    def difference(self) -> str:
        """Returns what differs, "" if nothing does."""
        batch, oracle, state = self.batch, self.oracle, self.batch.get_states()
        ours, theirs = set(np.flatnonzero(batch.masks[0]).tolist()), set(oracle.legal())
        if ours != theirs:

            def words(actions: set[int]) -> list[str]:
                return [batch.game.format_action(batch.options, action) for action in sorted(actions)]

            return f"legal in the game alone: {words(ours - theirs)}, in the oracle alone: {words(theirs - ours)}"
        n = batch.num_players
        pairs = {
            "to_move": (int(state["to_move"][0]), oracle.to_move),
            "points": (batch.points[0].tolist(), list(oracle.points)),
            "winners": ({s for s in range(n) if int(state["winners"][0]) >> s & 1}, set(oracle.winners)),
            "done": (bool(state["done"][0]), bool(oracle.done)),
            "rewards": (state["rewards"][0, :n].tolist(), [float(np.float32(reward)) for reward in oracle.rewards]),
        }
        for name, (in_game, in_oracle) in pairs.items():
            if in_game != in_oracle:
                return f"{name} is {in_game} in the game, {in_oracle} in the oracle"
        # Writing the state as text takes longer than reading the oracle's.
        line = oracle.position().text()
        if same(batch.game.parse_position(line)[1], state):
            return ""
        in_game, in_oracle = set(self.line().split()), set(line.split())
        return f"position: game {sorted(in_game - in_oracle)}, oracle {sorted(in_oracle - in_game)}"


def oracle_class(game: Game) -> Any:
    return importlib.import_module(f"tests.oracles.{game.name}").Oracle


def play_in_step(pair: Pair, chooser: random.Random) -> int:
    """Plays a random game to its end; fails with a minimal list of actions where the two part.

    Returns:
        The number of actions.
    """
    lines, actions = [pair.line()], []
    difference = pair.difference()
    for _ in range(pair.batch.game.max_steps(pair.batch.options, pair.batch.tables)):
        if difference or pair.oracle.done:
            break
        actions.append(chooser.choice(sorted(pair.oracle.legal())))
        before = pair.batch.get_states()
        pair.step(actions[-1])
        difference = pair.difference()
        if difference:
            lines.append(pair.batch.game.format_position(pair.batch.options, before))
    if difference:
        pytest.fail(report(pair.batch, lines, actions, difference), pytrace=False)
    assert pair.oracle.done, "the oracle's game goes on after max_steps actions"
    return len(actions)


def report(batch: Batch, lines: list[str], actions: list[int], difference: str) -> str:
    """Describes a divergence: from the last position before it if it shows from there, else from the deal."""
    start, needed = lines[0], actions
    if len(lines) > 1:
        pair = Pair.at(batch, lines[1])
        if not pair.difference():
            pair.step(actions[-1])
            if shown := pair.difference():
                start, needed, difference = lines[1], actions[-1:], shown
    words = [batch.game.format_action(batch.options, action) for action in needed]
    return f"{difference}\nfrom: {start}\nafter: {'; '.join(words) or 'the deal'}"


@pytest.mark.parametrize(("name", "label"), all_cases())
def test_games_in_step(name: str, label: str, is_long: bool) -> None:
    """The compiled kernels and the oracle agree on masks, states, points, winners and rewards."""
    batch = Batch(get_game(name), 1, autoreset=False, **option_sets(name)[label])
    is_default = label.isdigit()
    others = max(2, 100 // len(option_sets(name)))
    number = few(50 if is_default else others, 2)
    left = MOST_ACTIONS if not is_long else 10 * MOST_ACTIONS
    for seed in range((2000 if is_default else 200) if is_long else number):
        left -= play_in_step(Pair.dealt(batch, seed), random.Random(f"{name} {label} {seed}"))
        if left < 0:
            break


@pytest.mark.parametrize("name", games())
def test_a_divergence_is_reported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report of a broken oracle holds a position, the one action needed, and the difference."""
    game = get_game(name)
    batch = Batch(game, 1, autoreset=False)
    broken = oracle_class(game)
    legal, step = broken.legal, broken.step

    def step_and_break(self: Any, action: int) -> None:
        step(self, action)
        self.is_broken = action % 4 == 1

    monkeypatch.setattr(broken, "step", step_and_break)
    monkeypatch.setattr(broken, "legal", lambda self: set() if getattr(self, "is_broken", False) else legal(self))
    with pytest.raises(pytest.fail.Exception) as caught:
        play_in_step(Pair.dealt(batch, 1), random.Random(1))
    difference, line, action = str(caught.value).splitlines()
    assert difference.startswith("legal in the game alone: ['")
    assert game.parse_position(line.removeprefix("from: "))
    assert game.parse_action(batch.options, action.removeprefix("after: ")) % 4 == 1
