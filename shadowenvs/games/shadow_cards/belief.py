"""Determinisation of Shadow Cards: a world drawn uniformly from those that a seat cannot rule out (SC-108 to SC-120).

Only voids constrain where an unseen card may lie (SC-110). Hands with the same voids are filled as one group. For each
group the number of cards per suit is drawn in proportion to the number of worlds that it leaves, counted exactly over
the groups still to come; within a suit, and over the places without any constraint, the cards are shuffled.
"""

from __future__ import annotations

import math

import numpy as np

from shadowenvs import rng
from shadowenvs.cards import NO_CARD, NUM_CARDS, NUM_SUITS, bit, count, list_cards, set_of, suit_of
from shadowenvs.games.shadow_cards.spec import NUM_RESERVES, PREDICT
from shadowenvs.jit import kernel

_NUM_MASKS = 1 << NUM_SUITS

# Numbers of the draws within STREAM_WORLD; the group or the seat is added to the last three.
_SHUFFLE_ALL, _SHUFFLE_REST, _SHUFFLE_GROUP, _DRAW_SPLIT, _SHUFFLE_PICKS = 0, 1, 16, 32, 48
_CHOOSE = np.array([[float(math.comb(n, k)) for k in range(NUM_CARDS + 1)] for n in range(NUM_CARDS + 1)])


@kernel
def determinise(table: np.recarray, state: np.recarray, seat: int, seed: np.uint64) -> None:
    """Replaces all cards hidden from a seat, and the seed of later shuffles (SC-119), by a uniform sample.

    Args:
        table: The tables record.
        state: The state, changed in place.
        seat: Whose knowledge is kept.
        seed: Seed of the sample, and of the sampled world.
    """
    state.seed = seed
    unseen = np.empty(NUM_CARDS, np.int8)
    num = list_cards(unseen_cards(table, state, seat), unseen)
    rng.shuffle(seed, rng.STREAM_WORLD, _SHUFFLE_ALL, unseen[:num])
    num = fill_hands_with_voids(state, seat, seed, unseen, num)
    rng.shuffle(seed, rng.STREAM_WORLD, _SHUFFLE_REST, unseen[:num])
    fill_free_places(state, seat, seed, unseen)


@kernel
def unseen_cards(table: np.recarray, state: np.recarray, seat: int) -> np.uint64:
    """SC-108: the deck less the own hand, the own prediction and all cards public since the last shuffle."""
    seen = state.hand[seat] | state.prediction[seat]
    for other in range(int(state.options.num_players)):
        seen |= state.played[other]
        if state.done:  # SC-56
            seen |= state.prediction[other]
    for reserve_seat in range(NUM_RESERVES):
        seen |= state.revealed[reserve_seat]
    for place in range(int(state.trick_no)):
        if state.options.num_players == 3:
            seen |= bit(state.extra[place])
    return table.deck & ~seen


# --------------------------------------------------------------------------------------------------- hands with voids


@kernel
def fill_hands_with_voids(state: np.recarray, seat: int, seed: np.uint64, unseen: np.ndarray, num: int) -> int:
    """Fills the foreign hands that are known to lack a suit; returns how many unseen cards are left in front.

    Args:
        state: The state.
        seat: The observer.
        seed: Seed of the sample.
        unseen: Unseen cards in random order, int8 [60].
        num: How many there are.
    """
    sizes = np.zeros(_NUM_MASKS, np.int64)  # cards in the hands of each void mask
    for other in range(int(state.options.num_players)):
        if other != seat:
            sizes[state.voids[other]] += count(state.hand[other])
    masks = np.zeros(_NUM_MASKS, np.int64)
    groups = 0
    for mask in range(1, _NUM_MASKS):
        if sizes[mask] > 0:
            masks[groups] = mask
            groups += 1
    cards = np.empty(NUM_CARDS, np.int8)
    for group in range(groups):
        split = draw_split(masks, sizes, group, groups, suit_counts(unseen[:num]), seed)
        num = take(unseen, num, split, cards)
        size = sizes[masks[group]]
        rng.shuffle(seed, rng.STREAM_WORLD, _SHUFFLE_GROUP + group, cards[:size])
        start = 0
        for other in range(int(state.options.num_players)):
            if other != seat and state.voids[other] == masks[group]:
                held = count(state.hand[other])
                state.hand[other] = set_of(cards[start : start + held])
                start += held
    return num


@kernel
def suit_counts(cards: np.ndarray) -> tuple[int, int, int, int]:
    """Returns how many cards of each suit there are."""
    c0, c1, c2, c3 = 0, 0, 0, 0
    for card in cards:
        suit = suit_of(card)
        c0 += suit == 0
        c1 += suit == 1
        c2 += suit == 2
        c3 += suit == 3
    return c0, c1, c2, c3


@kernel
def take(unseen: np.ndarray, num: int, split: tuple[int, int, int, int], cards: np.ndarray) -> int:
    """Moves the first split[s] cards of each suit s from ``unseen`` to ``cards``; returns how many stay."""
    moved = 0
    kept = 0
    taken = np.zeros(NUM_SUITS, np.int64)
    for place in range(num):
        card = unseen[place]
        suit = suit_of(card)
        if taken[suit] < split[suit]:
            taken[suit] += 1
            cards[moved] = card
            moved += 1
        else:
            unseen[kept] = card
            kept += 1
    return kept


