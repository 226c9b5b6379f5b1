"""Which choices are asked, and how actions are numbered: SG-101 to SG-106."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.spec import ACTIONS
from tests.games.shadow_games.table import card_text, deck_file, table

GAIN = '{ op = "gain", favour = "team" }'


def test_action_layout() -> None:
    first = {"PLAY": 0, "SKIP": 12, "DECLARE": 13, "SEAT": 25, "PASS": 30, "CHALLENGE": 31, "FAVOUR": 32}
    assert ACTIONS.first == {**first, "PICK": 35, "LEAVE": 47, "DISCARD": 48}
    assert GAME.num_actions == 60


@pytest.mark.rule("SG-101")
def test_single_declarations_targets_and_types_are_automatic(tmp_path: Path) -> None:
    one_plot = deck_file(
        tmp_path,
        card_text("Trick", "plot", 12, '{ op = "steal", favour = "any" }'),
        card_text("Other", "agent", 6, GAIN, '{ op = "lose", who = "target", favour = "any" }'),
        card_text("Third", "agent", 6, GAIN),
    )
    two = table(2, "P", "", hands=["a a b", "a b"], deck=one_plot).play("play Trick")
    assert (two.phase, two.now.declared, two.now.target) == ("challenge", 0, 1)
    three = table(3, "P", "", hands=["a a b", "a b", "a b"], deck=one_plot).play("play Trick")
    assert (three.phase, three.now.declared) == ("target", 0)
    assert three.play("seat +1").phase == "challenge"
    single_type = table(3, "P", "", hands=["a a b", "a b", "a b"], deck=one_plot, favours={2: "0/3/0"})
    assert single_type.play("play Trick, seat +2, pass, pass").favours(2) == "0/2/0"
    two_bonus = table(2, "P", "", hands=["a b b", "a b"], deck=one_plot, favours={1: "1/0/1"})
    two_bonus.play("play Other, pass, favour Team")
    assert (two_bonus.favours(1), two_bonus.phase) == ("0/0/0", "play")
    several = table(2, "A", "", hands=["a b b", "a b"], deck=one_plot).play("play Other")
    assert several.phase == "declare"


@pytest.mark.rule("SG-101")
def test_a_single_type_is_taken_without_asking() -> None:
    state = table(2, "P", "PO FS TS", favours={0: "0/3/0"}).play("play PO, declare TC, challenge")
    assert (state.favours(0), state.favours(1), state.phase) == ("0/2/0", "1/2/1", "play")


@pytest.mark.rule("SG-102")
def test_choices_among_hidden_cards_are_always_asked(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path,
        card_text("Trick", "plot", 12, '{ op = "look", take = 1 }, { op = "discard", count = 1 }'),
        card_text("Other", "agent", 12, GAIN),
    )
    state = table(2, "P", "", hands=["a", "a b"], deck=deck, words="part=agents", card_fits_phase=False)
    assert state.legal() == ["play Trick"]
    state = table(2, "P", "", hands=["a a a", "a b"], deck=deck, pile="b").play("play Trick, pass")
    assert (state.phase, state.legal()) == ("pick", ["pick Other", "leave"])
    state.play("leave")
    assert (state.phase, state.legal()) == ("discard", ["discard Trick"])
    assert table(2, "P", "TS PP SC", card_fits_phase=True).legal() == ["skip"]


@pytest.mark.rule("SG-103")
def test_every_seat_with_favour_is_asked_even_about_the_certain() -> None:
    """All copies of the declared kind lie open: the question comes all the same."""
    state = table(3, "P", "", hands=["PO FS TS", "SH PP", "SH PP"], pile="TC TC TC").play("play PO, declare TC")
    assert (state.now.move, state.legal()) == (1, ["pass", "challenge"])
    assert state.play("pass").legal() == ["pass", "challenge"]


@pytest.mark.rule("SG-104")
def test_impossible_steps_are_not_asked(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path,
        card_text("Trick", "plot", 12, '{ op = "look", take = 2 }, { op = "discard", count = 2 }'),
        card_text("Other", "agent", 12, GAIN),
    )
    state = table(2, "P", "", hands=["a", "a b"], deck=deck).play("play Trick, pass")
    assert (state.now.actor, state.pile()) == (1, "a")
    taken = table(2, "P", "", hands=["a", "a b"], deck=deck, pile="b").play("play Trick, pass, pick Other")
    assert (taken.phase, taken.now.left) == ("discard", 1)


@pytest.mark.rule("SG-105")
def test_seats_count_clockwise_from_the_actor() -> None:
    hands = ["SH FS", "SH FS", "TS PO", "TC PO"]
    for places, seat in ((1, 3), (2, 0), (3, 1)):
        state = table(4, "A", "", hands=hands, words="actor=2 move=2").play(f"play TS, declare TS, seat +{places}")
        assert state.now.target == seat
        bluff = table(4, "A", "", hands=hands, words="actor=2 move=2").play("play PO, declare TS, seat +1")
        assert bluff.now.target == 3
        bonus = table(4, "A", "", hands=["SH FS", "SH FS", "SC PO", "TC PO"], words="actor=2 move=2")
        bonus.play(f"play SC, declare TS, seat +1, pass, pass, pass, seat +{places}")
        assert bonus.favours(seat).split("/")[2] == "0"


@pytest.mark.rule("SG-106")
def test_kinds_have_the_numbers_of_the_file_and_copies_are_one_choice() -> None:
    state = table(2, "P", "", hands=["TC TC AR", "TC PO"])
    assert np.flatnonzero(state.batch.masks[0]).tolist() == [0, 9, 12]
    assert state.options.load_deck().names[9] == "Archivist"
    assert GAME.format_action(state.options, 9) == "play Archivist"
    assert GAME.format_action(state.options, 13 + 9) == "declare Archivist"
