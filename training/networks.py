"""The network that PPO trains, and its tensors in the form of a checkpoint."""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from shadowenvs.layout import Layout

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class ScaledFeatures(BaseFeaturesExtractor):
    """The first layer, shared by policy and value: entries of an observation divided by their scale, then linear."""

    def __init__(
        self, observation_space: gymnasium.spaces.Box, scale: NDArray[np.float32], size: int, activation: str
    ) -> None:
        super().__init__(observation_space, size)
        self.inverse_scale: torch.Tensor
        self.register_buffer("inverse_scale", torch.from_numpy(1.0 / scale))
        self.linear = nn.Linear(len(scale), size)
        self.activation = ACTIVATIONS[activation]()

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns float32 [B, size] for observations float32 [B, F]."""
        features: torch.Tensor = self.activation(self.linear(observations * self.inverse_scale))
        return features


def policy_arguments(layout: Layout, hidden: tuple[int, ...], activation: str) -> dict[str, Any]:
    """Returns the ``policy_kwargs`` of MaskablePPO for a network with these hidden layers."""
    return {
        "features_extractor_class": ScaledFeatures,
        "features_extractor_kwargs": {"scale": layout.scale(), "size": hidden[0], "activation": activation},
        "net_arch": {"pi": list(hidden[1:]), "vf": list(hidden[1:])},
        "activation_fn": ACTIVATIONS[activation],
    }


def layers(policy: MaskableActorCriticPolicy) -> dict[str, nn.Linear]:
    """Returns the linear layers of both networks by their names in a checkpoint."""
    first: Any = policy.features_extractor.linear
    named: dict[str, nn.Linear] = {}
    for name, body, last in (
        ("policy", policy.mlp_extractor.policy_net, policy.action_net),
        ("value", policy.mlp_extractor.value_net, policy.value_net),
    ):
        last = cast(nn.Linear, last)
        linear: list[nn.Linear] = [first, *(layer for layer in body if isinstance(layer, nn.Linear))]
        named |= {f"{name}.{i}": layer for i, layer in enumerate(linear)}
        named[f"{name}.out"] = last
    return named


def export_tensors(policy: MaskableActorCriticPolicy, layout: Layout) -> dict[str, NDArray[np.float32]]:
    """Returns copies of the weights as a checkpoint holds them."""
    tensors = {"scale": layout.scale()}
    for name, layer in layers(policy).items():
        tensors[f"{name}.weight"] = layer.weight.detach().cpu().numpy().copy()
        tensors[f"{name}.bias"] = layer.bias.detach().cpu().numpy().copy()
    return tensors


def import_tensors(policy: MaskableActorCriticPolicy, tensors: dict[str, NDArray[Any]]) -> None:
    """Sets the weights from a checkpoint's tensors, whose shapes were checked when it was loaded."""
    with torch.no_grad():
        for name, layer in layers(policy).items():
            layer.weight.copy_(torch.from_numpy(tensors[f"{name}.weight"].copy()))
            layer.bias.copy_(torch.from_numpy(tensors[f"{name}.bias"].copy()))


def export_optimizer(policy: MaskableActorCriticPolicy) -> dict[str, NDArray[np.float32]]:
    """Returns the state of Adam by parameter name; empty before its first step."""
    tensors = {}
    for name, parameter in policy.named_parameters():
        for key, value in policy.optimizer.state.get(parameter, {}).items():
            tensors[f"adam.{name}.{key}"] = value.detach().cpu().numpy().copy()
    return tensors


def import_optimizer(policy: MaskableActorCriticPolicy, tensors: dict[str, NDArray[Any]]) -> None:
    """Sets the state of Adam from tensors that :func:`export_optimizer` made."""
    for name, parameter in policy.named_parameters():
        prefix = f"adam.{name}."
        state = {
            key.removeprefix(prefix): torch.from_numpy(value.copy())
            for key, value in tensors.items()
            if key.startswith(prefix)
        }
        if state:
            policy.optimizer.state[parameter] = state
