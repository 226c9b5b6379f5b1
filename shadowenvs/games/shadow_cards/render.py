"""A table of Shadow Cards as text and as SVG, as one seat may see it (SC-102 to SC-107) or with all cards open."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shadowenvs import drawing
from shadowenvs.cards import NUM_RANKS
from shadowenvs.drawing import CREAM, GOLD, INK, PAPER, SHADE, back, box, card, clockwise_of, columns, label, row, sign
from shadowenvs.games.shadow_cards.notation import Position, format_card, from_state
from shadowenvs.games.shadow_cards.rules import beats
from shadowenvs.games.shadow_cards.spec import CLAIM, END, PHASE_NAMES, PREDICT, SUIT_NAMES, ShadowCardsOptions

WIDTH = 100  # columns of text


@dataclass(frozen=True)
class _View:
    """A position and who looks at it: a seat, or None for all cards open."""

    position: Position
    seat: int | None
    winners: list[int]
    done: bool

    @property
    def seats(self) -> range:
        return range(self.position.options.num_players)

    @property
    def clockwise(self) -> list[int]:
        """All seats, the looker's (or seat 0) first."""
        return clockwise_of(self.seat or 0, len(self.seats))

    @property
    def in_trick(self) -> bool:
        return self.position.phase not in (PREDICT, END)

    @property
    def trick(self) -> list[tuple[int, int]]:
        """Seat and card in the order of play."""
        places = [(self.position.lead + place) % len(self.seats) for place in self.seats]
        return [(seat, played) for seat in places if (played := self.position.table[seat]) is not None]

    @property
    def winning(self) -> int | None:
        """The seat whose card wins the trick so far (SC-38, SC-39)."""
        best: tuple[int, int] | None = None
        for seat, played in self.trick:
            if best is None or beats(played, best[1]):
                best = (seat, played)
        return None if best is None else best[0]

    @property
    def extra(self) -> int | None:
        """The extra card that lies open in this trick (SC-41)."""
        return self.position.extra[self.position.trick_no - 1] if len(self.seats) == 3 and self.in_trick else None

    @property
    def unturned(self) -> int:
        """How many extra cards lie face down, the two that never turn included (SC-44)."""
        options = self.position.options
        assert options.hand_size is not None
        return options.deck_size - 3 * options.hand_size - self.position.trick_no if len(self.seats) == 3 else 0

    @property
    def finished(self) -> list[list[tuple[int, int, int]]]:
        """Scored rounds: P, T and experience by seat; the round that a forfeit broke off is none."""
        done = self.position.phase == END
        return self.position.results[: self.position.round_no - (0 if done else 1)]

    def total(self, other: int) -> int:
        return sum(results[other][2] for results in self.finished)

    def sees(self, other: int) -> bool:
        """Whether hand and prediction of a seat are open (SC-19, SC-23, SC-56)."""
        return self.seat in (None, other) or self.position.phase == END

    def name(self, other: int) -> str:
        return f"seat {other} (you)" if other == self.seat else f"seat {other}"

    def result(self) -> str:
        """Who won (SC-89, SC-90), or "" during the game."""
        if not self.done:
            return ""
        if not self.winners:
            return "The game was broken off; nobody wins."
        if len(self.winners) == 1:
            return f"Seat {self.winners[0]} wins with {self.total(self.winners[0])} experience points."
        names = " and ".join(map(str, self.winners))
        return f"Seats {names} win together with {self.total(self.winners[0])} experience points."


def _view(options: ShadowCardsOptions, state: np.recarray, seat: int | None) -> _View:
    winners = [other for other in range(options.num_players) if int(state[0]["winners"]) >> other & 1]
    return _View(from_state(options, state), seat, winners, bool(state[0]["done"]))


def _value(cards: Iterable[int]) -> int:
    return sum(number % NUM_RANKS for number in cards)


def _values(cards: Iterable[int]) -> list[int]:
    return sorted((number % NUM_RANKS for number in cards), reverse=True)


# ------------------------------------------------------------------------------------------------------------- text


def text(options: ShadowCardsOptions, state: np.recarray, seat: int | None) -> str:
    """Returns the table as text, at most 100 columns wide.

    Args:
        options: The game's options.
        state: State recarray [1].
        seat: Who looks; None for all cards open.
    """
    view = _view(options, state, seat)
    blocks = [_head(view), _seats(view), _trick(view), _hands(view), _pad(view)]
    result = view.result()
    return "\n\n".join("\n".join(block) for block in [*blocks, [result] if result else []] if block) + "\n"


