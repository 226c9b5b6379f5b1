"""Observations and actions, declared once; everything that needs their shape derives it from here."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from shadowenvs.jit import for_kernels, kernel

WIDE_BASE = 100
_LINE = 64


@dataclass(frozen=True)
class Field:
    """One named piece of an observation.

    Attributes:
        name: Identifier, also the name of the record field.
        shape: Shape of the values, () for a single one.
        low: Lowest value.
        high: Highest value.
        meaning: One line for a person.
        wide: Whether values may leave int8. A wide value v is stored as the two entries v // 100 and v % 100, so the
            record field has one axis of length 2 more.
    """

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    wide: bool = False

    def __post_init__(self) -> None:
        lowest, highest = (self.low // WIDE_BASE, self.high // WIDE_BASE) if self.wide else (self.low, self.high)
        if not -128 <= lowest <= highest <= 127:
            raise ValueError(f"field {self.name}: values {self.low} to {self.high} do not fit into int8")

    @property
    def stored_shape(self) -> tuple[int, ...]:
        return (*self.shape, 2) if self.wide else self.shape

    @property
    def length(self) -> int:
        """Number of int8 entries."""
        return int(np.prod(self.stored_shape, dtype=int))

    def bounds(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Returns the lowest and highest entries, int8 [length] each."""
        if self.wide:
            low, high = [self.low // WIDE_BASE, 0], [self.high // WIDE_BASE, WIDE_BASE - 1]
            repeat = self.length // 2
            return np.tile(np.array(low, np.int8), repeat), np.tile(np.array(high, np.int8), repeat)
        return np.full(self.length, self.low, np.int8), np.full(self.length, self.high, np.int8)


class Layout:
    """The observation of a game: named fields, and the flat int8 vector that they make up in order.

    Attributes:
        fields: The fields in order.
        dtype: NumPy record type with one int8 field each, packed: a kernel writes it by name.
        size: Number F of entries of the flat vector.
        slices: Place of each field in the flat vector, by name.
        low: Lowest entries, int8 [F].
        high: Highest entries, int8 [F].
    """

    def __init__(self, *fields: Field) -> None:
        names = [field.name for field in fields]
        reserved = set(dir(np.recarray))
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"field {name} is declared twice")
            if name in reserved:
                raise ValueError(f"field {name} would hide an attribute of NumPy arrays")
        self.fields = fields
        self.dtype = np.dtype([(field.name, np.int8, field.stored_shape) for field in fields])
        self.size = self.dtype.itemsize
        self.slices: dict[str, slice] = {}
        start = 0
        for field in fields:
            self.slices[field.name] = slice(start, start + field.length)
            start += field.length
        bounds = [field.bounds() for field in fields]
        self.low = np.concatenate([low for low, _ in bounds])
        self.high = np.concatenate([high for _, high in bounds])

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"no field {name!r}; fields are: {', '.join(self.slices)}")

    def records(self, observations: NDArray[np.int8]) -> np.ndarray:
        """Views flat observations int8 [..., F] (contiguous) as records [...] for kernels, without a copy."""
        return for_kernels(observations.view(self.dtype)[..., 0])

    def read(self, observations: NDArray[np.int8], name: str) -> NDArray[np.int64]:
        """Returns the values of one field.

        Args:
            observations: int8 [..., F].
            name: A field's name.

        Returns:
            int64 [..., *shape], wide values put together.

        Raises:
            KeyError: There is no such field.
        """
        field = self[name]
        entries = observations[..., self.slices[name]].astype(np.int64)
        values = entries.reshape((*observations.shape[:-1], *field.stored_shape))
        return values[..., 0] * WIDE_BASE + values[..., 1] if field.wide else values

    def scale(self) -> NDArray[np.float32]:
        """Returns float32 [F]: what a network divides the entries by, so that they lie near [-1, 1]."""
        largest = np.maximum(np.abs(self.low.astype(np.float32)), np.abs(self.high.astype(np.float32)))
        return np.maximum(largest, 1.0).astype(np.float32)

    @cached_property
    def digest(self) -> str:
        """A hash that changes when any entry changes its place or meaning."""
        return _digest([asdict(field) for field in self.fields])

    def table(self) -> list[tuple[str, str, str, str, str]]:
        """Returns rows (field, place, shape, values, meaning) for documentation."""
        rows = []
        for field in self.fields:
            place = self.slices[field.name]
            where = str(place.start) if field.length == 1 else f"{place.start}-{place.stop - 1}"
            shape = "×".join(map(str, field.shape)) or "1"
            values = f"{field.low} to {field.high}" + (" (wide)" if field.wide else "")
            rows.append((field.name, where, shape, values, field.meaning))
        return rows


@kernel
def clear(record: Any) -> None:
    """Writes zeros into all int8 fields of a record."""
    clear_first(record, byte_size(record))


def byte_size(record: Any) -> int:
    """Returns the size of a record in bytes."""
    return int(record.dtype.itemsize)


def clear_first(record: Any, length: int) -> None:
    """Writes zeros into the first ``length`` bytes of a record of int8 fields."""
    for name in record.dtype.names:
        field, start = record.dtype.fields[name][:2]
        if start + field.itemsize <= length:
            record[name] = 0
        elif start < length:
            record[name].reshape(-1)[: length - start] = 0


