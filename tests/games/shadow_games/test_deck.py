"""Deck files: what they compile to, and the message of every error."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games import deck as decks
from shadowenvs.games.shadow_games.spec import max_steps

HECKLER = """\
name = "Heckler"
type = "agent"
copies = 2
effect = [{ op = "lose", who = "target", favour = "any" }]
bonus = [{ op = "steal", favour = "any" }]"""
OTHERS = ("Chant", "Hands", "Lift")


def other(name: str) -> str:
    return HECKLER.replace("Heckler", name).replace("copies = 2", "copies = 6")


def written(folder: Path, *cards: str, head: str = 'name = "mine"\ncards = 20') -> Path:
    path = folder / "mine.toml"
    path.write_text(f"[deck]\n{head}\n" + "".join(f"[[card]]\n{card}\n" for card in cards))
    return path


def error_of(path: Path, **options: object) -> str:
    """Returns the message of the error after the file's name."""
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        GAME.options.make(deck=str(path), **options)
    assert type(caught.value) is ValueError
    return str(caught.value).removeprefix(f"{path}: ")


def fourth(old: str, new: str) -> tuple[str, ...]:
    """Returns four cards, the fourth being a changed Heckler."""
    assert old in HECKLER
    return (*map(other, OTHERS), HECKLER.replace(old, new))


CARD_ERRORS = [
    ('bonus = [{ op = "steal", favour = "any" }]', "", 'card 4 "Heckler": key "bonus" is missing'),
    ("bonus =", "bonuses =", 'card 4 "Heckler": unknown key "bonuses"; known keys: name, type, copies, effect, bonus'),
    ("copies = 2", 'copies = "two"', 'card 4 "Heckler": "copies" is "two", expected a whole number of at least 1'),
    ("copies = 2", "copies = 0", 'card 4 "Heckler": "copies" is 0, expected a whole number of at least 1'),
    ("copies = 2", "copies = 2.0", 'card 4 "Heckler": "copies" is 2.0, expected a whole number of at least 1'),
    ("copies = 2", "copies = true", 'card 4 "Heckler": "copies" is true, expected a whole number of at least 1'),
    ('"agent"', '"agents"', 'card 4 "Heckler": "type" is "agents", expected plot or agent'),
    ('"agent"', "1", 'card 4 "Heckler": "type" is 1, expected plot or agent'),
    (
        'favour = "any" }]\nbonus',
        'favour = "tem" }]\nbonus',
        'card 4 "Heckler": effect step 1: "favour" is "tem", expected team, union, guild or any',
    ),
    (
        '"lose", who = "target"',
        '"gain", who = "target"',
        'card 4 "Heckler": effect step 1: op "gain" does not take "who"',
    ),
    (
        '"steal"',
        '"steel"',
        'card 4 "Heckler": bonus step 1: "op" is "steel", expected '
        "gain, lose, steal, bribe, protect, look, discard or draw",
    ),
    ('"target"', '"all"', 'card 4 "Heckler": effect step 1: "who" is "all", expected self or target'),
    (
        '"lose", who = "target"',
        '"bribe", to = "all"',
        'card 4 "Heckler": effect step 1: "to" is "all", expected target or choice',
    ),
    ('op = "steal", favour = "any"', 'op = "steal"', 'card 4 "Heckler": bonus step 1: key "favour" is missing'),
    ('op = "steal", favour = "any"', 'favour = "any"', 'card 4 "Heckler": bonus step 1: key "op" is missing'),
    ('op = "steal", favour = "any"', 'op = "draw"', 'card 4 "Heckler": bonus step 1: key "count" is missing'),
    (
        'op = "steal", favour = "any"',
        'op = "draw", count = 4',
        'card 4 "Heckler": bonus step 1: "count" is 4, expected 1, 2 or 3',
    ),
    (
        'op = "steal", favour = "any"',
        'op = "draw", count = true',
        'card 4 "Heckler": bonus step 1: "count" is true, expected 1, 2 or 3',
    ),
    (
        'op = "steal", favour = "any"',
        'op = "look", take = 3',
        'card 4 "Heckler": bonus step 1: "take" is 3, expected 0, 1 or 2',
    ),
    (
        'op = "steal", favour = "any"',
        'op = "protect", favour = "any"',
        'card 4 "Heckler": bonus step 1: op "protect" does not take "favour"',
    ),
    (
        'op = "steal", favour = "any"',
        'op = "steal", favour = "any", cost = 1',
        'card 4 "Heckler": bonus step 1: unknown key "cost"; known keys: op, favour, who, to, take, count, then',
    ),
    (
        'op = "steal", favour = "any"',
        'op = "steal", favour = "any", then = true',
        'card 4 "Heckler": bonus step 1: "then" needs a step before it',
    ),
    (
        '[{ op = "steal", favour = "any" }]',
        '[{ op = "draw", count = 1 }, { op = "draw", count = 1, then = 1 }]',
        'card 4 "Heckler": bonus step 2: "then" is 1, expected false or true',
    ),
    ('[{ op = "steal", favour = "any" }]', '["steal"]', 'card 4 "Heckler": bonus step 1: is "steal", expected a table'),
    ('[{ op = "steal", favour = "any" }]', '"steal"', 'card 4 "Heckler": "bonus" is "steal", expected a list of steps'),
    (
        '[{ op = "lose", who = "target", favour = "any" }]',
        str(['{ op = "protect" }'] * 5).replace("'", ""),
        'card 4 "Heckler": effect has 5 steps, allowed are 1 to 4',
    ),
    (
        '[{ op = "lose", who = "target", favour = "any" }]',
        "[]",
        'card 4 "Heckler": effect has 0 steps, allowed are 1 to 4',
    ),
    (
        '[{ op = "steal", favour = "any" }]',
        str(['{ op = "protect" }'] * 5).replace("'", ""),
        'card 4 "Heckler": bonus has 5 steps, allowed are 0 to 4',
    ),
    ('name = "Heckler"', "", 'card 4: key "name" is missing'),
    ('"Heckler"', "7", 'card 4: "name" is 7, expected text, printable and without "#" or a blank in front'),
    ('"Heckler"', '"#11"', 'card 4: "name" is "#11", expected text, printable and without "#" or a blank in front'),
    ('"Heckler"', '"Lift"', 'card 4 "Lift": the name was already used by card 3'),
]


