"""Determinisation: SC-108 to SC-120, SC-129 and SC-134."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from shadowenvs.games.shadow_cards.notation import Position
from tests.games.shadow_cards.table import CLAIM, COUNTS, PLAY, PREDICT, Table, cards, few, options, value
from tests.oracles import shadow_cards as oracle

HIDDEN = ("seed", "hand", "prediction", "extra", "reserve")


def sample(table: Table, seat: int, number: int, first: int = 0) -> np.recarray:
    """Returns sampled worlds of a seat, as states [number]."""
    states = np.repeat(table.batch.get_states(), number)
    batch = type(table.batch)(table.batch.game, number, autoreset=False, **table.options.as_dict())
    batch.set_states(states)
    seeds = np.arange(first, first + number, dtype=np.uint64) * np.uint64(7919)
    return batch.determinised(np.full(number, seat), seeds)


def keys(states: np.recarray, n: int) -> list[bytes]:
    """Returns a key for what is hidden in each state."""
    parts = [states["hand"][:, :n], states["prediction"][:, :n], states["reserve"]]
    words = np.concatenate([np.ascontiguousarray(part) for part in parts], axis=1)
    return [row.tobytes() + extra.tobytes() for row, extra in zip(words, states["extra"], strict=True)]


def key(world: oracle.World, position: Position) -> bytes:
    """Returns the key of a world of the oracle's."""
    hands, predictions, extra, reserve = world
    sets = [sum(1 << card for card in own) for own in (*hands, *predictions, *reserve)]
    turned = [*position.extra[: position.trick_no], *extra]
    return np.array(sets, np.uint64).tobytes() + np.array(turned + [-1] * (14 - len(turned)), np.int8).tobytes()


