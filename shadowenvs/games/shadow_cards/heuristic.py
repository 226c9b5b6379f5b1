"""A decent player of Shadow Cards that sees an observation and a mask, never a state.

It sets aside cards whose sum it can hope to reach with the rest of its hand, then plays towards tricks or away from
them by the points still wanted, and claims the card that brings its sum to the prediction or keeps that within reach.
"""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import (
    NO_CARD,
    NO_CARDS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    above,
    bit,
    count,
    lowest,
    rank_of,
    suit_cards,
    suit_of,
    sum_of_ranks,
    without_lowest,
)
from shadowenvs.games.shadow_cards.rules import beats
from shadowenvs.games.shadow_cards.spec import CLAIM, CLAIM_0, MAX_SEATS, PLAY_0, PREDICT, PREDICT_0, TRUMP
from shadowenvs.jit import kernel
from shadowenvs.layout import read_wide

TRICK_VALUE = 9.0  # points that a trick brings on average when one may choose
CAUTION = 1.2  # how much a point of prediction beyond the expected ones costs
EAGERNESS = 0.6  # chance that a seat which could take a trick does
NUM_PLANS = 9  # weightings of rank against strength that are tried for the prediction


@kernel
def heuristic(table: np.recarray, obs: np.recarray, mask: np.ndarray, seed: np.uint64) -> int:
    """Returns a legal action.

    Args:
        table: The tables record; all of it is public.
        obs: The observation of the seat to move.
        mask: Its legal actions, bool [180].
        seed: Not used: this player is deterministic.
    """
    if obs.phase[PREDICT]:
        return PREDICT_0 + choose_pick(obs, mask)
    if obs.phase[CLAIM]:
        return CLAIM_0 + choose_claim(obs, mask)
    return PLAY_0 + choose_card(table, obs, mask)


@kernel
def cards_of(entries: np.ndarray) -> np.uint64:
    """Returns the set that zeros and ones, int8 [60], stand for."""
    cards = NO_CARDS
    for card in range(NUM_CARDS):
        if entries[card]:
            cards |= bit(card)
    return cards


@kernel
def legal_cards(mask: np.ndarray, first: int) -> np.uint64:
    """Returns the cards of the legal actions of one block."""
    cards = NO_CARDS
    for card in range(NUM_CARDS):
        if mask[first + card]:
            cards |= bit(card)
    return cards


@kernel
def power(base: float, exponent: int) -> float:
    """Returns base ** exponent by multiplications, the same on every platform."""
    result = 1.0
    for _ in range(exponent):
        result *= base
    return result


# -------------------------------------------------------------------------------------------------------- prediction


