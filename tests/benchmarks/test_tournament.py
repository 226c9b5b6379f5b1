"""Tournaments: what a report holds, the command, and the page."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from agents.heuristic import HeuristicAgent
from agents.random import RandomAgent
from benchmarks import runs
from benchmarks.estimates import FEWEST, confidence_sequence
from benchmarks.report import Report, is_narrow, write_report
from benchmarks.runs import Plan, Store
from benchmarks.tournament import compare, count_deals, main, play_tournament
from shadowenvs import GAMES, get_game
from shadowenvs.game import Game, Rate
from shadowenvs.turn import Turn
from tests.benchmarks.players import first, last

NAMES = list(GAMES)


def play(game: Game, agents: dict[str, Any] | None = None, deals: int = 3, **rest: Any) -> Report:
    agents = agents or {"random": RandomAgent(), "heuristic": HeuristicAgent()}
    options = rest.pop("options", {"num_players": game.seats[0]})
    own = {name: rest.pop(name) for name in ("progress", "until", "budget") if name in rest}
    return play_tournament(Plan(game, options, tuple(agents), **rest), agents, deals, **own)


# -------------------------------------------------------------------------------------------------------------- games


def test_equal_agents_have_the_fair_share(game: Game) -> None:
    """Against copies of itself: exactly, if an agent draws no random numbers, else within what chance allows."""
    for agent in (first(), HeuristicAgent(), RandomAgent()):
        report = play(game, {agent.name: agent}, deals=20, mirror=True)
        (pair,) = report.pairs
        assert pair.agent == pair.opponents == agent.name
        if agent.name == "first":
            assert pair.share[:3] == pytest.approx((report.fair_share,) * 3)
            assert pair.share.saved is None
            # Where all deals are shared nothing varies; else the deal alone decides, being the same each time.
            assert [one.agent for one in report.luck] in (["first"], [])
            assert all(one.luck.rest == pytest.approx(0.0) for one in report.luck)
        else:
            # Four standard errors: this is about a wrong seat or sum, not about luck.
            assert abs(pair.share.mean - report.fair_share) <= 2.0 * pair.share.half + 1e-12
        assert report.overall == report.differences == report.line_ups == report.ratings == []


def test_two_names_for_one_agent(game: Game) -> None:
    """Seat, name and order of an agent make no difference."""
    report = play(game, {"a": first(), "b": first()})
    shares = [standing.share for standing in (*report.pairs, *report.line_ups, *report.overall)]
    assert [share[:3] for share in shares] == [pytest.approx((report.fair_share,) * 3)] * len(shares)
    assert len({pair.points for pair in report.pairs}) == 1
    (gap,) = report.differences
    assert gap.share[:3] == pytest.approx((0.0, 0.0, 0.0))


def test_differences_and_overall_by_hand(game: Game) -> None:
    """The means of a report of three agents, from those of its pairs."""
    report = play(game, {"a": first(), "b": last(), "c": RandomAgent()}, deals=12)
    pairs = {(pair.agent, pair.opponents): pair for pair in report.pairs}
    for one in report.overall:
        own = [pair for pair in report.pairs if pair.agent == one.agent]
        assert one.share.mean == pytest.approx(np.mean([pair.share.mean for pair in own]))
        assert one.points.mean == pytest.approx(np.mean([pair.points.mean for pair in own]))
    assert [(gap.agent, gap.opponents) for gap in report.differences] == [("a", "b"), ("a", "c"), ("b", "c")]
    for gap in report.differences:
        there, back = pairs[gap.agent, gap.opponents], pairs[gap.opponents, gap.agent]
        assert gap.share.mean == pytest.approx(there.share.mean - back.share.mean)
        assert gap.points.mean == pytest.approx(there.points.mean - back.points.mean)
        if report.num_players == 2:
            # Two players: what one wins the other loses, but for the random agent's other choices.
            assert gap.share.mean == pytest.approx(2 * there.share.mean - 1, abs=1.0 if "c" in gap.name else 1e-9)
    assert {rating.agent for rating in report.ratings} == {"a", "b", "c"}


def test_shares_of_mixed_tables_add_up(game: Game) -> None:
    seats = next(seats for seats in game.seats if seats > 2)
    agents = {f"a{number}": [first(), HeuristicAgent()][number % 2] for number in range(seats)}
    report = play(game, agents, options={"num_players": seats})
    assert [standing.agent for standing in report.line_ups] == list(agents)
    assert sum(standing.share.mean for standing in report.line_ups) == pytest.approx(1.0)


def test_games_that_are_played(game: Game) -> None:
    """As many as the report says, mixed tables included; test_schedule counts those of other numbers of agents."""
    seats = next(seats for seats in game.seats if seats > 2)
    for number, mirror, mixed in (
        (seats, True, math.factorial(seats)),
        (seats + 1, False, 24 // (seats + 1) * (seats + 1)),
    ):
        agents = {f"a{i}": first() for i in range(number)}
        for line_ups in (True, False) if mirror else (True,):
            ended: list[int] = []
            report = play(
                *(game, agents, 2),
                options={"num_players": seats},
                line_ups=line_ups,
                mirror=mirror,
                progress=ended.append,
            )
            assert len(report.line_ups) == (number if line_ups else 0)
            assert len(report.pairs) == number * (number if mirror else number - 1)
            assert sum(ended) == 2 * (len(report.pairs) * seats + (mixed if line_ups else 0))


def test_equal_tournaments_are_equal(game: Game) -> None:
    report = play(game, seed=5)
    assert report == play(game, seed=5)
    assert report.pairs != play(game, seed=6).pairs


def test_a_pair_does_not_depend_on_who_else_is_there(game: Game) -> None:
    agents = {"random": RandomAgent(), "heuristic": HeuristicAgent()}
    alone = play(game, agents)
    third = play(game, {"first": first(), **agents}, line_ups=False)
    assert [pair for pair in third.pairs if "first" not in (pair.agent, pair.opponents)] == alone.pairs


def test_rates_are_of_all_seats_that_an_agent_held(game: Game) -> None:
    counted = dataclasses.replace(game, rates=(Rate("share of points", "points", "points", ""),))
    report = play(counted, {"a": first(), "b": first()}, options={"num_players": game.seats[-1]}, chunk=2)
    assert [(rate.agent, rate.rate) for rate in report.rates] == [("a", "share of points"), ("b", "share of points")]
    # Both hold every seat as often, and play alike.
    assert report.rates[0].part == report.rates[0].whole == report.rates[1].part
    held = 2 * 3 * report.num_players * report.num_players / 2
    assert report.rates[0].part == pytest.approx(report.pairs[0].points.mean * held)


# --------------------------------------------------------------------------------------------------------- sequential


def test_until(any_game: Game) -> None:
    """It ends after the first chunk that makes every interval narrow enough, and says how narrow they are."""
    report = play(any_game, deals=None, until=0.2, chunk=64, tables=256)
    assert report.deals % 64 == 0
    assert report.deals >= FEWEST
    assert report.reached
    assert all(pair.share.half <= 0.2 for pair in report.pairs)
    fixed = play(any_game, deals=report.deals, tables=256)
    for one, other in zip(report.pairs, fixed.pairs, strict=True):
        assert one.share.mean == other.share.mean
        assert one.share.half > 1.5 * other.share.half
        assert one.points.half > 1.5 * other.points.half


def test_until_waits_for_the_fewest_deals_and_ends_with_the_budget(any_game: Game) -> None:
    assert play(any_game, deals=192, until=0.9).deals == 192
    report = play(any_game, deals=None, until=0.001, budget=150)
    assert report.deals == 150
    assert report.reached is False
    out = io.StringIO()
    write_report(report, Console(file=out, width=200))
    assert "confidence sequence, good whenever one stops, over 150 deals" in out.getvalue()
    assert "is not everywhere down to 0.1 %" in out.getvalue()


def test_until_is_about_mixed_tables_too(any_game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    seats = next(seats for seats in any_game.seats if seats > 2)
    agents = {f"a{number}": first() for number in range(seats)}
    looked: list[tuple[int, ...]] = []

    def watch(values: np.ndarray, unit: float = 0.0) -> Any:
        looked.append(values.shape)
        return confidence_sequence(values, unit)

    plan = Plan(any_game, {"num_players": seats}, tuple(agents))
    store = Store(plan, agents)
    runs.play(store, agents, 4)
    monkeypatch.setattr("benchmarks.report.confidence_sequence", watch)
    assert is_narrow(store, 4, 9.0)
    pairs = seats * (seats - 1)
    assert looked == [(4, seats)] * pairs + [(4, math.factorial(seats))] * seats
    assert not is_narrow(store, 4, 0.1)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((1, None, 9), "deals must be at least 2, not 1"),
        ((100, 0.1, 900), "deals must be at least 128 with until, not 100"),
        ((None, 0.0, 900), "until must be above 0 and below 1, not 0"),
        ((None, 1.0, 900), "until must be above 0 and below 1, not 1"),
        ((None, 0.1, 100), "budget must be at least the 128 deals that are the fewest, not 100"),
    ],
)
def test_wrong_numbers_of_deals(arguments: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        count_deals(*arguments)


# ------------------------------------------------------------------------------------------------------------- command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> list[str]:
    return ["--game", NAMES[0], "--agents", "random", "heuristic", "--deals", "3", *words]


def test_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seats = get_game(NAMES[0]).seats[0]
    words = run("--set", f"num_players={seats}", "--seed", "9", "--tables", "5", "--mirror", "--json", "result.json")
    assert main([*words, "--html", "result.html"]) == 0
    captured = capsys.readouterr()
    assert "Win share" in captured.out
    content = json.loads((here / "result.json").read_text())
    assert (content["num_players"], content["seed"], content["tables"], content["deals"]) == (seats, 9, 5, 3)
    assert len(content["pairs"]) == 4
    assert (here / "result.html").read_text().startswith("<!DOCTYPE html>")
    (folder,) = (here / "runs").iterdir()
    assert folder.name.startswith(f"tournament-{NAMES[0]}-")
    kept = (folder / "results.jsonl").read_text()
    assert kept.count("\n") == 4
    # The folder that nobody named is begun anew, or resumed.
    for more in ([], ["--resume"]):
        assert main([*words[:-1], "-", *more]) == 0
        captured = capsys.readouterr()
        assert captured.out == (here / "result.json").read_text()
        assert "Win share" in captured.err
        assert (folder / "results.jsonl").read_text() == kept
    # The same in a notebook, where nothing is kept.
    report = compare(
        *(NAMES[0], ["random", "heuristic"], 3), options={"num_players": seats}, seed=9, tables=5, mirror=True
    )
    assert report.as_dict() == content


def test_interrupted(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = run("--chunk", "1", "--json", "result.json")
    assert main(words) == 0
    whole = (here / "result.json").read_text()
    capsys.readouterr()
    calls = []
    act = RandomAgent.act

    def stop(self: RandomAgent, turn: Turn) -> np.ndarray:
        calls.append(len(turn))
        if len(calls) == 300:
            raise KeyboardInterrupt
        return act(self, turn)

    monkeypatch.setattr(RandomAgent, "act", stop)
    assert main(words) == 130
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "interrupted; finished deals are in runs/tournament-" in captured.err
    (folder,) = (here / "runs").iterdir()
    kept = (folder / "results.jsonl").read_text()
    assert 1 <= kept.count("\n") < 6
    (here / "result.json").unlink()
    assert main([*words, "--resume"]) == 0
    assert (here / "result.json").read_text() == whole
    assert (folder / "results.jsonl").read_text().startswith(kept)


def test_until_on_the_command_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--game",
        NAMES[0],
        "--agents",
        "random",
        "heuristic",
        "--set",
        f"num_players={get_game(NAMES[0]).seats[0]}",
    ]
    assert main([*words, "--until", "0.3", "--budget", "200", "--run", "mine"]) == 0
    out = capsys.readouterr().out
    assert "The half width of the win shares is at most 30 %." in out
    assert f"{FEWEST} deals" in out
    assert main([*words, "--until", "0.3", "--run", "mine"]) == 1
    assert "mine holds results already; --resume plays on" in capsys.readouterr().err
    assert main([*words, "--seed", "1", "--run", "mine", "--resume"]) == 1
    assert "mine/settings.json: seed is 0 there and 1 here" in capsys.readouterr().err
    assert (here / "mine" / "results.jsonl").read_text().count("\n") == 4


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--game", "chess"], "unknown game 'chess'"),
        (["--agents", "random"], "agents must name at least 2 agents"),
        (["--agents", "random", "random"], "agents names random twice"),
        (["--agents", "random", "grandmaster"], "unknown agent 'grandmaster'; allowed are random, heuristic"),
        (["--agents", "random", "runs/none/policy"], "runs/none/policy/card.json: there is no such file"),
        (["--deals", "1"], "deals must be at least 2"),
        (["--deals", "many"], "argument --deals: invalid int value: 'many'"),
        (["--seed", "-1"], "seed must be at least 0"),
        (["--tables", "0"], "tables must be at least 1"),
        (["--chunk", "0"], "chunk must be at least 1"),
        (["--workers", "0"], "workers must be at least 1"),
        (["--until", "0.1"], "deals must be at least 128 with until, not 3"),
        (["--until", "wide"], "argument --until: invalid float value: 'wide'"),
        (["--set", "num_players"], "--set takes option=value, not 'num_players'"),
        (["--set", "nothing=1"], "unknown option 'nothing'"),
        (["--set", "num_players=99"], "num_players must be between"),
        (["--set", "num_players=two"], "num_players must be a number"),
        (["--set", "reward=gold"], "unknown reward 'gold'"),
        (["--json", "no/such/folder/result.json"], "there is no such folder"),
        (["--html", "no/such/folder/result.html"], "there is no such folder"),
        (["--nothing"], "unrecognized arguments: --nothing"),
    ],
)
def test_errors_are_one_line(here: Path, capsys: pytest.CaptureFixture[str], words: list[str], reason: str) -> None:
    arguments = {"--game": [NAMES[0]], "--agents": ["random", "heuristic"], "--deals": ["3"], words[0]: words[1:]}
    try:
        status: Any = main([word for name, values in arguments.items() for word in (name, *values)])
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    assert status in (1, 2)
    assert captured.out == ""
    assert reason in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("benchmarks.tournament: error: ")
    assert not list(here.iterdir())


def test_required(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "the following arguments are required: --game, --agents" in capsys.readouterr().err


def test_module_runs(tmp_path: Path) -> None:
    words = run("--json", "-", "--run", str(tmp_path / "run"))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.tournament", *words], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["game"].startswith(NAMES[0])
