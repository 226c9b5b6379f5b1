"""Agents by name, what is asked of all of them, and games between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.base import PolicyAgent, begin, decide
from agents.checkpoint import CheckpointError
from agents.neural import NeuralAgent
from agents.registry import BUILT_IN, available, make
from shadowenvs import GAMES, get_game
from shadowenvs.game import Game
from shadowenvs.turn import Turn
from training.checkpoint import save


class First:
    """Takes the first legal action."""

    name = "first"

    def act(self, turn: Turn) -> Any:
        return turn.masks.argmax(axis=1)


def make_first() -> First:
    return First()


def make_function() -> Callable[[Turn], np.ndarray]:
    return First().act


def make_nameless() -> Any:
    """What the library's own command takes: an object with ``act`` and no name."""

    class Nameless:
        def act(self, turn: Turn) -> Any:
            return turn.masks.argmax(axis=1)

    return Nameless()


def make_nothing() -> str:
    return "nothing"


def test_available(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that cannot be made are left out."""
    game = get_game(next(iter(GAMES)))
    names = available(game)
    assert {"random", "heuristic"} <= set(names) <= set(BUILT_IN)

    def make_most(name: str, game: Game) -> Any:
        if name == "random":
            raise ValueError("there is none")
        return make(name, game)

    monkeypatch.setattr("agents.registry.make", make_most)
    assert available(game) == [name for name in names if name != "random"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in(game: Game, make_turn: Callable[..., Turn], name: str) -> None:
    agent = make(name, game)
    assert agent.name == name
    turn = make_turn(game)
    actions = decide(agent, turn)
    assert actions.dtype == np.int64
    assert turn.masks[np.arange(len(turn)), actions].all()


@pytest.mark.parametrize("name", ["make_first", "make_function", "make_nameless"])
def test_factory(game: Game, make_turn: Callable[..., Turn], name: str) -> None:
    turn = make_turn(game)
    agent = make(f"{__name__}:{name}", game)
    assert agent.name == ("first" if name == "make_first" else f"{__name__}:{name}")
    np.testing.assert_array_equal(decide(agent, turn), turn.masks.argmax(axis=1))


def test_checkpoint(
    tmp_path: Path, game: Game, make_policy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "policy", *make_policy(game))
    for name in (str(tmp_path / "policy"), "policy"):
        monkeypatch.chdir(tmp_path)
        agent = make(name, game)
        assert isinstance(agent, NeuralAgent)
        assert agent.name == name
    with pytest.raises(CheckpointError, match="no such file"):
        make(str(tmp_path / "other"), game)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("grandmaster", "unknown agent 'grandmaster'; allowed are random, heuristic, ppo, the folder of a checkpoint"),
        ("", "unknown agent ''"),
        ("no.such.module:factory", "No module named"),
        (f"{__name__}:no_factory", "no attribute 'no_factory'"),
        (f"{__name__}:make_nothing", "has no act"),
    ],
)
def test_unknown(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=reason):
        make(name, game)


@pytest.mark.parametrize("answer", [np.zeros(5, np.int64), np.zeros(6), np.int64(0), np.zeros((6, 1), np.int64)])
def test_wrong_answers(game: Game, make_turn: Callable[..., Turn], answer: Any) -> None:
    with pytest.raises(ValueError, match="agent odd must return integers of shape"):
        decide(PolicyAgent(lambda turn: answer, "odd"), make_turn(game))


def test_begin_is_optional(game: Game) -> None:
    told: list[np.ndarray] = []

    class Remembers(First):
        def reset(self, tables: np.ndarray) -> None:
            told.append(tables)

    begin(First(), np.arange(3))
    begin(PolicyAgent(First(), "named"), np.arange(3))
    begin(Remembers(), np.arange(3))
    begin(PolicyAgent(Remembers(), "named"), np.arange(2))
    assert [tables.tolist() for tables in told] == [[0, 1, 2], [0, 1]]
