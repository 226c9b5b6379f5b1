"""Scoring, the end of the game and rewards: SC-54 to SC-90 and SC-121 to SC-125."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from shadowenvs.games.shadow_cards.notation import format_card
from tests.games.shadow_cards.table import (
    CLAIM,
    COUNTS,
    END,
    PREDICT,
    Table,
    cards,
    deck,
    few,
    last_claim,
    options,
    scored,
    value,
)
from tests.oracles.shadow_cards import experience

TIES = ("all", "none", "exact_cancels")


def gains(n: int, sums: list[int | None], values: list[list[int]], round_no: int = 1, **chosen: Any) -> list[int]:
    return scored(options(num_players=n, **chosen), sums, values, round_no)[0]


@pytest.mark.rule("SC-54")
def test_the_round_ends_with_the_last_claim() -> None:
    """Not with the last card, and not before all hands are empty."""
    table = Table.at("phase=play trick=12 hands=R1Y1/R2Y2/R3Y3/R4Y4 predictions=G1G2/G3G4/G5G6/G7G8")
    table.do("play R1", "play R2", "play R3", "play R4")
    assert (table.phase, table.round_no) == (CLAIM, 1)
    table.do("claim R4")
    assert table.now.results == [] and table.trick_no == 13
    table.do("play Y4", "play Y1", "play Y2", "play Y3")
    assert (table.phase, table.round_no, table.now.results) == (CLAIM, 1, [])
    table.do("claim Y4")
    assert (table.phase, table.round_no, len(table.now.results)) == (PREDICT, 2, 1)


@pytest.mark.rule("SC-56")
def test_predictions_become_public() -> None:
    """With 2 seats their cards count in the next round: all seats see them, by whom they were made."""
    table = Table.dealt(3, num_players=2)
    chooser = random.Random(3)
    table.play(chooser, lambda table: table.ends_round)
    before = table.now.predictions
    assert not table.see(0)("revealed").any()
    table.act(table.actions[0])
    assert table.now.revealed == before
    table.play(chooser, lambda table: table.phase == CLAIM)
    for seat in range(2):
        shown = table.see(seat)("revealed")
        for place in range(2):
            assert set(np.flatnonzero(shown[place]).tolist()) == before[(seat + place) % 2]
    table.play(chooser, lambda table: table.round_no == 3)
    assert not table.see(0)("revealed").any()


@pytest.mark.rule("SC-57")
@pytest.mark.parametrize("most_tie", TIES)
@pytest.mark.parametrize("n", COUNTS)
def test_random_rounds(n: int, most_tie: str) -> None:
    """One rule counts for each seat, in the order Exact, Zero, Most, Over, Under; small values meet them all."""
    chooser = random.Random(f"{n} {most_tie}")
    used = set()
    for number in range(few(400, 60)):
        chosen = options(num_players=n, most_tie=most_tie, floor_penalty=bool(number % 2))
        low = sorted(deck(chosen), key=lambda card: (card % 15, card))[: 60 if number % 3 else 34]
        chooser.shuffle(low)
        k = chosen.prediction_cards or 0
        predictions = [{low.pop() for _ in range(k)} for _ in range(n)]
        claimed: list[list[int]] = [[] for _ in range(n)]
        for _ in range(chosen.num_tricks):
            claimed[chooser.randrange(n)].append(low.pop())
        table = last_claim(chosen, predictions, claimed)
        last = max(seat for seat in range(n) if claimed[seat])
        table.do(f"claim {format_card(claimed[last][-1])}")
        sums = [value(prediction) for prediction in predictions]
        values = [[card % 15 for card in own] for own in claimed]
        expected = experience(chosen, 1, sums, values)
        assert table.points == expected
        assert table.now.results[0] == list(zip(sums, map(sum, values), expected, strict=True))
        for p, own in zip(sums, values, strict=True):
            t = sum(own)
            most = t == max(map(sum, values))
            used.add("exact" if t == p else "zero" if t == 0 else "most" if most else "over" if t > p else "under")
    assert used >= {"exact", "most", "over", "under"}


@pytest.mark.rule("SC-57", "SC-58", "SC-59", "SC-60", "SC-61", "SC-62")
def test_each_rule() -> None:
    """The first rule in the order Exact, Zero, Most, Over, Under whose condition is met."""
    # Exact though most; over; under; zero.
    assert gains(4, [21, 16, 11, 12], [[14, 7], [9, 9], [9], []]) == [63, 34, 9, 24]
    # Most; under; over; under.
    assert gains(4, [10, 20, 9, 12], [[14, 9, 5, 4], [9, 9], [10], [1]]) == [24, 18, 19, 1]


@pytest.mark.rule("SC-58")
def test_exact() -> None:
    assert [gains(4, [p, None, None, None], [[p], [14, 13], [], []])[0] for p in (3, 7, 12)] == [9, 21, 36]


@pytest.mark.rule("SC-59", "SC-64")
def test_zero() -> None:
    """Alike for a seat without tricks and for one whose cards are all worth 0."""
    for own in ([], [0], [0, 0, 0]):
        assert gains(4, [13, None, None, None], [own, [14], [], []])[0] == 26


@pytest.mark.rule("SC-60")
@pytest.mark.parametrize("n", COUNTS)
def test_most(n: int) -> None:
    """The K highest values count for the seat, all others against it, in whatever order they were claimed."""
    own = [2, 14, 3, 9, 1, 8, 5]
    for seat in range(n):
        values: list[list[int]] = [[]] * n
        values[seat], values[seat - 1] = own, [1, 2]
        expected = (14 + 9 + 8 + 5 + 3) - (2 + 1) if n == 2 else (14 + 9 + 8) - (5 + 3 + 2 + 1)
        assert gains(n, [None] * n, values)[seat] == expected


@pytest.mark.rule("SC-61", "SC-62")
def test_over_and_under() -> None:
    for p, expected in ((17, 18 + 17), (19, 18), (27, 18), (5, 23)):
        assert gains(4, [p, None, None, None], [[9, 9], [14, 13], [], []])[0] == expected


@pytest.mark.rule("SC-63")
@pytest.mark.parametrize("n", COUNTS)
def test_cards_kept_by_most(n: int) -> None:
    """Five with 2 seats and three with more, whatever the sizes of deck and hand."""
    sizes: list[dict[str, int]] = [{}, {"num_ranks": 13, "hand_size": 10, "prediction_cards": 1, "rounds": 1}]
    for chosen in sizes:
        values = [[8, 8, 8, 7, 7, 7], *[[1]] * (n - 1)]
        expected = (8 + 8 + 8 + 7 + 7 - 7) if n == 2 else (8 + 8 + 8 - 7 - 7 - 7)
        assert gains(n, [None] * n, values, **chosen)[0] == expected


@pytest.mark.rule("SC-65")
def test_nothing_predicted_and_nothing_won() -> None:
    for own in ([], [0]):
        assert gains(4, [0, None, None, None], [own, [14], [], []], prediction_cards=1)[0] == 0


@pytest.mark.rule("SC-66")
def test_most_compares_points() -> None:
    """One trick of 14 beats four tricks of 3."""
    assert gains(4, [5, 6, None, None], [[3, 3, 3, 3], [14], [], []])[:2] == [17, 14]


@pytest.mark.rule("SC-67")
def test_most_on_both_sides_of_the_prediction() -> None:
    for p in (4, 27):
        assert gains(4, [p, None, None, None], [[9, 8, 5, 3], [4], [], []])[0] == 9 + 8 + 5 - 3


@pytest.mark.rule("SC-68")
@pytest.mark.parametrize("n", COUNTS)
def test_most_with_few_cards(n: int) -> None:
    for own in ([14], [14, 2], [14, 9, 5], [14, 9, 5, 4, 3][: 5 if n == 2 else 3]):
        assert gains(n, [2 + n, *[None] * (n - 1)], [own, *[[1]] * (n - 1)], prediction_cards=1)[0] == sum(own)


@pytest.mark.rule("SC-69", "SC-71", "SC-72")
def test_ties_for_the_most() -> None:
    """Two seats of 30 points that are neither exact nor zero: Most hits both, or nobody with 'none'."""
    found = {tie: gains(4, [20, 28, 12, 9], [[9, 8, 7, 4, 2], [13, 12, 5], [11], [9]], most_tie=tie) for tie in TIES}
    assert found == {"all": [18, 30, 11, 27], "none": [50, 58, 11, 27], "exact_cancels": [18, 30, 11, 27]}


@pytest.mark.rule("SC-70", "SC-71", "SC-72")
def test_an_exact_seat_among_the_most() -> None:
    """It is spared; the other stays under Most, unless the option says otherwise."""
    found = {tie: gains(4, [27, 20, 12, 9], [[14, 13], [9, 8, 6, 4], [11], [9]], most_tie=tie) for tie in TIES}
    assert found == {"all": [81, 19, 11, 27], "none": [81, 47, 11, 27], "exact_cancels": [81, 47, 11, 27]}


@pytest.mark.rule("SC-73")
@pytest.mark.parametrize("most_tie", TIES)
def test_most_is_not_inherited(most_tie: str) -> None:
    """The only seat with the most is exact: the second-highest scores by Over."""
    assert gains(4, [27, 20, 12, 9], [[14, 13], [9, 8, 5, 4], [11], [9]], most_tie=most_tie) == [81, 46, 11, 27]


@pytest.mark.rule("SC-74", "SC-75", "SC-76")
def test_most_may_be_negative() -> None:
    """It lowers the total, unless the penalty is floored."""
    values = [[5] * 4 + [6] * 3 + [7], [14, 13], [], []]
    loss = 7 + 6 + 6 - (6 + 4 * 5)
    for floor, expected in ((False, loss), (True, 0)):
        found, table = scored(options(floor_penalty=floor), [19, None, None, None], values)
        assert found[0] == table.points[0] == expected < 1
        assert table.see(0)("totals")[0] == expected
    assert gains(4, [19, None, None, None], [[9, 8, 7, 5], [], [], []], floor_penalty=True)[0] == 19


@pytest.mark.rule("SC-76", "SC-77")
@pytest.mark.parametrize("n", COUNTS)
def test_results_add_up_and_are_public(n: int) -> None:
    """P, T and experience of every finished round and the totals show to all seats, and to nobody before."""
    table = Table.dealt(5, num_players=n, rounds=5)
    chooser = random.Random(n)
    for number in range(1, 6):
        table.play(chooser, lambda table: table.ends_round)
        for scoring in (False, True):
            if scoring:
                table.act(chooser.choice(table.actions))
            results = table.now.results
            assert len(results) == number - 1 + scoring
            totals = [sum(row[seat][2] for row in results) for seat in range(n)]
            assert table.points == totals
            for seat in range(n):
                see = table.see(seat)
                order = [(seat + place) % n for place in range(n)]
                assert see("totals").tolist() == [totals[other] for other in order] + [0] * (5 - n)
                shown = see("results")
                for round_index, row in enumerate(results):
                    assert [tuple(entry) for entry in shown[round_index, :n].tolist()] == [row[s] for s in order]
                assert not shown[len(results) :].any() and not shown[:, n:].any()
    assert table.done


# ----------------------------------------------------------------------------------------------------- introductory


def introductory(round_no: int, p: int, own: list[int], others: list[int] | None = None) -> int:
    values = [own, [14, 13, 12] if others is None else others, [], []]
    return gains(4, [p, None, None, None], values, round_no, scoring="introductory")[0]


@pytest.mark.rule("SC-78")
def test_introductory_scoring_is_not_for_two() -> None:
    for n in (3, 4, 5):
        assert options(num_players=n, scoring="introductory").scoring == "introductory"
    with pytest.raises(ValueError, match="introductory scoring is defined for 3 to 5 players only"):
        options(num_players=2, scoring="introductory")


@pytest.mark.rule("SC-79", "SC-80", "SC-84")
def test_first_introductory_round() -> None:
    assert [introductory(1, 20, own) for own in ([14, 6], [14, 7], [14, 13])] == [20, 20, 20]
    assert [introductory(1, 20, own) for own in ([14, 5], [], [0])] == [0, 0, 0]
    assert introductory(1, 20, [14, 13, 9, 4, 3], []) == 20  # the most of all
    assert introductory(1, 0 + 13, [], [14]) == 0


@pytest.mark.rule("SC-81", "SC-82", "SC-83", "SC-84")
def test_second_introductory_round() -> None:
    assert introductory(2, 20, [14, 6]) == 60
    assert introductory(2, 20, [14, 7]) == 41
    assert [introductory(2, 20, own) for own in ([14, 5], [], [0])] == [19, 0, 0]
    assert introductory(2, 20, [14, 13, 9, 4, 3], []) == 63
    assert introductory(2, 28, [9, 8, 5, 3], [4]) == 25


@pytest.mark.rule("SC-84", "SC-85")
@pytest.mark.parametrize("round_no", [3, 4])
def test_later_rounds_are_standard(round_no: int) -> None:
    for own, others in (([], [14]), ([14, 13, 9, 4, 3], []), ([14, 7], [14, 13]), ([14, 5], [14, 13])):
        values = [own, others, [], []]
        pair = [
            gains(4, [20, None, None, None], values, round_no, scoring=scoring, rounds=5)[0]
            for scoring in ("introductory", "standard")
        ]
        assert pair[0] == pair[1]
    chosen = {"scoring": "introductory", "rounds": 5}
    assert gains(4, [20, None, None, None], [[], [14], [], []], round_no, **chosen)[0] == 40
    assert gains(4, [20, None, None, None], [[14, 13, 9, 4], [1], [], []], round_no, **chosen)[0] == 32


@pytest.mark.rule("SC-86")
@pytest.mark.parametrize("n", [3, 4, 5])
def test_introductory_scoring_changes_points_alone(n: int) -> None:
    """The same seed and actions give the same cards, legal actions and leaders, and the same points from round 3 on."""
    pair = [Table.dealt(7, num_players=n, scoring=scoring) for scoring in ("standard", "introductory")]
    chooser = random.Random(n)
    for _ in range(1000):
        if pair[0].done:
            break
        rows = [table.row for table in pair]
        for name in rows[0].dtype.names:
            if name not in ("options", "points", "results"):
                assert rows[0][name].tobytes() == rows[1][name].tobytes(), name
        assert pair[0].actions == pair[1].actions
        action = chooser.choice(pair[0].actions)
        for table in pair:
            table.act(action)
    results = [table.now.results for table in pair]
    for number in range(3):
        assert [entry[:2] for entry in results[0][number]] == [entry[:2] for entry in results[1][number]]
    assert results[0][2] == results[1][2] and results[0][:2] != results[1][:2]


@pytest.mark.rule("SC-87")
@pytest.mark.parametrize("round_no", [1, 2, 3])
def test_standard_scoring_without_the_option(round_no: int) -> None:
    assert options().scoring == "standard"
    values = [[], [14, 13, 9, 4], [9, 3], [8, 2]]
    assert gains(4, [20, 12, 11, 14], values, round_no) == [40, 32, 23, 10]


# -------------------------------------------------------------------------------------------------------------- end


@pytest.mark.rule("SC-88", "SC-131")
@pytest.mark.parametrize("rounds", [1, 2, 5, 12])
@pytest.mark.parametrize("n", COUNTS)
def test_the_game_ends_after_the_last_round(n: int, rounds: int) -> None:
    sizes = {"hand_size": 3, "prediction_cards": 1, "num_ranks": 5}
    table = Table.dealt(2, num_players=n, rounds=rounds, **sizes)
    chooser = random.Random(n)
    for number in range(1, rounds + 1):
        table.play(chooser, lambda table: table.ends_round)
        assert table.round_no == number and not table.done and table.winners == []
        table.act(chooser.choice(table.actions))
        assert table.done == (number == rounds)
    assert table.phase == END and len(table.now.results) == rounds


@pytest.mark.rule("SC-89", "SC-90", "SC-121", "SC-122", "SC-123")
@pytest.mark.parametrize("n", COUNTS)
def test_winners_and_their_share(n: int) -> None:
    """Every seat with the highest total, by few points or many; tiny decks tie often."""
    shares = set()
    for seed in range(few(150, 40)):
        table = Table.dealt(seed, num_players=n, rounds=1, num_ranks=3, num_suits=4, hand_size=2, prediction_cards=1)
        chooser = random.Random(seed)
        table.play(chooser, lambda table: table.ends_round)
        assert not any(table.rewards)
        table.act(chooser.choice(table.actions))
        winners = [seat for seat in range(n) if table.points[seat] == max(table.points)]
        assert table.winners == winners
        w = len(winners)
        expected = [(n - w) / (w * (n - 1)) if seat in winners else -1 / (n - 1) for seat in range(n)]
        assert table.rewards == pytest.approx(expected, abs=1e-6)
        assert sum(table.rewards) == pytest.approx(0, abs=1e-6)
        shares.add(w)
    assert len(shares) >= 2
    if n == 2:
        assert shares == {1, 2}


@pytest.mark.rule("SC-123", "SC-125")
@pytest.mark.parametrize("n", COUNTS)
def test_win_shares_come_once(n: int) -> None:
    """Every step but the last gives 0; the last pays all seats, whoever acted."""
    for seed in range(few(4, 2)):
        table = Table.dealt(seed, num_players=n)
        paid = [now.rewards for now in table.states(random.Random(seed))]
        assert not np.array(paid[:-1]).any()
        assert sum(paid[-1]) == pytest.approx(0, abs=1e-6) and (np.abs(paid[-1]) > 0).sum() in (0, n)


@pytest.mark.rule("SC-124", "SC-125")
@pytest.mark.parametrize("chosen", [{}, {"num_ranks": 8, "hand_size": 4, "prediction_cards": 2}], ids=["deck", "small"])
@pytest.mark.parametrize("n", COUNTS)
def test_points_are_paid_after_every_round(n: int, chosen: dict[str, int]) -> None:
    """A hundredth of each seat's experience, in the step that ends the round, and nothing otherwise."""
    table = Table.dealt(6, num_players=n, reward="points", **chosen)
    finished = 0
    for now in table.states(random.Random(n)):
        results = now.row["results"].any(axis=1).sum()
        expected = [0.0] * n
        if results > finished:
            finished = int(results)
            expected = [float(np.float32(gain) / np.float32(100)) for _, _, gain in now.now.results[-1]]
        assert now.rewards == expected
    assert finished == table.options.rounds


@pytest.mark.rule("SC-125")
@pytest.mark.parametrize("reward", ["win_share", "points"])
def test_the_last_claim_pays_all(reward: str) -> None:
    """Whichever seat makes it."""
    for last in range(4):
        claimed: list[list[int]] = [[card] for card in sorted(cards("R9 Y13 G11 B12"))]
        claimed = [own if seat <= last else [] for seat, own in enumerate(claimed)]
        chosen = options(rounds=1, reward=reward)
        table = last_claim(chosen, [cards("R1 R2"), cards("Y1 Y2"), cards("G1 G2"), cards("B1 B2")], claimed)
        assert table.seat == last
        table.do(f"claim {format_card(claimed[last][-1])}")
        assert all(table.rewards) and len(table.rewards) == 4
