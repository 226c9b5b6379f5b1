"""Zeros and ones written many at a time: observations and masks of this game are mostly flags."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from shadowenvs.bits import expand, store

WORD = 64
"""Entries that :func:`write_word` writes."""


def write_flags(flags: int, entries: np.ndarray, length: int) -> None:
    """Writes the lowest bits of a number, the lowest first, as zeros and ones into the first entries of int8 [N].

    Args:
        flags: The number, not negative.
        entries: Written.
        length: How many entries, a constant of at most 63.
    """
    for place in range(length):
        entries.reshape(-1)[place] = flags >> place & 1


def write_word(flags: int, record: Any, start: int) -> None:
    """Writes the bits of a number, the lowest first, as zeros and ones into 64 entries of a record of int8 fields.

    They may run over several fields, so that one store of the processor does for all of them.

    Args:
        flags: The number, not negative.
        record: Written.
        start: The first entry, a constant; at least 64 entries from it on must exist.
    """
    entries = record.view(np.dtype([("entries", np.int8, (record.dtype.itemsize,))]))["entries"]
    for place in range(WORD):
        entries[start + place] = flags >> place & 1


@intrinsic(prefer_literal=True)
def _store_flags(typing_context: Any, flags: Any, entries: Any, length: Any) -> Any:
    if not isinstance(length, types.IntegerLiteral):
        return None
    number = length.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        store(context, builder, expand(builder, arguments[0], number), arguments[1], signature.args[1])
        return context.get_dummy_value()

    return types.none(types.int64, entries, length), generate


@intrinsic(prefer_literal=True)
def _store_word(typing_context: Any, flags: Any, record: Any, start: Any) -> Any:
    if not isinstance(start, types.IntegerLiteral) or not 0 <= start.literal_value <= record.size - WORD:
        return None
    number = start.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(arguments[0], ir.VectorType(ir.IntType(1), WORD))
        values = builder.zext(bits, ir.VectorType(ir.IntType(8), WORD))
        data = builder.bitcast(arguments[1], ir.IntType(8).as_pointer())
        place = builder.gep(data, [ir.Constant(ir.IntType(64), number)])
        builder.store(values, builder.bitcast(place, values.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(types.int64, record, start), generate


@overload(write_flags, strict=False, prefer_literal=True)
def _write_flags(flags: Any, entries: Any, length: Any) -> Any:
    return lambda flags, entries, length: _store_flags(np.int64(flags), entries, length)


@overload(write_word, strict=False, prefer_literal=True)
def _write_word(flags: Any, record: Any, start: Any) -> Any:
    return lambda flags, record, start: _store_word(np.int64(flags), record, start)
