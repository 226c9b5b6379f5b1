"""A table of Shadow Games as text and as SVG, as one seat may see it (SG-107, SG-108) or with all cards open."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shadowenvs import drawing
from shadowenvs.drawing import CREAM, GOLD, INK, PAPER, SHADE, back, box, clockwise_of, columns, label, row
from shadowenvs.games.shadow_games.deck import (
    AGENT,
    BRIBE,
    CARD_TYPES,
    DISCARD_OP,
    DRAW,
    FAVOURS,
    GAIN,
    LOOK,
    LOSE,
    PROTECT,
    STAND_IN,
    STEAL,
    Card,
    Step,
)
from shadowenvs.games.shadow_games.notation import Position, from_state
from shadowenvs.games.shadow_games.spec import (
    BONUS_TARGET,
    CHALLENGE,
    DECLARE,
    DISCARD,
    FAVOUR,
    OVER,
    PICK,
    RECIPIENT,
    TAKE,
    TARGET,
    ShadowGamesOptions,
)

WIDTH = 100  # columns of text
TYPES = ("Team", "Union", "Guild")

# What a seat does that is to move, by phase.
_DOES = {
    DECLARE: "declare",
    TARGET: "name a target",
    CHALLENGE: "believe or challenge",
    FAVOUR: "choose a favour",
    BONUS_TARGET: "name a target of the bonus",
    RECIPIENT: "name who gets the bribe",
    PICK: "take from the pile or leave it",
    DISCARD: "discard",
    TAKE: "take a favour",
}


@dataclass(frozen=True)
class _View:
    """A position and who looks at it: a seat, or None for all cards open."""

    position: Position
    cards: tuple[Card, ...]
    seat: int | None

    @property
    def seats(self) -> range:
        return range(self.position.options.num_players)

    @property
    def clockwise(self) -> list[int]:
        """All seats, the looker's (or seat 0) first."""
        return clockwise_of(self.seat or 0, len(self.seats))

    @property
    def done(self) -> bool:
        return self.position.phase == OVER or self.position.forfeit

    def sees(self, other: int) -> bool:
        """Whether the cards of a seat are open (SG-108)."""
        return self.seat in (None, other)

    def sees_table(self) -> bool:
        """Whether the card on the table is open (SG-41)."""
        return not self.position.face_down or self.sees(self.position.actor)

    def name(self, other: int) -> str:
        return f"seat {other} (you)" if other == self.seat else f"seat {other}"

    def kind(self, number: int) -> str:
        return self.cards[number].name

    def kinds(self, numbers: Iterable[int]) -> str:
        """Returns cards by name, ``-`` for none."""
        return ", ".join(self.counted(numbers)) or "-"

    def counted(self, numbers: Iterable[int]) -> list[str]:
        """Returns the names of cards in the order of kinds, with a count where there are several."""
        counts = sorted(Counter(numbers).items())
        return [self.kind(number) + (f" x{count}" if count > 1 else "") for number, count in counts]

    def known_pile(self) -> list[int]:
        """Returns the cards of the pile that the looker knows, bottom first (SG-110)."""
        pile = zip(self.position.pile, self.position.seen, strict=True)
        return [kind for kind, who in pile if self.seat is None or self.seat in who]

    def phase(self) -> str:
        """What goes on."""
        position = self.position
        if self.done:
            return "over"
        part = "Agents phase" if position.agents else "Plotting phase"
        does = _DOES.get(position.phase, "play or skip" if self.can_skip() else "play")
        return f"{part}: seat {position.move} is to {does}"

    def can_skip(self) -> bool:
        """Whether a skip may be open; only public facts count (SG-20, SG-21, SG-28)."""
        has_agents = any(card.card_type == AGENT for card in self.cards)
        fits = self.position.options.card_fits_phase
        return self.position.plotted or fits if self.position.agents else has_agents

    def claim(self) -> str:
        """What was put down and declared, "" for nothing."""
        position = self.position
        if position.table is None:
            return ""
        shown = self.kind(position.table) if self.sees_table() else "a card"
        text = f"seat {position.actor} puts down {shown}{' face down' if position.face_down else ''}"
        if position.declared is not None:
            text += f", declared as {self.kind(position.declared)}"
        return text + (f" against seat {position.target}" if position.target is not None else "")

    def poll(self) -> list[str]:
        """What came of the poll and of the card."""
        position = self.position
        lines = [f"seat {seat} passes" for seat in sorted(position.passed)]
        if position.challenger is not None:
            lines.append(f"seat {position.challenger} challenges")
        if position.table is not None and not position.face_down:
            lines.append("it is a bluff" if position.table != position.declared else "it is the truth")
        if position.bonus_target is not None:
            lines.append(f"the bonus is against seat {position.bonus_target}")
        if position.recipient is not None:
            lines.append(f"seat {position.recipient} gets the bribe")
        if position.aside:
            lines.append(f"{_cards_of(len(position.aside))} set aside")
        return lines

    def deck_note(self) -> str:
        """Which cards are in the game; the built-in ones are not the published cards."""
        options = self.position.options
        return "stand-in deck, not the published cards" if options.deck == STAND_IN else "deck of the players' own"

    def result(self) -> str:
        """Who won (SG-87, SG-99), or "" during the game."""
        winners = sorted(self.position.winners)
        if not self.done:
            return ""
        if not winners:
            return "The game was broken off; nobody wins."
        points = self.position.points[winners[0]]
        if len(winners) == 1:
            return f"Seat {winners[0]} wins with {points} favours of one type."
        return f"Seats {' and '.join(map(str, winners))} win together with {points} favours of one type."


