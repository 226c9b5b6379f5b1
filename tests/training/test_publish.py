"""Policies are put into the checkout without what only the trainer needs, and only finished ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.checkpoint import load
from agents.neural import NeuralAgent
from shadowenvs import GAMES, get_game
from training import publish
from training.checkpoint import save
from training.ppo import main as train
from training.publish import main

GAME = get_game(next(iter(GAMES)))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    words = ["--game", GAME.name, "--run", str(folder), "--num-envs", "16", "--rollout", "16", "--steps", "256"]
    words += ["--minibatch", "128", "--hidden", "16", "8", "--eval-every", "0", "--final-deals", "2"]
    assert train(words, lambda _: None) == 0
    return folder


def test_published_policy(run: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    words = ["--run", str(run), "--to", str(tmp_path / "ppo"), "--curve", str(tmp_path / "curve.svg")]
    assert main(words, lines.append) == 0
    assert "share against heuristics" in lines[0]
    card, tensors = load(tmp_path / "ppo", GAME)
    trained, all_tensors = load(run / "policy", GAME)
    assert {name.partition(".")[0] for name in tensors} == {"scale", "policy"}
    assert all(np.array_equal(tensor, all_tensors[name]) for name, tensor in tensors.items())
    assert (card.step, card.command) == (trained.step, trained.command)
    assert card.results["share_heuristic"] == trained.results["share_heuristic"]
    assert [entry["step"] for entry in card.results["history"]] == [256]
    NeuralAgent.load(tmp_path / "ppo", GAME)
    curve = (tmp_path / "curve.svg").read_text()
    assert "share of the victory" in curve
    assert main(words, lines.append) == 0
    assert (tmp_path / "curve.svg").read_text() == curve, "equal curves must give equal files"


def test_what_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--to", str(tmp_path / "ppo"), "--curve", str(tmp_path / "curve.svg")]
    assert main(["--run", str(tmp_path / "none"), *words]) == 1
    assert "no such file" in capsys.readouterr().err
    card, tensors = load(run / "checkpoint")
    card.results["trainer"]["history"][-1].pop("final")
    save(tmp_path / "half" / "checkpoint", card, tensors)
    assert main(["--run", str(tmp_path / "half"), *words]) == 1
    assert "not finished" in capsys.readouterr().err
    monkeypatch.setattr(publish, "MOST_BYTES", 1000)
    assert main(["--run", str(run), *words]) == 1
    assert "at most 1,000" in capsys.readouterr().err
    assert not (tmp_path / "ppo").exists()