@kernel
def ways(masks: np.ndarray, sizes: np.ndarray, group: int, groups: int, left: tuple[int, int, int, int]) -> float:
    """Returns in how many ways the groups from this one on can be filled from ``left`` unseen cards per suit."""
    mask = masks[group]
    size = sizes[mask]
    if group == groups - 1:
        allowed = 0
        for suit in range(NUM_SUITS):
            allowed += most(mask, suit, left)
        return _CHOOSE[allowed, size]
    total = 0.0
    for x0 in range(min(most(mask, 0, left), size) + 1):
        for x1 in range(min(most(mask, 1, left), size - x0) + 1):
            for x2 in range(min(most(mask, 2, left), size - x0 - x1) + 1):
                x3 = size - x0 - x1 - x2
                if x3 <= most(mask, 3, left):
                    choices = choose_split(left, x0, x1, x2, x3)
                    rest = (left[0] - x0, left[1] - x1, left[2] - x2, left[3] - x3)
                    total += choices * (ways(masks, sizes, group + 1, groups, rest))
    return total


@kernel
def choose_split(left: tuple[int, int, int, int], x0: int, x1: int, x2: int, x3: int) -> float:
    """Returns in how many ways x0 to x3 cards can be chosen from those left of each suit."""
    return _CHOOSE[left[0], x0] * _CHOOSE[left[1], x1] * _CHOOSE[left[2], x2] * _CHOOSE[left[3], x3]


@kernel
def most(mask: int, suit: int, left: tuple[int, int, int, int]) -> int:
    """Returns how many cards of a suit a hand with these voids can hold."""
    return 0 if (mask >> suit) & 1 else left[suit]


@kernel
def draw_split(
    masks: np.ndarray, sizes: np.ndarray, group: int, groups: int, left: tuple[int, int, int, int], seed: np.uint64
) -> tuple[int, int, int, int]:
    """Draws how many cards of each suit a group gets, in proportion to the number of worlds with that split.

    Args:
        masks: Void mask of each group.
        sizes: Cards that the group of each mask needs, int64 [16].
        group: The group to draw for.
        groups: How many groups there are.
        left: Unseen cards per suit.
        seed: Seed of the sample.
    """
    w0, w1, _, _ = rng.block(seed, rng.STREAM_WORLD, _DRAW_SPLIT + group, 0)
    share = (float(w0) * 4294967296.0 + float(w1)) / 18446744073709551616.0
    mask = masks[group]
    size = sizes[mask]
    aim = share * ways(masks, sizes, group, groups, left)
    split = (0, 0, 0, 0)
    for x0 in range(min(most(mask, 0, left), size) + 1):
        for x1 in range(min(most(mask, 1, left), size - x0) + 1):
            for x2 in range(min(most(mask, 2, left), size - x0 - x1) + 1):
                x3 = size - x0 - x1 - x2
                if x3 <= most(mask, 3, left):
                    split = (x0, x1, x2, x3)
                    weight = choose_split(left, x0, x1, x2, x3)
                    if group < groups - 1:
                        rest = (left[0] - x0, left[1] - x1, left[2] - x2, left[3] - x3)
                        weight *= ways(masks, sizes, group + 1, groups, rest)
                    aim -= weight
                    if weight > 0.0 and aim < 0.0:
                        return split
    return split


# ------------------------------------------------------------------------------------------------------- free places


@kernel
def fill_free_places(state: np.recarray, seat: int, seed: np.uint64, unseen: np.ndarray) -> None:
    """Fills all places without a constraint from shuffled cards: hands without voids, predictions, stacks (SC-109).

    What is left over lies outside the game (SC-129, SC-130) and is recorded nowhere.
    """
    start = 0
    for other in range(int(state.options.num_players)):
        if other == seat or state.done:
            continue
        picks = count(state.prediction[other])
        held = count(state.hand[other]) if state.voids[other] == 0 else 0
        cards = unseen[start : start + held + picks]
        start += held + picks
        if state.phase == PREDICT and picks < state.options.prediction_cards:
            state.prediction[other] = draw_picks(state, other, seed, cards)
            state.hand[other] = set_of(cards) & ~state.prediction[other]
        else:
            state.prediction[other] = set_of(cards[:picks])
            if held > 0:
                state.hand[other] = set_of(cards[picks:])
    for place in range(int(state.trick_no), len(state.extra)):
        if state.extra[place] != NO_CARD:
            state.extra[place] = unseen[start]
            start += 1
    for other in range(NUM_RESERVES):
        size = count(state.reserve[other])
        state.reserve[other] = set_of(unseen[start : start + size])
        start += size


@kernel
def draw_picks(state: np.recarray, other: int, seed: np.uint64, cards: np.ndarray) -> np.uint64:
    """SC-116: the picks of a seat that is still choosing, uniform over those after which it can go on.

    A seat that made m of its k picks must hold k - m cards above its highest pick. So the picks are m of the lowest
    len(cards) - (k - m) cards, any m of them: the same number for every set of cards, which keeps the sample uniform.
    """
    picks = count(state.prediction[other])
    missing = int(state.options.prediction_cards) - picks
    cards.sort()
    candidates = cards[: len(cards) - missing].copy()
    rng.shuffle(seed, rng.STREAM_WORLD, _SHUFFLE_PICKS + other, candidates)
    return set_of(candidates[:picks])
