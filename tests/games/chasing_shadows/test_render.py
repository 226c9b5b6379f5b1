"""The table of Chasing Shadows as text and as SVG: what it shows, and what it must not."""

from __future__ import annotations

import functools
import random
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.chasing_shadows import GAME, render
from shadowenvs.games.chasing_shadows.notation import format_card, from_state
from shadowenvs.games.chasing_shadows.spec import SUIT_NAMES
from tests.games.chasing_shadows.table import COUNTS, DISCARD, END, PLAY, Table, few, options, trick_so_far

TRICK = (
    "num_players=4 seed=5 phase=play round=2 trick=3 starter=1 lead=2 move=0 spotlight=Y8 follow=BG "
    "hands=R2R13Y7B0/R5Y1Y2G9/R3Y3B7/G1G2B8 taken=R0/-/B1B4B9G0/- table=-/-/Y6/G3 first=B2B3R11 "
    "boxes=12,4,3,-/-,1,-,-/5,-,0,15/-,-,-,7"
)


@functools.cache
def moments(num_players: int) -> tuple[Table, ...]:
    """Returns some moments of one game: within tricks, a choice of a follow card, and the end."""
    for seed in range(100):
        table = Table.dealt(seed, num_players=num_players, rounds=2)
        found = []
        for number, now in enumerate(table.states(random.Random(seed))):
            if (
                number in (3, 40, 41, 90)
                or now.done
                or (now.phase == DISCARD and not any(other.phase == DISCARD for other in found))
            ):
                found.append(now.copy())
        if any(other.phase == DISCARD for other in found):
            return tuple(found)
    raise AssertionError("no seat ever discards")


def draw(table: Table, seat: int | None) -> tuple[str, str]:
    state = table.batch.get_states()
    return render.text(table.options, state, seat), render.svg(table.options, state, seat)


@pytest.mark.parametrize("n", COUNTS)
def test_moments_cover_every_phase(n: int) -> None:
    assert {table.phase for table in moments(n)} == {PLAY, DISCARD, END}


@pytest.mark.rule("CS-83", "CS-85", "CS-17")
@pytest.mark.parametrize("n", COUNTS)
def test_a_seat_sees_the_same_in_every_world_it_cannot_rule_out(n: int) -> None:
    for table in moments(n):
        for seat in range(n):
            shown = draw(table, seat)
            for seed in (1, 2):
                world = table.copy()
                world.batch.set_states(table.batch.determinised(np.array([seat]), np.array([seed], np.uint64)))
                assert draw(world, seat) == shown


@pytest.mark.rule("CS-15", "CS-17")
@pytest.mark.parametrize("n", COUNTS)
def test_no_hidden_card_is_written(n: int) -> None:
    for table in moments(n)[:-1]:
        position = table.now
        for seat in range(n):
            shown = set(re.findall(r"\b[BRYG]\d+\b", draw(table, seat)[0]))
            hidden = [hand for other, hand in enumerate(position.hands) if other != seat]
            assert not shown & set(map(format_card, set().union(*hidden, position.first, position.aside)))


@pytest.mark.parametrize("n", COUNTS)
def test_a_forfeited_game_stays_closed(n: int) -> None:
    """It is over, but no rule has scored the round."""
    batch = Batch(GAME, 1, autoreset=False, illegal_actions="terminate", num_players=n, rounds=2)
    batch.set_states(moments(n)[1].batch.get_states())
    before = render.text(options(num_players=n, rounds=2), batch.get_states(), 1)
    batch.step(np.array([int(np.flatnonzero(~batch.masks[0])[0])]))
    after = batch.get_states()
    shown = render.text(options(num_players=n, rounds=2), after, 1)
    assert shown.endswith("The game was broken off; nobody wins.\n")
    assert set(shown.splitlines()) - set(before.splitlines()) <= {"Phase play", "Phase discard", shown.splitlines()[-1]}
    assert "broken off" in render.svg(options(num_players=n, rounds=2), after, 1)


@pytest.mark.rule("CS-16", "CS-60")
def test_text_of_a_trick_for_one_seat() -> None:
    assert draw(Table.at(TRICK), 0)[0] == (
        """\
Chasing Shadows, round 2 of 3, trick 3 of 12
Seat 1 started the round, seat 2 leads the trick
Phase play: seat 0 is to move

Spotlight card: Y8
Follow cards left: blue, grey
Table: seat 2 Y6, seat 3 G3; seat 2 wins so far
First follow cards of the round, never seen: 2 blue, red

              score   hand B  R  Y  G   taken scores B   R   Y   G   cards taken
seat 0 (you)     19        1  2  1  0                -  15   -   -   R0
seat 1            1        0  1  2  1                -   -   -   -   -
seat 2           20        1  1  1  0               14   -   -  15   B1 B4 B9 G0
seat 3            7        1  0  0  2                -   -   -   -   -

Your hand:
  blue     0
  red      2 13
  yellow   7
  grey     -

Score sheets: blue, red, yellow, grey
       |     seat 0      |     seat 1      |     seat 2      |     seat 3
     1 |  12   4   3   - |   -   1   -   - |   5   -   0  15 |   -   -   -   7
 total |              19 |               1 |              20 |               7
"""
    )


