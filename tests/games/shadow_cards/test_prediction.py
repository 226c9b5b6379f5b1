"""Predictions: SC-20 to SC-28 and SC-93 to SC-98."""

from __future__ import annotations

import random
from itertools import combinations
from math import comb

import pytest

from shadowenvs.games.shadow_cards import GAME
from tests.games.shadow_cards.table import COUNTS, PLAY, PREDICT, Table, cards, options, value


@pytest.mark.rule("SC-20")
@pytest.mark.parametrize(("n", "k"), [(2, 3), (3, 2), (4, 2), (5, 2)])
def test_size_of_predictions(n: int, k: int) -> None:
    assert options(num_players=n).prediction_cards == k
    table = Table.dealt(n, num_players=n)
    for _ in range(3 if n == 2 else 2):
        for done in range(n):
            for picked in range(k):
                sizes = [len(prediction) for prediction in table.now.predictions]
                expected = [0] * n
                for place in range(done):
                    expected[(table.now.leader + place) % n] = k
                expected[table.seat] = picked
                assert sizes == expected and table.phase == PREDICT
                table.act(table.actions[-1])
        assert table.phase == PLAY
        number = table.round_no
        table.play(random.Random(n), lambda table, number=number: table.round_no > number)


@pytest.mark.rule("SC-21", "SC-97")
def test_any_cards_may_be_predicted_in_one_way() -> None:
    """Every set of k hand cards, whatever their suits and ranks, is reached by exactly one sequence of picks."""
    for k, hand in ((2, "R3 R7 R14 Y0 G2 B14"), (3, "R3 R7 Y0 G2 B0 B14"), (4, "R0 R1 Y0 Y1 G14 B14")):
        start = Table.at(f"prediction_cards={k} phase=predict hands={hand.replace(' ', '')}/-/-/-")
        found = []

        def explore(table: Table, k: int = k, found: list[frozenset[int]] = found) -> None:
            if table.phase != PREDICT or table.seat != 0:
                prediction = table.now.predictions[0]
                assert len(prediction) == k
                found.append(frozenset(prediction))
                return
            for action in table.actions:
                after = table.copy()
                after.act(action)
                explore(after)

        explore(start)
        assert len(found) == comb(len(cards(hand)), k)
        assert set(found) == {frozenset(choice) for choice in combinations(cards(hand), k)}


@pytest.mark.rule("SC-22")
@pytest.mark.parametrize("n", COUNTS)
def test_prediction_is_the_sum(n: int) -> None:
    """The owner sees it grow pick by pick, and the score counts it."""
    table = Table.dealt(4, num_players=n)
    chooser = random.Random(n)
    while table.phase == PREDICT:
        seat = table.seat
        table.act(chooser.choice(table.actions))
        assert table.see(seat)("prediction_sum") == value(table.now.predictions[seat])
    sums = [value(prediction) for prediction in table.now.predictions]
    table.play(chooser, lambda table: table.round_no == 2)
    assert [p for p, _, _ in table.now.results[0]] == sums


@pytest.mark.rule("SC-23", "SC-26", "SC-103")
@pytest.mark.parametrize("n", COUNTS)
def test_predictions_are_secret(n: int) -> None:
    """Other seats see the same whichever cards a seat sets aside: while predictions are made, and in the tricks."""
    for phase in (PREDICT, PLAY):
        table = Table.dealt(6, num_players=n)
        table.play(random.Random(n), lambda table, phase=phase: len(table.now.predictions[table.seat]) > 0)
        if phase == PLAY:
            table.play(random.Random(n), lambda table: table.phase == PLAY and table.trick_no == 4)
        now = table.now
        owner = next(seat for seat in range(n) if now.predictions[seat])
        picked, held = min(now.predictions[owner]), max(now.hands[owner])
        hands, predictions = now.hands.copy(), now.predictions.copy()
        hands[owner] = hands[owner] - {held} | {picked}
        predictions[owner] = predictions[owner] - {picked} | {held}
        changed = table.changed(hands=hands, predictions=predictions)
        assert changed.observation(owner) != table.observation(owner)
        for seat in range(n):
            if seat != owner:
                assert changed.observation(seat) == table.observation(seat)


@pytest.mark.rule("SC-24")
@pytest.mark.parametrize("n", COUNTS)
def test_the_owner_may_look_at_its_prediction(n: int) -> None:
    """At every moment of a round."""
    table = Table.dealt(2, num_players=n, rounds=2)
    for number, now in enumerate(table.states(random.Random(n))):
        if number % 7 or now.done:
            continue
        predictions = now.now.predictions
        for seat in range(n):
            see = now.see(seat)
            assert {card for card in range(60) if see("prediction")[card]} == predictions[seat]
            assert see("prediction_sum") == value(predictions[seat])


@pytest.mark.rule("SC-25")
def test_a_prediction_is_not_in_the_hand() -> None:
    """It cannot be played, and it does not count where suit must be followed."""
    table = Table.at(
        "phase=play trick=2 lead=0 move=1 hands=-/R4Y1/-/- predictions=-/G13G14/-/- table=G2/-/-/-",
    )
    assert table.legal() == {"play": cards("R4 Y1")}
    table = Table.at("phase=play trick=2 hands=R4Y1/-/-/- predictions=G13G14/-/-/-")
    assert table.legal() == {"play": cards("R4 Y1")}


