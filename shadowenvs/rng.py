"""The random generator that lives inside a state: counter-based, so draws do not depend on the order of calls.

Every draw is a function of the seed, a stream (what the draw is for) and indices (round, seat, ...). Source: Philox4x32
with ten rounds, J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC'11, 2011.

Words are 32-bit numbers held in ``np.uint64``: their products fit, so nothing overflows, compiled or not.
"""

from __future__ import annotations

import numpy as np

from shadowenvs.jit import kernel

M0 = np.uint64(0xD2511F53)
M1 = np.uint64(0xCD9E8D57)
W0 = np.uint64(0x9E3779B9)
W1 = np.uint64(0xBB67AE85)
MASK = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
TWO_32 = 1 << 32

# Streams below 16 belong to the suite, games number theirs from GAME_STREAMS.
STREAM_TABLE = 0  # seed of a table, or of a table's g-th game
STREAM_OPPONENT = 1  # which opponent sits where
STREAM_ACTION = 2  # choices of the built-in opponents
STREAM_WORLD = 3  # seeds of determinised worlds
GAME_STREAMS = 16

Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@kernel
def philox(c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64) -> Words:
    """Returns four random words for a counter of four words and a key of two (Philox4x32-10)."""
    for _ in range(10):
        p0 = M0 * c0
        p1 = M1 * c2
        c0 = (p1 >> HALF) ^ c1 ^ k0
        c1 = p1 & MASK
        c2 = (p0 >> HALF) ^ c3 ^ k1
        c3 = p0 & MASK
        k0 = (k0 + W0) & MASK
        k1 = (k1 + W1) & MASK
    return c0, c1, c2, c3


@kernel
def block(seed: np.uint64, stream: int, i: int, j: int) -> Words:
    """Returns the four random words of one place.

    Args:
        seed: 64 bits.
        stream: What the draw is for, a ``STREAM_*`` constant, below 2**32.
        i: First index, below 2**32.
        j: Second index, below 2**32.
    """
    s = np.uint64(seed)
    return philox(np.uint64(j), np.uint64(i), np.uint64(stream), np.uint64(0), s & MASK, s >> HALF)


@kernel
def mix(seed: np.uint64, stream: int, i: int, j: int) -> np.uint64:
    """Returns a 64-bit seed made of another seed and a place."""
    w0, w1, _, _ = block(seed, stream, i, j)
    return (w1 << HALF) | w0


@kernel
def below(seed: np.uint64, stream: int, i: int, j: int, n: int) -> int:
    """Returns a uniform integer in [0, n), with n from 1 to 2**31.

    Lemire's multiply and shift; a word that would bias the result is passed over, up to the last of the four.
    """
    bound = np.uint64(n)
    unfair = np.uint64(TWO_32 - n) % bound
    for word in block(seed, stream, i, j):
        product = word * bound
        if (product & MASK) >= unfair:
            break
    return np.int64(product >> HALF)  # type: ignore[return-value]


@kernel
def shuffle(seed: np.uint64, stream: int, i: int, items: np.ndarray) -> None:
    """Shuffles items in place, uniformly (Fisher-Yates from the last place down).

    Place p from len(items) - 1 down to 1 swaps with a uniform place in [0, p], drawn from the word sequence of blocks
    (stream, i, 0), (stream, i, 1), ...: Lemire's multiply and shift with n = p + 1, a word whose product has low half
    below (2**32 - n) % n being skipped.

    Args:
        seed: 64 bits.
        stream: What the shuffle is for.
        i: Index of the shuffle (a round, say).
        items: Array [N] of any dtype, permuted in place.
    """
    words = (np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0))
    used = 4
    number = 0
    place = len(items) - 1
    while place > 0:
        if used == 4:
            words = block(seed, stream, i, number)
            number += 1
            used = 0
        word = words[used]
        used += 1
        bound = np.uint64(place + 1)
        product = word * bound
        if (product & MASK) < bound and (product & MASK) < np.uint64(TWO_32 - place - 1) % bound:
            continue
        other = np.int64(product >> HALF)
        item = items[place]
        items[place] = items[other]
        items[other] = item
        place -= 1
