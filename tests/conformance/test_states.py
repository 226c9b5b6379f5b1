"""What holds for every state of every game: masks, bounds, lengths, texts, names."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs import get_game, rng
from shadowenvs.batch import Batch
from tests.conformance.playing import cases, counts, few, masks_of, option_sets, played, same
from tests.conftest import games

HEADER = ("seed", "rewards", "points", "to_move", "done", "winners", "options")


@pytest.mark.parametrize(("name", "label"), cases())
def test_only_the_seat_to_move_has_legal_actions(name: str, label: str) -> None:
    """A living seat to move has at least one; everybody else, and everybody at the end, has none."""
    record = played(name, label)
    batch = record.batch()
    to_move = batch.seats.copy()
    for seat in range(record.num_players):
        masks = masks_of(batch, np.full(batch.num_tables, seat))
        moving = (to_move == seat) & ~record.states["done"]
        assert same(masks.any(axis=1), moving)
        assert same(masks[moving], record.masks[moving])
    assert not record.masks[-1].any()


@pytest.mark.parametrize(("name", "label"), cases())
def test_observations_lie_in_their_bounds(name: str, label: str) -> None:
    """Those of all seats at all steps."""
    record = played(name, label)
    layout, batch = record.game.observation, record.batch()
    for seat in range(record.num_players):
        observations = batch.observe(np.full(batch.num_tables, seat))
        wrong = (observations < layout.low) | (observations > layout.high)
        fields = [field for field, place in layout.slices.items() if wrong[:, place].any()]
        assert not fields
        moving = (batch.seats == seat) & ~record.states["done"]
        assert same(observations[moving], record.observations[moving])


@pytest.mark.parametrize(("name", "label"), cases())
def test_a_game_ends_in_time(name: str, label: str) -> None:
    """Within max_steps, with winners who are told in points and rewards, and with nothing before the end."""
    record = played(name, label)
    game, states = record.game, record.states
    batch = record.batch(slice(0, 1))
    assert len(record.actions) <= game.max_steps(batch.options, batch.tables)
    assert states["done"].tolist() == [False] * (len(states) - 1) + [True]
    assert not states["winners"][:-1].any()
    winners = [seat for seat in range(record.num_players) if states["winners"][-1] >> seat & 1]
    assert winners and int(states["winners"][-1]) < 1 << record.num_players
    if batch.options.as_dict()["reward"] == "win_share":
        assert not record.rewards[:-1].any()
        n, w = record.num_players, len(winners)
        shares = [(n - w) / (w * (n - 1)) if seat in winners else -1 / (n - 1) for seat in range(n)]
        np.testing.assert_allclose(record.rewards[-1], shares, atol=1e-6)


@pytest.mark.parametrize(("name", "label"), cases())
def test_positions_survive_as_text(name: str, label: str) -> None:
    """Every state comes back bit for bit from its line, and the line from its state."""
    record = played(name, label)
    options = record.game.options.make(**record.options)
    for number in range(len(record.states)):
        state = record.states[number : number + 1]
        line = record.game.format_position(options, state)
        assert "\n" not in line
        options_read, state_read = record.game.parse_position(line)
        assert options_read == options
        assert same(state_read, state), f"{line}\n{record.game.format_position(options, state_read)}"


@pytest.mark.parametrize("name", games())
@pytest.mark.parametrize(
    "word", ["nonsense", "phase=nonsense", "colour=red", "seed=x", "num_players=99", "seed=1 seed=1"]
)
def test_bad_positions_name_the_word(name: str, word: str) -> None:
    with pytest.raises(ValueError, match=word.split("=")[0]):
        get_game(name).parse_position(word)


@pytest.mark.parametrize("name", games())
def test_actions_survive_as_text(name: str) -> None:
    game = get_game(name)
    options = game.options.make()
    words = [game.format_action(options, action) for action in range(game.num_actions)]
    assert len(set(words)) == len(words)
    assert [game.parse_action(options, word) for word in words] == list(range(game.num_actions))
    assert [game.parse_action(options, f" {word.upper()} ") for word in words[:3]] == [0, 1, 2]


@pytest.mark.parametrize("name", games())
def test_bad_actions_are_refused(name: str) -> None:
    game = get_game(name)
    options = game.options.make()
    for number in (-1, game.num_actions):
        with pytest.raises(ValueError, match=str(number)):
            game.format_action(options, number)
    for word in ("", "nonsense", game.format_action(options, 0) + "x"):
        with pytest.raises(ValueError):
            game.parse_action(options, word)


@pytest.mark.parametrize("name", games())
def test_field_names_are_legal(name: str) -> None:
    """A record's field must not hide an attribute of arrays: uncompiled kernels would read that."""
    game = get_game(name)
    reserved = set(dir(np.recarray))
    tables = game.tables(game.options.make())
    for dtype in (game.state, game.observation.dtype, game.state["options"], tables.dtype):
        assert not reserved & set(dtype.names)
    assert game.state.names[: len(HEADER)] == HEADER
    assert game.state["rewards"].shape == game.state["points"].shape == (game.max_seats,)
    assert not tables.flags.writeable


