"""Results that are kept: a run that was stopped goes on as if nothing had happened, in any number of processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.matches import draw_deals, play_deals
from agents.registry import make
from benchmarks import runs
from benchmarks.report import Report
from benchmarks.runs import Plan, Record, Store, Task, play, play_task
from benchmarks.tournament import compare
from shadowenvs import GAMES, get_game
from shadowenvs.game import Game

NAMES = ("random", "heuristic")
FIRST_GAME = next(iter(GAMES))


def make_plan(game: Game, **changes: Any) -> Plan:
    settings = {"agents": NAMES, "chunk": 4, "seed": 3, **changes}
    return Plan(game, {"num_players": game.seats[0]}, **settings)


def agents_of(plan: Plan) -> dict[str, Any]:
    return {name: make(name, plan.game) for name in plan.agents}


def lines_of(store: Store) -> list[str]:
    return [store.records[task].to_json() for task in sorted(store.records)]


def test_a_task_depends_on_its_own_numbers_alone(game: Game) -> None:
    """The third chunk is the same alone and after others, and is what the loop over games gives."""
    plan = make_plan(game)
    agents = agents_of(plan)
    task = Task(2, 1, 3)
    record = play_task(plan, task, agents)
    store = Store(plan, agents)
    assert play(store, agents, 11) == 11
    assert store.records[task].to_json() == record.to_json()
    match = plan.matches[1]
    players = [agents[name] for name in match.names]
    results = play_deals(
        *(game, plan.options, players, match.line_ups, draw_deals(3, 11)[8:]), seed=[3, 2], num_tables=plan.tables
    )
    np.testing.assert_array_equal(record.winners, results.winners)
    np.testing.assert_array_equal(record.ranks, results.ranks)
    for number in range(2):
        np.testing.assert_array_equal(record.parts[number], results.of(number, results.parts).sum(axis=(0, 1)))
    joined, records = store.of(1, 11)
    np.testing.assert_array_equal(joined.points[8:], results.points)
    assert len(records) == 3


def test_text_of_a_record(game: Game) -> None:
    plan = make_plan(game)
    record = play_task(plan, Task(0, 0, 2), agents_of(plan))
    line = record.to_json()
    again = Record.from_json(line, len(game.rates))
    assert again.to_json() == line
    assert again.parts.shape == record.parts.shape
    assert again.winners.dtype == np.uint8
    assert line.count("\n") == 1


def test_a_store_comes_back(any_game: Game, tmp_path: Path) -> None:
    plan = make_plan(any_game)
    agents = agents_of(plan)
    whole = Store(plan, agents)
    play(whole, agents, 10)
    part = Store(plan, agents, tmp_path / "run")
    play(part, agents, 4)
    resumed = Store(plan, agents, tmp_path / "run", "resume")
    assert lines_of(resumed) == lines_of(part)
    ended: list[int] = []
    play(resumed, agents, 10, progress=ended.append)
    assert sum(ended) == 10 * 2 * any_game.seats[0]
    assert lines_of(resumed) == lines_of(whole)
    assert (tmp_path / "run" / "results.jsonl").read_text().splitlines(keepends=True)[:2] == lines_of(part)
    # All is there: nothing is played again.
    play(resumed, {}, 10)


def test_another_number_of_deals(any_game: Game, tmp_path: Path) -> None:
    """A run may be made longer, and shorter again: what it says is what a run of that length says."""
    plan = make_plan(any_game)
    agents = agents_of(plan)
    for deals in (6, 10, 5):
        mode = "resume" if deals != 6 else "new"
        store, fresh = Store(plan, agents, tmp_path, mode), Store(plan, agents)
        for one in (store, fresh):
            play(one, agents, deals)
        for match in range(2):
            np.testing.assert_array_equal(store.of(match, deals)[0].points, fresh.of(match, deals)[0].points)
            parts = [sum(record.parts for record in one.of(match, deals)[1]) for one in (store, fresh)]
            np.testing.assert_array_equal(*parts)


def test_a_torn_line_is_dropped(any_game: Game, tmp_path: Path) -> None:
    plan = make_plan(any_game)
    agents = agents_of(plan)
    whole = Store(plan, agents, tmp_path)
    play(whole, agents, 8)
    file = tmp_path / "results.jsonl"
    content = file.read_bytes()
    file.write_bytes(content[:-20])
    store = Store(plan, agents, tmp_path, "resume")
    assert len(store.records) == 3
    play(store, agents, 8)
    assert file.read_bytes() == content
    assert lines_of(store) == lines_of(whole)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: "{}\n" + text, "line 1 is damaged"),
        (lambda text: text.replace('"winners":[', '"winners":["a",', 1), "line 1 is damaged"),
        (lambda text: text[:40] + "\n" + text[40:], "line 1 is damaged"),
    ],
)
def test_a_damaged_line_is_an_error(any_game: Game, tmp_path: Path, damage: Callable[[str], str], reason: str) -> None:
    plan = make_plan(any_game)
    agents = agents_of(plan)
    play(Store(plan, agents, tmp_path), agents, 4)
    file = tmp_path / "results.jsonl"
    file.write_text(damage(file.read_text()))
    with pytest.raises(ValueError, match=reason):
        Store(plan, agents, tmp_path, "resume")


def test_a_run_belongs_to_its_settings(any_game: Game, tmp_path: Path) -> None:
    plan = make_plan(any_game)
    agents = agents_of(plan)
    play(Store(plan, agents, tmp_path), agents, 4)
    with pytest.raises(ValueError, match="holds results already; --resume plays on"):
        Store(plan, agents, tmp_path)
    changes: list[dict[str, Any]] = [{"seed": 4}, {"chunk": 5}, {"tables": 9}, {"mirror": True}, {"line_ups": False}]
    for change in [*changes, {"agents": ("heuristic", "random")}]:
        other = make_plan(any_game, **change)
        with pytest.raises(ValueError, match=f"{next(iter(change))} is .* there and .* here"):
            Store(other, agents, tmp_path, "resume")
    settings = tmp_path / "settings.json"
    content = settings.read_text()
    settings.write_text(content.replace('"seed"', '"need"'))
    with pytest.raises(ValueError, match="there is no 'seed'"):
        Store(plan, agents, tmp_path, "resume")
    settings.write_text(content[:20])
    with pytest.raises(ValueError, match=r"settings\.json: "):
        Store(plan, agents, tmp_path, "resume")
    settings.unlink()
    with pytest.raises(FileNotFoundError, match=r"settings\.json"):
        Store(plan, agents, tmp_path, "resume")
    settings.write_text(content)
    assert len(Store(plan, agents, tmp_path, "resume").records) == 2
    assert not Store(make_plan(any_game, seed=4), agents, tmp_path, "replace").records


def test_another_network_is_another_run(any_game: Game) -> None:
    class Card:
        sha256 = "abc"

    class Trained:
        card = Card()

    plan = make_plan(any_game)
    agents: dict[str, Any] = {"random": make("random", any_game), "heuristic": Trained()}
    assert plan.settings(agents)["networks"] == ["", "abc"]


def test_a_tournament_ends_when_it_has_enough(any_game: Game) -> None:
    plan = make_plan(any_game)
    agents = agents_of(plan)
    asked: list[int] = []

    def enough(deals: int) -> bool:
        asked.append(deals)
        return deals >= 8

    store = Store(plan, agents)
    assert play(store, agents, 100, enough=enough) == 8
    assert asked == [4, 8]
    assert len(store.records) == 4
    # The same with what is there already, and without an end.
    asked.clear()
    assert play(store, {}, 100, enough=enough) == 8
    assert asked == [4, 8]
    assert play(store, agents, 10, enough=lambda deals: False) == 10


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"agents": ("random",)}, "at least 2 agents"),
        ({"agents": (), "mirror": True}, "at least 1 agents"),
        ({"agents": ("random", "random")}, "names random twice"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"tables": 0}, "tables must be at least 1"),
        ({"chunk": 0}, "chunk must be at least 1"),
    ],
)
def test_wrong_plans(any_game: Game, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_plan(any_game, **change)


# ----------------------------------------------------------------------------------------------------------- processes


def test_workers_do_not_matter(any_game: Game, tmp_path: Path) -> None:
    """Two processes give what one gives, and only they end with the tournament."""
    before = set(multiprocessing.active_children())
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    other.start()

    def run(workers: int) -> Report:
        return compare(
            *(any_game, NAMES, 20),
            options={"num_players": any_game.seats[0]},
            chunk=4,
            workers=workers,
            run=tmp_path / str(workers),
            show_progress=False,
        )

    try:
        assert run(1) == run(2)
        assert set(multiprocessing.active_children()) - before == {other}
    finally:
        other.terminate()
        other.join()
    one, two = (sorted((tmp_path / str(workers) / "results.jsonl").read_text().splitlines()) for workers in (1, 2))
    assert one == two
    assert runs._worker == {}


def test_errors_in_workers_arrive(any_game: Game) -> None:
    plan = make_plan(any_game, agents=("random", "tests.benchmarks.players:cheat"))
    agents = agents_of(plan)
    with pytest.raises(ValueError, match="illegal action"):
        play(Store(plan, agents), agents, 8, workers=2)


def test_ctrl_c_loses_nothing(tmp_path: Path) -> None:
    """Interrupted in two processes and resumed in one: the same report as without, and no chunk played twice."""
    slow = "tests.benchmarks.players:slow"
    words = ["--game", FIRST_GAME, "--agents", "random", slow, "--deals", "8", "--chunk", "1", "--seed", "5"]
    seats = get_game(FIRST_GAME).seats[0]
    words += ["--set", f"num_players={seats}"]

    def start(*more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "benchmarks.tournament", *words, *more]
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0)

    kept = tmp_path / "run" / "results.jsonl"
    process = start("--run", str(tmp_path / "run"), "--workers", "2")
    deadline = time.monotonic() + 120
    while not kept.exists() or kept.read_bytes().count(b"\n") < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.count("\n") == 1
    assert f"interrupted; finished deals are in {tmp_path / 'run'}, the same with --resume plays on" in err
    early = kept.read_bytes()
    assert 2 <= early.count(b"\n") < 16
    assert early.endswith(b"\n")

    out, err = start("--run", str(tmp_path / "run"), "--resume", "--json", str(tmp_path / "one.json")).communicate()
    assert err == ""
    assert kept.read_bytes().startswith(early)
    assert kept.read_bytes().count(b"\n") == 16
    agents = ["random", slow]
    whole = compare(FIRST_GAME, agents, 8, options={"num_players": seats}, chunk=1, seed=5, show_progress=False)
    assert json.loads((tmp_path / "one.json").read_text()) == whole.as_dict()
