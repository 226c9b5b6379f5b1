"""Determinisation of Shadow Master: a world drawn from those that a seat cannot rule out (SM-70 to SM-76).

The targets are drawn exactly by their probability given the seat's own evidence, one dot after the other, with sums
over the sets of the dots still to come. All else that is hidden follows from them or from the deck alone.
"""

from __future__ import annotations

import math

import numpy as np

from shadowenvs import rng
from shadowenvs.game import NO_ACTION
from shadowenvs.games.shadow_master.rules import LOW_HALF, POCKET_EVIDENCE, TWO, write_legal
from shadowenvs.games.shadow_master.spec import (
    ANY,
    EVIDENCE,
    GRAINS,
    MAX_NUMBER,
    MAX_SEATS,
    NUM_ACTIONS,
    NUM_COLOURS,
    NUM_DOTS,
    PIXELS,
    POCKET,
    POCKET_NUMBER,
    SHUFFLED,
)
from shadowenvs.jit import kernel

# Numbers of the draws within STREAM_WORLD; seats and dots are told apart by the second index.
_TARGETS, _VISIBILITY, _OBJECTS, _NUM_CUBES, _LOOKS, _NOISE, _TIES, _COMMITS = range(8)
_ALL_TARGETS = (1 << POCKET_NUMBER) - 1
_UNIT = 1.0 / 2**32


@kernel
def determinise(table: np.recarray, state: np.recarray, seat: int, seed: np.uint64) -> None:
    """Replaces all that a seat cannot know, and the seed of later draws (SM-74), by a sample.

    Args:
        table: The tables record.
        state: The state, changed in place.
        seat: Whose knowledge is kept.
        seed: Seed of the sample, and of the sampled world.
    """
    old_seed = state.seed
    state.seed = seed
    if state.done:  # the table is cleared
        return
    state.targets = draw_targets(table, state, seat, seed)
    if state.options.variant != POCKET:
        draw_visibility(table, state, seed)
    if state.options.mode == EVIDENCE and (state.options.dots == SHUFFLED or state.options.variant == POCKET):
        draw_objects(table, state, seed)
    for other in range(int(state.options.num_players)):
        if other != seat:
            draw_seat(table, state, other, seed)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for other in range(int(state.options.num_players)):
        if other != seat and state.commits[other] != NO_ACTION:
            state.commits[other] = draw_commit(table, state, other, seed, mask)
    if state.options.mode == PIXELS and state.options.detail == GRAINS:
        keep_grain(state, seat, old_seed)


@kernel
def draw_targets(table: np.recarray, state: np.recarray, seat: int, seed: np.uint64) -> int:
    """SM-70: returns a set of N dots, drawn in proportion to the exponential of its evidence."""
    number, dots = int(state.number_sought), int(table.num_dots)
    highest = state.evidence[seat, 0]
    for dot in range(dots):
        highest = max(highest, state.evidence[seat, dot])
    # sums[dot, size]: over the sets of this size of the dots from ``dot`` on, the product of their weights.
    weights = np.zeros(NUM_DOTS, np.float64)
    sums = np.zeros((NUM_DOTS + 1, MAX_NUMBER + 1), np.float64)
    sums[dots, 0] = 1.0
    for dot in range(dots - 1, -1, -1):
        weights[dot] = math.exp(float(state.evidence[seat, dot]) - float(highest))
        sums[dot, 0] = 1.0
        for size in range(1, number + 1):
            sums[dot, size] = sums[dot + 1, size] + weights[dot] * sums[dot + 1, size - 1]
    targets = 0
    missing = number
    for dot in range(dots):
        if missing == 0:
            break
        share = float(rng.block(seed, rng.STREAM_WORLD, _TARGETS, dot)[0]) * _UNIT
        if missing == dots - dot or share * sums[dot, missing] < weights[dot] * sums[dot + 1, missing - 1]:
            targets |= 1 << dot
            missing -= 1
    return targets


@kernel
def draw_visibility(table: np.recarray, state: np.recarray, seed: np.uint64) -> None:
    """SM-71: for each dot a visibility of the deck."""
    for dot in range(NUM_DOTS):
        place = rng.below(seed, rng.STREAM_WORLD, _VISIBILITY, dot, int(table.num_cards) * NUM_COLOURS * NUM_DOTS)
        square = place // NUM_DOTS
        item = place - square * NUM_DOTS
        card = square // NUM_COLOURS
        state.visibility[dot] = table.visibility[card, square - card * NUM_COLOURS, item]


@kernel
def draw_objects(table: np.recarray, state: np.recarray, seed: np.uint64) -> None:
    """SM-71: puts the objects of the picture on the sampled targets and the others elsewhere, each in random order."""
    answers = _ALL_TARGETS
    if state.options.variant != POCKET:
        answers = int(table.answers[state.card, state.colour])
    items = np.arange(NUM_DOTS)
    rng.shuffle(seed, rng.STREAM_WORLD, _OBJECTS, items[: table.num_dots])
    # Objects in the picture first, in the order of the shuffle, go to the targets first, in the order of the dots.
    dot, place = 0, 0
    for wanted_item in range(1, -1, -1):
        for number in range(NUM_DOTS):
            if answers >> items[number] & 1 == wanted_item:
                dot, place = next_dot(int(state.targets), dot, place)
                state.objects[dot] = items[number]
                dot += 1


