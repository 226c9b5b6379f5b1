"""The test vectors of the rule document, each set up on a table and played."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest

from shadowenvs.games.chasing_shadows import GAME
from shadowenvs.games.chasing_shadows.notation import Boxes, Position
from tests.games.chasing_shadows.table import (
    COUNTS,
    DISCARD,
    END,
    PLAY,
    Table,
    before_scoring,
    box_of,
    cards,
    deck,
    few,
    members,
    options,
    rank_of,
    ranks_scoring,
    suit_name,
    suit_of,
    suits,
    trick_so_far,
    words,
)
from tests.games.chasing_shadows.worlds import count_worlds, worlds

SUIT = "BRYG"


def boxes(text: str) -> Boxes:
    """Returns the boxes of a text like "12 · 0 ·"."""
    return [None if word == "·" else int(word) for word in text.split()]


# ------------------------------------------------------------------------------------------------- A. One suit

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


@pytest.mark.rule("CS-51", "CS-52", "CS-53", "CS-54", "CS-56", "CS-58", "CS-59")
@pytest.mark.parametrize("row", ONE_SUIT, ids=lambda row: row[:3])
@pytest.mark.parametrize("suit", [0, 3])
@pytest.mark.parametrize("seat", [0, 2])
def test_one_suit(row: str, suit: int, seat: int) -> None:
    _, ranks, box = row.split("|")
    group = {suit * 15 + int(rank) for rank in ranks.split() if rank != "-"}
    other = 15 * (1 if suit == 0 else 2)
    scored = [{other + 3, other + 7}, {other + 4, other + 8}, {other + 5, other + 9}]
    scored[seat] |= group
    table, play = before_scoring(options(num_players=3, num_ranks=15, hand_size=13), scored)
    table.act(play)
    found = table.now.boxes[0][seat]
    assert [found[suit]] == boxes(box)
    assert found[other // 15] == min(rank_of(card) for card in scored[seat] - group)


# ------------------------------------------------------------------------------------------------ B. One round

ONE_ROUND = """
B01 | 4 | - / 1 3 9 12 / - / 0 | · 4 · 15 | 19
B02 | 4 | 2 4 8 / - / 0 13 / - | 14 · 0 · | 14
B03 | 3 | 10 / 0 / - / - | 10 15 · · | 25
B04 | 5 | - / - / - / 0 | · · · 15 | 15
B05 | 5 | 0 14 / 0 13 / 0 1 2 / - | 0 0 3 · | 3
""".strip().splitlines()


@pytest.mark.rule("CS-48", "CS-51", "CS-54", "CS-55", "CS-57", "CS-58", "CS-59")
@pytest.mark.parametrize("row", ONE_ROUND, ids=lambda row: row[:3])
def test_one_round(row: str) -> None:
    name, n, groups, expected, total = (part.strip() for part in row.split("|"))
    scored = [
        {suit * 15 + int(rank) for rank in group.split() if rank != "-"} for suit, group in enumerate(groups.split("/"))
    ]
    own = set().union(*scored)
    chosen = options(num_players=int(n))
    rest = sorted(deck(chosen) - own, key=rank_of)[::-1]
    others = [{rest.pop(), rest.pop(), rest.pop()} for _ in range(int(n) - 1)]
    unplayed = {0: 15} if name == "B03" else None  # the red 0
    table, play = before_scoring(chosen, [own, *others], unplayed=unplayed)
    table.act(play)
    assert table.now.boxes[0][0] == boxes(expected)
    assert table.points[0] == int(total)


# ------------------------------------------------------------------------------------------- C. Trick winners

WINNERS = """
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


