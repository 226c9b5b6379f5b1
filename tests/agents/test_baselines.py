"""The policies that come with the checkout: complete, current, and good enough."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.checkpoint import MODEL_FILE, Card, CheckpointError, Tensors, load
from agents.heuristic import HeuristicAgent
from agents.matches import draw_deals, interval, play_deals
from agents.networks import alike_places
from agents.neural import BASELINES, NeuralAgent, baseline, baselines
from agents.neural import load as load_policy
from agents.random import RandomAgent
from agents.registry import make
from shadowenvs import GAMES, get_game
from shadowenvs.batch import Batch
from shadowenvs.game import Game
from shadowenvs.single import spaces
from training.checkpoint import save
from training.networks import Entries, PolicyNetworks, export_tensors, import_tensors, policy_arguments
from training.publish import MOST_BYTES

ROOT = Path(__file__).parents[2]
RETRAIN = "the observation or the actions have changed: train the policy anew and publish it (docs/training.md)"


def test_every_game_has_one() -> None:
    assert baselines() == sorted(f"{name}/ppo-v{version}" for name, version in GAMES.items()), RETRAIN


@pytest.mark.parametrize("name", baselines())
def test_card_is_complete_and_current(name: str) -> None:
    try:
        agent = load_policy(name)
    except CheckpointError as error:
        pytest.fail(f"{error}; {RETRAIN}")
    card = agent.card
    game = get_game(name.partition("/")[0])
    assert (card.game, card.version) == (game.name, game.version)
    assert card.options == game.options.make(**card.options).as_dict(), RETRAIN
    assert card.step > 0 and card.wall_time > 0
    words = shlex.split(card.command)
    assert words[:3] == ["python", "-m", "training.ppo"]
    assert game.name in words and str(card.seed) in words
    config = tomllib.loads((ROOT / words[words.index("--config") + 1]).read_text())
    assert config["hidden"] == card.network["hidden"]
    assert config.get("alike", "") == card.network.get("alike", "")
    for opponent in ("random", "heuristic"):
        share, low, high = card.results[f"share_{opponent}"]
        assert 0.0 <= low <= share <= high <= 1.0
    assert card.results["history"][-1]["step"] == card.step == card.results["step"]
    assert (BASELINES / name / MODEL_FILE).stat().st_size <= MOST_BYTES + 4096


@pytest.mark.parametrize("name", baselines())
def test_the_document_says_what_the_card_says(name: str) -> None:
    card = load_policy(name).card
    results = card.results
    cells = ["{:.3f} ({:.3f} to {:.3f})".format(*results[f"share_{other}"]) for other in ("heuristic", "random")]
    cells.append(f"{results['heuristic_share_random'][0]:.3f}")
    decisions = f"{results['imitated']['decisions'] / 1e6:.1f} + {card.step / 1e6:.1f} million"
    row = f"| {' | '.join([get_game(card.game).title, *cells, decisions, f'{card.wall_time / 60:.0f}'])} |"
    assert row in (ROOT / "docs" / "training.md").read_text(), row


def torch_logits(game: Game, card: Card, tensors: Tensors) -> Callable[[np.ndarray], np.ndarray]:
    """The policy network as the trainer computes it with PyTorch, without the logarithm of the softmax."""
    network = card.network
    places = alike_places(game, network.get("alike", ""))
    entries = Entries.of(tensors, places)
    arguments = policy_arguments(entries, tuple(network["hidden"]), network["activation"], False, places)
    policy = PolicyNetworks(*spaces(Batch(game, 1)), lambda _: 0.0, **arguments)
    # A policy that comes with the checkout has no value network any more.
    values = {name: tensor for name, tensor in export_tensors(policy).items() if name.startswith("value.")}
    import_tensors(
        policy,
        {**values, "value.0.weight": tensors["policy.0.weight"], "value.0.bias": tensors["policy.0.bias"]} | tensors,
    )

    def compute(observations: np.ndarray) -> np.ndarray:
        found = torch.from_numpy(observations)
        with torch.no_grad():
            latent = policy.mlp_extractor.forward_actor(policy.extract_features(found))
            return policy.features_extractor.restore(found, policy.action_net(latent)).numpy()

    return compute


def probabilities(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    legal = np.where(masks, logits.astype(np.float64), -np.inf)
    weights = np.exp(legal - legal.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", baselines())
def test_equal_to_torch(name: str) -> None:
    """In positions of its own games: probabilities are those of PyTorch to 1e-5, logits to 1e-5 of the largest."""
    torch.set_num_threads(1)
    agent = load_policy(name)
    game = get_game(agent.card.game)
    in_torch = torch_logits(game, *load(BASELINES / name, game))
    batch = Batch(game, 64, **agent.card.options)
    batch.reset(4)
    generator = np.random.default_rng(0)
    for _ in range(40):
        turn = batch.turn(generator)
        found = agent.logits(turn.observations)
        wanted = in_torch(turn.observations)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5 * max(1.0, float(np.abs(wanted).max())))
        pairs = (probabilities(logits, turn.masks) for logits in (found, wanted))
        np.testing.assert_allclose(*pairs, rtol=0, atol=1e-5)
        batch.step(agent.act(turn))


@pytest.mark.parametrize("name", baselines())
@pytest.mark.parametrize("greedy", [True, False])
def test_legal_at_every_number_of_players(name: str, greedy: bool) -> None:
    agent = load_policy(name, greedy=greedy)
    game = get_game(agent.card.game)
    for num_players in game.seats:
        deals = draw_deals(1, 4)
        line_ups = [[0] * num_players]
        results = play_deals(game, {"num_players": num_players}, [agent], line_ups, deals)
        assert (results.winners > 0).all()


@pytest.mark.parametrize("name", baselines())
def test_beats_random_players(name: str) -> None:
    agent = load_policy(name)
    game = get_game(agent.card.game)
    players = game.options.make().num_players
    line_ups = [[0 if other == seat else 1 for other in range(players)] for seat in range(players)]
    results = play_deals(game, {}, [agent, RandomAgent()], line_ups, draw_deals(3, 60))
    assert interval(results.of(0, results.shares)).mean > 0.6


@pytest.mark.long
@pytest.mark.parametrize("name", baselines())
def test_strength_against_heuristics_is_the_card_s(name: str) -> None:
    """On other deals than those of the card, under the default options."""
    agent = load_policy(name)
    game = get_game(agent.card.game)
    players = game.options.make().num_players
    line_ups = [[0 if other == seat else 1 for other in range(players)] for seat in range(players)]
    results = play_deals(game, {}, [agent, HeuristicAgent()], line_ups, draw_deals(77, 1000))
    found = interval(results.of(0, results.shares), confidence=0.999)
    assert found.low < agent.card.results["share_heuristic"][0] < found.high


def test_by_name(game: Game) -> None:
    agent = make("ppo", game)
    assert isinstance(agent, NeuralAgent)
    assert agent.card.game == game.name
    assert agent.greedy


def test_a_path_and_what_is_not_there(
    tmp_path: Path, game: Game, monkeypatch: pytest.MonkeyPatch, make_policy: object
) -> None:
    card, tensors = load(BASELINES / f"{game.name}/ppo-v{game.version}")
    save(tmp_path / "mine", card, tensors)
    assert load_policy(tmp_path / "mine").card.game == game.name
    with pytest.raises(CheckpointError, match=f"no such policy; those here are .*{game.name}/ppo-v"):
        load_policy(f"{game.name}/ppo-v99")
    monkeypatch.setattr("agents.neural.BASELINES", tmp_path)
    with pytest.raises(ValueError, match=f"no trained policy of {game.id} is here"):
        baseline(game)
