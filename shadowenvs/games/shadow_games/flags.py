"""Zeros and ones written many at a time: observations and masks of this game are mostly flags."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload

from shadowenvs.bits import expand, store


def write_flags(flags: int, entries: np.ndarray, length: int) -> None:
    """Writes the lowest bits of a number, the lowest first, as zeros and ones into the first entries of int8 [N].

    Args:
        flags: The number, not negative.
        entries: Written.
        length: How many entries, a constant of at most 63.
    """
    for place in range(length):
        entries.reshape(-1)[place] = flags >> place & 1


@intrinsic(prefer_literal=True)
def _store_flags(typing_context: Any, flags: Any, entries: Any, length: Any) -> Any:
    if not isinstance(length, types.IntegerLiteral):
        return None
    number = length.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        store(context, builder, expand(builder, arguments[0], number), arguments[1], signature.args[1])
        return context.get_dummy_value()

    return types.none(types.int64, entries, length), generate


@overload(write_flags, strict=False, prefer_literal=True)
def _write_flags(flags: Any, entries: Any, length: Any) -> Any:
    return lambda flags, entries, length: _store_flags(np.int64(flags), entries, length)
