"""The test vectors of the rule document, each set up on the compiled game."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shadowenvs.games.shadow_cards import GAME
from tests.games.shadow_cards.table import CLAIM, END, PLAY, PREDICT, Table, cards, joined, options, scored
from tests.games.shadow_cards.test_oracle_vectors import (
    CLAIMS,
    ENDS,
    LEGAL_PICKS,
    LEGAL_PLAYS,
    ONE_SEAT,
    ROUNDS,
    TRICKS,
    read_round,
)

CITED = """
A01 SC-61/A02 SC-62/A03 SC-58/A04 SC-59/A05 SC-60/A06 SC-79/A07 SC-80/A08 SC-55 SC-79/A09 SC-82/A10 SC-83/A11 SC-81
A12 SC-55 SC-61/A13 SC-60/A14 SC-79/A15 SC-83 SC-84/A16 SC-82 SC-84/A17 SC-59 SC-64/A18 SC-58 SC-65/A19 SC-58 SC-65
A20 SC-61/A21 SC-57 SC-58/A22 SC-60 SC-68/A23 SC-68/A24 SC-67/A25 SC-60 SC-74/A26 SC-75/A27 SC-60/A28 SC-63 SC-60
A29 SC-63 SC-68 SC-67/A30 SC-59/A31 SC-64/A32 SC-133 SC-57
B01 SC-69/B02 SC-71/B03 SC-72/B04 SC-70/B05 SC-71/B06 SC-72/B07 SC-73 SC-62/B08 SC-74/B09 SC-64 SC-68 SC-66
B10 SC-63 SC-69/B11 SC-71/B12 SC-74 SC-59/B13 SC-58 SC-73
C01 SC-38/C02 SC-39/C03 SC-37 SC-38/C04 SC-38/C05 SC-39 SC-43/C06 SC-43 SC-42/C07 SC-39/C08 SC-38/C09 SC-39
D01 SC-35/D02 SC-36/D03 SC-25 SC-36/D04 SC-37/D05 SC-36 SC-25/D06 SC-36/D07 SC-33/D08 SC-35
E01 SC-96/E02 SC-95/E03 SC-96/E04 SC-95 SC-96/E05 SC-95/E06 SC-96/E07 SC-96 SC-21
F01 SC-45/F02 SC-46/F03 SC-52
H01 SC-89 SC-121/H02 SC-90 SC-121/H03 SC-121/H04 SC-74 SC-121/H05 SC-122/H06 SC-121/H07 SC-90 SC-121
"""
CLAUSES = {entry.split()[0]: entry.split()[1:] for line in CITED.split("\n") for entry in line.split("/") if entry}


def vectors(rows: Sequence[str]) -> list[Any]:
    """Returns test parameters with the id of each row and marks for its clauses."""
    ids = [row.split()[0] for row in rows]
    return [
        pytest.param(row, id=name, marks=pytest.mark.rule(*CLAUSES[name])) for row, name in zip(rows, ids, strict=True)
    ]


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split() if word != "-"]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("row", vectors(ONE_SEAT))
def test_one_seat(row: str, seat: int) -> None:
    head, claims, tail = row.split("|")
    _, rules, players, p = head.split()
    best_other, points = numbers(tail)
    n = int(players)
    chosen: dict[str, Any] = {"num_players": n}
    if rules.startswith("intro"):
        chosen["scoring"] = "introductory"
    if rules == "floor":
        chosen["floor_penalty"] = True
    if rules == "small":
        chosen |= {"rounds": 1, "num_suits": 2, "num_ranks": 3, "hand_size": 3, "prediction_cards": 1}
    if row.startswith("A19"):
        chosen["prediction_cards"] = 1  # with two of them, five zeros would be needed
    values: list[list[int]] = [[]] * n
    values[seat] = numbers(claims)
    # Another seat shares nothing but the most; 13 and below leave the 14s that a row needs.
    other = (seat + 1) % n
    values[other] = [13] * (best_other // 13) + [best_other % 13] if best_other else []
    if sum(values[seat]) + best_other == 0:
        values[other] = []
    sums: list[int | None] = [None] * n
    sums[seat] = int(p)
    gains, _ = scored(options(**chosen), sums, values, 2 if rules == "intro-2" else 1)
    assert gains[seat] == points


@pytest.mark.parametrize("row", vectors(ROUNDS))
def test_round(row: str) -> None:
    most_tie, n, predictions, values, points = read_round(row)
    for shift in range(n):
        turn = [(seat + shift) % n for seat in range(n)]
        gains, table = scored(
            options(num_players=n, most_tie=most_tie), [predictions[s] for s in turn], [values[s] for s in turn]
        )
        assert gains == [points[s] for s in turn]
        assert table.points == gains and table.rewards == [0.0] * n


@pytest.mark.rule("SC-124")
def test_round_b08_in_points() -> None:
    _, n, predictions, values, _ = read_round(next(row for row in ROUNDS if row.startswith("B08")))
    _, table = scored(options(num_players=n, reward="points"), predictions, values)
    assert table.rewards == [float(np.float32(reward)) for reward in ("-0.07", "0.81", "0.08")]


def before_trick(trick: str, extra: str, lead: int) -> Table:
    """Returns a table before a trick; in play order from the leader on, seats hold a card of it each."""
    played = trick.split()
    n = len(played)
    hands = [""] * n
    for place, card in enumerate(played):
        hands[(lead + place) % n] = card
    line = f"num_players={n} phase=play trick=1 leader={lead} lead={lead} hands={'/'.join(hands)}"
    return Table.at(line + (f" extra={extra}" if extra != "-" else ""))


@pytest.mark.parametrize("row", vectors(TRICKS))
def test_trick_winner(row: str) -> None:
    _, trick, extra, place = (part.strip() for part in row.split("|"))
    n = len(trick.split())
    for lead in range(n):
        table = before_trick(trick, extra, lead)
        for number, card in enumerate(trick.split()):
            assert (table.phase, table.seat) == (PLAY, (lead + number) % n)
            table.do(f"play {card}")
        assert (table.phase, table.seat) == (CLAIM, (lead + int(place) - 1) % n)


@pytest.mark.parametrize("row", vectors(LEGAL_PLAYS))
def test_legal_plays(row: str) -> None:
    _, hand, prediction, led, legal = (part.strip() for part in row.split("|"))
    held, aside = f"-/{joined(hand)}/-/-", f"-/{joined(prediction)}/-/-"
    lead = 1 if led == "-" else 3
    table = Table.at(
        f"phase=play trick=3 lead={lead} move=1 hands={held} predictions={aside}"
        + ("" if led == "-" else f" table=-/-/-/{led}12")
    )
    assert table.legal() == {"play": cards(legal)}


@pytest.mark.parametrize("row", vectors(LEGAL_PICKS))
def test_legal_picks(row: str) -> None:
    _, k, hand, picks, legal = (part.strip() for part in row.split("|"))
    held, aside = f"-/-/-/{joined(hand)}", f"-/-/-/{joined(picks)}"
    table = Table.at(f"prediction_cards={k} phase=predict leader=2 move=3 hands={held} predictions={aside}")
    assert table.legal() == {"predict": cards(legal)}


@pytest.mark.parametrize("row", vectors(CLAIMS))
def test_claims(row: str) -> None:
    _, trick, extra, legal = (part.strip() for part in row.split("|"))
    table = before_trick(trick, extra, 0)
    table.do(*(f"play {card}" for card in trick.split()))
    assert table.legal() == {"claim": cards(legal)}


@pytest.mark.rule("SC-47")
def test_claim_of_f01() -> None:
    """Tom claims G8: his trick points rise by 8."""
    table = before_trick("G2 G11 G8 R4", "-", 0)
    rest = ("B1", "B2", "B3", "B4")
    table = table.changed(hands=[hand | cards(card) for hand, card in zip(table.now.hands, rest, strict=True)])
    table.do("play G2", "play G11", "play G8", "play R4")
    before = [table.see(seat)("trick_points").tolist() for seat in range(4)]
    table.do("claim G8")
    after = [table.see(seat)("trick_points").tolist() for seat in range(4)]
    for seat in range(4):
        gained = [late - early for early, late in zip(before[seat], after[seat], strict=True)]
        assert gained == [8 * (place == (3 - seat) % 4) for place in range(5)]


@pytest.mark.rule("SC-02", "SC-99")
@pytest.mark.parametrize(
    ("word", "number"),
    [("predict R7", 7), ("play G8", 98), ("play R0", 60), ("claim B14", 179), ("claim G8", 158)],
)
def test_action_numbers(word: str, number: int) -> None:
    """The numbers of the printed vectors are what the kernels take."""
    kind, card = word.split()
    lines = {
        "predict": f"prediction_cards=1 phase=predict hands={card}B0/-/-/-",
        "play": f"phase=play hands={card}/-/-/-",
        "claim": f"phase=claim hands=B1/-/-/- table={card}/R1/R2/R3",
    }
    table = Table.at(lines[kind])
    assert number in table.actions and GAME.parse_action(table.options, word) == number
    assert min(table.actions) // 60 == max(table.actions) // 60 == ("predict", "play", "claim").index(kind)
    table.act(number)
    now = table.now
    assert {"predict": now.predictions, "play": now.played, "claim": now.claimed}[kind][0] == cards(card)


@pytest.mark.rule("SC-08")
@pytest.mark.parametrize(
    ("n", "leaders"), [(4, [2, 3, 0]), (3, [2, 0, 1]), (5, [4, 0, 1]), (2, [1, 0, 1, 0])], ids=["n4", "n3", "n5", "n2"]
)
def test_round_leaders(n: int, leaders: list[int]) -> None:
    seed = next(seed for seed in range(1000) if Table.dealt(seed, num_players=n).now.leader == leaders[0])
    table = Table.dealt(seed, num_players=n)
    chooser = random.Random(n)
    winners = []
    for number, leader in enumerate(leaders, start=1):
        assert (table.now.round_no, table.phase, table.now.leader, table.seat) == (number, PREDICT, leader, leader)
        table.play(chooser, lambda table: table.ends_round)
        winners.append(table.seat)
        table.act(table.actions[0])
    assert table.done and any(won != led for won, led in zip(winners, leaders[1:], strict=False))


@pytest.mark.parametrize("reward", ["win_share", "points"])
@pytest.mark.parametrize("row", vectors(ENDS))
def test_end(row: str, reward: str) -> None:
    _, totals_text, winners, shares = row.split("|")
    totals = numbers(totals_text)
    n = len(totals)
    chosen = options(num_players=n, reward=reward)
    assert chosen.rounds is not None
    # The last claim is a 0 and all predictions are 0: the last round changes no total.
    rounds = [totals, *[[0] * n] * (chosen.rounds - 2)]
    results = ";".join("/".join(f"0:0:{total}" for total in row) for row in rounds)
    trick = "/".join(["R0", "R9", "R5", "Y4", "G3"][:n])
    table = Table.at(
        f"num_players={n} reward={reward} phase=claim round={chosen.rounds} trick={chosen.num_tricks} leader=1 lead=0 "
        f"move=1 table={trick} results={results}" + (" extra=" + "B0" * (n == 3) if n == 3 else "")
    )
    assert not table.done and table.winners == [] and table.points == totals
    table.do("claim R0")
    assert table.done and table.phase == END and table.actions == []
    assert table.points == totals and table.winners == numbers(winners)
    expected = [float(Fraction(word)) if reward == "win_share" else 0.0 for word in shares.split()]
    assert table.rewards == [float(np.float32(share)) for share in expected]


def test_all_vectors_are_here() -> None:
    rows = [*ONE_SEAT, *ROUNDS, *TRICKS, *LEGAL_PLAYS, *LEGAL_PICKS, *CLAIMS, *ENDS]
    assert [row.split()[0] for row in rows] == list(CLAUSES)
