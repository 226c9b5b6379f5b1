"""Determinisation: CS-87 to CS-98."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.chasing_shadows import GAME
from tests.games.chasing_shadows.table import COUNTS, Table, deck, few, members, suit_of
from tests.games.chasing_shadows.worlds import World, count_worlds, places_of, worlds


def sample(table: Table, seat: int, number: int, first: int = 0) -> np.recarray:
    """Returns sampled worlds of a seat, as states [number]."""
    batch = Batch(GAME, number, autoreset=False, **table.options.as_dict())
    batch.set_states(np.repeat(table.batch.get_states(), number))
    seeds = np.arange(first, first + number, dtype=np.uint64) * np.uint64(7919)
    return batch.determinised(np.full(number, seat), seeds)


def world_of(row: Any, n: int) -> World:
    """Returns what is hidden in a state."""
    bits = [*row["hand"][:n], row["first"], row["aside"]]
    return tuple(frozenset(members(number)) for number in bits)


@pytest.mark.rule("CS-87", "CS-88", "CS-89", "CS-90", "CS-92", "CS-98")
@pytest.mark.parametrize("n", COUNTS)
def test_worlds_without_contradiction(n: int) -> None:
    """Every place holds as many cards of each suit as before, all unseen; all else stays, the own hand too."""
    table = Table.dealt(n, num_players=n, num_ranks=13, hand_size=8)
    step, number = few(3, 19), few(40, 4)
    for moment, now in enumerate(table.states(random.Random(n))):
        if moment % step and not now.done:
            continue
        seat = moment % n
        position, true = now.now, now.row
        seen = deck(now.options) - set().union(*places_of(position))
        unseen = deck(now.options) - seen - position.hands[seat]
        for row in sample(now, seat, number, moment):
            for name in GAME.state.names or ():
                assert name in ("seed", "hand", "first", "aside") or (row[name] == true[name]).all(), name
            world, places = world_of(row, n), places_of(position)
            assert world[seat] == position.hands[seat]
            assert Counter(card for cards in world for card in cards) == Counter(unseen | position.hands[seat])
            for cards, before in zip(world, places, strict=True):
                assert Counter(map(suit_of, cards)) == Counter(map(suit_of, before))


SMALL: list[dict[str, Any]] = [
    {"num_players": 3, "num_suits": 2, "num_ranks": 6, "hand_size": 2},
    {"num_players": 3, "num_suits": 3, "num_ranks": 4, "hand_size": 2},
    {"num_players": 4, "num_suits": 4, "num_ranks": 3, "hand_size": 2},
]


@pytest.mark.rule("CS-88", "CS-89", "CS-90", "CS-91", "CS-96", "CS-98")
@pytest.mark.parametrize("chosen", SMALL, ids=lambda chosen: "-".join(map(str, chosen.values())))
def test_samples_are_uniform(chosen: dict[str, Any]) -> None:
    """Chi-square over all worlds by enumeration; the true world is one of them, and none lies outside."""
    tested = 0
    for seed in range(200):
        table = Table.dealt(seed, **chosen)
        chooser = random.Random(seed)
        for _ in range(seed % 6):
            table.act(chooser.choice(table.actions))
        position = table.now
        seat = seed % table.n
        if not 6 <= count_worlds(position, seat) <= few(400, 60):
            continue
        expected = list(worlds(position, seat))
        assert len(set(expected)) == len(expected) == count_worlds(position, seat)
        assert tuple(map(frozenset, places_of(position))) in set(expected)
        number = 12 * len(expected)
        counted = Counter(world_of(row, table.n) for row in sample(table, seat, number, 10_000 * seed))
        assert set(counted) <= set(expected)
        mean = number / len(expected)
        freedom = len(expected) - 1
        chi_square = sum((counted[world] - mean) ** 2 / mean for world in expected)
        # Four standard deviations of chi-square, and a little more where it is far from normal.
        assert chi_square < freedom + 4 * (2 * freedom) ** 0.5 + 4
        tested += 1
        if tested == few(12, 4):
            break
    assert tested == few(12, 4)


@pytest.mark.rule("CS-91")
def test_suits_are_independent() -> None:
    """Two cards of each of two suits between two seats: all four combinations come equally often."""
    table = Table.at("num_players=3 spotlight=G5 follow=GG hands=G1/B2R3/B9R8")
    number = few(4000, 400)
    counted = Counter(world_of(row, 3)[1] for row in sample(table, 0, number))
    assert len(counted) == 4
    assert all(abs(count - number / 4) < 5 * (number * 3 / 16) ** 0.5 for count in counted.values())


@pytest.mark.rule("CS-90", "CS-88")
@pytest.mark.parametrize("n", COUNTS)
def test_first_follow_cards_stay_hidden_places(n: int) -> None:
    """To the last trick of the round, long after they have left the table."""
    table = Table.dealt(1, num_players=n)
    last = table.options.num_tricks
    table.run(random.Random(1), until=lambda now: now.now.trick_no == last)
    position = table.now
    assert len(position.first) == n - 1
    found = {int(row["first"]) for row in sample(table, table.seat, few(60, 20))}
    unseen = set().union(*(hand for seat, hand in enumerate(position.hands) if seat != table.seat), position.aside)
    if any(suit_of(card) == suit_of(other) for card in position.first for other in unseen):
        assert len(found) > 1
    for bits in found:
        assert Counter(map(suit_of, members(bits))) == Counter(map(suit_of, position.first))


@pytest.mark.rule("CS-94")
def test_certainty_by_counting() -> None:
    """All other places of a suit are known: the set of ranks that is left is certain, and no other place's."""
    table = Table.at("num_players=3 spotlight=G5 follow=GG hands=G1/B4R2R3/Y1Y3Y7B9 first=R9")
    for row in sample(table, 0, 50):
        assert {card for card in members(row["hand"][2]) if suit_of(card) == 2} == {31, 33, 37}
    assert len({int(row["hand"][1]) for row in sample(table, 0, 50)}) == 6


