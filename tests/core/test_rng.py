"""The random generator: published answers, uniform draws, and words passed over."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.jit import is_compiled

# Known answers of Philox4x32-10 from the authors' Random123 (kat_vectors): counter, key, words.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
SKIPPING_SEED, SKIPPING_LENGTH = 1719, 4000  # a shuffle of stream 16, index 0, in which a word is passed over


def few(compiled: int, uncompiled: int) -> int:
    return compiled if is_compiled() else uncompiled


def words(text: str) -> list[np.uint64]:
    return [np.uint64(int(word, 16)) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_published_answers(counter: str, key: str, expected: str) -> None:
    drawn = rng.philox(*words(counter), *words(key))
    assert [int(word) for word in drawn] == [int(word) for word in words(expected)]


def test_a_block_is_a_place() -> None:
    """The key is the seed, the counter the second index, the first one, and the stream."""
    seed = np.uint64(0x299F31D0A4093822)
    drawn = rng.block(seed, 0x13198A2E, 0x85A308D3, 0x243F6A88)
    expected = rng.philox(*words("243f6a88 85a308d3 13198a2e 00000000"), *words("a4093822 299f31d0"))
    assert tuple(map(int, drawn)) == tuple(map(int, expected))
    places = {tuple(map(int, rng.block(seed, s, i, j))) for s in range(3) for i in range(3) for j in range(3)}
    assert len(places) == 27
    assert int(rng.mix(seed, 1, 2, 3)) == int(rng.block(seed, 1, 2, 3)[0]) | int(rng.block(seed, 1, 2, 3)[1]) << 32


def reference_below(drawn: list[int], n: int) -> int:
    """Returns what below draws from four words, in plain integers."""
    for word in drawn:
        product = word * n
        if product % 2**32 >= 2**32 % n:
            return product >> 32
    return product >> 32


@pytest.mark.parametrize("n", [1, 2, 3, 60, 2**16 + 1, 3 * 2**29, 2**31 - 1, 2**31])
def test_below_is_lemires(n: int) -> None:
    passed = 0
    for j in range(few(2000, 300)):
        drawn = [int(word) for word in rng.block(np.uint64(7), 16, 3, j)]
        found = int(rng.below(np.uint64(7), 16, 3, j, n))
        assert found == reference_below(drawn, n) and 0 <= found < n
        passed += drawn[0] * n % 2**32 < 2**32 % n
    if n == 3 * 2**29:
        assert passed > few(300, 40)  # a quarter of the words would bias the result


@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_below_is_uniform(n: int) -> None:
    number = few(20000, 1500)
    seen = np.bincount([int(rng.below(np.uint64(1), 17, j, 0, n)) for j in range(number)], minlength=n)
    chi_square = ((seen - number / n) ** 2 / (number / n)).sum()
    assert chi_square < (n - 1) + 4 * (2 * (n - 1)) ** 0.5


def test_below_with_words_passed_over_is_uniform() -> None:
    n, number = 3 * 2**29, few(20000, 1500)
    drawn = [int(rng.below(np.uint64(1), 17, j, 0, n)) for j in range(number)]
    seen = np.bincount(np.array(drawn) * 12 // n, minlength=12)
    assert ((seen - number / 12) ** 2 / (number / 12)).sum() < 11 + 4 * 22**0.5


def reference_shuffle(seed: int, stream: int, i: int, items: list[int]) -> tuple[list[int], int]:
    """Returns a shuffled list and how many words were passed over, in plain integers."""
    items, skipped, used, number = items.copy(), 0, 4, 0
    drawn: list[int] = []
    place = len(items) - 1
    while place > 0:
        if used == 4:
            drawn, used, number = [int(word) for word in rng.block(np.uint64(seed), stream, i, number)], 0, number + 1
        product = drawn[used] * (place + 1)
        used += 1
        if product % 2**32 < 2**32 % (place + 1):
            skipped += 1
            continue
        other = product >> 32
        items[place], items[other] = items[other], items[place]
        place -= 1
    return items, skipped


@pytest.mark.parametrize("length", [0, 1, 2, 3, 60, 61])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64])
def test_shuffle_is_fisher_and_yates(length: int, dtype: type) -> None:
    for seed in (0, 1, 2**64 - 1):
        items = np.arange(length, dtype=dtype)
        rng.shuffle(np.uint64(seed), 16, 3, items)
        assert items.tolist() == reference_shuffle(seed, 16, 3, list(range(length)))[0]


def test_shuffle_passes_words_over() -> None:
    expected, skipped = reference_shuffle(SKIPPING_SEED, 16, 0, list(range(SKIPPING_LENGTH)))
    assert skipped == 1
    items = np.arange(SKIPPING_LENGTH)
    rng.shuffle(np.uint64(SKIPPING_SEED), 16, 0, items)
    assert items.tolist() == expected


def test_shuffle_is_uniform() -> None:
    """All orders of four items are equally frequent."""
    number = few(24000, 1200)
    seen: Counter[tuple[int, ...]] = Counter()
    for i in range(number):
        items = np.arange(4, dtype=np.int8)
        rng.shuffle(np.uint64(5), 16, i, items)
        seen[tuple(items.tolist())] += 1
    assert set(seen) == set(permutations(range(4)))
    chi_square = sum((count - number / 24) ** 2 / (number / 24) for count in seen.values())
    assert chi_square < 23 + 4 * 46**0.5


def test_streams_of_the_suite_are_apart() -> None:
    streams = [value for name, value in vars(rng).items() if name.startswith("STREAM_")]
    assert len(set(streams)) == len(streams) >= 4 and max(streams) < rng.GAME_STREAMS
