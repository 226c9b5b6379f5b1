"""The table of Shadow Cards as text and as SVG: what it shows, and what it must not."""

from __future__ import annotations

import functools
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_cards import GAME, render
from shadowenvs.games.shadow_cards.notation import Position, format_card, from_state, to_state
from shadowenvs.games.shadow_cards.spec import CLAIM, END, PLAY, PREDICT, SUIT_NAMES, ShadowCardsOptions

PLAYERS = range(2, 6)


@functools.cache
def moments(num_players: int) -> tuple[np.recarray, ...]:
    """Returns some states of one game with the heuristic: each phase of the first two rounds, and the end."""
    batch = Batch(GAME, 1, autoreset=False, num_players=num_players)
    batch.reset(7)
    generator = np.random.default_rng(0)
    states: list[np.recarray] = []
    seen: dict[tuple[int, int], int] = {}
    while not batch.dones[0]:
        state = batch.get_states()
        kind = int(state[0].round_no), int(state[0].phase)
        seen[kind] = seen.get(kind, 0) + 1
        if kind[0] <= 2 and seen[kind] in (2, 6):  # within predictions, within a trick, and some claims on
            states.append(state)
        batch.step(batch.turn(generator).heuristic_actions())
    return (*states, batch.get_states())


def options(num_players: int) -> ShadowCardsOptions:
    return ShadowCardsOptions.make(num_players=num_players)


def position(text: str) -> tuple[ShadowCardsOptions, np.recarray]:
    chosen, state = GAME.parse_position(text)
    return chosen, state


def change(state: np.recarray, chosen: ShadowCardsOptions, **fields: Any) -> np.recarray:
    """Returns the state with some fields of its position changed."""
    changed: Position = from_state(chosen, state)
    for name, value in fields.items():
        setattr(changed, name, value)
    return to_state(changed)


TRICK = (
    "num_players=4 seed=5 phase=play round=2 trick=3 leader=1 lead=2 move=0 "
    "hands=R2R14Y7B0/R5Y1Y2G9/R3Y3B7/G1G2B8 predictions=G11B11/Y13B14/R9G12/Y10Y12 "
    "played=G4B1/R6Y8/Y6Y9R1/G3R4B4 claimed=R14/-/B9R6/- table=-/-/Y6/G3 voids=-/-/GB/Y "
    "results=16:15:15/26:25:25/27:32:-6/24:26:50"
)
THREE = (
    "num_players=3 seed=5 phase=claim round=1 trick=2 leader=0 lead=1 move=2 hands=R2R3/R5Y1/R6Y2 "
    "predictions=G11B11/Y13B14/R9G12 played=G4/R8/R12 claimed=-/-/R10 table=G4/R8/R12 voids=R/-/- "
    "extra=G5B6Y4B10B12B13Y5Y6Y7Y8Y9Y10Y11"
)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_moments_cover_every_phase(num_players: int) -> None:
    phases = [int(state[0].phase) for state in moments(num_players)]
    assert set(phases) == {PREDICT, PLAY, CLAIM, END}


@pytest.mark.rule("SC-102", "SC-105", "SC-107")
@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("draw", [render.text, render.svg])
def test_a_seat_sees_the_same_in_every_world_it_cannot_rule_out(num_players: int, draw: Any) -> None:
    chosen = options(num_players)
    batch = Batch(GAME, 1, autoreset=False, num_players=num_players)
    for state in moments(num_players):
        batch.set_states(state)
        for seat in range(num_players):
            shown = draw(chosen, state, seat)
            for seed in (1, 2):
                world = batch.determinised(np.array([seat]), np.array([seed], np.uint64))
                assert int(world[0].seed) != int(state[0].seed)
                assert draw(chosen, world, seat) == shown


@pytest.mark.rule("SC-19", "SC-23", "SC-44", "SC-107")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_no_hidden_card_is_written(num_players: int) -> None:
    chosen = options(num_players)
    for state in moments(num_players)[:-1]:
        table = from_state(chosen, state)
        for seat in range(num_players):
            shown = set(re.findall(r"\b[RYGB]\d+\b", render.text(chosen, state, seat)))
            hidden = [table.hands[other] | table.predictions[other] for other in range(num_players) if other != seat]
            hidden += [*table.reserve, set(table.extra[table.trick_no :])]
            assert not shown & set(map(format_card, set().union(*hidden)))