def _head(view: _View) -> list[str]:
    position, options = view.position, view.position.options
    trick = f", trick {position.trick_no} of {options.num_tricks}" if view.in_trick else ""
    leads = f", seat {position.lead} leads the trick" if view.in_trick else ""
    turn = "" if view.done else f": seat {position.move} is to move"
    return [
        f"Shadow Cards, round {position.round_no} of {options.rounds}{trick}",
        f"Seat {position.leader} leads the round{leads}",
        f"Phase {PHASE_NAMES[position.phase]}{turn}",
    ]


def _seats(view: _View) -> list[str]:
    """One row a seat: what is public, and the prediction where it is open."""
    position = view.position
    rows = [["seat", "total", "hand", "prediction", "T", "claimed", "lacks"]]
    for other in view.seats:
        claimed = _values(position.claimed[other])
        lacks = "" if position.phase == END else " ".join(SUIT_NAMES[suit] for suit in sorted(position.voids[other]))
        rows.append(
            [
                *(view.name(other), str(view.total(other)), str(len(position.hands[other])), _prediction(view, other)),
                *(str(sum(claimed)), " ".join(map(str, claimed)) or "-", lacks or "-"),
            ]
        )
    return columns(rows, limits=[14, 6, 4, 22, 3, 26, 13], right={1, 2, 4})


def _prediction(view: _View, other: int) -> str:
    """Cards and sum where they are open, else how many have been set aside."""
    cards, needed = sorted(view.position.predictions[other]), view.position.options.prediction_cards
    if not view.sees(other):
        return f"{len(cards)} of {needed} cards"
    missing = "" if len(cards) == needed else f" ({len(cards)} of {needed})"
    return (f"{' '.join(map(format_card, cards))} = {_value(cards)}" if cards else "-") + missing


