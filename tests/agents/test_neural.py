"""The network player: what it computes, and that it keeps to the rules."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from agents.checkpoint import CheckpointError
from agents.neural import NeuralAgent
from shadowenvs.game import Game
from shadowenvs.turn import Turn
from training.checkpoint import save


def reference(tensors: dict[str, Any], hidden: int, activation: str, observations: np.ndarray) -> np.ndarray:
    """The same network in float64, one row and one unit at a time."""
    functions: dict[str, Callable[[float], float]] = {"tanh": math.tanh, "relu": lambda value: max(value, 0.0)}
    activate = functions[activation]
    rows = []
    for observation in observations:
        values = [int(entry) / float(scale) for entry, scale in zip(observation, tensors["scale"], strict=True)]
        for layer in [*map(str, range(hidden)), "out"]:
            weight, bias = tensors[f"policy.{layer}.weight"].astype(float), tensors[f"policy.{layer}.bias"]
            values = [float(row @ np.array(values)) + float(shift) for row, shift in zip(weight, bias, strict=True)]
            if layer != "out":
                values = [activate(value) for value in values]
        rows.append(values)
    return np.array(rows)


@pytest.mark.parametrize(("hidden", "activation"), [((8, 6), "tanh"), ((8, 6), "relu"), ((), "relu"), ((5,), "tanh")])
def test_outputs(
    game: Game, make_policy: Callable[..., Any], make_turn: Callable[..., Turn], hidden: Any, activation: str
) -> None:
    card, tensors = make_policy(game, hidden, activation)
    turn = make_turn(game)
    agent = NeuralAgent(card, tensors, "net")
    outputs = agent.logits(turn.observations)
    expected = reference(tensors, len(hidden), activation, turn.observations)
    assert outputs.dtype == np.float32
    np.testing.assert_allclose(outputs, expected, rtol=1e-4, atol=1e-4)
    best = np.where(turn.masks, expected, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(agent.act(turn), best)


def test_every_entry_is_scaled_into_the_unit_range(game: Game, make_policy: Callable[..., Any]) -> None:
    """Wide values are two entries, each scaled by itself: the network sees them as any other."""
    card, tensors = make_policy(game, ())
    tensors |= {"policy.out.weight": np.zeros_like(tensors["policy.out.weight"])}
    tensors |= {"policy.out.bias": np.zeros_like(tensors["policy.out.bias"])}
    for place in range(0, game.observation.size, 7):
        tensors["policy.out.weight"][:] = 0.0
        tensors["policy.out.weight"][:, place] = 1.0
        agent = NeuralAgent(card, tensors, "net")
        bounds = agent.logits(np.stack([game.observation.low, game.observation.high]))
        assert (np.abs(bounds) <= 1.0 + 1e-6).all()


def test_loads(tmp_path: Path, game: Game, make_policy: Callable[..., Any], make_turn: Callable[..., Turn]) -> None:
    card, tensors = make_policy(game)
    save(tmp_path / "policy", card, tensors)
    agent = NeuralAgent.load(tmp_path / "policy", game)
    assert agent.name == str(tmp_path / "policy")
    turn = make_turn(game)
    np.testing.assert_array_equal(agent.act(turn), NeuralAgent(card, tensors, "net").act(turn))
    with pytest.raises(CheckpointError, match="version"):
        NeuralAgent.load(tmp_path / "policy", dataclasses.replace(game, version=game.version + 1))


@pytest.mark.parametrize("num_players", [0, -1])
def test_serves_every_number_of_players(
    game: Game, make_policy: Callable[..., Any], make_turn: Callable[..., Turn], num_players: int
) -> None:
    from shadowenvs.batch import Batch

    batch = Batch(game, 4, num_players=game.seats[num_players])
    batch.reset(3)
    card, tensors = make_policy(game)
    agent = NeuralAgent(card, tensors, "net")
    batch.step(agent.act(batch.turn(np.random.default_rng(0))))


def test_sampling_follows_the_softmax(
    game: Game, make_policy: Callable[..., Any], make_turn: Callable[..., Turn]
) -> None:
    card, tensors = make_policy(game)
    turn = make_turn(game, num_tables=24)
    row = int(turn.masks.sum(axis=1).argmax())
    repeat = np.full(4000, row)
    turn = dataclasses.replace(
        turn,
        tables=np.arange(4000),
        **{name: getattr(turn, name)[repeat] for name in ("seats", "observations", "masks")},
    )
    actions = NeuralAgent(card, tensors, "net", greedy=False).act(turn)
    outputs = reference(tensors, 2, "tanh", turn.observations[:1])[0]
    weights = np.where(turn.masks[0], np.exp(outputs - outputs.max()), 0.0)
    expected = 4000 * weights / weights.sum()
    counts = np.bincount(actions, minlength=game.num_actions)
    assert counts[~turn.masks[0]].sum() == 0
    # Rare actions are put together, as the test asks for.
    rare = expected < 5.0
    seen = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    if wanted[-1] < 5.0:
        seen, wanted = np.append(seen[:-2], seen[-2:].sum()), np.append(wanted[:-2], wanted[-2:].sum())
    if len(wanted) > 1:
        assert scipy.stats.chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue > 1e-4


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize("size", [1.0, -1.0])
def test_never_illegal(
    game: Game, make_policy: Callable[..., Any], make_turn: Callable[..., Turn], greedy: bool, size: float
) -> None:
    """Not even with weights whose sums overflow."""
    card, tensors = make_policy(game, (4,), "relu")
    tensors = {name: np.full_like(tensor, size * 3e38) for name, tensor in tensors.items()}
    tensors["scale"] = game.observation.scale()
    turn = make_turn(game, num_tables=40)
    with np.errstate(all="ignore"):
        actions = NeuralAgent(card, tensors, "net", greedy=greedy).act(turn)
    assert turn.masks[np.arange(len(turn)), actions].all()


def test_empty_masks_are_refused(game: Game, make_policy: Callable[..., Any], make_turn: Callable[..., Turn]) -> None:
    turn = make_turn(game)
    turn.masks[2] = False
    card, tensors = make_policy(game)
    with pytest.raises(AssertionError, match="without a legal action"):
        NeuralAgent(card, tensors, "net").act(turn)


def test_needs_no_torch() -> None:
    check = "import sys, agents.registry, agents.matches, agents.human; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)
