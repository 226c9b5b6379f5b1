"""Cards, seats, rounds and the deal: SC-01 to SC-19."""

from __future__ import annotations

import random

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.games.shadow_cards import GAME
from shadowenvs.games.shadow_cards.notation import format_card, parse_card
from shadowenvs.games.shadow_cards.spec import STREAM_DEAL, STREAM_LEADER, SUIT_NAMES
from tests.games.shadow_cards.table import (
    CLAIM,
    COUNTS,
    END,
    PLAY,
    PREDICT,
    Table,
    cards,
    deals,
    few,
    members,
    options,
    value,
)

HAND_SIZE = {2: 15, 3: 15, 4: 15, 5: 12}


def chi_square(seen: np.ndarray, expected: float) -> float:
    """Returns how many standard deviations chi-square lies above its mean."""
    freedom = seen.size - 1
    return float((((seen - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5)


@pytest.mark.rule("SC-01")
def test_the_deck() -> None:
    """60 cards: every suit with every rank once, in the tables and in the hands of a deal that leaves none over."""
    deck = GAME.tables(options())
    assert deck["cards"][0].tolist() == list(range(60)) and int(deck["num_cards"][0]) == 60
    assert int(deck["deck"][0]) == (1 << 60) - 1
    for seed in range(5):
        hands = Table.dealt(seed).now.hands
        assert set().union(*hands) == set(range(60)) and sum(map(len, hands)) == 60


@pytest.mark.rule("SC-02")
def test_numbers_of_cards() -> None:
    assert SUIT_NAMES == ("red", "yellow", "green", "blue")
    for suit, letter in enumerate("RYGB"):
        for rank in range(15):
            assert parse_card(f"{letter}{rank}") == 15 * suit + rank
            assert format_card(15 * suit + rank) == f"{letter}{rank}"
    # The kernels count alike: green 0 is card 30, the first of the third suit.
    table = Table.at("phase=play lead=0 move=1 hands=-/Y14G0B0/-/- table=G14/-/-/-")
    assert table.actions == [60 + 30]


@pytest.mark.rule("SC-03")
def test_a_card_is_worth_its_rank() -> None:
    """In predictions, as trick points, and compared within a suit."""
    for rank in range(15):
        table = Table.at(f"phase=claim trick=3 move=0 hands=G9/-/-/- predictions=Y{rank}/-/-/- table=B{rank}/-/-/-")
        assert table.see(0)("prediction_sum") == rank
        table.do(f"claim B{rank}")
        assert table.see(0)("trick_points")[0] == rank
        if rank:
            table = Table.at(f"num_players=2 phase=play hands=B{rank - 1}/B{rank}")
            assert table.do(f"play B{rank - 1}", f"play B{rank}").seat == 1


@pytest.mark.rule("SC-04")
@pytest.mark.parametrize("n", COUNTS)
def test_seats_are_clockwise(n: int) -> None:
    """0 to n - 1; after seat s comes (s + 1) mod n, in predictions and in tricks."""
    assert list(GAME.seats) == [2, 3, 4, 5]
    for wrong in (1, 6):
        with pytest.raises(ValueError, match="num_players must be between 2 and 5"):
            options(num_players=wrong)
    table = Table.dealt(n, num_players=n)
    order = []
    for _ in range(n):
        order.append(table.seat)
        for _ in range(table.options.prediction_cards or 0):
            table.act(table.actions[0])
    assert order == [(order[0] + place) % n for place in range(n)]
    plays = []
    for _ in range(n):
        plays.append(table.seat)
        table.act(table.actions[0])
    assert plays == order and table.phase == CLAIM


@pytest.mark.rule("SC-05")
@pytest.mark.parametrize(("n", "rounds"), [(2, 4), (3, 3), (4, 3), (5, 3)])
def test_number_of_rounds(n: int, rounds: int) -> None:
    assert options(num_players=n).rounds == rounds
    table = Table.dealt(1, num_players=n)
    table.play(random.Random(1))
    assert len(table.now.results) == table.now.round_no == rounds


@pytest.mark.rule("SC-06")
@pytest.mark.parametrize("n", COUNTS)
def test_order_of_a_round(n: int) -> None:
    """Deal, predictions, all tricks, scoring, and nothing of it twice."""
    table = Table.dealt(3, num_players=n)
    h, k = HAND_SIZE[n], table.options.prediction_cards
    phases: list[tuple[int, int, int, int]] = []
    for now in table.states(random.Random(n)):
        row = now.row
        scored = int(row["results"].any(axis=1).sum())
        phases.append((int(row["round_no"]), int(row["phase"]), int(row["trick_no"]), scored))
    assert k is not None and table.options.rounds is not None
    expected = []
    for number in range(1, table.options.rounds + 1):
        expected += [(number, PREDICT, 0, number - 1)] * (n * k)
        for trick in range(1, h - k + 1):
            expected += [(number, PLAY, trick, number - 1)] * n + [(number, CLAIM, trick, number - 1)]
    assert phases == [*expected, (table.options.rounds, END, h - k, table.options.rounds)]


@pytest.mark.rule("SC-07")
@pytest.mark.parametrize("n", COUNTS)
def test_the_first_leader_is_drawn(n: int) -> None:
    """Uniformly, from the seed alone."""
    batch = deals(few(6000, 400), num_players=n)
    leaders = batch.get_states()["round_leader"]
    seen = np.bincount(leaders, minlength=n)
    assert len(seen) == n and chi_square(seen, batch.num_tables / n) < 4
    for seed, leader in zip(batch.get_states()["seed"][:9], leaders, strict=False):
        assert leader == rng.below(seed, STREAM_LEADER, 0, 0, n)


@pytest.mark.rule("SC-08")
@pytest.mark.parametrize("scoring", ["standard", "introductory"])
@pytest.mark.parametrize("n", COUNTS)
def test_the_leader_changes_clockwise(n: int, scoring: str) -> None:
    if scoring == "introductory" and n == 2:
        scoring = "standard"
    table = Table.dealt(8, num_players=n, scoring=scoring, rounds=7)
    leaders = [0] * 8
    for now in table.states(random.Random(n)):
        leaders[int(now.row["round_no"])] = int(now.row["round_leader"])
    assert leaders[1:] == [(leaders[1] + number) % n for number in range(7)]


@pytest.mark.rule("SC-09")
@pytest.mark.parametrize("n", COUNTS)
def test_the_leader_is_known_before_predictions(n: int) -> None:
    for seed in range(6):
        table = Table.dealt(seed, num_players=n)
        for _ in range(2):
            assert table.phase == PREDICT and not any(table.now.predictions)
            for seat in range(n):
                shown = table.see(seat)("round_leader").tolist()
                assert shown == [int((seat + place) % n == table.now.leader and place < n) for place in range(5)]
            table.play(random.Random(seed), lambda table: table.round_no == 2)


@pytest.mark.rule("SC-10", "SC-14")
@pytest.mark.parametrize("n", COUNTS)
def test_all_cards_are_shuffled(n: int) -> None:
    """Every card is in every place equally often, in the first round and in a later one, and rounds differ."""
    number = few(5000, 300)
    batch = deals(number, num_players=n)
    found = []
    for round_no in (1, 3):
        states = batch.get_states()
        if round_no == 3:
            # Only the seed and the number of the round decide a shuffle: go there by a position before the last claim.
            table = Table.dealt(1, num_players=n)
            table.play(random.Random(1), lambda table: table.round_no == 2 and table.ends_round)
            seeds = states["seed"].copy()
            states = np.repeat(table.batch.get_states(), number).view(np.recarray)
            states["seed"] = seeds
            batch.set_states(states)
            batch.step(batch.masks.argmax(axis=1))
            states = batch.get_states()
            assert (states["round_no"] == 3).all()
        held = members(states["hand"])
        seen = held[:, :n].sum(axis=0)
        expected = number * HAND_SIZE[n] / 60
        # Cards of one hand exclude each other; the variance of each count is that of a draw without replacement.
        share = HAND_SIZE[n] / 60
        assert (np.abs(seen - expected) < 5 * (number * share * (1 - share)) ** 0.5).all()
        found.append(held)
    assert (found[0] != found[1]).any(axis=(1, 2)).all()


@pytest.mark.rule("SC-10")
@pytest.mark.parametrize("n", [3, 4, 5])
def test_every_round_has_its_own_shuffle(n: int) -> None:
    """Hands follow the generator: one shuffle of the whole deck for each round, of that round's number."""
    table = Table.dealt(12, num_players=n)
    for round_no in (1, 2, 3):
        table.play(random.Random(n), lambda table, number=round_no: table.round_no == number)
        order = np.arange(60, dtype=np.int8)
        rng.shuffle(np.uint64(table.now.seed), STREAM_DEAL, round_no, order)
        size = HAND_SIZE[n]
        assert table.now.hands == [set(order[seat * size : (seat + 1) * size].tolist()) for seat in range(n)]
        if n == 3:
            assert table.now.extra == order[45:58].tolist()


@pytest.mark.rule("SC-11")
def test_deal_of_five() -> None:
    batch = deals(few(200, 20), num_players=5)
    held = members(batch.get_states()["hand"])
    assert (held.sum(axis=2) == 12).all() and held.any(axis=1).all()


@pytest.mark.rule("SC-12")
def test_deal_of_four() -> None:
    batch = deals(few(200, 20), num_players=4)
    held = members(batch.get_states()["hand"])[:, :4]
    assert (held.sum(axis=2) == 15).all() and held.any(axis=1).all()


@pytest.mark.rule("SC-13")
def test_deal_of_three() -> None:
    """15 cards each; 15 others are the extra stack, of which the state keeps the 13 that will be turned, in order."""
    batch = deals(few(3000, 60), num_players=3)
    states = batch.get_states()
    held = members(states["hand"])[:, :3]
    assert (held.sum(axis=2) == 15).all()
    extra = states["extra"]
    assert (extra[:, 13:] == -1).all() and (extra[:, :13] >= 0).all()
    for b in range(batch.num_tables):
        turned = extra[b, :13].tolist()
        assert len(set(turned)) == 13 and not held[b].any(axis=0)[turned].any()
    assert all(Table.dealt(seed, num_players=3).see(0)("unturned") == 15 for seed in range(3))
    # Shuffled order: the first extra card is above the second as often as not.
    assert (extra[:, 0] > extra[:, 1]).mean() == pytest.approx(0.5, abs=few(5, 25) / 100)


def rounds_of_two(seed: int, **chosen: object) -> list[Table]:
    """Returns a table after the deal of every round of a game of two."""
    table = Table.dealt(seed, num_players=2, **chosen)
    found = []
    for round_no in range(1, (table.options.rounds or 0) + 1):
        table.play(random.Random(seed), lambda table, number=round_no: table.round_no == number)
        found.append(table.copy())
    return found


@pytest.mark.rule("SC-14", "SC-131")
@pytest.mark.parametrize("rounds", [4, 7])
def test_two_seats_shuffle_in_odd_rounds(rounds: int) -> None:
    for seed in range(few(5, 1)):
        for table in rounds_of_two(seed, rounds=rounds):
            now = table.now
            order = np.arange(60, dtype=np.int8)
            rng.shuffle(np.uint64(now.seed), STREAM_DEAL, now.round_no - 1 + now.round_no % 2, order)
            stacks = [set(order[15 * place : 15 * place + 15].tolist()) for place in range(4)]
            assert now.hands == (stacks[:2] if now.round_no % 2 else stacks[2:])


@pytest.mark.rule("SC-15")
def test_two_seats_have_reserve_stacks() -> None:
    for seed in range(few(5, 2)):
        for table in rounds_of_two(seed):
            now = table.now
            if now.round_no % 2:
                assert [*map(len, now.hands), *map(len, now.reserve)] == [15] * 4
                assert set().union(*now.hands, *now.reserve) == set(range(60))
                assert not any(now.played) and not any(now.revealed)
            else:
                assert now.reserve == [set(), set()]


@pytest.mark.rule("SC-16")
def test_reserve_stacks_become_hands() -> None:
    for seed in range(few(5, 2)):
        found = rounds_of_two(seed)
        for odd, even in ((0, 1), (2, 3)):
            assert found[even].now.hands == found[odd].now.reserve
        assert found[2].now.hands != found[0].now.hands


@pytest.mark.rule("SC-17")
def test_even_rounds_hold_no_card_of_the_round_before() -> None:
    for seed in range(few(5, 2)):
        found = rounds_of_two(seed)
        for odd, even in ((0, 1), (2, 3)):
            before, after = found[odd].now.hands, found[even].now.hands
            assert not set().union(*before) & set().union(*after)
            assert set().union(*before, *after) == set(range(60))


@pytest.mark.rule("SC-18")
def test_chance_assigns_the_stacks() -> None:
    """No action chooses one, nobody moves between the last claim and the next prediction, and each seat gets both."""
    assert [block.name for block in GAME.actions.blocks] == ["PREDICT", "PLAY", "CLAIM"]
    stacks = members(deals(few(2000, 400), num_players=2).get_states()["reserve"])
    higher = (stacks[:, 0] * np.arange(60)).sum(axis=1) > (stacks[:, 1] * np.arange(60)).sum(axis=1)
    assert higher.mean() == pytest.approx(0.5, abs=few(5, 10) / 100)
    table = Table.dealt(3, num_players=2)
    table.play(random.Random(3), lambda table: table.ends_round)
    reserve = table.now.reserve
    table.act(table.actions[0])
    assert table.phase == PREDICT and table.now.hands == reserve


@pytest.mark.rule("SC-19")
@pytest.mark.parametrize("n", COUNTS)
def test_hands_are_seen_by_their_owner(n: int) -> None:
    """A hand shows in its owner's observation alone: with other foreign hands of equal size nothing changes."""
    table = Table.dealt(5, num_players=n)
    now = table.now
    for seat in range(n):
        see = table.see(seat)
        assert set(np.flatnonzero(see("hand")).tolist()) == now.hands[seat]
        others = [other for other in range(n) if other != seat]
        swapped = now.hands.copy()
        swapped[others[0]], swapped[others[-1]] = swapped[others[-1]], swapped[others[0]]
        if n == 2:
            swapped[others[0]] = now.reserve[0]
            changed = table.changed(hands=swapped, reserve=[now.hands[others[0]], now.reserve[1]])
        else:
            changed = table.changed(hands=swapped)
        assert changed.observation(seat) == table.observation(seat)
        assert changed.observation(others[0]) != table.observation(others[0])


@pytest.mark.rule("SC-03", "SC-22")
def test_value_of_sets() -> None:
    """The sums of the vectors: 7 and 14 make 21, 13 and 14 make 27."""
    for aside, total in (("R7 Y14", 21), ("B13 G14", 27), ("R0 Y0", 0)):
        table = Table.at(f"phase=play hands=B1/B2/B3/B4 predictions=-/{aside.replace(' ', '')}/-/-")
        assert table.see(1)("prediction_sum") == total == value(cards(aside))


@pytest.mark.rule("SC-01", "SC-56", "SC-53")
@pytest.mark.parametrize("n", COUNTS)
def test_no_card_is_lost_or_doubled(n: int) -> None:
    """At every moment each card lies in one place; at the end of a round of 4 and 5 seats all 60 are public."""
    table = Table.dealt(13, num_players=n)
    places = ("hand", "prediction", "played", "reserve", "revealed")
    for now in table.states(random.Random(n)):
        row = now.row
        held = [int(group) for name in places for group in row[name]]
        held += [1 << int(card) for card in row["extra"] if card >= 0]
        together = 0
        for group in held:
            assert not together & group
            together |= group
        # What is missing from the deck: with 3 seats the two extra cards that never turn; with 2 seats nothing.
        assert together.bit_count() == (58 if n == 3 else 60)
        if now.ends_round and n >= 4:
            public = 0
            for group in (*row["played"], *row["prediction"]):
                public |= int(group)
            assert public.bit_count() == 60
