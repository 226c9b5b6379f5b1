"""Decks of shadow cards: drawing them, reading and checking files, and the table of normal quantiles.

``python -m shadowenvs.games.shadow_master.deck`` writes the two data files of this folder anew: the standard deck and
the quantiles. Everything here follows the sections on the deck in docs/rules/shadow_master.md.
"""

from __future__ import annotations

import functools
import itertools
import statistics
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shadowenvs import rng
from shadowenvs.games.shadow_master import drawing
from shadowenvs.games.shadow_master.spec import (
    FRESH,
    LETTERS,
    MAX_CARDS,
    MAX_NUMBER,
    NUM_COLOURS,
    NUM_DOTS,
    NUM_LETTERS,
    NUM_NORMALS,
    OBJECT_SIDE,
    SHADOW_SIDE,
    STANDARD,
    STREAM_FRESH,
)

Mask = NDArray[np.bool_]

FORMAT = "shadow-master-deck-1"
STANDARD_SEED = 20160301
STANDARD_CARDS = 42
MASTER_SIDE = 128
LOWEST_SCALE, HIGHEST_SCALE = 0.28, 0.44
LOWEST_VISIBILITY = 0.2
MAX_REDRAWS, MAX_GHOSTS = 60, 20
USUAL_VISIBILITY = 0.5  # where a supplied deck tells none
TRIPLES = [(2, 2, 5), (2, 5, 2), (5, 2, 2), (3, 3, 3), *itertools.permutations((2, 3, 4))]  # SM-14

_FOLDER = Path(__file__).parent
STANDARD_FILE = _FOLDER / "standard.npz"
NORMALS_FILE = _FOLDER / "normals.npz"


@dataclass(frozen=True)
class Deck:
    """K shadow cards; colours in the order white, blue, yellow.

    Attributes:
        letters: uint8 [K, 3], A = 0.
        numbers: uint8 [K, 3].
        answers: bool [K, 3, 9], the objects of each square that are in the picture.
        visibility: float32 [K, 3, 9], above 0 to 1.
        shadows: uint8 [K, 96, 96], 1 = black; zeros without pictures.
        objects: uint8 [10, 9, 48, 48], reference drawings; zeros without pictures.
        names: Of the objects, [10][9], or None.
    """

    letters: NDArray[np.uint8]
    numbers: NDArray[np.uint8]
    answers: Mask
    visibility: NDArray[np.float32]
    shadows: NDArray[np.uint8]
    objects: NDArray[np.uint8]
    names: list[list[str]] | None = None

    @property
    def has_pictures(self) -> bool:
        return bool(self.shadows.any() and self.objects.any())


# ------------------------------------------------------------------------------------------------------ drawing cards


@functools.cache
def masters() -> Mask:
    """Returns the objects at high resolution, bool [10, 9, 128, 128]."""
    _, drawings = drawing.load_objects()
    return np.array([[drawing.draw(text, MASTER_SIDE) for text in card] for card in drawings])


@functools.cache
def references() -> NDArray[np.uint8]:
    """Returns the reference drawings, uint8 [10, 9, 48, 48]."""
    _, drawings = drawing.load_objects()
    return np.array([[drawing.draw(text, OBJECT_SIDE) for text in card] for card in drawings]).astype(np.uint8)


@functools.cache
def reaches() -> NDArray[np.float64]:
    """Returns the largest distance of a black cell from the middle of its box, in box widths, float64 [10, 9]."""
    centres = (np.arange(MASTER_SIDE) + 0.5) / MASTER_SIDE - 0.5
    distance = np.hypot(*np.meshgrid(centres, centres))
    return np.where(masters(), distance, 0).max(axis=(2, 3))


def place(letter: int, item: int, generator: np.random.Generator) -> Mask:
    """Draws a placement of an object and returns its black pixels, bool [96, 96].

    Scale, angle and the middle's x and y are drawn in this order; the whole object lies inside the frame.
    """
    scale = generator.uniform(LOWEST_SCALE, HIGHEST_SCALE)
    angle = generator.uniform(0, 2 * np.pi)
    width = SHADOW_SIDE * scale
    margin = 1 + width * reaches()[letter, item]
    cx = generator.uniform(margin, SHADOW_SIDE - margin)
    cy = generator.uniform(margin, SHADOW_SIDE - margin)
    centres = np.arange(SHADOW_SIDE) + 0.5
    a, b = (centres - cx)[None, :], (centres - cy)[:, None]
    u = (a * np.cos(angle) + b * np.sin(angle)) / width + 0.5
    w = (b * np.cos(angle) - a * np.sin(angle)) / width + 0.5
    inside = (u >= 0) & (u < 1) & (w >= 0) & (w < 1)
    rows, columns = (MASTER_SIDE * w).astype(int), (MASTER_SIDE * u).astype(int)
    mask = np.zeros((SHADOW_SIDE, SHADOW_SIDE), np.bool_)
    mask[inside] = masters()[letter, item][rows[inside], columns[inside]]
    return mask


