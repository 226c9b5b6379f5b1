"""The table of Shadow Games as text and as SVG: what it shows, and what it must not."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME, render
from shadowenvs.games.shadow_games.spec import DISCARD, NUM_PHASES, RECIPIENT
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.table import Table, card_text, deck_file, table

PLAYERS = range(2, 7)
POLL = (
    "num_players=4 seed=5 phase=challenge turn=9 actor=1 move=2 hands=aej/bd/cg/fi table=h declared=e target=0 "
    "part=agents plotted=1 known=j/-/-/- pile=acbd seen=*/1/*/* favours=3.0.1/1.2.3/5.1.1/0.1.1 shields=03 "
    "marks=-/-/T/- plays=2/3/1/2 bluffs=1/0/1/1 polls=6/5/6/4 challenges=1/2/0/1 challenges_won=1/0/0/1"
)


@functools.cache
def moments(num_players: int) -> tuple[np.recarray, ...]:
    """Returns some states of random games: a few of each phase that came up."""
    batch = Batch(GAME, 1, num_players=num_players)
    batch.reset(num_players)
    states: list[np.recarray] = []
    seen: dict[int, int] = {}
    for number in range(1_500 if is_compiled() else 300):
        state = batch.get_states()
        phase = int(state[0]["phase"])
        seen[phase] = seen.get(phase, 0) + 1
        if seen[phase] in (2, 5):
            states.append(state)
        batch.step(batch.random_actions(1, number))
    over = table(num_players, "A", "", hands=hands(num_players), favours={0: "5/1/1"}, marks={0: "T"})
    over.play("skip")
    return (*states, over.batch.get_states())


def hands(num_players: int) -> list[str]:
    return ["PP PO", "TC PO", "TC PO", "SH FS", "SH FS", "SH FS"][:num_players]


def options(num_players: int) -> Any:
    return GAME.options.make(num_players=num_players)


@pytest.mark.rule("SG-107", "SG-108", "SG-109", "SG-117")
@pytest.mark.parametrize("draw", [render.text, render.svg])
@pytest.mark.parametrize("num_players", PLAYERS)
def test_a_seat_sees_the_same_in_every_world_it_cannot_rule_out(num_players: int, draw: Any) -> None:
    chosen = options(num_players)
    batch = Batch(GAME, 1, autoreset=False, num_players=num_players)
    for state in moments(num_players):
        batch.set_states(state)
        for seat in range(num_players):
            shown = draw(chosen, state, seat)
            for seed in (1, 2):
                world = batch.determinised(np.array([seat]), np.array([seed], np.uint64))
                assert draw(chosen, world, seat) == shown


def test_text_of_a_poll() -> None:
    chosen, state = GAME.parse_position(POLL)
    assert render.text(chosen, state, 0) == (
        """\
Shadow Games, turn 9 of 240: the turn of seat 1
Cards: stand-in deck, not the published cards
Agents phase: seat 2 is to believe or challenge

seat          Team  Union  Guild  marks  token  hand  bluffs  challenges  known in hand
seat 0 (you)     3      0      1  -      yes       3  1/2     1/1/6       Archivist
seat 1           1      2      3  -      -         2  0/3     0/2/5       -
seat 2           5      1      1  Team   -         2  1/1     0/0/6       -
seat 3           0      1      1  -      yes       2  1/2     1/1/4       -
reserve          3      8      6         2
(bluffs among plays; challenges won among challenges among polls)

Table: seat 1 puts down a card face down, declared as Talent Scout against seat 0
Deck: 10 cards
Discard pile: 4 cards, Pay'em Off on top
You know in it: Terrace Chant, Show of Hands, Pay'em Off; 1 more that you do not know

Your hand:
  Terrace Chant (plot): gain Team | bonus target loses Union
  Talent Scout (agent): steal Team | bonus target loses Union
  Archivist (agent): look, take 1; draw 1; discard 2 | bonus gain any
