"""The warm start: whom it copies, what it learns from, and the networks that learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.checkpoint import Card, load
from agents.neural import NeuralAgent
from shadowenvs import GAMES, get_game
from shadowenvs.learner import LearnerBatch
from shadowenvs.single import spaces
from training import ppo
from training.imitation import imitate, learn_values, play
from training.networks import Entries, PolicyNetworks, export_tensors, policy_arguments
from training.ppo import Args, Run, main, read_args

GAME = get_game(next(iter(GAMES)))
OPTIONS = GAME.options.make()


def make_networks(bfloat16: bool = False, hidden: tuple[int, ...] = (64, 32), seed: int = 0) -> PolicyNetworks:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    entries = Entries.measure(GAME, OPTIONS, num_tables=64, decisions=128)
    arguments = policy_arguments(entries, hidden, "relu", bfloat16)
    return PolicyNetworks(*spaces(make_batch(1)), lambda _: 1e-3, **arguments)


def make_batch(tables: int = 64, seed: int = 5) -> LearnerBatch:
    batch = LearnerBatch(GAME, tables, opponents="heuristic", reward="win_share")
    batch.reset(seed)
    return batch


def test_it_learns_to_choose_as_the_heuristic() -> None:
    words: dict[str, Any] = {"rollout": 32, "minibatch": 256, "epochs": 2, "learning_rate": 2e-3, "gamma": 1.0}
    policy = make_networks()
    first = imitate(policy, make_batch(), 2048, **words, seed=1)
    seen: list[int] = []
    last = imitate(policy, make_batch(seed=6), 30_000, **words, seed=2, progress=seen.append)
    assert sum(seen) == last.decisions == 30_720
    assert last.agreement > first.agreement + 0.1
    assert not policy.optimizer.state, "PPO would start with moments of another loss"


def test_the_heuristic_plays_first_and_the_learner_later() -> None:
    """Labels are the heuristic's choices in the positions at hand, whoever plays."""
    policy = make_networks()
    for share in (0.0, 1.0):
        data = play(policy, make_batch(), 24, share, 1.0, np.random.default_rng(3))
        batch = make_batch()
        followed = 0
        for t in range(24):
            turn = batch.turn(np.random.default_rng(0))
            labels = turn.heuristic_actions()
            assert data.masks[t][np.arange(64), data.labels[t]].all()
            if np.array_equal(turn.observations, data.observations[t]):
                followed += 1
                np.testing.assert_array_equal(labels, data.labels[t])
            batch.step(labels)
        assert followed == 24 if share == 0.0 else followed < 12


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_returns_are_what_was_gained_from_there_on(gamma: float) -> None:
    policy = make_networks()
    with torch.no_grad():
        policy.value_net.weight.zero_()
        policy.value_net.bias.fill_(0.5)
    length = 2 * GAME.max_steps(OPTIONS, GAME.tables(OPTIONS)) // OPTIONS.num_players
    data = play(policy, make_batch(8), length, 0.0, gamma, np.random.default_rng(3))
    batch = make_batch(8)
    rewards, ended = [], []
    for _ in range(length):
        batch.step(batch.turn(np.random.default_rng(0)).heuristic_actions())
        rewards.append(batch.learner_rewards.copy())
        ended.append(batch.dones.copy())
    assert np.any(ended)
    for t in range(0, length, 5):
        for b in range(8):
            total, weight = 0.0, 1.0
            for later in range(t, length):
                total += weight * rewards[later][b]
                weight *= gamma
                if ended[later][b]:
                    break
            else:
                total += weight * 0.5
            assert data.returns[t, b] == pytest.approx(total, abs=1e-5)


def test_values_are_learned_and_the_policy_stays() -> None:
    policy = make_networks()
    with torch.no_grad():
        policy.value_net.bias.fill_(3.0)

    def error() -> float:
        data = play(policy, make_batch(), 64, 1.0, 1.0, np.random.default_rng(9))
        places = data.observations[:16].reshape(-1, GAME.observation.size)
        with torch.no_grad():
            values = policy.predict_values(torch.from_numpy(places)).numpy()[:, 0]
        return float(np.abs(values.mean() - data.returns[:16].mean()))

    before, first = export_tensors(policy), error()
    learn_values(policy, make_batch(seed=6), 20_000, rollout=64, minibatch=256, learning_rate=3e-3, gamma=1.0, seed=1)
    after = export_tensors(policy)
    assert error() < first / 3
    for name in before:
        changed = name.startswith("value.") and not name.startswith("value.0")
        assert np.array_equal(before[name], after[name]) != changed, name