def visibility(shape: Mask, union: Mask) -> float:
    """Returns the share of a shape's outline that is outline of the whole picture, 0 to 1.

    Args:
        shape: bool [H, W].
        union: The picture, bool [H, W], with the shape in it.
    """
    inner, outer = np.pad(shape, 1), np.pad(union, 1)
    edges = seen = 0
    for axis, step in itertools.product((0, 1), (-1, 1)):
        edge = inner & ~np.roll(inner, step, axis)
        edges += int(edge.sum())
        seen += int((edge & ~np.roll(outer, step, axis)).sum())
    return seen / edges if edges else 0.0


@dataclass
class _Square:
    letter: int
    targets: list[int]
    masks: dict[int, Mask]


def draw_card(seed: int, number: int) -> tuple[list[int], list[int], Mask, NDArray[np.float32], Mask]:
    """Draws card ``number`` of the deck with this seed, from a random stream of its own (SM-12 to SM-14).

    Returns:
        Letters [3], numbers [3], answers bool [3, 9], visibility float32 [3, 9], picture bool [96, 96].
    """
    generator = np.random.default_rng([seed, number])
    letters = [int(letter) for letter in generator.choice(NUM_LETTERS, NUM_COLOURS, replace=False)]
    numbers = list(TRIPLES[int(generator.integers(len(TRIPLES)))])
    squares = []
    for letter, size in zip(letters, numbers, strict=True):
        targets = sorted(int(item) for item in generator.choice(NUM_DOTS, size, replace=False))
        squares.append(_Square(letter, targets, {}))
    for square in squares:
        square.masks = {item: place(square.letter, item, generator) for item in square.targets}
    values = np.zeros((NUM_COLOURS, NUM_DOTS), np.float32)
    picture = _redraw_hidden(squares, generator, values)
    _draw_ghosts(squares, picture, generator, values)
    answers = np.zeros((NUM_COLOURS, NUM_DOTS), np.bool_)
    for colour, square in enumerate(squares):
        answers[colour, square.targets] = True
    return letters, numbers, answers, values, picture


def _redraw_hidden(squares: list[_Square], generator: np.random.Generator, values: NDArray[np.float32]) -> Mask:
    """Moves objects that can hardly be seen; writes the visibilities of the targets and returns the picture."""
    placed = [(colour, item) for colour, square in enumerate(squares) for item in square.targets]
    for redraws in range(MAX_REDRAWS + 1):
        picture = np.any([squares[colour].masks[item] for colour, item in placed], axis=0)
        found = [visibility(squares[colour].masks[item], picture) for colour, item in placed]
        lowest = int(np.argmin(found))
        if found[lowest] >= LOWEST_VISIBILITY or redraws == MAX_REDRAWS:
            break
        colour, item = placed[lowest]
        squares[colour].masks[item] = place(squares[colour].letter, item, generator)
    for (colour, item), value in zip(placed, found, strict=True):
        values[colour, item] = value
    return picture


def _draw_ghosts(
    squares: list[_Square], picture: Mask, generator: np.random.Generator, values: NDArray[np.float32]
) -> None:
    """Writes for each absent object how easy it would have been to see, in the place of a target of its square."""
    for colour, square in enumerate(squares):
        for item in range(NUM_DOTS):
            if item in square.targets:
                continue
            left_out = square.targets[int(generator.integers(len(square.targets)))]
            rest = np.any(
                [
                    mask
                    for other, others in enumerate(squares)
                    for target, mask in others.masks.items()
                    if (other, target) != (colour, left_out)
                ],
                axis=0,
            )
            for _ in range(MAX_GHOSTS):
                ghost = place(square.letter, item, generator)
                values[colour, item] = visibility(ghost, rest | ghost)
                if values[colour, item] >= LOWEST_VISIBILITY:
                    break


