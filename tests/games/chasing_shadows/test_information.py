"""What a seat sees, and what it must not: CS-15 to CS-17, CS-42, CS-49, CS-60 and CS-80 to CS-86."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from shadowenvs.games.chasing_shadows import GAME
from shadowenvs.games.chasing_shadows.notation import Position
from tests.games.chasing_shadows.table import (
    COUNTS,
    DISCARD,
    END,
    Table,
    deck,
    few,
    rank_of,
    suit_of,
)
from tests.games.chasing_shadows.worlds import places_of, worlds


def moments(n: int, step: int, seed: int = 1, **chosen: Any) -> Iterator[Table]:
    """Yields the tables of a random game at every step-th moment, and at the end."""
    for number, now in enumerate(Table.dealt(seed, num_players=n, **chosen).states(random.Random(seed))):
        if number % step == 0 or now.done:
            yield now


def on(entries: Any) -> list[int]:
    """Returns the places of ones."""
    return [int(place) for place in np.flatnonzero(entries)]


@pytest.mark.rule("CS-84", "CS-16", "CS-42", "CS-60", "CS-15")
@pytest.mark.parametrize("n", COUNTS)
def test_content(n: int) -> None:
    """Everything that the rule document lists is there, for every seat in PLAY and DISCARD."""
    for now in moments(n, few(1, 9), rounds=2, num_ranks=13, hand_size=7, reward="points"):
        if now.done:
            break
        position, o = now.now, now.options
        for seat in range(n):
            see = now.see(seat)

            def at(place: int, seat: int = seat) -> int:
                return (seat + place) % n

            def place(other: int, seat: int = seat) -> int:
                return (other - seat) % n

            assert on(see("phase")) == [position.phase]
            assert (see("round_no"), see("trick_no")) == (position.round_no, position.trick_no)
            assert on(see("own_seat")) == [seat]
            assert on(see("present")) == list(range(n))
            assert on(see("to_move")) == [place(position.move)]
            assert on(see("starter")) == [place(position.starter)]
            assert on(see("trick_leader")) == [place(position.lead)]
            chosen = [int(see(name)) for name in ("num_players", "rounds", "points_reward", "num_suits", "num_ranks")]
            assert chosen == [n, o.rounds, 1, o.num_suits, o.num_ranks]
            assert see("hand_size") == o.hand_size
            assert set(on(see("hand"))) == position.hands[seat]
            assert on(see("spotlight_suit")) == [suit_of(position.spotlight or 0)]
            assert on(see("spotlight_rank")) == [rank_of(position.spotlight or 0)]
            assert see("follow").tolist() == [position.follow.count(suit) for suit in range(4)]
            for other in range(5):
                held = position.hands[at(other)] if other < n else set()
                taken = position.taken[at(other)] if other < n else set()
                card = position.table[at(other)] if other < n else None
                for suit in range(4):
                    assert see("hand_suits")[other, suit] == sum(suit_of(card) == suit for card in held)
                assert on(see("trick_suit")[other]) == ([] if card is None else [suit_of(card)])
                assert on(see("trick_rank")[other]) == ([] if card is None else [rank_of(card)])
                assert set(on(see("taken")[other])) == taken
                assert see("num_taken")[other] == len(taken)
                for number in range(3):
                    sheets = position.boxes
                    row = sheets[number][at(other)] if other < n and number < len(sheets) else [None] * 4
                    expected = [-1 if score is None else score for score in row] if other < n else [0] * 4
                    assert see("boxes")[other, number].tolist() == expected
                assert see("totals")[other] == (now.points[at(other)] if other < n else 0)
            hidden = set().union(*places_of(position))
            assert set(on(see("seen"))) == deck(o) - hidden
            for name, cards in (("first_suits", position.first), ("aside_suits", position.aside)):
                assert see(name).tolist() == [sum(suit_of(card) == suit for card in cards) for suit in range(4)]
            assert not see("struck").any() and not see("winners").any()


@pytest.mark.rule("CS-84", "CS-49", "CS-60")
@pytest.mark.parametrize("n", COUNTS)
def test_content_at_the_end(n: int) -> None:
    """Score sheets, struck scores, final scores, cards counted for the tie break, winners."""
    for seed in range(few(5, 2)):
        now = Table.dealt(seed, num_players=n).run(random.Random(seed))
        position = now.now
        for seat in range(n):
            see = now.see(seat)
            assert on(see("phase")) == [END]
            assert not see("to_move").any() and not see("hand").any() and not see("hand_suits").any()
            assert sorted((seat + place) % n for place in on(see("winners"))) == now.winners
            for place in range(n):
                other = (seat + place) % n
                assert see("totals")[place] == now.points[other]
                assert see("num_taken")[place] == len(position.taken[other])
                assert set(on(see("taken")[place])) == position.taken[other]
                kept = 0
                for number in range(3):
                    for suit in range(4):
                        score = position.boxes[number][other][suit]
                        assert see("boxes")[place, number, suit] == (-1 if score is None else score)
                        kept += 0 if see("struck")[place, number, suit] else score or 0
                assert kept == now.points[other]


@pytest.mark.rule("CS-84")
def test_what_the_taken_cards_score() -> None:
    """The field that spares a learner the sums agrees with the boxes that the cards would make now."""
    table = Table.at("num_players=3 spotlight=Y8 follow=RR hands=B6B4/R3R1/R7R9 taken=B0G1G4G5/B1B2Y0Y5/-")
    assert table.see(0)("standing")[:3].tolist() == [[15, -1, -1, 10], [1, -1, 0, -1], [-1] * 4]
    assert table.see(2)("standing")[1:3].tolist() == [[15, -1, -1, 10], [1, -1, 0, -1]]


@pytest.mark.rule("CS-83", "CS-85", "CS-17", "CS-15", "CS-98")
@pytest.mark.parametrize("n", COUNTS)
def test_all_worlds_look_the_same(n: int) -> None:
    """Whatever the hidden cards and the seed are, a seat's observation and its legal set do not change."""
    for number, now in enumerate(moments(n, few(3, 23), num_ranks=13, hand_size=8, rounds=2)):
        for seat in range(n):
            shown = now.observation(seat)
            for seed in range(few(5, 2)):
                row = now.batch.determinised(np.array([seat]), np.array([100 * number + seed], np.uint64))
                other = now.copy()
                other.batch.set_states(row)
                assert other.observation(seat) == shown
                assert row[0]["seed"] != now.row["seed"]
                if seat == now.seat:
                    assert other.actions == now.actions


