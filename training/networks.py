"""The network that PPO trains, and its tensors in the form of a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from shadowenvs.game import Game, Options
from shadowenvs.layout import AlikePlaces
from shadowenvs.learner import LearnerBatch
from training.layers import (
    ACTIVATIONS,
    FirstLayer,
    FlatFeatures,
    HiddenLayers,
    SharedActions,
    SharedFeatures,
    SharedLayers,
)

ILLEGAL = -1e8
FIRST = ("policy.0", "value.0")


class PolicyNetworks(MaskableActorCriticPolicy):
    """Policy and value networks with a common first layer."""

    features_extractor: FirstLayer

    def _build_mlp_extractor(self) -> None:
        features = self.features_extractor
        if isinstance(features, SharedFeatures):
            sizes = [self.features_dim, *cast(dict[str, list[int]], self.net_arch)["pi"]]
            self.mlp_extractor = SharedLayers(sizes, self.activation_fn, features.in_bfloat16, self.device)
            return
        kind = HiddenLayers if features.in_bfloat16 else MlpExtractor
        self.mlp_extractor = kind(self.features_dim, self.net_arch, self.activation_fn, self.device)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        if isinstance(self.features_extractor, SharedFeatures):
            assert self.features_extractor.places is not None
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

    def get_distribution(  # type: ignore[override]
        self, obs: torch.Tensor, action_masks: Any = None
    ) -> MaskableDistribution:
        """Returns the distribution of actions, from which the methods for prediction draw."""
        distribution = self.action_dist.proba_distribution(self.log_probabilities(obs, action_masks)[0])
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

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

    def alike(self, places: AlikePlaces | None) -> Entries:
        """Returns the same for all things that are alike: what varies for one, and the largest scale of one."""
        if places is None:
            return self
        varies, scale = self.varies.copy(), self.scale.copy()
        varies[places.entries] = varies[places.entries].any(axis=0)
        scale[places.entries] = scale[places.entries].max(axis=0)
        return Entries(varies, scale)

    @classmethod
    def of(cls, tensors: dict[str, NDArray[Any]], places: AlikePlaces | None) -> Entries:
        """Returns those of a checkpoint; ``places`` are those of what its network treats alike."""
        used = (tensors["policy.0.weight"] != 0.0).any(axis=0)
        if places is None or places.order is not None:
            return cls(used, tensors["scale"].copy())
        varies = np.zeros(len(tensors["scale"]), np.bool_)
        varies[places.entries], varies[places.other_entries] = np.split(used, [places.entries.shape[1]])
        return cls(varies, tensors["scale"].copy())


def policy_arguments(
    entries: Entries,
    hidden: tuple[int, ...],
    activation: str,
    bfloat16: bool,
    places: AlikePlaces | None = None,
) -> dict[str, Any]:
    """Returns the ``policy_kwargs`` of MaskablePPO for PolicyNetworks with these hidden layers.

    Args:
        entries: What the first layer does with an observation.
        hidden: Sizes of the hidden layers.
        activation: One of ACTIVATIONS.
        bfloat16: Whether hidden layers compute in bfloat16; outputs, weights and optimiser are float32 in any case.
        places: What :func:`agents.networks.alike_places` returns for the kind of network.
    """
    entries = entries.alike(places)
    return {
        "features_extractor_class": FlatFeatures if places is None or places.order is not None else SharedFeatures,
        "features_extractor_kwargs": {
            "scale": entries.scale,
            "varies": entries.varies,
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
