"""The drawing language of the objects: shapes in a box from 0 to 100, turned into black cells.

Operations separated by ``;`` are applied in order to an empty picture: a plain one adds a shape, the prefix ``-`` cuts
it out. The prefix ``m`` takes the shape and its mirror image at x = 50, ``*k`` the shape and its copies turned by
multiples of 360 / k degrees about the middle. Angles run clockwise, as y grows downwards.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Mask = NDArray[np.bool_]

BOX = 100.0
SEGMENTS = 8  # of a curve between two of its points


def load_objects() -> tuple[list[list[str]], list[list[str]]]:
    """Returns names and drawings of the objects, both [10][9]."""
    with (Path(__file__).parent / "objects.toml").open("rb") as file:
        cards = list(tomllib.load(file).values())
    names = [[entry["name"] for entry in card] for card in cards]
    return names, [[entry["drawing"] for entry in card] for card in cards]


def draw(text: str, side: int) -> Mask:
    """Returns a drawing as black cells, bool [side, side], row by row from the top.

    Args:
        text: In the drawing language.
        side: Cells per side; a cell is black when its centre is.

    Raises:
        ValueError: The text is not a drawing.
    """
    centres = (np.arange(side) + 0.5) * (BOX / side)
    x, y = np.meshgrid(centres, centres)
    mask = np.zeros((side, side), np.bool_)
    for operation in text.split(";"):
        shape, cuts = _parse_operation(operation, x, y)
        mask = mask & ~shape if cuts else mask | shape
    return mask


def _parse_operation(operation: str, x: Points, y: Points) -> tuple[Mask, bool]:
    words = operation.split()
    cuts, mirrored, turns = False, False, 1
    while words:
        word = words[0]
        if word == "m":
            mirrored = True
            words.pop(0)
        elif word[0] == "*" and word[1:].isdecimal():
            turns = int(word[1:])
            words.pop(0)
        elif word[0] == "-":
            cuts = True
            words[0] = word[1:]
        else:
            break
    if not words or words[0] not in _SHAPES:
        raise ValueError(f"{operation.strip()!r} is not an operation; shapes are {', '.join(_SHAPES)}")
    try:
        numbers = [float(word) for word in words[1:]]
    except ValueError:
        raise ValueError(f"{operation.strip()!r} holds a word that is not a number") from None
    shape = _SHAPES[words[0]]
    mask = np.zeros(x.shape, np.bool_)
    for turn in range(turns):
        angle = np.radians(360.0 * turn / turns)
        # A turned shape holds a point if the shape holds the point turned back.
        u, w = _turned_back(x - 50, y - 50, angle)
        mask |= shape(u + 50, w + 50, *numbers)
        if mirrored:
            mask |= shape(100 - (u + 50), w + 50, *numbers)
    return mask, cuts


def _turned_back(x: Points, y: Points, angle: float) -> tuple[Points, Points]:
    if angle == 0:
        return x, y
    return x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)


def _ellipse(x: Points, y: Points, cx: float, cy: float, rx: float, ry: float, degrees: float = 0) -> Mask:
    u, w = _turned_back(x - cx, y - cy, float(np.radians(degrees)))
    inside: Mask = (u / rx) ** 2 + (w / ry) ** 2 <= 1
    return inside


def _polygon(x: Points, y: Points, *corners: float) -> Mask:
    """Even-odd rule."""
    points = list(zip(corners[::2], corners[1::2], strict=True))
    inside = np.zeros(x.shape, np.bool_)
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True):
        if y0 != y1:
            crosses = (y0 > y) != (y1 > y)
            inside ^= crosses & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return inside


def _curve(x: Points, y: Points, *corners: float) -> Mask:
    """Closed uniform Catmull-Rom curve through the corners, even-odd rule."""
    points = np.array(corners).reshape(-1, 2)
    flat: list[float] = []
    for place in range(len(points)):
        p0, p1, p2, p3 = (points[(place + step) % len(points)] for step in (-1, 0, 1, 2))
        for segment in range(SEGMENTS):
            t = segment / SEGMENTS
            at = 0.5 * (
                2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * p1 - p0 - 3 * p2 + p3) * t**3
            )
            flat += at.tolist()
    return _polygon(x, y, *flat)


def _line(x: Points, y: Points, width: float, *corners: float) -> Mask:
    points = list(zip(corners[::2], corners[1::2], strict=True))
    mask = np.zeros(x.shape, np.bool_)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        dx, dy = x1 - x0, y1 - y0
        along = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
        mask |= np.hypot(x - x0 - along * dx, y - y0 - along * dy) <= width / 2
    return mask


def _arc(x: Points, y: Points, cx: float, cy: float, radius: float, width: float, start: float, end: float) -> Mask:
    distance = np.hypot(x - cx, y - cy)
    angle = (np.degrees(np.arctan2(y - cy, x - cx)) - start) % 360
    mask: Mask = (np.abs(distance - radius) <= width / 2) & (angle <= end - start)
    for degrees in (start, end):
        ex, ey = cx + radius * np.cos(np.radians(degrees)), cy + radius * np.sin(np.radians(degrees))
        mask |= np.hypot(x - ex, y - ey) <= width / 2
    return mask


def _rectangle(x: Points, y: Points, x0: float, y0: float, x1: float, y1: float, corner: float = 0) -> Mask:
    inside: Mask = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    if corner:
        dx = np.maximum(np.maximum(x0 + corner - x, x - (x1 - corner)), 0)
        dy = np.maximum(np.maximum(y0 + corner - y, y - (y1 - corner)), 0)
        inside &= np.hypot(dx, dy) <= corner
    return inside


def _star(x: Points, y: Points, cx: float, cy: float, outer: float, inner: float, num: float) -> Mask:
    corners: list[float] = []
    for place in range(2 * int(num)):
        radius, angle = (inner if place % 2 else outer), np.radians(180.0 * place / num - 90)
        corners += [cx + radius * float(np.cos(angle)), cy + radius * float(np.sin(angle))]
    return _polygon(x, y, *corners)


_SHAPES: dict[str, Callable[..., Mask]] = {
    "e": _ellipse,
    "p": _polygon,
    "c": _curve,
    "l": _line,
    "a": _arc,
    "r": _rectangle,
    "s": _star,
}