@pytest.mark.rule("SC-105", "SC-107")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_a_forfeited_game_stays_closed(num_players: int) -> None:
    """It is over, but no rule has opened a hand or scored the round."""
    batch = Batch(GAME, 1, autoreset=False, illegal_actions="terminate", num_players=num_players)
    batch.set_states(moments(num_players)[2])
    before, chosen = batch.get_states(), options(num_players)
    batch.step(np.array([int(np.flatnonzero(~batch.masks[0])[0])]))
    after = batch.get_states()
    shown = render.text(chosen, after, 1)
    assert "The game was broken off; nobody wins." in shown
    assert "Score pad" not in shown
    lines = set(render.text(chosen, before, 1).splitlines())
    assert set(shown.splitlines()) - lines <= {"Phase play", "Phase claim", "Phase predict", "", shown.splitlines()[-1]}
    assert "broken off" in render.svg(chosen, after, 1)


@pytest.mark.rule("SC-106")
def test_text_of_a_trick_for_one_seat() -> None:
    chosen, state = position(TRICK)
    assert render.text(chosen, state, 0) == (
        """\
Shadow Cards, round 2 of 3, trick 3 of 13
Seat 1 leads the round, seat 2 leads the trick
Phase play: seat 0 is to move

seat          total  hand  prediction     T  claimed  lacks
seat 0 (you)     15     4  G11 B11 = 22  14  14       -
seat 1           25     4  2 of 2 cards   0  -        -
seat 2           -6     3  2 of 2 cards  15  9 6      green blue
seat 3           50     3  2 of 2 cards   0  -        yellow

Table: seat 2 Y6, seat 3 G3
Led suit: yellow; seat 2 wins so far

Your hand:
  red      2 14
  yellow   7
  green    -
  blue     0

Score pad: P prediction, T trick points, X experience points
       |    seat 0     |    seat 1     |    seat 2     |    seat 3
 round |   P   T     X |   P   T     X |   P   T     X |   P   T     X
     1 |  16  15    15 |  26  25    25 |  27  32    -6 |  24  26    50
 total |            15 |            25 |            -6 |            50
"""
    )


def test_text_with_all_cards_open() -> None:
    chosen, state = position(TRICK)
    shown = render.text(chosen, state, None)
    assert "(you)" not in shown
    assert "seat 1     25     4  Y13 B14 = 27" in shown
    assert "  seat 3  G1 G2 B8\n" in shown


@pytest.mark.rule("SC-41", "SC-42", "SC-43", "SC-44")
def test_the_extra_card_lies_open_and_the_others_do_not() -> None:
    chosen, state = position(THREE)
    shown = render.text(chosen, state, 0)
    assert "Table: seat 1 R8, seat 2 R12, seat 0 G4\n" in shown
    assert "Led suit: red; seat 2 wins the trick\n" in shown
    assert "Extra card: B6, turned up; 13 more face down\n" in shown
    assert "Y4" not in shown
    assert "extra cards to come, in order  Y4 B10 B12 B13" in render.text(chosen, state, None)
    predicting = change(state, chosen, phase=PREDICT, trick_no=0, table=[None] * 3)
    assert "Extra cards: 15 face down\n" in render.text(chosen, predicting, 0)


@pytest.mark.rule("SC-15", "SC-107")
def test_reserve_stacks_are_counted_not_shown() -> None:
    state = moments(2)[0]
    assert "Reserve stacks: 15 and 15 cards face down\n" in render.text(options(2), state, 0)
    open_text = render.text(options(2), state, None)
    stack = " ".join(format_card(card) for card in sorted(from_state(options(2), state).reserve[1]))
    assert f"reserve stack, next hand of seat 1  {stack}\n" in open_text


def test_an_unfinished_prediction() -> None:
    chosen, state = position(TRICK)
    state = change(state, chosen, phase=PREDICT, trick_no=0, table=[None] * 4, predictions=[{33}, set(), {9}, set()])
    shown = render.text(chosen, state, 0)
    assert "G3 = 3 (1 of 2)" in shown
    assert "1 of 2 cards" in shown
    assert "0 of 2 cards" in shown
    assert "- (0 of 2)" in render.text(chosen, state, 1)


