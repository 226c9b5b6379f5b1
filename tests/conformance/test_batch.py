"""Batches of every game: independent tables, threads, processes, checks, copies."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shadowenvs
from shadowenvs import IllegalActionError, get_game, rng
from shadowenvs.batch import Batch
from shadowenvs.game import NO_ACTION
from shadowenvs.jit import is_compiled
from tests.conformance.playing import cases, counts, few, length, option_sets, pick, played, same
from tests.conftest import games

ARRAYS = ("observations", "masks", "seats", "rewards", "dones", "points")
FINALS = ("final_observations", "final_points", "final_winners")


def seeds_of(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint64)


def choices(batch: Batch, number: int) -> np.ndarray:
    """Returns legal actions, int64 [B], each a function of its own table's mask and the number alone."""
    return np.array([pick(mask, number) for mask in batch.masks])


def snapshot(batch: Batch) -> list[Any]:
    """Returns all that a batch shows, as bytes."""
    return [getattr(batch, name).tobytes() for name in ARRAYS + FINALS] + [batch.get_states().tobytes()]


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize(("name", "label"), cases())
def test_a_batch_equals_batches_of_one(name: str, label: str, num_threads: int) -> None:
    """Bit for bit, over the ends of games and the deals that follow."""
    game, options = get_game(name), option_sets(name)[label]
    seeds = seeds_of(0, 1, 2**63, 2**64 - 1, 7)
    batch = Batch(game, len(seeds), num_threads=num_threads, **options)
    singles = [Batch(game, 1, **options) for _ in seeds]
    batch.reset(seeds)
    for b, single in enumerate(singles):
        single.reset(seeds[b : b + 1])
    ended = np.zeros(len(seeds), np.int64)
    for number in range(3 * game.max_steps(batch.options, batch.tables)):
        actions = choices(batch, number)
        batch.step(actions)
        for b, single in enumerate(singles):
            single.step(actions[b : b + 1])
            for array in ARRAYS + (FINALS if batch.dones[b] else ()):
                assert same(getattr(batch, array)[b], getattr(single, array)[0]), (array, b, number)
        ended += batch.dones
        if (ended >= few(2, 1)).all():
            break
    assert same(batch.get_states(), np.concatenate([single.get_states() for single in singles]))
    assert (ended >= few(2, 1)).all()


def digest(name: str) -> str:
    """Returns a hash over all that some random games of a game show."""
    game = get_game(name)
    total = hashlib.sha256()
    for n in game.seats:
        batch = Batch(game, 2, num_players=n)
        batch.reset(2**63 + n)
        for number in range(length(name, n) * 5 // 4):
            batch.step(choices(batch, number) if number % 2 else batch.random_actions(n, number))
            for part in snapshot(batch):
                total.update(part)
        total.update(batch.determinised(np.zeros(2), seeds_of(1, 2)).tobytes())
        total.update(batch.turn(np.random.default_rng(1)).heuristic_actions().tobytes())
    return total.hexdigest()


@pytest.mark.skipif(not is_compiled(), reason="kernels run uncompiled: there is no target")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the targets are those of x86-64")
@pytest.mark.parametrize("processor", [pytest.param("x86-64", marks=pytest.mark.long), "haswell"])
@pytest.mark.parametrize("name", games())
def test_kernels_compile_for_other_processors(tmp_path: Path, name: str, processor: str) -> None:
    """Without AVX, and with AVX2 alone, which most notebooks have: the same games as on this machine."""
    script = f"from tests.conformance.test_batch import digest; print(digest({name!r}))"
    root = Path(__file__).parents[2]
    environment = {**os.environ, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "PYTHONPATH": str(root)}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path)
    command = [sys.executable, "-W", "error", "-c", script]
    output = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=False)
    assert output.returncode == 0, output.stderr
    assert output.stdout.strip() == digest(name)


