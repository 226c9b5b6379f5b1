"""Pictures of pixels mode and drawings of the table (SM-77, SM-78)."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from shadowenvs.games.shadow_master import GAME, deck, render
from shadowenvs.games.shadow_master.pictures import BLACK, GREY, SHAPES, WHITE, pictures
from shadowenvs.games.shadow_master.spec import ShadowMasterOptions
from tests.games.shadow_master.table import POCKET, Table

PIXELS = "mode=pixels card=4 colour=blue objects=384765210"


def shown(line: str, seat: int = 0) -> dict[str, NDArray[np.uint8]]:
    table = Table(line)
    return pictures(table.batch.tables, table.batch.get_states(), np.array([seat]))


@pytest.mark.rule("SM-77", "SM-25")
def test_pictures() -> None:
    standard = deck.find("standard")
    found = shown(PIXELS)
    assert {key: (value.dtype, value.shape) for key, value in found.items()} == {
        key: (np.dtype(np.uint8), (1, *shape)) for key, shape in SHAPES.items()
    }
    assert (found["shadow"][0, 0] == np.where(standard.shadows[4], BLACK, WHITE)).all()
    letter = standard.letters[4, 1]
    for dot, item in enumerate([3, 8, 4, 7, 6, 5, 2, 1, 0]):
        assert (found["objects"][0, dot] == np.where(standard.objects[letter, item], BLACK, WHITE)).all()
    assert shown("") == {}
    end = shown("mode=pixels phase=end positions=40/0/0/0")
    assert not end["shadow"].any() and not end["objects"].any()


@pytest.mark.rule("SM-77")
def test_pictures_of_many_states() -> None:
    table = Table.dealt(3, "mode=pixels")
    states = [table.batch.get_states()]
    for seed in (4, 5):
        table.batch.reset(seed)
        states.append(table.batch.get_states())
    both = pictures(table.batch.tables, np.concatenate(states).view(np.recarray), np.array([0, 1, 2]))
    for number, state in enumerate(states):
        one = pictures(table.batch.tables, state, np.array([number]))
        assert all((both[key][number] == one[key][0]).all() for key in SHAPES)


@pytest.mark.rule("SM-78")
def test_grain() -> None:
    """Pixels stay once seen, each seat sees others, and their number follows the geometric law."""
    full = shown(PIXELS)["shadow"]
    before = np.zeros(full.shape, np.bool_)
    for tick in (1, 2, 10, 20):
        line = f"{PIXELS} detail=grains tick={tick} seed=3"
        grainy = shown(line)["shadow"]
        seen = grainy != GREY
        assert (grainy[seen] == full[seen]).all() and not (before & ~seen).any()
        share = 1 - 0.94**tick
        assert abs(seen.mean() - share) < 4 * math.sqrt(share * (1 - share) / seen.size)
        other = shown(line, 1)["shadow"] != GREY
        assert abs((seen & other).mean() - share**2) < 4 * math.sqrt(share**2 / seen.size)
        before = seen
    assert (shown(f"{PIXELS} detail=grains tick=3 grain_rate=1")["shadow"] == full).all()
    lines = [f"{PIXELS} detail=grains tick=3 seed=3 round={number}" for number in (1, 2)]
    assert (shown(lines[0])["shadow"] != shown(lines[1])["shadow"]).any()


LINES = [
    "",
    "cubes=012/12/-/8 coins=3/0/0/0 positions=3/12/12/39 evidence=1,2,3,4,5,6,7,8,-30/0/0/0 tick=9",
    f"{PIXELS} cubes=0/2/-/8",
    f"{PIXELS} detail=grains tick=5",
    "num_players=6 round=3 last=012:012/-/-/-/345/-:5/4/3/2/1/0:8/0/0/0/0/0",
    "phase=end positions=42/44/3/2 last=012:012/-/-/-:3/0/0/0:6/0/0/0",
    POCKET,
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_drawings(line: str, seat: int | None) -> None:
    table = Table(line)
    state = table.batch.get_states()
    text = GAME.render(table.options, state, seat)
    assert text == GAME.render(table.options, state, seat) and "seat 1" in text
    assert GAME.render_svg is not None
    picture = GAME.render_svg(table.options, state, seat)
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    if table.now.done:
        assert "seat 1 won" in text and "winner" in picture


def test_a_view_hides_what_the_seat_does_not_know() -> None:
    views = [
        [
            view(table.options, table.batch.get_states(), 1)
            for view in (GAME.render, GAME.render_svg)
            if view is not None
        ]
        for table in (
            Table("targets=012 cubes=345/1/-/2 evidence=1,0,0,0,0,0,0,0,0/0/0/0 objects=012345678"),
            Table("targets=678 cubes=-/1/34/- evidence=0/0/2,0,0,0,0,0,0,0,0/0 objects=876543210"),
        )
    ]
    assert views[0] == views[1]


def test_everything_is_shown_to_nobody_in_particular() -> None:
    table = Table("targets=012 cubes=345/1/-/2")
    text = GAME.render(table.options, table.batch.get_states(), None)
    assert "targets: 0 1 2" in text and "cubes 3 4 5" in text and "objects: 0 " in text


def test_sheet(tmp_path: Path) -> None:
    path = tmp_path / "sheet.png"
    render.sheet(ShadowMasterOptions.make(), path, num_cards=3)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) > 10_000
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as picture:
        picture.load()
        assert picture.size == (12 + 108 * 9, 12 + 108 * 11)
