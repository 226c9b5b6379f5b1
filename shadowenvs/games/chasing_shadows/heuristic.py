"""A decent player of Chasing Shadows that sees an observation and a mask, never a state.

It asks of each card how likely it takes the spotlight card and what that card is worth to itself and to the others, given
the suits in every hand and the follow cards that are left; what the card would be worth as the next spotlight card; and
what the cards kept are worth as the last, unplayed one. A follow card is removed by the first of these questions alone.
"""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import (
    NO_CARD,
    NO_CARDS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    SUIT,
    bit,
    count,
    has,
    lowest,
    rank_of,
    suit_cards,
    suit_of,
    without_lowest,
)
from shadowenvs.games.chasing_shadows.scoring import box_score
from shadowenvs.games.chasing_shadows.spec import (
    DISCARD,
    DISCARD_0,
    MAX_ROUNDS,
    MAX_SEATS,
    NO_SCORE,
    PLAY_0,
)
from shadowenvs.jit import kernel

SPITE = 0.3  # how much a point of another seat is worth
LATER_SCORE = 0.6  # chance that a suit scores in a later round
MEAN_BOX = 7.0  # what it scores then
PLANT = 0.2  # weight of the next spotlight card
PLANT_OWN = 1.0
LAST = 1.0  # weight of the unplayed card
LEAD = 0.0  # cost of the lead
RISK = 0.2
AVERSE = 0.0
NEXT = 0.0
SHED_HIGH = 0.0
SHED_LOW = 0.0


@kernel
def heuristic(table: np.recarray, obs: np.recarray, mask: np.ndarray, seed: np.uint64) -> int:
    """Returns a legal action.

    Args:
        table: The tables record; all of it is public.
        obs: The observation of the seat to move.
        mask: Its legal actions, bool [64].
        seed: Not used: this player is deterministic.
    """
    hand = cards_of(obs.hand)
    unseen = table.deck & ~(cards_of(obs.seen) | hand)
    best = -1
    best_value = -1e9
    if obs.phase[DISCARD]:
        for suit in range(NUM_SUITS):
            if mask[DISCARD_0 + suit]:
                value = trick_value(obs, unseen, NO_CARD, follow_suits(obs, suit))
                if value > best_value:
                    best, best_value = DISCARD_0 + suit, value
        return best
    while hand != NO_CARDS:
        card = lowest(hand)
        hand = without_lowest(hand)
        if mask[PLAY_0 + card]:
            value = card_value(obs, unseen, card)
            if value > best_value:
                best, best_value = PLAY_0 + card, value
    return best


@kernel
def cards_of(entries: np.ndarray) -> np.uint64:
    """Returns the set that zeros and ones, int8 [60], stand for."""
    cards = NO_CARDS
    for card in range(NUM_CARDS):
        if entries[card]:
            cards |= bit(card)
    return cards


# --------------------------------------------------------------------------------------------------- worth of a card


@kernel
def burden(obs: np.recarray, place: int, suit: int, score: int) -> float:
    """Returns by how much a score in a suit this round raises the final score of a seat, compared to an empty box.

    A score also decides whether scores of other rounds are struck out. Those of later rounds are estimated.
    """
    if score == NO_SCORE:
        return 0.0
    if int(obs.rounds) < MAX_ROUNDS:
        return float(score)
    num_earlier = 0
    earliest = 0
    for round_index in range(int(obs.round_no) - 1):
        box = int(obs.boxes[place, round_index, suit])
        if box != NO_SCORE:
            if num_earlier == 0:
                earliest = box
            num_earlier += 1
    if int(obs.round_no) == MAX_ROUNDS:
        if num_earlier == 0:
            return float(score)
        return float(score - earliest if num_earlier == 1 else score + earliest)
    if int(obs.round_no) == 2:
        if num_earlier == 0:
            return (1.0 - LATER_SCORE) * score
        return score + (2.0 * LATER_SCORE - 1.0) * earliest
    both = LATER_SCORE * LATER_SCORE
    neither = (1.0 - LATER_SCORE) * (1.0 - LATER_SCORE)
    return (both + neither) * score + both * MEAN_BOX


@kernel
def cost(obs: np.recarray, place: int, card: int) -> float:
    """Returns what it costs a seat to add a card to those it has taken; negative if it gains."""
    suit = suit_of(card)
    taken = cards_of(obs.taken[place]) & suit_cards(suit)
    return prospect(obs, place, suit, taken | bit(card)) - prospect(obs, place, suit, taken)


@kernel
def prospect(obs: np.recarray, place: int, suit: int, cards: np.uint64) -> float:
    """Returns the burden of the cards of a suit, in case one more comes."""
    left = RISK * (int(obs.hand_suits[place, 0]) + int(obs.hand_suits[place, 1]) + int(obs.hand_suits[place, 2]) + int(obs.hand_suits[place, 3]) - 2) / int(obs.hand_size)
    more = cards
    rank = int(obs.num_ranks) // 2
    while rank < NUM_RANKS - 1 and has(cards, suit * NUM_RANKS + rank):
        rank += 1
    more = cards | bit(suit * NUM_RANKS + rank)
    return (1.0 - left) * burden(obs, place, suit, box_score(cards)) + left * burden(obs, place, suit, box_score(more))


@kernel
def spotlight_card(obs: np.recarray) -> int:
    """Returns the spotlight card."""
    card = 0
    for suit in range(NUM_SUITS):
        if obs.spotlight_suit[suit]:
            card += suit * NUM_RANKS
    for rank in range(NUM_RANKS):
        if obs.spotlight_rank[rank]:
            card += rank
    return card


# ------------------------------------------------------------------------------------------------------ present trick


