"""The table of Shadow Master as text and as SVG, and a sheet of all objects and shadows.

Both views show what one seat may see, or everything. In evidence mode nobody sees the picture or the objects before the
round is over; only the view of everything shows them. Cubes of other seats lie behind their screens.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shadowenvs.drawing import CREAM, GOLD, INK, PAPER, SHADE, box, document, label, num
from shadowenvs.games.shadow_master import deck as decks
from shadowenvs.games.shadow_master import drawing
from shadowenvs.games.shadow_master.notation import Position, from_state, winners
from shadowenvs.games.shadow_master.pictures import GREY, pictures
from shadowenvs.games.shadow_master.spec import (
    COLOUR_NAMES,
    EVIDENCE_SCALE,
    FRESH,
    LETTERS,
    MAX_EVIDENCE,
    NUM_DOTS,
    SHADOW_SIDE,
    ShadowMasterOptions,
    tables,
)

_FIELD_PAINTS = ("#f7f3e8", "#3f7fc4", "#f0c63c")
_SEAT_PAINTS = ("#d1495b", "#3a86c8", "#5aa469", "#e09f3e", "#8e6bbf", "#4a4e57")


@dataclass
class _View:
    """What a text or picture shows: a position as one seat may see it, or all of it.

    Attributes:
        position: All of it.
        state: The same as a state recarray [1].
        seat: The observer, None for everything.
    """

    position: Position
    state: np.recarray
    seat: int | None

    @property
    def options(self) -> ShadowMasterOptions:
        return self.position.options

    @property
    def seats(self) -> range:
        return range(self.options.num_players)

    def sees(self, seat: int) -> bool:
        """Whether cubes and evidence of a seat are shown."""
        return self.seat is None or self.seat == seat

    @cached_property
    def deck(self) -> decks.Deck | None:
        if self.options.is_pocket or self.options.deck == FRESH:
            return None
        return decks.find(self.options.deck)

    @property
    def sees_picture(self) -> bool:
        in_play = self.deck is not None and self.deck.has_pictures and not self.position.done
        return in_play and (self.seat is None or self.options.mode == "pixels")

    @property
    def squares(self) -> list[tuple[str, str, int]]:
        """Colour, letter and number of each square of the shadow card; nothing without one."""
        if self.deck is None or self.position.done:
            return []
        card = self.position.card
        return [
            (name, LETTERS[self.deck.letters[card, colour]], int(self.deck.numbers[card, colour]))
            for colour, name in enumerate(COLOUR_NAMES)
        ]

    def name_at(self, dot: int) -> str:
        """Returns the name of the object on a dot, "" where it is not seen or unknown."""
        if not self.sees_picture or self.deck is None or self.deck.names is None:
            return ""
        letter = int(self.deck.letters[self.position.card, self.position.colour])
        return self.deck.names[letter][self.position.objects[dot]]

    def shadow(self) -> NDArray[np.uint8]:
        """Returns the picture as the observer sees it, uint8 [96, 96]."""
        assert self.deck is not None
        if self.seat is None or self.options.mode != "pixels":
            return self.deck.shadows[self.position.card] * np.uint8(255)
        return pictures(tables(self.options), self.state, np.array([self.seat]))["shadow"][0, 0]

    def object_at(self, dot: int) -> NDArray[np.uint8]:
        """Returns the reference drawing of the object on a dot, uint8 [48, 48]."""
        assert self.deck is not None
        letter = int(self.deck.letters[self.position.card, self.position.colour])
        return self.deck.objects[letter, self.position.objects[dot]]

    def shown_evidence(self, seat: int) -> list[float]:
        """Returns the evidence of a seat in nats, as it is observed."""
        scaled = np.clip(np.array(self.position.evidence[seat]) * EVIDENCE_SCALE, -MAX_EVIDENCE, MAX_EVIDENCE)
        return [float(value) for value in np.floor(scaled + 0.5) / EVIDENCE_SCALE]

    def status(self) -> str:
        position = self.position
        if position.done:
            names = ", ".join(f"seat {seat}" for seat in sorted(winners(position)))
            return f"the game is over: {names} won after {position.round_no} rounds"
        left = self.options.num_coins - sum(coin > 0 for coin in position.coins)
        return (
            f"round {position.round_no}, tick {position.tick} of {self.options.tick_cap}: {position.number} sought in "
            f"{COLOUR_NAMES[position.colour]}, {left} {'coin' if left == 1 else 'coins'} in the middle"
        )


def text(options: ShadowMasterOptions, state: np.recarray, seat: int | None = None) -> str:
    """Returns the table as lines of text.

    Args:
        options: The game's options.
        state: State recarray [1].
        seat: Whose view, None for everything.
    """
    view = _View(from_state(options, state), state, seat)
    position = view.position
    lines = [f"Shadow Master, {view.status()}"]
    if view.squares:
        lines.append("card: " + ", ".join(f"{colour} {letter} {number}" for colour, letter, number in view.squares))
    for other in view.seats:
        coin = f"coin {position.coins[other]}" if position.coins[other] else "no coin"
        lines.append(f"seat {other}{' (you)' if other == seat else ''}: field {position.positions[other]}, {coin}")
        if view.sees(other) and not position.done:
            lines += _text_of_cubes(view, other)
    if seat is None and not position.done:
        lines.append(f"targets: {_dots(position.targets)}")
    names = [f"{dot} {view.name_at(dot)}" for dot in range(NUM_DOTS) if view.name_at(dot)]
    for start in range(0, len(names), 3):
        lines.append(("         " if start else "objects: ") + ", ".join(names[start : start + 3]))
    if position.last is not None:
        lines.append(f"last round: targets {_dots(position.last.targets)}")
        for other in view.seats:
            last = position.last
            lines.append(
                f"  seat {other}: cubes {_dots(last.cubes[other])}, coin {last.coins[other] or '-'}, "
                f"points {last.points[other]}"
            )
    if view.sees_picture:
        lines += _text_of_picture(view.shadow())
    return "\n".join(lines)


def _dots(dots: set[int]) -> str:
    return " ".join(map(str, sorted(dots))) or "-"


def _text_of_cubes(view: _View, seat: int) -> list[str]:
    position = view.position
    lines = [f"  cubes {_dots(position.cubes[seat])}"]
    if view.options.mode == "evidence":
        evidence = " ".join(f"{value:+.1f}" for value in view.shown_evidence(seat))
        lines += [f"  evidence {evidence}", f"  looks {' '.join(map(str, position.looks[seat]))}"]
    return lines


def _text_of_picture(shadow: NDArray[np.uint8]) -> list[str]:
    """Returns the picture, two rows of pixels a line and half as wide."""
    small = shadow.reshape(SHADOW_SIDE // 4, 4, SHADOW_SIDE // 2, 2).astype(int).mean(axis=(1, 3))
    return ["".join("#" if value > 170 else "+" if value > 85 else "." for value in row) for row in small]


# ---------------------------------------------------------------------------------------------------------------- SVG

_WIDTH, _HEIGHT = 980, 700


def svg(options: ShadowMasterOptions, state: np.recarray, seat: int | None = None) -> str:
    """Returns the table as an SVG document; arguments as for :func:`text`."""
    view = _View(from_state(options, state), state, seat)
    parts = [
        label(20, 32, "Shadow Master", height=22, bold=True),
        label(216, 32, view.status(), height=14, fill=GOLD if view.position.done else SHADE),
        _draw_board(view),
        _draw_coins(view),
        _draw_card(view),
        *(_draw_screen(view, other) for other in view.seats),
    ]
    return document(_WIDTH, _HEIGHT, "Shadow Master", parts)


def _draw_board(view: _View) -> str:
    """The row of fields with the tokens above it."""
    if view.options.is_pocket:
        return ""
    colours = view.options.colours
    step = (_WIDTH - 40) / len(colours)
    parts = []
    for field, colour in enumerate(colours):
        parts.append(box(20 + step * field, 100, step - 1.5, 22, fill=_FIELD_PAINTS[colour], radius=3))
        if field % 10 == 0:
            parts.append(label(20 + step * (field + 0.5), 137, str(field), height=11, anchor="middle", fill=SHADE))
    on_field: dict[int, int] = {}
    for other in view.seats:
        field = min(view.position.positions[other], view.options.last_field)
        height = on_field.get(field, 0)
        on_field[field] = height + 1
        x, y = 20 + step * (field + 0.5), 90 - 10 * height
        parts.append(_disc(x, y, 7, _SEAT_PAINTS[other], CREAM))
        parts.append(label(x, y + 3.5, str(other), height=9, anchor="middle", bold=True))
    return "".join(parts)


def _disc(x: float, y: float, radius: float, fill: str, stroke: str = "none", thick: float = 1.5) -> str:
    return (
        f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(radius)}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{num(thick)}"/>'
    )


def _draw_coin(x: float, y: float, coin: int, radius: float = 17) -> str:
    return _disc(x, y, radius, "#15181c", GOLD, 2.5) + label(
        x, y + radius * 0.35, str(coin), height=radius, anchor="middle", bold=True, fill=GOLD
    )


def _draw_coins(view: _View) -> str:
    """The coins in the middle."""
    taken = {coin for coin in view.position.coins if coin}
    coins = [coin for coin in range(view.options.num_coins, 0, -1) if coin not in taken]
    parts = [label(20, 172, "coins", fill=SHADE)]
    parts += [_draw_coin(90 + 44 * place, 168, coin) for place, coin in enumerate(coins)]
    return "".join(parts)


def _draw_card(view: _View) -> str:
    """The shadow card and, where they are seen, the nine objects."""
    position = view.position
    x, y, side = 20, 200, 250
    parts = [box(x, y, side + 20, side + 90, fill=PAPER, radius=10)]
    if view.sees_picture:
        parts.append(_draw_pixels(view.shadow(), x + 10, y + 10, side))
    else:
        words = "the game is over" if position.done else "seen by looks only"
        parts.append(box(x + 10, y + 10, side, side, fill="#d9d2c0", radius=4))
        parts.append(label(x + 10 + side / 2, y + 10 + side / 2, words, fill=INK, anchor="middle"))
    for colour, (_, letter, number) in enumerate(view.squares):
        left = x + 10 + 88 * colour
        active = colour == position.colour
        parts.append(
            box(left, y + side + 24, 74, 56, fill=_FIELD_PAINTS[colour], stroke=INK, thick=4 if active else 1, radius=6)
        )
        parts.append(label(left + 24, y + side + 62, letter, height=28, fill=INK, anchor="middle", bold=True))
        parts.append(label(left + 54, y + side + 62, str(number), height=24, fill=INK, anchor="middle"))
    if view.sees_picture:
        for dot in range(NUM_DOTS):
            left, top = 310 + 88 * (dot % 3), 200 + 114 * (dot // 3)
            parts.append(box(left, top, 82, 106, fill=PAPER, radius=6))
            parts.append(_draw_pixels(view.object_at(dot) * np.uint8(255), left + 7, top + 5, 68))
            is_target = view.seat is None and dot in position.targets
            parts.append(_disc(left + 14, top + 94, 8, GOLD if is_target else "#8a8f98"))
            parts.append(label(left + 14, top + 97.5, str(dot), height=10, anchor="middle", bold=True))
            name = view.name_at(dot)
            parts.append(label(left + 26, top + 98, name, height=min(10, 90 / max(1, len(name))), fill=INK))
    elif position.last is not None:
        parts += _draw_last(view)
    else:
        parts.append(label(318, 330, "nine objects, one on each dot;", fill=SHADE))
        parts.append(label(318, 350, "which of them are in the shadow?", fill=SHADE))
    return "".join(parts)


def _draw_last(view: _View) -> list[str]:
    """The result of the round before, in place of the objects."""
    last = view.position.last
    assert last is not None
    parts = [label(310, 220, f"Last round: targets {_dots(last.targets)}", bold=True)]
    for other in view.seats:
        y = 250 + 26 * other
        parts.append(_disc(318, y - 4, 7, _SEAT_PAINTS[other], CREAM))
        words = f"cubes {_dots(last.cubes[other])}, coin {last.coins[other] or '-'}"
        parts.append(label(334, y, words, height=13))
        parts.append(label(566, y, f"+{last.points[other]}", height=14, anchor="end", bold=True))
    return parts


def _draw_screen(view: _View, other: int) -> str:
    """A seat: its coin and its selection card, or the screen before it."""
    position, height = view.position, 490 / len(view.seats)
    x, y = 590, 190 + height * other
    lit = (position.done and other in winners(position)) or (not position.done and other == position.move)
    parts = [
        box(x, y, 370, height - 8, opacity=0.34, stroke=GOLD if lit else _SEAT_PAINTS[other], thick=2.5, radius=10),
        _disc(x + 18, y + 19, 9, _SEAT_PAINTS[other], CREAM),
        label(x + 34, y + 24, f"Seat {other}{' (you)' if other == view.seat else ''}", bold=True),
        label(x + 152, y + 24, f"field {position.positions[other]}", fill=SHADE, height=12),
    ]
    if position.coins[other]:
        parts.append(_draw_coin(x + 348, y + 21, position.coins[other], 13))
    if position.done:
        if lit:
            parts.append(label(x + 185, y + height / 2 + 12, "winner", height=18, anchor="middle", fill=GOLD))
        return "".join(parts)
    if not view.sees(other):
        parts.append(box(x + 12, y + 36, 346, height - 54, fill=_SEAT_PAINTS[other], opacity=0.55, radius=6))
        parts.append(label(x + 185, y + 36 + (height - 54) / 2 + 5, "screen", anchor="middle", height=13))
        return "".join(parts)
    evidence = view.shown_evidence(other)
    for dot in range(NUM_DOTS):
        cx, cy = x + 32 + 38.5 * dot, y + 36 + (height - 54) * 0.4
        parts.append(_disc(cx, cy, 11, "#8a8f98"))
        if dot in position.cubes[other]:
            parts.append(box(cx - 11, cy - 11, 22, 22, fill="#15181c", stroke=GOLD, thick=1.5, radius=2))
        parts.append(label(cx, cy + 4, str(dot), height=11, anchor="middle", bold=True))
        if view.options.mode == "evidence":
            parts.append(label(cx, cy + 25, f"{evidence[dot]:+.1f}", height=10, anchor="middle", fill=SHADE))
    return "".join(parts)


def _draw_pixels(pixels: NDArray[np.uint8], x: float, y: float, side: float) -> str:
    """A picture in its square: one path of horizontal runs for black, one for what is not seen yet."""
    parts = []
    for value, paint in ((255, "#15181c"), (GREY, "#b9b3a4")):
        runs = []
        for row, line in enumerate(pixels == value):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(np.int8), [0]])))
            spans = zip(edges[::2], edges[1::2], strict=True)
            runs += [f"M{start} {row}h{end - start}v1h{start - end}z" for start, end in spans]
        if runs:
            scale = num(side / len(pixels)) if side % len(pixels) == 0 else f"{side / len(pixels):.4f}"
            place = f"translate({num(x)} {num(y)}) scale({scale})"
            parts.append(f'<path transform="{place}" d="{"".join(runs)}" fill="{paint}" shape-rendering="crispEdges"/>')
    return "".join(parts)


# --------------------------------------------------------------------------------------------------------------- sheet


def sheet(options: ShadowMasterOptions, path: str | Path, num_cards: int = 9) -> None:
    """Writes a picture of the 90 objects, a row for each picture card, and of the first shadows of a deck.

    Args:
        options: Whose deck is shown.
        path: Of the PNG file.
        num_cards: How many shadows are shown.
    """
    _, drawings = drawing.load_objects()
    cell, gap = 96, 12
    rows = [[~drawing.draw(text, cell) for text in card] for card in drawings]
    shadows = [shadow == 0 for shadow in decks.find(options.deck, 0).shadows[:num_cards]]
    columns = NUM_DOTS
    rows += [shadows[start : start + columns] for start in range(0, len(shadows), columns)]
    page = np.full((gap + (cell + gap) * len(rows), gap + (cell + gap) * columns), 225, np.uint8)
    for row, cells in enumerate(rows):
        for column, white in enumerate(cells):
            top, left = gap + (cell + gap) * row, gap + (cell + gap) * column
            page[top : top + cell, left : left + cell] = np.where(white, 255, 20)
    Path(path).write_bytes(png(page))


def png(grey: NDArray[np.uint8]) -> bytes:
    """Returns a grey picture, uint8 [H, W], as a PNG file (ISO/IEC 15948)."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    height, width = grey.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), grey], axis=1).tobytes()  # filter 0 before each line
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(lines, 9)), chunk(b"IEND", b"")]
    )