def draw(seed: int, num_cards: int = STANDARD_CARDS) -> Deck:
    """Returns the deck of a seed, which takes up to a second.

    Args:
        seed: At least 0.
        num_cards: K.
    """
    cards = [draw_card(seed, number) for number in range(num_cards)]
    letters, numbers, answers, values, pictures = zip(*cards, strict=True)
    return Deck(
        letters=np.array(letters, np.uint8),
        numbers=np.array(numbers, np.uint8),
        answers=np.array(answers),
        visibility=np.array(values, np.float32),
        shadows=np.array(pictures).astype(np.uint8),
        objects=references(),
        names=drawing.load_objects()[0],
    )


# -------------------------------------------------------------------------------------------------------------- files


def check(deck: Deck, source: str) -> Deck:
    """Returns the deck, or raises ValueError naming source, key and reason (SM-11, SM-12, SM-14)."""
    num = len(deck.letters)
    if not 1 <= num <= MAX_CARDS:
        raise ValueError(f"{source}: a deck has 1 to {MAX_CARDS} cards, not {num}")
    for card in range(num):
        letters, numbers = deck.letters[card].tolist(), deck.numbers[card].tolist()
        if max(letters) >= NUM_LETTERS:
            raise ValueError(f"{source}: letters of card {card} must be 0 to {NUM_LETTERS - 1}, not {letters}")
        if len(set(letters)) != NUM_COLOURS:
            raise ValueError(f"{source}: letters of card {card} are not different: {letters}")
        if not all(1 <= number <= MAX_NUMBER for number in numbers):
            raise ValueError(f"{source}: numbers of card {card} must be 1 to {MAX_NUMBER}, not {numbers}")
        counts = deck.answers[card].sum(axis=1).tolist()
        if counts != numbers:
            raise ValueError(f"{source}: numbers of card {card} are {numbers}, but its answers count {counts}")
    if not bool(np.all((deck.visibility > 0) & (deck.visibility <= 1))):
        raise ValueError(f"{source}: visibility must be above 0 and at most 1")
    for key in ("shadows", "objects"):
        if getattr(deck, key).max(initial=0) > 1:
            raise ValueError(f"{source}: {key} must be 0 or 1")
    return deck


def save(deck: Deck, path: Path) -> None:
    """Writes a deck as a file that :func:`load` reads."""
    arrays: dict[str, Any] = {
        key: getattr(deck, key) for key in ("letters", "numbers", "answers", "visibility", "shadows", "objects")
    }
    if deck.names is not None:
        arrays["names"] = np.array(deck.names)
    np.savez_compressed(path, format=np.array(FORMAT), **arrays)


def load(path: Path) -> Deck:
    """Reads a deck from an ``.npz`` or ``.toml`` file.

    Raises:
        ValueError: The file cannot be read or is not a sound deck; the message names file, key and reason.
    """
    if path.suffix == ".toml":
        return check(_load_text(path), str(path))
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except (OSError, ValueError, EOFError) as error:
        raise ValueError(f"{path}: cannot read the deck: {error}") from None
    if str(arrays.get("format")) != FORMAT:
        raise ValueError(f"{path}: format must be {FORMAT!r}, not {str(arrays.get('format'))!r}")
    num = len(arrays["letters"]) if arrays.get("letters") is not None and arrays["letters"].ndim else 0
    wanted: dict[str, tuple[tuple[int, ...], Any]] = {
        "letters": ((num, NUM_COLOURS), np.uint8),
        "numbers": ((num, NUM_COLOURS), np.uint8),
        "answers": ((num, NUM_COLOURS, NUM_DOTS), np.bool_),
        "visibility": ((num, NUM_COLOURS, NUM_DOTS), np.float32),
        "shadows": ((num, SHADOW_SIDE, SHADOW_SIDE), np.uint8),
        "objects": ((NUM_LETTERS, NUM_DOTS, OBJECT_SIDE, OBJECT_SIDE), np.uint8),
    }
    found: dict[str, Any] = {}
    for key, (shape, dtype) in wanted.items():
        if key not in arrays:
            if key in ("letters", "numbers", "answers"):
                raise ValueError(f"{path}: key {key} is missing")
            found[key] = np.full(shape, USUAL_VISIBILITY if key == "visibility" else 0, dtype)
        elif arrays[key].shape != shape or arrays[key].dtype != dtype:
            raise ValueError(
                f"{path}: {key} must be {np.dtype(dtype)} of shape {shape}, not {arrays[key].dtype} of shape "
                f"{arrays[key].shape}"
            )
        else:
            found[key] = arrays[key]
    names = arrays["names"].tolist() if "names" in arrays else None
    return check(Deck(**found, names=names), str(path))


