"""A table of Shadow Games to set up in short words, for the tests of its clauses.

Cards of the stand-in deck go by code: TC Terrace Chant, SH Show of Hands, FS Founders' Supper, PO Pay'em Off, TS
Talent Scout, SC Strike Caller, PP Pickpocket, HE Heckler, GB Go-Between, AR Archivist; those of other decks by letter,
a for the first kind of the file. Favours are written Team/Union/Guild.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.deck import STAND_IN, load
from shadowenvs.games.shadow_games.notation import KIND_LETTERS, PHASE_NAMES, TYPE_LETTERS, Position, from_state

CODES = ("TC", "SH", "FS", "PO", "TS", "SC", "PP", "HE", "GB", "AR")


def letters(cards: str) -> str:
    """Returns codes like "TC PO" as letters of a position line; letters stay, for other decks."""
    return "".join(KIND_LETTERS[CODES.index(code)] if code in CODES else code for code in cards.split()) or "-"


def rest(*cards: str, deck: str = STAND_IN) -> str:
    """Returns all cards of a deck but those given, by code (letters for other decks than the stand-in)."""
    kinds = (KIND_LETTERS.index(letters(code)) for group in cards for code in group.split())
    left = Counter(load(deck).kinds()) - Counter(kinds)
    shown = CODES if deck == STAND_IN else KIND_LETTERS
    return " ".join(shown[kind] for kind in sorted(left.elements()))


def hands_of(n: int, hand: str, **others: str) -> list[str]:
    """Returns the hands of the test vectors: seat 0's, then TC PO, but SH FS for seat 3."""
    return [hand, *(others.get(f"hand{seat}", "SH FS" if seat == 3 else "TC PO") for seat in range(1, n))]


@dataclass(frozen=True)
class Sight:
    """An observation, int8 [1, F], to be read by the names of its fields."""

    observation: np.ndarray

    def __getitem__(self, name: str) -> Any:
        return GAME.observation.read(self.observation, name)[0]


class Table:
    """One table without autoreset, moved by words.

    Attributes:
        batch: A batch of one.
    """

    def __init__(self, line: str) -> None:
        self.options, state = GAME.parse_position(line)
        self.batch = Batch(GAME, 1, autoreset=False, **self.options.as_dict())
        self.batch.set_states(state)

    @property
    def now(self) -> Position:
        return from_state(self.options, self.batch.get_states())

    @property
    def row(self) -> Any:
        return self.batch.get_states()[0]

    @property
    def phase(self) -> str:
        return PHASE_NAMES[self.now.phase]

    @property
    def rewards(self) -> list[float]:
        return [float(reward) for reward in self.batch.rewards[0]]

    def legal(self) -> list[str]:
        """Returns the legal actions in words, cards by code."""
        actions = np.flatnonzero(self.batch.masks[0])
        return [self.short(GAME.format_action(self.options, int(action))) for action in actions]

    def short(self, word: str) -> str:
        names = self.options.load_deck().names
        verb, _, name = word.partition(" ")
        return f"{verb} {CODES[names.index(name)]}" if name in names and self.options.deck == STAND_IN else word

    def play(self, words: str) -> Table:
        """Carries out actions, separated by commas: "play TC, declare TC, pass"."""
        for word in words.split(","):
            verb, _, what = word.strip().partition(" ")
            if what in CODES:
                what = self.options.load_deck().names[CODES.index(what)]
            self.batch.step(np.array([GAME.parse_action(self.options, f"{verb} {what}".strip())]))
        return self

    def codes(self, kinds: list[int]) -> str:
        """Returns cards by code; by letter for other decks than the stand-in."""
        shown = CODES if self.options.deck == STAND_IN else KIND_LETTERS
        return " ".join(shown[kind] for kind in kinds)

    def hand(self, seat: int) -> str:
        return self.codes(self.now.hands[seat])

    def known(self, seat: int) -> str:
        return self.codes(self.now.known[seat])

    def pile(self) -> str:
        return self.codes(self.now.pile)

    def favours(self, seat: int) -> str:
        return "/".join(map(str, self.now.favours[seat]))

    def reserve(self) -> str:
        return "/".join(map(str, self.now.reserve))

    def stored_reserve(self) -> str:
        return "/".join(str(int(number)) for number in self.row["reserve"])

    def marks(self, seat: int) -> str:
        return "".join(TYPE_LETTERS[t] for t in sorted(self.now.marks[seat]))

    def observed(self, seat: int, name: str) -> Any:
        """Returns one field of a seat's observation."""
        return self.sight(seat)[name]

    def sight(self, seat: int) -> Sight:
        """Returns the observation of a seat as it is now."""
        return Sight(self.batch.observe(np.array([seat])))


def table(
    n: int,
    part: str,
    hand: str,
    *,
    hands: list[str] | None = None,
    pile: str = "",
    top: str | None = "",
    favours: dict[int, str] | None = None,
    marks: dict[int, str] | None = None,
    shields: str = "",
    words: str = "",
    **options: Any,
) -> Table:
    """Returns a table at PLAY.

    Args:
        n: Seats.
        part: "P" for the Plotting phase, "A" for the Agents phase after a play in the Plotting phase.
        hand: Cards of seat 0, the actor.
        hands: Cards of all seats, if not those of the test vectors.
        pile: Cards of the discard pile, the top last, known to all.
        top: First cards of the deck, the other cards following; None for an empty deck.
        favours: Favours of some seats as "2/1/1"; the others hold 1/1/1.
        marks: Types of some seats whose marks are on, as "TU".
        shields: Seats with a token.
        words: More words of the position line.
        **options: Options of the game.
    """
    held = hands if hands is not None else hands_of(n, hand)
    pools = [(favours or {}).get(seat, "1/1/1").replace("/", ".") for seat in range(n)]
    line = {
        "num_players": n,
        **options,
        "hands": "/".join(map(letters, held)),
        "pile": letters(pile),
        "favours": "/".join(pools),
        "marks": "/".join((marks or {}).get(seat, "-") for seat in range(n)),
        "shields": shields or "-",
    }
    if part == "A":
        line |= {"part": "agents", "plotted": 1}
    if top is None:
        line["stock"] = "-"
    elif top:
        line["stock"] = letters(f"{top} {rest(*held, pile, top, deck=options.get('deck', STAND_IN))}")
    return Table(" ".join(f"{key}={value}" for key, value in line.items()) + f" {words}")


def dealt(seed: int = 0, **options: Any) -> Table:
    """Returns a table as dealt from a seed."""
    chosen = GAME.options.make(**options)
    batch = Batch(GAME, 1, autoreset=False, **chosen.as_dict())
    batch.reset([seed])
    self = Table.__new__(Table)
    self.options, self.batch = chosen, batch
    return self


def deck_file(folder: Path, *cards: str, number: int | None = None) -> str:
    """Writes a deck of [[card]] tables given as text, and returns its path."""
    total = number if number is not None else sum(int(card.split("copies = ")[1].split("\n")[0]) for card in cards)
    path = folder / "deck.toml"
    path.write_text(f'[deck]\nname = "test"\ncards = {total}\n' + "".join(f"[[card]]\n{card}\n" for card in cards))
    return str(path)


def card_text(name: str, card_type: str, copies: int, effect: str, bonus: str = "") -> str:
    """Returns the text of a [[card]] table; steps as TOML tables separated by commas."""
    return f'name = "{name}"\ntype = "{card_type}"\ncopies = {copies}\neffect = [{effect}]\nbonus = [{bonus}]'
