"""Entries read and written many at a time: observations and masks of this game are mostly flags and small counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from shadowenvs.bits import expand, store
from shadowenvs.jit import kernel

WORD = 64
"""Entries that :func:`write_word` writes."""

OCTETS = 8
"""Entries that :func:`read_octets` and :func:`write_octets` take as one number."""

ONES = 0x0101010101010101
_HIGHEST = 0x7F7F7F7F7F7F7F7F


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


def read_octets(record: Any, start: int) -> int:
    """Returns 8 entries of a record of int8 fields from ``start`` on, none negative, as a number, the first lowest."""
    entries = record.view(np.dtype([("entries", np.int8, (record.dtype.itemsize,))]))["entries"]
    return int.from_bytes(entries[start : start + OCTETS].tobytes(), "little")


def write_octets(octets: int, record: Any, start: int) -> None:
    """Writes a number as :func:`read_octets` returns it."""
    entries = record.view(np.dtype([("entries", np.int8, (record.dtype.itemsize,))]))["entries"]
    entries[start : start + OCTETS] = np.frombuffer(octets.to_bytes(OCTETS, "little"), np.int8)


@kernel
def octet(place: int) -> int:
    """Returns the number whose octet ``place`` is 1, the others 0; 0 if there is no such place."""
    return int(0 <= place < OCTETS) << (8 * (place & (OCTETS - 1)))


@kernel
def above(octets: int, bound: int) -> int:
    """Returns 1 for each octet that is above a bound, else 0; octets and bound are below 64."""
    return ((octets + (_HIGHEST - bound * ONES)) >> 7) & ONES


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
        values = expand(builder, arguments[0], WORD)
        start = ir.Constant(ir.IntType(64), number)
        builder.store(values, _place(builder, arguments[1], start, values.type), align=1)
        return context.get_dummy_value()

    return types.none(types.int64, record, start), generate


def _place(builder: Any, record: Any, start: Any, kind: Any) -> Any:
    """Returns a pointer into a record."""
    data = builder.bitcast(record, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(data, [start]), kind.as_pointer())


@intrinsic
def _load_octets(typing_context: Any, record: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_place(builder, arguments[0], arguments[1], ir.IntType(64)), align=1)

    return types.int64(record, types.int64), generate


@intrinsic
def _store_octets(typing_context: Any, octets: Any, record: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[0], _place(builder, arguments[1], arguments[2], ir.IntType(64)), align=1)
        return context.get_dummy_value()

    return types.none(types.int64, record, types.int64), generate


@overload(read_octets, strict=False)
def _read_octets(record: Any, start: Any) -> Any:
    return lambda record, start: _load_octets(record, np.int64(start))


@overload(write_octets, strict=False)
def _write_octets(octets: Any, record: Any, start: Any) -> Any:
    return lambda octets, record, start: _store_octets(np.int64(octets), record, np.int64(start))


@overload(write_flags, strict=False, prefer_literal=True)
def _write_flags(flags: Any, entries: Any, length: Any) -> Any:
    return lambda flags, entries, length: _store_flags(np.int64(flags), entries, length)


@overload(write_word, strict=False, prefer_literal=True)
def _write_word(flags: Any, record: Any, start: Any) -> Any:
    return lambda flags, record, start: _store_word(np.int64(flags), record, start)