@pytest.mark.rule(
    *("CS-35", "CS-36", "CS-37", "CS-38", "CS-39", "CS-40", "CS-41", "CS-43", "CS-44", "CS-45", "CS-32", "CS-34")
)
@pytest.mark.parametrize("row", WINNERS, ids=lambda row: row[:3])
@pytest.mark.parametrize("lead", [0, 1])
def test_winner(row: str, lead: int) -> None:
    """The whole trick is played; the follow cards are those that the later seats match."""
    _, spotlight, played, place, new_spotlight, follow = (part.strip() for part in row.split("|"))
    order = played.split()
    n = len(order)
    later = " ".join(SUIT[suit_of(card)] for card in cards(played)[1:])
    table = trick_so_far(n, spotlight, "", played, later, lead=lead)
    position = table.now
    free = sorted(deck(table.options) - {*cards(spotlight), *cards(played)})
    position.hands = [{free.pop(), free.pop()} for _ in range(n)]
    for number, card in enumerate(cards(played)):
        position.hands[(lead + number) % n].add(card)
    table = Table(position)
    winners = []
    for word in order:
        assert table.seat == (lead + len(winners)) % n
        winners.append(int(table.see(0)("winning").argmax()) if winners else None)
        table.do(f"play {word}")
    seat = (lead + int(place) - 1) % n
    after = table.now
    assert (after.lead, after.move, table.seat) == (seat, seat, seat)
    assert words([after.spotlight or 0]) == new_spotlight
    assert after.follow == suits(follow)
    assert after.taken == [set(cards(spotlight)) if other == seat else set() for other in range(n)]
    assert after.table == [None] * n
    assert after.trick_no == 2
    assert all(len(hand) == 2 for hand in after.hands)


# ---------------------------------------------------------------------------------- D. Legal sets and removals

