"""The leaderboard: who takes part, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.random import RandomAgent
from benchmarks.leaderboard import STANDING, find_agents, main
from shadowenvs import GAMES, get_game
from shadowenvs.game import Game

NAMES = list(GAMES)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*words: str) -> int:
    return main(["--folder", "board", "--deals", "4", *words])


def test_who_takes_part(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    found, missing = find_agents(["random", "grandmaster", "heuristic", "random"], game)
    assert list(found) == ["random", "heuristic"]
    assert list(missing) == ["grandmaster"]
    assert "unknown agent 'grandmaster'" in missing["grandmaster"]
    found, missing = find_agents(STANDING, game)
    assert {"random", "heuristic"} <= found.keys()
    assert {*found, *missing} == set(STANDING)
    assert "ppo" in STANDING


def test_all_games(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every game has a section with its agents and the figures of its report, and a second run changes nothing."""
    assert write("--agents", "random", "heuristic", "grandmaster") == 0
    text = (here / "board" / "leaderboard.md").read_text()
    content = json.loads((here / "board" / "leaderboard.json").read_text())
    assert list(content["games"]) == NAMES
    sections = text.split("\n## ")
    assert [section.splitlines()[0] for section in sections[1:]] == [get_game(name).title for name in NAMES]
    for section, report in zip(sections[1:], content["games"].values(), strict=True):
        assert report["deals"] == 4
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line[:1] == "|"]
        others = report["num_players"] - 1
        assert rows[0] == ["agent", f"against {others} random", f"against {others} heuristic", "rating", "luck"]
        assert [row[0] for row in rows[2:]] == [rating["agent"] for rating in report["ratings"]]
        shares = {(pair["agent"], pair["opponents"]): pair["share"] for pair in report["pairs"]}
        for row in rows[2:]:
            for cell, other in zip(row[1:3], ("random", "heuristic"), strict=True):
                share = shares[row[0], other]
                half = share["high"] - share["mean"]
                wanted = "-" if other == row[0] else f"{100 * share['mean']:.1f} ± {100 * half:.1f} %"
                assert cell == wanted
        assert "Without grandmaster" in section
        assert "Where different agents meet" in section
    assert capsys.readouterr().out == ""
    assert write("--agents", "random", "heuristic", "grandmaster", "--resume") == 0
    assert (here / "board" / "leaderboard.md").read_text() == text


def test_one_game_and_another_agent(here: Path) -> None:
    assert write("--games", NAMES[0], "--agents", "random", "tests.benchmarks.players:first", "--seed", "3") == 0
    text = (here / "board" / "leaderboard.md").read_text()
    assert "against 3 random" in text
    assert "heuristic" not in text
    assert "| tests.benchmarks.players:first |" in text
    assert "Without" not in text


def test_interrupted(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RandomAgent, "act", stop)
    assert write("--games", NAMES[0]) == 130
    assert "--resume plays on" in capsys.readouterr().err
    assert not (here / "board").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--games", "chess"], "unknown game 'chess'"),
        (["--games", NAMES[0], "--agents", "random", "grandmaster"], "fewer than 2 agents can play"),
        (["--deals", "1"], "deals must be at least 2"),
        (["--workers", "0"], "workers must be at least 1"),
    ],
)
def test_errors_are_one_line(here: Path, capsys: pytest.CaptureFixture[str], words: list[str], reason: str) -> None:
    try:
        status: Any = write(*words)
    except SystemExit as stop:
        status = stop.code
    assert status in (1, 2)
    err = capsys.readouterr().err
    assert reason in err
    assert err.count("\n") == 1
    assert not (here / "board").exists()