def _trick(view: _View) -> list[str]:
    """The cards on the table; while predictions are made, the stacks that were not dealt (SC-13, SC-15)."""
    reserve = [str(len(cards)) for cards in view.position.reserve if cards]
    lines = [f"Reserve stacks: {' and '.join(reserve)} cards face down"] if reserve and view.seat is not None else []
    if not view.in_trick:
        return [*lines, f"Extra cards: {view.unturned} face down"] if view.unturned else lines
    cards = dict(view.trick)
    order = [(view.position.lead + place) % len(view.seats) for place in view.seats]
    shown = [f"seat {seat} {format_card(cards[seat])}" for seat in order if seat in cards]
    lines.append(f"Table: {', '.join(shown) or 'no card played yet'}")
    if shown:
        led = SUIT_NAMES[cards[view.position.lead] // NUM_RANKS]
        wins = "wins the trick" if view.position.phase == CLAIM else "wins so far"
        lines.append(f"Led suit: {led}; seat {view.winning} {wins}")
    if view.extra is not None:
        lines.append(f"Extra card: {format_card(view.extra)}, turned up; {view.unturned} more face down")
    return lines


def _hands(view: _View) -> list[str]:
    """The own hand by suit; all hands and face-down cards if everything is open."""
    position = view.position
    if position.phase == END:
        return []
    if view.seat is not None:
        lines = ["Your hand:"]
        for suit in range(position.options.num_suits):
            ranks = [number % NUM_RANKS for number in sorted(position.hands[view.seat]) if number // NUM_RANKS == suit]
            lines.append(f"  {SUIT_NAMES[suit]:8}{' '.join(f'{rank:2}' for rank in ranks) or ' -'}")
        return lines
    lines = ["Hands:"] + [_long_line(f"  seat {other}  ", position.hands[other]) for other in view.seats]
    for other, cards in enumerate(position.reserve):
        if cards:
            lines.append(_long_line(f"  reserve stack, next hand of seat {other}  ", cards))
    if len(view.seats) == 3:
        unturned = position.extra[position.trick_no :]
        lines.append(_long_line("  extra cards to come, in order  ", unturned, ordered=True))
    return lines


def _long_line(title: str, cards: Iterable[int], ordered: bool = False) -> str:
    words = " ".join(map(format_card, cards if ordered else sorted(cards))) or "-"
    return textwrap.fill(words, WIDTH, initial_indent=title, subsequent_indent=" " * len(title))


def _pad(view: _View) -> list[str]:
    """The score pad (SC-77)."""
    if not view.finished:
        return []
    lines = ["Score pad: P prediction, T trick points, X experience points"]
    lines.append("       " + "".join(f"|{f'seat {other}':^15}" for other in view.seats))
    lines.append(" round " + "".join("|   P   T     X " for _ in view.seats))
    for number, results in enumerate(view.finished, start=1):
        lines.append(f"{number:6} " + "".join(f"|{p:4}{t:4}{x:6} " for p, t, x in results))
    lines.append(" total " + "".join(f"|{view.total(other):14} " for other in view.seats))
    return [line.rstrip() for line in lines]


# -------------------------------------------------------------------------------------------------------------- SVG

_WIDTH, _HEIGHT = 960, 640
_OWN = (14, 426, 688, 200)  # the seat at the bottom: x, y, width, height
_OWN_END = (14, 524, 688, 102)  # the same without a hand
_PLATE = (204, 146)  # another seat: width, height
_PAD = (716, 14, 230, 612)  # x, y, width, height
_CENTRE = (358, 292)  # of the trick

# The other seats clockwise, by number of seats: place of the plate, and of the card in the trick from the centre.
_PLACES: dict[int, list[tuple[int, int, int, int]]] = {
    2: [(256, 14, 0, -56)],
    3: [(14, 14, -76, -56), (498, 14, 76, -56)],
    4: [(14, 150, -88, 0), (256, 14, 0, -56), (498, 150, 88, 0)],
    5: [(14, 176, -103, 14), (106, 14, -37, -60), (406, 14, 37, -60), (498, 176, 103, 14)],
}
_OWN_PLACE = (0, 56)

# Face, ink and sign of each suit: diamond, star, triangle, drop.
_SUITS = (
    ("#b32d2e", "#ffffff", "M0,-1 L.72,0 L0,1 L-.72,0Z"),
    ("#f0c238", "#3d2f00", "M0,-1 L.26,-.3 1,-.25 .43,.2 .62,.92 0,.52 -.62,.92 -.43,.2 -1,-.25 -.26,-.3Z"),
    ("#2f7d3b", "#ffffff", "M0,-.9 L.95,.8 L-.95,.8Z"),
    ("#2b5fae", "#ffffff", "M0,-1 C.25,-.4 .75,-.05 .75,.35 A.75,.68 0 0 1 -.75,.35 C-.75,-.05 -.25,-.4 0,-1Z"),
)


def svg(options: ShadowCardsOptions, state: np.recarray, seat: int | None) -> str:
    """Returns the table as an SVG document of 960 by 640 pixels.

    Args:
        options: The game's options.
        state: State recarray [1].
        seat: Who looks and sits at the bottom; None for all cards open.
    """
    view = _view(options, state, seat)
    first, *others = view.clockwise
    parts = [_draw_own(view, first)]
    parts += [
        _draw_plate(view, other, x, y) for other, (x, y, _, _) in zip(others, _PLACES[len(view.seats)], strict=True)
    ]
    if view.position.phase != END:
        parts += [_draw_trick(view), _draw_stacks(view)]
    parts += [_draw_result(view), _draw_pad(view)]
    who = "all cards open" if seat is None else f"seen from seat {seat}"
    return drawing.document(_WIDTH, _HEIGHT, f"Shadow Cards, round {view.position.round_no}, {who}", parts)


def _draw_card(number: int, x: float, y: float, width: float, glow: bool = False) -> str:
    face, ink, pip = _SUITS[number // NUM_RANKS]
    return card(x, y, width, str(number % NUM_RANKS), face, ink, pip, glow=glow)


def _draw_cards(cards: Iterable[int], is_open: bool, x: float, y: float, right: float, *widths: float) -> str:
    """Cards from x on, no farther than ``right``: of the first width that leaves all of each rank to be read.

    If even the last width is too wide, they lie in two rows.
    """
    numbers = sorted(cards)

    def fits(width: float, num: int) -> bool:
        visible = 0.4 if not is_open else 0.84 if width < 30 else 0.68
        return right - x - width >= (num - 1) * width * visible

    width = next((width for width in widths if fits(width, len(numbers))), widths[-1])
    split = len(numbers) if fits(width, len(numbers)) else (len(numbers) + 1) // 2
    parts = []
    for place, part in enumerate((numbers[:split], numbers[split:])):
        top, edges = y + place * width * 1.25, row(x, right, len(part), width)
        for number, edge in zip(part, edges, strict=True):
            left = edge - edges[0] + x
            parts.append(_draw_card(number, left, top, width) if is_open else back(left, top, width))
    return "".join(parts)


def _note(x: float, y: float, words: str, anchor: str = "start") -> str:
    return label(x, y, words, height=11, anchor=anchor, fill=SHADE)


def _draw_head(view: _View, other: int, x: float, y: float, width: float, height: float) -> str:
    """Ground, name and total of a seat; a golden edge for who is to move or has won."""
    position = view.position
    lit = other in view.winners if view.done else other == position.move
    parts = [
        box(x, y, width, height, opacity=0.34, stroke=GOLD if lit else "#0b1f18", thick=2.5 if lit else 1, radius=12),
        label(x + 12, y + 22, f"Seat {other}", height=15, bold=True, fill=GOLD if lit else CREAM),
        label(x + width - 12, y + 23, str(view.total(other)), height=17, anchor="end", bold=True),
    ]
    roles = ["you"] if other == view.seat else []
    if other == position.leader and not view.done:
        roles.append("leader")
    if lit:
        roles.append("winner" if view.done else f"to {PHASE_NAMES[position.phase]}")
    parts.append(_note(x + 76, y + 22, ", ".join(roles)))
    return "".join(parts)


def _draw_voids(view: _View, other: int, right: float, y: float) -> str:
    """Signs of the suits that a hand is known to lack (SC-110)."""
    voids = [] if view.position.phase == END else sorted(view.position.voids[other], reverse=True)
    parts = [_note(right - 15 * len(voids) - 4, y, "no", "end")] if voids else []
    for place, suit in enumerate(voids):
        face, ink, pip = _SUITS[suit]
        parts.append(f'<circle cx="{right - 7 - 15 * place}" cy="{y - 4}" r="7" fill="{face}"/>')
        parts.append(sign(right - 7 - 15 * place, y - 4, 4.5, ink, pip))
    return "".join(parts)


def _draw_plate(view: _View, other: int, x: float, y: float) -> str:
    """A seat at the other sides of the table."""
    position, is_open, right = view.position, view.sees(other), x + _PLATE[0] - 12
    hand, prediction, claimed = position.hands[other], position.predictions[other], position.claimed[other]
    return "".join(
        [
            _draw_head(view, other, x, y, *_PLATE),
            _draw_cards(hand, is_open, x + 12, y + 31, right - 22, 24, 17),
            label(right, y + 55, str(len(hand)) if hand else "", height=12, anchor="end", fill=SHADE),
            _note(x + 12, y + 89, f"P {_value(prediction) if is_open else '?'}"),
            _draw_cards(prediction, is_open, x + 12, y + 97, x + 74, 25, 19),
            _note(x + 88, y + 89, f"T {_value(claimed)}"),
            _draw_cards(claimed, True, x + 88, y + 97, right, 25, 17),
            _draw_voids(view, other, right, y + 89),
        ]
    )


def _draw_own(view: _View, first: int) -> str:
    """The seat at the bottom, with large cards."""
    x, y, width, height = _OWN_END if view.position.phase == END else _OWN
    position, right = view.position, x + width - 14
    prediction, claimed = position.predictions[first], position.claimed[first]
    return "".join(
        [
            _draw_head(view, first, x, y, width, height),
            _note(x + 14, y + 56, "prediction"),
            label(x + 14, y + 76, str(_value(prediction)), height=18, bold=True),
            _draw_cards(prediction, True, x + 80, y + 36, x + 216, 36, 24),
            _note(x + 232, y + 56, "trick points"),
            label(x + 232, y + 76, str(_value(claimed)), height=18, bold=True),
            _draw_cards(claimed, True, x + 310, y + 36, right, 36, 24),
            _draw_voids(view, first, right - 70, y + 22),
            _draw_cards(position.hands[first], True, x + 14, y + 99, right, 65, 46, 32),
        ]
    )


def _draw_trick(view: _View) -> str:
    """The cards on the table, each on its seat's side; the one that wins so far stands out."""
    x, y = _CENTRE
    if not view.in_trick:
        return label(x, y - 86, "Predictions are being made", height=16, anchor="middle", fill=SHADE)
    cards = dict(view.trick)
    parts = []
    width = 62 if len(view.seats) == 5 else 72
    places = [_OWN_PLACE] + [(dx, dy) for _, _, dx, dy in _PLACES[len(view.seats)]]
    for other, (dx, dy) in zip(view.clockwise, places, strict=True):
        left, top = x + dx - width / 2, y + dy - width * 0.7
        if other in cards:
            parts.append(_draw_card(cards[other], left, top, width, glow=other == view.winning))
        else:
            parts.append(box(left, top, width, width * 1.4, opacity=0.15, stroke="#6f9585"))
            parts.append(_note(x + dx, y + dy + 4, f"seat {other}", "middle"))
    return "".join(parts)


def _draw_stacks(view: _View) -> str:
    """What was not dealt: the extra cards of three seats, the reserve stacks of two (SC-13, SC-15)."""
    position, parts = view.position, []
    if view.unturned:
        parts += [back(36 - place, 242 - place, 72) for place in range(min(4, view.unturned))]
        parts.append(_note(72, 364, f"{view.unturned} extra cards", "middle"))
    if view.extra is not None:
        parts += [_draw_card(view.extra, 122, 242, 72), _note(158, 364, "turned up", "middle")]
    for other, cards in enumerate(position.reserve):
        left = 20 + 452 * other
        if cards and view.seat is None:
            parts.append(_draw_cards(cards, True, left, 236, left + 224, 26))
        elif cards:
            parts += [back(left + 78 - place, 236 - place, 72) for place in range(4)]
        if cards:
            parts.append(_note(left + 112, 358, f"reserve stack, {len(cards)} cards", "middle"))
    return "".join(parts)


def _draw_result(view: _View) -> str:
    x, y = _CENTRE
    head, _, tail = view.result().partition(" with ")
    if not tail:
        return label(x, y + 122, head, height=15, anchor="middle", bold=True, fill=GOLD)
    return label(x, y + 108, head, height=28, anchor="middle", bold=True, fill=GOLD) + label(
        x, y + 138, f"with {tail}", height=16, anchor="middle"
    )


def _draw_pad(view: _View) -> str:
    """The score pad: in each box P / T and the experience points (SC-77); below, where the round stands."""
    x, y, width, height = _PAD
    position, rounds = view.position, view.position.options.rounds
    assert rounds is not None
    middle, step, column = x + width / 2, min(70.0, (height - 230) / rounds), (width - 36) / len(view.seats)
    places = [x + 30 + column * (other + 0.5) for other in view.seats]
    parts = [
        box(x + 3, y + 4, width, height, opacity=0.35, radius=10),
        box(x, y, width, height, fill=PAPER, radius=10),
        _ink(middle, y + 34, "Shadow Cards", 22, bold=True),
        _ink(middle, y + 57, f"round {position.round_no} of {rounds}", 13),
        *(_ink(where, y + 90, f"Seat {other}", min(12, column / 3.8)) for other, where in enumerate(places)),
    ]
    for number in range(rounds):
        edge = y + 98 + step * number
        parts.append(_line(x + 8, edge, width - 16) + _ink(x + 17, edge + step / 2 + 5, str(number + 1), 13))
        for other, where in enumerate(places) if number < len(view.finished) else ():
            p, t, gain = view.finished[number][other]
            parts.append(_ink(where, edge + step * 0.5 - 5, f"{p}/{t}", 11, opacity=0.75))
            parts.append(_ink(where, edge + step * 0.5 + 13, str(gain), 16, bold=True))
    edge = y + 98 + step * rounds
    parts += [_line(x + 8, edge, width - 16), _line(x + 8, edge + 3, width - 16)]
    parts += [_ink(where, edge + 28, str(view.total(other)), 18, bold=True) for other, where in enumerate(places)]
    if view.in_trick:
        parts.append(_ink(middle, y + height - 84, f"trick {position.trick_no} of {position.options.num_tricks}", 13))
        led = position.table[position.lead]
        suit = f" {SUIT_NAMES[led // NUM_RANKS]}" if led is not None else ""
        parts.append(_ink(middle, y + height - 64, f"seat {position.lead} leads{suit}", 13))
    parts.append(_ink(middle, y + height - 32, "small: prediction / trick points", 10.5, opacity=0.75))
    parts.append(_ink(middle, y + height - 16, "large: experience points", 10.5, opacity=0.75))
    return "".join(parts)


def _ink(x: float, y: float, words: str, height: float, bold: bool = False, opacity: float = 1) -> str:
    return label(x, y, words, height=height, fill=INK, anchor="middle", bold=bold, opacity=opacity)


def _line(x: float, y: float, length: float) -> str:
    return box(x, y, length, 1, fill=INK, opacity=0.35, radius=0)
