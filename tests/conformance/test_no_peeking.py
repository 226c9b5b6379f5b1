"""No seat learns what it must not: worlds that it cannot tell apart look the same to it, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs.batch import Batch
from tests.conformance.playing import Record, cases, counts, few, masks_of, played, same

PUBLIC = ("rewards", "points", "to_move", "done", "winners", "options")


def worlds(record: Record, seat: int, step: int, number: int = 0) -> tuple[Batch, Batch]:
    """Returns a batch of every step-th state of a game, and one of worlds that a seat cannot tell from these."""
    true = record.batch(slice(seat % step, None, step))
    seeds = np.arange(true.num_tables, dtype=np.uint64) * np.uint64(1000) + np.uint64(number)
    sampled = Batch(record.game, true.num_tables, autoreset=False, **record.options)
    before = true.get_states()
    sampled.set_states(true.determinised(np.full(true.num_tables, seat), seeds))
    assert same(true.get_states(), before)
    return true, sampled


@pytest.mark.parametrize(("name", "label"), cases())
def test_observations_and_masks_hide_the_rest(name: str, label: str) -> None:
    for seed in range(few(2)):
        record = played(name, label, seed)
        for seat in range(record.num_players):
            for number in range(few(4, 1)):
                true, sampled = worlds(record, seat, few(1, 5), number)
                seats = np.full(true.num_tables, seat)
                assert same(true.observe(seats), sampled.observe(seats))
                assert same(masks_of(true, seats), masks_of(sampled, seats))
                for field in PUBLIC:
                    assert same(true.get_states()[field], sampled.get_states()[field])


@pytest.mark.parametrize(("name", "n"), counts())
def test_pictures_and_texts_hide_the_rest(name: str, n: int) -> None:
    record = played(name, str(n))
    game = record.game
    for seat in range(n):
        true, sampled = worlds(record, seat, few(23, 61))
        for b in range(true.num_tables):
            one = np.array([b])
            for view in filter(None, (game.render, game.render_svg)):
                texts = [view(true.options, batch.get_states(one), seat) for batch in (true, sampled)]
                assert texts[0] == texts[1]
        if game.pictures is not None:
            seats = np.full(true.num_tables, seat)
            shown, other = (game.pictures(true.tables, batch.get_states(), seats) for batch in (true, sampled))
            assert shown.keys() == other.keys() and all(same(shown[key], other[key]) for key in shown)


@pytest.mark.parametrize(("name", "label"), cases())
def test_worlds_are_positions(name: str, label: str) -> None:
    """A sampled world is a sound position, differs from the truth in what is hidden, and is drawn by its seed alone."""
    record = played(name, label)
    for seat in range(record.num_players):
        true, sampled = worlds(record, seat, few(11, 31))
        states = sampled.get_states()
        for b in range(true.num_tables):
            line = record.game.format_position(true.options, states[b : b + 1])
            assert same(record.game.parse_position(line)[1], states[b : b + 1])
        again = worlds(record, seat, few(11, 31))[1]
        assert same(again.get_states(), states)
        assert (states["seed"] != true.get_states()["seed"]).all()


@pytest.mark.parametrize(("name", "n"), counts())
def test_worlds_can_be_played_on(name: str, n: int) -> None:
    """A game goes on from any world to its end within the usual number of actions."""
    record = played(name, str(n))
    game = record.game
    _, sampled = worlds(record, 0, few(5, 61))
    for number in range(game.max_steps(sampled.options, sampled.tables)):
        if sampled.get_states()["done"].all():
            break
        sampled.step(sampled.random_actions(4, number))
    assert sampled.get_states()["done"].all() and sampled.get_states()["winners"].all()


@pytest.mark.parametrize(("name", "n"), counts())
def test_a_turn_holds_worlds_but_not_the_truth(name: str, n: int) -> None:
    """What a decision maker is given: its own view, and samples that show this view again."""
    record = played(name, str(n))
    batch = record.batch(slice(0, -1, few(9, 61)))
    tables = np.arange(batch.num_tables)[::2]
    turn = batch.turn(np.random.default_rng(1), tables)
    assert len(turn) == len(tables) and same(turn.seats, batch.seats[tables])
    assert same(turn.observations, batch.observations[tables]) and same(turn.masks, batch.masks[tables])
    sampled = turn.sample_worlds(3)
    assert sampled.num_tables == 3 * len(turn) and not sampled.autoreset
    assert same(sampled.observations, np.repeat(turn.observations, 3, axis=0))
    assert same(sampled.masks, np.repeat(turn.masks, 3, axis=0))
    assert same(sampled.seats, np.repeat(turn.seats, 3))
    assert not np.isin(sampled.get_states()["seed"], batch.get_states()["seed"]).any()
    assert len(set(sampled.get_states()["seed"].tolist())) == sampled.num_tables
    # The heuristic sees no more than the turn shows.
    other = Batch(record.game, batch.num_tables, autoreset=False, **record.options)
    other.set_states(batch.determinised(batch.seats, np.arange(batch.num_tables, dtype=np.uint64)))
    choices = [b.turn(np.random.default_rng(2)).heuristic_actions() for b in (batch, other)]
    assert same(choices[0], choices[1])
    choices = [b.turn(np.random.default_rng(2)).random_actions() for b in (batch, other)]
    assert same(choices[0], choices[1])
