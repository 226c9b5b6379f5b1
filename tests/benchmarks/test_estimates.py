"""Intervals that hold at any time, what replaying deals saves, and how much the deal decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

from agents.matches import interval
from benchmarks import estimates
from benchmarks.estimates import (
    FEWEST,
    SPARE,
    TUNED,
    confidence_sequence,
    estimate,
    fixed,
    luck,
    ratio,
    saving,
    sequence_factor,
)

# ------------------------------------------------------------------------------------------------------ any-time use

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
RUNS, DEALS = 1000, 3000

# A deal's win share and its expectation: of an even match, of a nearly lost one, and the worst case, a rare win that
# is a whole one.
SHARES: dict[str, tuple[Draw, float]] = {
    "even": (lambda generator, size: generator.binomial(4, 0.25, size) / 4, 0.25),
    "lost": (lambda generator, size: generator.binomial(4, 0.04, size) / 4, 0.04),
    "rare": (lambda generator, size: (generator.random(size) < 0.01).astype(float), 0.01),
    "smooth": (lambda generator, size: generator.normal(0.5, 0.2, size), 0.5),
}


def running(draw: Draw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the number of deals so far, the mean and the variance of many runs, at each deal."""
    values = draw(np.random.default_rng(1), (RUNS, DEALS))
    deals = np.arange(1, DEALS + 1)
    means = values.cumsum(axis=1) / deals
    squares = (values**2).cumsum(axis=1) - deals * means**2
    return deals, means, np.maximum(squares, 0.0) / np.maximum(deals - 1, 1)


def sequence(deals: np.ndarray, variances: np.ndarray) -> np.ndarray:
    return np.sqrt(variances + SPARE / deals) * sequence_factor(deals, 0.05)


