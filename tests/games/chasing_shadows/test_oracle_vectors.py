"""The oracle of Chasing Shadows against the test vectors of the rule file (section 6) and against itself."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.games.chasing_shadows.notation import Position
from shadowenvs.games.chasing_shadows.spec import ChasingShadowsOptions
from tests.oracles import chasing_shadows as oracle
from tests.oracles.chasing_shadows import DISCARD, END, PLAY, Boxes, Oracle

SUITS = "BRYG"

Chooser = Callable[[Oracle], int]


def card(text: str) -> int:
    return SUITS.index(text[0]) * 15 + int(text[1:])


def cards(text: str) -> list[int]:
    """Returns the cards of a text like "R4 Y1"; none for "-"."""
    return [card(word) for word in text.split() if word != "-"]


def suits(text: str) -> list[int]:
    """Returns the suits of a text like "R Y", ascending; none for "-"."""
    return sorted(SUITS.index(word) for word in text.split() if word != "-")


def options(**chosen: Any) -> ChasingShadowsOptions:
    return ChasingShadowsOptions.make(**chosen)


def new_game(seed: int, **chosen: Any) -> Oracle:
    game = Oracle(options(**chosen))
    game.deal(seed)
    return game


def at_random(seed: int) -> Chooser:
    chooser = random.Random(seed)
    return lambda game: chooser.choice(sorted(game.legal()))


def short_suits(seed: int) -> Chooser:
    """Returns a chooser that plays mostly from the shortest suit, so that many cards cannot match."""
    chooser = random.Random(seed)

    def choose(game: Oracle) -> int:
        def length(action: int) -> int:
            return sum(other // 15 == action // 15 for other in game.hands[game.to_move])

        legal = sorted(game.legal())
        chooser.shuffle(legal)
        return min(legal, key=length) if game.phase == PLAY and chooser.random() < 0.9 else legal[0]

    return choose


CHOOSERS = {"random": at_random, "short": short_suits}


def play_on(game: Oracle, choose: Chooser, until: Callable[[Oracle], bool] = lambda game: False) -> list[int]:
    """Plays until a condition or the end; returns the actions."""
    actions = []
    while not game.done and not until(game):
        actions.append(choose(game))
        game.step(actions[-1])
    return actions


def in_round(number: int) -> Callable[[Oracle], bool]:
    return lambda game: game.round_no == number


def float32(value: str | Fraction) -> float:
    """Returns the float32 value nearest to a quotient."""
    return float(np.float32(float(Fraction(value))))


def box(word: str) -> int | None:
    return None if word == "·" else int(word)


# A. One suit of one seat in one round

ONE_SUIT = """
A01 | 1 3 9 12 | 4
A02 | 0 | 15
A03 | 2 4 8 | 14
A04 | 0 13 | 0
A05 | - | ·
A06 | 7 | 7
A07 | 0 5 | 0
A08 | 0 5 9 | 14
A09 | 3 4 | 3
A10 | 0 1 2 3 4 5 | 3
A11 | 14 | 14
A12 | 5 6 7 8 9 | 35
A13 | 10 9 8 7 | 15
A14 | 1 | 1
""".strip().splitlines()


@pytest.mark.parametrize("row", ONE_SUIT, ids=lambda row: row.split()[0])
def test_one_suit(row: str) -> None:
    _, ranks_text, expected = row.split("|")
    ranks = [int(word) for word in ranks_text.split() if word != "-"]
    for order in permutations(ranks) if len(ranks) < 6 else [ranks, ranks[::-1]]:
        assert oracle.box_of(order) == box(expected.strip())


@pytest.mark.parametrize("row", ONE_SUIT, ids=lambda row: row.split()[0])
@pytest.mark.parametrize("suit", range(4))
def test_one_suit_in_a_game(row: str, suit: int) -> None:
    """Every card of the suit in turn is the unplayed one (CS-48, CS-55)."""
    _, ranks_text, expected = row.split("|")
    mine = {15 * suit + int(word) for word in ranks_text.split() if word != "-"}
    other = 15 * ((suit + 1) % 4)
    for unplayed in mine or {other + 12}:
        scored = [{other + 1, other + 2}, {other + 3}, mine | {unplayed}, {other + 4}, {other + 5}]
        left = [other + 1, other + 3, unplayed, other + 4, other + 5]
        game, last = before_last_card(scored, left, random.Random(unplayed), rounds=1)
        game.step(last)
        assert game.taken == scored
        assert game.boxes[0][2][suit] == box(expected.strip())


def before_last_card(
    scored: Sequence[set[int]],
    unplayed: Sequence[int],
    chooser: random.Random,
    sheets: Sequence[Sequence[Boxes]] = (),
    **chosen: Any,
) -> tuple[Oracle, int]:
    """Returns a game and the PLAY that ends a round of it, in which each seat then scores given cards.

    Args:
        scored: The cards by seat; at least one seat has two or more.
        unplayed: The one of them that each seat does not play.
        chooser: For all that is left open.
        sheets: The boxes of the rounds before.
        **chosen: Options but the number of players.
    """
    n = len(scored)
    game_options = options(num_players=n, **chosen)
    winner = chooser.choice([seat for seat in range(n) if len(scored[seat]) > 1])
    spotlight = chooser.choice(sorted(scored[winner] - {unplayed[winner]}))
    free = [c for c in oracle.deck_of(game_options) if c not in set().union(*scored)]
    taken = [scored[seat] - {unplayed[seat], spotlight} for seat in range(n)]
    for _ in range(100_000):
        # A last trick in which this seat takes the spotlight card.
        lead = chooser.randrange(n)
        in_order = chooser.sample(free, n)
        seats = [(lead + number) % n for number in range(n)]
        if seats[oracle.winning_place(spotlight, in_order)] != winner:
            continue
        # Either every later card matches, or whatever comes.
        matching = sorted(c // 15 for c in in_order[1:])
        follow = matching if chooser.random() < 0.5 else sorted(chooser.choices(range(4), k=n - 1))
        game = Oracle.from_position(
            Position(
                game_options,
                round_no=len(sheets) + 1,
                trick_no=game_options.num_tricks,
                starter=chooser.randrange(n),
                lead=lead,
                move=lead,
                spotlight=spotlight,
                follow=follow,
                hands=[{unplayed[seat], in_order[seats.index(seat)]} for seat in range(n)],
                taken=[set(group) for group in taken],
                boxes=[[list(boxes) for boxes in row] for row in sheets],
            )
        )
        for played in in_order[:-1]:
            if played not in game.legal():
                break
            game.step(played)
            if game.phase == DISCARD:
                game.step(chooser.choice(sorted(game.legal())))
        else:
            if in_order[-1] in game.legal():
                return game, in_order[-1]
    raise AssertionError("no such trick found")


# B. One seat, one round

ONE_ROUND = """
B01 | 4 | - / 1 3 9 12 / - / 0 | - | · 4 · 15 | 19
B02 | 4 | 2 4 8 / - / 0 13 / - | - | 14 · 0 · | 14
B03 | 3 | 10 / 0 / - / - | R0 | 10 15 · · | 25
B04 | 5 | - / - / - / 0 | G0 | · · · 15 | 15
B05 | 5 | 0 14 / 0 13 / 0 1 2 / - | - | 0 0 3 · | 3
""".strip().splitlines()


@pytest.mark.parametrize("row", ONE_ROUND, ids=lambda row: row.split()[0])
def test_one_round(row: str) -> None:
    _, n_text, ranks, unplayed, boxes, total = (part.strip() for part in row.split("|"))
    n = int(n_text)
    mine = {15 * suit + int(word) for suit, part in enumerate(ranks.split("/")) for word in part.split() if word != "-"}
    expected = [box(word) for word in boxes.split()]
    assert oracle.boxes_of(mine) == expected and oracle.sum_of(expected) == int(total)
    for left in [card(unplayed)] if unplayed != "-" else sorted(mine):
        chooser = random.Random(left)
        seat = chooser.randrange(n)
        scored = [{card(f"Y{6 + 2 * other}"), card(f"R{5 + other}")} for other in range(n)]
        scored[seat] = mine
        lefts = [left if other == seat else min(scored[other]) for other in range(n)]
        for rounds in (1, 3):
            game, last = before_last_card(scored, lefts, chooser, rounds=rounds, reward="points")
            game.step(last)
            assert len(game.boxes) == 1 and game.boxes[0][seat] == expected
            assert game.points[seat] == int(total)
            assert game.rewards[seat] == float32(Fraction(-int(total), 100))  # CS-103
            assert (game.phase, game.round_no) == ((END, 1) if rounds == 1 else (PLAY, 2))


# C. Trick winners

TRICKS = """
C01 | Y8 | R2 B5 R8 | 2 | B5 | R R
C02 | B5 | R6 G5 Y10 | 3 | Y10 | R G
C03 | G8 | B5 R5 Y2 | 2 | R5 | B Y
C04 | G3 | B9 R4 Y9 | 3 | Y9 | B R
C05 | B0 | B1 R0 Y1 | 3 | Y1 | B R
C06 | B0 | R0 Y0 G0 | 3 | G0 | R Y
C07 | G14 | B14 R13 Y2 G0 R14 | 2 | R13 | B Y G R
C08 | R7 | B7 Y7 G7 | 3 | G7 | B Y
C09 | R1 | B0 Y13 G13 R13 | 1 | B0 | Y G R
C10 | R10 | B9 Y9 G9 R3 | 3 | G9 | B Y R
C11 | R6 | B9 R9 Y10 G6 | 3 | Y10 | B R G
""".strip().splitlines()


@pytest.mark.parametrize("row", TRICKS, ids=lambda row: row.split()[0])
def test_trick_winner(row: str) -> None:
    _, spotlight_text, trick_text, place, new, follow = (part.strip() for part in row.split("|"))
    trick, spotlight = cards(trick_text), card(spotlight_text)
    n = len(trick)
    assert oracle.winning_place(spotlight, trick) == int(place) - 1
    chooser = random.Random(row)
    for lead in range(n):
        # All cards of a hand are of one suit: whatever the follow cards, every card is legal.
        hands: list[set[int]] = [set() for _ in range(n)]
        free = [c for c in oracle.deck_of(options(num_players=n)) if c not in (*trick, spotlight)]
        for number, played in enumerate(trick):
            more = chooser.sample([c for c in free if c // 15 == played // 15], 2)
            hands[(lead + number) % n] = {played, *more}
            free = [c for c in free if c not in more]
        before = [set(chooser.sample(free, 1)) for _ in range(n)]
        position = Position(
            options(num_players=n), trick_no=4, starter=0, lead=lead, move=lead, spotlight=spotlight, taken=before
        )
        position.hands = hands
        position.follow = sorted(chooser.choices(range(4), k=n - 1))
        game = Oracle.from_position(position)
        for number, played in enumerate(trick):
            assert game.phase == PLAY and game.to_move == (lead + number) % n  # CS-19
            assert game.table.count(None) == n - number and game.trick_no == 4
            game.step(played)
            if game.phase == DISCARD:
                assert game.to_move == (lead + number) % n and game.table[game.to_move] == played
                game.step(chooser.choice(sorted(game.legal())))
        winner = (lead + int(place) - 1) % n
        assert game.lead == game.to_move == winner  # CS-45
        assert game.spotlight == card(new) and game.follow == suits(follow)  # CS-43, CS-44
        assert game.taken == [
            group | ({spotlight} if s == winner else set()) for s, group in enumerate(before)
        ]  # CS-41
        assert (game.phase, game.trick_no, game.starter) == (PLAY, 5, 0)
        assert game.table == [None] * n and game.rewards == [0.0] * n and game.boxes == []
        assert game.legal() == game.hands[winner]  # CS-20


def test_two_printed_tricks() -> None:
    """C01 and C02 are one trick after the other: Alex 0, Brett 1, Chris 2."""
    position = Position(options(num_players=3), spotlight=card("Y8"), follow=suits("B R"))
    position.hands = [{*cards("R2 Y10 B1")}, {*cards("B5 R6 B2")}, {*cards("R8 G5 Y1")}]
    game = Oracle.from_position(position)
    for name in ("R2", "B5", "R8"):
        game.step(card(name))
    assert game.to_move == 1 and game.taken[1] == {card("Y8")} and game.follow == suits("R R")
    for name in ("R6", "G5", "Y10"):
        game.step(card(name))
    # Alex took B5, Brett Y8; the unplayed cards are B1, B2 and Y1.
    assert game.boxes == [[[1, None, None, None], [2, None, 8, None], [None, None, 1, None]]]


# D. Legal sets and removals

LEGAL = """
D01 | - | B1 R2 Y3 G4 | B1 R2 Y3 G4 | R2 | -
D02 | Y G B | B3 B7 R1 Y2 | B3 B7 Y2 | B3 | B
D03 | Y G | B4 R5 R9 | B4 R5 R9 | R5 | {Y G}
D04 | G | Y3 Y9 G4 R1 | G4 | G4 | G
D05 | Y | Y3 Y9 G4 R1 | Y3 Y9 | Y9 | Y
D06 | B B | R3 Y1 | R3 Y1 | R3 | B
D07 | B Y | B1 Y2 R3 | B1 Y2 | Y2 | Y
D08 | R | B1 G2 | B1 G2 | G2 | R
D09 | B B Y R | G1 G2 | G1 G2 | G2 | {B Y R}
D10 | B B Y | B2 G2 | B2 | B2 | B
D11 | G | R5 R6 G0 | G0 | G0 | G
D12 | Y G | Y7 G8 | Y7 G8 | G8 | G
""".strip().splitlines()


def in_trick(n: int, remaining: str, hand: list[int], lead: int) -> Oracle:
    """Returns a game in which a seat with this hand finds these follow cards; "-" makes it the leader."""
    plays = 0 if remaining == "-" else n - len(suits(remaining))  # so many cards lie on the table
    move = (lead + plays) % n
    free = [c for c in oracle.deck_of(options(num_players=n)) if c not in hand]
    reds = [c for c in free if c // 15 == 1]  # of the table and of the spotlight: no matter (CS-25)
    rest = [c for c in free if c // 15 != 1]
    position = Position(options(num_players=n), trick_no=1, lead=lead, move=move, spotlight=reds[0])
    position.table = [None] * n
    for number in range(plays):
        position.table[(lead + number) % n] = reds[number + 1]
    position.hands = [set(rest[10 * seat : 10 * seat + 2]) for seat in range(n)]
    for number in range(plays, n):
        position.hands[(lead + number) % n].add(reds[number + 1])
    position.hands[move] = set(hand)
    position.follow = suits("B R Y G" if remaining == "-" else remaining)[: n - 1]
    return Oracle.from_position(position)


@pytest.mark.parametrize(
    ("row", "n"),
    [
        pytest.param(row, n, id=f"{row.split()[0]}-n{n}")
        for row in LEGAL
        for n in (3, 4, 5)
        if len(suits(row.split("|")[1])) < n
    ],
)
def test_legal_plays_and_removals(row: str, n: int) -> None:
    _, remaining, hand, legal, played, removal = (part.strip() for part in row.split("|"))
    for lead in range(n):
        game = in_trick(n, remaining, cards(hand), lead)
        seat, follow, last = game.to_move, list(game.follow), game.table.count(None) == 1
        assert game.legal() == set(cards(legal))
        game.step(card(played))
        if removal.startswith("{"):
            allowed = suits(removal.strip("{}"))
            assert game.phase == DISCARD and game.to_move == seat and game.lead == lead  # CS-72
            assert game.legal() == {60 + suit for suit in allowed} and game.follow == follow
            assert game.table[seat] == card(played) and game.hands[seat] == set(cards(hand)) - {card(played)}
            for suit in allowed:
                again = Oracle.from_position(game.position())
                again.step(60 + suit)
                assert (again.phase, again.to_move) == (PLAY, (seat + 1) % n)
                assert sorted([*again.follow, suit]) == follow
            continue
        assert game.phase == PLAY  # CS-73, CS-74, CS-75
        if last:
            assert removal in SUITS and (game.trick_no == 2 or len(game.boxes) == 1)
            continue
        assert game.to_move == (seat + 1) % n
        assert sorted([*game.follow, *suits(removal)]) == follow


def test_printed_trick() -> None:
    """D01, D02 and D03 are one trick; D04 and D05 are its two ends."""
    position = Position(options(), spotlight=card("R8"), follow=suits("Y G B"))
    position.hands = [set(cards(hand)) for hand in ("B1 R2 Y4 G5", "B3 B7 R1 Y2", "B4 R5 R9 B6", "Y3 Y9 G4 R0")]
    game = Oracle.from_position(position)
    for name, follow in (("R2", "Y G B"), ("B3", "Y G"), ("R5", "Y G")):
        assert card(name) in game.legal()
        game.step(card(name))
        assert game.follow == suits(follow)
    assert game.phase == DISCARD and game.to_move == 2 and game.legal() == {62, 63}
    again = Oracle.from_position(game.position())
    game.step(62)
    assert game.to_move == 3 and game.legal() == set(cards("G4"))  # D04
    game.step(card("G4"))
    assert game.to_move == 2 and game.taken == [set(), set(), {card("R8")}, set()] and game.follow == suits("R B G")
    again.step(63)
    assert again.to_move == 3 and again.legal() == set(cards("Y3 Y9"))  # D05


@pytest.mark.parametrize(
    ("action", "number"),
    [("PLAY R2", 17), ("PLAY G14", 59), ("PLAY B0", 0), ("DISCARD B", 60), ("DISCARD G", 63)],
)
def test_action_numbers(action: str, number: int) -> None:  # CS-77
    kind, name = action.split()
    held = card(name) if kind == "PLAY" else card("Y5")
    game = in_trick(5, "B R G", [held, card("Y6")], 3)
    game.phase = PLAY if kind == "PLAY" else DISCARD
    assert number in game.legal()
    before = game.position()
    for other in {*range(-3, 70)} - game.legal():  # CS-78
        with pytest.raises(ValueError, match="not a legal action"):
            game.step(other)
        assert game.position() == before
    game.step(number)
    assert game.position() != before


# E. Final scores

FINALS = """
E01 | 12 4 3 · / · 11 0 5 / 0 6 · · | 1 B, 1 Y | 26
E02 | 9 · · · / · · · · / · · · 4 | - | 13
E03 | 9 · · · / 0 · · · / · · · · | 1 B | 0
E04 | 0 · · · / · · · · / 15 · · · | 1 B | 15
E05 | 1 2 3 4 / 5 6 7 8 / 9 10 11 12 | - | 78
E06 | 15 15 · · / · 15 · 20 / 3 · 8 7 | 1 B, 1 R, 2 G | 33
E07 | · · · · / 20 · · 3 / 30 · 2 · | 2 B | 35
""".strip().splitlines()


def read_final(row: str) -> tuple[list[Boxes], list[tuple[int, int]], int]:
    _, sheet, struck, final = (part.strip() for part in row.split("|"))
    pairs = [pair.split() for pair in struck.split(",") if pair != "-"]
    return (
        [[box(word) for word in part.split()] for part in sheet.split("/")],
        [(int(number), SUITS.index(suit)) for number, suit in pairs],
        int(final),
    )


def cards_for(boxes: Boxes) -> set[int]:
    """Returns cards that score these boxes."""
    found: set[int] = set()
    for suit, score in enumerate(boxes):
        if score is not None:
            choices = (choice for size in (1, 2, 3) for choice in combinations(range(15), size))
            found |= {15 * suit + rank for rank in next(c for c in choices if oracle.box_of(c) == score)}
    return found


@pytest.mark.parametrize("row", FINALS, ids=lambda row: row.split()[0])
def test_final_score(row: str) -> None:
    sheet, struck, final = read_final(row)
    assert oracle.struck_of(options(), sheet) == sorted(struck)
    assert oracle.final_score(options(), sheet) == final
    for rounds in (1, 2):  # CS-110
        everything = sum(score for boxes in sheet[:rounds] for score in boxes if score is not None)
        assert oracle.struck_of(options(rounds=rounds), sheet[:rounds]) == []
        assert oracle.final_score(options(rounds=rounds), sheet[:rounds]) == everything
    empty: Boxes = [None] * 4
    position = Position(options(), phase=END, round_no=3, boxes=[[empty, boxes, empty, empty] for boxes in sheet])
    assert Oracle.from_position(position).points == [0, final, 0, 0]


@pytest.mark.parametrize("row", FINALS, ids=lambda row: row.split()[0])
@pytest.mark.parametrize("rounds", [2, 3])
def test_final_score_of_a_game(row: str, rounds: int) -> None:
    """Plays the last cards of the rounds that a real game can have; rewards by CS-103 and CS-104."""
    sheet, struck, final = read_final(row)
    chooser = random.Random(row)
    if rounds == 2:
        struck, final = [], sum(score for boxes in sheet[:2] for score in boxes if score is not None)
    lost = sum(sheet[number - 1][suit] or 0 for number, suit in struck)
    seat = chooser.randrange(5)
    sheets: list[list[Boxes]] = []
    received = Fraction(0)
    for number, boxes in enumerate(sheet[:rounds], start=1):
        mine = cards_for(boxes)
        expected = Fraction(-oracle.sum_of(boxes) + (lost if number == rounds else 0), 100)
        received += expected
        if mine:
            free = [c for c in range(60) if c not in mine]
            scored = [set(chooser.sample(free[12 * other : 12 * other + 11], 2)) for other in range(4)]
            scored.insert(seat, mine)
            lefts = [chooser.choice(sorted(group)) for group in scored]
            game, last = before_last_card(scored, lefts, chooser, sheets, rounds=rounds, reward="points")
            assert not game.done and game.points[seat] == sum(oracle.sum_of(row[seat]) for row in sheets)
            game.step(last)
            assert game.boxes[-1][seat] == boxes
            assert game.rewards[seat] == float32(expected)
            assert game.done == (number == rounds)
            if game.done:
                assert game.points[seat] == final
            sheets.append(game.boxes[-1])
        else:
            sheets.append([boxes] * 5)
    assert received == Fraction(-final, 100)
    if row.startswith("E01") and rounds == 3:
        assert received == Fraction("-0.26")


# F. End of the game

ENDS = """
F01 | 26 31 40 | 7 4 4 | 0 | 1 -1/2 -1/2
F02 | 26 26 40 | 6 5 4 | 1 | -1/2 1 -1/2
F03 | 26 26 40 | 5 5 5 | 0 1 | 1/4 1/4 -1/2
F04 | 30 30 30 | 5 5 5 | 0 1 2 | 0 0 0
F05 | 22 22 22 50 | 3 3 7 3 | 0 1 | 1/3 1/3 -1/3 -1/3
F06 | 50 20 21 22 23 | 1 7 3 2 2 | 1 | -1/4 1 -1/4 -1/4 -1/4
F07 | 12 12 12 12 12 | 2 2 2 2 7 | 0 1 2 3 | 1/16 1/16 1/16 1/16 -1/4
""".strip().splitlines()


@pytest.mark.parametrize(
    ("row", "rounds"),
    [pytest.param(row, rounds, id=f"{row.split()[0]}-{rounds}") for row in ENDS for rounds in (2, 3)]
    # One round alone can hardly score the others.
    + [pytest.param(row, 1, id=f"{row.split()[0]}-1") for row in ENDS[1:3]],
)
@pytest.mark.parametrize("reward", ["win_share", "points"])
def test_end(row: str, reward: str, rounds: int) -> None:
    """Plays the last card of a game (CS-111)."""
    _, scores_text, cards_text, winners_text, shares = row.split("|")
    scores, sizes = ([int(word) for word in text.split()] for text in (scores_text, cards_text))
    winners = {int(word) for word in winners_text.split()}
    n = len(scores)
    assert oracle.winners_of(scores, sizes) == winners
    assert oracle.win_share(n, winners) == [float32(word) for word in shares.split()]
    chooser = random.Random(row)
    # The rounds before make up for what the last round lacks; with three rounds zeros may be struck out (CS-61).
    game_options = options(num_players=n, reward=reward, rounds=rounds)
    free = oracle.deck_of(game_options)
    scored: list[set[int]] = []
    for score, size in zip(scores, sizes, strict=True):
        for _ in range(100_000):
            mine = set(chooser.sample(free, size))
            last_score = oracle.sum_of(oracle.boxes_of(mine))
            if last_score == score if rounds == 1 else last_score <= score:
                break
        else:
            raise AssertionError("no such cards found")
        scored.append(mine)
        free = [c for c in free if c not in mine]
    last_scores = [oracle.sum_of(oracle.boxes_of(mine)) for mine in scored]
    sheets: list[list[Boxes]] = [[[0] * 4 for _ in range(n)] for _ in range(rounds - 1)]
    if sheets:
        sheets[-1] = [[score - last, 0, 0, 0] for score, last in zip(scores, last_scores, strict=True)]
    lefts = [chooser.choice(sorted(mine)) for mine in scored]
    game, last = before_last_card(scored, lefts, chooser, sheets, rounds=rounds, reward=reward)
    assert not game.done and game.winners == set() and game.rewards == [0.0] * n
    before = game.position()
    game.step(last)
    assert game.done and game.phase == END and game.legal() == set()  # CS-79
    with pytest.raises(ValueError, match="not a legal action"):
        game.step(last)
    assert game.points == scores and game.winners == winners
    if reward == "win_share":
        assert game.rewards == [float32(word) for word in shares.split()]
        assert sum(game.rewards) == pytest.approx(0, abs=1e-6)  # CS-102
    else:
        assert game.rewards == [float32(Fraction(-score, 100)) for score in last_scores]
    # Conventions of positions at the end.
    assert game.to_move == 0 and game.hands == [set()] * n and game.table == [None] * n
    assert (game.round_no, game.trick_no, game.starter) == (rounds, game.options.num_tricks, before.starter)
    assert before.spotlight in game.taken[game.lead] and len(game.follow) == n - 1
    assert game.taken == scored and len(game.boxes) == rounds
    again = Oracle.from_position(game.position())
    assert (again.done, again.points, again.winners, again.rewards) == (True, scores, winners, game.rewards)


def test_only_the_lowest_scores_are_compared_by_cards() -> None:  # CS-66, CS-67
    assert oracle.winners_of([20, 10, 10, 10], [1, 4, 3, 3]) == {2, 3}
    assert oracle.winners_of([20, 10, 11], [1, 9, 2]) == {1}


# G. Starters


@pytest.mark.parametrize(("n", "starters"), [(3, [1, 2, 0]), (4, [3, 0, 1]), (5, [4, 0, 1])], ids=["n3", "n4", "n5"])
def test_starters(n: int, starters: list[int]) -> None:
    games = (new_game(seed, num_players=n) for seed in range(1000))
    game = next(game for game in games if game.starter == starters[0])
    for number, starter in enumerate(starters, start=1):
        assert (game.round_no, game.phase, game.trick_no) == (number, PLAY, 1)
        assert game.starter == game.lead == game.to_move == starter  # CS-08, CS-18
        play_on(game, at_random(number), in_round(number + 1))
    assert game.done and game.starter == starters[-1]


@pytest.mark.parametrize("n", [3, 4, 5])
def test_every_seat_starts_at_times(n: int) -> None:  # CS-07
    assert {new_game(seed, num_players=n).starter for seed in range(60)} == set(range(n))


# H. Numbers of consistent worlds


def seen_by_seat_0(n: int = 3, **places: str) -> Position:
    """Returns a position by places; s1="B2 B5" gives seat 1 these cards."""
    hands = [set(cards(places.get(f"s{seat}", "-"))) for seat in range(n)]
    position = Position(options(num_players=n), spotlight=card("Y8"), hands=hands, table=[None] * n)
    position.first = set(cards(places.get("first", "-")))
    position.aside = set(cards(places.get("aside", "-")))
    return position


def check_worlds(position: Position, seat: int, number: int) -> set[oracle.World]:
    assert oracle.count_worlds(position, seat) == number
    found = list(oracle.worlds(position, seat))
    different = set(found)
    assert len(found) == len(different) == number
    assert oracle.world_of(position) in different  # CS-98
    return different


def test_worlds_h01() -> None:
    found = check_worlds(seen_by_seat_0(s0="G1 G2", s1="B2 B5", s2="B9"), 0, 3)
    own = frozenset(cards("G1 G2"))
    assert found == {
        ((own, frozenset(cards(one)), frozenset(cards(two))), frozenset(), frozenset())
        for one, two in (("B2 B5", "B9"), ("B2 B9", "B5"), ("B5 B9", "B2"))
    }


def test_worlds_h02() -> None:
    found = check_worlds(seen_by_seat_0(s0="G1 G2", s1="B2 B5 R0", s2="B9", first="R4"), 0, 6)
    assert {first for _, first, _ in found} == {frozenset(cards("R0")), frozenset(cards("R4"))}  # CS-90


def test_worlds_h03() -> None:
    position = seen_by_seat_0(s0="G1 G2", s1="B2 B5 R0", s2="B9 B3", first="R4")
    position.lead, position.move, position.table = 1, 2, [None, card("Y0"), None]
    position.follow = suits("R R")
    game = Oracle.from_position(position)
    game.step(card("B3"))  # could not match
    assert game.phase == PLAY and game.to_move == 0 and game.follow == suits("R")
    check_worlds(game.position(), 0, 6)


def test_worlds_h04() -> None:
    found = check_worlds(seen_by_seat_0(s0="G1", s2="Y1 Y3 Y7"), 0, 1)
    assert {hands[2] for hands, _, _ in found} == {frozenset(cards("Y1 Y3 Y7"))}  # CS-94


def test_worlds_h05() -> None:
    position = seen_by_seat_0(
        s0="B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 R0 Y0",
        s1="R2 R3 R4 R5 R6 R7 R8 R9 R10 Y1 Y2 Y3 Y4",
        s2="Y5 Y6 Y7 Y8 G0 G1 G2 G3 G4 G5 G6 G7 G8",
        first="Y9 Y10",
        aside="G9 G10",
    )
    position.spotlight = card("R1")
    assert oracle.count_worlds(position, 0) == 173250
    found = oracle.worlds(position, 0)
    assert len({hash(world) for world in found}) > 173000  # different ones, hashes of which hardly ever agree
    assert sum(1 for _ in oracle.worlds(position, 0)) == 173250
    assert oracle.count_worlds(position, 1) == 1 * 105 * 55  # red 1, yellow 7! / (1! 4! 2!), grey 11! / (9! 2!)
    assert oracle.count_worlds(position, 2) == 10 * 105 * 1


# I. Invariants of every official game

OFFICIAL = {3: (44, 13, 2, 108, 6), 4: (56, 13, 0, 144, 16), 5: (60, 11, 0, 150, 21)}


@pytest.mark.parametrize("n", OFFICIAL)
@pytest.mark.parametrize("style", CHOOSERS)
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_invariants(n: int, style: str, seed: int) -> None:
    size, h, num_aside, num_plays, most_discards = OFFICIAL[n]
    game = new_game(seed, num_players=n)
    deck = set(oracle.deck_of(game.options))
    assert len(deck) == size and max(c % 15 for c in deck) == {3: 10, 4: 13, 5: 14}[n]  # CS-03
    choose = CHOOSERS[style](seed)
    counts = [0, 0]
    while not game.done:
        number, starter = game.round_no, game.starter
        assert [len(hand) for hand in game.hands] == [h] * n and len(game.aside) == num_aside  # CS-10, CS-13, CS-14
        assert [len(group) for group in game.taken] == [0] * n and game.lead == game.to_move == starter
        assert game.spotlight is not None and game.follow == sorted(c // 15 for c in game.first)
        everything = [*game.hands, game.first, game.aside, {game.spotlight}]
        assert set().union(*everything) == deck and sum(map(len, everything)) == size  # CS-01, CS-09
        seen = {game.spotlight}
        tricks = [0] * n
        discards = 0
        for trick_no in range(1, h):  # CS-46
            assert game.trick_no == trick_no and len(game.follow) == n - 1  # CS-12, CS-44
            assert game.legal() == game.hands[game.lead] and game.to_move == game.lead
            leader, spotlight, in_order = game.lead, game.spotlight, []
            for place in range(n):
                seat = (leader + place) % n
                for other in range(n):  # CS-87, CS-90
                    hand = game.hands[other]
                    assert oracle.unseen_cards(game.position(), other) == deck - hand - seen
                assert game.phase == PLAY and game.to_move == seat  # CS-19
                assert len(game.follow) == (n - 1 if place == 0 else n - place)
                action = choose(game)
                counts[PLAY] += 1
                in_order.append(action)
                seen.add(action)
                previous = game.position()
                game.step(action)
                if game.phase == DISCARD:
                    assert 0 < place < n - 1 and game.to_move == seat  # CS-75
                    assert action // 15 not in game.follow and len(set(game.follow)) > 1  # CS-72
                    counts[DISCARD] += 1
                    discards += 1
                    game.step(choose(game))
            winner = (leader + oracle.winning_place(spotlight, in_order)) % n
            tricks[winner] += 1
            if trick_no < h - 1:
                assert game.spotlight in in_order and game.lead == winner
                assert spotlight in game.taken[winner] and [len(group) for group in game.taken] == tricks
                assert game.rewards == [0.0] * n and game.round_no == number  # CS-102
        assert discards <= most_discards
        # The same last card in a game that ends with this round shows what was scored.
        previous.options = options(num_players=n, rounds=number)
        ended = Oracle.from_position(previous)
        ended.step(in_order[-1])
        assert ended.done and ended.boxes == game.boxes and len(game.boxes) == number
        scored = [len(group) for group in ended.taken]
        assert scored == [won + 1 for won in tricks] and sum(scored) == h - 1 + n  # CS-48, CS-50
        left_over = set(in_order)  # the last spotlight card and the last follow cards (CS-50)
        assert ended.spotlight in left_over and len(ended.follow) == n - 1
        discarded = deck - left_over - set().union(*ended.taken)
        assert len(discarded) == (n - 1) * (h - 1) + num_aside and ended.aside <= discarded
        for boxes in game.boxes[-1]:
            assert any(score is not None for score in boxes)  # CS-58
            assert all(score is None or 0 <= score <= 105 for score in boxes)
        if not game.done:
            assert game.rewards == [0.0] * n and game.starter == (starter + 1) % n  # CS-08
            assert game.points == [sum(oracle.sum_of(row[seat]) for row in game.boxes) for seat in range(n)]
    assert counts[PLAY] == num_plays and len(game.boxes) == 3
    assert sum(game.rewards) == pytest.approx(0, abs=1e-6)
    for seat in range(n):
        assert game.points[seat] == oracle.final_score(game.options, game.sheet(seat))
        assert seat not in game.winners or game.points[seat] == min(game.points)


def test_discards_are_common_with_short_suits() -> None:
    counts = dict.fromkeys(OFFICIAL, 0)
    for n in OFFICIAL:
        for seed in range(4):
            counts[n] += sum(action >= 60 for action in play_on(new_game(seed, num_players=n), short_suits(seed)))
    assert min(counts.values()) >= 5


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("n", OFFICIAL)
def test_points_rewards_of_a_game(n: int, rounds: int) -> None:  # CS-103, CS-104, CS-105
    game = new_game(6, num_players=n, rounds=rounds, reward="points")
    choose = at_random(n)
    received = [0.0] * n
    finished = 0
    while not game.done:
        game.step(choose(game))
        if len(game.boxes) == finished:
            assert game.rewards == [0.0] * n
            continue
        finished += 1
        scores = [sum(score or 0 for score in boxes) for boxes in game.boxes[-1]]
        if not game.done:
            assert game.rewards == [float32(Fraction(-score, 100)) for score in scores]
        received = [total + reward for total, reward in zip(received, game.rewards, strict=True)]
    assert finished == rounds
    assert received == pytest.approx([-score / 100 for score in game.points], abs=1e-6)


@pytest.mark.parametrize("n", OFFICIAL)
def test_deals_follow_the_generator(n: int) -> None:
    size, h, _, _, _ = OFFICIAL[n]
    for seed in (3, 2**63 + 11):
        game = new_game(seed, num_players=n)
        assert game.starter == rng.below(np.uint64(seed), rng.GAME_STREAMS + 1, 0, 0, n)
        for number in (1, 2, 3):
            play_on(game, at_random(seed), in_round(number))
            order = np.array([15 * suit + rank for suit in range(4) for rank in range(size // 4)], dtype=np.int8)
            rng.shuffle(np.uint64(seed), rng.GAME_STREAMS, number, order)
            dealt = order.tolist()
            assert len(dealt) == size
            assert game.hands == [set(dealt[seat * h : (seat + 1) * h]) for seat in range(n)]
            assert game.spotlight == dealt[n * h]
            assert game.first == set(dealt[n * h + 1 : n * h + n])
            assert game.aside == set(dealt[n * (h + 1) :])


# Positions, options and worlds of small decks


@pytest.mark.parametrize("chosen", oracle.option_sets(), ids=lambda chosen: "-".join(map(str, chosen.values())))
def test_option_sets(chosen: dict[str, Any]) -> None:
    """A game set up again from its position after every action goes on as the game itself."""
    game = new_game(21, **chosen)
    n, deck = game.n, oracle.deck_of(game.options)
    assert len(deck) == game.options.deck_size
    assert len(game.aside) == len(deck) - n * (game.h + 1) and len(game.first) == n - 1  # CS-109
    choose = short_suits(3)
    plays = discards = 0
    while not game.done:
        action = choose(game)
        assert action in game.legal()
        plays, discards = plays + (action < 60), discards + (action >= 60)
        again = Oracle.from_position(game.position())
        assert again.position() == game.position() and again.legal() == game.legal()
        game.step(action)
        again.step(action)
        assert again.position() == game.position() and again.position().text() == game.position().text()
        assert (again.points, again.winners, again.done) == (game.points, game.winners, game.done)
        assert all(oracle.count_worlds(game.position(), seat) >= 1 for seat in range(n))
    rounds = game.options.rounds
    assert plays == rounds * n * (game.h - 1)  # CS-46
    assert discards <= rounds * (n - 2) * (game.h - 1)  # CS-75
    assert game.options.num_suits > 2 or discards == 0  # CS-112


def test_option_sets_are_many() -> None:
    chosen = [options(**entry) for entry in oracle.option_sets()]
    assert len(set(chosen)) == len(chosen)
    for n in (3, 4, 5):
        of_n = [entry for entry in chosen if entry.num_players == n]
        assert {(entry.rounds, entry.reward) for entry in of_n if entry.num_ranks == {3: 11, 4: 14, 5: 15}[n]} >= {
            (rounds, reward) for rounds in (1, 2, 3) for reward in ("win_share", "points")
        }
        assert {entry.num_suits for entry in of_n} == {2, 3, 4}
        assert any(entry.deck_size > n * (entry.num_tricks + 2) for entry in of_n if entry.num_suits == 2 or n > 3)


SMALL: dict[str, dict[str, Any]] = {
    "3x3": {"num_players": 3, "num_suits": 3, "num_ranks": 3, "hand_size": 2},
    "3x4-aside": {"num_players": 3, "num_suits": 3, "num_ranks": 4, "hand_size": 2},
    "2x5-aside": {"num_players": 3, "num_suits": 2, "num_ranks": 5, "hand_size": 2},
    "4x3": {"num_players": 3, "num_suits": 4, "num_ranks": 3, "hand_size": 3},
    "3x5-4p-aside": {"num_players": 4, "num_suits": 3, "num_ranks": 5, "hand_size": 2},
    "4x3-4p": {"num_players": 4, "num_suits": 4, "num_ranks": 3, "hand_size": 2},
    "4x4-5p-aside": {"num_players": 5, "num_suits": 4, "num_ranks": 4, "hand_size": 2},
}


MOST_WORLDS = 1500  # at the deal; seats with more are left out


def public(game: Oracle) -> tuple[object, ...]:
    """Returns what everybody sees in a game (CS-04, CS-16, CS-42, CS-60)."""

    def count_suits(group: set[int]) -> list[int]:
        return sorted(c // 15 for c in group)

    return (
        (game.phase, game.round_no, game.trick_no, game.starter, game.lead, game.to_move),
        (game.spotlight, game.follow, game.table, game.taken, game.boxes, game.points, game.winners, game.rewards),
        ([count_suits(hand) for hand in game.hands], count_suits(game.first), count_suits(game.aside)),
    )


def possible_deals(start: Oracle, seat: int) -> Iterator[Oracle]:
    """Yields the game after every deal that shows a seat what it sees after the true one."""
    places = [start.hands[other] for other in range(start.n) if other != seat] + [start.first, start.aside]

    def fill(left: list[int], number: int) -> Iterator[list[set[int]]]:
        if number == len(places):
            assert not left
            yield []
            return
        wanted = sorted(c // 15 for c in places[number])
        for chosen in combinations(left, len(wanted)):
            if [c // 15 for c in chosen] == wanted:
                for others in fill([c for c in left if c not in chosen], number + 1):
                    yield [set(chosen), *others]

    known = {start.spotlight, *start.hands[seat]}
    for found in fill([c for c in oracle.deck_of(start.options) if c not in known], 0):
        game = Oracle.from_position(start.position())
        *hands, game.first, game.aside = found
        hands.insert(seat, set(start.hands[seat]))
        game.hands = hands
        yield game


@pytest.mark.parametrize("name", SMALL)
def test_worlds_are_those_that_can_have_happened(name: str) -> None:
    """CS-87 to CS-98 against their purpose: the deals under which a round looks to a seat as it did.

    Every deal that fits what the seat sees at first is played along; deals drop out when a card is not held or, at the
    end, when other cards are unplayed (CS-49). What remains must be the worlds.
    """
    compared = not_held = 0
    for seed in range(3):
        game = new_game(seed, rounds=1, **SMALL[name])
        choose = short_suits(seed)
        seats = [seat for seat in range(game.n) if oracle.count_worlds(game.position(), seat) <= MOST_WORLDS][:2]
        candidates = {seat: list(possible_deals(game, seat)) for seat in seats}
        while True:
            position = game.position()
            for seat in seats:
                found = list(oracle.worlds(position, seat))
                assert len(found) == len(set(found)) == oracle.count_worlds(position, seat)
                assert set(found) == {oracle.world_of(candidate.position()) for candidate in candidates[seat]}
                assert oracle.world_of(position) in found  # CS-98
                compared += 1
                for candidate in candidates[seat]:
                    assert public(candidate) == public(game)
                    if seat == game.to_move or game.phase == DISCARD:  # CS-98, CS-86
                        assert candidate.legal() == game.legal()
                for world in found[:5]:
                    other = oracle.with_world(position, world)
                    assert oracle.world_of(other) == world and public(Oracle.from_position(other)) == public(game)
                if game.phase == PLAY:  # CS-99
                    assert len({frozenset(discards(candidate).items()) for candidate in candidates[seat][:20]}) == 1
            if game.done:
                break
            action, mover = choose(game), game.to_move
            game.step(action)
            for seat in seats:
                remaining = []
                for candidate in candidates[seat]:
                    if action < 60 and action not in candidate.hands[mover]:
                        not_held += 1
                        continue
                    candidate.step(action)  # CS-92, CS-93: legal if held
                    if not game.done or public(candidate) == public(game):
                        remaining.append(candidate)
                candidates[seat] = remaining
    assert compared > 10 and not_held > 20


def discards(game: Oracle) -> dict[int, bool]:
    """Returns by suit played whether a DISCARD comes next."""
    found: dict[int, bool] = {}
    for action in game.legal():
        again = Oracle.from_position(game.position())
        again.step(action)
        assert found.setdefault(action // 15, again.phase == DISCARD) == (again.phase == DISCARD)
    return found


def test_worlds_forget_the_round_before() -> None:  # CS-95
    game = new_game(4, **SMALL["3x4-aside"])
    for number in (1, 2, 3):
        assert game.round_no == number
        for seat in range(3):
            known = game.hands[seat] | {game.spotlight}
            assert oracle.unseen_cards(game.position(), seat) == set(oracle.deck_of(game.options)) - known
        play_on(game, at_random(number), in_round(number + 1))


def test_vectors_are_all_here() -> None:
    text = "\n".join(ONE_SUIT + ONE_ROUND + TRICKS + LEGAL + FINALS + ENDS)
    found = re.findall(r"^([A-F]\d\d) ", text, re.MULTILINE)
    numbers = {"A": 14, "B": 5, "C": 11, "D": 12, "E": 7, "F": 7}
    assert found == [f"{letter}{i:02}" for letter, number in numbers.items() for i in range(1, number + 1)]