@pytest.mark.rule("CS-85", "CS-17", "CS-98")
@pytest.mark.parametrize("lead", [0, 1])
def test_every_world_of_a_small_deck_looks_the_same(lead: int) -> None:
    """All worlds by enumeration, not by sampling."""
    table = Table.dealt(4, num_players=3, num_suits=3, num_ranks=4, hand_size=3)
    chooser = random.Random(lead)
    for _ in range(4):
        position = table.now
        for seat in range(3):
            shown = table.observation(seat)
            found = list(worlds(position, seat))
            assert len(found) > 1
            for world in found[:: few(1, 5)]:
                changed = table.now
                changed.hands = [set(cards) for cards in world[:3]]
                changed.first, changed.aside = set(world[3]), set(world[4])
                other = Table(changed)
                assert other.observation(seat) == shown
                assert seat != table.seat or other.actions == table.actions
        table.act(chooser.choice(table.actions))


@pytest.mark.rule("CS-17", "CS-90")
@pytest.mark.parametrize("n", COUNTS)
def test_what_was_laid_face_down_is_never_seen(n: int) -> None:
    for now in moments(n, few(1, 5), num_ranks=13, hand_size=8):
        position = now.now
        down = position.first | position.aside
        for seat in range(n):
            assert not set(on(now.see(seat)("seen"))) & down


@pytest.mark.rule("CS-80", "CS-95", "CS-84")
@pytest.mark.parametrize("n", COUNTS)
def test_nothing_seen_is_forgotten(n: int) -> None:
    """Within a round every card that lay open stays marked; a shuffle starts anew."""
    table = Table.dealt(3, num_players=n)
    seen: set[int] = set()
    number = 0
    for now in table.states(random.Random(3)):
        position = now.now
        if position.round_no > number:
            number, seen = position.round_no, set()
            assert position.taken == [set()] * n
        seen |= {position.spotlight or 0} | {card for card in position.table if card is not None}
        if position.table == [None] * n and not now.done:
            seen |= deck(table.options) - set().union(*places_of(position))  # the last card of the trick
        if now.done:
            seen |= set().union(*position.taken, {card for card in deck(now.options) if card in seen})
            seen |= deck(table.options) - position.first - position.aside
        for seat in range(n):
            assert set(on(now.see(seat)("seen"))) == seen
        if number == 2 and position.trick_no == 2:
            return


