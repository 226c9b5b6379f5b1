"""Tournaments: the statistics, what a report holds, and the command."""

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

from agents.base import PolicyAgent
from agents.heuristic import HeuristicAgent
from agents.random import RandomAgent
from benchmarks.tournament import (
    Report,
    all_seatings,
    count_games,
    main,
    one_against_all,
    play_tournament,
    write_report,
)
from shadowenvs import GAMES, get_game
from shadowenvs.game import Game, Rate

NAMES = list(GAMES)


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return get_game(request.param)


def first_agent() -> PolicyAgent:
    return PolicyAgent(lambda turn: turn.masks.argmax(axis=1), "first")


def test_line_ups() -> None:
    np.testing.assert_array_equal(one_against_all(3), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    for seats in range(2, 7):
        seatings = all_seatings(seats)
        assert seatings.shape == (math.factorial(seats), seats)
        assert len({tuple(row) for row in seatings.tolist()}) == len(seatings)
        assert (np.sort(seatings, axis=1) == np.arange(seats)).all()


# --------------------------------------------------------------------------------------------------------- tournaments


def play(game: Game, agents: dict[str, Any] | None = None, deals: int = 3, **rest: Any) -> Report:
    agents = agents or {"random": RandomAgent(), "heuristic": HeuristicAgent()}
    return play_tournament(game, rest.pop("options", {"num_players": game.seats[0]}), agents, deals, **rest)


def test_equal_agents_have_the_fair_share(game: Game) -> None:
    """Against copies of itself: exactly, if an agent draws no random numbers, else within what chance allows."""
    for agent in (first_agent(), HeuristicAgent(), RandomAgent()):
        report = play(game, {agent.name: agent}, deals=20, mirror=True)
        (pair,) = report.pairs
        assert pair.agent == pair.opponents == agent.name
        if agent.name == "first":
            assert pair.share == pytest.approx((report.fair_share,) * 3)
        else:
            # Four standard errors: this is about a wrong seat or sum, not about luck.
            assert abs(pair.share.mean - report.fair_share) <= 2.0 * (pair.share.high - pair.share.mean) + 1e-12


def test_two_names_for_one_agent(game: Game) -> None:
    """Seat, name and order of an agent make no difference."""
    report = play(game, {"a": first_agent(), "b": first_agent()}, options={"num_players": game.seats[0]})
    shares = [standing.share for standing in (*report.pairs, *report.line_ups)]
    assert shares == [pytest.approx((report.fair_share,) * 3)] * len(shares)
    assert len({standing.points for standing in report.pairs}) == 1


def test_one_agent_gains_what_the_other_loses(game: Game) -> None:
    """With two seats, if there are, or else with all of them mixed: shares of all agents add up to 1."""
    seats = game.seats[0]
    agents = {f"a{number}": [first_agent(), HeuristicAgent()][number % 2] for number in range(seats)}
    report = play(game, agents, options={"num_players": seats})
    assert [standing.agent for standing in report.line_ups] == list(agents)
    assert sum(standing.share.mean for standing in report.line_ups) == pytest.approx(1.0)


def test_line_ups_only_with_as_many_agents_as_seats(game: Game) -> None:
    ended: list[int] = []
    seats = game.seats[0]
    names = [f"a{number}" for number in range(seats + 1)]
    for number in (seats - 1, seats, seats + 1):
        agents = {name: first_agent() for name in names[:number]}
        for line_ups, mirror in ((True, False), (False, True)):
            ended.clear()
            report = play(
                game,
                agents,
                2,
                options={"num_players": seats},
                line_ups=line_ups,
                mirror=mirror,
                progress=ended.append,
            )
            assert len(report.line_ups) == (seats if line_ups and number == seats else 0)
            assert len(report.pairs) == number * (number if mirror else number - 1)
            expected = 2 * len(report.pairs) * seats + (2 * math.factorial(seats) if report.line_ups else 0)
            assert sum(ended) == expected == count_games(number, seats, 2, mirror, line_ups)


def test_equal_tournaments_are_equal(game: Game) -> None:
    report = play(game, seed=5)
    assert report == play(game, seed=5)
    assert report.pairs != play(game, seed=6).pairs


def test_a_pair_does_not_depend_on_who_else_is_there(game: Game) -> None:
    agents = {"random": RandomAgent(), "heuristic": HeuristicAgent()}
    alone = play(game, agents, line_ups=False)
    third = play(game, {"first": first_agent(), **agents}, line_ups=False)
    assert [pair for pair in third.pairs if "first" not in (pair.agent, pair.opponents)] == alone.pairs


def test_rates_are_of_all_seats_that_an_agent_held(game: Game) -> None:
    counted = dataclasses.replace(game, rates=(Rate("share of points", "points", "points", ""),))
    report = play(counted, {"a": first_agent(), "b": first_agent()}, options={"num_players": game.seats[-1]})
    assert [(rate.agent, rate.rate) for rate in report.rates] == [("a", "share of points"), ("b", "share of points")]
    # Both hold every seat as often, and play alike.
    assert report.rates[0].part == report.rates[0].whole == report.rates[1].part
    held = 2 * 3 * report.num_players * report.num_players / 2
    assert report.rates[0].part == pytest.approx(report.pairs[0].points.mean * held)


def check_keys(content: dict[str, Any], kinds: dict[str, Any]) -> None:
    assert content.keys() == kinds.keys()
    for key, kind in kinds.items():
        assert isinstance(content[key], kind), key


def test_schema(game: Game) -> None:
    counted = dataclasses.replace(game, rates=(Rate("share of points", "points", "points", ""),))
    seats = game.seats[0]
    agents = {"random": RandomAgent(), "heuristic": HeuristicAgent()} | {
        f"first {number}": first_agent() for number in range(seats - 2)
    }
    report = play(counted, agents, options={"num_players": seats})
    content = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    head = {"format": str, "shadowenvs": str, "confidence": float, "fair_share": float, "game": str, "options": dict}
    head |= {"agents": list, "deals": int, "seed": int, "tables": int, "num_players": int, "points_sign": int}
    check_keys(content, head | {"pairs": list, "line_ups": list, "rates": list})
    assert content["game"] == game.id
    assert content["options"]["num_players"] == seats
    numbers = {"mean": float, "low": float, "high": float}
    for standing in content["pairs"] + content["line_ups"]:
        opponents = {"opponents": str} if standing in content["pairs"] else {}
        check_keys(standing, {"agent": str, **opponents, "share": dict, "points": dict})
        for key in ("share", "points"):
            check_keys(standing[key], numbers)
            assert standing[key]["low"] <= standing[key]["mean"] <= standing[key]["high"]
        assert 0.0 <= standing["share"]["mean"] <= 1.0
    assert len(content["pairs"]) == seats * (seats - 1)
    assert len(content["line_ups"]) == seats
    for rate in content["rates"]:
        check_keys(rate, {"agent": str, "rate": str, "part": int, "whole": int})


def test_text(game: Game) -> None:
    counted = dataclasses.replace(
        game, rates=(Rate("points", "points", "points", ""), Rate("nothing", "rewards", "rewards", ""))
    )
    report = play(counted, {"odd [bold]name": RandomAgent(), "heuristic": HeuristicAgent()})
    report = dataclasses.replace(
        report, rates=[dataclasses.replace(rate, part=1, whole=4 * (rate.rate == "points")) for rate in report.rates]
    )
    out = io.StringIO()
    write_report(report, Console(file=out, width=200))
    text = out.getvalue()
    assert f"{game.id}: 3 deals" in text
    assert f"a fair share is {100 / report.num_players:.1f} %" in text
    assert ("many" if game.points_sign > 0 else "few") + " are good" in text
    assert f"against {report.num_players - 1} x heuristic" in text
    pair = report.pairs[0]
    assert f"{100 * pair.share.mean:.1f} ± {100 * (pair.share.high - pair.share.mean):.1f} %" in text
    assert "25.0 % of 4" in text
    assert text.count("odd [bold]name") >= 3


# ------------------------------------------------------------------------------------------------------------- command


def run(*words: str) -> list[str]:
    return ["--game", NAMES[0], "--agents", "random", "heuristic", "--deals", "3", *words]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "result.json"
    seats = get_game(NAMES[0]).seats[0]
    words = run("--set", f"num_players={seats}", "--seed", "9", "--tables", "5", "--mirror", "--json", str(file))
    assert main(words) == 0
    captured = capsys.readouterr()
    assert "Win share" in captured.out
    content = json.loads(file.read_text())
    assert (content["num_players"], content["seed"], content["tables"], content["deals"]) == (seats, 9, 5, 3)
    assert len(content["pairs"]) == 4
    assert main([*words[:-1], "-"]) == 0
    captured = capsys.readouterr()
    assert captured.out == file.read_text()
    assert "Win share" in captured.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--game", "chess"], "unknown game 'chess'"),
        (["--agents", "random"], "--agents must name at least 2 agents"),
        (["--agents", "random", "random"], "--agents names random twice"),
        (["--agents", "random", "grandmaster"], "unknown agent 'grandmaster'; allowed are random, heuristic"),
        (["--agents", "random", "runs/none/policy"], "runs/none/policy/card.json: there is no such file"),
        (["--deals", "1"], "--deals must be at least 2"),
        (["--deals", "many"], "argument --deals: invalid int value: 'many'"),
        (["--seed", "-1"], "--seed must be at least 0"),
        (["--tables", "0"], "--tables must be at least 1"),
        (["--set", "num_players"], "--set takes option=value, not 'num_players'"),
        (["--set", "nothing=1"], "unknown option 'nothing'"),
        (["--set", "num_players=99"], "num_players must be between"),
        (["--set", "num_players=two"], "num_players must be a number"),
        (["--set", "reward=gold"], "unknown reward 'gold'"),
        (["--json", "no/such/folder/result.json"], "there is no such folder"),
        (["--nothing"], "unrecognized arguments: --nothing"),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], words: list[str], reason: str) -> None:
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


def test_required(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "the following arguments are required: --game, --agents" in capsys.readouterr().err


def test_module_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.tournament", *run("--json", "-")], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["game"].startswith(NAMES[0])
