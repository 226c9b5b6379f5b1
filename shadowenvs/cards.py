"""Cards and sets of cards, for the games that have suits.

A card is the number suit * 15 + rank. A set of cards is a bit set in ``np.uint64``: bit c stands for card c.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from shadowenvs.bits import count as count
from shadowenvs.bits import expand, store
from shadowenvs.bits import highest as highest
from shadowenvs.bits import lowest as lowest
from shadowenvs.jit import kernel

NUM_SUITS = 4
NUM_RANKS = 15
NUM_CARDS = NUM_SUITS * NUM_RANKS
NO_CARD = -1

NO_CARDS = np.uint64(0)
ONE = np.uint64(1)
_RANK_HAS_1, _RANK_HAS_2, _RANK_HAS_4, _RANK_HAS_8 = (
    np.uint64(sum(1 << card for card in range(NUM_CARDS) if card % NUM_RANKS & digit)) for digit in (1, 2, 4, 8)
)
_RANK_0 = np.uint64(sum(1 << suit * NUM_RANKS for suit in range(NUM_SUITS)))
SUIT = np.uint64((1 << NUM_RANKS) - 1)  # the cards of suit 0


@kernel
def suit_of(card: int) -> int:
    return card // NUM_RANKS


@kernel
def rank_of(card: int) -> int:
    return card % NUM_RANKS


@kernel
def bit(card: int) -> np.uint64:
    """Returns the set of one card."""
    return ONE << np.uint64(card)


@kernel
def suit_cards(suit: int) -> np.uint64:
    """Returns the set of all cards of a suit."""
    return SUIT << np.uint64(NUM_RANKS * suit)


@kernel
def rank_cards(rank: int) -> np.uint64:
    """Returns the set of all cards of a rank."""
    return _RANK_0 << np.uint64(rank)


@kernel
def has(cards: np.uint64, card: int) -> bool:
    """Returns whether the set holds the card."""
    return (cards >> np.uint64(card)) & ONE != NO_CARDS


@kernel
def without_lowest(cards: np.uint64) -> np.uint64:
    """Returns the set less its lowest card; the set must not be empty."""
    return cards & (cards - ONE)


@kernel
def list_cards(cards: np.uint64, out: np.ndarray) -> int:
    """Writes the numbers of a set into integers [n] in ascending order and returns how many there are."""
    num = 0
    while cards != NO_CARDS:
        out[num] = lowest(cards)
        cards = without_lowest(cards)
        num += 1
    return num


@kernel
def set_of(cards: np.ndarray) -> np.uint64:
    """Returns the set of an array of cards, integers [n]."""
    total = NO_CARDS
    for card in cards:
        total |= bit(int(card))
    return total


@kernel
def above(card: int) -> np.uint64:
    """Returns the set of all numbers above the card; card -1 gives all."""
    return ~((ONE << np.uint64(card + 1)) - ONE)


@kernel
def sum_of_ranks(cards: np.uint64) -> int:
    """Returns the sum of the ranks of a set of cards, one binary digit of the rank at a time."""
    return (
        count(cards & _RANK_HAS_1)
        + 2 * count(cards & _RANK_HAS_2)
        + 4 * count(cards & _RANK_HAS_4)
        + 8 * count(cards & _RANK_HAS_8)
    )


def write_bits(cards: np.uint64, entries: np.ndarray, start: int = 0) -> None:
    """Writes a set as zeros and ones into 60 places of int8 or bool [N], from ``start`` on."""
    for card in range(NUM_CARDS):
        entries[start + card] = int(cards) >> card & 1


def write_rank_counts(cards: np.uint64, entries: np.ndarray) -> None:
    """Writes how many cards of each rank a set holds into int8 [15]."""
    for rank in range(NUM_RANKS):
        entries[rank] = sum(int(cards) >> (suit * NUM_RANKS + rank) & 1 for suit in range(NUM_SUITS))


# The two writers as machine instructions; their bodies above are their meaning and run when uncompiled.


@intrinsic
def _store_bits(typing_context: Any, cards: Any, entries: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cards_value, array, first = arguments
        store(context, builder, expand(builder, cards_value, NUM_CARDS), array, signature.args[1], first)
        return context.get_dummy_value()

    return types.none(types.uint64, entries, types.int64), generate


@intrinsic
def _store_rank_counts(typing_context: Any, cards: Any, entries: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = None
        for suit in range(NUM_SUITS):
            shifted = builder.lshr(arguments[0], ir.Constant(ir.IntType(64), suit * NUM_RANKS))
            ranks = expand(builder, shifted, NUM_RANKS)
            total = ranks if total is None else builder.add(total, ranks)
        store(context, builder, total, arguments[1], signature.args[1])
        return context.get_dummy_value()

    return types.none(types.uint64, entries), generate


@overload(write_bits, strict=False)
def _write_bits(cards: Any, entries: Any, start: Any = 0) -> Any:
    return lambda cards, entries, start=0: _store_bits(np.uint64(cards), entries, np.int64(start))


@overload(write_rank_counts, strict=False)
def _write_rank_counts(cards: Any, entries: Any) -> Any:
    return lambda cards, entries: _store_rank_counts(np.uint64(cards), entries)
