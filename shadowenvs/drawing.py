"""What the renderings of all games share: the few shapes of their pictures in SVG, and columns of text.

Each function but the last two returns a piece of SVG as text; :func:`document` puts pieces together. Lengths are
pixels, x grows to the right and y downwards, and (x, y) is the top left corner unless a function says otherwise. Equal
arguments give equal text, and letters come from generic font families only.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

INK = "#2b2620"  # letters on paper
CREAM = "#f4ecd8"  # letters on felt
PAPER = "#fbf7ec"
SHADE = "#cbc2ad"  # letters of less weight on felt
GOLD = "#f2c14e"

_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" \
font-family="sans-serif" role="img">
<title>{title}</title>
<defs>
<radialGradient id="felt" cx="50%" cy="45%" r="75%"><stop offset="0" stop-color="#2f6b55"/>\
<stop offset="1" stop-color="#123328"/></radialGradient>
<linearGradient id="back" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#4b3f72"/>\
<stop offset="1" stop-color="#231b3f"/></linearGradient>
</defs>
<rect width="{width}" height="{height}" fill="url(#felt)"/>
{body}
</svg>
"""


def document(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """Returns a whole SVG document on green felt.

    Args:
        width: Of the picture.
        height: Of the picture.
        title: What a screen reader says.
        parts: Pieces in the order of drawing.
    """
    return _FRAME.format(width=width, height=height, title=escape(title), body="\n".join(filter(None, parts)))


def num(value: float) -> str:
    """Returns a length with at most two decimals, the same on every platform."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def label(
    x: float,
    y: float,
    text: str,
    *,
    height: float = 14,
    fill: str = CREAM,
    anchor: str = "start",
    bold: bool = False,
    opacity: float = 1,
) -> str:
    """Returns a line of text; y is its base line.

    Args:
        x: Where it starts, or its middle or end as ``anchor`` says.
        y: Its base line.
        text: The text.
        height: Size of the letters.
        fill: Their colour.
        anchor: "start", "middle" or "end".
        bold: Whether they are heavy.
        opacity: 0 to 1.
    """
    more = ' font-weight="bold"' if bold else ""
    more += f' text-anchor="{anchor}"' if anchor != "start" else ""
    more += f' opacity="{num(opacity)}"' if opacity < 1 else ""
    return f'<text x="{num(x)}" y="{num(y)}" font-size="{num(height)}" fill="{fill}"{more}>{escape(text)}</text>'


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    fill: str = "#000000",
    opacity: float = 1,
    stroke: str = "",
    thick: float = 1,
    radius: float = 8,
) -> str:
    """Returns a rectangle with round corners; ``opacity`` is that of its ground."""
    more = f' fill-opacity="{num(opacity)}"' if opacity < 1 else ""
    more += f' stroke="{stroke}" stroke-width="{num(thick)}"' if stroke else ""
    return (
        f'<rect x="{num(x)}" y="{num(y)}" width="{num(width)}" height="{num(height)}" rx="{num(radius)}" '
        f'fill="{fill}"{more}/>'
    )


def card(x: float, y: float, width: float, text: str, face: str, ink: str, pip: str = "", *, glow: bool = False) -> str:
    """Returns a card that lies face up; like every card it is 1.4 times as high as wide.

    Args:
        x: Left edge.
        y: Upper edge.
        width: Its width; one below 30 shows a smaller sign, below its text.
        text: Its rank.
        face: Colour of the card.
        ink: Colour of its text and sign.
        pip: Path data in a square from -1 to 1 for the sign of its suit, "" for none.
        glow: Whether it stands out.
    """
    height = width * 1.4
    parts = [box(x + width / 30, y + width / 20, width, height, opacity=0.35, radius=width / 9)]
    if glow:
        parts.append(box(x - 7, y - 7, width + 14, height + 14, fill=GOLD, radius=width / 9 + 6))
        parts.append(box(x - 3, y - 3, width + 6, height + 6, fill=INK, radius=width / 9 + 2))
    parts.append(box(x, y, width, height, fill=face, stroke=PAPER, thick=max(1, width / 28), radius=width / 9))
    if width < 30:
        parts.append(label(x + width * 0.12, y + width * 0.6, text, height=width * 0.52, fill=ink, bold=True))
        if pip:
            parts.append(sign(x + width * 0.36, y + height * 0.72, width * 0.22, ink, pip))
        return "".join(parts)
    parts.append(label(x + width * 0.11, y + width * 0.45, text, height=width * 0.4, fill=ink, bold=True))
    if pip:
        parts.append(sign(x + width * 0.6, y + height * 0.66, width * 0.27, ink, pip))
    return "".join(parts)


def sign(x: float, y: float, half: float, colour: str, path: str) -> str:
    """Returns path data, drawn in a square from -1 to 1, around the middle (x, y) with half a side's length."""
    return f'<path transform="translate({num(x)} {num(y)}) scale({num(half)})" d="{path}" fill="{colour}"/>'


def back(x: float, y: float, width: float) -> str:
    """Returns a card that lies face down."""
    height, inset = width * 1.4, width * 0.13
    inner_width, inner_height = width - 2 * inset, height - 2 * inset
    middle_x, middle_y = num(x + width / 2), num(y + height / 2)
    return "".join(
        [
            box(x + width / 30, y + width / 20, width, height, opacity=0.35, radius=width / 9),
            box(x, y, width, height, fill="url(#back)", stroke="#d9cfe8", thick=1, radius=width / 9),
            f'<rect x="{num(x + inset)}" y="{num(y + inset)}" width="{num(inner_width)}" height="{num(inner_height)}" '
            f'rx="{num(width / 14)}" fill="none" stroke="#8f7fc0" stroke-width="{num(width / 40)}"/>',
            f'<circle cx="{middle_x}" cy="{middle_y}" r="{num(width * 0.2)}" fill="#8f7fc0"/>',
            f'<circle cx="{num(x + width * 0.58)}" cy="{num(y + height / 2 - width * 0.05)}" r="{num(width * 0.17)}" '
            'fill="#33285a"/>',
        ]
    )


def row(left: float, right: float, count: int, width: float, gap: float = 4) -> list[float]:
    """Returns the left edges of a row of cards in the middle between two limits; they overlap where they must.

    Args:
        left: Leftmost edge.
        right: Rightmost edge.
        count: Number of cards.
        width: Of one card.
        gap: Distance between two cards where there is room.
    """
    if count == 0:
        return []
    step = min(width + gap, (right - left - width) / (count - 1)) if count > 1 else 0.0
    start = (left + right - width - step * (count - 1)) / 2
    return [start + step * place for place in range(count)]


def clockwise_of(first: int, num_seats: int) -> list[int]:
    """Returns all seats clockwise, the given one first."""
    return [(first + place) % num_seats for place in range(num_seats)]


def columns(rows: Sequence[Sequence[str]], limits: Sequence[int], right: set[int]) -> list[str]:
    """Aligns cells in columns; a cell that is wider than its column's limit goes on below."""
    widths = [min(limit, max(map(len, column))) for limit, column in zip(limits, zip(*rows, strict=True), strict=True)]
    lines = []
    for cells in rows:
        wrapped = [textwrap.wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for place in range(max(map(len, wrapped))):
            line = []
            for column, parts in enumerate(wrapped):
                part = parts[place] if place < len(parts) else ""
                line.append(part.rjust(widths[column]) if column in right else part.ljust(widths[column]))
            lines.append("  ".join(line).rstrip())
    return lines
