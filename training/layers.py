"""Layers of the networks that PPO trains: ordinary ones, and such as make use of things that are alike.

:mod:`agents.networks` describes what they compute, and computes it again with NumPy alone.
"""

from __future__ import annotations

import itertools
from typing import cast

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from torch import nn

from shadowenvs.layout import AlikePlaces

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class FirstLayer(BaseFeaturesExtractor):
    """The first layer, shared by policy and value: entries of an observation divided by their scale, then linear.

    Entries that do not vary are left out. The layer has no weights for them; in a checkpoint these are 0.

    Attributes:
        scale: float32 [F], what entries are divided by.
        places: Where things are that the networks treat alike, None for none.
        in_bfloat16: Whether it computes in bfloat16.
        num_inputs: Inputs of the layer in a checkpoint.
        inputs: int64 [inputs], those of them that the weights here are for.
        linear: The layer.
    """

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        scale: NDArray[np.float32],
        varies: NDArray[np.bool_],
        places: AlikePlaces | None,
        size: int,
        activation: str,
        bfloat16: bool,
    ) -> None:
        super().__init__(observation_space, size)
        self.scale = scale
        self.places = places
        self.in_bfloat16 = bfloat16
        used = self.prepare(varies)
        self.num_inputs = len(used)
        self.inputs = np.flatnonzero(used)
        self.linear = nn.Linear(len(self.inputs), size)
        self.activation = ACTIVATIONS[activation]()

    def prepare(self, varies: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Keeps what :meth:`forward` needs of varying entries, bool [F], and returns the inputs used, bool [inputs]."""
        raise NotImplementedError

    def restore(self, observations: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Returns outputs for actions, [B, A], as they belong to the things, if the layer has put these in order."""
        return outputs


class FlatFeatures(FirstLayer):
    """An ordinary first layer; where there are places of things, these are put in order for it."""

    columns: torch.Tensor
    inverse_scale: torch.Tensor
    order: torch.Tensor
    entries: torch.Tensor
    actions: torch.Tensor

    def prepare(self, varies: NDArray[np.bool_]) -> NDArray[np.bool_]:
        columns = np.flatnonzero(varies)
        self.register_buffer("columns", torch.from_numpy(columns))
        self.register_buffer("inverse_scale", torch.from_numpy(1.0 / self.scale[columns]))
        if self.places is not None:
            assert self.places.order is not None
            self.register_buffer("order", torch.from_numpy(self.places.order))
            self.register_buffer("entries", torch.from_numpy(self.places.entries))
            self.register_buffer("actions", torch.from_numpy(self.places.actions))
        return varies

    def find_order(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the things from the one with the highest entry to the one with the lowest, int64 [B, k]."""
        return torch.argsort(-observations.index_select(1, self.order).short(), dim=1, stable=True)

    def restore(self, observations: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        if self.places is None:
            return outputs
        places = self.actions[self.find_order(observations)].flatten(1)
        return outputs.scatter(1, places, outputs.index_select(1, self.actions.flatten()))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns float32 [B, size] for observations int8 [B, F]."""
        if self.places is not None:
            places = self.entries[self.find_order(observations)].flatten(1)
            mine = self.entries.flatten()
            observations = observations.index_copy(1, mine, observations.gather(1, places))
        scaled = observations.index_select(1, self.columns) * self.inverse_scale
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            features: torch.Tensor = self.activation(self.linear(scaled))
        return features.float()


class HiddenLayers(MlpExtractor):
    """The further hidden layers of both networks, computed in bfloat16; their outputs are float32 again."""

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return super().forward_actor(features).float()

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return super().forward_critic(features).float()


class SharedFeatures(FirstLayer):
    """The first layer with the same weights for each of k alike things; see :mod:`agents.networks`."""

    mine: torch.Tensor
    others: torch.Tensor
    my_inverse_scale: torch.Tensor
    other_inverse_scale: torch.Tensor

    def prepare(self, varies: NDArray[np.bool_]) -> NDArray[np.bool_]:
        assert self.places is not None
        entries, other_entries = self.places.entries, self.places.other_entries
        mine, others = entries[:, varies[entries[0]]], other_entries[varies[other_entries]]
        self.register_buffer("mine", torch.from_numpy(mine.flatten()))
        self.register_buffer("others", torch.from_numpy(others))
        self.register_buffer("my_inverse_scale", torch.from_numpy(1.0 / self.scale[mine]))
        self.register_buffer("other_inverse_scale", torch.from_numpy(1.0 / self.scale[others]))
        return np.concatenate([varies[entries[0]], varies[other_entries]])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns float32 [B, k, size] for observations int8 [B, F]."""
        shape = (len(observations), *self.my_inverse_scale.shape)
        mine = observations.index_select(1, self.mine).view(shape) * self.my_inverse_scale
        others = observations.index_select(1, self.others) * self.other_inverse_scale
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            features: torch.Tensor = self.activation(both(self.linear, mine, others))
        return features.float()


class SharedLayers(MlpExtractor):
    """The further hidden layers of networks that share weights among things.

    Those of the policy see a thing and the mean over all things. Values concern no thing: their layers are ordinary
    ones that see the mean of the first layer.
    """

    def __init__(
        self, sizes: list[int], activation: type[nn.Module], bfloat16: bool, device: torch.device | str
    ) -> None:
        """Makes layers of these sizes, the first of which is that of the layer before."""
        super().__init__(sizes[0], {"pi": [], "vf": sizes[1:]}, activation, device)
        self.policy_net = nn.ModuleList(  # type: ignore[assignment]
            nn.Linear(2 * before, after) for before, after in itertools.pairwise(sizes)
        )
        self.latent_dim_pi = sizes[-1]
        self.activation = activation()
        self.in_bfloat16 = bfloat16

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Returns float32 [B, k, H] for the first layer, float32 [B, k, size]."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            for layer in self.policy_net:
                features = self.activation(both(cast(nn.Linear, layer), features, features.mean(dim=1)))
        return features.float()

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """Returns float32 [B, H] for the first layer, float32 [B, k, size]."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            return super().forward_critic(features.mean(dim=1)).float()


class SharedActions(nn.Module):
    """The last layer of a policy that shares weights: outputs for the actions of each thing, and for the others."""

    def __init__(self, places: AlikePlaces, size: int) -> None:
        """Makes the layer after one of this size."""
        super().__init__()
        self.places: torch.Tensor
        self.out = nn.Linear(2 * size, places.actions.shape[1])
        self.rest = nn.Linear(size, len(places.other_actions)) if len(places.other_actions) else None
        # Outputs are computed thing by thing, then for the others; here is where each action's is.
        found = np.concatenate([places.actions.flatten(), places.other_actions])
        self.register_buffer("places", torch.from_numpy(np.argsort(found)))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Returns float32 [B, A] for the last hidden layer, float32 [B, k, H]."""
        mean = values.mean(dim=1)
        outputs = both(self.out, values, mean).flatten(1)
        if self.rest is not None:
            outputs = torch.cat([outputs, self.rest(mean)], dim=1)
        return outputs.index_select(1, self.places)


def both(layer: nn.Linear, each: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
    """Returns [B, k, out]: a layer applied to inputs of each thing, [B, k, E], followed by common ones, [B, G]."""
    size = each.shape[-1]
    mine = nn.functional.linear(each, layer.weight[:, :size], layer.bias)
    return mine + nn.functional.linear(common, layer.weight[:, size:])[:, None]