@pytest.mark.rule("SG-129")
@pytest.mark.parametrize(("old", "new", "message"), CARD_ERRORS)
def test_errors_of_a_card(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert error_of(written(tmp_path, *fourth(old, new))) == message


@pytest.mark.rule("SG-129")
@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("cards = 20", '[deck]: key "name" is missing'),
        ("name = 3", '[deck]: "name" is 3, expected text'),
        ('name = "mine"\ncards = "many"', '[deck]: "cards" is "many", expected a whole number of at least 1'),
        ('name = "mine"\ncards = 70', "70 cards, at most 64"),
        ('name = "mine"\ncards = 23', "the copies sum to 20, but [deck] cards is 23"),
        ('name = "mine"', "the copies sum to 20, but [deck] cards is 24"),
        ('name = "mine"\nsize = 20', '[deck]: unknown key "size"; known keys: name, cards'),
    ],
)
def test_errors_of_the_head(tmp_path: Path, head: str, message: str) -> None:
    assert error_of(written(tmp_path, *map(other, OTHERS), HECKLER, head=head)) == message


@pytest.mark.rule("SG-129")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[deck]\nname = "mine"\n', "no card"),
        ('card = []\n[deck]\nname = "mine"\n', "no card"),
        ('card = 3\n[deck]\nname = "mine"\n', '"card" is 3, expected a list of tables'),
        ('card = [3]\n[deck]\nname = "mine"\n', "card 1: is 3, expected a table"),
        ("deck = 3\n", '"deck" is 3, expected a table'),
        (f"[[card]]\n{HECKLER}\n", 'key "deck" is missing'),
        ('colour = "red"\n[deck]\nname = "mine"\n', 'unknown key "colour"; known keys: deck, card'),
    ],
)
def test_errors_of_the_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert error_of(path) == message