@pytest.mark.parametrize("other_mode", [False, True], ids=["same_mode", "other_mode"])
def test_another_process_plays_the_same_games(other_mode: bool) -> None:
    """Compiled and uncompiled kernels, and other processes, give equal games, samples and heuristic choices."""
    script = (
        "import json; from tests.conformance.test_batch import digest; import shadowenvs\n"
        "print(json.dumps({name: digest(name) for name in shadowenvs.GAMES}))"
    )
    compiled = is_compiled() != other_mode
    environment = {**os.environ, "NUMBA_DISABLE_JIT": str(int(not compiled)), "PYTHONHASHSEED": "12"}
    root = Path(__file__).parents[2]
    environment["PYTHONPATH"] = str(root)
    command = [sys.executable, "-W", "error", "-c", script]
    output = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=False)
    assert output.returncode == 0, output.stderr
    assert json.loads(output.stdout) == {name: digest(name) for name in shadowenvs.GAMES}


@pytest.mark.parametrize("name", games())
def test_a_seed_is_a_number_or_one_for_each_table(name: str) -> None:
    batch, other = Batch(get_game(name), 3), Batch(get_game(name), 3)
    batch.reset(5)
    other.reset([int(rng.mix(np.uint64(5), rng.STREAM_TABLE, b, 1)) for b in range(3)])
    assert same(batch.get_states(), other.get_states())
    batch.reset(-1)
    other.reset(2**64 - 1)
    assert same(batch.get_states(), other.get_states())
    for wrong in ([1, 2], np.zeros((3, 1), np.uint64)):
        with pytest.raises(ValueError, match="seed must be an integer or 3 of them"):
            batch.reset(wrong)
    first = batch.get_states()
    batch.deal_again()
    assert not same(batch.get_states(), first)