def naive(deals: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """The t-interval, computed again and again."""
    return scipy.stats.t.ppf(0.975, np.maximum(deals - 1, 1)) * np.sqrt(variances / deals)


def ever_missed(rule: Any, draw: Draw, expectation: float) -> float:
    """Returns in how many runs an interval, looked at after each chunk, misses the expectation at any time."""
    deals, means, variances = running(draw)
    looks = slice(FEWEST - 1, None, 32)
    missed = np.abs(means - expectation) > rule(deals, variances)
    return float(missed[:, looks].any(axis=1).mean())


def missed_at_stop(rule: Any, first: int, until: float, draw: Draw, expectation: float) -> float:
    """Returns in how many runs the interval misses the expectation when it is narrow enough for the first time."""
    deals, means, variances = running(draw)
    half = np.broadcast_to(rule(deals, variances), means.shape)
    narrow = half <= until
    narrow[:, : first - 1] = False
    narrow[:, -1] = True
    stops = narrow.argmax(axis=1)
    rows = np.arange(RUNS)
    return float((np.abs(means - expectation) > half)[rows, stops].mean())


# Three standard errors of a share of 0.05 in RUNS runs are 0.021.
MOST = 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.parametrize("name", SHARES)
def test_sequence_covers_at_all_times(name: str) -> None:
    draw, expectation = SHARES[name]
    assert ever_missed(sequence, draw, expectation) <= MOST
    # Whoever looks at a t-interval until it suits him is wrong in a third of all cases or more.
    assert ever_missed(naive, draw, expectation) > 0.3


@pytest.mark.parametrize("until", [0.1, 0.05, 0.03])
@pytest.mark.parametrize("name", SHARES)
def test_sequence_covers_at_the_stop(name: str, until: float) -> None:
    draw, expectation = SHARES[name]
    assert missed_at_stop(sequence, FEWEST, until, draw, expectation) <= MOST
    if name in ("lost", "rare"):
        # A t-interval that may stop after two deals does so when both are alike.
        assert missed_at_stop(naive, 2, until, draw, expectation) > 0.5


def test_sequence_is_not_wasteful() -> None:
    """It costs up to three times the deals of a t-interval, not more."""
    ratio = sequence_factor(np.arange(FEWEST, 10_000), 0.05) * np.sqrt(np.arange(FEWEST, 10_000)) / 1.96
    assert ratio.min() == pytest.approx(1.549, abs=0.001)
    assert np.arange(FEWEST, 10_000)[ratio.argmin()] == pytest.approx(TUNED, rel=0.05)
    assert ratio.max() < math.sqrt(3.0)


def test_sequence_by_hand() -> None:
    """The formula of the paper, written with its own letters."""
    values = np.random.default_rng(2).normal(size=(300, 3))
    mean, low, high = confidence_sequence(values)
    t, alpha = 300, 0.05
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / TUNED
    sigma = values.mean(axis=1).std(ddof=1)
    half = sigma * math.sqrt(2 * (t * rho2 + 1) / (t**2 * rho2) * math.log(math.sqrt(t * rho2 + 1) / alpha))
    assert (mean, low, high) == pytest.approx((values.mean(), values.mean() - half, values.mean() + half))
    _, wide_low, wide_high = confidence_sequence(values, unit=2.0)
    assert wide_high - wide_low == pytest.approx(2 * half * math.sqrt(1 + 12 / 300 / sigma**2))


def test_deals_that_are_all_alike_are_not_certain() -> None:
    """In contrast to the t-interval: unseen, a win may still have a chance of some 3 / D."""
    _, _, high = confidence_sequence(np.zeros((400, 4)), unit=1.0)
    assert 3 / 400 < high < 6 / 400
    assert interval(np.zeros((400, 4))).high == 0.0


# ------------------------------------------------------------------------------------------------------------- saving


def test_saving_has_the_known_value() -> None:
    """Games of a deal with a correlation r and N games: 1 / (1 + (N - 1) r)."""
    generator = np.random.default_rng(3)
    for correlation in (-0.3, 0.0, 0.5):
        covariance = np.full((4, 4), correlation) + (1.0 - correlation) * np.eye(4)
        games = generator.multivariate_normal(np.zeros(4), covariance, size=20_000)
        # Means of seats, which line-ups that take turns even out, do not count.
        games += [10.0, 0.0, 5.0, -20.0]
        assert saving(games) == pytest.approx(1.0 / (1.0 + 3.0 * correlation), rel=0.05)


def test_saving_is_what_a_simulation_saves() -> None:
    """Ten thousand tournaments of 30 deals with replays, as many with each game of another deal."""
    generator = np.random.default_rng(4)
    seats = np.array([1.0, -1.0])
    hands = generator.normal(size=(10_000, 30, 1))
    replayed = hands * seats + generator.normal(size=(10_000, 30, 2))
    independent = generator.normal(size=(10_000, 30, 2)) * seats + generator.normal(size=(10_000, 30, 2))
    true = independent.mean(axis=(1, 2)).var() / replayed.mean(axis=(1, 2)).var()
    assert true == pytest.approx(2.0, rel=0.05)
    assert saving(replayed.reshape(-1, 2)) == pytest.approx(true, rel=0.05)


def test_saving_without_variance() -> None:
    assert saving(np.full((5, 3), 0.1)) is None
    # One of two always wins: what a deal gives is known for sure.
    wins = (np.random.default_rng(5).random((50, 1)) < 0.5).astype(float)
    assert saving(np.concatenate([wins, 1.0 - wins], axis=1)) is None


def test_estimate() -> None:
    values = np.random.default_rng(6).random((50, 2))
    one = estimate(values, fixed, 1.0)
    assert one[:3] == interval(values)
    assert one.saved == saving(values)
    assert one.half == pytest.approx((one.high - one.low) / 2)
    assert estimate(values, confidence_sequence, 1.0)[:3] == confidence_sequence(values, 1.0)


# --------------------------------------------------------------------------------------------------------------- luck


def test_luck_has_the_known_value() -> None:
    """Variances 2 of the deal, 1 of the line-up and 1 of the rest."""
    generator = np.random.default_rng(7)
    for line_ups in (2, 4, 12):
        averages = generator.normal(size=(line_ups, 3))
        averages = (averages - averages.mean()) / averages.std()
        values = averages + math.sqrt(2.0) * generator.normal(size=(4000, 1, 3))
        values += generator.normal(size=(4000, line_ups, 3))
        found = luck(values)
        assert found is not None
        assert (found.deal, found.line_up, found.rest) == pytest.approx((0.5, 0.25, 0.25), abs=0.02)
        assert found.low < 0.5 < found.high
        assert found.high - found.low < 0.06


def test_luck_of_few_deals_is_hardly_biased(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six deals give about the right shares on average."""
    monkeypatch.setattr(estimates, "RESAMPLES", 2)
    generator = np.random.default_rng(11)
    values = generator.normal(size=(300, 6, 1, 4)) + generator.normal(size=(300, 6, 4, 4))
    found = [luck(one) for one in values]
    deals = [one.deal for one in found if one is not None]
    assert len(deals) == 300
    assert np.mean(deals) == pytest.approx(0.5, abs=0.05)


def test_ratio_by_hand() -> None:
    """Parts 1, 0, 2 of 2, 1, 2: the residuals about 3/5 are -0.2, -0.6 and 0.8."""
    wanted = 4.302653 * math.sqrt(3 / 2 * 1.04) / 5
    found = ratio(np.array([1, 0, 0, 2]), np.array([2, 0, 1, 2]))
    assert found == pytest.approx((0.6, 0.6 - wanted, 0.6 + wanted))
    values = np.random.default_rng(1).normal(size=20)
    assert ratio(values, np.ones(20)) == pytest.approx(interval(values))


def test_ratio_of_little() -> None:
    assert all(map(math.isnan, ratio(np.zeros(3), np.zeros(3))))
    mean, low, high = ratio(np.array([0, 3]), np.array([0, 4]))
    assert (mean, math.isnan(low), math.isnan(high)) == (0.75, True, True)
    assert ratio(np.array([2, 5]), np.array([2, 5])) == (1.0, 1.0, 1.0)


def test_ratio_covers() -> None:
    """Games with a mood of their own and any number of events: their events are not independent."""
    generator = np.random.default_rng(2)
    covered = 0
    for _ in range(400):
        moods = generator.beta(1, 2, size=60)
        events = generator.poisson(20, size=60)
        found = ratio(generator.binomial(events, moods), events)
        covered += found.low <= 1 / 3 <= found.high
    assert 0.92 <= covered / 400 <= 0.98


def test_luck_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval covers the true share about as often as it says."""
    monkeypatch.setattr(estimates, "RESAMPLES", 150)
    generator = np.random.default_rng(8)
    covered = 0
    for _ in range(100):
        values = generator.normal(size=(80, 1, 4)) + generator.normal(size=(80, 4, 4))
        found = luck(values)
        assert found is not None
        covered += found.low <= 0.5 <= found.high
    assert 85 <= covered <= 100


def test_luck_at_its_ends() -> None:
    generator = np.random.default_rng(9)
    deals = generator.normal(size=(300, 1, 4))
    fate = luck(np.repeat(deals, 4, axis=1))
    assert fate is not None
    assert fate.rest == pytest.approx(0.0)
    assert fate.deal > 0.98
    noise = luck(generator.normal(size=(300, 4, 4)))
    assert noise is not None
    assert noise.low == 0.0
    assert noise.rest > 0.9
    assert luck(np.full((10, 4, 4), 0.25)) is None
