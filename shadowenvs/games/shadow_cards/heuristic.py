"""A decent player of Shadow Cards that sees an observation and a mask, never a state.

It sets aside cards whose sum it can hope to reach with the rest of its hand. Then it estimates what the round will be
worth from the points still wanted, the tricks to come and the strength of its hand, and plays and claims what makes
that most: towards tricks or away from them, to the prediction exactly, or beyond it without having the most.
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

# Fitted by a random search for the win share against random players, for 2 to 5 seats at once.
TRICK_VALUE = 8.2  # points that a trick brings on average when one may choose
CAUTION = 1.4  # how much a point of prediction beyond the expected ones costs
EAGERNESS = 0.38  # chance that a seat which could take a trick does
EXACTNESS = 0.21  # chance to be exact, once the prediction can be reached
UNWANTED = 0.6  # how likely a trick that is not wanted is won, against one that is
WORTH_OF_A_TRICK = 4  # points that a wanted trick brings
SLIP = 7  # points beyond the prediction where it is missed
GROWTH = 7.2  # points that the best other seat still gains, per card in hand and seat
SPREAD = 16.0  # points of lead over which having the most goes from unlikely to likely
MOST_GAIN = 24.0  # what rule Most leaves at about
NUM_PLANS = 9  # weightings of rank against strength that are tried for the prediction


@kernel
def heuristic(table: np.recarray, obs: np.recarray, mask: np.ndarray, seed: np.uint64) -> int:
    """Returns a legal action.

    Args:
        table: The tables record; all of it is public.
        obs: The observation of the seat to move.
        mask: Its legal actions, int8 [180].
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
        return 0.18 + 0.82 * power(height, (num_players + 1) // 2)
    return 0.65 * power(height, num_players)


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
        value = total - CAUTION * max(0.0, total - expected) - 0.28 * max(0.0, expected - total)
        if value > best_value:
            best, best_value = chosen, value
    return best


# ---------------------------------------------------------------------------------------------------- worth of a round


@kernel
def worth(obs: np.recarray, lacking: int, tricks: int, rate: float) -> float:
    """Returns about how many points of experience the round will bring this seat.

    Args:
        obs: The observation.
        lacking: Points still wanted to reach the prediction; negative beyond it.
        tricks: Tricks still to come.
        rate: Chance to win one of them, when it is wanted.
    """
    prediction = read_wide(obs.prediction_sum)
    own = prediction - lacking
    if lacking < 0:
        return worth_beyond(obs, own, tricks)
    over = worth_beyond(obs, prediction + SLIP, 0)
    if lacking == 0:
        kept = power(1.0 - UNWANTED * rate, tricks)
        return kept * 3.0 * prediction + (1.0 - kept) * over
    wins = 1 + (lacking - 1) // WORTH_OF_A_TRICK
    reached = chance_of_wins(wins, tricks, rate)
    short = float(own) + min(float(lacking), 0.5 * WORTH_OF_A_TRICK * tricks * rate)
    if own == 0:
        nothing = power(1.0 - UNWANTED * rate, tricks)
        short = max(short, nothing * 2.0 * prediction + (1.0 - nothing) * WORTH_OF_A_TRICK)
    return reached * (EXACTNESS * 3.0 * prediction + (1.0 - EXACTNESS) * over) + (1.0 - reached) * short


@kernel
def worth_beyond(obs: np.recarray, own: int, tricks: int) -> float:
    """Returns about what a sum beyond the prediction brings: both together, unless it is the most of all."""
    most = most_of_others(obs) + GROWTH * int(obs.hand_sizes[0]) / int(obs.num_players)
    lead = (own - most) / SPREAD
    has_most = min(0.95, max(0.05, 0.5 + 0.5 * lead))
    punished = min(float(own), MOST_GAIN)
    return (1.0 - has_most) * (read_wide(obs.prediction_sum) + own) + has_most * punished - 0.1 * tricks


@kernel
def chance_of_wins(wins: int, tricks: int, rate: float) -> float:
    """Returns the chance of at least so many successes among independent tricks."""
    if wins > tricks:
        return 0.0
    missed = 0.0
    term = power(1.0 - rate, tricks)
    for k in range(wins):
        missed += term
        term *= rate / (1.0 - rate) * (tricks - k) / (k + 1)
    return max(0.0, 1.0 - missed)


@kernel
def most_of_others(obs: np.recarray) -> int:
    """Returns the highest trick points of another seat so far."""
    best = 0
    for place in range(1, int(obs.num_players)):
        best = max(best, read_wide(obs.trick_points[place]))
    return best


@kernel
def winning_rate(obs: np.recarray, hand: np.uint64) -> float:
    """Returns the chance that a card of this hand, taken at random, wins a trick."""
    total = 0.0
    rest = hand
    while rest != NO_CARDS:
        total += strength(lowest(rest), int(obs.num_players), int(obs.num_ranks))
        rest = without_lowest(rest)
    return min(0.9, max(0.02, total / max(1, count(hand))))


@kernel
def lacking_points(obs: np.recarray) -> int:
    """Returns the points that the own sum still lacks; negative once it is beyond the prediction."""
    return read_wide(obs.prediction_sum) - read_wide(obs.trick_points[0])


# ------------------------------------------------------------------------------------------------------ claim and play


@kernel
def choose_claim(obs: np.recarray, mask: np.ndarray) -> int:
    """Returns the card of the trick whose value leaves the round worth most."""
    hand = cards_of(obs.hand)
    rate = winning_rate(obs, hand)
    best = NO_CARD
    best_value = -1e9
    rest = legal_cards(mask, CLAIM_0)
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        value = worth(obs, lacking_points(obs) - rank_of(card), count(hand), rate)
        if value > best_value:
            best, best_value = card, value
    return best


@kernel
def choose_card(table: np.recarray, obs: np.recarray, mask: np.ndarray) -> int:
    """Returns the card to play: the one after which the round is worth most, be the trick won or lost."""
    hand = cards_of(obs.hand)
    unseen = table.deck & ~(hand | cards_of(obs.prediction) | cards_of(obs.turned) | cards_of(obs.revealed[0]))
    unseen &= ~cards_of(obs.revealed[1])
    for place in range(int(obs.num_players)):
        unseen &= ~cards_of(obs.played[place])
    lacking = lacking_points(obs)
    tricks = count(hand) - 1
    best = NO_CARD
    best_value = -1e9
    rest = legal_cards(mask, PLAY_0)
    while rest != NO_CARDS:
        card = lowest(rest)
        rest = without_lowest(rest)
        chance = winning_chance(obs, unseen, card)
        rate = winning_rate(obs, hand & ~bit(card))
        value = (1.0 - chance) * worth(obs, lacking, tricks, rate)
        if chance > 0.0:
            value += chance * worth_of_winning(obs, rank_of(card), lacking, tricks, rate)
        if value > best_value:
            best, best_value = card, value
    return best


@kernel
def worth_of_winning(obs: np.recarray, rank: int, lacking: int, tricks: int, rate: float) -> float:
    """Returns what the round is worth with the best claim from this trick, played to with a card of this rank."""
    best = worth(obs, lacking - rank, tricks, rate)
    open_places = -1
    for place in range(MAX_SEATS):
        if obs.trick_rank[place] != NO_CARD:
            best = max(best, worth(obs, lacking - int(obs.trick_rank[place]), tricks, rate))
        elif obs.present[place]:
            open_places += 1
    if obs.extra_rank != NO_CARD:
        best = max(best, worth(obs, lacking - int(obs.extra_rank), tricks, rate))
    # Cards still to come are about one third and two thirds of the way up.
    if open_places > 0:
        best = max(best, worth(obs, lacking - int(obs.num_ranks) // 3, tricks, rate))
    if open_places > 1:
        best = max(best, worth(obs, lacking - 2 * int(obs.num_ranks) // 3, tricks, rate))
    return best


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
