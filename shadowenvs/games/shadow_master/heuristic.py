"""A decent player of Shadow Master that sees an observation and a mask, never a state.

It looks where its evidence is most undecided: at the dot on either side of the edge of its most probable set. After
some looks it places that set as a hedge, and moves a cube when the evidence turns. It stops when the set is probable
enough, for a threshold that depends on the coins left and the number sought, completes its cubes and grabs.
"""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.cards import count
from shadowenvs.games.shadow_master.spec import (
    EVIDENCE_SCALE,
    GRAB,
    LOOK_0,
    MAX_EVIDENCE,
    MAX_NUMBER,
    NUM_DOTS,
    TOGGLE_0,
    WAIT,
)
from shadowenvs.jit import kernel

THRESHOLD = -1.25  # log-odds of the most probable set at which the search stops, with half of the coins left and N = 3
PER_COIN_SHARE = 0.2  # added to it for a middle full of coins, taken off for an empty one
PER_NUMBER = 0.1  # added to it for each object sought beyond three
PLACE_AFTER = 6.0  # looks after which cubes are placed before the search is over
TURN = 6.0  # by how many sixths of a nat evidence must turn before a cube is moved

_WEIGHTS = np.exp(np.arange(-MAX_EVIDENCE, MAX_EVIDENCE + 1) / EVIDENCE_SCALE)


@kernel
def heuristic(table: np.recarray, obs: np.recarray, mask: np.ndarray, seed: np.uint64) -> int:
    """Returns a legal action.

    Args:
        table: The tables record; of it only the number of dots is read.
        obs: The observation of the seat to move.
        mask: Its legal actions, bool [20].
        seed: Breaks ties between dots.
    """
    return choose(table, obs, mask, seed, THRESHOLD, PER_COIN_SHARE, PER_NUMBER, PLACE_AFTER)


@kernel
def choose(
    table: np.recarray,
    obs: np.recarray,
    mask: np.ndarray,
    seed: np.uint64,
    threshold: float,
    per_coin_share: float,
    per_number: float,
    place_after: float,
) -> int:
    """Returns what a player with these numbers in place of the constants above does."""
    number = number_sought(obs)
    cubes = own_cubes(obs)
    num_cubes = count(np.uint64(cubes))
    if not (mask[GRAB] or mask[TOGGLE_0] or cubes):  # a seat with a coin
        return WAIT
    dots = int(table.num_dots)
    first = rng.below(seed, rng.STREAM_ACTION, 0, 0, dots)
    if not mask[LOOK_0]:  # no evidence: a guess is all there is
        return place_or_grab(obs, mask, cubes, best_set(obs, cubes, number, dots, first))
    best = best_set(obs, 0, number, dots, first)
    coin_share = float(obs.coins_left) / float(max(1, int(obs.num_players) - 1)) - 0.5
    wanted = threshold + per_coin_share * coin_share + per_number * float(number - 3)
    total = sum_over_sets(obs, number, dots)
    ticks_left = int(obs.tick_cap) - int(obs.tick) + 1
    kept = cubes if num_cubes == number and lead(obs, best, cubes) < TURN else best
    is_sure = weight_of(obs, kept) >= total / (1.0 + np.exp(-wanted))
    if is_sure or ticks_left <= count(np.uint64(kept ^ cubes)) + 1:
        return place_or_grab(obs, mask, cubes, kept)
    looks = 0
    for dot in range(dots):
        looks += int(obs.looks[dot])
    if looks >= place_after and (num_cubes < number or lead(obs, best, cubes) >= TURN):
        return place_or_grab(obs, mask, cubes, best)
    return LOOK_0 + undecided_dot(obs, best, dots, first)


@kernel
def number_sought(obs: np.recarray) -> int:
    """Returns N."""
    for place in range(MAX_NUMBER):
        if obs.number[place]:
            return place + 1
    return 0


@kernel
def own_cubes(obs: np.recarray) -> int:
    """Returns the own cubes as a set of dots."""
    cubes = 0
    for dot in range(NUM_DOTS):
        cubes |= int(obs.cubes[dot]) << dot
    return cubes


@kernel
def best_set(obs: np.recarray, chosen: int, size: int, dots: int, first: int) -> int:
    """Returns the most probable set of a size that holds the chosen dots; ties go upwards from the dot ``first``."""
    for _ in range(size - count(np.uint64(chosen))):
        chosen |= 1 << extreme_dot(obs, ((1 << dots) - 1) & ~chosen, dots, first, 1)
    return chosen


@kernel
def extreme_dot(obs: np.recarray, allowed: int, dots: int, first: int, sign: int) -> int:
    """Returns the allowed dot with the highest (sign 1) or lowest (sign -1) evidence, -1 if there is none."""
    best = -1
    dot = first
    for _ in range(dots):
        if allowed >> dot & 1 and (best < 0 or sign * int(obs.evidence[dot]) > sign * int(obs.evidence[best])):
            best = dot
        dot = 0 if dot + 1 == dots else dot + 1
    return best


@kernel
def sum_over_sets(obs: np.recarray, number: int, dots: int) -> float:
    """Returns the sum over all sets of N dots of the product of their weights (SM-65)."""
    sums = np.zeros(MAX_NUMBER + 1)
    sums[0] = 1.0
    for dot in range(dots):
        weight = _WEIGHTS[int(obs.evidence[dot]) + MAX_EVIDENCE]
        for size in range(number, 0, -1):
            sums[size] += weight * sums[size - 1]
    return float(sums[number])


@kernel
def weight_of(obs: np.recarray, chosen: int) -> float:
    """Returns the product of the weights of a set of dots."""
    weight = 1.0
    for dot in range(NUM_DOTS):
        if chosen >> dot & 1:
            weight *= _WEIGHTS[int(obs.evidence[dot]) + MAX_EVIDENCE]
    return weight


@kernel
def lead(obs: np.recarray, best: int, cubes: int) -> float:
    """Returns by how many sixths of a nat the best dot without a cube leads over the worst dot with one."""
    missing = extreme_dot(obs, best & ~cubes, NUM_DOTS, 0, 1)
    wrong = extreme_dot(obs, cubes & ~best, NUM_DOTS, 0, -1)
    if missing < 0 or wrong < 0:
        return 0.0
    return float(int(obs.evidence[missing]) - int(obs.evidence[wrong]))


@kernel
def undecided_dot(obs: np.recarray, best: int, dots: int, first: int) -> int:
    """Returns the dot on the edge of the best set, inside or outside, that was looked at less often."""
    inside = extreme_dot(obs, best, dots, first, -1)
    outside = extreme_dot(obs, ((1 << dots) - 1) & ~best, dots, first, 1)
    return inside if obs.looks[inside] <= obs.looks[outside] else outside


@kernel
def place_or_grab(obs: np.recarray, mask: np.ndarray, cubes: int, wanted: int) -> int:
    """Returns the next action towards cubes on the wanted dots and a coin."""
    wrong = extreme_dot(obs, cubes & ~wanted, NUM_DOTS, 0, -1)
    missing = extreme_dot(obs, wanted & ~cubes, NUM_DOTS, 0, 1)
    if missing >= 0 and mask[TOGGLE_0 + missing]:
        return TOGGLE_0 + missing
    if wrong >= 0:
        return TOGGLE_0 + wrong
    return GRAB if mask[GRAB] else WAIT
