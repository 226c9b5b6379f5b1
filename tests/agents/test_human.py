"""The person at the terminal, and the command that lets one play against any agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import play
from agents.human import HumanAgent
from shadowenvs.batch import Batch
from shadowenvs.game import Game
from shadowenvs.turn import Turn
from training.checkpoint import save


def person(*lines: str) -> tuple[HumanAgent, list[str]]:
    """Returns an agent that is given these lines, and what it writes."""
    written: list[str] = []
    rest: Iterator[str] = iter(lines)

    def read(prompt: str) -> str:
        line = next(rest, None)
        if line is None:
            raise EOFError
        return line

    return HumanAgent(read, written.append), written


def test_answers(game: Game, make_turn: Callable[..., Turn]) -> None:
    turn = make_turn(game, num_tables=1)
    legal = np.flatnonzero(turn.masks[0]).tolist()
    for number, action in enumerate(legal, start=1):
        words = game.format_action(turn.options, action)
        for answer in (str(number), words, f"  {words.upper()} "):
            agent, written = person(answer)
            assert agent.act(turn).tolist() == [action]
            assert len(written) == 2
            assert words in written[1]


def test_asks_again(game: Game, make_turn: Callable[..., Turn]) -> None:
    turn = make_turn(game, num_tables=1)
    num_legal = int(turn.masks.sum())
    agent, written = person("", "0", str(num_legal + 1), "-1", "no such move", "1")
    assert agent.act(turn).tolist() == [int(turn.masks[0].argmax())]
    assert len(written) == 7
    assert all(text.endswith("is no legal move") for text in written[2:])
    agent, _ = person("no such move")
    with pytest.raises(EOFError):
        agent.act(turn)


def test_sees_what_the_seat_may_see(game: Game) -> None:
    batch = Batch(game, 1)
    batch.reset(4)
    for number in range(60):
        turn = batch.turn(np.random.default_rng(number))
        agent, written = person("1")
        action = agent.act(turn)
        assert written[0] == game.render(batch.options, batch.get_states(), int(batch.seats[0]))
        batch.step(action)


def test_one_table_only(game: Game, make_turn: Callable[..., Turn]) -> None:
    with pytest.raises(ValueError, match="at one table, not at 2"):
        person("1")[0].act(make_turn(game, num_tables=2))


# ------------------------------------------------------------------------------------------------------------- command


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Plays with the first move always."""
    monkeypatch.setattr("shadowenvs.cli.play.__defaults__", (lambda prompt: "1", print))
    return play.main(words)


def test_play_against_all_kinds(
    tmp_path: Path,
    game: Game,
    make_policy: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "policy"
    save(folder, *make_policy(game))
    seats = game.seats[-1]
    names = [str(folder), "heuristic", "random", "tests.agents.test_agents:make_function"][: seats - 1]
    opponents = [word for name in names for word in ("--opponent", name)]
    code = run(monkeypatch, game.name, *opponents, "--seed", "3", "--set", f"num_players={seats}")
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    assert f"seat 1 {folder}" in captured.out
    assert "Winner:" in captured.out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--opponent", "grandmaster"], "unknown agent 'grandmaster'; allowed are random, heuristic, ppo, the folder"),
        (["--opponent", "runs/none/policy"], "runs/none/policy/card.json: there is no such file"),
        (["--opponent", "no.module:factory"], "No module named"),
        (["--opponent"], "expected one argument"),
        (["--seat", "99"], "--seat must be between"),
    ],
)
def test_mistakes_are_one_line(game: Game, capsys: pytest.CaptureFixture[str], words: list[str], reason: str) -> None:
    assert play.main([game.name, *words]) == 2
    captured = capsys.readouterr()
    assert reason in captured.err
    assert captured.err.count("\n") == 1


def test_unknown_game(capsys: pytest.CaptureFixture[str]) -> None:
    for words, reason in ((["chess"], "unknown game 'chess'"), ([], "required: GAME")):
        assert play.main(words) == 2
        assert reason in capsys.readouterr().err
