"""The example that learns to find objects in shadows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from shadowenvs.games.shadow_master.deck import references
from training.seeing import Args, Finder, Shadows, draw_shadows, main, score, see_standard_deck, train


def test_shadows_hold_what_the_answers_say() -> None:
    """A shadow of one object grows with each further one, and all objects of three cards are asked about."""
    shadows = draw_shadows(4, 3, np.random.default_rng(1))
    assert shadows.pictures.shape == (4, 1, 96, 96) and set(np.unique(shadows.pictures.numpy())) == {0.0, 1.0}
    assert shadows.answers.sum(dim=1).tolist() == [3.0] * 4
    for asked in shadows.asked.numpy():
        cards = asked.reshape(3, 9) // 9
        assert (cards == cards[:, :1]).all() and len(set(cards[:, 0])) == 3
        assert (asked.reshape(3, 9) % 9 == np.arange(9)).all()
    assert (shadows.objects.numpy() == references().reshape(90, 48, 48)).all()
    few, many = (draw_shadows(8, number, np.random.default_rng(2)).pictures.mean() for number in (1, 9))
    assert few < many / 3


def test_the_standard_deck_is_seen_as_the_environment_shows_it() -> None:
    shadows, sought = see_standard_deck(32)
    assert shadows.pictures.shape == (32, 1, 96, 96) and shadows.objects.shape == (288, 48, 48)
    assert shadows.answers.sum(dim=1).tolist() == sought.tolist() and set(sought.tolist()) <= {2, 3, 4, 5}
    assert shadows.pictures.flatten(1).any(dim=1).all() and shadows.objects.flatten(1).any(dim=1).all()


class Scripted(Finder):
    """Is sure of what it is told."""

    def __init__(self, logits: list[list[float]]) -> None:
        super().__init__(2)
        self.logits = torch.tensor(logits)

    def forward(self, pictures: torch.Tensor, objects: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
        return self.logits


def test_scores() -> None:
    """Two shadows with two sought objects each: three of the four chosen are right, one shadow is solved."""
    shadows = Shadows(*[torch.zeros(2)] * 3, torch.tensor([[1.0, 1, 0, 0], [0, 1, 0, 1]]))
    model = Scripted([[5.0, -1, -2, -3], [4, 0, -1, 9]])
    assert score(model, shadows, np.array([2, 2])) == (0.75, 0.5)


def test_single_objects_are_learnt() -> None:
    torch.manual_seed(0)
    losses = train(Finder(16), Args(steps=120, single=120, batch=32))
    assert len(losses) == 120 and np.mean(losses[-20:]) < 3.1 < np.mean(losses[:20])  # a guess has log 27 = 3.3


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    weights = tmp_path / "weights.pt"
    words = ["--steps", "4", "--single", "2", "--batch", "4", "--channels", "4", "--save", str(weights)]
    assert main(words, told.append) == 0
    assert "of the chosen objects are in the shadow" in told[1] and weights.exists()
    for wrong, message in (
        (["--steps", "0"], "--steps must be at least 1, not 0"),
        (["--single", "9", "--steps", "4"], "--single must be between 0 and the 4 steps, not 9"),
        (["--save", str(tmp_path / "no" / "w.pt")], "there is no such folder"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(wrong)
        assert stopped.value.code == 2 and message in capsys.readouterr().err
