"""What the results of a tournament say, and how surely. One deal with all its games is one observation.

Sources: the confidence sequence is that of I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas,
"Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52, 2024, whose mixture
goes back to H. Robbins, "Statistical methods related to the law of the iterated logarithm", Annals of Mathematical
Statistics 41, 1970. Adding to the variance what vanishes with the number of deals is the rule of Y. S. Chow and
H. Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals for the mean", ibid. 36, 1965. For
the analysis of variance see S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components", 1992.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.special
from numpy.typing import NDArray

from agents.matches import CONFIDENCE, Interval, interval

FEWEST = 128
"""Deals from which on a confidence sequence holds."""

TUNED = 500.0
"""Number of deals at which a confidence sequence is tightest; elsewhere it is little wider."""

SPARE = 3.0  # deals' worth of variance that a confidence sequence adds; 1 covers 91 % of rare wins, 3 covers 96 %

RESAMPLES = 400  # of the deals, for the interval of the share of luck


class Estimate(NamedTuple):
    """A mean with its interval, and what replaying deals has saved.

    Attributes:
        mean: Mean over deals.
        low: Lower end of the interval.
        high: Its upper end.
        saved: Variance that the mean would have if every game were of another deal, over the variance that it has;
            None where all deals came out alike.
    """

    mean: float
    low: float
    high: float
    saved: float | None

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return self.high - self.mean


Bounds = Callable[[NDArray[np.float64], float], Interval]
"""Returns mean and interval of values [D, N], given the range of a deal's mean or 0."""


def estimate(values: NDArray[Any], bounds: Bounds, unit: float = 0.0) -> Estimate:
    """Returns the estimate of the mean of values [D, N], N games of each of D deals; ``unit`` as for ``bounds``."""
    games = np.asarray(values, np.float64)
    return Estimate(*bounds(games, unit), saving(games))


def fixed(values: NDArray[np.float64], unit: float = 0.0) -> Interval:
    """Returns the mean and its t-interval, for a number of deals that was chosen before; ``unit`` does not matter."""
    return interval(values)


def confidence_sequence(values: NDArray[Any], unit: float = 0.0, confidence: float = CONFIDENCE) -> Interval:
    """Returns the mean over deals and an interval that holds at all times together.

    However often one looks, and for whatever reason one stops, from FEWEST deals on: the chance that any of the
    intervals misses the expectation is about 1 - confidence. It is at best 1.55 times as wide as a t-interval.

    Args:
        values: Numbers [D, ...] with D at least 2. The values of one deal count as one, their mean.
        unit: The range of a deal's mean where it is known, as 1 for shares. The variance is taken to be
            3 * unit**2 / D larger than it looks, without which rare wins would be covered too seldom; it matters
            only while nearly all deals are alike, and then the half width is about 5.5 / D units.
        confidence: How often all intervals shall cover the expectation.
    """
    games = np.asarray(values, np.float64)
    deals = games.reshape(len(games), -1).mean(axis=1)
    num_deals = len(deals)
    spread = 0.0 if num_deals < 2 else float(deals.var(ddof=1)) + SPARE * unit**2 / num_deals
    half = math.sqrt(spread) * sequence_factor(num_deals, 1.0 - confidence)
    mean = float(deals.mean())
    return Interval(mean, mean - half, mean + half)


