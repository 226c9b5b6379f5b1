"""Four card games as reinforcement-learning environments.

``from shadowenvs import shadow_cards_v0`` gives a PettingZoo module with ``env``, ``raw_env`` and ``parallel_env``.
Importing this package registers every environment with Gymnasium and PettingZoo and compiles nothing.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from shadowenvs.errors import IllegalActionError
from shadowenvs.version import __version__

if TYPE_CHECKING:
    from shadowenvs.batch import Batch
    from shadowenvs.game import Game


GAMES = {"shadow_cards": 0, "chasing_shadows": 0, "shadow_games": 0, "shadow_master": 0}
"""Names of the games, each a folder in :mod:`shadowenvs.games`, and their versions."""

__all__ = ["GAMES", "IllegalActionError", "__version__", "get_game", "make_batch"]


def get_game(name: str) -> Game:
    """Returns a game by its name, as ``"shadow_cards"``.

    Raises:
        ValueError: There is no such game.
    """
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; the games are {', '.join(GAMES)}")
    game: Game = importlib.import_module(f"shadowenvs.games.{name}").GAME
    return game


def make_batch(name: str, num_tables: int, **arguments: Any) -> Batch:
    """Returns a batch of tables of a game.

    Args:
        name: The game's name.
        num_tables: B.
        **arguments: ``num_threads``, ``illegal_actions``, ``autoreset`` of :class:`shadowenvs.batch.Batch`, and options
            of the game.

    Raises:
        ValueError: The game is unknown, or an argument is not allowed.
    """
    from shadowenvs.batch import Batch

    return Batch(get_game(name), num_tables, **arguments)


def __getattr__(name: str) -> Any:
    game, _, version = name.rpartition("_v")
    if game not in GAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if version != str(GAMES[game]):
        raise AttributeError(f"{game} has version {GAMES[game]}; import {game}_v{GAMES[game]}")
    from shadowenvs.aec import make_module

    module = make_module(game, name)
    sys.modules[f"{__name__}.{name}"] = module
    globals()[name] = module
    return module


def __dir__() -> list[str]:
    return sorted([*globals(), *(f"{name}_v{version}" for name, version in GAMES.items())])


def _register() -> None:
    """Makes every game known to the registries of Gymnasium and PettingZoo."""
    for name, version in GAMES.items():
        title = "".join(word.capitalize() for word in name.split("_"))
        gymnasium.register(
            f"{__name__}/{title}-v{version}",
            entry_point="shadowenvs.single:SeatEnv",
            vector_entry_point="shadowenvs.vector:SeatVectorEnv",
            disable_env_checker=True,
            order_enforce=False,
            kwargs={"game": name},
        )
        pettingzoo.register(
            "aec", f"{__name__}/{name}_v{version}", entry_point="shadowenvs.aec:TableEnv", kwargs={"game": name}
        )
        pettingzoo.register(
            "parallel",
            f"{__name__}/{name}_v{version}",
            entry_point="shadowenvs.aec:make_parallel",
            kwargs={"game": name},
        )


_register()
