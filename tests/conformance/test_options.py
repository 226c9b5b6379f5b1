"""Options of every game: wrong ones are refused by name, value and bound, in every constructor alike."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import gymnasium
import pytest

from shadowenvs import get_game, make_batch
from shadowenvs.aec import TableEnv
from shadowenvs.game import Options
from shadowenvs.single import SeatEnv
from shadowenvs.vector import SeatVectorEnv
from tests.conformance.playing import cases, counts, option_sets
from tests.conftest import games


def described(name: str) -> list[tuple[str, Any]]:
    """Returns the name of each option and what is declared of it."""
    return [(field.name, field.metadata["option"]) for field in dataclasses.fields(get_game(name).options)]


def wrong_values() -> list[Any]:
    """Returns test parameters (game, option, wrong value, what the error must hold) for all declared bounds."""
    found = []
    for name in games():
        for option, declared in described(name):
            wrong: list[tuple[Any, list[str]]] = []
            if declared.kind in ("integer", "number"):
                if declared.low is not None:
                    wrong.append((declared.low - 1, [str(declared.low - 1), f"{declared.low:g}"]))
                if declared.high is not None:
                    wrong.append((declared.high + 1, [str(declared.high + 1), f"{declared.high:g}"]))
                wrong += [(True, ["True"]), ("many", ["'many'"]), ([3], ["[3]"])]
                if declared.kind == "integer":
                    wrong += [(3.0, ["3.0", "integer"])]
            elif declared.kind == "choice":
                wrong += [(value, [repr(value), *map(repr, declared.choices)]) for value in ("nonsense", 0, None)]
            elif declared.kind == "bool":
                wrong += [(value, [repr(value), "bool"]) for value in (0, 1, "False", None)]
            found += [pytest.param(name, option, *pair, id=f"{name}-{option}-{pair[0]}") for pair in wrong]
    return found


@pytest.mark.parametrize(("name", "option", "value", "words"), wrong_values())
def test_a_wrong_value_is_named(name: str, option: str, value: Any, words: list[str]) -> None:
    with pytest.raises(ValueError, match=option) as caught:
        get_game(name).options.make(**{option: value})
    assert all(word in str(caught.value) for word in words), str(caught.value)


def constructors() -> list[Callable[..., Any]]:
    return [
        lambda name, **options: make_batch(name, 1, **options),
        TableEnv,
        SeatEnv,
        lambda name, **options: SeatVectorEnv(2, game=name, **options),
        lambda name, **options: get_game(name).options.make(**options),
    ]


@pytest.mark.parametrize("name", games())
@pytest.mark.parametrize("make", constructors(), ids=["batch", "aec", "single", "vector", "options"])
def test_every_constructor_refuses(name: str, make: Callable[..., Any]) -> None:
    known = ", ".join(option for option, _ in described(name))
    with pytest.raises(ValueError, match=re.escape(f"unknown option 'colour'; the options are {known}")):
        make(name, colour="red")
    high = max(get_game(name).seats)
    with pytest.raises(ValueError, match=f"num_players must be between {min(get_game(name).seats)} and {high}, not 99"):
        make(name, num_players=99)
    with pytest.raises(ValueError, match="unknown reward 'money'; choose one of 'win_share', "):
        make(name, reward="money")


@pytest.mark.parametrize("name", games())
def test_defaults_of_every_game(name: str) -> None:
    game = get_game(name)
    options = game.options.make()
    assert issubclass(game.options, Options)
    assert options.as_dict()["reward"] == "win_share"
    assert options.num_players == (4 if 4 in game.seats else max(game.seats))
    assert list(game.seats) == list(range(min(game.seats), max(game.seats) + 1))
    rows = {row[0]: row for row in game.options.table()}
    assert list(rows) == [option for option, _ in described(name)]
    assert all(row[1] and row[2] and row[3] for row in rows.values())
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.num_players = 2


@pytest.mark.parametrize(("name", "label"), cases())
def test_options_survive_packing(name: str, label: str) -> None:
    """Those that a state holds, and all of them as a dict."""
    game = get_game(name)
    options = game.options.make(**option_sets(name)[label])
    held = set(game.state["options"].names)
    unpacked = game.options.unpack(options.pack())
    assert {key: unpacked.as_dict()[key] for key in held} == {key: options.as_dict()[key] for key in held}
    assert game.options.make(**options.as_dict()) == options


@pytest.mark.parametrize(("name", "n"), counts())
def test_environments_tell_their_options(name: str, n: int) -> None:
    options = get_game(name).options.make(num_players=n)
    env_id = f"shadowenvs/{name.title().replace('_', '')}-v{get_game(name).version}"
    for env in (TableEnv(name, n), SeatEnv(name, num_players=n), gymnasium.make(env_id, num_players=n).unwrapped):
        assert env.options == options and env.game is get_game(name)