def test_text_with_all_cards_open() -> None:
    shown = draw(Table.at(TRICK), None)[0]
    assert "(you)" not in shown
    assert "  seat 1  R5 Y1 Y2 G9\n" in shown
    assert "First follow cards of the round: B2 B3 R11\n" in shown
    table = Table.at("num_players=3 spotlight=R1 follow=YY hands=B1/B2/B3 first=Y1Y2 aside=G1G4")
    assert "Set aside: G1 G4\n" in draw(table, None)[0]
    assert "Set aside, never seen: 2 grey\n" in draw(table, 1)[0]


def test_a_choice_of_follow_cards() -> None:
    table = trick_so_far(4, "Y14", "G1 R5", "R3 R4", "B Y G", phase=DISCARD)
    text, svg = draw(table, 1)
    assert "Phase discard: seat 1 is to move\n" in text
    assert "Follow cards left: blue, yellow, grey\n" in text
    assert "you, to discard" in svg


@pytest.mark.rule("CS-49", "CS-60", "CS-66")
@pytest.mark.parametrize("n", COUNTS)
def test_at_the_end_all_scores_are_public(n: int) -> None:
    table = moments(n)[-1]
    texts = [draw(table, seat)[0].replace(" (you)", "      ") for seat in range(n)]
    assert len(set(texts)) == 1
    assert texts[0].endswith(f" with a score of {min(table.points)}.\n")
    assert f">with a score of {min(table.points)}.<" in draw(table, 0)[1]
    for cards in table.now.taken:
        assert " ".join(map(format_card, sorted(cards))) in texts[0]


@pytest.mark.rule("CS-61")
def test_struck_scores_are_marked() -> None:
    sheets = "12,4,3,-/1,1,1,1/1,1,1,1;-,11,0,5/1,1,1,1/1,1,1,1;0,6,-,-/1,1,1,1/1,1,1,1"
    text, svg = draw(Table.at(f"num_players=3 phase=end boxes={sheets}"), 1)
    assert "     1 | ~12   4  ~3   - |   1   1   1   1 |" in text
    assert " total |              26 |" in text
    assert "~ struck out" in text
    assert svg.count('opacity="0.5"') == 2


@pytest.mark.rule("CS-69")
def test_several_winners() -> None:
    sheets = "1,1,1,1/1,1,1,1/2,1,1,1"
    text = draw(Table.at(f"num_players=3 rounds=1 phase=end boxes={sheets} taken=B1/B2/B3"), None)[0]
    assert text.endswith("Seats 0 and 1 win together with a score of 4.\n")


@pytest.mark.parametrize("n", COUNTS)
def test_text_is_plain_and_narrow(n: int) -> None:
    for table in moments(n):
        for seat in (0, n - 1, None):
            shown = draw(table, seat)[0]
            assert shown.isascii()
            assert shown.replace("\n", "").isprintable()
            assert max(map(len, shown.splitlines())) <= 100
            assert all(line == line.rstrip() for line in shown.splitlines())
            assert shown.endswith("\n")


def test_the_largest_hands_fit() -> None:
    table = Table.dealt(1, num_players=3, num_ranks=15, rounds=1)
    for number, now in enumerate(table.states(random.Random(1))):
        if number % few(1, 9) and not now.done:
            continue
        for seat in (0, None):
            text, svg = draw(now, seat)
            assert max(map(len, text.splitlines())) <= 100
            ElementTree.fromstring(svg)
            # Wrapped lines lose nothing.
            words = re.findall(r"\b[BRYG]\d+\b", text)
            assert all(format_card(card) in words for cards in now.now.taken for card in cards)


def test_a_small_deck_shows_its_suits_only() -> None:
    shown = draw(Table.dealt(1, num_players=3, num_suits=2, num_ranks=9), 0)[0]
    hand = shown[shown.index("Your hand") :]
    assert [f"  {name}" in hand for name in SUIT_NAMES] == [True, True, False, False]


@pytest.mark.parametrize("n", COUNTS)
def test_pictures_are_well_formed_and_repeat(n: int) -> None:
    for table in moments(n):
        for seat in (0, n - 1, None):
            picture = draw(table, seat)[1]
            root = ElementTree.fromstring(picture)
            assert (root.get("width"), root.get("height")) == ("960", "640")
            assert draw(table.copy(), seat)[1] == picture
            assert "href" not in picture  # self-contained
            assert set(re.findall(r'font-family="([^"]*)"', picture)) == {"sans-serif"}


def test_picture_shows_the_trick_and_hides_the_rest() -> None:
    def numbers(table: Table, seat: int | None) -> list[Any]:
        return re.findall(r">([^<>]+)</text>", draw(table, seat)[1])

    table = Table.at(TRICK)
    words = numbers(table, 0)
    for wanted in ("Seat 3", "you, to play", "leader", "trick 3 of 12", "spotlight", "follow cards"):
        assert wanted in words
    # Red 11, first follow card, is nowhere; 13 is the own red card, 9 a taken one.
    assert "11" not in words
    open_words = numbers(table, None)
    assert len(open_words) > len(words)
    assert from_state(table.options, table.batch.get_states()) == table.now