# ------------------------------------------------------------------------------------------------------------ networks


def positions() -> tuple[torch.Tensor, np.ndarray]:
    batch = make_batch(200)
    generator = np.random.default_rng(1)
    for _ in range(9):
        batch.step(batch.turn(generator).random_actions())
    return torch.from_numpy(batch.observations.copy()), batch.masks.copy()


def test_networks_compute_as_the_base_class() -> None:
    policy = make_networks()
    with torch.no_grad():
        policy.action_net.weight.mul_(300.0)
        observations, masks = positions()
        actions, values, log_probabilities = policy(observations, action_masks=masks)
        assert masks[np.arange(200), actions.numpy()].all()
        best, _, _ = policy(observations, deterministic=True, action_masks=masks)
        wanted = MaskableActorCriticPolicy.evaluate_actions(policy, observations, actions, masks)
        found = policy.evaluate_actions(observations, actions, torch.from_numpy(masks))
        for one, other in zip(found, wanted, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(log_probabilities, wanted[1], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(values, wanted[0])
        mode = policy.get_distribution(observations, masks).get_actions(deterministic=True)
        torch.testing.assert_close(best, mode)


def test_draws_follow_the_probabilities() -> None:
    policy = make_networks()
    observations, masks = positions()
    with torch.no_grad():
        policy.action_net.weight.mul_(300.0)
        chances = policy.log_probabilities(observations[:1], masks[:1])[0].exp()[0].numpy()
        drawn, _, _ = policy(observations[:1].repeat(20_000, 1), action_masks=masks[:1].repeat(20_000, axis=0))
    shares = np.bincount(drawn.numpy(), minlength=len(chances)) / 20_000
    assert chances.max() > 0.15
    np.testing.assert_allclose(shares, chances, atol=0.02)


def test_bfloat16_is_close_and_gives_floats() -> None:
    observations, masks = positions()
    with torch.no_grad():
        exact = make_networks().log_probabilities(observations, masks)
        rounded = make_networks(bfloat16=True).log_probabilities(observations, masks)
    for one, other in zip(rounded, exact, strict=True):
        assert one.dtype == torch.float32
        torch.testing.assert_close(one, other, rtol=0.02, atol=0.05)
    assert not torch.equal(rounded[1], exact[1])


def test_options_have_no_weight() -> None:
    """A policy plays the same whatever the reward that a table pays; entries that vary do matter."""
    varies = Entries.measure(GAME, OPTIONS, num_tables=64, decisions=128).varies
    observations, _ = positions()
    policy = make_networks()
    tensors = export_tensors(policy)
    hidden = {"hidden": [64, 32], "activation": "relu"}
    agent = NeuralAgent(Card.of(GAME, OPTIONS, hidden), tensors, "x")
    before = agent.logits(observations.numpy())
    other = LearnerBatch(GAME, 1, opponents="heuristic", reward=rewards_of(GAME)[1])
    own = LearnerBatch(GAME, 1, opponents="heuristic", reward=rewards_of(GAME)[0])
    other.reset(1)
    own.reset(1)
    changed = np.flatnonzero(other.observations[0] != own.observations[0])
    assert len(changed) > 0
    assert not varies[changed].any()
    moved = observations.numpy().copy()
    moved[:, ~varies] = GAME.observation.high[~varies]
    np.testing.assert_array_equal(agent.logits(moved), before)
    moved[:, varies] = GAME.observation.high[varies]
    assert not np.allclose(agent.logits(moved), before)


@pytest.mark.parametrize("game", GAMES)
def test_entries_are_scaled_by_what_they_are(game: str) -> None:
    """Divided by the scale, entries deviate by about a half at most; small numbers stay as they are."""
    rules = get_game(game)
    options = rules.options.make()
    entries = Entries.measure(rules, options, num_tables=64, decisions=128)
    assert (entries.scale >= 1.0).all() and (entries.scale <= rules.observation.scale()).all()
    batch = LearnerBatch(rules, 64, opponents="heuristic")
    batch.reset(8)
    seen = []
    for _ in range(100):
        seen.append(batch.observations.copy())
        batch.step(batch.turn(np.random.default_rng(1)).heuristic_actions())
    deviations = np.concatenate(seen).std(axis=0)
    assert not deviations[~entries.varies].any()
    assert (deviations / entries.scale).max() < 1.0
    wide = deviations > 3.0
    if wide.any():
        assert (deviations / entries.scale)[wide & (entries.scale < rules.observation.scale())].min() > 0.1


def test_entries_of_a_checkpoint() -> None:
    policy = make_networks()
    entries = Entries.of(export_tensors(policy), None)
    measured = Entries.measure(GAME, OPTIONS, num_tables=64, decisions=128)
    np.testing.assert_array_equal(entries.varies, measured.varies)
    np.testing.assert_array_equal(entries.scale, measured.scale)


def rewards_of(game: Any) -> list[str]:
    row = next(row for row in game.options.table() if row[0] == "reward")
    return [word.strip("'") for word in row[1].split(", ")]


# --------------------------------------------------------------------------------------------------------------- a run

SMALL = [
    *("--game", GAME.name, "--num-envs", "16", "--rollout", "16", "--minibatch", "128", "--epochs", "1"),
    *("--hidden", "16", "16", "--pool-every", "512", "--checkpoint-every", "256", "--eval-every", "0"),
    *("--eval-deals", "2", "--final-deals", "2", "--torch-threads", "1", "--imitate", "512"),
]


def small_args(folder: Path, *more: str) -> Args:
    return read_args([*SMALL, "--run", str(folder), *more])


def test_a_run_imitates_once(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--run", str(folder), "--steps", "512"], lambda _: None) == 0
    card, _ = load(folder / "checkpoint")
    trainer = card.results["trainer"]
    assert trainer["imitated"]["decisions"] == 512
    assert [entry["step"] for entry in trainer["history"]] == [0, 512]
    run = Run(small_args(folder, "--resume", "--steps", "1024"))
    run._imitate = lambda: pytest.fail("it imitated again")  # type: ignore[method-assign]
    assert run.train()
    assert run.imitated == trainer["imitated"]


def test_a_run_cut_off_after_imitation_goes_on_with_it(tmp_path: Path) -> None:
    run = Run(small_args(tmp_path / "run", "--steps", "512"))
    run._imitate()
    taken_up = Run(small_args(tmp_path / "run", "--steps", "512", "--resume"))
    assert taken_up.imitated == run.imitated != {}
    assert taken_up.history == run.history
    after, before = export_tensors(taken_up.policy), export_tensors(run.policy)
    assert all(np.array_equal(after[name], before[name]) for name in before)


def test_reward_changes_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = rewards_of(GAME)[1]
    words = ("--steps", "1024", "--win-share-after", "512", "--set", f"reward={other}")
    run = Run(small_args(tmp_path / "run", *words))
    seen: list[tuple[int, str]] = []
    learned: list[int] = []
    monkeypatch.setattr(ppo, "learn_values", lambda *_, **words: learned.append(run.model.num_timesteps))
    learn = run.model.learn

    def watch(*arguments: Any, **keywords: Any) -> Any:
        env: Any = run.model.env
        seen.append((run.model.num_timesteps, env.batch.options.reward))
        return learn(*arguments, **keywords)

    run.model.learn = watch  # type: ignore[method-assign]
    assert run.train()
    assert seen == [(0, other), (512, "win_share")]
    assert learned == [512]
    args = run.args
    rate = run.model.policy.optimizer.param_groups[0]["lr"]
    assert rate == pytest.approx(args.final_learning_rate)
    run.until = 512
    assert run._learning_rate(0.0) == pytest.approx((args.learning_rate + args.final_learning_rate) / 2)