def deviation(seen: np.ndarray, expected: np.ndarray) -> float:
    """Returns how many standard deviations chi-square lies above its mean."""
    assert (expected >= 5).all() and seen.sum() == pytest.approx(expected.sum())
    freedom = max(1, len(seen) - 1)
    return float((((seen - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5)


def is_uniform(found: list[bytes], worlds: list[bytes]) -> bool:
    """Whether samples are uniform over all worlds; none may lie outside."""
    counted = Counter(found)
    assert set(counted) <= set(worlds), "a world that the seat can rule out"
    seen = np.array([counted[world] for world in worlds])
    return deviation(seen, np.full(len(worlds), len(found) / len(worlds))) < 4


def check_constraints(table: Table, seat: int, states: np.recarray) -> None:
    """SC-108 to SC-111 and SC-116 on sampled worlds, in sets of cards."""
    true = table.row
    n, phase = table.n, table.phase
    for name in states.dtype.names:
        if name not in HIDDEN:
            assert (states[name] == true[name]).all(), name
    for name in ("hand", "prediction"):
        assert (states[name][:, seat] == true[name][seat]).all()
        assert (np.bitwise_count(states[name]) == np.bitwise_count(true[name])).all()
    assert (np.bitwise_count(states["reserve"]) == np.bitwise_count(true["reserve"])).all()
    turned = table.trick_no if n == 3 else 0
    assert (states["extra"][:, :turned] == true["extra"][:turned]).all()
    assert ((states["extra"] >= 0) == (true["extra"] >= 0)).all()
    # Every place holds unseen cards alone, and no card lies in two of them.
    known = int(true["hand"][seat]) | int(true["prediction"][seat])
    for group in (*true["played"], *true["revealed"], *(true["prediction"] if table.done else ())):
        known |= int(group)
    for card in true["extra"][:turned]:
        known |= 1 << int(card)
    places = [states[name][:, other] for name in ("hand", "prediction") for other in range(n) if other != seat]
    if table.done:
        places = []
    places += [states["reserve"][:, other] for other in range(2)]
    for place in range(turned, 14):
        card = states["extra"][:, place]
        places.append(np.where(card >= 0, np.uint64(1) << np.maximum(card, 0).astype(np.uint64), np.uint64(0)))
    together = np.zeros(len(states), np.uint64)
    for group in places:
        assert not (together & group).any()
        together |= group
    assert not (together & np.uint64(known)).any()
    assert not (together & ~table.batch.tables["deck"][0]).any()
    for other in range(n):
        for suit in range(4):
            if other != seat and int(true["voids"][other]) >> suit & 1:
                assert not (states["hand"][:, other] & np.uint64(((1 << 15) - 1) << 15 * suit)).any()
        picks = int(true["prediction"][other]).bit_count()
        lacking = (table.options.prediction_cards or 0) - picks
        if phase == PREDICT and other != seat and picks and lacking:
            for state in states:
                highest = int(state["prediction"][other]).bit_length()
                assert (int(state["hand"][other]) >> highest).bit_count() >= lacking


@pytest.mark.rule("SC-108", "SC-109", "SC-110", "SC-116", "SC-120")
@pytest.mark.parametrize("n", COUNTS)
def test_worlds_without_contradiction(n: int) -> None:
    """Thousands of samples of full decks at all moments: sizes, unseen cards, voids and picks are respected."""
    table = Table.dealt(n, num_players=n, prediction_cards=3)
    limited = set()
    step, number = few(5, 41), few(60, 4)
    for moment, now in enumerate(table.states(random.Random(n))):
        if moment % step and not (now.done or (now.row["voids"].any() and moment % few(1, 11) == 0)):
            continue
        if moment > few(140, 90) and not now.done:
            continue
        seat = moment % n
        states = sample(now, seat, number, moment)
        check_constraints(now, seat, states)
        limited.add((now.phase, bool(now.row["voids"].any())))
    assert limited >= {(PREDICT, False), (PLAY, True)}


def moments(chosen: dict[str, Any], seeds: int, largest: int, wanted: Callable[[Position, int], bool]) -> Iterator[Any]:
    """Yields (table, seat, worlds) for moments of small games with few enough worlds."""
    for seed in range(seeds):
        table = Table.dealt(seed, **chosen)
        for now in table.states(random.Random(seed)):
            position = now.now
            for seat in range(now.n):
                number = oracle.count_worlds(position, seat) // oracle.same_worlds(position, seat)
                if number <= largest and wanted(position, seat):
                    yield now.copy(), seat, [key(world, position) for world in oracle.worlds(position, seat)]


def small(n: int, rounds: int, suits: int, ranks: int, h: int, k: int) -> dict[str, Any]:
    return {
        "num_players": n,
        "rounds": rounds,
        "num_suits": suits,
        "num_ranks": ranks,
        "hand_size": h,
        "prediction_cards": k,
    }


SMALL = {
    "2-leftover": small(2, 1, 3, 4, 4, 2),
    "2-picks": small(2, 1, 3, 4, 5, 3),
    "2-reserve": small(2, 3, 2, 5, 2, 1),
    "2-stacks": small(2, 2, 2, 4, 2, 1),
    "2-even": small(2, 2, 2, 8, 4, 2),
    "3-extra": small(3, 2, 3, 4, 3, 1),
    "4-full": small(4, 2, 3, 4, 3, 1),
    "4-picks": small(4, 1, 4, 3, 3, 2),
    "5-leftover": small(5, 1, 4, 3, 2, 1),
}


@pytest.mark.rule("SC-108", "SC-109", "SC-110", "SC-111", "SC-112", "SC-116", "SC-117", "SC-120", "SC-129", "SC-134")
@pytest.mark.parametrize("name", SMALL)
def test_worlds_are_those_of_the_oracle(name: str) -> None:
    """On small decks every sample is a world that the oracle enumerates, the truth is one, and most are reached."""
    checked, reached, total = 0, 0, 0
    for now, seat, worlds in moments(SMALL[name], few(6, 2), few(600, 60), lambda position, seat: True):
        states = sample(now, seat, few(200, 12), checked)
        found = keys(states, now.n)
        assert set(found) <= set(worlds)
        assert keys(now.batch.get_states(), now.n)[0] in set(worlds)
        reached += len(set(found))
        total += min(len(worlds), len(found))
        checked += 1
    assert checked >= few(40, 8) and reached > 0.5 * total


def unlike_voids(position: Position, seat: int) -> bool:
    """Whether two foreign hands with cards lack different suits."""
    lacking = [position.voids[other] for other, hand in enumerate(position.hands) if other != seat and hand]
    return sum(map(bool, lacking)) >= 2 and len({frozenset(suits) for suits in lacking}) >= 2


def made_picks(number: int) -> Callable[[Position, int], bool]:
    """Returns whether a foreign seat has made this number of its picks and is to make more."""

    def holds(position: Position, seat: int) -> bool:
        k = position.options.prediction_cards or 0
        sizes = [len(prediction) for other, prediction in enumerate(position.predictions) if other != seat]
        return position.phase == PREDICT and number in sizes and number < k

    return holds


UNIFORM: dict[str, tuple[str, Callable[[Position, int], bool]]] = {
    "reserve stacks": ("2-stacks", lambda position, seat: any(position.reserve) and position.phase == PLAY),
    "extra in order": ("3-extra", lambda position, seat: any(position.voids) and position.trick_no == 1),
    "unlike voids": ("4-full", unlike_voids),
    "one pick": ("2-picks", made_picks(1)),
    "two picks": ("2-picks", made_picks(2)),
    "leftover": ("5-leftover", lambda position, seat: any(position.voids)),
}


def uniform_case(name: str, smallest: int, largest: int) -> Any:
    label, wanted = UNIFORM[name]
    for now, seat, worlds in moments(SMALL[label], 60, largest, wanted):
        if len(worlds) >= smallest:
            return now, seat, worlds
    raise AssertionError("there is no such moment")


@pytest.mark.rule("SC-117", "SC-118")
@pytest.mark.parametrize("name", UNIFORM)
def test_samples_are_uniform(name: str) -> None:
    """Chi-square against a full enumeration: orders of extra cards, owners of stacks, voids and picks included."""
    now, seat, worlds = uniform_case(name, 12, 400)
    assert is_uniform(keys(sample(now, seat, few(40, 6) * len(worlds)), now.n), worlds)


def greedy(position: Position, seat: int, chooser: random.Random) -> bytes:
    """Returns a world drawn seat by seat from the cards that are still possible: consistent, but not uniform."""
    hidden = oracle.Hidden(position, seat)
    while True:
        left = hidden.unseen.copy()
        hands, predictions = [set(own) for own in position.hands], [set(own) for own in position.predictions]
        try:
            for other, size in hidden.hands.items():
                possible = [card for card in left if card // 15 not in hidden.voids[other]]
                hands[other] = set(chooser.sample(possible, size))
                left = [card for card in left if card not in hands[other]]
        except ValueError:
            continue  # a dead end; begin anew
        for other, size in hidden.predictions.items():
            predictions[other] = set(chooser.sample(left, size))
            left = [card for card in left if card not in predictions[other]]
        return key((tuple(map(frozenset, hands)), tuple(map(frozenset, predictions)), (), (frozenset(),) * 2), position)


@pytest.mark.rule("SC-118")
def test_a_greedy_sampler_is_rejected() -> None:
    """The same test finds a sampler out that respects all constraints but not the weights."""
    table = Table(
        Position(
            options(**SMALL["4-full"]),
            phase=PLAY,
            trick_no=2,
            hands=[cards("R0"), cards("R1"), cards("G1"), cards("Y1")],
            predictions=[cards("Y0"), cards("R2"), cards("Y2"), cards("G2")],
            played=[cards("R3"), cards("Y3"), cards("G0"), cards("G3")],
            voids=[set(), {1}, {0}, {2}],
        )
    )
    worlds = worlds_of(table, 0)
    assert is_uniform(keys(sample(table, 0, few(50, 10) * len(worlds)), 4), worlds)
    chooser = random.Random(1)
    position = table.now
    found = [greedy(position, 0, chooser) for _ in range(few(50, 20) * len(worlds))]
    assert not is_uniform(found, worlds)


# ------------------------------------------------------------------------------------------------- vectors I01 to I10


@pytest.mark.rule("SC-109", "SC-118")
@pytest.mark.parametrize(
    ("n", "number"),
    [
        pytest.param(4, 61927125974044307998560000, id="I01"),
        pytest.param(5, 4474419241588570071864418249497600, id="I02"),
        pytest.param(3, 17138733401093074045717310668800000, id="I03"),
        pytest.param(2, 24340215802345457414400, id="I04"),
    ],
)
def test_worlds_before_the_first_card(n: int, number: int) -> None:
    """So many that no two samples are equal; every card is in every hidden place as often as its size says."""
    table = Table.dealt(n, num_players=n)
    table.play(random.Random(n), lambda table: table.phase == PLAY)
    for seat in range(n):
        assert oracle.count_worlds(table.now, seat) == number
    states = sample(table, 0, few(2000, 150))
    check_constraints(table, 0, states)
    assert len(set(keys(states, n))) == len(states)
    unseen = oracle.Hidden(table.now, 0).unseen
    places = [states[name][:, other] for name in ("hand", "prediction") for other in range(1, n)]
    places += [states["reserve"][:, stack] for stack in range(2)] if n == 2 else []
    for place in places:
        held = np.array([((place >> np.uint64(card)) & np.uint64(1)).sum() for card in unseen], float)
        share = np.bitwise_count(place[0]) / len(unseen)
        assert (np.abs(held - len(states) * share) < 5 * (len(states) * share * (1 - share)) ** 0.5 + 1).all()
    if n == 3:
        first = np.bincount(states["extra"][:, 5], minlength=60)[unseen]
        assert (first > 0).mean() > few(99, 80) / 100


def second_round(greens: int) -> Table:
    """Returns a 2-seat game before the first card of round 2, led by seat 0, who holds green cards.

    Seat 1 has predicted all its green cards and holds R5.
    """
    green = cards("G0 G6 G14") if greens == 3 else cards("G0 G6")
    aside = green | cards("R1" if greens == 2 else "-")
    theirs = cards("R2 R3 R4 R5 R6 R7 R8 R9 B0 B1 B2 B3")
    mine = cards("G1 G2 G3 G4 G5 G7 G8 G9 G10 G11 G12 G13")
    others = sorted(set(range(60)) - aside - theirs - mine)
    return Table(
        Position(
            options(num_players=2),
            phase=PLAY,
            round_no=2,
            trick_no=1,
            hands=[mine, theirs],
            predictions=[set(others[:3]), aside],
            played=[set(others[3:15]), set(others[15:27])],
            revealed=[set(others[27:30]), set(others[30:33])],
            results=[[(0, 0, 0)] * 2],
        )
    )


def worlds_of(table: Table, seat: int) -> list[bytes]:
    position = table.now
    return [key(world, position) for world in oracle.worlds(position, seat)]


@pytest.mark.rule("SC-114", "SC-115", "SC-117", "SC-118")
def test_i05_worlds_of_an_even_round() -> None:
    """The opponent's 15 cards are known, their split is not: 455 ways, all alike, so P is what any three cards give."""
    table = second_round(2)
    worlds = worlds_of(table, 0)
    assert len(worlds) == 455 == oracle.count_worlds(table.now, 0)
    states = sample(table, 0, few(20000, 2800))
    assert is_uniform(keys(states, 2), worlds)
    opponent = table.now.hands[1] | table.now.predictions[1]
    together = np.uint64(sum(1 << card for card in opponent))
    assert ((states["hand"][:, 1] | states["prediction"][:, 1]) == together).all()
    sums = {value(card for card in range(60) if int(own) >> card & 1) for own in states["prediction"][:, 1]}
    ranks = sorted(card % 15 for card in opponent)
    assert min(sums) == sum(ranks[:3]) and max(sums) == sum(ranks[-3:])


@pytest.mark.rule("SC-110", "SC-111", "SC-113")
@pytest.mark.parametrize(("greens", "number"), [pytest.param(2, 12, id="I06"), pytest.param(3, 1, id="I07")])
def test_worlds_after_a_void(greens: int, number: int) -> None:
    """It failed to follow green: all its green cards are in its prediction, which a void says nothing about."""
    table = second_round(greens)
    table.do("play G1", "play R5")
    worlds = worlds_of(table, 0)
    assert len(worlds) == number == oracle.count_worlds(table.now, 0)
    states = sample(table, 0, few(4000, 300))
    if number > 1:
        assert is_uniform(keys(states, 2), worlds)
    assert set(keys(states, 2)) == set(worlds)
    green = np.uint64(((1 << 15) - 1) << 30)
    assert (np.bitwise_count(states["prediction"][:, 1] & green) == greens).all()
    assert not (states["hand"][:, 1] & green).any()


@pytest.mark.rule("SC-109", "SC-110", "SC-111", "SC-113", "SC-115", "SC-118")
@pytest.mark.parametrize(
    ("voids", "number"),
    [pytest.param(0, 45360, id="I08"), pytest.param(1, 35280, id="I09"), pytest.param(3, 18900, id="I10")],
)
def test_worlds_before_the_last_trick(voids: int, number: int) -> None:
    """Uniform over all worlds, which are counted in bins; with all three hands void both blue cards are predicted."""
    unseen = sorted(cards("R8 R9 Y3 Y4 Y5 G6 G7 B1 B2"))
    others = [card for card in range(60) if card not in unseen]
    table = Table(
        Position(
            options(),
            phase=PLAY,
            trick_no=13,
            hands=[{others[0]}, {unseen[0]}, {unseen[1]}, {unseen[2]}],
            predictions=[set(others[1:3]), set(unseen[3:5]), set(unseen[5:7]), set(unseen[7:])],
            played=[set(others[3 + 12 * seat : 15 + 12 * seat]) for seat in range(4)],
            voids=[{3} if 1 <= seat <= voids else set() for seat in range(4)],
        )
    )
    assert oracle.count_worlds(table.now, 0) == number
    worlds = worlds_of(table, 0)
    assert len(worlds) == number
    states = sample(table, 0, few(20000, 1500))
    found = keys(states, 4)
    assert set(found) <= set(worlds)
    bins = few(1000, 100)

    def binned(entries: list[bytes]) -> np.ndarray:
        words = np.frombuffer(b"".join(entries), np.uint8).reshape(len(entries), -1).astype(np.uint64)
        weights = np.random.default_rng(5).integers(1, 2**40, words.shape[1], dtype=np.uint64)
        return np.bincount(((words * weights).sum(axis=1) >> np.uint64(7)).astype(np.int64) % bins, minlength=bins)

    expected = binned(worlds) * (len(found) / number)
    assert deviation(binned(found), expected) < 4
    if voids == 3:
        blue = np.uint64(((1 << 15) - 1) << 45)
        assert (np.bitwise_count(states["prediction"][:, 1:4] & blue).sum(axis=1) == 2).all()


# ---------------------------------------------------------------------------------------------------- single clauses


@pytest.mark.rule("SC-110", "SC-112")
@pytest.mark.parametrize("n", COUNTS)
def test_voids_last_for_the_round(n: int) -> None:
    """A seat that fails to follow is known to lack the led suit until the round ends; following tells nothing."""
    table = Table.dealt(7, num_players=n, rounds=3)
    voids: list[set[int]] = [set() for _ in range(n)]
    chooser = random.Random(n)
    for _ in range(500):
        if table.done:
            break
        if table.phase == PREDICT:
            voids = [set() for _ in range(n)]
        assert [{s for s in range(4) if int(row) >> s & 1} for row in table.row["voids"][:n]] == voids
        for seat in range(n):
            shown = table.see(seat)("voids")
            assert [set(np.flatnonzero(row).tolist()) for row in shown[:n]] == [voids[(seat + p) % n] for p in range(n)]
        seat, action = table.seat, chooser.choice(table.actions)
        led = int(table.row["trick"][table.row["trick_leader"]])
        if table.phase == PLAY and led >= 0 and (action - 60) // 15 != led // 15:
            voids[seat] = voids[seat] | {led // 15}
        table.act(action)
    assert table.done


@pytest.mark.rule("SC-114", "SC-134")
def test_even_rounds_of_two() -> None:
    """All cards of the opponent are known, if the deal left none over; else they are some of the unseen ones."""
    for chosen, left_over in (({}, 0), ({"num_ranks": 13, "hand_size": 12}, 4)):
        table = Table.dealt(8, num_players=2, **chosen)
        table.play(random.Random(8), lambda table: table.round_no == 2 and table.phase == CLAIM)
        true = table.row
        theirs = true["hand"][1] | true["prediction"][1]
        states = sample(table, 0, few(600, 60))
        check_constraints(table, 0, states)
        together = states["hand"][:, 1] | states["prediction"][:, 1]
        assert (together == theirs).all() == (left_over == 0)
        assert len(oracle.Hidden(table.now, 0).unseen) == int(theirs).bit_count() + left_over
        if left_over:
            unseen = sum(1 << card for card in oracle.Hidden(table.now, 0).unseen)
            assert int(np.bitwise_or.reduce(together)) == unseen


@pytest.mark.rule("SC-116")
@pytest.mark.parametrize("n", COUNTS)
def test_worlds_while_a_seat_picks(n: int) -> None:
    """For every number of picks made: the sampled hand can complete the prediction."""
    table = Table.dealt(9, num_players=n, prediction_cards=4)
    chooser = random.Random(n)
    made = set()
    while table.phase == PREDICT:
        for seat in range(n):
            picks = [len(own) for other, own in enumerate(table.now.predictions) if other != seat and 0 < len(own) < 4]
            if picks:
                states = sample(table, seat, few(80, 8))
                check_constraints(table, seat, states)
                made |= set(picks)
                batch = type(table.batch)(table.batch.game, len(states), autoreset=False, **table.options.as_dict())
                batch.set_states(states)
                assert batch.masks.any(axis=1).all()
        table.act(chooser.choice(table.actions))
    assert made == {1, 2, 3}


@pytest.mark.rule("SC-119")
@pytest.mark.parametrize("n", COUNTS)
def test_later_shuffles_are_open(n: int) -> None:
    """Worlds of one moment go on to different deals, none of them the true one."""
    table = Table.dealt(10, num_players=n)
    shuffled = 3 if n == 2 else 2
    table.play(random.Random(n), lambda table: table.round_no == shuffled - 1 and table.ends_round)
    states = sample(table, 0, 12)
    batch = type(table.batch)(table.batch.game, 12, autoreset=False, **table.options.as_dict())
    batch.set_states(states)
    batch.step(batch.masks.argmax(axis=1))
    table.act(table.actions[0])
    assert table.round_no == shuffled
    hands = {row["hand"].tobytes() for row in batch.get_states()} | {table.row["hand"].tobytes()}
    assert len(hands) == 13


@pytest.mark.rule("SC-120")
@pytest.mark.parametrize("n", COUNTS)
def test_worlds_look_alike(n: int) -> None:
    """In every sampled world the seat has the same observation and, if it is to move, the same legal actions."""
    table = Table.dealt(11, num_players=n)
    for moment, now in enumerate(table.states(random.Random(n))):
        if moment % few(9, 43):
            continue
        for seat in range(n):
            states = sample(now, seat, few(10, 2), moment)
            batch = type(table.batch)(table.batch.game, len(states), autoreset=False, **table.options.as_dict())
            batch.set_states(states)
            observations = batch.observe(np.full(len(states), seat))
            assert all(row.tobytes() == now.observation(seat) for row in observations)
            if seat == now.seat:
                assert (batch.masks == now.batch.masks).all()


@pytest.mark.rule("SC-118", "SC-108")
def test_a_finished_game_hides_nothing_that_counts() -> None:
    for n in COUNTS:
        table = Table.dealt(12, num_players=n)
        table.play(random.Random(n))
        check_constraints(table, 0, sample(table, 0, 20))


@pytest.mark.long
@pytest.mark.rule("SC-108", "SC-109", "SC-110", "SC-116", "SC-118")
@pytest.mark.parametrize("name", SMALL)
def test_many_moments_are_uniform(name: str) -> None:
    """Chi-square at every moment of many small games; few may deviate, none by much."""
    deviations = []
    for now, seat, worlds in moments(SMALL[name], 12, 800, lambda position, seat: True):
        if len(worlds) < 2:
            continue
        first = 20_000 * len(deviations)  # seeds that no other moment has used
        counted = Counter(keys(sample(now, seat, 20 * len(worlds), first), now.n))
        assert set(counted) <= set(worlds)
        deviations.append(deviation(np.array([counted[world] for world in worlds]), np.full(len(worlds), 20.0)))
    assert len(deviations) > 50
    assert max(deviations) < 6.5 and np.mean(np.array(deviations) > 2) < 0.12