def _view(options: ShadowGamesOptions, state: np.recarray, seat: int | None) -> _View:
    return _View(from_state(options, state), options.load_deck().cards, seat)


def _cards_of(number: int) -> str:
    return f"{number} card" + ("s" if number != 1 else "")


def _step_text(step: Step) -> str:
    """Returns a step in a few words."""
    favour = FAVOURS[step.favour].capitalize() if step.favour < len(TYPES) else "any"
    words = {
        GAIN: f"gain {favour}",
        LOSE: f"target loses {favour}" if step.who else f"lose {favour}",
        STEAL: f"steal {favour}",
        BRIBE: f"bribe {favour}" + ("" if step.who else " to a choice"),
        PROTECT: "protect",
        LOOK: "look" + (f", take {step.count}" if step.count else ""),
        DISCARD_OP: f"discard {step.count}",
        DRAW: f"draw {step.count}",
    }
    return ("then " if step.then else "") + words[step.op]


# ------------------------------------------------------------------------------------------------------------- text


def text(options: ShadowGamesOptions, state: np.recarray, seat: int | None) -> str:
    """Returns the table as text, at most 100 columns wide.

    Args:
        options: The game's options.
        state: State recarray [1].
        seat: Who looks; None for all cards open.
    """
    view = _view(options, state, seat)
    blocks = [_head(view), _pools(view), _table(view), _cards(view), [view.result()] if view.done else []]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(view: _View) -> list[str]:
    position = view.position
    return [
        f"Shadow Games, turn {position.turn} of {position.options.max_turns}: the turn of seat {position.actor}",
        f"Cards: {view.deck_note()}",
        view.phase().capitalize() if view.done else view.phase(),
    ]


def _pools(view: _View) -> list[str]:
    """One row a seat: what is public, and the cards that all know to be in a hand."""
    position = view.position
    rows = [["seat", *TYPES, "marks", "token", "hand", "bluffs", "challenges", "known in hand"]]
    for other in view.seats:
        marks = " ".join(TYPES[t] for t in sorted(position.marks[other]))
        rows.append(
            [
                *(view.name(other), *map(str, position.favours[other]), marks or "-"),
                *("yes" if other in position.shields else "-", str(len(position.hands[other]))),
                f"{position.bluffs[other]}/{position.plays[other]}",
                f"{position.challenges_won[other]}/{position.challenges[other]}/{position.polls[other]}",
                view.kinds(position.known[other]),
            ]
        )
    rows.append(["reserve", *map(str, position.reserve), "", str(position.reserve_tokens), "", "", "", ""])
    return [*columns(rows, [14, 5, 5, 5, 16, 5, 4, 7, 11, 24], right={1, 2, 3, 6}), _LEGEND]


_LEGEND = "(bluffs among plays; challenges won among challenges among polls)"