@pytest.mark.rule("SC-56", "SC-77", "SC-89")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_at_the_end_all_is_public(num_players: int) -> None:
    chosen, state = options(num_players), moments(num_players)[-1]
    table = from_state(chosen, state)
    best = max(int(points) for points in state[0].points[:num_players])
    views = [render.text(chosen, state, seat).replace(" (you)", "") for seat in (*range(num_players), None)]
    views = ["\n".join(" ".join(line.split()) for line in view.splitlines()) for view in views]
    assert len(set(views)) == 1
    for cards in table.predictions:
        assert f"{' '.join(map(format_card, sorted(cards)))} = {sum(card % 15 for card in cards)}" in views[0]
    assert views[0].endswith(f" with {best} experience points.")
    assert f">with {best} experience points.<" in render.svg(chosen, state, 0)


@pytest.mark.rule("SC-90")
def test_several_winners() -> None:
    chosen, state = options(4), moments(4)[-1].copy()
    table = from_state(chosen, state)
    rounds = [[(5, 5, 10), (4, 4, 12), (1, 0, 3), (5, 5, 10)]] * 2 + [[(5, 5, 8), (4, 0, -5), (1, 0, 25), (5, 5, 2)]]
    table.results = rounds
    state = to_state(table)
    assert "Seat 2 wins with 31 " in render.text(chosen, state, 1)
    rounds[2] = [(5, 5, 11), (4, 0, -5), (1, 0, 25), (5, 5, 2)]
    assert "Seats 0 and 2 win together with 31 " in render.text(chosen, to_state(table), 1)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_text_is_plain_and_narrow(num_players: int) -> None:
    for state in moments(num_players):
        for seat in (0, num_players - 1, None):
            shown = render.text(options(num_players), state, seat)
            assert shown.isascii()
            assert shown.replace("\n", "").isprintable()
            assert max(map(len, shown.splitlines())) <= 100
            assert all(line == line.rstrip() for line in shown.splitlines())
            assert shown.endswith("\n")


def test_the_largest_hands_fit() -> None:
    chosen = ShadowCardsOptions.make(num_players=2, hand_size=30, rounds=1, prediction_cards=15)
    batch = Batch(GAME, 1, autoreset=False, **chosen.as_dict())
    batch.reset(1)
    generator = np.random.default_rng(0)
    while not batch.dones[0]:
        for seat in (0, None):
            shown = render.text(chosen, batch.get_states(), seat)
            assert max(map(len, shown.splitlines())) <= 100
            ElementTree.fromstring(render.svg(chosen, batch.get_states(), seat))
        batch.step(batch.turn(generator).random_actions())
    # Wrapped cells lose nothing.
    table = from_state(chosen, batch.get_states())
    shown = render.text(chosen, batch.get_states(), 0)
    assert all(shown.count(format_card(card)) for cards in table.predictions for card in cards)


def test_a_small_deck_shows_its_suits_only() -> None:
    chosen = ShadowCardsOptions.make(num_players=3, num_suits=2, num_ranks=9)
    batch = Batch(GAME, 1, autoreset=False, **chosen.as_dict())
    batch.reset(1)
    shown = render.text(chosen, batch.get_states(), 0)
    assert [name in shown for name in SUIT_NAMES] == [True, True, False, False]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_pictures_are_well_formed_and_repeat(num_players: int) -> None:
    for state in moments(num_players):
        for seat in (0, num_players - 1, None):
            picture = render.svg(options(num_players), state, seat)
            root = ElementTree.fromstring(picture)
            assert (root.get("width"), root.get("height")) == ("960", "640")
            assert render.svg(options(num_players), state.copy(), seat) == picture
            assert "href" not in picture  # self-contained
            assert set(re.findall(r'font-family="([^"]*)"', picture)) == {"sans-serif"}


def test_picture_shows_the_trick_and_hides_the_rest() -> None:
    chosen, state = position(TRICK)
    words = re.findall(r">([^<>]+)</text>", render.svg(chosen, state, 0))
    for wanted in ("Seat 3", "you, to play", "trick 3 of 13", "seat 2 leads yellow", "27/32", "T 15"):
        assert wanted in words
    assert words.count("P ?") == 3
    assert "P ?" not in re.findall(r">([^<>]+)</text>", render.svg(chosen, state, None))
