"""A decent player of Chasing Shadows that sees an observation and a mask, never a state.

Of each card it asks how likely it wins the trick, given the suits in every hand and the follow cards that are left,
and what the spotlight card would then cost the winner: a card that makes the number of a suit even is welcome, most
others are not. A card that wins becomes the next spotlight card, so its worth in a trick led by the own seat counts
too. So does what the cards kept would cost as the unplayed one. A suit to discard is chosen by the first question.
"""

from __future__ import annotations

import numpy as np

from shadowenvs.cards import (
    NO_CARDS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    ONE,
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
from shadowenvs.games.chasing_shadows.spec import DISCARD, DISCARD_0, MAX_ROUNDS, NO_SCORE, PLAY_0
from shadowenvs.jit import kernel

SPITE = 0.4  # how welcome a point of another seat is, compared to one less of the own
NEXT_TRICK = 0.5  # weight of the next trick
LEAD = 2.0  # what it costs to lead
UNPLAYED = 2.0  # weight of the unplayed card
ONE_MORE = 0.45  # chance at the start of a round that one more card of a suit comes
LATER_SCORE = 0.6  # chance that a suit scores in a later round
MEAN_BOX = 7.0  # what it scores then

ALL_SUITS = (1 << NUM_SUITS) - 1
IN_EVERY_SUIT = np.uint64(sum(1 << (NUM_RANKS * suit) for suit in range(NUM_SUITS)))

Costs = tuple[float, float, float]


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
    costs = spotlight_costs(obs)
    best = -1
    best_value = -1e9
    if obs.phase[DISCARD]:
        for suit in range(NUM_SUITS):
            if mask[DISCARD_0 + suit]:
                value = trick_value(obs, unseen, costs, -1, follow_suits(obs, suit), 0.0)
                if value > best_value:
                    best, best_value = DISCARD_0 + suit, value
        return best
    while hand != NO_CARDS:
        card = lowest(hand)
        hand = without_lowest(hand)
        if mask[PLAY_0 + card]:
            value = card_value(obs, unseen, costs, card)
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


@kernel
def rank_in(entries: np.ndarray) -> int:
    """Returns the rank that a one-hot, int8 [15], stands for; -1 for none."""
    for rank in range(NUM_RANKS):
        if entries[rank]:
            return rank
    return -1


# ------------------------------------------------------------------------------------------------------ cost of a card


@kernel
def burden(obs: np.recarray, place: int, suit: int, score: int) -> float:
    """Returns by how much a score in a suit this round raises the final score of a seat, compared to an empty box.

    A score also decides whether scores of other rounds are struck out. Those of later rounds are estimated.
    """
    if score == NO_SCORE:
        return 0.0
    if obs.rounds < MAX_ROUNDS:
        return float(score)
    num_earlier = 0
    earliest = 0
    for round_index in range(int(obs.round_no) - 1):
        box = int(obs.boxes[place, round_index, suit])
        if box != NO_SCORE:
            earliest = box if num_earlier == 0 else earliest
            num_earlier += 1
    if obs.round_no == 3:
        return float(score + earliest if num_earlier == 2 else score - earliest)
    if obs.round_no == 2:
        if num_earlier == 0:
            return (1.0 - LATER_SCORE) * score
        return score + (2.0 * LATER_SCORE - 1.0) * earliest
    both = LATER_SCORE * LATER_SCORE
    neither = (1.0 - LATER_SCORE) * (1.0 - LATER_SCORE)
    return (both + neither) * score + both * MEAN_BOX


@kernel
def prospect(obs: np.recarray, place: int, suit: int, cards: np.uint64) -> float:
    """Returns what a seat's cards of a suit will cost it; the more tricks are left, the likelier one more comes."""
    rank = int(obs.num_ranks) // 2
    while rank < NUM_RANKS - 1 and has(cards, suit * NUM_RANKS + rank):
        rank += 1
    more = cards | bit(suit * NUM_RANKS + rank)
    chance = ONE_MORE * (1.0 - int(obs.trick_no) / int(obs.hand_size))
    as_it_is = burden(obs, place, suit, box_score(cards))
    return (1.0 - chance) * as_it_is + chance * burden(obs, place, suit, box_score(more))


@kernel
def cost(obs: np.recarray, place: int, card: int) -> float:
    """Returns what it costs a seat to add a card to those it has taken; negative if it gains."""
    suit = suit_of(card)
    taken = NO_CARDS
    for other in range(suit * NUM_RANKS, (suit + 1) * NUM_RANKS):
        if obs.taken[place, other]:
            taken |= bit(other)
    return prospect(obs, place, suit, taken | bit(card)) - prospect(obs, place, suit, taken)


# ------------------------------------------------------------------------------------------------------ present trick


@kernel
def spotlight_costs(obs: np.recarray) -> Costs:
    """Returns what the spotlight card costs the own seat, the seat that wins so far, and on average a seat to come."""
    card = rank_in(obs.spotlight_rank)
    for suit in range(NUM_SUITS):
        if obs.spotlight_suit[suit]:
            card += suit * NUM_RANKS
    of_winner = 0.0
    to_come = 0.0
    num_to_come = 0
    for place in range(1, int(obs.num_players)):
        price = cost(obs, place, card)
        if obs.winning[place]:
            of_winner = price
        if rank_in(obs.trick_rank[place]) < 0:
            to_come += price
            num_to_come += 1
    return cost(obs, 0, card), of_winner, to_come / max(1, num_to_come)


@kernel
def follow_suits(obs: np.recarray, removed: int) -> int:
    """Returns the suits of the follow cards that are left without one of suit ``removed`` (-1: all), as a bit set."""
    suits = 0
    for suit in range(NUM_SUITS):
        if obs.follow[suit] > (suit == removed):
            suits |= 1 << suit
    return suits


@kernel
def beating_cards(rank: int, spotlight_rank: int) -> np.uint64:
    """Returns all cards that win against a card of some rank when played after it; all cards for rank -1."""
    if rank < 0:
        return SUIT * IN_EVERY_SUIT
    below = (ONE << np.uint64(spotlight_rank)) - ONE
    from_rank = SUIT & ~((ONE << np.uint64(rank)) - ONE)
    return (from_rank & below if rank < spotlight_rank else from_rank | below) * IN_EVERY_SUIT


@kernel
def chance_to_beat(obs: np.recarray, unseen: np.uint64, place: int, suits: int, beating: np.uint64) -> float:
    """Returns how likely a seat plays one of the cards ``beating``, if it picks blindly among what it may play.

    Args:
        obs: The observation.
        unseen: Cards that may be in other hands.
        place: The seat.
        suits: Suits of the follow cards that are left, a bit set.
        beating: The cards in question.
    """
    held = 0
    for suit in range(NUM_SUITS):
        if (suits >> suit) & 1:
            held += int(obs.hand_suits[place, suit])
    allowed = suits if held > 0 else ALL_SUITS
    total = 0
    expected = 0.0
    for suit in range(NUM_SUITS):
        num = int(obs.hand_suits[place, suit]) * ((allowed >> suit) & 1)
        cards = unseen & suit_cards(suit)
        total += num
        expected += num * (count(cards & beating) / max(1, count(cards)))
    return expected / max(1, total)


@kernel
def trick_value(
    obs: np.recarray, unseen: np.uint64, costs: Costs, rank: int, suits: int, value_of_lead: float
) -> float:
    """Returns what the present trick is worth.

    Args:
        obs: The observation.
        unseen: Cards that may be in other hands.
        costs: See :func:`spotlight_costs`.
        rank: Of a card that the own seat plays, -1 for none.
        suits: Suits of the follow cards that are left for the seats to come, a bit set.
        value_of_lead: What it is worth to win with this card, apart from the spotlight card.
    """
    spotlight_rank = rank_in(obs.spotlight_rank)
    best = -1
    is_mine = False
    for place in range(int(obs.num_players)):
        if obs.winning[place]:
            best = rank_in(obs.trick_rank[place])
            is_mine = place == 0
    if rank >= 0 and has(beating_cards(best, spotlight_rank), rank):
        best = rank
        is_mine = True
    beating = beating_cards(best, spotlight_rank)
    stays = 1.0
    for place in range(1, int(obs.num_players)):
        if rank_in(obs.trick_rank[place]) < 0:
            stays *= 1.0 - chance_to_beat(obs, unseen, place, suits, beating)
    own, of_winner, to_come = costs
    value = value_of_lead - own if is_mine else SPITE * of_winner
    return stays * value + (1.0 - stays) * SPITE * to_come


@kernel
def card_value(obs: np.recarray, unseen: np.uint64, costs: Costs, card: int) -> float:
    """Returns how good it is to play a card now."""
    rank = rank_of(card)
    rest = cards_of(obs.hand) & ~bit(card)
    lead = lead_value(obs, unseen, rest, card)
    if obs.trick_leader[0]:
        value = trick_value(obs, unseen, costs, rank, follow_suits(obs, -1), lead)
    elif obs.follow[suit_of(card)]:
        value = trick_value(obs, unseen, costs, rank, follow_suits(obs, suit_of(card)), lead)
    else:
        value = -1e9
        for removed in range(NUM_SUITS):
            if obs.follow[removed]:
                value = max(value, trick_value(obs, unseen, costs, rank, follow_suits(obs, removed), lead))
    return value - UNPLAYED * unplayed_cost(obs, rest)


@kernel
def lead_value(obs: np.recarray, unseen: np.uint64, rest: np.uint64, card: int) -> float:
    """Returns what it is worth to lead the next trick from the rest of the hand, for the card played now."""
    if count(rest) < 2:
        return 0.0  # this is the last trick
    n = int(obs.num_players)
    of_others = 0.0
    for place in range(1, n):
        of_others += cost(obs, place, card)
    of_others *= SPITE / (n - 1)
    own = cost(obs, 0, card)
    best = -1e9
    while rest != NO_CARDS:
        rank = rank_of(lowest(rest))
        rest = without_lowest(rest)
        chance = 1.0 - count(unseen & beating_cards(rank, rank_of(card))) / max(1, count(unseen))
        stays = chance
        for _ in range(n - 2):
            stays *= chance
        best = max(best, (1.0 - stays) * of_others - stays * own)
    return NEXT_TRICK * best - LEAD


@kernel
def unplayed_cost(obs: np.recarray, rest: np.uint64) -> float:
    """Returns what the rest of the hand is expected to cost as the unplayed card, the less the larger it is."""
    num = count(rest)
    cheapest = 1e9
    total = 0.0
    while rest != NO_CARDS:
        price = cost(obs, 0, lowest(rest))
        cheapest = min(cheapest, price)
        total += price
        rest = without_lowest(rest)
    return (cheapest + total / max(1, num)) / (2.0 * max(1, num))