LEGAL = """
D01 | – | B1 R2 Y3 G4 | B1 R2 Y3 G4 | R2 | –
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


@pytest.mark.rule("CS-20", "CS-21", "CS-22", "CS-23", "CS-24", "CS-25", "CS-26", "CS-27", "CS-28", "CS-29", "CS-30")
@pytest.mark.rule("CS-31", "CS-72", "CS-73", "CS-74", "CS-75")
@pytest.mark.parametrize("row", LEGAL, ids=lambda row: row[:3])
@pytest.mark.parametrize("lead", [0, 2])
def test_legal_and_removed(row: str, lead: int) -> None:
    name, remaining, hand, legal, play, removal = (part.strip() for part in row.split("|"))
    leads = remaining == "–"
    left = suits("B R Y" if leads else remaining)
    n = max(4, len(left) + 1)
    before = 0 if leads else n - len(left)
    # D11: red was led and red lies in the spotlight.
    on_table = ["R11", "G12", "B12", "Y12"][:before]
    spotlight = "R12" if name == "D11" else "Y14"
    table = trick_so_far(n, spotlight, " ".join(on_table), hand, " ".join(SUIT[suit] for suit in left), lead=lead)
    seat = table.seat
    assert seat == (lead + before) % n
    assert table.plays == legal
    assert table.discards == []
    table.do(f"play {play}")
    if removal == "–":
        assert table.now.follow == left
        assert (table.phase, table.seat) == (PLAY, (seat + 1) % n)
        return
    choices = suits(removal.strip("{}"))
    if not removal.startswith("{"):
        left.remove(choices[0])
        # After the last seat's card the trick is over.
        assert table.now.follow == left if left else table.now.table == [None] * n
        assert table.phase == PLAY
        return
    assert (table.phase, table.seat) == (DISCARD, seat)
    assert table.discards == choices
    assert table.plays == "-"
    assert table.now.follow == left
    assert words([table.now.table[seat] or 0]) == play
    for choice in choices:
        after = table.copy().do(f"discard {suit_name(SUIT[choice])}")
        assert (after.phase, after.seat) == (PLAY, (seat + 1) % n)
        assert after.now.follow == sorted((Counter(left) - Counter([choice])).elements())


@pytest.mark.rule("CS-22", "CS-28", "CS-31")
def test_the_printed_trick() -> None:
    """D01 to D04, and D05 where grey is discarded instead."""
    table = Table.at("num_players=4 spotlight=Y8 follow=BYG hands=B1R2Y10G5/B3B7R1Y2/B4R5R9R10/Y3Y9G4R11 first=B9Y11G9")
    table.do("play R2", "play B3", "play R5")
    assert table.discards == suits("Y G")
    table.copy().do("discard grey")
    assert table.copy().do("discard yellow").plays == "G4"
    assert table.copy().do("discard grey").plays == "Y3 Y9"


@pytest.mark.rule("CS-02", "CS-77")
def test_action_numbers() -> None:
    numbers = {"play R2": 17, "play G14": 59, "play B0": 0, "discard blue": 60, "discard grey": 63}
    for word, number in numbers.items():
        assert GAME.parse_action(options(), word) == number
        assert GAME.format_action(options(), number) == word


# --------------------------------------------------------------------------------------------- E. Final scores

FINAL = """
E01 | 12 4 3 · / · 11 0 5 / 0 6 · · | 1 B, 1 Y | 26
E02 | 9 · · · / · · · · / · · · 4 | – | 13
E03 | 9 · · · / 0 · · · / · · · · | 1 B | 0
E04 | 0 · · · / · · · · / 15 · · · | 1 B | 15
E05 | 1 2 3 4 / 5 6 7 8 / 9 10 11 12 | – | 78
E06 | 15 15 · · / · 15 · 20 / 3 · 8 7 | 1 B, 1 R, 2 G | 33
E07 | · · · · / 20 · · 3 / 30 · 2 · | 2 B | 35
""".strip().splitlines()


@pytest.mark.rule("CS-58", "CS-59", "CS-61", "CS-62", "CS-63", "CS-64")
@pytest.mark.parametrize("row", FINAL, ids=lambda row: row[:3])
@pytest.mark.parametrize("seat", [0, 1])
def test_final_score(row: str, seat: int) -> None:
    """As a position at the end, and where round 3 can be so, played."""
    _, sheet, struck, final = (part.strip() for part in row.split("|"))
    own = [boxes(part) for part in sheet.split("/")]
    sheets = [[list(own[number]) if other == seat else [1, 1, 1, 1] for other in range(3)] for number in range(3)]
    expected = np.zeros((3, 4), int)
    for pair in struck.split(",") if struck != "–" else []:
        number, letter = pair.split()
        expected[int(number) - 1, SUIT.index(letter)] = 1
    tables = [Table(Position(options(num_players=3), phase=END, round_no=3, boxes=sheets))]
    if any(score is not None for score in own[2]):
        scored: list[set[int]] = [{31, 32}, {31, 32}, {37, 38}]
        scored[1 - seat] = {44, 43, 36}  # yellow 14, 13, 6
        scored[seat] = {15 * suit + rank for suit, score in enumerate(own[2]) for rank in ranks_scoring(score)}
        table, play = before_scoring(
            options(num_players=3, num_ranks=15, hand_size=5), scored, round_no=3, boxes=sheets[:2]
        )
        table.act(play)
        assert table.now.boxes[2][seat] == own[2]
        tables.append(table)
    for table in tables:
        assert table.done
        assert table.points[seat] == int(final)
        assert table.see(seat)("totals")[0] == int(final)
        assert (table.see(seat)("struck")[0] == expected).all()
        assert table.now.boxes[0][seat] == own[0]


@pytest.mark.rule("CS-103", "CS-104", "CS-105")
def test_points_of_the_printed_sheet() -> None:
    """The seat of E01 with reward 'points': -0.19, -0.16, and 0.15 of struck scores less 0.06."""
    chosen = options(num_players=3, num_ranks=15, hand_size=5, reward="points")
    own = [boxes(part) for part in FINAL[0].split("|")[1].split("/")]
    sheets: list[list[Boxes]] = []
    rewards = []
    for number in range(3):
        scored = [{59}, {15 * s + rank for s, score in enumerate(own[number]) for rank in ranks_scoring(score)}, {58}]
        table, play = before_scoring(chosen, scored, round_no=number + 1, boxes=sheets)
        table.act(play)
        sheets = table.now.boxes
        rewards.append(table.rewards)
        assert sheets[number][1] == own[number]
    assert [row[1] for row in rewards] == [float(np.float32(part)) for part in (-0.19, -0.16, 0.09)]
    assert sum(row[1] for row in rewards) == pytest.approx(-0.26)
    # Grey 14 in three rounds, and grey 13: nothing of these is struck.
    assert [row[0] for row in rewards] == [float(np.float32(-0.14))] * 3
    assert [row[2] for row in rewards] == [float(np.float32(-0.13))] * 3


# --------------------------------------------------------------------------------------------------- F. The end

THE_END = """
F01 | 26 31 40 | 7 4 4 | 0 | 1 -1/2 -1/2
F02 | 26 26 40 | 6 5 4 | 1 | -1/2 1 -1/2
F03 | 26 26 40 | 5 5 5 | 0 1 | 1/4 1/4 -1/2
F04 | 30 30 30 | 5 5 5 | 0 1 2 | 0 0 0
F05 | 22 22 22 50 | 3 3 7 3 | 0 1 | 1/3 1/3 -1/3 -1/3
F06 | 50 20 21 22 23 | 1 7 3 2 2 | 1 | -1/4 1 -1/4 -1/4 -1/4
F07 | 12 12 12 12 12 | 2 2 2 2 7 | 0 1 2 3 | 1/16 1/16 1/16 1/16 -1/4
""".strip().splitlines()


def score_of(group: Iterable[int]) -> int:
    return sum(box_of(rank_of(card) for card in group if suit_of(card) == suit) or 0 for suit in range(4))


def last_round(final: list[int], num_cards: list[int]) -> list[set[int]]:
    """Returns cards of the last round by seat, with scores of no more than the final ones."""
    chooser = random.Random(1)
    for _ in range(2000):
        free = list(range(60))
        chooser.shuffle(free)
        scored = [{free.pop() for _ in range(num)} for num in num_cards]
        if all(score_of(group) <= score for group, score in zip(scored, final, strict=True)):
            return scored
    raise AssertionError("no such cards")


@pytest.mark.rule("CS-65", "CS-66", "CS-67", "CS-68", "CS-69", "CS-100", "CS-101", "CS-102")
@pytest.mark.parametrize("row", THE_END, ids=lambda row: row[:3])
@pytest.mark.parametrize("rounds", [3, 1])
def test_the_end(row: str, rounds: int) -> None:
    """A last round that makes these scores and cards; the rest of each score comes from earlier rounds."""
    _, final, num_cards, winners, rewards = (part.split() for part in row.split("|"))
    n = len(final)
    chosen = options(num_players=n, num_ranks=15, hand_size=11, rounds=rounds)
    scores, counts = list(map(int, final)), list(map(int, num_cards))
    if rounds == 1:  # no earlier rounds: the position is given
        sheet: list[Boxes] = [[score, None, None, None] for score in scores]
        free = list(range(60))
        taken = [{free.pop() for _ in range(num)} for num in counts]
        table = Table(Position(chosen, phase=END, boxes=[sheet], taken=taken, hands=[], table=[]))
    else:
        scored = last_round(scores, counts)
        sheets: list[list[Boxes]] = [[[None] * 4 for _ in range(n)] for _ in range(2)]
        for seat, group in enumerate(scored):
            suit = suit_of(min(group))  # scored in all three rounds, so that nothing is struck
            sheets[0][seat][suit], sheets[1][seat][suit] = scores[seat] - score_of(group), 0
        table, play = before_scoring(chosen, scored, round_no=3, boxes=sheets)
        assert not table.done
        table.act(play)
        assert table.rewards == [float(np.float32(Fraction(part))) for part in rewards]
        assert sum(table.rewards) == pytest.approx(0, abs=1e-6)
    assert table.done
    assert table.points == scores
    assert [len(group) for group in table.now.taken] == counts
    assert table.see(0)("num_taken")[:n].tolist() == counts
    assert table.winners == list(map(int, winners))
    assert np.flatnonzero(table.see(0)("winners")).tolist() == list(map(int, winners))


# ------------------------------------------------------------------------------------------------- G. Starters


@pytest.mark.rule("CS-06", "CS-08", "CS-18")
@pytest.mark.parametrize(("n", "starters"), [(3, [1, 2, 0]), (4, [3, 0, 1]), (5, [4, 0, 1])])
def test_starters(n: int, starters: list[int]) -> None:
    for seed in range(100):
        table = Table.dealt(seed, num_players=n)
        if table.now.starter == starters[0]:
            break
    found, winners = [], set()
    for now in table.states(random.Random(n)):
        position = now.now
        if len(found) < position.round_no:
            found.append(position.starter)
            assert (position.lead, position.move, position.trick_no) == (position.starter, position.starter, 1)
        winners.add(position.lead)
    assert found == starters
    assert len(winners) > 1
    assert table.now.round_no == 3


# ---------------------------------------------------------------------------------------------- H. Worlds

SEEN_BY_ONE = {
    "H01": ("spotlight=G5 follow=GG hands=G1/B2B5/B9", 3),
    "H02": ("spotlight=G5 follow=GG hands=G1/B2B5R0/B9 first=R4", 6),
    "H03": ("spotlight=G5 follow=R lead=1 table=-/Y9/Y8 move=0 hands=G1/B2B5R0/B9 first=R4", 6),
    "H04": ("spotlight=G5 follow=GG hands=G1/-/Y1Y3Y7", 1),
}


@pytest.mark.rule("CS-89", "CS-90", "CS-91", "CS-92", "CS-94")
@pytest.mark.parametrize("name", SEEN_BY_ONE)
def test_number_of_worlds(name: str) -> None:
    """Counted by enumeration, and every one of them is found by sampling, and no other."""
    line, number = SEEN_BY_ONE[name]
    table = Table.at(f"num_players=3 {line}")
    expected = set(worlds(table.now, 0))
    assert len(expected) == number
    seeds = np.arange(200, dtype=np.uint64)
    found = set()
    for seed in seeds:
        row = table.batch.determinised(np.array([0]), seed[None])[0]
        hands = [frozenset(members(bits)) for bits in row["hand"][:3]]
        found.add((*hands, frozenset(members(row["first"])), frozenset(members(row["aside"]))))
    assert found == expected


@pytest.mark.rule("CS-91")
def test_number_of_worlds_of_a_deal() -> None:
    """H05: too many to enumerate; per suit they are counted."""
    blue = "".join(f"B{rank}" for rank in range(11))
    red, yellow, grey = ([f"{letter}{rank}" for rank in range(11)] for letter in "RYG")
    seat1 = "".join(red[2:] + yellow[1:5])
    seat2 = "".join(yellow[5:9] + grey[:9])
    line = f"hands={blue}R0Y0/{seat1}/{seat2} first={''.join(yellow[9:])} aside={''.join(grey[9:])}"
    table = Table.at(f"num_players=3 spotlight=R1 follow=YY {line}")
    position = table.now
    assert count_worlds(position, 0) == 173250
    samples = few(3000, 40)
    found = set()
    for seed in range(samples):
        row = table.batch.determinised(np.array([0]), np.array([seed], np.uint64))[0]
        assert members(row["hand"][0]) == position.hands[0]
        assert members(row["hand"][1]) >= set(cards(" ".join(red[2:])))
        found.add((row["hand"].tobytes(), int(row["first"]), int(row["aside"])))
    # Of so many worlds hardly any comes twice.
    assert len(found) > 0.97 * samples


# ------------------------------------------------------------------------------------------- I. Invariants


@pytest.mark.rule("CS-12", "CS-31", "CS-32", "CS-33", "CS-41", "CS-44", "CS-46", "CS-48", "CS-50", "CS-58")
@pytest.mark.parametrize("n", COUNTS)
def test_invariants(n: int) -> None:
    """Counts of the cards in every place, at every moment of official games."""
    for seed in range(few(20, 1)):
        table = Table.dealt(seed, num_players=n)
        tricks = table.options.num_tricks
        whole = deck(table.options)
        won: Counter[int] = Counter()
        before = table.now
        for now in table.states(random.Random(seed)):
            position = now.now
            played = {card for card in position.table if card is not None}
            removed = max(0, len(played) - 1 - (position.phase == DISCARD))
            assert len(position.follow) == n - 1 - removed
            if len(played) == n - 1 and position.phase == PLAY:
                assert len(position.follow) == 1  # for the last seat
            if (position.round_no, position.trick_no) == (before.round_no, before.trick_no + 1):
                won[position.lead] += 1
            places = [*position.hands, *position.taken, position.first, position.aside, played, {position.spotlight}]
            together = Counter(card for place in places for card in place)
            assert set(together.values()) == {1} and set(together) <= whole
            if len(position.boxes) > len(before.boxes):
                assert won.total() == tricks - 1
                for sheet in position.boxes[-1]:
                    filled = [score for score in sheet if score is not None]
                    assert filled and min(filled) >= 0
                if now.done:  # the last trick, and the unplayed cards
                    won.update([position.lead, *range(n)])
                else:
                    won.clear()
            assert [len(taken) for taken in position.taken] == [won[seat] for seat in range(n)]
            before = position
        scored = set().union(*before.taken)
        assert len(scored) == tricks + n
        # What is left: one spotlight card, n - 1 follow cards, and the discard pile.
        assert len(whole - scored) == 1 + (n - 1) + (n - 1) * tricks + len(before.aside)