@pytest.mark.rule("CS-80", "CS-98", "CS-92", "CS-93")
@pytest.mark.parametrize("n", COUNTS)
def test_the_public_history_is_possible_in_every_world(n: int) -> None:
    """In a sampled world the round is replayed: every action is legal, and the seat sees the same all the time."""
    for seed in range(few(4, 1)):
        table = Table.dealt(seed, num_players=n)
        start = table.now
        chooser = random.Random(seed)
        actions = []
        history: list[list[bytes]] = []
        for _ in range(few(45, 25)):
            history.append([table.observation(seat) for seat in range(n)])
            actions.append(chooser.choice(table.actions))
            table.act(actions[-1])
        now = table.now
        if now.round_no > 1:
            continue
        gone = [start.hands[seat] - now.hands[seat] for seat in range(n)]
        for seat in range(n):
            row = table.batch.determinised(np.array([seat]), np.array([seed], np.uint64))
            world = table.copy()
            world.batch.set_states(row)
            first = Position(**vars(start))
            sampled = world.now
            first.hands = [sampled.hands[other] | gone[other] for other in range(n)]
            first.first, first.aside = sampled.first, sampled.aside
            replay = Table(first)
            for number, action in enumerate(actions):
                assert replay.observation(seat) == history[number][seat]
                assert action in replay.actions
                replay.act(action)
            assert replay.observation(seat) == table.observation(seat)


@pytest.mark.rule("CS-81")
@pytest.mark.parametrize("n", COUNTS)
def test_only_the_own_hand_is_private(n: int) -> None:
    """What differs between the observations of two worlds of another seat is the field of the own hand."""
    differing = 0
    for number, now in enumerate(moments(n, few(5, 31))):
        if now.done:
            continue
        seat, other = number % n, (number + 1) % n
        row = now.batch.determinised(np.array([other]), np.array([number], np.uint64))
        world = now.copy()
        world.batch.set_states(row)
        assert set(on(now.see(seat)("hand"))) == now.now.hands[seat]
        for name in GAME.observation.slices:
            same = (now.see(seat)(name) == world.see(seat)(name)).all()
            assert same or name == "hand"
            differing += not same
    assert differing > 0


@pytest.mark.rule("CS-82")
def test_legal_sets_would_give_ranks_away() -> None:
    """They differ between worlds of another seat: so they are shown to the seat to move alone."""
    table = Table.dealt(1, num_players=4)
    other = (table.seat + 1) % 4
    sets = set()
    for seed in range(5):
        world = table.copy()
        world.batch.set_states(world.batch.determinised(np.array([other]), np.array([seed], np.uint64)))
        sets.add(tuple(world.actions))
        world.batch.observe(np.array([other]))
        assert world.observation(other) == table.observation(other)
    assert len(sets) > 1


@pytest.mark.rule("CS-86", "CS-99", "CS-93")
@pytest.mark.parametrize("n", COUNTS)
def test_foreign_legal_sets_differ_in_ranks_alone(n: int) -> None:
    """In all worlds the seat to move may play the same suits, and each of them leads to DISCARD in all or in none."""
    seen = set()
    for seed in range(12):
        if seen == {False, True} and seed >= few(6, 1):
            break
        for number, now in enumerate(moments(n, few(2, 7), seed=seed, rounds=1)):
            if now.done or now.phase == DISCARD:
                continue
            observer = (now.seat + 1) % n
            results = set()
            for sample in range(few(4, 2)):
                world = now.copy()
                state = world.batch.determinised(np.array([observer]), np.array([1000 * number + sample], np.uint64))
                world.batch.set_states(state)
                leads_to = {}
                for action in world.actions:
                    after = world.copy()
                    after.act(action)
                    leads_to.setdefault(suit_of(action), set()).add(after.phase == DISCARD)
                assert all(len(outcome) == 1 for outcome in leads_to.values())
                results.add(tuple(sorted((suit, *outcome) for suit, outcome in leads_to.items())))
            assert len(results) == 1
            seen |= {outcome for _, outcome in results.pop()}
    assert seen == {False, True}
