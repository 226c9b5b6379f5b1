"""Networks that treat suits or dots alike: trained with PyTorch, played with NumPy, and saved in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.checkpoint import Card, load
from agents.networks import alike_places
from agents.neural import NeuralAgent
from shadowenvs import GAMES, get_game
from shadowenvs.learner import LearnerBatch
from shadowenvs.single import spaces
from tests.agents.test_networks import KINDS
from training import ppo
from training.checkpoint import save
from training.imitation import imitate
from training.networks import Entries, PolicyNetworks, export_tensors, import_tensors, policy_arguments
from training.ppo import Run, main, make_args

SMALL: dict[str, Any] = {"num_envs": 8, "rollout": 16, "minibatch": 64, "epochs": 1, "hidden": (12, 10), "steps": 128}
SMALL |= {"eval_every": 0, "eval_deals": 2, "final_deals": 2, "imitate": 128, "imitate_minibatch": 64}


def make_networks(batch: LearnerBatch, kind: str, entries: Entries, bfloat16: bool = False) -> PolicyNetworks:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    arguments = policy_arguments(entries, (24, 16, 12), "relu", bfloat16, alike_places(batch.game, kind))
    return PolicyNetworks(*spaces(batch), lambda _: 1e-3, **arguments)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_the_same_in_numpy_and_after_saving(tmp_path: Path, name: str, kind: str) -> None:
    game = get_game(name)
    options = game.options.make()
    batch = LearnerBatch(game, 16, opponents="heuristic")
    batch.reset(0)
    policy = make_networks(batch, kind, Entries.measure(game, options, num_tables=32, decisions=64))
    for parameter in policy.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    card = Card.of(game, options, {"hidden": [24, 16, 12], "activation": "relu", "alike": kind})
    save(tmp_path / "policy", card, export_tensors(policy))
    card, tensors = load(tmp_path / "policy", game)
    again = make_networks(batch, kind, Entries.of(tensors, alike_places(game, kind)))
    import_tensors(again, tensors)
    agent = NeuralAgent(card, tensors, "net")
    generator = np.random.default_rng(0)
    for _ in range(12):
        turn = batch.turn(generator)
        observations = torch.from_numpy(turn.observations)
        with torch.no_grad():
            guesses, values = policy.log_probabilities(observations, turn.masks)
            for found, wanted in zip(again.log_probabilities(observations, turn.masks), (guesses, values), strict=True):
                torch.testing.assert_close(found, wanted)
            torch.testing.assert_close(policy.predict_values(observations), values)
            distribution = policy.get_distribution(observations, turn.masks).distribution
            assert distribution is not None
            torch.testing.assert_close(distribution.probs, guesses.exp(), rtol=1e-4, atol=1e-5)
        chosen, _ = policy.predict(turn.observations, deterministic=True, action_masks=turn.masks)
        np.testing.assert_array_equal(chosen, guesses.numpy().argmax(axis=1))
        logits = torch.from_numpy(np.where(turn.masks, agent.logits(turn.observations), -1e8))
        torch.testing.assert_close(torch.log_softmax(logits, dim=1).float(), guesses, rtol=1e-3, atol=1e-3)
        batch.step(turn.heuristic_actions())


@pytest.mark.parametrize(("name", "kind"), KINDS)
@pytest.mark.parametrize("bfloat16", [False, True])
def test_they_learn_more_from_the_same_decisions(name: str, kind: str, bfloat16: bool) -> None:
    """Than an ordinary network of the same sizes, from the same games."""
    game = get_game(name)
    entries = Entries.measure(game, game.options.make(), num_tables=64, decisions=128)
    agreement = {}
    for used in (kind, ""):
        batch = LearnerBatch(game, 64, opponents="heuristic")
        batch.reset(5)
        policy = make_networks(batch, used, entries, bfloat16)
        words: dict[str, Any] = {"rollout": 32, "minibatch": 256, "epochs": 2, "learning_rate": 2e-3, "gamma": 1.0}
        agreement[used] = imitate(policy, batch, 30_000, **words, seed=1).agreement
    assert agreement[kind] > agreement[""] + 0.02, agreement


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_run_is_taken_up(tmp_path: Path, name: str, kind: str) -> None:
    args = {**SMALL, "alike": kind, "run": str(tmp_path / "run")}
    run = Run(make_args(name, **args))
    assert run.train()
    tensors = export_tensors(run.policy)
    again = Run(make_args(name, **{**args, "resume": True, "steps": 256}))
    for key, tensor in export_tensors(again.policy).items():
        np.testing.assert_array_equal(tensor, tensors[key])
    assert again.train() and again.model.num_timesteps == 256
    with pytest.raises(ValueError, match="the run's network is"):
        Run(make_args(name, **{**args, "resume": True, "alike": ""}))


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_run_is_not_taken_up_with_another_network(tmp_path: Path, name: str, kind: str) -> None:
    args = {**SMALL, "run": str(tmp_path / "run"), "imitate": 0}
    assert Run(make_args(name, **args, alike="")).train()
    with pytest.raises(ValueError, match="the run's network is"):
        Run(make_args(name, **{**args, "resume": True, "alike": kind}))


def test_wrong_words(capsys: pytest.CaptureFixture[str]) -> None:
    name = KINDS[0][0]
    with pytest.raises(SystemExit):
        main(["--game", name, "--alike", "same"])
    assert "alike must be one of '', 'shared', 'ordered', not 'same'" in capsys.readouterr().err


def test_games_without_such_things(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without = [name for name in GAMES if get_game(name).alike is None]
    assert without
    for name in without:
        assert ppo.main(["--game", name, "--alike", "shared", "--run", str(tmp_path / name)]) == 1
        assert f"{get_game(name).title} has no things that are alike" in capsys.readouterr().err
