"""A table of Chasing Shadows as text and as SVG, as one seat may see it (CS-80 to CS-86) or with all cards open."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from shadowenvs import drawing
from shadowenvs.cards import NUM_RANKS, NUM_SUITS
from shadowenvs.drawing import CREAM, GOLD, INK, PAPER, SHADE, box, card, clockwise_of, label, row, sign
from shadowenvs.games.chasing_shadows.notation import Boxes, Position, format_card, from_state
from shadowenvs.games.chasing_shadows.rules import winning_seat
from shadowenvs.games.chasing_shadows.scoring import struck_round
from shadowenvs.games.chasing_shadows.spec import END, PHASE_NAMES, SUIT_NAMES, ChasingShadowsOptions

WIDTH = 100  # columns of text


@dataclass(frozen=True)
class _View:
    """A position and who looks at it: a seat, or None for all cards open."""

    position: Position
    seat: int | None
    points: list[int]
    winners: list[int]
    done: bool
    winning: int | None  # whose card wins the trick so far
    standing: list[Boxes]  # what the taken cards of each seat score by suit
    struck: list[list[int | None]]  # by seat and suit the round, from 0, whose score is struck out

    @property
    def seats(self) -> range:
        return range(self.position.options.num_players)

    @property
    def clockwise(self) -> list[int]:
        """All seats, the looker's (or seat 0) first."""
        return clockwise_of(self.seat or 0, len(self.seats))

    @property
    def is_over(self) -> bool:
        """Whether the last round has been scored; a game that was broken off is not over in this sense."""
        return self.position.phase == END

    @property
    def trick(self) -> list[tuple[int, int | None]]:
        """Seat and card of all seats in the order of play, None for cards to come."""
        order = [(self.position.lead + place) % len(self.seats) for place in self.seats]
        return [(seat, self.position.table[seat]) for seat in order]

    def sees(self, other: int) -> bool:
        """Whether the ranks in a hand are open (CS-15)."""
        return self.seat in (None, other)

    def name(self, other: int) -> str:
        return f"seat {other} (you)" if other == self.seat else f"seat {other}"

    def is_struck(self, other: int, suit: int, number: int) -> bool:
        """Whether a score of round ``number``, from 0, is struck out (CS-61)."""
        return self.is_over and self.struck[other][suit] == number

    def result(self) -> str:
        """Who won (CS-66 to CS-69), or "" during the game."""
        if not self.done:
            return ""
        if not self.winners:
            return "The game was broken off; nobody wins."
        score = f"with a score of {self.points[self.winners[0]]}."
        if len(self.winners) == 1:
            return f"Seat {self.winners[0]} wins {score}"
        return f"Seats {' and '.join(map(str, self.winners))} win together {score}"


def _view(options: ChasingShadowsOptions, state: np.recarray, seat: int | None) -> _View:
    row_, seats = state.view(np.recarray)[0], range(options.num_players)
    winner = winning_seat(row_)
    struck = [[struck_round(row_, other, suit) for suit in range(NUM_SUITS)] for other in seats]
    return _View(
        from_state(options, state),
        seat,
        points=[int(row_.points[other]) for other in seats],
        winners=[other for other in seats if int(row_.winners) >> other & 1],
        done=bool(row_.done),
        winning=None if winner < 0 else winner,
        standing=[[None if score < 0 else int(score) for score in row_.standing[other]] for other in seats],
        struck=[[None if number < 0 else number for number in numbers] for numbers in struck],
    )


