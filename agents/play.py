"""The command ``python -m agents.play``: ``shadowenvs play`` with all agents as opponents.

``python -m agents.play GAME --opponent ppo``: an opponent may be anything that :func:`agents.registry.make`
knows, also the folder of a checkpoint.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from typing import Any

from agents.base import Agent
from agents.registry import BUILT_IN, make
from shadowenvs import cli, get_game


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    # The command of the library parses them all; here it is only seen which opponents it will ask for.
    scan = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    scan.add_argument("game", nargs="?")
    scan.add_argument("--opponent", action="append", default=[])
    try:
        seen, _ = scan.parse_known_args(words)
    except argparse.ArgumentError:
        seen = argparse.Namespace(game=None, opponent=[])
    players: dict[str, Any] = {name: functools.partial(make_opponent, seen.game, name) for name in BUILT_IN}
    players |= {name: functools.partial(make_opponent, seen.game, name) for name in seen.opponent}
    return cli.main(["play", *words], players)


def make_opponent(game: str, name: str) -> Agent:
    return make(name, get_game(game))


if __name__ == "__main__":
    sys.exit(main())
