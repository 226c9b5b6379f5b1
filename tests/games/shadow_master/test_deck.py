"""Visibility, drawn decks, deck files, options and the table of normal deviates (SM-67, SM-79 to SM-82)."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_master import GAME, deck, drawing
from shadowenvs.games.shadow_master.spec import ShadowMasterOptions, max_steps, tables
from tests.games.shadow_master.table import Table

make = ShadowMasterOptions.make


@pytest.mark.rule("SM-67")
def test_visibility() -> None:
    shape = np.zeros((8, 8), np.bool_)
    shape[0:2, 0:2] = True
    assert deck.visibility(shape, shape) == 1.0  # the frame counts as outside
    assert deck.visibility(shape, np.ones((8, 8), np.bool_)) == 0.5  # half of the edges lie on the frame
    union = shape.copy()
    union[2, 0:2] = True
    assert deck.visibility(shape, union) == 0.75


@pytest.mark.rule("SM-67", "SM-79")
def test_visibilities_of_a_card() -> None:
    """Those of targets are those in the picture; no object is hidden more than allowed, and absent ones are alike."""
    standard = deck.find("standard")
    assert standard.visibility.min() >= 0.2 and standard.visibility.max() <= 1
    assert standard.visibility.mean() == pytest.approx(0.53, abs=0.02)
    present = standard.visibility[standard.answers].mean()
    absent = standard.visibility[~standard.answers].mean()
    assert present == pytest.approx(absent, abs=0.04)


@pytest.mark.rule("SM-79")
def test_the_standard_deck_is_the_drawn_one() -> None:
    standard = deck.find("standard")
    for card in (0, 17, 41):
        letters, numbers, answers, _, picture = deck.draw_card(deck.STANDARD_SEED, card)
        assert standard.letters[card].tolist() == letters and standard.numbers[card].tolist() == numbers
        assert (standard.answers[card] == answers).all()
        # libm may place an edge differently on another platform
        assert (standard.shadows[card] != picture).mean() < 0.01
    assert (standard.objects == deck.references()).all()
    assert standard.names == drawing.load_objects()[0]


@pytest.mark.rule("SM-79")
def test_decks_of_other_seeds() -> None:
    first = deck.draw(7, 3)
    assert (first.letters[:2] == deck.draw(7, 2).letters).all()
    assert (first.letters != deck.draw(8, 3).letters).any()
    assert deck.check(first, "drawn") is first
    drawn = [deck.draw_card(11, card) for card in range(20)]
    scale = np.mean([picture.mean() for *_, picture in drawn])
    assert 0.25 < scale < 0.4


@pytest.mark.rule("SM-79")
def test_objects_lie_inside_the_frame() -> None:
    generator = np.random.default_rng(0)
    for letter in range(10):
        for item in range(9):
            mask = deck.place(letter, item, generator)
            assert mask.any()
            assert not mask[0].any() and not mask[-1].any() and not mask[:, 0].any() and not mask[:, -1].any()
    assert deck.reaches().min() > 0.46 and deck.reaches().max() < 0.69


def small_deck() -> deck.Deck:
    return deck.draw(3, 2)


@pytest.mark.rule("SM-80")
def test_decks_survive_as_files(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    deck.save(small_deck(), path)
    again = deck.load(path)
    for field in dataclasses.fields(deck.Deck):
        assert np.array_equal(getattr(again, field.name), getattr(small_deck(), field.name))
    batch = Batch(GAME, 2, deck=str(path), mode="pixels")
    batch.reset(0)
    assert int(batch.tables["num_cards"][0]) == 2
    assert max_steps(make(deck=str(path)), batch.tables) == 2 * 40 * 4


@pytest.mark.rule("SM-80")
@pytest.mark.parametrize(
    ("key", "change", "words"),
    [
        ("numbers", lambda a: a + 1, "numbers of card 0"),
        ("numbers", lambda a: a * 0, "numbers of card 0 must be 1 to 5"),
        ("letters", lambda a: a * 0, "letters of card 0 are not different"),
        ("letters", lambda a: a + 20, "letters of card 0 must be 0 to 9"),
        ("visibility", lambda a: a * 0, "visibility must be above 0"),
        ("visibility", lambda a: a + 1, "visibility must be above 0 and at most 1"),
        ("answers", lambda a: ~a, "its answers count"),
        ("answers", lambda a: a.astype(np.uint8), "answers must be bool"),
        ("shadows", lambda a: a * 3, "shadows must be 0 or 1"),
        ("letters", None, "key letters is missing"),
        ("format", lambda a: np.array("other"), "format must be"),
    ],
)
def test_bad_decks_are_refused(tmp_path: Path, key: str, change: Any, words: str) -> None:
    path = tmp_path / "bad.npz"
    deck.save(small_deck(), path)
    with np.load(path) as file:
        arrays = dict(file)
    if change is None:
        del arrays[key]
    else:
        arrays[key] = change(arrays[key])
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=words) as caught:
        deck.load(path)
    assert "bad.npz" in str(caught.value)


@pytest.mark.rule("SM-80")
def test_decks_without_cards_or_file() -> None:
    names = ("letters", "numbers", "answers", "visibility", "shadows")
    empty = dataclasses.replace(small_deck(), **{name: getattr(small_deck(), name)[:0] for name in names})
    with pytest.raises(ValueError, match="a deck has 1 to 255 cards, not 0"):
        deck.check(empty, "none")
    with pytest.raises(ValueError, match=r"nowhere\.npz: cannot read the deck"):
        Batch(GAME, 1, deck="nowhere.npz")


@pytest.mark.rule("SM-80")
def test_decks_without_pictures(tmp_path: Path) -> None:
    path = tmp_path / "bare.npz"
    small = small_deck()
    arrays = {"letters": small.letters, "numbers": small.numbers, "answers": small.answers}
    np.savez(path, format=np.array(deck.FORMAT), **arrays)
    found = deck.load(path)
    assert not found.has_pictures and (found.visibility == 0.5).all()
    assert tables(make(deck=str(path)))["num_cards"][0] == 2
    with pytest.raises(ValueError, match="no pictures, which mode='pixels' needs"):
        tables(make(deck=str(path), mode="pixels"))


@pytest.mark.rule("SM-80", "SM-14")
def test_decks_typed_in(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    card = '[[card]]\nwhite = {letter = "B", dots = [0, 4]}\nblue = {letter = "D", dots = [1]}\n'
    card += 'yellow = {letter = "I", dots = %s}\n'
    path.write_text(card % "[8, 7, 6]", encoding="utf-8")
    found = deck.load(path)
    assert found.letters.tolist() == [[1, 3, 8]] and found.numbers.tolist() == [[2, 1, 3]]
    assert np.flatnonzero(found.answers[0, 2]).tolist() == [6, 7, 8]
    path.write_text(card % "[9]", encoding="utf-8")
    with pytest.raises(ValueError, match="yellow of card 0 must be like"):
        deck.load(path)
    image = pytest.importorskip("PIL.Image")
    for name, size in (("shadow.png", 200), ("object.png", 60)):
        picture = np.full((size, size), 255, np.uint8)
        picture[: size // 2] = 0
        image.fromarray(picture).save(tmp_path / name)
    files = ", ".join(['"object.png"'] * 9)
    text = card % "[8, 7, 6]" + f'image = "shadow.png"\n[objects]\nB = [{files}]\n'
    path.write_text(text, encoding="utf-8")
    found = deck.load(path)
    assert found.has_pictures
    assert found.shadows[0, :47].all() and not found.shadows[0, 49:].any()
    assert found.objects[1, 8, :23].all() and not found.objects[1, 8, 25:].any()


@pytest.mark.rule("SM-81")
def test_a_fresh_deck_belongs_to_one_game() -> None:
    with pytest.raises(ValueError, match="deck='fresh' draws a deck for every game"):
        Batch(GAME, 2, deck="fresh")
    first, again, other = (tables(make(deck="fresh"), seed) for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() and first.tobytes() != other.tobytes()
    assert first["num_cards"][0] == 42


@pytest.mark.rule("SM-82")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"last_field": 2}, "last_field must be between 3 and 120, not 2"),
        ({"tick_cap": 0}, "tick_cap must be between 1 and 120, not 0"),
        ({"tick_cap": 121}, "tick_cap must be between 1 and 120, not 121"),
        ({"max_rounds": 1001}, "max_rounds must be between 1 and 1000, not 1001"),
        ({"clarity": 0}, "clarity must be above 0, not 0"),
        ({"clarity": 100.5}, "clarity must be between 0 and 100, not 100.5"),
        ({"periphery": 1.5}, "periphery must be between 0 and 1, not 1.5"),
        ({"grain_rate": 0}, "grain_rate must be above 0, not 0"),
        ({"deck": -3}, "deck must be a seed of at least 0, not -3"),
        ({"deck": None}, "deck must be 'standard', 'fresh', a seed of at least 0 or a file, not None"),
        ({"deck": True}, "deck must be 'standard'"),
        ({"dots": "loose"}, "unknown dots 'loose'"),
        ({"variant": "pocket"}, "variant='pocket' needs num_players=2, not 4"),
        ({"variant": "pocket", "num_players": 2}, "variant='pocket' needs reward='points', not 'win_share'"),
        (
            {"variant": "pocket", "num_players": 2, "reward": "points", "mode": "pixels"},
            "variant='pocket' needs mode='evidence', not 'pixels'",
        ),
        ({"variant": "pocket", "num_players": 2, "reward": "points", "tick_cap": 8}, "needs tick_cap=7, not 8"),
    ],
)
def test_options_out_of_bounds(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(**given)


@pytest.mark.rule("SM-82")
def test_computed_options() -> None:
    assert make().tick_cap == 40 and make(variant="pocket", num_players=2, reward="points").tick_cap == 7
    assert make(deck="12").deck == 12 == make(deck=np.int64(12)).deck
    assert Table("deck=12").options.deck == 12
    third = make(clarity=1 / 3)
    assert np.float32(third.clarity) == np.float32(1 / 3) and third == make(clarity=third.clarity)
    assert make(**third.as_dict()) == third == ShadowMasterOptions.unpack(third.pack())


@pytest.mark.rule("SM-65")
def test_normal_deviates() -> None:
    """The shipped table is what its generator makes; its moments are those of the law."""
    shipped = deck.load_normals()
    made = deck.make_normals()
    assert shipped.dtype == np.float32 and shipped.shape == (65536,)
    np.testing.assert_allclose(shipped, made, rtol=1e-6, atol=1e-9)
    assert (np.diff(shipped) > 0).all() and (shipped == -shipped[::-1]).all()
    values = shipped.astype(np.float64)
    assert abs((values**2).mean() - 1) < 1e-4
    assert abs((values**4).mean() - 3) < 3e-3
    assert Table("").batch.tables["normals"][0].tobytes() == shipped.tobytes()


def test_drawing_language() -> None:
    def area(text: str) -> float:
        return float(drawing.draw(text, 200).mean()) * 10_000

    assert area("r 10 20 30 60") == pytest.approx(800, rel=0.01)
    assert area("m r 10 20 30 60") == pytest.approx(1600, rel=0.01)
    assert area("*4 r 40 0 60 20") == pytest.approx(1600, rel=0.01)
    assert area("r 0 0 100 100; -e 50 50 30 20") == pytest.approx(10_000 - np.pi * 600, rel=0.01)
    assert area("l 10 20 50 80 50") == pytest.approx(600 + np.pi * 25, rel=0.01)
    assert area("a 50 50 30 10 0 90") == pytest.approx(np.pi * 600 / 4 + np.pi * 25, rel=0.01)
    assert area("r 20 20 80 80 10") == pytest.approx(3600 - 400 + np.pi * 100, rel=0.01)
    assert area("p 0 0 100 0 0 100") == pytest.approx(5000, rel=0.01)
    assert (drawing.draw("e 50 30 10 20 90", 64) == drawing.draw("e 50 30 20 10", 64)).mean() > 0.99
    for text in ("", "q 1 2", "e 1 x 2 3"):
        with pytest.raises(ValueError, match=r"is not an operation|holds a word"):
            drawing.draw(text, 8)
