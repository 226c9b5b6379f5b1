"""The oracle of Shadow Cards against the test vectors of the rule file (section 6) and against itself."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.games.shadow_cards.notation import Position
from shadowenvs.games.shadow_cards.spec import ShadowCardsOptions
from tests.oracles import shadow_cards as oracle
from tests.oracles.shadow_cards import CLAIM, END, PLAY, PREDICT, Oracle

SUITS = "RYGB"


def card(text: str) -> int:
    return SUITS.index(text[0]) * 15 + int(text[1:])


def cards(text: str) -> list[int]:
    """Returns the cards of a text like "R4 Y1"; none for "-"."""
    return [card(word) for word in text.split() if word != "-"]


def options(**chosen: Any) -> ShadowCardsOptions:
    return ShadowCardsOptions.make(**chosen)


def seat_sets(n: int, **by_seat: list[int]) -> list[set[int]]:
    """Returns a list of n sets; s1=[...] fills seat 1."""
    return [set(by_seat.get(f"s{seat}", [])) for seat in range(n)]


def play_on(game: Oracle, chooser: random.Random, until: Callable[[Oracle], bool] = lambda game: False) -> int:
    """Plays random actions until a condition or the end; returns their number."""
    count = 0
    while not game.done and not until(game):
        game.step(chooser.choice(sorted(game.legal())))
        count += 1
    return count


def new_game(seed: int, **chosen: Any) -> Oracle:
    game = Oracle(options(**chosen))
    game.deal(seed)
    return game


# A. One seat

ONE_SEAT = """
A01 standard 4 25 | 14 13 | 30 52
A02 standard 4 25 | 10 7 | 30 17
A03 standard 4 25 | 14 11 | 30 75
A04 standard 4 24 | - | 30 48
A05 standard 4 26 | 12 11 10 6 | 30 27
A06 intro-1 4 26 | 14 14 | 30 26
A07 intro-1 4 27 | 14 12 | 30 0
A08 intro-1 4 27 | 8 4 9 2 5 0 | 30 27
A09 intro-2 4 25 | 14 13 | 30 52
A10 intro-2 4 25 | 10 7 | 30 17
A11 intro-2 4 25 | 14 11 | 30 75
A12 standard 4 27 | 8 4 9 2 5 0 | 30 55
A13 standard 4 27 | 8 4 9 2 5 0 | 20 16
A14 intro-1 4 20 | 14 6 | 30 20
A15 intro-2 4 24 | - | 30 0
A16 intro-2 4 26 | 12 11 10 6 | 30 65
A17 standard 4 14 | 0 0 | 30 28
A18 standard 4 0 | - | 30 0
A19 standard 4 0 | 0 0 0 | 30 0
A20 standard 4 0 | 5 4 | 30 9
A21 standard 4 28 | 14 14 | 27 84
A22 standard 4 10 | 14 13 | 20 27
A23 standard 4 10 | 14 13 12 | 38 39
A24 standard 4 28 | 9 8 7 1 1 | 25 22
A25 standard 3 20 | 7 7 7 6 6 6 5 5 | 30 -7
A26 floor 3 20 | 7 7 7 6 6 6 5 5 | 30 0
A27 standard 4 26 | 9 9 9 9 3 | 38 15
A28 standard 2 30 | 9 8 7 6 5 4 3 | 4 28
A29 standard 2 42 | 14 13 12 | 20 39
A30 standard 2 18 | - | 60 36
A31 standard 2 15 | 0 0 | 50 30
A32 small 2 2 | 0 | 0 4
""".strip().splitlines()


@pytest.mark.parametrize("row", ONE_SEAT, ids=lambda row: row.split()[0])
@pytest.mark.parametrize("seat", [0, 1])
def test_one_seat(row: str, seat: int) -> None:
    head, claims, tail = row.split("|")
    _, rules, n_text, p = head.split()
    best_other, points = map(int, tail.split())
    n = int(n_text)
    chosen: dict[str, Any] = {"num_players": n}
    if rules.startswith("intro"):
        chosen["scoring"] = "introductory"
    if rules == "floor":
        chosen["floor_penalty"] = True
    if rules == "small":
        chosen |= {"rounds": 1, "num_suits": 2, "num_ranks": 3, "hand_size": 3, "prediction_cards": 1}
    values = [[0]] * n
    values[seat] = [int(word) for word in claims.split() if word != "-"]
    values[(seat + 1) % n] = [14] * (best_other // 14) + [best_other % 14]
    predictions = [1] * n
    predictions[seat] = int(p)
    round_no = 2 if rules == "intro-2" else 1
    assert oracle.experience(options(**chosen), round_no, predictions, values)[seat] == points


def test_introductory_scoring_ends_with_round_two() -> None:  # SC-85
    chosen = options(scoring="introductory")
    values = [[], [14, 14, 2], [], []]
    assert [oracle.experience(chosen, number, [24, 1, 1, 1], values)[0] for number in (1, 2, 3)] == [0, 0, 48]


def test_sums_of_predictions() -> None:  # SC-22
    result, _ = round_result(4, "all", [[7, 14], [13, 14], [0, 1], [2, 3]], [[8], [1], [2], [3]])
    assert result == [(21, 8, 8), (27, 1, 1), (1, 2, 3), (5, 3, 3)]


# B. Whole rounds

ROUNDS = """
B01 all 4 | 20 28 12 9 | 9 8 7 4 2 / 13 12 5 / 11 4 2 / 9 1 | 18 30 29 19
B02 none 4 | 20 28 12 9 | 9 8 7 4 2 / 13 12 5 / 11 4 2 / 9 1 | 50 58 29 19
B03 exact_cancels 4 | 20 28 12 9 | 9 8 7 4 2 / 13 12 5 / 11 4 2 / 9 1 | 18 30 29 19
B04 all 4 | 28 20 16 5 | 14 14 / 9 7 6 4 2 / 11 5 / 8 3 1 0 | 84 16 48 17
B05 none 4 | 28 20 16 5 | 14 14 / 9 7 6 4 2 / 11 5 / 8 3 1 0 | 84 48 48 17
B06 exact_cancels 4 | 28 20 16 5 | 14 14 / 9 7 6 4 2 / 11 5 / 8 3 1 0 | 84 48 48 17
B07 all 3 | 28 20 24 | 14 14 / 9 8 7 3 0 / 6 5 4 2 1 1 | 84 47 19
B08 all 3 | 20 27 9 | 7 7 7 6 6 6 5 5 / 14 13 / 4 4 0 | -7 81 8
B09 all 5 | 15 21 10 25 28 | - / 0 / 14 13 12 / 11 10 9 / 8 8 7 | 30 42 39 55 23
B10 all 2 | 25 33 | 11 10 9 6 3 1 / 12 8 7 5 4 4 | 38 32
B11 none 2 | 25 33 | 11 10 9 6 3 1 / 12 8 7 5 4 4 | 65 73
B12 all 2 | 20 18 | 6 6 6 6 5 5 5 5 4 4 4 4 / - | -2 36
B13 all 2 | 39 20 | 14 13 12 / 4 4 3 3 2 2 1 1 0 | 117 60
""".strip().splitlines()


def read_round(row: str) -> tuple[str, int, list[int], list[list[int]], list[int]]:
    head, predictions, claims, points = row.split("|")
    _, most_tie, n = head.split()
    values = [[int(word) for word in part.split() if word != "-"] for part in claims.split("/")]
    return most_tie, int(n), [int(p) for p in predictions.split()], values, [int(gain) for gain in points.split()]


def set_aside(unused: set[int], sums: list[int], k: int) -> Iterator[list[set[int]]]:
    """Yields disjoint predictions of k unused cards with these sums."""
    if not sums:
        yield []
        return
    for choice in combinations(sorted(unused), k):
        if sum(c % 15 for c in choice) == sums[0]:
            for others in set_aside(unused - set(choice), sums[1:], k):
                yield [set(choice), *others]


def round_result(
    n: int, most_tie: str, predictions: list[list[int]] | list[int], values: list[list[int]], **chosen: Any
) -> tuple[list[tuple[int, int, int]], list[float]]:
    """Returns the result and the rewards of round 1 that a game gives, played from the lead to its last trick.

    Every seat has one card left; the last seat with a claim leads the highest card that may win, and claims the last of
    its values. All cards are different.
    """
    game_options = options(num_players=n, most_tie=most_tie, **chosen)
    unused = set(range(60))

    def take(value: int) -> int:
        found = max(c for c in unused if c % 15 == value)
        unused.remove(found)
        return found

    claimed = [[take(value) for value in seat_values] for seat_values in values]
    if isinstance(predictions[0], int):
        assert game_options.prediction_cards is not None
        aside = next(set_aside(unused, predictions, game_options.prediction_cards))
        unused.difference_update(*aside)
    else:
        aside = [{take(value) for value in seat_values} for seat_values in predictions]
    last = max(seat for seat in range(n) if values[seat])
    last_card = claimed[last].pop()
    hands: list[set[int]] = [set() for _ in range(n)]
    if last_card < 15:
        hands[last] = {last_card}
    else:
        hands[last] = {max(c for c in unused if c < 15)}
        hands[(last + 1) % n] = {last_card}
    unused -= hands[last]
    for hand in hands:
        if not hand:
            hand.add(max(unused))
            unused -= hand
    game = Oracle.from_position(
        Position(
            game_options,
            phase=PLAY,
            trick_no=game_options.num_tricks,
            lead=last,
            move=last,
            hands=hands,
            predictions=aside,
            played=[set(group) for group in claimed],
            claimed=[set(group) for group in claimed],
            extra=sorted(unused)[: game_options.num_tricks] if n == 3 else [],
        )
    )
    for number in range(n):
        seat = (last + number) % n
        assert game.to_move == seat and game.phase == PLAY
        game.step(60 + next(iter(hands[seat])))
    assert game.to_move == last and game.phase == CLAIM
    game.step(120 + last_card)
    assert [(p, t) for p, t, _ in game.results[0]] == [
        (sum(c % 15 for c in chosen), sum(claims)) for chosen, claims in zip(aside, values, strict=True)
    ]
    assert game.points == [gain for _, _, gain in game.results[0]]
    return game.results[0], game.rewards


@pytest.mark.parametrize("row", ROUNDS, ids=lambda row: row.split()[0])
def test_round(row: str) -> None:
    most_tie, n, predictions, values, points = read_round(row)
    result, rewards = round_result(n, most_tie, predictions, values)
    assert [gain for _, _, gain in result] == points
    assert [p for p, _, _ in result] == predictions
    assert rewards == [0.0] * n  # SC-123: the game goes on
    assert oracle.experience(options(num_players=n, most_tie=most_tie), 1, predictions, values) == points


@pytest.mark.parametrize("row", ROUNDS, ids=lambda row: row.split()[0])
def test_round_does_not_depend_on_the_seats(row: str) -> None:
    most_tie, n, predictions, values, points = read_round(row)
    for shift in range(n):
        turn = [(seat + shift) % n for seat in range(n)]
        gains = oracle.experience(
            options(num_players=n, most_tie=most_tie), 1, [predictions[s] for s in turn], [values[s] for s in turn]
        )
        assert gains == [points[s] for s in turn]


def test_points_reward() -> None:  # SC-124
    most_tie, n, predictions, values, _ = read_round(next(row for row in ROUNDS if row.startswith("B08")))
    _, rewards = round_result(n, most_tie, predictions, values, reward="points")
    assert rewards == [float(np.float32(value)) for value in ("-0.07", "0.81", "0.08")]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_points_rewards_of_a_game(n: int) -> None:  # SC-124, SC-125
    game = new_game(6, num_players=n, reward="points")
    chooser = random.Random(n)
    finished = 0
    while not game.done:
        game.step(chooser.choice(sorted(game.legal())))
        expected = [0.0] * n
        if len(game.results) > finished:
            finished = len(game.results)
            expected = [float(np.float32(gain / 100)) for _, _, gain in game.results[-1]]
        assert game.rewards == expected
    assert finished == game.options.rounds


# C. Trick winners

TRICKS = """
C01 | G2 G11 G8 R4 | - | 4
C02 | Y5 Y14 B14 Y3 | - | 2
C03 | R2 R9 Y14 R14 | - | 4
C04 | G7 R0 R3 G14 | - | 3
C05 | B0 Y14 G14 | R14 | 1
C06 | Y4 R1 Y14 | R14 | 2
C07 | Y3 Y2 | - | 1
C08 | G1 B14 Y14 R0 G14 | - | 4
C09 | B0 G14 | - | 1
""".strip().splitlines()


def before_trick(trick: list[int], extra: list[int], lead: int) -> Oracle:
    """Returns a game whose seats hold one card each, those of a trick in play order from its leader on."""
    n = len(trick)
    hands = [{trick[(seat - lead) % n]} for seat in range(n)]
    return Oracle.from_position(
        Position(
            options(num_players=n), phase=PLAY, trick_no=1, leader=lead, lead=lead, move=lead, hands=hands, extra=extra
        )
    )


@pytest.mark.parametrize("row", TRICKS, ids=lambda row: row.split()[0])
def test_trick_winner(row: str) -> None:
    _, trick, extra, place = row.split("|")
    n = len(cards(trick))
    for lead in range(n):
        game = before_trick(cards(trick), cards(extra), lead)
        for number, played in enumerate(cards(trick)):
            assert game.phase == PLAY and game.to_move == (lead + number) % n  # SC-32
            game.step(60 + played)
        assert game.phase == CLAIM
        assert game.to_move == (lead + int(place) - 1) % n


# D. Legal PLAY sets

LEGAL_PLAYS = """
D01 | G8 R10 B3 | Y1 Y2 | G | G8
D02 | R4 Y1 B9 | Y13 B14 | G | R4 Y1 B9
D03 | R4 Y1 | G13 G14 | G | R4 Y1
D04 | R0 B5 | B1 B2 | R | R0
D05 | B5 Y9 | R13 R14 | R | B5 Y9
D06 | R3 B2 G7 | Y0 Y1 | Y | R3 B2 G7
D07 | R3 B2 B7 | Y0 Y1 | - | R3 B2 B7
D08 | G1 G9 R14 | Y0 Y1 | G | G1 G9
""".strip().splitlines()


@pytest.mark.parametrize("row", LEGAL_PLAYS, ids=lambda row: row.split()[0])
def test_legal_plays(row: str) -> None:
    _, hand, prediction, led, legal = (part.strip() for part in row.split("|"))
    position = Position(options(), phase=PLAY, trick_no=3, lead=1, move=1, table=[None] * 4)
    if led == "-":
        position.hands = seat_sets(4, s1=cards(hand))
        position.predictions = seat_sets(4, s1=cards(prediction))
    else:
        position.move = 2
        position.table[1] = card(f"{led}12")
        position.hands = seat_sets(4, s2=cards(hand))
        position.predictions = seat_sets(4, s2=cards(prediction))
    assert Oracle.from_position(position).legal() == {60 + c for c in cards(legal)}


def test_following_is_a_matter_of_the_led_suit_alone() -> None:
    """Seats behind a trump or a discard follow the led card, not the one before them."""
    position = Position(options(), phase=PLAY, trick_no=3, lead=3, move=1, table=[card("R2"), None, None, card("G5")])
    position.hands = seat_sets(4, s1=cards("R7 G1 B2"))
    game = Oracle.from_position(position)
    assert game.legal() == {60 + card("G1")}
    position.hands = seat_sets(4, s1=cards("R7 Y1 B2"))
    game = Oracle.from_position(position)
    game.step(60 + card("B2"))
    assert game.voids == [set(), {2}, set(), set()]  # SC-110


# E. Legal PREDICT sets

LEGAL_PICKS = """
E01 | 2 | R3 R7 Y0 B14 | - | R3 R7 Y0
E02 | 2 | R3 Y0 B14 | R7 | Y0 B14
E03 | 3 | R3 R7 Y0 B14 | - | R3 R7
E04 | 3 | R3 Y0 B14 | R7 | Y0
E05 | 3 | R3 B14 | R7 Y0 | B14
E06 | 3 | R3 R7 Y0 | - | R3
E07 | 2 | R14 Y0 B0 B14 | - | R14 Y0 B0
""".strip().splitlines()


@pytest.mark.parametrize("row", LEGAL_PICKS, ids=lambda row: row.split()[0])
def test_legal_picks(row: str) -> None:
    _, k, hand, picks, legal = row.split("|")
    position = Position(options(prediction_cards=int(k)), leader=2, lead=2, move=3)
    position.hands = seat_sets(4, s3=cards(hand))
    position.predictions = seat_sets(4, s3=cards(picks))
    assert Oracle.from_position(position).legal() == set(cards(legal))


def test_every_prediction_has_one_sequence_of_picks() -> None:  # SC-97
    hand = cards("R3 R7 Y0 G2 B14")

    def outcomes(position: Position) -> list[frozenset[int]]:
        if len(position.predictions[0]) == 3:
            return [frozenset(position.predictions[0])]
        found = []
        for action in Oracle.from_position(position).legal():
            game = Oracle.from_position(position)
            game.step(action)
            found += outcomes(game.position())
        return found

    found = outcomes(Position(options(prediction_cards=3), hands=seat_sets(4, s0=hand), predictions=seat_sets(4)))
    assert sorted(map(sorted, found)) == sorted(map(sorted, combinations(hand, 3)))


# F. Claims

CLAIMS = """
F01 | G2 G11 G8 R4 | - | G2 G11 G8 R4
F02 | Y4 R1 Y14 | R14 | Y4 R1 Y14 R14
F03 | Y7 G7 | - | Y7 G7
""".strip().splitlines()


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row.split()[0])
def test_claims(row: str) -> None:
    _, trick, extra, legal = row.split("|")
    game = before_trick(cards(trick), cards(extra), 0)
    for played in cards(trick):
        game.step(60 + played)
    assert game.legal() == {120 + c for c in cards(legal)}


def test_claim_counts_its_value() -> None:  # SC-47
    game = before_trick(cards("G2 G11 G8 R4"), [], 0)
    game.hands[0].add(card("B1"))  # the round goes on
    for played in cards("G2 G11 G8 R4"):
        game.step(60 + played)
    game.step(120 + card("G8"))
    assert game.claimed == seat_sets(4, s3=cards("G8"))
    assert (game.phase, game.to_move, game.lead, game.trick_no) == (PLAY, 3, 3, 2)  # SC-31
    assert game.table == [None] * 4


@pytest.mark.parametrize(
    ("action", "number"),
    [("PREDICT R7", 7), ("PLAY G8", 98), ("PLAY R0", 60), ("CLAIM B14", 179), ("CLAIM G8", 158)],
)
def test_action_numbers(action: str, number: int) -> None:  # SC-99
    kind, name = action.split()
    held = card(name)
    position = Position(options(prediction_cards=1), hands=seat_sets(4, s0=[held]), table=[None] * 4)
    position.phase = {"PREDICT": PREDICT, "PLAY": PLAY, "CLAIM": CLAIM}[kind]
    if position.phase == CLAIM:
        position.table = [held, *cards("R1 R2 R3")]
    game = Oracle.from_position(position)
    assert number in game.legal()
    before = game.position().text()
    for other in {*range(-2, 185)} - game.legal():  # SC-100
        with pytest.raises(ValueError, match="not a legal action"):
            game.step(other)
    assert game.position().text() == before
    game.step(number)
    assert {"PREDICT": game.predictions, "PLAY": game.played, "CLAIM": game.claimed}[kind][0] == {held}


# G. Round leaders


@pytest.mark.parametrize(
    ("n", "leaders"), [(4, [2, 3, 0]), (3, [2, 0, 1]), (5, [4, 0, 1]), (2, [1, 0, 1, 0])], ids=["n4", "n3", "n5", "n2"]
)
def test_round_leaders(n: int, leaders: list[int]) -> None:
    game = next(game for game in (new_game(seed, num_players=n) for seed in range(1000)) if game.leader == leaders[0])
    chooser = random.Random(n)
    for number, leader in enumerate(leaders, start=1):
        assert (game.round_no, game.phase, game.trick_no) == (number, PREDICT, 0)
        assert game.leader == game.lead == game.to_move == leader
        play_on(game, chooser, lambda game: game.phase == PLAY)
        assert game.leader == game.lead == game.to_move == leader  # SC-30
        while not game.done and game.round_no == number:
            game.step(chooser.choice(sorted(game.legal())))
    assert game.done


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_first_leader_is_every_seat_at_times(n: int) -> None:  # SC-07
    assert {new_game(seed, num_players=n).leader for seed in range(60)} == set(range(n))


# H. End of the game

ENDS = """
H01 | 120 80 75 40 | 0 | 1 -1/3 -1/3 -1/3
H02 | 120 120 80 40 | 0 1 | 1/3 1/3 -1/3 -1/3
H03 | 90 61 60 | 0 | 1 -1/2 -1/2
H04 | -5 -5 -12 | 0 1 | 1/4 1/4 -1/2
H05 | 200 200 | 0 1 | 0 0
H06 | 199 200 | 1 | -1 1
H07 | 70 70 70 10 0 | 0 1 2 | 1/6 1/6 1/6 -1/4 -1/4
""".strip().splitlines()


@pytest.mark.parametrize("row", ENDS, ids=lambda row: row.split()[0])
@pytest.mark.parametrize("reward", ["win_share", "points"])
def test_end(row: str, reward: str) -> None:
    _, totals_text, winners, shares = row.split("|")
    totals = [int(word) for word in totals_text.split()]
    n = len(totals)
    game_options = options(num_players=n, reward=reward)
    assert game_options.rounds is not None
    nothing = [(0, 0, 0)] * n
    # The last claim is a 0, all predictions are 0: the last round changes no total.
    position = Position(
        game_options,
        phase=CLAIM,
        round_no=game_options.rounds,
        trick_no=game_options.num_tricks,
        leader=1,
        lead=0,
        move=1,
        hands=seat_sets(n),
        predictions=seat_sets(n),
        table=[*cards("R0 R9 R5 Y4 G3")[:n]],
        results=[[(0, 0, total) for total in totals], *[nothing] * (game_options.rounds - 2)],
    )
    game = Oracle.from_position(position)
    assert not game.done and game.winners == set() and game.points == totals
    game.step(120 + card("R0"))
    assert game.done and game.phase == END and game.legal() == set()  # SC-101
    assert (game.to_move, game.lead, game.trick_no, game.leader) == (0, 1, game_options.num_tricks, 1)
    assert game.points == totals and game.results[-1] == nothing
    assert game.winners == {int(word) for word in winners.split()}
    again = Oracle.from_position(game.position())
    assert (again.done, again.winners, again.rewards) == (game.done, game.winners, game.rewards)
    if reward == "points":
        assert game.rewards == [0.0] * n
        return
    assert game.rewards == [float(np.float32(float(Fraction(word)))) for word in shares.split()]
    assert sum(game.rewards) == pytest.approx(0, abs=1e-6)  # SC-123


# I. Numbers of consistent worlds


def at_first_card(n: int) -> Oracle:
    game = new_game(17 + n, num_players=n)
    play_on(game, random.Random(n), lambda game: game.phase == PLAY)
    return game


@pytest.mark.parametrize(
    ("n", "number"),
    [
        pytest.param(4, 61927125974044307998560000, id="I01"),
        pytest.param(5, 4474419241588570071864418249497600, id="I02"),
        pytest.param(3, 17138733401093074045717310668800000, id="I03"),
        pytest.param(2, 24340215802345457414400, id="I04"),
    ],
)
def test_number_of_worlds_before_the_first_card(n: int, number: int) -> None:
    game = at_first_card(n)
    assert [oracle.count_worlds(game.position(), seat) for seat in range(n)] == [number] * n


def second_round(greens: int) -> tuple[Oracle, list[int]]:
    """Returns a 2-seat game before the first card of round 2, led by seat 0, and the green cards of seat 1.

    Seat 1 has predicted all its green cards and holds R5; seat 0 holds the other green cards.
    """
    green = cards("G0 G6 G14")[:greens]
    reds = cards("R1 R2 R3 R4 R5 R6 R7 R8 R9")
    blues = cards("B0 B1 B2 B3 B4 B5")
    aside = {*green, *reds[: 3 - greens]}
    theirs = ({*reds, *blues} - aside) - ({card("B5")} if len(green) == 3 else set())
    theirs = set(sorted(theirs)[:12])
    mine = sorted({*range(30, 45)} - set(green))[:12]
    others = [c for c in range(60) if c not in aside | theirs | set(mine)]
    position = Position(
        options(num_players=2),
        phase=PLAY,
        round_no=2,
        trick_no=1,
        hands=[set(mine), theirs],
        predictions=[set(others[:3]), aside],
        played=[set(others[3:15]), set(others[15:27])],
        revealed=[set(others[27:30]), set(others[30:33])],
        results=[[(0, 0, 0)] * 2],
    )
    assert len(theirs) == len(mine) == 12 and len(others) == 33 and card("R5") in theirs
    return Oracle.from_position(position), green


def test_number_of_worlds_in_round_two() -> None:
    game, _ = second_round(2)
    assert oracle.count_worlds(game.position(), 0) == 455  # I05
    game = new_game(5, num_players=2)
    play_on(game, random.Random(5), lambda game: game.round_no == 2 and game.phase == PLAY)
    assert [oracle.count_worlds(game.position(), seat) for seat in (0, 1)] == [455, 455]
    for seat in (0, 1):  # SC-114
        other = game.hands[1 - seat] | game.predictions[1 - seat]
        assert set(oracle.Hidden(game.position(), seat).unseen) == other


@pytest.mark.parametrize(("greens", "number"), [pytest.param(2, 12, id="I06"), pytest.param(3, 1, id="I07")])
def test_number_of_worlds_after_a_void(greens: int, number: int) -> None:
    game, green = second_round(greens)
    game.step(60 + min(c for c in game.hands[0] if c // 15 == 2))
    game.step(60 + card("R5"))
    assert game.voids == [set(), {2}]
    assert oracle.count_worlds(game.position(), 0) == number
    found = list(oracle.worlds(game.position(), 0))
    assert len(found) == number
    assert all(set(green) <= predictions[1] for _, predictions, _, _ in found)


@pytest.mark.parametrize(
    ("voids", "number"),
    [
        pytest.param(0, 45360, id="I08"),
        pytest.param(1, 35280, id="I09"),
        pytest.param(3, 18900, id="I10"),
    ],
)
def test_number_of_worlds_before_the_last_trick(voids: int, number: int) -> None:
    unseen = cards("R8 R9 Y3 Y4 Y5 G6 G7 B1 B2")
    others = [c for c in range(60) if c not in unseen]
    hidden = unseen[:7]  # the true hands may not hold blue
    position = Position(
        options(),
        phase=PLAY,
        trick_no=13,
        hands=[{others[0]}, {hidden[0]}, {hidden[1]}, {hidden[2]}],
        predictions=[set(others[1:3]), set(hidden[3:5]), set(hidden[5:7]), set(unseen[7:])],
        played=[set(others[3 + 12 * seat : 15 + 12 * seat]) for seat in range(4)],
        voids=[{3} if 1 <= seat <= voids else set() for seat in range(4)],
    )
    assert sum(map(len, position.played)) == 48
    assert oracle.count_worlds(position, 0) == number
    assert sum(1 for _ in oracle.worlds(position, 0)) == number


# J. Invariants of every official game


@pytest.mark.parametrize(
    ("n", "decisions", "per_phase"),
    [(2, 168, (24, 96, 48)), (3, 174, (18, 117, 39)), (4, 219, (24, 156, 39)), (5, 210, (30, 150, 30))],
    ids=["n2", "n3", "n4", "n5"],
)
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_invariants(n: int, decisions: int, per_phase: tuple[int, int, int], seed: int) -> None:
    game = new_game(seed, num_players=n)
    chooser = random.Random(seed)
    counts = [0, 0, 0]
    dealt: dict[int, set[int]] = {}
    previous = game.position()
    while not game.done:
        if game.phase == PREDICT and not any(game.predictions):
            assert [len(hand) for hand in game.hands] == [15, 15, 15, 12][n - 2 : n - 1] * n
            assert [len(stack) for stack in game.reserve] == [15 * (n == 2 and game.round_no % 2)] * 2
            assert len(game.extra) == (13 if n == 3 else 0)  # SC-44: 2 of 15 are not turned
            everything = [*game.hands, *game.reserve, set(game.extra)]
            assert len(set().union(*everything)) == sum(map(len, everything))
            dealt[game.round_no] = set().union(*game.hands)
        if game.phase == PLAY:
            sizes = [len(hand) for hand in game.hands]
            assert max(sizes) - min(sizes) <= 1  # SC-32
            if n == 3:
                assert len(game.turned()) == game.trick_no
        legal = game.legal()
        assert legal and 0 <= game.to_move < n  # SC-91
        assert {action // 60 for action in legal} == {game.phase}
        counts[game.phase] += 1
        previous = game.position()
        action = chooser.choice(sorted(legal))
        game.step(action)
        if len(game.results) > len(previous.results):
            claimed = sum(map(len, previous.claimed)) + 1
            assert claimed == game.t  # SC-45, SC-29
            assert max(t for _, t, _ in game.results[-1]) > 0  # SC-60
            if n >= 4:
                assert len(set().union(*previous.played, *previous.predictions)) == 60  # SC-56
        elif not game.done:
            assert game.rewards == [0.0] * n  # SC-123
    assert tuple(counts) == per_phase and sum(counts) == decisions
    assert len(game.results) == game.options.rounds
    assert game.points == [sum(row[seat][2] for row in game.results) for seat in range(n)]
    assert sum(game.rewards) == pytest.approx(0, abs=1e-6)
    if n == 2:
        for odd in (1, 3):  # SC-16
            assert dealt[odd] | dealt[odd + 1] == set(range(60))
    if n == 3:
        assert game.turned() == game.extra and len(game.extra) == 13
    # Position conventions at the end: everything of the last round stays.
    assert game.position().move == 0 and game.trick_no == game.t and game.table == [None] * n
    assert sum(map(len, game.claimed)) == game.t and all(len(cards) == game.k for cards in game.predictions)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_deals_follow_the_generator(n: int) -> None:
    for seed in (3, 2**63 + 11):
        game = new_game(seed, num_players=n)
        order = np.arange(60, dtype=np.int8)
        rng.shuffle(np.uint64(seed), rng.GAME_STREAMS, 1, order)
        hands = [set(order[seat * game.h : (seat + 1) * game.h].tolist()) for seat in range(n)]
        assert game.hands == hands
        assert game.leader == rng.below(np.uint64(seed), rng.GAME_STREAMS + 1, 0, 0, n)
        rest = order[n * game.h :].tolist()
        assert game.extra == (rest[:13] if n == 3 else [])
        assert game.reserve == ([set(rest[:15]), set(rest[15:])] if n == 2 else [set(), set()])
        play_on(game, random.Random(seed), lambda game: game.round_no == 3)
        order = np.arange(60, dtype=np.int8)
        rng.shuffle(np.uint64(seed), rng.GAME_STREAMS, 3, order)
        assert game.hands == [set(order[seat * game.h : (seat + 1) * game.h].tolist()) for seat in range(n)]
        assert game.played == seat_sets(n) and game.revealed == seat_sets(2)


def test_reserve_hands_of_even_rounds() -> None:  # SC-16, SC-56
    game = new_game(9, num_players=2)
    chooser = random.Random(9)
    play_on(game, chooser, lambda game: len(game.results) == 0 and game.phase == CLAIM and not any(game.hands))
    before = game.position()
    play_on(game, chooser, lambda game: game.round_no == 2)
    assert game.hands == before.reserve
    assert game.revealed == before.predictions
    assert game.played == before.played and sum(map(len, game.played)) == 24
    assert game.reserve == seat_sets(2) and game.voids == seat_sets(2)


# Positions and worlds of small decks


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
    "2-one-round": small(2, rounds=1, suits=2, ranks=3, h=3, k=1),
    "2-leftover": small(2, rounds=1, suits=3, ranks=4, h=4, k=2),
    "2-three-picks": small(2, rounds=1, suits=3, ranks=4, h=5, k=3),
    "2-reserve": small(2, rounds=3, suits=2, ranks=5, h=2, k=1),
    "3-extra": small(3, rounds=2, suits=3, ranks=4, h=3, k=1),
    "4-full": small(4, rounds=2, suits=3, ranks=4, h=3, k=1),
    "4-two-picks": small(4, rounds=1, suits=4, ranks=3, h=3, k=2),
    "5-leftover": small(5, rounds=1, suits=4, ranks=3, h=2, k=1),
}


@pytest.mark.parametrize("name", SMALL)
def test_positions_are_complete(name: str) -> None:
    """A game set up again from its position after every action goes on as the game itself."""
    game = new_game(21, **SMALL[name])
    chooser = random.Random(name)
    while not game.done:
        action = chooser.choice(sorted(game.legal()))
        again = Oracle.from_position(game.position())
        assert again.position() == game.position()
        game.step(action)
        again.step(action)
        assert again.position() == game.position()
        assert (again.points, again.winners, again.done) == (game.points, game.winners, game.done)
        assert again.legal() == game.legal()


@pytest.mark.parametrize("name", SMALL)
def test_worlds_agree_with_their_number(name: str) -> None:
    checked = 0
    for seed in range(2):
        game = new_game(seed, **SMALL[name])
        chooser = random.Random(seed)
        while not game.done:
            position = game.position()
            for seat in range(game.n):
                number = oracle.count_worlds(position, seat)
                same = oracle.same_worlds(position, seat)
                assert number % same == 0
                if number // same > (11_000 if game.n == 3 else 2_000):
                    continue
                found = list(oracle.worlds(position, seat))
                assert len(found) == len(set(found)) == number // same
                assert oracle.world_of(position) in found  # SC-120
                checked += 1
            game.step(chooser.choice(sorted(game.legal())))
        for seat in range(game.n):  # SC-56: at the end the predictions are public
            at_end = list(oracle.worlds(game.position(), seat))
            assert len(at_end) == oracle.count_worlds(game.position(), seat) // oracle.same_worlds(
                game.position(), seat
            )
            assert {predictions for _, predictions, _, _ in at_end} == {oracle.world_of(game.position())[1]}
    assert checked > 10


def possible_worlds(start: Position, history: list[tuple[int, int]], now: Position, seat: int) -> set[oracle.World]:
    """Returns the worlds in which a round could have gone as a seat saw it, found by playing all deals through.

    Args:
        start: The position after the deal.
        history: Seats and actions since then.
        now: The position after these.
        seat: The seat.
    """
    n = len(start.hands)
    deck = oracle.deck_of(start.options)
    h = len(start.hands[0])
    seen_extra = now.extra[: now.trick_no]
    public = [c for c in deck if c in set().union(*now.played)]
    rest = [c for c in deck if c not in start.hands[seat] and c not in seen_extra]
    others = [other for other in range(n) if other != seat]

    def deals(left: list[int], seats: list[int]) -> Iterator[dict[int, frozenset[int]]]:
        if not seats:
            yield {}
            return
        must = now.played[seats[0]]
        may = [c for c in left if c not in public]
        for more in combinations(may, h - len(must)):
            hand = must | set(more)
            for further in deals([c for c in left if c not in hand], seats[1:]):
                yield {seats[0]: frozenset(hand), **further}

    found: set[oracle.World] = set()
    for hands in deals(rest, others):
        out = [c for c in rest if not any(c in hand for hand in hands.values())]
        asides = [
            combinations(sorted(hands[other] - now.played[other]), len(now.predictions[other])) for other in others
        ]
        for aside in product(*asides):
            picks = {other: sorted(chosen) for other, chosen in zip(others, aside, strict=True)}
            game = Oracle.from_position(start)
            game.hands = [set(hands.get(s, start.hands[seat])) for s in range(n)]
            if replay(game, history, seat, picks):
                for extra in permutations(out, len(now.extra) - len(seen_extra)):
                    found.add((*oracle.world_of(game.position())[:2], extra, (frozenset(), frozenset())))
    return found


def replay(game: Oracle, history: list[tuple[int, int]], seat: int, picks: dict[int, list[int]]) -> bool:
    """Repeats a history with other picks of the other seats; returns whether all was legal."""
    left = {other: list(chosen) for other, chosen in picks.items()}
    for mover, action in history:
        assert mover == game.to_move
        if game.phase == PREDICT and mover != seat:
            action = left[mover].pop(0)
        if action not in game.legal():
            return False
        game.step(action)
    return True


@pytest.mark.parametrize("name", ["2-one-round", "2-leftover", "2-three-picks", "3-extra", "4-full", "4-two-picks"])
def test_worlds_are_those_that_can_have_happened(name: str) -> None:
    """SC-108 to SC-117 against their purpose: the deals and predictions under which all public actions are legal."""
    chosen = {**SMALL[name], "rounds": 1}
    compared, limited = 0, 0
    for seed in range(8):
        game = new_game(seed, **chosen)
        chooser = random.Random(seed)
        start = game.position()
        history: list[tuple[int, int]] = []
        while True:
            mover = game.to_move
            action = chooser.choice(sorted(game.legal()))
            game.step(action)
            if game.done:
                break
            history.append((mover, action))
            now = game.position()
            for seat in range(game.n):
                number = oracle.count_worlds(now, seat) // oracle.same_worlds(now, seat)
                if number > 400:
                    continue
                assert set(oracle.worlds(now, seat)) == possible_worlds(start, history, now, seat)
                compared += 1
                hidden = oracle.Hidden(now, seat)
                limited += bool(hidden.picking) or any(hidden.voids.values())
    assert compared > 20 and limited > 5


@pytest.mark.parametrize("name", SMALL)
def test_deck_and_counts_of_small_games(name: str) -> None:  # SC-126, SC-127, SC-131
    game = new_game(4, **SMALL[name])
    deck = set(oracle.deck_of(game.options))
    assert len(deck) == game.options.num_suits * game.options.num_ranks
    seen: set[int] = set()
    chooser = random.Random(4)

    def note(game: Oracle) -> bool:
        seen.update(*game.hands, game.extra, *game.reserve)
        return False

    count = play_on(game, chooser, note)
    assert seen <= deck
    assert count == game.options.rounds * (game.n * game.k + (game.n + 1) * game.t)


def test_arrangements_of_the_first_deal_of_a_small_deck() -> None:
    """The numbers of SC-109 written out by hand."""
    game = new_game(1, **SMALL["3-extra"])  # 12 cards: own 3, foreign hands 3 and 3, 3 extra in order
    assert oracle.count_worlds(game.position(), 0) == factorial(9) // prod([6, 6])
    game = new_game(1, **SMALL["2-reserve"])  # 10 cards: own 2, foreign hand 2, two stacks of 2, 2 left over
    assert oracle.count_worlds(game.position(), 0) == factorial(8) // prod([2, 2, 2, 2])
    game = new_game(1, **SMALL["5-leftover"])  # 12 cards: own 2, foreign hands of 2, 2 left over
    assert oracle.count_worlds(game.position(), 0) == factorial(10) // 2**5


def test_vectors_are_all_here() -> None:
    text = "\n".join(ONE_SEAT + ROUNDS + TRICKS + LEGAL_PLAYS + LEGAL_PICKS + CLAIMS + ENDS)
    found = re.findall(r"^([A-H]\d\d) ", text, re.MULTILINE)
    numbers = {"A": 32, "B": 13, "C": 9, "D": 8, "E": 7, "F": 3, "H": 7}
    assert found == [f"{letter}{i:02}" for letter, number in numbers.items() for i in range(1, number + 1)]