def _table(view: _View) -> list[str]:
    """The play that goes on, and the piles."""
    position = view.position
    lines = [_fill("Table: ", "; ".join([view.claim(), *view.poll()]))] if position.table is not None else []
    lines.append(f"Deck: {_cards_of(len(position.deck))}")
    if not position.pile:
        return [*lines, "Discard pile: empty"]
    known = view.known_pile()
    unknown = len(position.pile) - len(known)
    lines.append(f"Discard pile: {_cards_of(len(position.pile))}, {view.kind(position.pile[-1])} on top")
    more = f"; {unknown} more that you do not know" if unknown else ""
    who = "In it: " if view.seat is None else "You know in it: "
    return [*lines, _fill(who, view.kinds(known) + more)]


def _cards(view: _View) -> list[str]:
    """The own hand with what its cards do; all hands and the deck if everything is open."""
    position = view.position
    if view.seat is None:
        lines = ["Hands:"] + [_fill(f"  seat {other}  ", view.kinds(position.hands[other])) for other in view.seats]
        names = [view.kind(kind) for kind in position.deck]
        return [*lines, _fill("Deck from its top: ", ", ".join(names) or "-")]
    lines = ["Your hand:"]
    for kind, count in sorted(Counter(position.hands[view.seat]).items()):
        card = view.cards[kind]
        name = f"  {card.name}" + (f" x{count}" if count > 1 else "") + f" ({CARD_TYPES[card.card_type]}): "
        bonus = "; ".join(map(_step_text, card.bonus)) or "-"
        lines.append(_fill(name, f"{'; '.join(map(_step_text, card.effect))} | bonus {bonus}"))
    if len(lines) == 1:
        lines.append("  -")
    if position.aside and position.actor == view.seat:
        lines.append(_fill("Set aside by you: ", ", ".join(view.kind(kind) for kind in position.aside)))
    return lines


def _fill(title: str, words: str) -> str:
    return textwrap.fill(words, WIDTH, initial_indent=title, subsequent_indent=" " * min(len(title), 20))


# -------------------------------------------------------------------------------------------------------------- SVG

_WIDTH, _HEIGHT = 960, 640
_OWN = (14, 424, 688, 202)  # the seat at the bottom: x, y, width, height
_PLATE = (204, 146)  # another seat: width, height
_LEDGER = (716, 14, 230, 612)  # x, y, width, height
_CENTRE = (358, 286)  # of the table

# The plates of the other seats clockwise, by number of seats.
_PLACES: dict[int, list[tuple[int, int]]] = {
    2: [(256, 14)],
    3: [(14, 14), (498, 14)],
    4: [(14, 150), (256, 14), (498, 150)],
    5: [(14, 172), (106, 14), (406, 14), (498, 172)],
    6: [(14, 172), (14, 14), (256, 14), (498, 14), (498, 172)],
}

_FAVOUR_COLOURS = ("#3f9b4f", "#7c52b8", "#e0882e")  # Team green, Union purple, Guild orange
_FACES = (("#f1e3bd", "#5a3d12"), ("#c9d7ea", "#1d3557"))  # plot, agent: card and ink
_SHIELD = "M0,-1 C.4,-.8 .7,-.75 .9,-.7 C.9,.1 .6,.7 0,1 C-.6,.7 -.9,.1 -.9,-.7 C-.7,-.75 -.4,-.8 0,-1Z"


def svg(options: ShadowGamesOptions, state: np.recarray, seat: int | None) -> str:
    """Returns the table as an SVG document of 960 by 640 pixels.

    Args:
        options: The game's options.
        state: State recarray [1].
        seat: Who looks and sits at the bottom; None for all cards open.
    """
    view = _view(options, state, seat)
    first, *others = view.clockwise
    parts = [_draw_own(view, first)]
    parts += [_draw_plate(view, other, *place) for other, place in zip(others, _PLACES[len(view.seats)], strict=True)]
    parts += [_draw_table(view), _draw_ledger(view)]
    who = "all cards open" if seat is None else f"seen from seat {seat}"
    return drawing.document(_WIDTH, _HEIGHT, f"Shadow Games, turn {view.position.turn}, {who}", parts)


def _initials(name: str) -> str:
    """Returns a sign for a card: the initials of its name, or its first two letters."""
    words = re.findall(r"\w+", name.replace("'", ""))
    if len(words) > 1:
        return "".join(word[0].upper() for word in words[:2])
    return (words[0] if words else name)[:2].capitalize()


