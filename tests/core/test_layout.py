"""Observations and actions declared once: places, bounds, wide values, names, digests."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs.layout import ActionBlock, Actions, Alike, Field, Layout, read_wide, write_wide

LAYOUT = Layout(
    Field("phase", (3,), 0, 1, "one-hot"),
    Field("total", (), -300, 12_000, "a wide number", wide=True),
    Field("trick", (2, 4), -1, 14, "a table"),
    Field("scores", (2,), -150, 990, "wide numbers", wide=True),
)


def test_places_and_bounds() -> None:
    assert LAYOUT.size == 3 + 2 + 8 + 4 == LAYOUT.dtype.itemsize
    assert {name: (place.start, place.stop) for name, place in LAYOUT.slices.items()} == {
        "phase": (0, 3),
        "total": (3, 5),
        "trick": (5, 13),
        "scores": (13, 17),
    }
    assert LAYOUT.low.tolist() == [0] * 3 + [-3, 0] + [-1] * 8 + [-2, 0] * 2
    assert LAYOUT.high.tolist() == [1] * 3 + [120, 99] + [14] * 8 + [9, 99] * 2
    assert LAYOUT.low.dtype == LAYOUT.high.dtype == np.int8
    assert LAYOUT.scale().tolist() == [1] * 3 + [120, 99] + [14] * 8 + [9, 99] * 2


@pytest.mark.parametrize("value", [-12_800, -300, -101, -100, -99, -1, 0, 1, 99, 100, 330, 12_000, 12_799])
def test_wide_values(value: int) -> None:
    entries = np.zeros(2, np.int8)
    write_wide(entries, value)
    assert entries.tolist() == [value // 100, value % 100] and read_wide(entries) == value


def test_reading() -> None:
    flat = np.zeros((3, LAYOUT.size), np.int8)
    flat[1, 3:5] = (-3, 50)
    flat[2, 5:13] = range(8)
    flat[2, 13:17] = (9, 90, -2, 50)
    assert LAYOUT.read(flat, "total").tolist() == [0, -250, 0]
    assert LAYOUT.read(flat[2], "total").shape == ()
    assert LAYOUT.read(flat[1], "total") == -250
    assert LAYOUT.read(flat, "trick").shape == (3, 2, 4) and LAYOUT.read(flat[2], "trick").tolist()[1] == [4, 5, 6, 7]
    assert LAYOUT.read(flat[2], "scores").tolist() == [990, -150]
    records = LAYOUT.records(flat)
    records["phase"][0] = (0, 1, 0)
    assert flat[0, :3].tolist() == [0, 1, 0] and records.shape == (3,)
    assert LAYOUT["trick"].length == 8 and LAYOUT["scores"].stored_shape == (2, 2)
    for name in ("colour", ""):
        with pytest.raises(KeyError, match=f"no field {name!r}; fields are: phase, total, trick, scores"):
            LAYOUT.read(flat, name)


@pytest.mark.parametrize(("low", "high", "wide"), [(-129, 0, False), (0, 128, False), (3, 2, False), (0, 12_800, True)])
def test_values_must_fit(low: int, high: int, wide: bool) -> None:
    with pytest.raises(ValueError, match=f"field x: values {low} to {high} do not fit into int8"):
        Field("x", (), low, high, "", wide=wide)


def test_names_must_be_legal() -> None:
    field = Field("x", (), 0, 1, "")
    with pytest.raises(ValueError, match="field x is declared twice"):
        Layout(field, field)
    for name in ("round", "size", "data", "take", "T", "dtype"):
        with pytest.raises(ValueError, match=f"field {name} would hide an attribute of NumPy arrays"):
            Layout(Field(name, (), 0, 1, ""))


def test_digests_tell_layouts_apart() -> None:
    fields = LAYOUT.fields
    others = [
        Layout(*fields[:-1]),
        Layout(*reversed(fields)),
        Layout(*fields[:-1], Field("scores", (2,), -150, 991, "wide numbers", wide=True)),
        Layout(*fields[:-1], Field("scores", (2,), -150, 990, "other numbers", wide=True)),
    ]
    assert len({layout.digest for layout in (LAYOUT, *others)}) == 5
    assert Layout(*fields).digest == LAYOUT.digest


def test_tables_for_documents() -> None:
    assert LAYOUT.table()[:3] == [
        ("phase", "0-2", "3", "0 to 1", "one-hot"),
        ("total", "3-4", "1", "-300 to 12000 (wide)", "a wide number"),
        ("trick", "5-12", "2×4", "-1 to 14", "a table"),
    ]
    actions = Actions(ActionBlock("PLAY", 60, "play"), ActionBlock("PASS", 1, "pass"), ActionBlock("TAKE", 3, "take"))
    assert (actions.size, actions.first) == (64, {"PLAY": 0, "PASS": 60, "TAKE": 61})
    assert actions.table() == [
        ("PLAY", "0-59", "60", "play"),
        ("PASS", "60", "1", "pass"),
        ("TAKE", "61-63", "3", "take"),
    ]
    other = Actions(ActionBlock("PLAY", 60, "play"), ActionBlock("TAKE", 3, "take"), ActionBlock("PASS", 1, "pass"))
    assert actions.digest != other.digest


def test_places_of_things_that_are_alike() -> None:
    layout = Layout(
        Field("phase", (2,), 0, 1, ""),
        Field("cards", (2, 6), 0, 1, "two seats, three suits of two ranks"),
        Field("suit", (3,), 0, 1, ""),
        Field("total", (3,), 0, 1000, "", wide=True),
        Field("level", (), 0, 9, ""),
    )
    actions = Actions(ActionBlock("PASS", 1, ""), ActionBlock("PLAY", 6, ""), ActionBlock("NAME", 3, ""))
    alike = Alike("suits", 3, ("suit", "cards"), ("PLAY", "NAME"), order="suit")
    places = alike.places(layout, actions)
    assert places.entries.tolist() == [[2, 3, 8, 9, 14], [4, 5, 10, 11, 15], [6, 7, 12, 13, 16]]
    assert places.other_entries.tolist() == [0, 1, *range(17, 24)]
    assert places.actions.tolist() == [[1, 2, 7], [3, 4, 8], [5, 6, 9]]
    assert places.other_actions.tolist() == [0]
    assert places.order is not None and places.order.tolist() == [14, 15, 16]
    assert Alike("suits", 3, ("suit",), ("NAME",)).places(layout, actions).order is None
    for wrong, error, message in (
        (Alike("suits", 3, ("hand",), ("PLAY",)), KeyError, "no field 'hand'"),
        (Alike("suits", 3, ("suit",), ("HOLD",)), KeyError, "no block 'HOLD'; blocks are: PASS, PLAY, NAME"),
        (Alike("suits", 3, ("suit", "level"), ("PLAY",)), ValueError, "field level does not fall into 3 suits"),
        (Alike("suits", 3, (), ("PLAY",)), ValueError, "suits need a field and a block"),
        (Alike("suits", 3, ("suit",), ()), ValueError, "suits need a field and a block"),
        (Alike("suits", 3, ("cards",), ("PLAY",), order="suit"), ValueError, "field suit does not tell 3 suits apart"),
        (Alike("suits", 3, ("phase",), ("PLAY",)), ValueError, "field phase does not fall into 3 suits"),
        (Alike("suits", 3, ("total",), ("PLAY",)), ValueError, "field total does not fall into 3 suits"),
        (Alike("suits", 3, ("suit",), ("PASS",)), ValueError, "block PASS does not fall into 3 suits"),
        (
            Alike("suits", 3, ("suit", "cards"), ("PLAY",), order="cards"),
            ValueError,
            "field cards does not tell 3 suits apart",
        ),
    ):
        with pytest.raises(error, match=message):
            wrong.places(layout, actions)