@pytest.mark.rule("SG-129")
def test_a_file_that_is_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[deck]\nname = "mine\n')
    assert re.fullmatch(r".+ \(at line 2, column 13\)", error_of(path))
    path.write_bytes(b"[deck]\nname = '\xff'\n")
    assert "utf-8" in error_of(path)


@pytest.mark.rule("SG-129")
def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    message = "the file cannot be read: No such file or directory; the built-in deck is 'stand-in'"
    assert error_of(tmp_path / "nothing.toml") == message
    assert "cannot be read" in error_of(tmp_path)
    for value in (3, "", None):
        with pytest.raises(ValueError, match="deck must be 'stand-in' or the path of a TOML file, not"):
            GAME.options.make(deck=value)


@pytest.mark.rule("SG-129")
def test_too_many_names(tmp_path: Path) -> None:
    cards = [other(f"Card {number}") for number in range(1, 14)]
    assert error_of(written(tmp_path, *cards)) == "13 card names, at most 12"


@pytest.mark.rule("SG-129")
@pytest.mark.parametrize(("n", "hand_draw", "fits"), [(6, 10, True), (6, 11, False), (2, 18, True), (2, 19, False)])
def test_too_few_cards_for_the_table(tmp_path: Path, n: int, hand_draw: int, fits: bool) -> None:
    path = written(tmp_path, *map(other, OTHERS), HECKLER)
    if fits:
        GAME.options.make(deck=str(path), num_players=n, hand_draw=hand_draw)
    else:
        assert error_of(path, num_players=n, hand_draw=hand_draw) == f"20 cards are too few for {n} seats"


@pytest.mark.rule("SG-129")
def test_a_type_outside_the_scale(tmp_path: Path) -> None:
    cards = (
        other("Chant"),
        other("Hands").replace('who = "target", favour = "any"', 'favour = "guild"'),
        other("Lift"),
    )
    path = written(tmp_path, *cards, HECKLER)
    GAME.options.make(deck=str(path))
    message = 'card 2 "Hands": effect step 1: "favour" is "guild", but favour_types is 2'
    assert error_of(path, favour_types=2) == message


@pytest.mark.rule("SG-129")
def test_a_wrong_file_stops_a_table_before_it_exists(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[deck]\nname = "mine"\n')
    with pytest.raises(ValueError, match="no card"):
        Batch(GAME, 2, deck=str(path))


@pytest.mark.rule("SG-130")
def test_the_first_error_in_the_file_is_told(tmp_path: Path) -> None:
    good, bad_copies = other("Chant"), other("Hands").replace("copies = 6", "copies = -1")
    bad_type = other("Lift").replace('"agent"', '"spy"')
    assert 'card 2 "Hands": "copies"' in error_of(written(tmp_path, good, bad_copies, bad_type))
    assert 'card 2 "Lift": "type"' in error_of(written(tmp_path, good, bad_type, bad_copies))
    both = bad_type.replace("copies = 6", "copies = 0")
    assert '"type"' in error_of(written(tmp_path, both))
    swapped = "copies = 0\n" + both.replace("copies = 0\n", "")
    assert '"copies"' in error_of(written(tmp_path, swapped))
    two_steps = other("Lift").replace('"target"', '"all"').replace('"steal"', '"steel"')
    assert "effect step 1" in error_of(written(tmp_path, two_steps))
    assert "70 cards" in error_of(written(tmp_path, bad_type, head='name = "mine"\ncards = 70'))
    path = tmp_path / "mine.toml"
    path.write_text(f'[[card]]\n{bad_type}\n[deck]\nname = "mine"\ncards = 70\n')
    assert '"type"' in error_of(path)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, *map(other, OTHERS), HECKLER)
    assert decks.load(str(path)).cards[3].copies == 2
    path.write_text(path.read_text().replace("copies = 2", "copies = 3").replace("cards = 20", "cards = 21"))
    assert decks.load(str(path)).cards[3].copies == 3
    assert GAME.options.make(deck=path).deck == str(path)