@kernel
def next_dot(targets: int, dot: int, group: int) -> tuple[int, int]:
    """Returns the first dot from ``dot`` on of a group, the targets (0) before the others (1), and its group."""
    while True:
        if dot == NUM_DOTS:
            dot, group = 0, group + 1
        if targets >> dot & 1 != group:
            return dot, group
        dot += 1


@kernel
def draw_seat(table: np.recarray, state: np.recarray, other: int, seed: np.uint64) -> None:
    """SM-72, SM-73: cubes, looks and evidence that another seat could have.

    Without a coin it has 0 to min(N, t) cubes after t ticks, each number alike; with one it has N. In all other ticks
    it has looked, at dots drawn alike; its cubes lie where its evidence is highest.
    """
    number = int(state.number_sought)
    has_coin = state.coins[other] != 0
    ticks = int(state.grab_ticks[other]) - 1 if has_coin else int(state.tick) - 1
    num_cubes = number
    if not has_coin or state.options.grab_rule == ANY:
        num_cubes = rng.below(seed, rng.STREAM_WORLD, _NUM_CUBES, other, min(number, ticks) + 1)
    for dot in range(NUM_DOTS):
        state.looks[other, dot] = 0
        state.evidence[other, dot] = 0.0
    if state.options.mode == EVIDENCE:
        for number_of_look in range(ticks - num_cubes):
            dot = rng.below(seed, rng.STREAM_WORLD, _LOOKS, 128 * other + number_of_look, int(table.num_dots))
            state.looks[other, dot] += 1
        draw_evidence(table, state, other, seed)
    state.cubes[other] = best_dots(table, state, other, num_cubes, seed)


@kernel
def draw_evidence(table: np.recarray, state: np.recarray, other: int, seed: np.uint64) -> None:
    """SM-73: draws the evidence that a seat's looks give, by the law of SM-65; pocket: look by look (SM-69)."""
    options = state.options
    looks = 0
    for dot in range(NUM_DOTS):
        looks += int(state.looks[other, dot])
    for dot in range(int(table.num_dots)):
        own = int(state.looks[other, dot])
        is_target = int(state.targets) >> dot & 1 == 1
        place = NUM_DOTS * other + dot
        if options.variant == POCKET:
            for number in range(own):
                is_right = rng.below(seed, rng.STREAM_WORLD, _NOISE, 128 * place + number, 10) != 9
                state.evidence[other, dot] += POCKET_EVIDENCE if is_right == is_target else -POCKET_EVIDENCE
            continue
        reach = options.clarity * (np.float32(own) + options.periphery * np.float32(looks - own))
        strength = reach * state.visibility[dot]
        word = rng.block(seed, rng.STREAM_WORLD, _NOISE, 128 * place)[0]
        noise = np.sqrt(TWO * strength) * table.normals[np.int64(word & LOW_HALF)]
        state.evidence[other, dot] += strength + noise if is_target else noise - strength


@kernel
def best_dots(table: np.recarray, state: np.recarray, seat: int, size: int, seed: np.uint64) -> int:
    """Returns the set of the ``size`` dots with the highest evidence of a seat; equal ones in random order."""
    order = np.arange(NUM_DOTS)
    rng.shuffle(seed, rng.STREAM_WORLD, _TIES + MAX_SEATS * 8 + seat, order[: table.num_dots])
    chosen = 0
    for _ in range(size):
        best = -1
        for place in range(int(table.num_dots)):
            dot = order[place]
            if chosen >> dot & 1 == 0 and (best < 0 or state.evidence[seat, dot] > state.evidence[seat, best]):
                best = dot
        chosen |= 1 << best
    return chosen


@kernel
def draw_commit(table: np.recarray, state: np.recarray, other: int, seed: np.uint64, mask: np.ndarray) -> int:
    """SM-75: returns an action drawn uniformly from those legal for a seat in the sampled world."""
    write_legal(table, state, other, mask)
    num = 0
    for action in range(NUM_ACTIONS):
        num += int(mask[action])
    wanted = rng.below(seed, rng.STREAM_WORLD, _COMMITS, other, num)
    for action in range(NUM_ACTIONS):
        wanted -= int(mask[action])
        if wanted < 0:
            return action
    return NO_ACTION


@kernel
def keep_grain(state: np.recarray, seat: int, old_seed: np.uint64) -> None:
    """SM-76: what the seat has seen of the picture stays, and it will see no more of it in this round."""
    if state.grain_seat != seat:
        state.grain_seat = seat
        state.grain_seed = old_seed
        state.grain_stop = state.tick
