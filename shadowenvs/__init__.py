"""Four card games as reinforcement-learning environments.

``from shadowenvs import shadow_cards_v0`` gives a PettingZoo module with ``env``, ``raw_env`` and ``parallel_env``.
Importing this package registers every environment with Gymnasium and PettingZoo and compiles nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shadowenvs.errors import IllegalActionError

if TYPE_CHECKING:
    from shadowenvs.batch import Batch
    from shadowenvs.game import Game

__version__ = "0.1.0"

GAMES = ("shadow_cards",)
"""Names of the games; each is a folder in :mod:`shadowenvs.games`."""

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