@kernel
def strength(card: int, num_players: int, num_ranks: int) -> float:
    """Returns about how likely a card is to take a trick some time in the round."""
    height = (rank_of(card) + 0.5) / num_ranks
    if suit_of(card) == TRUMP:
        return 0.15 + 0.85 * power(height, (num_players + 1) // 2)
    return 0.8 * power(height, num_players)


@kernel
def choose_pick(obs: np.recarray, mask: np.ndarray) -> int:
    """Returns the next card of the best prediction found: the lowest of its cards that may still be picked."""
    picked = cards_of(obs.prediction)
    plan = plan_prediction(obs, cards_of(obs.hand) | picked) & ~picked
    allowed = legal_cards(mask, PREDICT_0)
    return lowest(plan & allowed) if plan & allowed != NO_CARDS else lowest(allowed)


@kernel
def plan_prediction(obs: np.recarray, cards: np.uint64) -> np.uint64:
    """Returns the cards to set aside, out of all those dealt.

    A prediction is worth its sum, less what its sum exceeds the points that the other cards can be expected to bring.
    Some weightings of rank against strength propose sets of cards; the best one is taken.
    """
    n = int(obs.num_players)
    ranks = int(obs.num_ranks)
    best = NO_CARDS
    best_value = -1e9
    for plan in range(NUM_PLANS):
        weight = 3.0 * plan
        chosen = NO_CARDS
        for _ in range(int(obs.prediction_cards)):
            pick = NO_CARD
            pick_score = -1e9
            rest = cards & ~chosen
            while rest != NO_CARDS:
                card = lowest(rest)
                rest = without_lowest(rest)
                score = rank_of(card) - weight * strength(card, n, ranks)
                if score > pick_score:
                    pick, pick_score = card, score
            chosen |= bit(pick)
        total = float(sum_of_ranks(chosen))
        expected = 0.0
        rest = cards & ~chosen
        while rest != NO_CARDS:
            expected += TRICK_VALUE * strength(lowest(rest), n, ranks)
            rest = without_lowest(rest)
        value = total - CAUTION * max(0.0, total - expected) - 0.1 * max(0.0, expected - total)
        if value > best_value:
            best, best_value = chosen, value
    return best


# ------------------------------------------------------------------------------------------------------------- claim


@kernel
def wanted(obs: np.recarray) -> int:
    """Returns the points that the own sum still lacks; negative once it is beyond the prediction."""
    return read_wide(obs.prediction_sum) - read_wide(obs.trick_points[0])


@kernel
def most_of_others(obs: np.recarray) -> int:
    """Returns the highest trick points of another seat so far."""
    best = 0
    for place in range(1, int(obs.num_players)):
        best = max(best, read_wide(obs.trick_points[place]))
    return best


@kernel
def choose_claim(obs: np.recarray, mask: np.ndarray) -> int:
    """Returns the card of the trick to claim."""
    best = NO_CARD
    best_value = -1e9
    rest = legal_cards(mask, CLAIM_0)
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        value = claim_value(obs, rank_of(card))
        if value > best_value:
            best, best_value = card, value
    return best


@kernel
def claim_value(obs: np.recarray, rank: int) -> float:
    """Returns how good it is to claim a card of this value now.

    To reach the prediction exactly is best. Short of it, what counts is whether the tricks still to come can bring the
    rest. Beyond it, more is better as long as another seat keeps the most.
    """
    lacking = wanted(obs) - rank
    tricks_left = int(obs.hand_sizes[0])
    if lacking == 0:
        return 100.0
    if lacking > 0:
        reach = TRICK_VALUE * tricks_left * 1.3 / int(obs.num_players)
        nothing_yet = read_wide(obs.trick_points[0]) + rank == 0
        if lacking > reach:
            return 60.0 if nothing_yet else 10.0 + rank
        return 80.0 - lacking / (1.0 + tricks_left) + (1.0 if lacking <= 14 else 0.0)
    total = read_wide(obs.trick_points[0]) + rank
    return 20.0 + 0.3 * rank if total < most_of_others(obs) else 5.0 - 0.2 * rank


# -------------------------------------------------------------------------------------------------------------- play


@kernel
def choose_card(table: np.recarray, obs: np.recarray, mask: np.ndarray) -> int:
    """Returns the card to play: the one with the best mix of winning and losing this trick."""
    hand = cards_of(obs.hand)
    unseen = table.deck & ~(hand | cards_of(obs.prediction) | cards_of(obs.turned) | cards_of(obs.revealed[0]))
    unseen &= ~cards_of(obs.revealed[1])
    for place in range(int(obs.num_players)):
        unseen &= ~cards_of(obs.played[place])
    gain = value_of_winning(obs)
    best = NO_CARD
    best_value = -1e9
    rest = legal_cards(mask, PLAY_0)
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        chance = winning_chance(obs, unseen, card)
        # A strong card is worth keeping while tricks are wanted, and worth losing while they are not.
        keep = strength(card, int(obs.num_players), int(obs.num_ranks)) + 0.01 * rank_of(card)
        value = chance * gain - (0.35 if wants_tricks(obs) else -0.35) * keep
        if value > best_value:
            best, best_value = card, value
    return best


@kernel
def wants_tricks(obs: np.recarray) -> bool:
    """Returns whether this seat still looks for tricks."""
    lacking = wanted(obs)
    if lacking == 0:
        return False
    own = read_wide(obs.trick_points[0])
    if lacking < 0:
        return own < most_of_others(obs) - 14
    # With nothing won and the prediction out of reach, to win nothing at all pays twice the prediction.
    reach = TRICK_VALUE * int(obs.hand_sizes[0]) * 1.6 / int(obs.num_players)
    return own > 0 or lacking <= reach


@kernel
def value_of_winning(obs: np.recarray) -> float:
    """Returns how welcome this trick is, from -1 to 1."""
    lacking = wanted(obs)
    if not wants_tricks(obs):
        # A trick that holds a 0 does no harm.
        return -0.2 if has_zero(obs) else -1.0
    if lacking < 0:
        return 0.4
    fits = 0.0
    empty = obs.extra_rank == NO_CARD
    for place in range(-1, MAX_SEATS):
        rank = int(obs.extra_rank if place < 0 else obs.trick_rank[place])
        if rank == NO_CARD:
            continue
        empty = False
        if rank == lacking:
            return 1.0
        if rank < lacking:
            fits = max(fits, rank / 14.0)
    if empty:
        return 0.7
    return 0.4 + 0.5 * fits


@kernel
def has_zero(obs: np.recarray) -> bool:
    """Returns whether a card of value 0 lies on the table."""
    for place in range(MAX_SEATS):
        if obs.trick_rank[place] == 0:
            return True
    return bool(obs.extra_rank == 0)


@kernel
def winning_chance(obs: np.recarray, unseen: np.uint64, card: int) -> float:
    """Returns about how likely a card, played now, takes the trick.

    Args:
        obs: The observation.
        unseen: Cards that may be in other hands.
        card: The card to play.
    """
    led = suit_of(card)
    to_come = 0
    for place in range(MAX_SEATS):
        if obs.present[place] and obs.trick_rank[place] == NO_CARD:
            to_come += 1
        if obs.trick_leader[place] and obs.trick_rank[place] != NO_CARD:
            for suit in range(NUM_SUITS):
                if obs.trick_suit[place, suit]:
                    led = suit
    for place in range(MAX_SEATS):
        if obs.winning[place]:
            for suit in range(NUM_SUITS):
                if obs.trick_suit[place, suit]:
                    best = suit * NUM_RANKS + int(obs.trick_rank[place])
            if not beats(card, best):
                return 0.0
    num_unseen = max(1, count(unseen))
    chance = 1.0
    for place in range(1, to_come):
        share = min(1.0, int(obs.hand_sizes[place]) / num_unseen)
        followers = count(unseen & suit_cards(led))
        higher = count(unseen & suit_cards(suit_of(card)) & above(card))
        trumps = count(unseen & suit_cards(TRUMP))
        void = 1.0 if obs.voids[place, led] else power(1.0 - share, followers)
        has_higher = (1.0 - power(1.0 - share, higher)) * (1.0 if suit_of(card) == led else void)
        has_trump = void * (1.0 - power(1.0 - share, trumps)) if suit_of(card) != TRUMP else 0.0
        chance *= 1.0 - EAGERNESS * min(1.0, has_higher + has_trump)
    return chance
