"""Worlds that a seat cannot tell from the true one: SG-118 to SG-123, SG-131, SG-132."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.notation import Position, from_state
from shadowenvs.games.shadow_games.spec import AGENTS, PLAY
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.table import Table, card_text, dealt, deck_file, table

GAIN = '{ op = "gain", favour = "team" }'
World = tuple[Any, ...]


def worlds(state: Table, seat: int, number: int, seed: int = 0) -> list[Position]:
    """Returns samples of what a seat cannot rule out."""
    batch = Batch(GAME, number, autoreset=False, **state.options.as_dict())
    batch.set_states(np.repeat(state.batch.get_states(), number).view(np.recarray))
    seeds = np.arange(seed * number, (seed + 1) * number, dtype=np.uint64) + np.uint64(1)
    sampled = batch.determinised(np.full(number, seat), seeds)
    return [from_state(state.options, sampled[b : b + 1]) for b in range(number)]


def key(world: Position) -> World:
    """Returns all that can be hidden of a position."""
    hands = tuple(tuple(hand) for hand in world.hands)
    return hands, world.table, tuple(world.aside), tuple(world.deck), tuple(world.pile)


def probabilities(now: Position, seat: int) -> dict[World, Fraction]:
    """Returns the probability of every world, counted from the clauses: all orders of the pool, then all choices."""
    n, fits = now.options.num_players, now.options.card_fits_phase
    types = [card.card_type for card in now.options.load_deck().cards]
    pool = Counter(now.options.load_deck().kinds())
    pool.subtract(now.hands[seat])  # SG-118
    if now.table is not None and (seat == now.actor or not now.face_down):
        pool[now.table] -= 1
    if seat == now.actor:
        pool.subtract(now.aside)
    pool.subtract(kind for kind, who in zip(now.pile, now.seen, strict=True) if seat in who)
    for other in range(n):
        if other != seat:
            pool.subtract(now.known[other])
    cards = list(pool.elements())
    found: Counter[World] = Counter()
    for order in itertools.permutations(cards):  # SG-119, SG-120
        for world in layouts(now, seat, list(order), types if fits else []):
            found[world[0]] += world[1]  # type: ignore[assignment]
    total = sum(found.values())
    return {world: Fraction(weight) / total for world, weight in found.items()}


def layouts(now: Position, seat: int, left: list[int], types: list[int]) -> Iterator[tuple[World, Fraction]]:
    """Gives what one order of the pool leads to, with its share; nothing where the shuffle is repeated."""
    hands = [list(hand) for hand in now.hands]
    choices: list[tuple[int | None, tuple[int, ...], list[int]]] = [(now.table, tuple(now.aside), [])]
    hidden_table = now.table is not None and now.face_down
    for other in range(now.options.num_players):
        if other == seat:
            continue
        acts = other == now.actor
        extra = len(now.aside) + hidden_table if acts else 0
        slots = len(hands[other]) + extra - len(now.known[other])
        held = [*now.known[other], *left[:slots]]
        left = left[slots:]
        hands[other] = sorted(held)
        skipped = now.phase == PLAY and now.agents and not now.plotted
        if acts and types and skipped and AGENTS not in [types[kind] for kind in held]:
            return  # SG-131
        if acts and extra:
            choices = []
            for picks in itertools.permutations(range(len(held)), extra):  # SG-121
                chosen = [held[place] for place in picks]
                if hidden_table and types and types[chosen[0]] != int(now.agents):
                    continue
                rest = sorted(held[place] for place in range(len(held)) if place not in picks)
                choices.append((chosen[0], (), rest) if hidden_table else (now.table, tuple(chosen), rest))
    deck, left = left[: len(now.deck)], left[len(now.deck) :]
    pile = [kind if seat in who else left.pop(0) for kind, who in zip(now.pile, now.seen, strict=True)]
    assert not left
    for table_kind, aside, hand in choices:
        if seat != now.actor and (hidden_table or now.aside):
            hands[now.actor] = hand
        world = (tuple(map(tuple, hands)), table_kind, aside, tuple(deck), tuple(pile))
        yield world, Fraction(1, len(choices))


def small(folder: Path) -> str:
    """Returns a deck of seven cards: 3 a (plot), 2 b (agent), 2 c (plot)."""
    discard = '{ op = "draw", count = 1 }, { op = "discard", count = 2 }'
    return deck_file(
        folder,
        card_text("Alms", "plot", 3, discard),
        card_text("Bet", "agent", 2, GAIN),
        card_text("Coin", "plot", 2, GAIN),
    )


SMALL: dict[str, Any] = {"hand_keep": 1, "hand_draw": 2}
# Setups of table(), the words that lead to the position, and the observer.
CASES: dict[str, tuple[dict[str, Any], str, int]] = {
    "a pile card that one seat knows": ({"hands": ["a b", "a c", "b"], "pile": "a c", "words": "seen=1/*"}, "", 0),
    "the one who knows it": ({"hands": ["a b", "a c", "b"], "pile": "a c", "words": "seen=1/*"}, "", 1),
    "a known card": ({"hands": ["a b", "a c", "b"], "words": "known=-/c/-"}, "", 0),
    "a card on the table": ({"hands": ["a b c", "a", "b"]}, "play Bet, declare Coin", 1),
    "own card on the table": ({"hands": ["a b c", "a", "b"]}, "play Bet, declare Coin", 0),
    "a card on the table that may be a known one": (
        {"hands": ["a b c", "a", "b"], "words": "known=bc/-/-"},
        "play Bet, declare Coin",
        2,
    ),
    "cards set aside": ({"hands": ["a b c", "a", "b"]}, "play Alms, declare Alms, pass, pass, discard Bet", 1),
    "cards set aside that may be known ones": (
        {"hands": ["a b c", "a", "b"], "words": "known=b/-/-"},
        "play Alms, declare Alms, pass, pass, discard Bet",
        2,
    ),
    "own cards set aside": ({"hands": ["a b c", "a", "b"]}, "play Alms, declare Alms, pass, pass, discard Bet", 0),
    "a card that fits": ({"hands": ["a b c", "a", "b"], "card_fits_phase": True}, "play Alms, declare Coin", 1),
    "a known card that fits": (
        {"hands": ["a b c", "a", "b"], "card_fits_phase": True, "words": "known=c/-/-"},
        "play Coin, declare Alms",
        1,
    ),
    "after a skip": ({"hands": ["a b c", "a", "b"], "card_fits_phase": True}, "skip", 1),
    "the card after a skip": ({"hands": ["a b c", "a", "b"], "card_fits_phase": True}, "skip, play Bet", 1),
    "no skip": ({"hands": ["a b c", "a", "b"]}, "skip", 1),
}


def reached(folder: Path, name: str) -> tuple[Table, int]:
    setup, words, seat = CASES[name]
    state = table(3, "P", "", deck=small(folder), **SMALL, **setup)
    return (state.play(words) if words else state), seat


@pytest.mark.rule("SG-118", "SG-119", "SG-120", "SG-121", "SG-122", "SG-131", "SG-123")
@pytest.mark.parametrize("name", CASES)
def test_worlds_have_their_exact_probabilities(tmp_path: Path, name: str) -> None:
    state, seat = reached(tmp_path, name)
    wanted = probabilities(state.now, seat)
    assert key(state.now) in wanted  # SG-123
    number = max(40 * len(wanted), 4_000) if is_compiled() else 5 * len(wanted)
    found = Counter(key(world) for world in worlds(state, seat, number))
    assert set(found) <= set(wanted)
    if len(wanted) > 1:
        expected = [float(number * wanted[world]) for world in wanted]
        assert stats.chisquare([found[world] for world in wanted], expected).pvalue > 0.001


@pytest.mark.rule("SG-118", "SG-120", "SG-123")
@pytest.mark.parametrize("n", range(2, 7))
@pytest.mark.parametrize("card_fits_phase", [False, True])
def test_what_a_seat_is_shown_stays(n: int, card_fits_phase: bool) -> None:
    """In random games: observations, masks, public state and own cards stay, cards add up, the seed changes."""
    games = 4 if is_compiled() else 1
    chosen = {"num_players": n, "card_fits_phase": card_fits_phase, "max_turns": 8 * n}
    batch = Batch(GAME, games, autoreset=False, **chosen)
    batch.reset(n)
    deck = sorted(batch.options.load_deck().kinds())
    changed = 0
    for number in range(400):
        before = batch.get_states()
        if before["done"].all():
            break
        for seat in range(n):
            if (number + seat) % 4:
                continue
            seeds = np.arange(games, dtype=np.uint64) + np.uint64(100 * number)
            sampled = batch.determinised(np.full(games, seat), seeds)
            other = Batch(GAME, games, autoreset=False, **chosen)
            other.set_states(sampled)
            assert (other.observe(np.full(games, seat)) == batch.observe(np.full(games, seat))).all()
            mine = batch.seats == seat
            assert (other.masks[mine] == batch.masks[mine]).all()
            for b in range(games):
                world = from_state(batch.options, sampled[b : b + 1])
                true = from_state(batch.options, before[b : b + 1])
                on_table = [] if world.table is None else [world.table]
                assert sorted(itertools.chain(*world.hands, world.deck, world.pile, world.aside, on_table)) == deck
                assert world.seed != true.seed
                assert world.hands[seat] == true.hands[seat]
                changed += key(world) != key(true)
                for name in ("hands", "deck", "pile", "table", "aside", "seed"):
                    setattr(true, name, getattr(world, name))
                assert world == true  # nothing else has changed
                for other_seat in range(n):
                    held = Counter(world.hands[other_seat])
                    if other_seat == world.actor:
                        held.update(world.aside)
                        held.update([world.table] if world.table is not None and world.face_down else [])
                    assert not Counter(world.known[other_seat]) - held
        batch.step(batch.random_actions(n, number))
    assert changed > 20


@pytest.mark.rule("SG-121")
def test_a_known_card_may_lie_on_the_table(tmp_path: Path) -> None:
    state, seat = reached(tmp_path, "a card on the table that may be a known one")
    on_table = {world.table for world in worlds(state, seat, 200)}
    assert {1, 2} <= on_table


@pytest.mark.rule("SG-122")
def test_a_table_card_fits_its_phase() -> None:
    state = table(3, "P", "TC PO TS", card_fits_phase=True).play("play TC, declare PO")
    assert all(world.table < 4 for world in worlds(state, 1, 100) if world.table is not None)
    free = table(3, "P", "TC PO TS").play("play TC, declare PO")
    assert any(world.table >= 4 for world in worlds(free, 1, 100) if world.table is not None)
    agents = table(3, "A", "TS PO", card_fits_phase=True).play("play TS, declare PP, seat +1")
    assert all(world.table >= 4 for world in worlds(agents, 2, 100) if world.table is not None)


@pytest.mark.rule("SG-131")
def test_a_seat_that_skipped_holds_an_agent() -> None:
    state = table(3, "P", "TC PO TS", card_fits_phase=True).play("skip")
    assert all(max(world.hands[0]) >= 4 for world in worlds(state, 1, 200))
    plotted = table(3, "P", "TC PO TS", card_fits_phase=True).play("play TC, declare TC, pass, pass")
    assert any(max(world.hands[0]) < 4 for world in worlds(plotted, 1, 200))
    free = table(3, "P", "TC PO TS").play("skip")
    assert any(max(world.hands[0]) < 4 for world in worlds(free, 1, 200))


@pytest.mark.rule("SG-120", "SG-132")
def test_later_draws_are_new() -> None:
    """The rest of a random poll order, and the order of a rebuilt deck, differ from copy to copy."""
    state = table(4, "A", "PP PO", challenge_order="random").play("play PP, declare AR, pass")
    first = state.now.passed
    followers = set()
    for world in worlds(state, 0, 60):
        assert world.passed == first
        copy = Table(world.text()).play("pass")
        followers.add(copy.now.move)
    assert followers == {1, 2, 3} - first - {state.now.move} or len(followers) == 2
    poll = table(4, "A", "PP PO", challenge_order="random").play("play PP, declare AR")
    orders = Counter(Table(world.text()).play("pass").now.move for world in worlds(poll, 0, 200))
    assert set(orders) == {1, 2, 3} - {poll.now.move}
    assert min(orders.values()) > 60


@pytest.mark.rule("SG-123")
@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("card_fits_phase", [False, True])
def test_the_true_state_stays_possible(n: int, card_fits_phase: bool) -> None:
    """What is known of hands is true, and the true cards meet SG-122 and SG-131: so some sample equals them."""
    for seed in range(6 if is_compiled() else 1):
        state = dealt(seed, num_players=n, card_fits_phase=card_fits_phase, max_turns=20 * n)
        number = 0
        while not state.row["done"]:
            now = state.now
            held = Counter(now.hands[now.actor]) + Counter(now.aside)
            types = [card.card_type for card in now.options.load_deck().cards]
            if now.table is not None and now.face_down:
                held[now.table] += 1
                assert not card_fits_phase or types[now.table] == int(now.agents)
            assert not Counter(now.known[now.actor]) - held
            if card_fits_phase and now.agents and not now.plotted and now.phase == PLAY:
                assert any(types[kind] == AGENTS for kind in held)
            state.batch.step(state.batch.random_actions(seed, number))
            number += 1
