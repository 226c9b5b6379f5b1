"""Ratings: the order of agents, ties, copies, and how sure."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import ratings
from benchmarks.ratings import rate


def games(strengths: list[float], num_games: int, seats: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Returns games whose ranks are drawn from Plackett and Luce's model with these strengths."""
    generator = np.random.default_rng(seed)
    seating = np.array([generator.permutation(len(strengths))[:seats] for _ in range(num_games)])
    noise = generator.gumbel(size=seating.shape)
    order = np.argsort(-(np.array(strengths)[seating] + noise), axis=1)
    return seating, np.argsort(order, axis=1) + 1


def test_the_order_is_that_of_strength() -> None:
    names = ["weak", "strong", "middle", "weaker", "stronger"]
    seating, ranks = games([-0.5, 1.0, 0.2, -1.5, 2.0], 800)
    rated = rate(names, seating, ranks)
    assert [one.agent for one in rated] == ["stronger", "strong", "middle", "weak", "weaker"]
    assert np.mean([one.mu for one in rated]) == pytest.approx(25.0)
    for one in rated:
        assert one.ordinal == pytest.approx(one.mu - 3 * one.sigma)
        assert 0.0 < one.sigma < 25 / 3 / 4
        assert 0.0 <= one.spread < 1.5
    assert rated == rate(names, seating, ranks)
    assert rated != rate(names, seating, ranks, seed=1)


def test_order_of_games_matters_little() -> None:
    """The same games backwards: ratings differ by no more than the spread says."""
    seating, ranks = games([0.0, 0.5, 1.0, 1.5], 400)
    one, other = rate(list("abcd"), seating, ranks), rate(list("abcd"), seating[::-1], ranks[::-1])
    assert [a.agent for a in one] == [b.agent for b in other] == list("dcba")
    for a, b in zip(one, other, strict=True):
        assert abs(a.mu - b.mu) < 4 * max(a.spread, b.spread) / np.sqrt(ratings.PASSES) + 0.2


def test_more_games_are_surer() -> None:
    seating, ranks = games([0.0, 0.5, 1.0, 1.5], 400)
    few, many = rate(list("abcd"), seating[:50], ranks[:50]), rate(list("abcd"), seating, ranks)
    assert max(one.sigma for one in many) < min(one.sigma for one in few)


def test_ties_and_copies() -> None:
    """Equal agents stay equal: all tie, or one meets three copies of the other and both win as often as they should."""
    seating, _ = games([0.0] * 4, 200)
    for one in rate(list("abcd"), seating, np.ones_like(seating)):
        assert one.mu == pytest.approx(25.0, abs=1e-6)
    seating, ranks = games([0.0] * 4, 1000)
    same = rate(["a", "b"], np.minimum(seating, 1), ranks)
    assert abs(same[0].mu - same[1].mu) < 1.5
    better = rate(["a", "b"], np.minimum(seating, 1), np.where(seating == 0, 1, 2))
    assert better[0].agent == "a"
    assert better[0].mu - better[1].mu > 5


def test_a_pass_is_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "GAMES", 20)
    seating, ranks = games([0.0, 0.5, 1.0, 1.5], 1000)
    monkeypatch.setattr(ratings, "PASSES", 3)
    found = rate(list("abcd"), seating, ranks)
    assert min(one.sigma for one in found) > 2.0