def _load_text(path: Path) -> Deck:
    """Reads the text form, for cards typed in by hand: a table ``[[card]]`` each, pictures as PNG files beside it."""
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path}: cannot read the deck: {error}") from None
    cards = content.get("card", [])
    num = len(cards)
    letters, numbers = np.zeros((num, NUM_COLOURS), np.uint8), np.zeros((num, NUM_COLOURS), np.uint8)
    answers = np.zeros((num, NUM_COLOURS, NUM_DOTS), np.bool_)
    shadows = np.zeros((num, SHADOW_SIDE, SHADOW_SIDE), np.uint8)
    objects = np.zeros((NUM_LETTERS, NUM_DOTS, OBJECT_SIDE, OBJECT_SIDE), np.uint8)
    for card, entry in enumerate(cards):
        for colour, key in enumerate(("white", "blue", "yellow")):
            try:
                letter, dots = entry[key]["letter"], entry[key]["dots"]
                letters[card, colour] = LETTERS.index(letter)
                numbers[card, colour] = len(dots)
                answers[card, colour, dots] = True
            except (KeyError, IndexError, TypeError, ValueError):
                wanted = '{letter = "B", dots = [0, 4]}'
                raise ValueError(
                    f"{path}: {key} of card {card} must be like {wanted}, not {entry.get(key)!r}"
                ) from None
        if "image" in entry:
            shadows[card] = _load_image(path.parent / entry["image"], SHADOW_SIDE)
    for letter, files in content.get("objects", {}).items():
        if letter not in LETTERS or len(letter) != 1 or len(files) != NUM_DOTS:
            raise ValueError(f"{path}: objects must list {NUM_DOTS} pictures for a letter A to J, not for {letter!r}")
        for item, name in enumerate(files):
            objects[LETTERS.index(letter), item] = _load_image(path.parent / name, OBJECT_SIDE)
    usual = np.full((num, NUM_COLOURS, NUM_DOTS), USUAL_VISIBILITY, np.float32)
    return Deck(letters, numbers, answers, usual, shadows, objects)


def _load_image(path: Path, side: int) -> NDArray[np.uint8]:
    """Returns a black-and-white picture scaled to a square, uint8 [side, side], 1 = dark."""
    try:
        from PIL import Image
    except ImportError:
        raise ValueError(f"{path}: reading pictures needs the package pillow") from None
    try:
        with Image.open(path) as image:
            grey = np.asarray(image.convert("L").resize((side, side)))
    except OSError as error:
        raise ValueError(f"{path}: cannot read the picture: {error}") from None
    return (grey < 128).astype(np.uint8)


@functools.lru_cache(maxsize=8)
def _drawn(seed: int) -> Deck:
    return draw(seed)


@functools.cache
def _standard() -> Deck:
    return load(STANDARD_FILE)


def find(name: str | int, game_seed: int | None = None) -> Deck:
    """Returns the deck that option ``deck`` names.

    Args:
        name: 'standard', 'fresh', a seed, or a file's path.
        game_seed: Seed of the game that is to be dealt, for 'fresh'.

    Raises:
        ValueError: There is no such deck.
    """
    if isinstance(name, int):
        return _drawn(name)
    if name == STANDARD:
        return _standard()
    if name == FRESH:
        if game_seed is None:
            raise ValueError("deck='fresh' draws a deck for every game; tables that play many games cannot have it")
        return draw(int(rng.mix(np.uint64(game_seed), STREAM_FRESH, 0, 0)))
    return load(Path(name))


# ---------------------------------------------------------------------------------------------------- normal deviates


def make_normals() -> NDArray[np.float32]:
    """Returns the quantiles of the standard normal law at (i + 1/2) / 65536, float32 [65536], antisymmetric."""
    law = statistics.NormalDist()
    upper = [law.inv_cdf((place + 0.5) / NUM_NORMALS) for place in range(NUM_NORMALS // 2, NUM_NORMALS)]
    half = np.array(upper, np.float32)
    return np.concatenate([-half[::-1], half])


@functools.cache
def load_normals() -> NDArray[np.float32]:
    """Returns the shipped quantiles, float32 [65536]: the same on every platform."""
    with np.load(NORMALS_FILE, allow_pickle=False) as file:
        half = file["upper"]
    return np.concatenate([-half[::-1], half])


def main() -> None:
    """Writes the data files of this folder anew."""
    np.savez_compressed(NORMALS_FILE, upper=make_normals()[NUM_NORMALS // 2 :])
    save(draw(STANDARD_SEED), STANDARD_FILE)


if __name__ == "__main__":
    main()
