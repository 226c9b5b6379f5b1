"""All worlds that a seat cannot rule out, by brute force, for the tests of the determinisation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product

from shadowenvs.games.chasing_shadows.notation import Position
from tests.games.chasing_shadows.table import suit_of

World = tuple[frozenset[int], ...]
"""The hands by seat, the first follow cards and the cards set aside."""


def places_of(position: Position) -> list[set[int]]:
    """Returns the cards in all hidden places: the hands by seat, the first follow cards, the cards set aside."""
    return [*position.hands, position.first, position.aside]


def sizes_of(position: Position, seat: int) -> list[list[int]]:
    """Returns for each suit how many of its unseen cards each place holds."""
    return [
        [
            0 if place == seat else sum(suit_of(card) == suit for card in cards)
            for place, cards in enumerate(places_of(position))
        ]
        for suit in range(4)
    ]


def count_worlds(position: Position, seat: int) -> int:
    """Returns the number of worlds without listing them."""
    return math.prod(
        math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes)) for sizes in sizes_of(position, seat)
    )


def worlds(position: Position, seat: int) -> Iterator[World]:
    """Yields each world once: every way to put the unseen cards of each suit on the places of that suit (CS-89)."""
    places = places_of(position)
    unseen = set().union(*(cards for place, cards in enumerate(places) if place != seat))
    by_suit = [
        list(_split([card for card in sorted(unseen) if suit_of(card) == suit], numbers))
        for suit, numbers in enumerate(sizes_of(position, seat))
    ]
    for parts in product(*by_suit):
        world = [frozenset().union(*(part[place] for part in parts)) for place in range(len(places))]
        world[seat] = frozenset(position.hands[seat])
        yield tuple(world)


def _split(cards: list[int], sizes: list[int]) -> Iterator[list[frozenset[int]]]:
    """Yields all ways to split cards into sets of these sizes."""
    if not sizes:
        yield []
        return
    for chosen in combinations(cards, sizes[0]):
        for rest in _split([card for card in cards if card not in chosen], sizes[1:]):
            yield [frozenset(chosen), *rest]