@pytest.mark.rule("SC-27")
@pytest.mark.parametrize("n", COUNTS)
def test_a_pick_is_final(n: int) -> None:
    """It is never legal again, and no later action of the round changes the prediction."""
    table = Table.dealt(9, num_players=n)
    chooser = random.Random(n)
    fixed: list[set[int]] = [set() for _ in range(n)]
    complete = False
    for number, now in enumerate(table.states(chooser)):
        if now.round_no > 1:
            break
        if now.phase == PREDICT or number % 9 == 0:
            predictions = now.now.predictions
            assert all(before <= after for before, after in zip(fixed, predictions, strict=True))
            assert not complete or fixed == predictions
            fixed, complete = predictions, now.phase != PREDICT
        if now.phase == PREDICT:
            assert not fixed[now.seat] & set(now.actions)
            assert not fixed[now.seat] & now.now.hands[now.seat]


@pytest.mark.rule("SC-28")
@pytest.mark.parametrize("n", COUNTS)
def test_all_predictions_come_before_the_first_trick(n: int) -> None:
    table = Table.dealt(10, num_players=n)
    k = table.options.prediction_cards or 0
    for _ in range(n * k):
        assert (table.phase, table.trick_no) == (PREDICT, 0)
        assert set(table.legal()) == {"predict"}
        table.act(table.actions[0])
    assert (table.phase, table.trick_no) == (PLAY, 1)
    assert all(len(prediction) == k for prediction in table.now.predictions)


@pytest.mark.rule("SC-93")
@pytest.mark.parametrize("n", COUNTS)
def test_seats_predict_in_turn(n: int) -> None:
    """Clockwise from the leader of the round, each with all its picks in a row."""
    for seed in range(4):
        table = Table.dealt(seed, num_players=n, prediction_cards=4)
        movers = []
        while table.phase == PREDICT:
            movers.append(table.seat)
            table.act(table.actions[0])
        leader = table.now.leader
        assert movers == [(leader + place) % n for place in range(n) for _ in range(4)]


@pytest.mark.rule("SC-94")
@pytest.mark.parametrize("n", COUNTS)
def test_a_pick_moves_the_card_at_once(n: int) -> None:
    table = Table.dealt(11, num_players=n)
    chooser = random.Random(n)
    while table.phase == PREDICT:
        seat, before, action = table.seat, table.now, chooser.choice(table.actions)
        table.act(action)
        after = table.now
        assert before.hands[seat] - after.hands[seat] == {action} == after.predictions[seat] - before.predictions[seat]
        assert len(after.predictions[seat]) == len(before.predictions[seat]) + 1
        for other in range(n):
            if other != seat:
                assert after.hands[other] == before.hands[other]
                assert after.predictions[other] == before.predictions[other]


@pytest.mark.rule("SC-95", "SC-96")
@pytest.mark.parametrize("n", COUNTS)
def test_legal_picks(n: int) -> None:
    """Higher than the last pick, with as many higher hand cards as the prediction lacks then; for several sizes."""
    for k in (1, 2, 3, 5):
        table = Table.dealt(k, num_players=n, prediction_cards=k)
        chooser = random.Random(10 * n + k)
        while table.phase == PREDICT:
            hand, picks = table.now.hands[table.seat], table.now.predictions[table.seat]
            lacking = k - len(picks) - 1
            expected = {
                card
                for card in hand
                if card > max(picks, default=-1) and len([other for other in hand if other > card]) >= lacking
            }
            assert table.legal() == {"predict": expected}
            table.act(chooser.choice(table.actions))


@pytest.mark.rule("SC-98")
@pytest.mark.parametrize(
    ("n", "decisions", "by_phase"),
    [(2, 168, (24, 96, 48)), (3, 174, (18, 117, 39)), (4, 219, (24, 156, 39)), (5, 210, (30, 150, 30))],
    ids=["n2", "n3", "n4", "n5"],
)
def test_numbers_of_decisions(n: int, decisions: int, by_phase: tuple[int, int, int]) -> None:
    """Those of "At a glance", in every game: a seat is asked even where one card only is legal."""
    assert GAME.max_steps(options(num_players=n), GAME.tables(options(num_players=n))) == decisions
    for seed in range(3):
        table = Table.dealt(seed, num_players=n)
        counted, forced = [0, 0, 0, 0], 0
        for now in table.states(random.Random(seed)):
            counted[now.phase] += 1
            forced += len(now.actions) == 1
        assert tuple(counted) == (*by_phase, 1) and sum(counted) - 1 == decisions
        assert forced >= 3 * n  # the last card of each hand, at least


@pytest.mark.rule("SC-22", "SC-55")
def test_a_round_of_many_cards() -> None:
    """Sums beyond one byte: a hand of 30 cards, nearly all of them set aside."""
    table = Table.dealt(3, num_players=2, rounds=1, hand_size=30, prediction_cards=29)
    table.play(random.Random(0), lambda table: table.phase == PLAY)
    sums = [value(prediction) for prediction in table.now.predictions]
    assert sum(sums) > 350
    for seat in range(2):
        assert table.see(seat)("prediction_sum") == sums[seat]
    table.play(random.Random(0))
    assert [p for p, _, _ in table.now.results[0]] == sums
    assert table.options.num_tricks == 1