@pytest.mark.parametrize(("name", "n"), counts())
def test_an_illegal_action_leaves_every_table_untouched(name: str, n: int) -> None:
    """All actions are checked before any is applied; the error tells seat, action and the legal ones in words."""
    record = played(name, str(n))
    game, count = record.game, len(record.states) - 1
    batch = record.batch(slice(0, count))
    before = snapshot(batch)
    for place in range(0, count, max(1, count // 40)):
        illegal = int(np.flatnonzero(~batch.masks[place])[place % (~batch.masks[place]).sum()])
        for action in (illegal, -3, -2, game.num_actions, 2**40):
            actions = choices(batch, 0)
            actions[place] = action
            with pytest.raises(IllegalActionError) as caught:
                batch.step(actions)
            error = caught.value
            assert snapshot(batch) == before
            assert (error.seat, error.action) == (batch.seats[place], action)
            assert error.legal == np.flatnonzero(batch.masks[place]).tolist()
            words = [game.format_action(batch.options, legal) for legal in error.legal]
            assert all(word in str(error) for word in words) and str(action) in str(error)
        assert game.format_action(batch.options, illegal) in str(batch.illegal(place, illegal))
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.seat, again.action, again.legal) == (str(error), error.seat, action, error.legal)


@pytest.mark.parametrize(("name", "n"), counts())
def test_an_illegal_action_can_end_the_game(name: str, n: int) -> None:
    """'terminate': -1 for the offender, 0 for the others, nobody wins."""
    record = played(name, str(n))
    batch = Batch(record.game, len(record.states) - 1, illegal_actions="terminate", autoreset=False, num_players=n)
    batch.set_states(record.states[:-1])
    offenders = batch.seats.copy()
    actions = batch.masks.argmin(axis=1)
    actions[:5] = [-2, -3, -4, record.game.num_actions, 2**62]
    batch.step(actions)
    expected = np.zeros((batch.num_tables, n), np.float32)
    expected[np.arange(batch.num_tables), offenders] = -1
    assert same(batch.rewards, expected)
    states = batch.get_states()
    assert batch.dones.all() and states["done"].all() and not states["winners"].any()
    assert not batch.masks.any()
    single = Batch(record.game, 1, illegal_actions="terminate", num_players=n)
    single.reset(seeds_of(4))
    seat = int(single.seats[0])
    single.step(single.masks.argmin(axis=1))
    assert single.dones[0] and single.rewards[0, seat] == -1 and single.final_winners[0] == 0
    following = Batch(record.game, 1, num_players=n)
    following.reset(seeds_of(4))
    following.deal_again()
    assert same(single.get_states()["seed"], following.get_states()["seed"]) and single.masks.any()


@pytest.mark.parametrize("illegal_actions", ["raise", "terminate"])
@pytest.mark.parametrize("name", games())
def test_finished_tables_take_no_action(name: str, illegal_actions: str) -> None:
    record = played(name, str(max(get_game(name).seats)))
    batch = Batch(record.game, 2, illegal_actions=illegal_actions, autoreset=False, **record.options)
    batch.set_states(record.states[[-1, 0]])
    illegal = int(batch.masks[1].argmin())
    for action in (0, record.game.num_actions - 1, -2, -3):
        for order, other in ((slice(None), NO_ACTION), (slice(None, None, -1), illegal)):
            batch.set_states(record.states[[-1, 0]][order])
            before = snapshot(batch)
            with pytest.raises(IllegalActionError) as caught:
                batch.step(np.array([action, other])[order])
            assert snapshot(batch) == before
            if other == NO_ACTION or illegal_actions == "terminate":
                assert "the game is over" in str(caught.value) and caught.value.legal == []
    batch.set_states(record.states[[-1, 0]])
    assert batch.random_actions(0, 0)[0] == NO_ACTION
    batch.step(np.array([NO_ACTION, pick(batch.masks[1], 0)]))
    assert same(batch.get_states()[:1], record.states[-1:])


@pytest.mark.parametrize(("name", "n"), counts())
def test_no_action_leaves_a_table_alone(name: str, n: int) -> None:
    game = get_game(name)
    batch = Batch(game, 3, num_players=n)
    batch.reset(8)
    waited = np.zeros(3, np.int64)
    alone = [Batch(game, 1, num_players=n) for _ in range(3)]
    for b, single in enumerate(alone):
        single.reset([int(rng.mix(np.uint64(8), rng.STREAM_TABLE, b, 1))])
    for number in range(length(name, n) * few(3, 2) // 2):
        acts = np.array([number % 2 == 0, number % 3 == 0, True])
        before = batch.get_states()
        actions = np.where(acts, choices(batch, number), NO_ACTION)
        batch.step(actions)
        for b, single in enumerate(alone):
            if acts[b]:
                single.step(actions[b : b + 1])
                assert same(batch.rewards[b], single.rewards[0]) and batch.dones[b] == single.dones[0]
            else:
                assert same(batch.get_states()[b : b + 1], before[b : b + 1])
                assert not batch.rewards[b].any() and not batch.dones[b]
            assert same(batch.get_states()[b : b + 1], single.get_states())
            assert same(batch.masks[b], single.masks[0]) and same(batch.observations[b], single.observations[0])
        waited += ~acts
    assert (waited[:2] > 0).all()


@pytest.mark.parametrize("name", games())
def test_wrong_actions_and_arguments_are_refused(name: str) -> None:
    game = get_game(name)
    batch = Batch(game, 2)
    batch.reset(1)
    for actions in (np.zeros(3, np.int64), np.zeros((2, 1), np.int64), np.zeros(2), np.zeros(2, np.bool_), 0):
        with pytest.raises(ValueError, match=r"actions must be integers of shape \(2,\)"):
            batch.step(actions)
    for number in (0, -1, True, 1.5, "2", None):
        with pytest.raises(ValueError, match="num_tables must be an integer of at least 1"):
            Batch(game, number)
        with pytest.raises(ValueError, match="num_threads must be an integer of at least 1"):
            Batch(game, 1, num_threads=number)
    with pytest.raises(ValueError, match="illegal_actions must be 'raise' or 'terminate', not 'ignore'"):
        Batch(game, 1, illegal_actions="ignore")
    for dtype in (np.int8, np.int32, np.uint8, np.int64):
        batch.step(batch.masks.argmax(axis=1).astype(dtype))


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize(("name", "n"), counts())
def test_copies_continue_alike(name: str, n: int, way: str) -> None:
    """In the middle of a game, over its end, and without touching the original."""
    game = get_game(name)
    batch = Batch(game, 2, num_players=n)
    batch.reset(3)
    steps = length(name, n)
    for number in range(steps // 3):
        batch.step(choices(batch, number))
    ways = {"copy": Batch.copy, "deepcopy": copy.deepcopy, "pickle": lambda b: pickle.loads(pickle.dumps(b))}
    twin = ways[way](batch)
    assert snapshot(twin) == snapshot(batch)
    assert not twin.tables.flags.writeable  # else the kernels would be compiled again
    before = snapshot(batch)
    history = []
    for number in range(steps):
        twin.step(choices(twin, number))
        history.append(snapshot(twin))
    assert snapshot(batch) == before
    for number in range(steps):
        batch.step(choices(batch, number))
        assert snapshot(batch) == history[number]


@pytest.mark.parametrize(("name", "n"), counts())
def test_states_are_copied_out_and_put_back(name: str, n: int) -> None:
    record = played(name, str(n))
    batch = record.batch()
    assert same(batch.masks, record.masks) and same(batch.get_states(), record.states)
    live = slice(0, -1)
    assert same(batch.observations[live], record.observations[live])
    out = batch.get_states()
    out["to_move"] = 99
    assert same(batch.get_states(), record.states)
    chosen = np.array([5, 2])
    batch.set_states(record.states[[0, 1]], chosen)
    assert same(batch.get_states(chosen), record.states[[0, 1]])
    assert same(batch.masks[chosen], record.masks[[0, 1]])
    assert same(batch.get_states()[6:], record.states[6:])
    with pytest.raises(ValueError, match="not states of"):
        batch.set_states(np.zeros(batch.num_tables, [("x", np.int8)]))
    other = next(value for value in record.game.seats if value != n)
    with pytest.raises(ValueError, match="other options"):
        batch.set_states(played(name, str(other)).states[:1], np.array([0]))


@pytest.mark.parametrize(("name", "n"), counts())
def test_a_finished_table_shows_how_it_ended(name: str, n: int) -> None:
    """With autoreset: final observation of the seat that acted last, points and winners; then the next game."""
    record = played(name, str(n))
    batch = Batch(record.game, 1, num_players=n)
    batch.reset(0)
    for action in record.actions:
        assert not batch.dones[0]
        batch.step(np.array([action]))
    assert batch.dones[0] and same(batch.rewards[0], record.rewards[-1])
    end = record.batch(slice(-1, None))
    assert same(batch.final_observations, end.observe(record.seats[-1:]))
    assert same(batch.final_points, end.points) and batch.final_winners[0] == record.states["winners"][-1]
    following = Batch(record.game, 1, num_players=n)
    following.reset(0)
    following.deal_again()
    for array in ("observations", "masks", "seats"):
        assert same(getattr(batch, array), getattr(following, array))
    assert same(batch.get_states()["seed"], following.get_states()["seed"])
    for table_name in batch.game.state.names:
        if table_name != "rewards":
            assert same(batch.get_states()[table_name], following.get_states()[table_name])


@pytest.mark.parametrize("name", games())
def test_make_batch(name: str) -> None:
    batch = shadowenvs.make_batch(name, 2, num_threads=2, illegal_actions="terminate", autoreset=False)
    assert (batch.game, batch.num_tables, batch.num_threads, batch.autoreset) == (get_game(name), 2, 2, False)
    with pytest.raises(ValueError, match="unknown game 'chess'; the games are"):
        shadowenvs.make_batch("chess", 1)