def _cut(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1] + "…"


def _note(x: float, y: float, words: str, anchor: str = "start") -> str:
    return label(x, y, words, height=11, anchor=anchor, fill=SHADE)


def _draw_card(card: Card, x: float, y: float, width: float, glow: bool = False) -> str:
    """A card face up; a wide one tells what it does."""
    height = width * 1.4
    face, ink = _FACES[card.card_type]
    parts = [box(x + width / 30, y + width / 20, width, height, opacity=0.35, radius=width / 9)]
    if glow:
        parts.append(box(x - 4, y - 4, width + 8, height + 8, fill=GOLD, radius=width / 9 + 3))
    parts.append(box(x, y, width, height, fill=face, stroke=PAPER, thick=max(1, width / 28), radius=width / 9))
    middle, sign = x + width / 2, _initials(card.name)
    if width < 60:
        parts.append(label(middle, y + height * 0.62, sign, height=width * 0.42, fill=ink, anchor="middle", bold=True))
        return "".join(parts)
    parts.append(label(middle, y + width * 0.42, sign, height=width * 0.36, fill=ink, anchor="middle", bold=True))
    lines = textwrap.wrap(card.name, 13)[:2]
    parts += [
        label(middle, y + width * 0.6 + 11 * number, line, height=width * 0.115, fill=ink, anchor="middle", bold=True)
        for number, line in enumerate(lines)
    ]
    below = y + width * 0.6 + 11 * len(lines) + 3
    for steps, opacity in ((card.effect, 1.0), (card.bonus, 0.7)):
        words = "; ".join(map(_step_text, steps))
        for line in textwrap.wrap(words if opacity == 1 else f"bonus: {words or '-'}", 19)[:3]:
            parts.append(label(middle, below, line, height=width * 0.095, fill=ink, anchor="middle", opacity=opacity))
            below += width * 0.105
        below += 2
    return "".join(parts)


def _draw_hand(view: _View, other: int, x: float, y: float, right: float, width: float) -> str:
    """A row of cards from x on, face up where the looker sees them."""
    kinds = view.position.hands[other]
    edges = row(x, right, len(kinds), width)
    parts = []
    for kind, edge in zip(kinds, edges, strict=True):
        left = edge - edges[0] + x
        parts.append(_draw_card(view.cards[kind], left, y, width) if view.sees(other) else back(left, y, width))
    return "".join(parts)


def _disc(x: float, y: float, t: int, number: int, half: float, marked: bool = False, full: bool = False) -> str:
    """A favour with how many there are; a golden ring for a streak mark, a white edge for a majority."""
    ring = f'<circle cx="{x}" cy="{y}" r="{half + 3.5}" fill="{GOLD}"/>' if marked else ""
    edge = f' stroke="{PAPER}" stroke-width="2.5"' if full else ""
    disc = f'<circle cx="{x}" cy="{y}" r="{half}" fill="{_FAVOUR_COLOURS[t]}"{edge}/>'
    return ring + disc + label(x, y + half * 0.36, str(number), height=half, anchor="middle", fill=PAPER, bold=True)


def _draw_favours(view: _View, other: int, x: float, y: float, half: float) -> str:
    position = view.position
    parts = []
    for t in range(position.options.favour_types):
        number = position.favours[other][t]
        full = number >= position.options.victory
        parts.append(_disc(x + t * half * 2.7, y, t, number, half, t in position.marks[other], full))
    if other in position.shields:
        parts.append(drawing.sign(x + len(TYPES) * half * 2.7 - half * 0.4, y, half * 0.8, "#e9e4d4", _SHIELD))
    return "".join(parts)


def _draw_frame(view: _View, other: int, x: float, y: float, width: float, height: float) -> str:
    """Ground and name of a seat; a golden edge for who is to move or has won."""
    position = view.position
    lit = other in position.winners if view.done else other == position.move
    roles = ["you"] if other == view.seat else []
    if view.done:
        roles += ["winner"] if lit else []
    elif other == position.actor:
        roles.append("actor")
    if other == position.challenger:
        roles.append("challenges")
    elif other in position.passed:
        roles.append("passes")
    elif position.phase == CHALLENGE and lit and not view.done:
        roles.append("asked")
    if other in (position.target, position.bonus_target):
        roles.append("target")
    return "".join(
        [
            box(
                x, y, width, height, opacity=0.34, stroke=GOLD if lit else "#0b1f18", thick=2.5 if lit else 1, radius=12
            ),
            label(x + 12, y + 22, f"Seat {other}", height=15, bold=True, fill=GOLD if lit else CREAM),
            _note(x + width - 12, y + 21, ", ".join(roles), "end"),
        ]
    )


