"""The network that PPO trains, and its tensors in the form of a checkpoint."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from shadowenvs.game import Game, Options
from shadowenvs.layout import AlikePlaces
from shadowenvs.learner import LearnerBatch

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
ILLEGAL = -1e8
FIRST = ("policy.0", "value.0")


class FlatFeatures(BaseFeaturesExtractor):
    """The first layer, shared by policy and value: entries of an observation divided by their scale, then linear.

    Entries that do not vary are left out. The layer has no weights for them; in a checkpoint these are 0.

    Attributes:
        scale: float32 [F], what entries are divided by.
        num_inputs: Inputs of the layer in a checkpoint.
        inputs: int64 [inputs], those of them that the weights here are for.
        linear: The layer.
    """

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        entries: Entries,
        places: AlikePlaces | None,
        size: int,
        activation: str,
        bfloat16: bool,
    ) -> None:
        super().__init__(observation_space, size)
        self.columns: torch.Tensor
        self.inverse_scale: torch.Tensor
        self.order: torch.Tensor
        self.entries: torch.Tensor
        self.actions: torch.Tensor
        self.inputs = np.flatnonzero(entries.varies)
        self.num_inputs = len(entries.varies)
        self.scale = entries.scale
        self.places = places  # where the network is to put things in order first
        self.in_bfloat16 = bfloat16
        self.register_buffer("columns", torch.from_numpy(self.inputs))
        self.register_buffer("inverse_scale", torch.from_numpy(1.0 / entries.scale[self.inputs]))
        self.linear = nn.Linear(len(self.inputs), size)
        self.activation = ACTIVATIONS[activation]()
        if places is not None:
            assert places.order is not None
            self.register_buffer("order", torch.from_numpy(places.order))
            self.register_buffer("entries", torch.from_numpy(places.entries))
            self.register_buffer("actions", torch.from_numpy(places.actions))

    def find_order(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the things from the one with the highest entry to the one with the lowest, int64 [B, k]."""
        return torch.argsort(-observations.index_select(1, self.order).short(), dim=1, stable=True)

    def restore(self, observations: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Returns outputs for actions, [B, A], that belong to things in order, as they belong to the things."""
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


class SharedFeatures(BaseFeaturesExtractor):
    """The first layer with the same weights for each of k alike things; see :mod:`agents.networks`.

    Attributes: Those of :class:`FlatFeatures`.
    """

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        entries: Entries,
        places: AlikePlaces,
        size: int,
        activation: str,
        bfloat16: bool,
    ) -> None:
        super().__init__(observation_space, size)
        self.mine: torch.Tensor
        self.others: torch.Tensor
        self.my_inverse_scale: torch.Tensor
        self.other_inverse_scale: torch.Tensor
        # What varies for one thing varies for all, and they have one scale.
        varies, self.scale = entries.varies.copy(), entries.scale.copy()
        varies[places.entries] = varies[places.entries].any(axis=0)
        self.scale[places.entries] = self.scale[places.entries].max(axis=0)
        self.places = places
        self.in_bfloat16 = bfloat16
        used = np.concatenate([varies[places.entries[0]], varies[places.other_entries]])
        self.inputs = np.flatnonzero(used)
        self.num_inputs = len(used)
        mine = places.entries[:, varies[places.entries[0]]]
        others = places.other_entries[varies[places.other_entries]]
        self.num_mine = mine.shape[1]
        self.register_buffer("mine", torch.from_numpy(mine.flatten()))
        self.register_buffer("others", torch.from_numpy(others))
        self.register_buffer("my_inverse_scale", torch.from_numpy(1.0 / self.scale[mine]))
        self.register_buffer("other_inverse_scale", torch.from_numpy(1.0 / self.scale[others]))
        self.linear = nn.Linear(len(self.inputs), size)
        self.activation = ACTIVATIONS[activation]()

    def restore(self, observations: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        return outputs

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

    def __init__(self, sizes: list[int], activation: type[nn.Module], bfloat16: bool) -> None:
        super().__init__(sizes[0], {"pi": [], "vf": sizes[1:]}, activation)
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
    """Applies a layer to inputs of each thing, [B, k, E], followed by inputs common to all, [B, G]."""
    size = each.shape[-1]
    mine = nn.functional.linear(each, layer.weight[:, :size], layer.bias)
    return mine + nn.functional.linear(common, layer.weight[:, size:])[:, None]


class PolicyNetworks(MaskableActorCriticPolicy):
    """Policy and value networks with a common first layer."""

    features_extractor: FlatFeatures | SharedFeatures

    def _build_mlp_extractor(self) -> None:
        features = self.features_extractor
        if isinstance(features, SharedFeatures):
            sizes = [self.features_dim, *cast(dict[str, list[int]], self.net_arch)["pi"]]
            self.mlp_extractor = SharedLayers(sizes, self.activation_fn, features.in_bfloat16)
            return
        kind = HiddenLayers if features.in_bfloat16 else MlpExtractor
        self.mlp_extractor = kind(self.features_dim, self.net_arch, self.activation_fn, self.device)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        if isinstance(self.features_extractor, SharedFeatures):
            self.action_net = SharedActions(self.features_extractor.places, self.mlp_extractor.latent_dim_pi)
            self.action_net.apply(partial(self.init_weights, gain=0.01))
            self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def extract_features(  # type: ignore[override]
        self, obs: torch.Tensor, features_extractor: BaseFeaturesExtractor | None = None
    ) -> torch.Tensor:
        # Without the conversion of all entries to floats: the first layer takes some of them.
        return self.features_extractor(obs)

    def log_probabilities(self, observations: torch.Tensor, masks: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns log-probabilities of actions, float32 [B, A], very low for illegal ones, and values [B, 1]."""
        latent_policy, latent_value = self.mlp_extractor(self.extract_features(observations))
        logits = self.features_extractor.restore(observations, self.action_net(latent_policy))
        if masks is not None:
            legal = torch.as_tensor(masks, dtype=torch.bool).reshape(logits.shape)
            logits = logits.masked_fill(~legal, ILLEGAL)
        return torch.log_softmax(logits, dim=1), self.value_net(latent_value)

    # The two methods that training spends its time in: as those of the base class, but they mask and normalise once
    # where its distributions do it three times.

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        log_probabilities, values = self.log_probabilities(obs, action_masks)
        scores = log_probabilities
        if not deterministic:
            # The largest sum of a log-probability and Gumbel noise is a draw.
            scores = scores - torch.empty_like(scores).exponential_().log_()
        actions = scores.argmax(dim=1)
        return actions, values, log_probabilities.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        log_probabilities, values = self.log_probabilities(obs, action_masks)
        # Far below any probability that counts, and exp is many times slower where it underflows.
        bounded = log_probabilities.clamp_min(-80.0)
        entropy = -(bounded.exp() * bounded).sum(dim=1)
        return values, log_probabilities.gather(1, actions.long()[:, None])[:, 0], entropy


@dataclass(frozen=True)
class Entries:
    """What a network does with the entries of an observation.

    Attributes:
        varies: bool [F], those that get weights.
        scale: float32 [F], what they are divided by, at least 1.
    """

    varies: NDArray[np.bool_]
    scale: NDArray[np.float32]

    @classmethod
    def measure(cls, game: Game, options: Options, num_tables: int = 256, decisions: int = 256) -> Entries:
        """Returns those that vary with these options, scaled by twice their standard deviation.

        Entries that tell the options are the same in all games of a run. A network that gave them weight would play
        differently under another reward, though nothing else differs. And a number that may become 120 but is 2 in
        all games that are played would be next to nothing if it were divided by 120. Games of random and heuristic
        players, always the same ones, show both.
        """
        low, high = game.observation.high.copy(), game.observation.low.copy()
        sums = np.zeros((2, game.observation.size))
        for number, player in enumerate(("random", "heuristic")):
            batch = LearnerBatch(game, num_tables, opponents=player, **options.as_dict())
            batch.reset(number)
            generator = np.random.default_rng(number)
            for _ in range(decisions):
                np.minimum(low, batch.observations.min(axis=0), out=low)
                np.maximum(high, batch.observations.max(axis=0), out=high)
                values = batch.observations.astype(np.float32)
                sums += values.sum(axis=0), np.square(values).sum(axis=0)
                turn = batch.turn(generator)
                batch.step(turn.random_actions() if player == "random" else turn.heuristic_actions())
        means, squares = sums / (2 * num_tables * decisions)
        deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
        scale = np.minimum(np.maximum(2.0 * deviations, 1.0), game.observation.scale())
        return cls(low < high, scale.astype(np.float32))

    @classmethod
    def of(cls, tensors: dict[str, NDArray[Any]], places: AlikePlaces | None) -> Entries:
        """Returns those of a checkpoint whose network shares weights for things in these places, or does not."""
        used = (tensors["policy.0.weight"] != 0.0).any(axis=0)
        if places is None:
            return cls(used, tensors["scale"].copy())
        varies = np.zeros(len(tensors["scale"]), np.bool_)
        varies[places.entries], varies[places.other_entries] = np.split(used, [places.entries.shape[1]])
        return cls(varies, tensors["scale"].copy())


def policy_arguments(
    entries: Entries,
    hidden: tuple[int, ...],
    activation: str,
    bfloat16: bool,
    alike: str = "",
    places: AlikePlaces | None = None,
) -> dict[str, Any]:
    """Returns the ``policy_kwargs`` of MaskablePPO for PolicyNetworks with these hidden layers.

    Args:
        entries: What the first layer does with an observation.
        hidden: Sizes of the hidden layers.
        activation: One of ACTIVATIONS.
        bfloat16: Whether hidden layers compute in bfloat16; outputs, weights and optimiser are float32 in any case.
        alike: What the networks make of things that are alike, one of :data:`agents.networks.ALIKE`.
        places: Where these are; None if nothing is made of them.
    """
    return {
        "features_extractor_class": SharedFeatures if alike == "shared" else FlatFeatures,
        "features_extractor_kwargs": {
            "entries": entries,
            "places": places,
            "size": hidden[0],
            "activation": activation,
            "bfloat16": bfloat16,
        },
        "net_arch": {"pi": list(hidden[1:]), "vf": list(hidden[1:])},
        "activation_fn": ACTIVATIONS[activation],
    }


def layers(policy: PolicyNetworks) -> dict[str, nn.Linear]:
    """Returns the linear layers of both networks by their names in a checkpoint."""
    first, last = policy.features_extractor.linear, policy.action_net
    named: dict[str, nn.Linear] = {}
    for name, body, out in (
        ("policy", policy.mlp_extractor.policy_net, last.out if isinstance(last, SharedActions) else last),
        ("value", policy.mlp_extractor.value_net, policy.value_net),
    ):
        linear: list[nn.Linear] = [first, *(layer for layer in body if isinstance(layer, nn.Linear))]
        named |= {f"{name}.{i}": layer for i, layer in enumerate(linear)}
        named[f"{name}.out"] = cast(nn.Linear, out)
    if isinstance(last, SharedActions) and last.rest is not None:
        named["policy.rest"] = last.rest
    return named


def export_tensors(policy: PolicyNetworks) -> dict[str, NDArray[np.float32]]:
    """Returns copies of the weights as a checkpoint holds them."""
    features = policy.features_extractor
    tensors = {"scale": features.scale.copy()}
    for name, layer in layers(policy).items():
        weight = layer.weight.detach().cpu().numpy()
        if name in FIRST:
            full = np.zeros((len(weight), features.num_inputs), np.float32)
            full[:, features.inputs] = weight
            weight = full
        tensors[f"{name}.weight"] = weight.copy()
        tensors[f"{name}.bias"] = layer.bias.detach().cpu().numpy().copy()
    return tensors


def import_tensors(policy: PolicyNetworks, tensors: dict[str, NDArray[Any]]) -> None:
    """Sets the weights from a checkpoint's tensors, whose shapes were checked when it was loaded."""
    with torch.no_grad():
        for name, layer in layers(policy).items():
            weight = tensors[f"{name}.weight"]
            chosen = weight[:, policy.features_extractor.inputs] if name in FIRST else weight.copy()
            layer.weight.copy_(torch.from_numpy(chosen))
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