@pytest.mark.parametrize("name", games())
def test_states_and_observations_are_small(name: str) -> None:
    game = get_game(name)
    assert game.state.itemsize <= 1024
    assert game.observation.size == game.observation.dtype.itemsize == len(game.observation.low)


@pytest.mark.parametrize(("name", "label"), cases())
def test_a_deal_leaves_nothing_of_the_game_before(name: str, label: str) -> None:
    """Dealt over any other state, a deal is the same bit for bit; game g of a table has a seed of its own."""
    record = played(name, label)
    fresh = Batch(record.game, 1, **record.options)
    fresh.reset(np.array([5], np.uint64))
    batch = Batch(record.game, len(record.states), **record.options)
    for number in (0, 1):
        batch.set_states(record.states)
        batch.reset(np.full(len(record.states), 5, np.uint64))
        for _ in range(number):
            fresh.deal_again()
            batch.deal_again()
        assert int(fresh.get_states()["seed"][0]) == int(rng.mix(np.uint64(5), rng.STREAM_TABLE, number, 0))
        assert same(batch.get_states(), np.repeat(fresh.get_states(), len(record.states)))
        assert same(batch.observations, np.repeat(fresh.observations, len(record.states), axis=0))


@pytest.mark.parametrize(("name", "n"), counts())
def test_seats_are_dealt_different_games(name: str, n: int) -> None:
    """Tables of one seed, and games of one table, never start alike."""
    batch = Batch(get_game(name), few(64, 16), num_players=n)
    batch.reset(1)
    first = batch.get_states()
    batch.deal_again()
    again = batch.get_states()
    seeds = np.concatenate([first["seed"], again["seed"]])
    assert len(set(seeds.tolist())) == 2 * batch.num_tables
    first["seed"] = again["seed"] = 0
    assert len({row.tobytes() for row in (*first, *again)}) > batch.num_tables


@pytest.mark.parametrize(("name", "label"), cases())
def test_the_header_is_true(name: str, label: str) -> None:
    """Seed and options never change; absent seats own nothing."""
    record = played(name, label)
    states, n = record.states, record.num_players
    assert (states["seed"] == states["seed"][0]).all()
    assert (states["options"] == record.game.options.make(**record.options).pack()).all()
    assert ((states["to_move"] >= 0) & (states["to_move"] < n)).all()
    assert not states["points"][:, n:].any() and not states["rewards"][:, n:].any()


@pytest.mark.parametrize(("name", "label"), cases())
def test_the_heuristic_plays_legal_actions_to_the_end(name: str, label: str) -> None:
    game = get_game(name)
    batch = Batch(game, few(8, 1), autoreset=False, **option_sets(name)[label])
    batch.reset(3)
    generator = np.random.default_rng(3)
    for _ in range(game.max_steps(batch.options, batch.tables)):
        waiting = np.flatnonzero(batch.masks.any(axis=1))
        if len(waiting) == 0:
            break
        turn = batch.turn(generator, waiting)
        actions = np.full(batch.num_tables, -1)
        actions[waiting] = turn.heuristic_actions()
        assert batch.masks[waiting, actions[waiting]].all()
        batch.step(actions)
    assert batch.get_states()["done"].all()


@pytest.mark.parametrize(("name", "label"), cases())
def test_uniform_choices_are_legal_and_reach_every_action(name: str, label: str) -> None:
    record = played(name, label)
    batch = record.batch()
    reached = np.zeros_like(record.masks)
    everywhere = np.arange(batch.num_tables)
    generator = np.random.default_rng(0)
    for number in range(few(200, 20)):
        actions = batch.random_actions(9, number)
        assert actions[-1] == -1
        reached[everywhere[:-1], actions[:-1]] = True
        actions = batch.turn(generator, everywhere[:-1]).random_actions()
        reached[everywhere[:-1], actions] = True
    assert not (reached & ~record.masks).any()
    few_choices = record.masks.sum(axis=1) <= few(15, 2)
    assert same(reached[few_choices], record.masks[few_choices])


@pytest.mark.parametrize("name", games())
def test_rates_are_counted_in_the_state(name: str) -> None:
    """What reports divide exists by seat, and a part is never more than its whole."""
    game = get_game(name)
    states = played(name, str(min(game.seats))).states
    for rate in game.rates:
        assert game.state[rate.part].shape[0] == game.state[rate.whole].shape[0] == game.max_seats
        assert (states[rate.part] <= states[rate.whole]).all()
