"""Who meets whom, and who sits where: the line-ups of a tournament."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_SEATINGS = 24
"""Up to so many seatings are all played; of more, a balanced set."""

CANDIDATES = 200  # line-ups among which a balanced set picks its next one


@dataclass(frozen=True)
class Match:
    """Some agents and the line-ups in which they play every deal.

    Attributes:
        names: K agents; in a pair the second one holds all seats but one.
        line_ups: int64 [L, P], number of the agent at each seat.
        mixed: Whether different agents hold the seats; if not, it is a pair.
    """

    names: tuple[str, ...]
    line_ups: NDArray[np.int64]
    mixed: bool

    @property
    def is_open(self) -> bool:
        """Whether different agents meet; if not, it is one agent against itself."""
        return len(set(self.names)) > 1


def schedule(names: Sequence[str], num_players: int, *, mirror: bool = False, line_ups: bool = True) -> list[Match]:
    """Returns the matches of a tournament.

    Args:
        names: K agents.
        num_players: P.
        mirror: Whether each agent also plays against copies of itself.
        line_ups: Whether P or more agents also meet at mixed tables.
    """
    against = one_against_all(num_players)
    matches = [
        Match((agent, other), against, False)
        for agent, other in itertools.product(names, repeat=2)
        if mirror or agent != other
    ]
    # With two seats a pair is a mixed table already.
    if line_ups and len(names) >= num_players > 2:
        matches.append(Match(tuple(names), mixed_line_ups(len(names), num_players), True))
    return matches


def count_games(matches: Sequence[Match], num_deals: int) -> int:
    """Returns how many games some matches have."""
    return num_deals * sum(len(match.line_ups) for match in matches)


def one_against_all(num_players: int) -> NDArray[np.int64]:
    """Returns the line-ups [P, P] with agent 0 at each seat in turn and agent 1 at the others."""
    return 1 - np.eye(num_players, dtype=np.int64)


def mixed_line_ups(num_agents: int, num_players: int) -> NDArray[np.int64]:
    """Returns line-ups of different agents, int64 [L, P].

    As many agents as seats have all seatings, or a balanced set if those are too many; of more agents than seats a
    balanced choice plays.
    """
    if num_agents > num_players:
        return balanced_choice(num_agents, num_players)
    if math.factorial(num_players) <= MOST_SEATINGS:
        return all_seatings(num_players)
    return balanced_seatings(num_players)


def all_seatings(num_players: int) -> NDArray[np.int64]:
    """Returns the line-ups [P!, P] of P different agents."""
    return np.array(list(itertools.permutations(range(num_players))), np.int64)


def balanced_seatings(num_players: int) -> NDArray[np.int64]:
    """Returns P (P - 1) seatings [P (P - 1), P] of P agents: P - 1 Latin squares that are balanced around the table.

    Each agent sits P - 1 times at each seat, and each is P times the next clockwise of each other one, the first seat
    coming after the last. For a prime P the rows are those of the affine maps a i + b modulo P, in which every two
    agents even hold every two seats once. For an even P each square is that of E. J. Williams, "Experimental designs
    balanced for the estimation of residual effects of treatments", Australian Journal of Scientific Research A 2, 1949,
    which is balanced but for the pairs of last and first seat; they make a perfect matching, and the agents are
    renumbered from square to square so that the matchings are the rounds of a round robin.

    Raises:
        ValueError: P is neither an odd prime nor even.
    """
    seats = np.arange(num_players)
    if num_players % 2 and all(num_players % divisor for divisor in range(3, num_players, 2)) and num_players > 1:
        factors, shifts = np.meshgrid(seats[1:], seats, indexing="ij")
        rows: NDArray[np.int64] = (factors[..., None] * seats + shifts[..., None]) % num_players
        return rows.reshape(-1, num_players)
    if num_players % 2 or num_players < 2:
        raise ValueError(f"there are balanced seatings for odd primes and even numbers of players, not {num_players}")
    half = num_players // 2
    zigzag = np.where(seats % 2, (seats + 1) // 2, -seats // 2)  # 0, 1, -1, 2, -2, ...
    square = (zigzag + seats[:, None]) % num_players
    squares = []
    for turn in range(num_players - 1):
        # Of a round robin's round: the last agent meets `turn`, and turn + i meets turn - i. In a Williams square x is
        # matched with x + P / 2.
        circle = (turn + np.arange(1, half)[:, None] * [1, -1]) % (num_players - 1)
        met = np.concatenate([[[num_players - 1, turn]], circle])
        squares.append(met.T.reshape(-1)[square])
    return np.concatenate(squares)


def balanced_choice(num_agents: int, num_players: int) -> NDArray[np.int64]:
    """Returns line-ups [L, P] of P out of K agents, L being a multiple of K that is about 24.

    A line-up and its K - 1 rotations, each agent being replaced by the next, have each agent once at each seat. The
    first line-ups are picked one after the other from many random ones, always the same, so that every two agents
    meet about equally often, and are neighbours about equally often.
    """
    generator = np.random.default_rng([num_agents, num_players])
    met = np.zeros(num_agents)
    chosen = []
    for _ in range(max(1, MOST_SEATINGS // num_agents)):
        best = min(
            (generator.permutation(num_agents)[:num_players] for _ in range(CANDIDATES)),
            key=lambda base: float(np.var((met + _meetings(base, num_agents))[1:])),
        )
        met += _meetings(best, num_agents)
        chosen.append((best + np.arange(num_agents)[:, None]) % num_agents)
    return np.concatenate(chosen)


def _meetings(base: NDArray[np.int64], num_agents: int) -> NDArray[np.float64]:
    """Returns how often agents whose numbers differ by 0, 1, ... meet in a line-up's rotations, neighbours twice."""
    apart = (base - base[:, None]) % num_agents
    beside = (np.roll(base, -1) - base) % num_agents
    counts: NDArray[np.float64] = (
        np.bincount(apart.ravel(), minlength=num_agents) + np.bincount(beside, minlength=num_agents)
    ).astype(np.float64)
    return counts
