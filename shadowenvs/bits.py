"""Bit sets in ``np.uint64`` as machine instructions.

The plain functions say what is meant, and run when uncompiled; compiled kernels get the instructions below them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from shadowenvs.jit import kernel

CHUNK = 64
"""Bytes of a mask that :func:`chunk_bits` reads at once."""


def count(bits: np.uint64) -> int:
    """Returns how many bits are set."""
    return int(bits).bit_count()


def lowest(bits: np.uint64) -> int:
    """Returns the number of the lowest bit set, 64 if there is none."""
    number = int(bits)
    return (number & -number).bit_length() - 1 if number else 64


def highest(bits: np.uint64) -> int:
    """Returns the number of the highest bit set, -1 if there is none."""
    return int(bits).bit_length() - 1


@kernel
def nth(bits: np.uint64, number: int | np.int64) -> int:
    """Returns the place of a bit that is set, counted from 0 at the lowest; there must be more than ``number``.

    It halves the word six times without a jump: nothing can guess which of the bits is asked for.
    """
    place = 0
    width = 32
    while width > 0:
        below = count(bits & ((np.uint64(1) << np.uint64(width)) - np.uint64(1)))
        is_above = number >= below
        number -= below if is_above else 0
        bits >>= np.uint64(width if is_above else 0)
        place += width if is_above else 0
        width >>= 1
    return place


def chunk_bits(rows: np.ndarray, row: int, chunk: int) -> np.uint64:
    """Returns which of 64 bytes are not zero: bit i for byte ``64 * chunk + i`` of a row of uint8 [B, 64 * C]."""
    octets = rows[row, CHUNK * chunk : CHUNK * (chunk + 1)]
    return np.uint64(sum(1 << i for i in range(CHUNK) if octets[i]))


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
def _count(bits: Any) -> Any:
    return lambda bits: _ctpop(np.uint64(bits))


@overload(lowest, strict=False)
def _lowest(bits: Any) -> Any:
    return lambda bits: _cttz(np.uint64(bits))


@overload(highest, strict=False)
def _highest(bits: Any) -> Any:
    return lambda bits: 63 - _ctlz(np.uint64(bits))


@intrinsic
def _test_bytes(typing_context: Any, rows: Any, row: Any, chunk: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(array.strides, 0)
        chunk_start = builder.mul(arguments[2], ir.Constant(ir.IntType(64), CHUNK))
        place = builder.add(builder.mul(arguments[1], stride), chunk_start)
        octets = ir.VectorType(ir.IntType(8), CHUNK)
        pointer = builder.bitcast(builder.gep(array.data, [place]), octets.as_pointer())
        flags = builder.icmp_unsigned("!=", builder.load(pointer, align=1), ir.Constant(octets, [0] * CHUNK))
        return builder.bitcast(flags, ir.IntType(64))

    return types.uint64(rows, types.int64, types.int64), generate


@overload(chunk_bits, strict=False)
def _chunk_bits(rows: Any, row: Any, chunk: Any) -> Any:
    return lambda rows, row, chunk: _test_bytes(rows, np.int64(row), np.int64(chunk))


def expand(builder: Any, number: Any, length: int) -> Any:
    """Returns the lowest bits of a number as a vector of bytes; every target has some instructions for it.

    Whole eights of them are expanded and those too many dropped: with other lengths the compiler fails for processors
    that have AVX2 but not AVX-512.
    """
    whole = -(-length // 8) * 8
    flags = builder.bitcast(builder.trunc(number, ir.IntType(whole)), ir.VectorType(ir.IntType(1), whole))
    octets = builder.zext(flags, ir.VectorType(ir.IntType(8), whole))
    if whole == length:
        return octets
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), length), list(range(length)))
    return builder.shuffle_vector(octets, octets, lanes)


def store(context: Any, builder: Any, values: Any, array: Any, array_type: Any, start: Any = None) -> None:
    """Stores a vector of bytes into an array of bytes, from ``start`` on."""
    data = context.make_array(array_type)(context, builder, array).data
    if start is not None:
        data = builder.gep(data, [start])
    builder.store(values, builder.bitcast(data, values.type.as_pointer()), align=1)