@pytest.mark.rule("SG-106")
def test_the_stand_in_deck_compiles_to_small_tables() -> None:
    options = GAME.options.make()
    row = GAME.tables(options)[0]
    assert options.load_deck().name == "stand-in"
    assert row["copies"].tolist() == [3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 0, 0]
    assert row["card_type"].tolist() == [0] * 4 + [1] * 6 + [-1] * 2
    assert row["uses_target"].tolist() == [[0, 1]] * 3 + [[0, 0]] + [[1, 1]] * 5 + [[0, 0]] + [[0, 0]] * 2
    steps = row["steps"]
    assert steps.shape == (12, 2, 4, 5)
    assert steps.dtype == np.int8
    assert steps[0, :, 0].tolist() == [[1, 0, 0, 0, 0], [2, 1, 1, 0, 0]]
    assert steps[3, :, 0].tolist() == [[5, 0, 0, 0, 0], [1, 3, 0, 0, 0]]
    assert steps[8, 0, :3].tolist() == [[4, 3, 1, 0, 0], [3, 3, 1, 0, 1], [0] * 5]
    assert steps[9, 0].tolist() == [[6, 0, 0, 1, 0], [8, 0, 0, 1, 0], [7, 0, 0, 2, 0], [0] * 5]
    assert row["cards"].tolist() == [k for k in range(10) for _ in range(3 if k < 4 else 2)] + [-1] * 40
    assert (int(row["num_cards"]), int(row["num_kinds"])) == (24, 10)
    assert (row["kinds"].tolist(), row["single"].tolist()) == ([0b1111, 0b1111110000], [-1, -1])


def test_every_op_and_default_compiles(tmp_path: Path) -> None:
    steps = [
        ('{ op = "lose", favour = "union" }', (2, 1, 0, 0, False)),
        ('{ op = "lose", favour = "guild", who = "self" }', (2, 2, 0, 0, False)),
        ('{ op = "bribe", favour = "team" }', (4, 0, 1, 0, False)),
        ('{ op = "bribe", favour = "any", to = "choice" }', (4, 3, 0, 0, False)),
        ('{ op = "look" }', (6, 0, 0, 0, False)),
        ('{ op = "look", take = 2 }', (6, 0, 0, 2, False)),
        ('{ op = "discard", count = 3 }', (7, 0, 0, 3, False)),
        ('{ op = "draw", count = 2 }', (8, 0, 0, 2, False)),
    ]
    for text, wanted in steps:
        two = f"{text}, {text[:-2]}, then = true }}"
        card = other("Chant").replace('{ op = "lose", who = "target", favour = "any" }', two)
        card = card.replace('bonus = [{ op = "steal", favour = "any" }]', "bonus = []")
        card = card.replace("copies = 6", "copies = 20")
        deck = decks.load(str(written(tmp_path, card)))
        first, second = deck.cards[0].effect
        assert (first.op, first.favour, first.who, first.count, first.then) == wanted
        assert (second.op, second.favour, second.who, second.count, second.then) == (*wanted[:4], True)
        assert deck.cards[0].bonus == ()


@pytest.mark.parametrize(("n", "bound"), [(2, 2 * 10 * 120), (4, 2 * 12 * 240), (6, 10_080)])
def test_bound_on_decisions(n: int, bound: int) -> None:
    options = GAME.options.make(num_players=n)
    assert max_steps(options, GAME.tables(options)) == bound


def test_options_of_another_deck_can_be_read_from_a_state(tmp_path: Path) -> None:
    """The record does not hold the deck; the default one would not fit these options."""
    cards = [other(name).replace('"any"', '"team"') for name in OTHERS]
    path = written(tmp_path, *cards, head='name = "mine"\ncards = 18')
    options = GAME.options.make(deck=str(path), favour_types=1, num_players=5)
    unpacked = GAME.options.unpack(options.pack())
    assert {**unpacked.as_dict(), "deck": str(path)} == options.as_dict()
    with pytest.raises(ValueError, match='"favour" is "union", but favour_types is 1'):
        GAME.options.make(**unpacked.as_dict())