def ratio(parts: NDArray[Any], wholes: NDArray[Any], confidence: float = CONFIDENCE) -> Interval:
    """Returns the sum of parts over the sum of wholes with its interval, games being independent observations.

    Such is a mean over events of which a game holds any number, as plays, or rounds of a kind. The variance is that of
    the linearised ratio (W. G. Cochran, "Sampling Techniques", 1977, section 6.4), for games in which there is anything
    to count; the width is 0 where all of them came out alike.

    Args:
        parts: Numbers [G], by game.
        wholes: Numbers [G], not negative.
        confidence: How often the interval shall cover the expectation.

    Returns:
        Mean and bounds; without a mean where the wholes are all 0, without bounds where only one game counts: NaN.
    """
    counts = np.asarray(wholes, np.float64) != 0.0
    part, whole = np.asarray(parts, np.float64)[counts], np.asarray(wholes, np.float64)[counts]
    num_games = len(whole)
    if num_games == 0:
        return Interval(math.nan, math.nan, math.nan)
    mean = float(part.sum() / whole.sum())
    if num_games == 1:
        return Interval(mean, math.nan, math.nan)
    errors = part - mean * whole
    error = math.sqrt(num_games / (num_games - 1) * float((errors**2).sum())) / float(whole.sum())
    half = float(scipy.special.stdtrit(num_games - 1, (1.0 + confidence) / 2.0)) * error
    return Interval(mean, mean - half, mean + half)


def sequence_factor(num_deals: Any, miss: float) -> Any:
    """Returns what the standard deviation of a deal is multiplied by, for one number of deals or many."""
    log = -2.0 * math.log(miss)
    # Rho squared times the number of deals, rho being best for TUNED deals.
    ratio = np.asarray(num_deals, np.float64) * (log + math.log1p(log)) / TUNED
    return np.sqrt((1.0 + 1.0 / ratio) * (np.log1p(ratio) + log) / num_deals)


def saving(games: NDArray[np.float64]) -> float | None:
    """Returns the variance with independent deals over that with replayed ones, of the mean of values [D, N].

    With as many games, each of another deal and line-ups equally often, the variances of the N games of a deal would
    add up; in fact those of their sums count, which are smaller where a good hand for one line-up is a bad one for
    another. None if the sums do not vary.
    """
    together = float(games.sum(axis=1).var(ddof=1))
    alone = float(games.var(axis=0, ddof=1).sum())
    return alone / together if together > 1e-12 * max(alone, 1e-12) else None


class Luck(NamedTuple):
    """Shares of the variance of a seat's share of the victory; they add up to 1.

    Attributes:
        deal: What the deal decides whoever sits there, all chance of the game itself included.
        low: Lower end of its 95 % interval.
        high: Its upper end.
        line_up: What is decided by who sits where, whatever the deal; among equal agents, by the seat.
        rest: All else: the agents' random choices, and which deals suit which agents.
    """

    deal: float
    low: float
    high: float
    line_up: float
    rest: float


def luck(shares: NDArray[np.float64], seed: int = 0) -> Luck | None:
    """Returns how much of the variance of shares of the victory the deal explains; None if nothing varies.

    Analysis of variance with the line-ups as fixed effects and the deal's cards at a seat as a random one. What a
    line-up gives a seat on average is taken off; the variance that is left between the line-ups of a deal and seat is
    the rest; the variance between their means, less a part 1/L of the rest, is the deal's. From the variance of the
    line-ups' averages, what chance contributes is taken off too. The interval is the percentile bootstrap over deals.

    Args:
        shares: float64 [D, L, P], by seat, of L games of each of D deals, with equal agents or different ones.
        seed: Of the bootstrap.
    """
    num_deals, line_ups, _ = shares.shape
    averages = shares.mean(axis=0)
    left = shares - averages
    within = left.var(axis=1, ddof=1).mean(axis=1) * num_deals / (num_deals - 1)
    means = left.mean(axis=1)

    def parts(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        rest = float(within[rows].mean())
        deal = max(0.0, float(means[rows].var(axis=0, ddof=1).mean()) - rest / line_ups)
        line_up = max(0.0, float(averages.var()) - (deal + rest) / num_deals)
        found = np.array([deal, line_up, rest])
        return found / found.sum() if found.sum() > 1e-12 else np.zeros(3)

    deal, line_up, rest = parts(np.arange(num_deals)).tolist()
    if deal + line_up + rest == 0.0:
        return None
    draws = np.random.default_rng(seed).integers(num_deals, size=(RESAMPLES, num_deals))
    low, high = np.quantile([parts(rows)[0] for rows in draws], [(1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0])
    return Luck(deal, float(low), float(high), line_up, rest)
