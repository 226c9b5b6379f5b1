"""Sets of cards: the machine instructions do what the plain functions mean, and write no byte more."""

from __future__ import annotations

import random

import numpy as np
import pytest

from shadowenvs import bits, cards
from shadowenvs.jit import kernel

RANDOM = [random.Random(seed).getrandbits(60) for seed in range(40)]
SETS = [0, 1, 1 << 59, (1 << 60) - 1, 0b1010101, 1 << 14 | 1 << 15, *RANDOM]


@kernel
def counted(number: np.uint64) -> tuple[int, int, int]:
    return bits.count(number), bits.lowest(number), bits.highest(number)


@kernel
def write(number: np.uint64, entries: np.ndarray, start: int) -> None:
    cards.write_bits(number, entries, start)


@kernel
def write_ranks(number: np.uint64, entries: np.ndarray) -> None:
    cards.write_rank_counts(number, entries)


@pytest.mark.parametrize("number", [*SETS, 2**64 - 1, 1 << 63])
def test_counts(number: int) -> None:
    found = tuple(int(value) for value in counted(np.uint64(number)))
    lowest = (number & -number).bit_length() - 1 if number else 64
    assert found == (number.bit_count(), lowest, number.bit_length() - 1)


@kernel
def places(number: np.uint64, found: np.ndarray) -> None:
    for k in range(len(found)):
        found[k] = bits.nth(number, k)


@pytest.mark.parametrize("number", [*SETS, 2**64 - 1, 1 << 63])
def test_nth_bit(number: int) -> None:
    found = np.zeros(number.bit_count(), np.int64)
    places(np.uint64(number), found)
    assert found.tolist() == [place for place in range(64) if number >> place & 1]


@pytest.mark.parametrize("start", [0, 3, 60])
def test_write_bits(start: int) -> None:
    for number in SETS:
        entries = np.full(130, 77, np.int8)
        write(np.uint64(number), entries, start)
        assert entries[start : start + 60].tolist() == [number >> card & 1 for card in range(60)]
        assert (entries[:start] == 77).all() and (entries[start + 60 :] == 77).all()


def test_write_rank_counts() -> None:
    for number in SETS:
        entries = np.full(40, 77, np.int8)
        write_ranks(np.uint64(number), entries[8:23])
        expected = [sum(number >> suit * 15 + rank & 1 for suit in range(4)) for rank in range(15)]
        assert entries[8:23].tolist() == expected
        assert (entries[:8] == 77).all() and (entries[23:] == 77).all()


@pytest.mark.parametrize("number", SETS)
def test_sets(number: int) -> None:
    held = [card for card in range(60) if number >> card & 1]
    group = np.uint64(number)
    assert int(cards.sum_of_ranks(group)) == sum(card % 15 for card in held)
    assert [card for card in range(60) if cards.has(group, card)] == held
    if held:
        assert int(cards.without_lowest(group)) == sum(1 << card for card in held[1:])


def test_cards() -> None:
    for card in range(60):
        assert (int(cards.suit_of(card)), int(cards.rank_of(card))) == divmod(card, 15)
        assert int(cards.bit(card)) == 1 << card
        assert int(cards.above(card)) == (2**64 - 1) & ~((1 << card + 1) - 1)
    assert int(cards.above(-1)) == 2**64 - 1
    assert [int(cards.suit_cards(suit)) for suit in range(4)] == [((1 << 15) - 1) << 15 * suit for suit in range(4)]
    assert [int(cards.rank_cards(r)) for r in range(15)] == [sum(1 << 15 * s + r for s in range(4)) for r in range(15)]