def _draw_known(view: _View, other: int, x: float, y: float, length: int, anchor: str = "start") -> str:
    """The cards that all know to be in a hand (SG-113)."""
    known = view.position.known[other]
    return _note(x, y, _cut("known: " + view.kinds(known), length), anchor) if known else ""


def _draw_plate(view: _View, other: int, x: float, y: float) -> str:
    """A seat at the other sides of the table."""
    position, right = view.position, x + _PLATE[0] - 12
    bluffs = f"bluffs {position.bluffs[other]}/{position.plays[other]}"
    return "".join(
        [
            _draw_frame(view, other, x, y, *_PLATE),
            _draw_favours(view, other, x + 28, y + 48, 15),
            _draw_hand(view, other, x + 12, y + 74, right - 70, 30),
            label(right, y + 92, _cards_of(len(position.hands[other])), height=11, anchor="end", fill=SHADE),
            _note(right, y + 108, bluffs, "end"),
            _draw_known(view, other, x + 12, y + 135, 33),
        ]
    )


def _draw_own(view: _View, first: int) -> str:
    """The seat at the bottom, with large cards."""
    x, y, width, height = _OWN
    position, right = view.position, x + width - 14
    bluffs = f"bluffs {position.bluffs[first]}/{position.plays[first]}"
    return "".join(
        [
            _draw_frame(view, first, x, y, width, height),
            _draw_favours(view, first, x + 38, y + 68, 19),
            _note(x + 18, y + 126, bluffs),
            _draw_known(view, first, x + 18, y + 146, 34),
            _draw_aside(view, first, x + 18, y + 166),
            _draw_hand(view, first, x + 246, y + 42, right, 104 if len(position.hands[first]) < 5 else 54),
        ]
    )


def _draw_aside(view: _View, first: int, x: float, y: float) -> str:
    position = view.position
    if not position.aside or position.actor != first or not view.sees(first):
        return ""
    return _note(x, y, _cut("set aside: " + ", ".join(view.kind(kind) for kind in position.aside), 40))


def _draw_table(view: _View) -> str:
    """Deck, discard pile and the card on the table; the result at the end."""
    position, (x, y) = view.position, _CENTRE
    parts = []
    if position.deck:
        parts += [back(x - 130 - place, y - 50 - place, 56) for place in range(min(3, len(position.deck)))]
    else:
        parts.append(box(x - 130, y - 50, 56, 78, opacity=0.15, stroke="#6f9585"))
    parts.append(_note(x - 102, y + 46, f"deck {len(position.deck)}", "middle"))
    if position.pile:
        parts.append(_draw_card(view.cards[position.pile[-1]], x + 74, y - 50, 56))
    else:
        parts.append(box(x + 74, y - 50, 56, 78, opacity=0.15, stroke="#6f9585"))
    unknown = len(position.pile) - len(view.known_pile())
    more = f", {unknown} unknown" if unknown else ""
    parts.append(_note(x + 102, y + 46, f"pile {len(position.pile)}{more}", "middle"))
    if view.done:
        return "".join([*parts, _draw_result(view)])
    if position.table is None:
        return "".join([*parts, *_draw_words(x, y + 86, [view.phase().partition(": ")[2]])])
    if view.sees_table():
        parts.append(_draw_card(view.cards[position.table], x - 42, y - 78, 84, glow=not position.face_down))
    else:
        parts.append(back(x - 42, y - 78, 84))
    words = []
    if position.declared is not None:
        against = f" against seat {position.target}" if position.target is not None else ""
        words.append(_cut(f"“{view.kind(position.declared)}”{against}", 44))
    words += [view.phase().partition(": ")[2], "; ".join(view.poll()[-2:])]
    return "".join([*parts, *_draw_words(x, y + 68, words)])