@pytest.mark.rule("CS-95")
@pytest.mark.parametrize("n", COUNTS)
def test_a_shuffle_wipes_out_what_was_known(n: int) -> None:
    """In a new round every foreign card and first follow card can be any unseen one of its suit."""
    table = Table.dealt(2, num_players=n)
    table.run(random.Random(2), until=lambda now: now.now.round_no == 2)
    position = table.now
    assert position.taken == [set()] * n
    seat = table.seat
    unseen = deck(table.options) - position.hands[seat] - {position.spotlight or 0}
    assert set(np.flatnonzero(table.see(seat)("seen")).tolist()) == {position.spotlight}
    found: list[set[int]] = [set() for _ in range(n + 2)]
    for row in sample(table, seat, few(400, 60)):
        for place, cards in enumerate(world_of(row, n)):
            found[place] |= cards
    for place, cards in enumerate(places_of(position)):
        held = Counter(map(suit_of, cards))
        if place != seat and place < n:
            possible = {card for card in unseen if held[suit_of(card)] >= 3}
            assert possible <= found[place]


@pytest.mark.rule("CS-97")
@pytest.mark.parametrize("n", COUNTS)
def test_later_shuffles_are_drawn_afresh(n: int) -> None:
    """The world's seed is another one: so are its later deals; equal seeds of the sample give equal worlds."""
    table = Table.dealt(3, num_players=n)
    table.run(random.Random(3), until=lambda now: now.now.trick_no == now.options.num_tricks)
    again = sample(table, table.seat, 3)
    assert sample(table, table.seat, 3).tobytes() == again.tobytes()
    deals = set()
    for row in again:
        assert row["seed"] != table.row["seed"]
        world = table.copy()
        world.batch.set_states(np.array([row], GAME.state).view(np.recarray))
        world.run(random.Random(4), until=lambda now: now.now.round_no == 2)
        deals.add(world.row["hand"].tobytes())
    table.run(random.Random(4), until=lambda now: now.now.round_no == 2)
    deals.add(table.row["hand"].tobytes())
    assert len(deals) == 4
