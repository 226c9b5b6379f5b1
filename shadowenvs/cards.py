"""Cards and sets of cards, for the games that have suits.

A card is the number suit * 15 + rank. A set of cards is a bit set in ``np.uint64``: bit c stands for card c.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload

from shadowenvs.jit import kernel

NUM_SUITS = 4
NUM_RANKS = 15
NUM_CARDS = NUM_SUITS * NUM_RANKS
NO_CARD = -1

NO_CARDS = np.uint64(0)
ONE = np.uint64(1)
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
def has(cards: np.uint64, card: int) -> bool:
    """Returns whether the set holds the card."""
    return (cards >> np.uint64(card)) & ONE != NO_CARDS


@kernel
def without_lowest(cards: np.uint64) -> np.uint64:
    """Returns the set less its lowest card; the set must not be empty."""
    return cards & (cards - ONE)


@kernel
def above(card: int) -> np.uint64:
    """Returns the set of all numbers above the card; card -1 gives all."""
    return ~((ONE << np.uint64(card + 1)) - ONE)


def count(cards: np.uint64) -> int:
    """Returns how many cards the set holds."""
    return int(cards).bit_count()


def lowest(cards: np.uint64) -> int:
    """Returns the lowest card of the set, 64 for the empty set."""
    number = int(cards)
    return (number & -number).bit_length() - 1 if number else 64


def highest(cards: np.uint64) -> int:
    """Returns the highest card of the set, -1 for the empty set."""
    return int(cards).bit_length() - 1


@kernel
def sum_of_ranks(cards: np.uint64) -> int:
    """Returns the sum of the ranks of a set of cards."""
    total = 0
    while cards != NO_CARDS:
        total += rank_of(lowest(cards))
        cards = without_lowest(cards)
    return total


@kernel
def write_bits(cards: np.uint64, entries: np.ndarray) -> None:
    """Writes a set as zeros and ones, int8 [60]."""
    for card in range(NUM_CARDS):
        entries[card] = np.int8((cards >> np.uint64(card)) & ONE)


# Single machine instructions for the three counts; the functions above are their meaning and run when uncompiled.


@intrinsic
def _ctpop(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def _cttz(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), generate


@intrinsic
def _ctlz(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), generate


@overload(count, strict=False)
def _count(cards: Any) -> Any:
    return lambda cards: _ctpop(np.uint64(cards))


@overload(lowest, strict=False)
def _lowest(cards: Any) -> Any:
    return lambda cards: _cttz(np.uint64(cards))


@overload(highest, strict=False)
def _highest(cards: Any) -> Any:
    return lambda cards: 63 - _ctlz(np.uint64(cards))