def _draw_words(x: float, y: float, lines: Sequence[str]) -> list[str]:
    parts = []
    for number, line in enumerate(filter(None, lines)):
        bold = number == 0 and len(lines) > 1
        height = 15 if bold else 12
        fill = CREAM if bold else SHADE
        parts.append(label(x, y + 18 * number, line, height=height, anchor="middle", bold=bold, fill=fill))
    return parts


def _draw_result(view: _View) -> str:
    x, y = _CENTRE
    head, _, tail = view.result().partition(" with ")
    if not tail:
        return label(x, y + 90, head, height=14, anchor="middle", bold=True, fill=GOLD)
    return label(x, y + 84, head, height=24, anchor="middle", bold=True, fill=GOLD) + label(
        x, y + 108, f"with {tail}", height=14, anchor="middle"
    )


_COUNTS = ("to find / all", "copies")


def _draw_ledger(view: _View) -> str:
    """The reserve, and the list of the cards with how many of each the looker cannot place."""
    x, y, width, height = _LEDGER
    position, middle = view.position, x + width / 2
    part = "Agents phase" if position.agents else "Plotting phase"
    parts = [
        box(x + 3, y + 4, width, height, opacity=0.35, radius=10),
        box(x, y, width, height, fill=PAPER, radius=10),
        _ink(middle, y + 34, "Shadow Games", 22, bold=True),
        _ink(middle, y + 56, f"turn {position.turn} of {position.options.max_turns}", 13),
        _ink(middle, y + 74, "" if view.done else part, 13),
        _ink(middle, y + 104, "reserve", 11, opacity=0.75),
    ]
    parts += [_disc(x + 42 + 50 * t, y + 128, t, position.reserve[t], 16) for t in range(position.options.favour_types)]
    parts.append(drawing.sign(x + 190, y + 128, 13, "#8a8474", _SHIELD))
    parts.append(
        label(x + 190, y + 133, str(position.reserve_tokens), height=13, anchor="middle", fill=PAPER, bold=True)
    )
    parts.append(_ink(x + width - 16, y + 172, _COUNTS[view.seat is None], 10.5, anchor="end", opacity=0.75))
    top = y + 172
    unseen = _unseen(view)
    for card_type, title in enumerate(("Plots", "Agents")):
        listed = [(kind, card) for kind, card in enumerate(view.cards) if card.card_type == card_type]
        if listed:
            parts.append(_ink(x + 16, top, title, 13, anchor="start", bold=True))
        for kind, card in listed:
            top += 26
            count = str(card.copies) if view.seat is None else f"{unseen[kind]} / {card.copies}"
            parts.append(_draw_line(card, x + 16, top, x + width - 16, count))
        top += 34 if listed else 0
    parts.append(_ink(middle, y + height - 18, view.deck_note(), 10.5, opacity=0.75))
    return "".join(parts)


def _unseen(view: _View) -> Counter[int]:
    """Returns how many cards of each kind the looker cannot place; none with all cards open."""
    position, seat = view.position, view.seat
    left: Counter[int] = Counter()
    if seat is None:
        return left
    left.update({kind: card.copies for kind, card in enumerate(view.cards)})
    left.subtract(position.hands[seat] + view.known_pile())
    left.subtract(position.aside if position.actor == seat else [])
    if position.table is not None and view.sees_table():
        left[position.table] -= 1
    for other in view.seats:
        if other != seat:
            left.subtract(position.known[other])
    return left


def _draw_line(card: Card, x: float, y: float, right: float, count: str) -> str:
    """A card in the ledger: its sign, its name, its effect in small letters, and how many there are."""
    face, ink = _FACES[card.card_type]
    effect = _cut("; ".join(map(_step_text, card.effect)), 34)
    return "".join(
        [
            box(x, y - 14, 22, 20, fill=face, stroke=SHADE, radius=3),
            label(x + 11, y, _initials(card.name), height=10.5, anchor="middle", fill=ink, bold=True),
            _ink(x + 29, y - 4, _cut(card.name, 20), 12, anchor="start"),
            _ink(x + 29, y + 7, effect, 8.5, anchor="start", opacity=0.7),
            _ink(right, y - 2, count, 12, anchor="end"),
        ]
    )


def _ink(
    x: float, y: float, words: str, height: float, anchor: str = "middle", bold: bool = False, opacity: float = 1
) -> str:
    return label(x, y, words, height=height, fill=INK, anchor=anchor, bold=bold, opacity=opacity)