@kernel
def follow_suits(obs: np.recarray, removed: int) -> int:
    """Returns the suits of the follow cards that are left without one of suit ``removed`` (-1 for none), as a bit set."""
    suits = 0
    for suit in range(NUM_SUITS):
        if int(obs.follow[suit]) - (suit == removed) > 0:
            suits |= 1 << suit
    return suits


@kernel
def beating_ranks(rank: int, spotlight: int) -> np.uint64:
    """Returns all cards that win against a card of some rank when played after it."""
    below = (ONE_RANK << np.uint64(spotlight)) - ONE_RANK
    from_rank = SUIT & ~((ONE_RANK << np.uint64(rank)) - ONE_RANK)
    ranks = from_rank & below if rank < spotlight else from_rank | below
    return ranks * EVERY_SUIT


ONE_RANK = np.uint64(1)
EVERY_SUIT = np.uint64(sum(1 << (NUM_RANKS * suit) for suit in range(NUM_SUITS)))


@kernel
def chance_to_beat(obs: np.recarray, unseen: np.uint64, place: int, suits: int, beating: np.uint64) -> float:
    """Returns how likely a seat to come plays one of the cards ``beating``, if it picks blindly among the allowed ones."""
    held = 0
    for suit in range(NUM_SUITS):
        if (suits >> suit) & 1:
            held += int(obs.hand_suits[place, suit])
    allowed = suits if held > 0 else 15
    total = 0.0
    beat = 0.0
    for suit in range(NUM_SUITS):
        num = int(obs.hand_suits[place, suit])
        if num > 0 and (allowed >> suit) & 1:
            cards = unseen & suit_cards(suit)
            total += num
            beat += num * (count(cards & beating) / max(1, count(cards)))
    return beat / total if total > 0.0 else 0.0


@kernel
def trick_value(obs: np.recarray, unseen: np.uint64, card: int, suits: int) -> float:
    """Returns what the present trick is worth after a card of the own seat (NO_CARD: it lies there already).

    Args:
        obs: The observation.
        unseen: Cards that may be in other hands.
        card: The card, or NO_CARD.
        suits: Suits of the follow cards that are left for the seats to come, a bit set.
    """
    n = int(obs.num_players)
    spotlight = spotlight_card(obs)
    spotlight_rank = rank_of(spotlight)
    winner = 0
    best = -1
    num_played = 0
    for place in range(n):
        for rank in range(NUM_RANKS):
            if obs.trick_rank[place, rank]:
                num_played += 1
                if obs.winning[place]:
                    winner = place
                    best = rank
    if card != NO_CARD:
        num_played += 1
        rank = rank_of(card)
        if best < 0 or has(beating_ranks(best, spotlight_rank), rank):
            winner = 0
            best = rank
    beating = beating_ranks(best, spotlight_rank)
    stays = 1.0
    others = 0.0
    num_later = n - num_played
    for place in range(1, num_later + 1):
        price = cost(obs, place, spotlight)
        eager = 1.0 - AVERSE if price > 0.0 else 1.0
        stays *= 1.0 - eager * chance_to_beat(obs, unseen, place, suits, beating)
        others += SPITE * price
    value = stays * (-cost(obs, 0, spotlight) if winner == 0 else SPITE * cost(obs, winner, spotlight))
    if num_later > 0:
        value += (1.0 - stays) * others / num_later
    if winner == 0 and card != NO_CARD:
        value += stays * plant_value(obs, unseen, card)
    return value


@kernel
def plant_value(obs: np.recarray, unseen: np.uint64, card: int) -> float:
    """Returns what it is worth to lead the next trick with this card as the spotlight card."""
    n = int(obs.num_players)
    others = 0.0
    for place in range(1, n):
        others += cost(obs, place, card)
    value = PLANT * (others / (n - 1) - PLANT_OWN * cost(obs, 0, card)) - LEAD
    if NEXT > 0.0:
        own = cost(obs, 0, card)
        rest = cards_of(obs.hand) & ~bit(card)
        best = -1e9
        while rest != NO_CARDS:
            lead = lowest(rest)
            rest = without_lowest(rest)
            beating = beating_ranks(rank_of(lead), rank_of(card))
            stays = 1.0
            for place in range(1, n):
                stays *= 1.0 - chance_to_beat(obs, unseen, place, 15, beating)
            best = max(best, -stays * own + (1.0 - stays) * SPITE * others / (n - 1))
        value += NEXT * best
    return value


@kernel
def card_value(obs: np.recarray, unseen: np.uint64, card: int) -> float:
    """Returns how good it is to play a card now."""
    value = -1e9
    suit = suit_of(card)
    leads = True
    for place in range(1, MAX_SEATS):
        if obs.to_move[0] and obs.trick_leader[place]:
            leads = False
    if leads:
        value = trick_value(obs, unseen, card, follow_suits(obs, -1))
    elif obs.follow[suit]:
        value = trick_value(obs, unseen, card, follow_suits(obs, suit))
    else:
        for removed in range(NUM_SUITS):
            if obs.follow[removed]:
                value = max(value, trick_value(obs, unseen, card, follow_suits(obs, removed)))
    rest = cards_of(obs.hand) & ~bit(card)
    num = count(rest)
    total = 0.0
    cheapest = 1e9
    while rest != NO_CARDS:
        price = cost(obs, 0, lowest(rest))
        total += price
        cheapest = min(cheapest, price)
        rest = without_lowest(rest)
    if num > 0:
        value -= LAST * (0.5 * cheapest + 0.5 * total / num) / num
    height = rank_of(card) / int(obs.num_ranks)
    return value + SHED_HIGH * height + SHED_LOW * (1.0 - height) * (1.0 - height)
