"""Ratings of many agents from games for all against all, ties included.

The model is Plackett and Luce's in R. C. Weng and C.-J. Lin, "A Bayesian approximation method for online ranking",
Journal of Machine Learning Research 12, 2011, as the library OpenSkill has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce

PASSES = 10
GAMES = 3000  # in a pass


@dataclass(frozen=True)
class Rating:
    """An agent's rating; a new agent has mu 25 and sigma 25 / 3.

    Attributes:
        agent: Its name.
        mu: Its skill, the mean over passes.
        sigma: How uncertain the model is of it at the end of a pass, the root of the mean square over passes.
        spread: Standard deviation of mu over passes: what other games in another order would change.
        ordinal: mu - 3 sigma, a skill that it almost surely has.
    """

    agent: str
    mu: float
    sigma: float
    spread: float
    ordinal: float


def rate(names: Sequence[str], seating: NDArray[np.int64], ranks: NDArray[np.int64], seed: int = 0) -> list[Rating]:
    """Rates agents by games.

    The order of games matters to a rating that is updated from game to game. So each of PASSES passes starts anew and
    takes up to GAMES games in a random order, and the passes are averaged. Skill does not change with time (tau is 0).
    Where an agent holds several seats of a game, its rating changes by the mean of their changes. Games tell
    differences of skill only, so each pass is shifted until its agents have 25 on average.

    Args:
        names: K agents.
        seating: int64 [G, P], number of the agent at each seat.
        ranks: int64 [G, P], by seat, 1 being the best.
        seed: Of the order.

    Returns:
        The ratings, the highest mu first.
    """
    model = PlackettLuce(tau=0.0)
    generator = np.random.default_rng(seed)
    ends = np.empty((PASSES, len(names), 2))
    for end in ends:
        current = [(model.mu, model.sigma)] * len(names)
        for number in generator.permutation(len(seating))[:GAMES]:
            held = seating[number].tolist()
            players = [[model.rating(*current[agent])] for agent in held]
            changed = model.rate(players, ranks=ranks[number].tolist())
            found = [(team[0].mu, team[0].sigma) for team in changed]
            for agent in set(held):
                own = [value for value, holder in zip(found, held, strict=True) if holder == agent]
                current[agent] = (sum(mu for mu, _ in own) / len(own), sum(sigma for _, sigma in own) / len(own))
        end[:] = current
    ends[..., 0] += model.mu - ends[..., 0].mean(axis=1, keepdims=True)
    mu, spread = ends[..., 0].mean(axis=0), ends[..., 0].std(axis=0, ddof=1)
    sigma = np.sqrt((ends[..., 1] ** 2).mean(axis=0))
    ratings = [
        Rating(name, float(mu[i]), float(sigma[i]), float(spread[i]), float(mu[i] - 3.0 * sigma[i]))
        for i, name in enumerate(names)
    ]
    return sorted(ratings, key=lambda rating: -rating.mu)