@intrinsic
def _zero(typing_context: Any, record: Any, length: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if isinstance(length, types.IntegerLiteral) and length.literal_value >= _LINE:
            # Whole cache lines, the last one overlapping: less than half the time of a call of memset.
            number = length.literal_value
            zeros = ir.Constant(ir.VectorType(ir.IntType(8), _LINE), [0] * _LINE)
            data = builder.bitcast(arguments[0], ir.IntType(8).as_pointer())
            for start in [*range(0, number - _LINE + 1, _LINE), *([number - _LINE] if number % _LINE else [])]:
                place = builder.gep(data, [ir.Constant(ir.IntType(64), start)])
                builder.store(zeros, builder.bitcast(place, zeros.type.as_pointer()), align=1)
        else:
            size = context.cast(builder, arguments[1], signature.args[1], types.int64)
            cgutils.memset(builder, arguments[0], size, 0)
        return context.get_dummy_value()

    return types.none(record, length), generate


@overload(byte_size, strict=False)
def _byte_size(record: Any) -> Any:
    size = record.size
    return lambda record: size


@overload(clear_first, strict=False, prefer_literal=True)
def _clear_first(record: Any, length: Any) -> Any:
    return lambda record, length: _zero(record, length)


@kernel
def write_wide(entries: np.ndarray, value: int) -> None:
    """Stores a wide value into its two entries, int8 [2]."""
    hundreds = value // WIDE_BASE
    entries[0] = hundreds
    entries[1] = value - hundreds * WIDE_BASE


@kernel
def read_wide(entries: np.ndarray) -> int:
    """Returns the wide value of two entries, int8 [2]."""
    return int(entries[0]) * WIDE_BASE + int(entries[1])


@dataclass(frozen=True)
class ActionBlock:
    """Consecutive actions of one kind.

    Attributes:
        name: The kind, in capitals.
        count: How many there are.
        meaning: One line for a person.
    """

    name: str
    count: int
    meaning: str


class Actions:
    """The actions of a game: blocks, numbered one after the other from 0.

    Attributes:
        blocks: The blocks in order.
        first: Number of the first action of each block, by name.
        size: Number A of actions.
    """

    def __init__(self, *blocks: ActionBlock) -> None:
        self.blocks = blocks
        self.first: dict[str, int] = {}
        self.size = 0
        for block in blocks:
            self.first[block.name] = self.size
            self.size += block.count

    def __getitem__(self, name: str) -> ActionBlock:
        for block in self.blocks:
            if block.name == name:
                return block
        raise KeyError(f"no block {name!r}; blocks are: {', '.join(self.first)}")

    @cached_property
    def digest(self) -> str:
        """A hash that changes when any action changes its number or meaning."""
        return _digest([asdict(block) for block in self.blocks])

    def table(self) -> list[tuple[str, str, str, str]]:
        """Returns rows (kind, numbers, count, meaning) for documentation."""
        rows = []
        for block in self.blocks:
            first = self.first[block.name]
            where = str(first) if block.count == 1 else f"{first}-{first + block.count - 1}"
            rows.append((block.name, where, str(block.count), block.meaning))
        return rows


@dataclass(frozen=True)
class Alike:
    """Things that the rules treat alike, such as suits or dots.

    If two of them are exchanged throughout an observation, a good action becomes one that is as good once the two are
    exchanged in it. A network that knows this need not learn the same thing for each of them.

    Attributes:
        name: What they are, in the plural.
        count: How many, k.
        fields: Fields of the observation with k equal blocks in their last axis, one for each thing.
        actions: Blocks of actions with k equal parts, likewise.
        order: One of the fields, with one value for each thing, that they can be ordered by; "" for none.
    """

    name: str
    count: int
    fields: tuple[str, ...]
    actions: tuple[str, ...]
    order: str = ""

    def places(self, observation: Layout, actions: Actions) -> AlikePlaces:
        """Returns where the things are in flat observations and among the actions.

        Raises:
            KeyError: A field is not in the layout, or a block not among the actions.
            ValueError: There are no fields or no blocks, one does not fall into k equal parts, or the order is none of
                the fields with k values.
        """
        if not self.fields or not self.actions:
            raise ValueError(f"{self.name} need a field and a block of actions at least")
        for name in self.fields:
            observation[name]  # KeyError if it is not there
        if self.order and (self.order not in self.fields or observation[self.order].shape != (self.count,)):
            raise ValueError(f"field {self.order} does not tell {self.count} {self.name} apart")
        entries = []
        for field in observation.fields:
            if field.name in self.fields:
                places = np.arange(observation.size)[observation.slices[field.name]].reshape(field.stored_shape)
                if field.wide or not field.shape or field.shape[-1] % self.count:
                    raise ValueError(f"field {field.name} does not fall into {self.count} {self.name}")
                blocks = places.reshape((*places.shape[:-1], self.count, -1))
                entries.append(np.moveaxis(blocks, -2, 0).reshape(self.count, -1))
        chosen = []
        for name in self.actions:
            count = actions[name].count
            if count % self.count:
                raise ValueError(f"block {name} does not fall into {self.count} {self.name}")
            chosen.append((actions.first[name] + np.arange(count)).reshape(self.count, -1))
        mine, of_actions = np.concatenate(entries, axis=1), np.concatenate(chosen, axis=1)
        return AlikePlaces(
            mine,
            np.setdiff1d(np.arange(observation.size), mine),
            of_actions,
            np.setdiff1d(np.arange(actions.size), of_actions),
            np.arange(observation.size)[observation.slices[self.order]] if self.order else None,
        )


@dataclass(frozen=True)
class AlikePlaces:
    """Where k things that are alike stand in a flat observation and among the actions.

    Attributes:
        entries: int64 [k, E], entries of each thing, in the same order for each.
        other_entries: int64 [G], all others.
        actions: int64 [k, C], actions of each thing, in the same order for each.
        other_actions: int64 [A - k * C], all others.
        order: int64 [k], the entries that the things can be ordered by; None for no order.
    """

    entries: NDArray[np.int64]
    other_entries: NDArray[np.int64]
    actions: NDArray[np.int64]
    other_actions: NDArray[np.int64]
    order: NDArray[np.int64] | None


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