"""
    )


def test_the_actor_and_the_open_view_see_more() -> None:
    chosen, state = GAME.parse_position(POLL)
    assert "Table: seat 1 puts down Heckler face down, declared as" in render.text(chosen, state, 1)
    shown = render.text(chosen, state, None)
    assert "(you)" not in shown
    assert "  seat 3  Strike Caller, Go-Between\n" in shown
    assert "Deck from its top: Terrace Chant, Show of Hands," in shown
    assert "In it: Terrace Chant, Show of Hands, Founders' Supper, Pay'em Off\n" in shown


@pytest.mark.rule("SG-108")
def test_cards_set_aside_are_their_owners_business() -> None:
    state = table(3, "A", "AR PO", pile="HE", top="SC").play("play AR, declare AR, pass, pass, leave, discard PO")
    shown = [render.text(state.options, state.batch.get_states(), seat) for seat in (0, 1)]
    assert "Set aside by you: Pay'em Off" in shown[0]
    assert "1 card set aside" in shown[1]
    assert "Set aside by you" not in shown[1]
    assert "set aside: Pay" in render.svg(state.options, state.batch.get_states(), 0)


def test_it_says_that_the_cards_are_a_stand_in(tmp_path: Path) -> None:
    chosen, state = GAME.parse_position(POLL)
    for draw in (render.text, render.svg):
        assert "stand-in deck, not the published cards" in draw(chosen, state, None)
    deck = deck_file(tmp_path, card_text("Alms", "plot", 24, '{ op = "gain", favour = "team" }'))
    own, start = GAME.parse_position(f"num_players=2 deck={deck}")
    assert "Cards: deck of the players' own" in render.text(own, start, 0)
    assert "stand-in" not in render.svg(own, start, 0)


def test_results() -> None:
    won = table(2, "A", "PP PO", favours={0: "5/1/1"}, marks={0: "T"}).play("skip")
    assert "Seat 0 wins with 5 favours of one type.\n" in render.text(won.options, won.batch.get_states(), 1)
    shared = table(2, "A", "PP PO", max_turns=1).play("skip")
    text = render.text(shared.options, shared.batch.get_states(), None)
    assert text.endswith("Seats 0 and 1 win together with 1 favours of one type.\n")
    assert ">Seats 0 and 1 win together<" in render.svg(shared.options, shared.batch.get_states(), 0)
    batch = Batch(GAME, 1, illegal_actions="terminate", autoreset=False)
    batch.reset(1)
    batch.step(np.array([int(batch.masks[0].argmin())]))
    assert "The game was broken off; nobody wins." in render.text(options(4), batch.get_states(), 0)
    assert "broken off" in render.svg(options(4), batch.get_states(), None)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_text_is_plain_and_narrow(num_players: int) -> None:
    phases = set()
    for state in moments(num_players):
        phases.add(int(state[0]["phase"]))
        for seat in (0, num_players - 1, None):
            shown = render.text(options(num_players), state, seat)
            assert shown.isascii()
            assert shown.replace("\n", "").isprintable()
            assert max(map(len, shown.splitlines())) <= 100
            assert all(line == line.rstrip() for line in shown.splitlines())
            assert shown.endswith("\n")
    # The stand-in deck has no bribe to a chosen seat, and two seats need no targets.
    assert not is_compiled() or len(phases) >= (NUM_PHASES - 1 if num_players > 2 else NUM_PHASES - 3)


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


def test_every_step_has_words(tmp_path: Path) -> None:
    """A deck with all ops and long names still fits."""
    ops = (
        '{ op = "lose", favour = "union" }, { op = "bribe", favour = "any", to = "choice", then = true }, '
        '{ op = "look" }, { op = "draw", count = 2 }'
    )
    more = (
        '{ op = "bribe", favour = "team" }, { op = "protect" }, { op = "discard", count = 3 }, '
        '{ op = "look", take = 2 }'
    )
    cards = [
        card_text(f"A kind of card with the very long name {number}", "plot", 2, ops, more) for number in range(11)
    ]
    deck = deck_file(tmp_path, *cards, card_text("Ωmega", "agent", 2, '{ op = "gain", favour = "any" }'))
    state = Table(f"num_players=3 deck={deck} hand_keep=4 hand_draw=7")
    shown = render.text(state.options, state.batch.get_states(), 0)
    assert max(map(len, shown.splitlines())) <= 100
    for words in (
        "lose Union; then bribe any to a choice; look; draw 2",
        "bribe Team; protect; discard 3; look, take 2",
    ):
        assert words in " ".join(shown.split())
    ElementTree.fromstring(render.svg(state.options, state.batch.get_states(), 0))
    name = "A kind of card with the very long name 0"
    state.play(f"play {name}, declare {name}, pass, pass")
    while state.now.phase not in (RECIPIENT, DISCARD):
        state.batch.step(state.batch.random_actions(1, 0))
    assert "seat 0 is to name who gets the bribe" in render.text(state.options, state.batch.get_states(), 1)


def test_picture_shows_the_play_and_hides_the_card() -> None:
    chosen, state = GAME.parse_position(POLL)
    words = re.findall(r">([^<>]+)</text>", render.svg(chosen, state, 0))
    for wanted in (
        "Seat 3",
        "you, target",
        "asked",
        "“Talent Scout” against seat 0",
        "pile 4, 1 unknown",
        "turn 9 of 240",
    ):
        assert wanted in words
    # The Heckler on the table is to be found; the actor has found it.
    assert words[words.index("Heckler") + 2] == "2 / 2"
    seen_by_actor = re.findall(r">([^<>]+)</text>", render.svg(chosen, state, 1))
    assert seen_by_actor[seen_by_actor.index("He")] == "He"
    assert "1 / 2" in seen_by_actor
