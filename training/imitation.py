"""A warm start: the network learns to choose as the game's heuristic, before PPO makes it better than that.

This is DAgger (Ross, Gordon and Bagnell, 2011). At first the heuristic plays the learner's seats too; the longer it
takes, the more tables the learner plays itself, so that it also meets the positions that its own mistakes lead to. What
it shall do there the heuristic says, which sees what the learner sees. The value network learns what is still gained
in these games.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from shadowenvs.learner import LearnerBatch
from training.networks import PolicyNetworks


@dataclass(frozen=True)
class Imitated:
    """What came of it, measured on the last rollout before it was trained on.

    Attributes:
        decisions: Decisions that were shown.
        agreement: Share of decisions where the learner's most likely action is the heuristic's.
        explained: Share of the variance of the returns that the value network explains.
    """

    decisions: int
    agreement: float
    explained: float


@dataclass
class Rollout:
    """T decisions at each of B tables.

    Attributes:
        observations: int8 [T, B, F].
        masks: bool [T, B, A].
        labels: int64 [T, B], what the heuristic would do.
        returns: float32 [T, B], what was gained from there on.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    labels: NDArray[np.int64]
    returns: NDArray[np.float32]


def imitate(
    policy: PolicyNetworks,
    batch: LearnerBatch,
    decisions: int,
    *,
    rollout: int,
    minibatch: int,
    epochs: int,
    learning_rate: float,
    gamma: float,
    seed: int,
    progress: Callable[[int], object] | None = None,
) -> Imitated:
    """Trains policy and value networks on what the heuristic does.

    Args:
        policy: The networks; their optimiser is used, and starts anew afterwards.
        batch: Tables with a learner's seat, dealt already.
        decisions: How many to see at least; whole rollouts are.
        rollout: Decisions per table between updates.
        minibatch: Decisions per gradient step.
        epochs: Passes over each rollout.
        learning_rate: Of Adam; falls to a tenth.
        gamma: Discount per decision.
        seed: Of all draws.
        progress: Called with the number of decisions just seen.
    """
    generator = np.random.default_rng(seed)
    torch.manual_seed(seed)
    optimizer = policy.optimizer
    policy.set_training_mode(True)
    seen = 0
    agreement = explained = 0.0
    while seen < decisions:
        done = seen / decisions
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1.0 - 0.9 * done)
        data = play(policy, batch, rollout, done, gamma, generator)
        agreement, explained = fit(policy, data, minibatch, epochs, generator)
        seen += data.labels.size
        if progress is not None:
            progress(data.labels.size)
    optimizer.state.clear()
    return Imitated(seen, agreement, explained)


def learn_values(
    policy: PolicyNetworks,
    batch: LearnerBatch,
    decisions: int,
    *,
    rollout: int,
    minibatch: int,
    learning_rate: float,
    gamma: float,
    seed: int,
) -> None:
    """Lets the value network learn the returns of the policy as it is, which does not change.

    A new reward makes the values of the old one wrong, and PPO would spoil the policy until they are right. The layer
    that both networks share does not change either.

    Args:
        policy: The networks.
        batch: Tables with the new reward, dealt already.
        decisions: How many to see at least; whole rollouts are.
        rollout: Decisions per table between updates.
        minibatch: Decisions per gradient step.
        learning_rate: Of Adam.
        gamma: Discount per decision.
        seed: Of all draws.
    """
    generator = np.random.default_rng(seed)
    torch.manual_seed(seed)
    own = [*policy.mlp_extractor.value_net.parameters(), *policy.value_net.parameters()]
    optimizer = torch.optim.Adam(own, learning_rate)
    seen = 0
    while seen < decisions:
        data = play(policy, batch, rollout, 1.0, gamma, generator)
        observations = data.observations.reshape(-1, data.observations.shape[-1])
        returns = torch.from_numpy(data.returns.reshape(-1))
        order = generator.permutation(len(observations))
        for start in range(0, len(order), minibatch):
            chosen = order[start : start + minibatch]
            with torch.no_grad():
                features = policy.extract_features(torch.from_numpy(observations[chosen]))
            values = policy.value_net(policy.mlp_extractor.forward_critic(features))[:, 0]
            loss = torch.nn.functional.mse_loss(values, returns[chosen])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        seen += data.labels.size


def play(
    policy: PolicyNetworks,
    batch: LearnerBatch,
    rollout: int,
    own_share: float,
    gamma: float,
    generator: np.random.Generator,
) -> Rollout:
    """Plays some decisions at every table; the learner chooses at a share of the tables, the heuristic elsewhere."""
    tables, layout, num_actions = batch.num_tables, batch.game.observation, batch.game.num_actions
    data = Rollout(
        np.empty((rollout, tables, layout.size), np.int8),
        np.empty((rollout, tables, num_actions), np.bool_),
        np.empty((rollout, tables), np.int64),
        np.empty((rollout, tables), np.float32),
    )
    ended = np.empty((rollout, tables), np.bool_)
    own = np.flatnonzero(generator.random(tables) < own_share)
    for t in range(rollout):
        turn = batch.turn(generator)
        data.observations[t], data.masks[t] = turn.observations, turn.masks
        data.labels[t] = turn.heuristic_actions()
        actions = data.labels[t].copy()
        if len(own):
            with torch.no_grad():
                drawn, _, _ = policy(torch.from_numpy(turn.observations[own]), action_masks=turn.masks[own])
            actions[own] = drawn.numpy()
        batch.step(actions)
        data.returns[t], ended[t] = batch.learner_rewards, batch.dones
    with torch.no_grad():
        following = policy.predict_values(torch.from_numpy(batch.observations)).numpy()[:, 0]
    for t in reversed(range(rollout)):
        data.returns[t] += gamma * np.where(ended[t], 0.0, following)
        following = data.returns[t]
    return data


def fit(
    policy: PolicyNetworks, data: Rollout, minibatch: int, epochs: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Trains on a rollout; returns agreement and explained variance of its first pass."""
    observations = data.observations.reshape(-1, data.observations.shape[-1])
    masks = data.masks.reshape(-1, data.masks.shape[-1])
    labels = torch.from_numpy(data.labels.reshape(-1))
    returns = torch.from_numpy(data.returns.reshape(-1))
    agreed, error = 0, 0.0
    for epoch in range(epochs):
        order = generator.permutation(len(observations))
        for start in range(0, len(order), minibatch):
            chosen = order[start : start + minibatch]
            guesses, values = policy.log_probabilities(torch.from_numpy(observations[chosen]), masks[chosen])
            wanted = labels[chosen]
            value_error = torch.nn.functional.mse_loss(values[:, 0], returns[chosen])
            loss = torch.nn.functional.nll_loss(guesses, wanted) + value_error
            policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            policy.optimizer.step()
            if epoch == 0:
                agreed += int((guesses.argmax(dim=1) == wanted).sum())
                error += value_error.item() * len(chosen)
    variance = float(returns.var(correction=0)) * len(order)
    return agreed / len(order), 1.0 - error / max(variance, 1e-9)