def _of_suit(cards: Iterable[int], suit: int) -> list[int]:
    return [number for number in sorted(cards) if number // NUM_RANKS == suit]


def _suits(cards: Collection[int]) -> str:
    """Names the suits of cards that lie face down, as "red, 2 yellow"."""
    counts = [(len(_of_suit(cards, suit)), name) for suit, name in enumerate(SUIT_NAMES)]
    return ", ".join(name if num == 1 else f"{num} {name}" for num, name in counts if num) or "none"


# ------------------------------------------------------------------------------------------------------------- text


def text(options: ChasingShadowsOptions, state: np.recarray, seat: int | None) -> str:
    """Returns the table as text, at most 100 columns wide.

    Args:
        options: The game's options.
        state: State recarray [1].
        seat: Who looks; None for all cards open.
    """
    view = _view(options, state, seat)
    blocks = [_head(view), _middle(view), _seats(view), _hands(view), _sheets(view)]
    result = view.result()
    return "\n\n".join("\n".join(block) for block in [*blocks, [result] if result else []] if block) + "\n"


def _head(view: _View) -> list[str]:
    position, options = view.position, view.position.options
    turn = "" if view.done else f": seat {position.move} is to move"
    return [
        f"Chasing Shadows, round {position.round_no} of {options.rounds}, "
        f"trick {position.trick_no} of {options.num_tricks}",
        f"Seat {position.starter} started the round"
        + ("" if view.is_over else f", seat {position.lead} leads the trick"),
        f"Phase {PHASE_NAMES[position.phase]}{turn}",
    ]


def _middle(view: _View) -> list[str]:
    """What lies between the seats."""
    position = view.position
    shown = [f"seat {seat} {format_card(played)}" for seat, played in view.trick if played is not None]
    wins = "" if view.winning is None else f"; seat {view.winning} wins so far"
    spotlight = "-" if position.spotlight is None else format_card(position.spotlight)
    follow = _suits([suit * NUM_RANKS for suit in position.follow])
    lines = [f"Spotlight card: {spotlight}", f"Follow cards left: {follow}"]
    if not view.is_over:
        lines.append(f"Table: {', '.join(shown) or 'no card played yet'}{wins}")
    for name, cards in (("First follow cards of the round", position.first), ("Set aside", position.aside)):
        if cards and view.seat is None:
            lines.append(_long_line(f"{name}: ", cards))
        elif cards:
            lines.append(f"{name}, never seen: {_suits(cards)}")
    return lines


def _seats(view: _View) -> list[str]:
    """One row a seat: score, cards in hand by suit, and what it has taken with its score by suit."""
    lines = ["              score   hand B  R  Y  G   taken scores B   R   Y   G   cards taken"]
    for other in view.seats:
        position = view.position
        held = "".join(f"{len(_of_suit(position.hands[other], suit)):3}" for suit in range(NUM_SUITS))
        scores = "".join(f"{'-' if score is None else score:>4}" for score in view.standing[other])
        start = f"{view.name(other):14}{view.points[other]:5}      {held}             {scores}   "
        lines.append(_long_line(start, position.taken[other]))
    return lines


def _hands(view: _View) -> list[str]:
    """The own hand by suit; all hands if everything is open."""
    hands = view.position.hands
    if view.is_over:
        return []
    if view.seat is None:
        return ["Hands:"] + [_long_line(f"  seat {other}  ", hands[other]) for other in view.seats]
    lines = ["Your hand:"]
    for suit in range(view.position.options.num_suits):
        ranks = [number % NUM_RANKS for number in _of_suit(hands[view.seat], suit)]
        lines.append(f"  {SUIT_NAMES[suit]:8}{' '.join(f'{rank:2}' for rank in ranks) or ' -'}")
    return lines


def _long_line(title: str, cards: Iterable[int]) -> str:
    words = " ".join(map(format_card, sorted(cards))) or "-"
    return textwrap.fill(words, WIDTH, initial_indent=title, subsequent_indent=" " * len(title))


def _sheets(view: _View) -> list[str]:
    """The score sheets (CS-60)."""
    if not view.position.boxes:
        return []
    lines = ["Score sheets: blue, red, yellow, grey" + ("; ~ struck out" if view.is_over else "")]
    lines.append("       " + "".join(f"|{f'seat {other}':^17}" for other in view.seats))
    for number, sheets in enumerate(view.position.boxes):
        cells = []
        for other, boxes in enumerate(sheets):
            marks = ["~" if view.is_struck(other, suit, number) else "" for suit in range(NUM_SUITS)]
            words = ["-" if score is None else f"{mark}{score}" for mark, score in zip(marks, boxes, strict=True)]
            cells.append("|" + "".join(f"{word:>4}" for word in words) + " ")
        lines.append(f"{number + 1:6} " + "".join(cells))
    lines.append(" total " + "".join(f"|{view.points[other]:16} " for other in view.seats))
    return [line.rstrip() for line in lines]


# -------------------------------------------------------------------------------------------------------------- SVG

_WIDTH, _HEIGHT = 960, 640
_OWN = (14, 426, 688, 200)  # the seat at the bottom: x, y, width, height
_OWN_END = (14, 524, 688, 102)  # the same without a hand
_PLATE = (204, 146)  # another seat: width, height
_PAD = (716, 14, 230, 612)  # x, y, width, height
_CENTRE = 358  # of the table

# Places of the other seats' plates clockwise, by number of seats.
_PLACES: dict[int, list[tuple[int, int]]] = {
    3: [(14, 14), (498, 14)],
    4: [(14, 176), (256, 14), (498, 176)],
    5: [(14, 176), (106, 14), (406, 14), (498, 176)],
}

# Face, ink and sign of each suit: wave, flame, sun, moon.
_SUITS = (
    (
        "#2c5f9e",
        "#ffffff",
        "M-1,-.1 C-.6,-.75 -.3,-.75 0,-.2 C.3,.35 .6,.35 1,-.3 L1,.3 C.6,.95 .3,.95 0,.4 C-.3,-.15 -.6,-.15 -1,.5Z",
    ),
    (
        "#a92f2f",
        "#ffffff",
        "M0,-1 C.15,-.5 .75,-.2 .7,.4 C.65,.8 .3,1 0,1 C-.3,1 -.65,.8 -.7,.4 C-.7,.1 -.5,-.1 -.4,-.35 "
        "C-.3,-.1 -.2,0 -.1,0 C-.2,-.4 -.1,-.8 0,-1Z",
    ),
    (
        "#e6b731",
        "#3d2f00",
        "M0,-1 L.2,-.48 .71,-.71 .48,-.2 1,0 .48,.2 .71,.71 .2,.48 0,1 -.2,.48 -.71,.71 -.48,.2 -1,0 "
        "-.48,-.2 -.71,-.71 -.2,-.48Z",
    ),
    ("#6d7076", "#ffffff", "M.35,-.95 A1,1 0 1 0 .95,.55 A.85,.85 0 0 1 .35,-.95Z"),
)


def svg(options: ChasingShadowsOptions, state: np.recarray, seat: int | None) -> str:
    """Returns the table as an SVG document of 960 by 640 pixels.

    Args:
        options: The game's options.
        state: State recarray [1].
        seat: Who looks and sits at the bottom; None for all cards open.
    """
    view = _view(options, state, seat)
    first, *others = view.clockwise
    parts = [_draw_own(view, first)]
    parts += [_draw_plate(view, other, x, y) for other, (x, y) in zip(others, _PLACES[len(view.seats)], strict=True)]
    parts += [] if view.is_over else [_draw_middle(view), _draw_trick(view)]
    parts += [_draw_result(view), _draw_pad(view)]
    who = "all cards open" if seat is None else f"seen from seat {seat}"
    return drawing.document(_WIDTH, _HEIGHT, f"Chasing Shadows, round {view.position.round_no}, {who}", parts)


def _draw_card(number: int, x: float, y: float, width: float, glow: bool = False) -> str:
    face, ink, pip = _SUITS[number // NUM_RANKS]
    return card(x, y, width, str(number % NUM_RANKS), face, ink, pip, glow=glow)


def _draw_back(suit: int, x: float, y: float, width: float) -> str:
    """A card that lies face down: its back shows its suit (CS-04)."""
    face, _, pip = _SUITS[suit]
    inset = width * 0.12
    return "".join(
        [
            box(x + width / 30, y + width / 20, width, width * 1.4, opacity=0.35, radius=width / 9),
            box(x, y, width, width * 1.4, fill="#1d1a26", stroke=PAPER, thick=max(1, width / 36), radius=width / 9),
            box(x + inset, y + inset, width - 2 * inset, width * 1.4 - 2 * inset, fill=face, opacity=0.75, radius=2),
            sign(x + width / 2, y + width * 0.7, width * 0.26, CREAM, pip),
        ]
    )


def _draw_cards(cards: Iterable[int], is_open: bool, x: float, y: float, right: float, *widths: float) -> str:
    """Cards from x on, no farther than ``right``: of the first width that leaves enough of each to be seen."""
    numbers = sorted(cards)
    visible = 0.68 if is_open else 0.4
    fitting = [width for width in widths if right - x - width >= (len(numbers) - 1) * width * visible]
    width = fitting[0] if fitting else widths[-1]
    edges = row(x, right, len(numbers), width)
    parts = []
    for number, edge in zip(numbers, edges, strict=True):
        left = edge - edges[0] + x
        parts.append(_draw_card(number, left, y, width) if is_open else _draw_back(number // NUM_RANKS, left, y, width))
    return "".join(parts)


def _draw_taken(view: _View, other: int, x: float, y: float, right: float, *widths: float) -> str:
    """The taken cards by suit, over each suit what it scores."""
    groups = [(suit, _of_suit(view.position.taken[other], suit)) for suit in range(NUM_SUITS)]
    groups = [(suit, cards) for suit, cards in groups if cards]
    num = sum(len(cards) for _, cards in groups)
    room = right - x - 8 * max(0, len(groups) - 1)
    width = next((width for width in widths if room >= num * width * 0.9), widths[-1])
    step = min(width, (room - width * len(groups)) / max(1, num - len(groups)))
    parts = []
    for suit, cards in groups:
        end = x + step * (len(cards) - 1) + width
        score = str(view.standing[other][suit])
        parts.append(label((x + end) / 2, y + 10, score, height=12, anchor="middle", bold=True))
        parts += [_draw_card(number, x + step * place, y + 15, width) for place, number in enumerate(cards)]
        x = end + 8
    return "".join(parts)


def _note(x: float, y: float, words: str, anchor: str = "start") -> str:
    return label(x, y, words, height=11, anchor=anchor, fill=SHADE)


def _draw_head(view: _View, other: int, x: float, y: float, width: float, height: float) -> str:
    """Ground, name and score of a seat; a golden edge for who is to move or has won."""
    position = view.position
    lit = other in view.winners if view.done else other == position.move
    roles = ["you"] if other == view.seat else []
    if other == position.lead and not view.done:
        roles.append("leader")
    if lit:
        roles.append("winner" if view.done else f"to {PHASE_NAMES[position.phase]}")
    edge, thick = (GOLD, 2.5) if lit else ("#0b1f18", 1)
    return "".join(
        [
            box(x, y, width, height, opacity=0.34, stroke=edge, thick=thick, radius=12),
            label(x + 12, y + 22, f"Seat {other}", height=15, bold=True, fill=GOLD if lit else CREAM),
            label(x + width - 12, y + 23, str(view.points[other]), height=17, anchor="end", bold=True),
            _note(x + 76, y + 22, ", ".join(roles)),
        ]
    )


def _draw_plate(view: _View, other: int, x: float, y: float) -> str:
    """A seat at the other sides of the table."""
    is_open, right, hand = view.sees(other), x + _PLATE[0] - 12, view.position.hands[other]
    return "".join(
        [
            _draw_head(view, other, x, y, *_PLATE),
            _draw_cards(hand, is_open, x + 12, y + 33, right - 22, 24, 17),
            label(right, y + 55, str(len(hand)) if hand else "", height=12, anchor="end", fill=SHADE),
            _draw_taken(view, other, x + 12, y + 82, right, 29, 22),
        ]
    )


def _draw_own(view: _View, first: int) -> str:
    """The seat at the bottom, with large cards."""
    x, y, width, height = _OWN_END if view.is_over else _OWN
    right = x + width - 14
    return "".join(
        [
            _draw_head(view, first, x, y, width, height),
            _note(x + 14, y + 60, "taken"),
            _draw_taken(view, first, x + 60, y + 30, right, 36, 28),
            _draw_cards(view.position.hands[first], True, x + 14, y + 102, right, 63, 46, 32),
        ]
    )


def _draw_middle(view: _View) -> str:
    """Spotlight card and the follow cards that are left."""
    position, parts = view.position, []
    y, left = 190, _CENTRE - 118
    parts.append(f'<circle cx="{left + 36}" cy="{y + 43}" r="58" fill="{GOLD}" fill-opacity="0.16"/>')
    parts.append(_note(left + 36, y - 8, "spotlight", "middle"))
    if position.spotlight is not None:
        parts.append(_draw_card(position.spotlight, left + 6, y, 60, glow=True))
    parts.append(_note(left + 177, y - 8, "follow cards", "middle"))
    for suit, edge in zip(position.follow, row(left + 102, left + 252, len(position.follow), 34, 5), strict=True):
        parts.append(_draw_back(suit, edge, y + 18, 34))
    return "".join(parts)


def _draw_trick(view: _View) -> str:
    """The cards of the trick in the order of play; the one that wins so far stands out."""
    parts, y = [], 320
    edges = row(_CENTRE - 134, _CENTRE + 134, len(view.seats), 48, 5)
    for (other, played), edge in zip(view.trick, edges, strict=True):
        parts.append(_note(edge + 24, y - 9, f"seat {other}", "middle"))
        if played is None:
            parts.append(box(edge, y, 48, 67, opacity=0.15, stroke="#6f9585"))
        else:
            parts.append(_draw_card(played, edge, y, 48, glow=other == view.winning))
    return "".join(parts)


def _draw_result(view: _View) -> str:
    head, _, tail = view.result().partition(" with ")
    y = 404 if view.is_over else 414
    if not tail:
        return label(_CENTRE, y, head, height=15, anchor="middle", bold=True, fill=GOLD)
    return label(_CENTRE, y - 24, head, height=28, anchor="middle", bold=True, fill=GOLD) + label(
        _CENTRE, y + 6, f"with {tail}", height=16, anchor="middle"
    )


def _draw_pad(view: _View) -> str:
    """The score sheets of all seats (CS-60), and where the game stands."""
    x, y, width, height = _PAD
    position, options, middle = view.position, view.position.options, x + width / 2
    parts = [
        box(x + 3, y + 4, width, height, opacity=0.35, radius=10),
        box(x, y, width, height, fill=PAPER, radius=10),
        _ink(middle, y + 34, "Chasing Shadows", 20, bold=True),
        _ink(middle, y + 57, f"round {position.round_no} of {options.rounds}", 13),
        _ink(middle, y + 75, f"trick {position.trick_no} of {options.num_tricks}", 13),
    ]
    step = (height - 96) / len(view.seats)
    parts += [_draw_sheet(view, other, x, y + 88 + step * other) for other in view.seats]
    return "".join(parts)


def _draw_sheet(view: _View, other: int, x: float, y: float) -> str:
    """The score sheet of a seat: a column a suit, a row a round."""
    parts = [
        box(x + 10, y, _PAD[2] - 20, 1, fill=INK, opacity=0.3, radius=0),
        _ink(x + 36, y + 34, f"Seat {other}", 13),
        _ink(x + 36, y + 62, str(view.points[other]), 22, bold=True),
    ]
    for suit in range(view.position.options.num_suits):
        face, _, pip = _SUITS[suit]
        left = x + 74 + 37 * suit
        parts.append(sign(left + 16, y + 14, 6.5, face, pip))
        for number in range(view.position.options.rounds):
            top = y + 25 + 24 * number
            parts.append(box(left, top, 32, 21, fill=face, opacity=0.16, stroke=face, radius=3))
            score = view.position.boxes[number][other][suit] if number < len(view.position.boxes) else None
            if score is not None:
                is_struck = view.is_struck(other, suit, number)
                parts.append(_ink(left + 16, top + 15.5, str(score), 13, bold=True, opacity=0.5 if is_struck else 1))
                if is_struck:
                    parts.append(box(left + 3, top + 10, 26, 1.6, fill=INK, radius=0))
    return "".join(parts)


def _ink(x: float, y: float, words: str, height: float, bold: bool = False, opacity: float = 1) -> str:
    return label(x, y, words, height=height, fill=INK, anchor="middle", bold=bold, opacity=opacity)
