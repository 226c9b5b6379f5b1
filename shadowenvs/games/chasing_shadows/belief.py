"""Determinisation of Chasing Shadows: a world drawn uniformly from those that a seat cannot rule out (CS-87 to CS-98).

Every back shows its suit, so each suit is dealt out anew on its own: its unseen cards are shuffled and put on the
places of that suit, seat by seat, then the first follow cards, then the cards set aside.
"""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.cards import NUM_RANKS, NUM_SUITS, count, list_cards, set_of, suit_cards
from shadowenvs.games.chasing_shadows.spec import MAX_SEATS
from shadowenvs.jit import kernel


@kernel
def hidden_cards(state: np.recarray) -> np.uint64:
    """Returns all cards that have not lain face up since the last shuffle (CS-88, CS-90)."""
    cards: np.uint64 = state.first | state.aside
    for seat in range(MAX_SEATS):
        cards |= state.hand[seat]
    return cards


@kernel
def determinise(table: np.recarray, state: np.recarray, seat: int, seed: np.uint64) -> None:
    """Replaces all cards hidden from a seat, and the seed of later shuffles (CS-97), by a uniform sample.

    Args:
        table: The tables record.
        state: The state, changed in place.
        seat: Whose knowledge is kept.
        seed: Seed of the sample, and of the sampled world.
    """
    state.seed = seed
    unseen = hidden_cards(state) & ~state.hand[seat]  # CS-87
    cards = np.empty(NUM_RANKS, np.int8)
    for suit in range(NUM_SUITS):
        of_suit = suit_cards(suit)
        num = list_cards(unseen & of_suit, cards)
        rng.shuffle(seed, rng.STREAM_WORLD, suit, cards[:num])  # CS-91, CS-96
        num = 0
        for other in range(MAX_SEATS):
            if other != seat:
                held = count(state.hand[other] & of_suit)
                state.hand[other] = (state.hand[other] & ~of_suit) | set_of(cards[num : num + held])
                num += held
        held = count(state.first & of_suit)
        state.first = (state.first & ~of_suit) | set_of(cards[num : num + held])
        num += held
        held = count(state.aside & of_suit)
        state.aside = (state.aside & ~of_suit) | set_of(cards[num : num + held])
