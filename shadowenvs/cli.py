"""The command ``shadowenvs``: list the games, show what one is made of, play one in the terminal.

:func:`play` is the loop of a game between a person and other decision makers, for any game and any of them. All that
the person reads comes from the rendering for the person's seat, from the legal moves, and from final results.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from shadowenvs import GAMES, get_game
from shadowenvs.batch import Batch
from shadowenvs.errors import IllegalActionError
from shadowenvs.game import Game
from shadowenvs.notation import parse_option
from shadowenvs.turn import Turn

PLAYERS: Mapping[str, Callable[[], Any]] = {
    "random": lambda: Turn.random_actions,
    "heuristic": lambda: Turn.heuristic_actions,
}
"""Opponents by name. A factory returns a policy, or an object with ``act(turn)`` and perhaps ``reset(tables)``."""

WIDTH = 100  # columns

FINISHED, MISTAKE = 0, 2
UNFINISHED = 1

_HELP = """\
Type the number of a move, its words, or any part of its words that fits no other move.
  hand    show the table and your moves again
  help    show this
  quit    leave the game"""


# ------------------------------------------------------------------------------------------------------------- play


def play(
    game: Game,
    opponents: Sequence[Any],
    seat: int,
    seed: int,
    options: Mapping[str, Any],
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> int:
    """Lets a person play one game.

    Args:
        game: The game.
        opponents: For each other seat, clockwise from the person: a policy, or an object with ``act(turn)``.
        seat: The person's seat.
        seed: Of the deal and of the opponents' choices.
        options: Options of the game by name.
        read: Shows a prompt and returns a line; may raise EOFError or KeyboardInterrupt.
        write: Shows a piece of text.

    Returns:
        0 if the game was finished or the person quit, 1 if the input ended first.

    Raises:
        ValueError: An argument is not allowed, or an opponent chose what it must not.
    """
    session = _Session(game, opponents, seat, seed, options, read, write)
    try:
        return session.run()
    except (EOFError, KeyboardInterrupt):
        write("\nThe input has ended; the game stays unfinished.")
        return UNFINISHED


class _Session:
    """One game between a person and opponents."""

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Any],
        seat: int,
        seed: int,
        options: Mapping[str, Any],
        read: Callable[[str], str],
        write: Callable[[str], None],
    ) -> None:
        self.game, self.seat, self.read, self.write = game, seat, read, write
        self.batch = Batch(game, 1, autoreset=False, **options)
        num = self.batch.num_players
        if not 0 <= seat < num:
            raise ValueError(f"seat must be between 0 and {num - 1}, not {seat}")
        if len(opponents) != num - 1:
            raise ValueError(f"{num} players need {num - 1} opponents, not {len(opponents)}")
        seed &= 0xFFFFFFFFFFFFFFFF
        self.opponents = {(seat + 1 + place) % num: opponent for place, opponent in enumerate(opponents)}
        self.generators = {other: np.random.default_rng([seed, other]) for other in self.opponents}
        self.batch.reset(seed)
        self.seen = self.table()
        self.shown = ""

    def run(self) -> int:
        for opponent in self.opponents.values():
            if hasattr(opponent, "reset"):
                opponent.reset(np.zeros(1, np.int64))
        self.show()
        while not self.batch.dones[0]:
            mover = int(self.batch.seats[0])
            if mover == self.seat:
                action = self.ask()
                if action is None:
                    self.write("You leave the game unfinished.")
                    return FINISHED
                self.batch.step(np.array([action]))
                self.tell(f"you: {self.words(action)}", always=True)
            else:
                self.move(mover)
                self.tell(f"seat {mover}:")
        self.show()
        self.write(self.result())
        return FINISHED

    def table(self) -> str:
        """Returns the table as the person may see it."""
        return self.game.render(self.batch.options, self.batch.get_states(), self.seat).strip("\n")

    def words(self, action: int) -> str:
        return self.game.format_action(self.batch.options, action)

    def show(self) -> None:
        """Writes the whole table, unless it is what was written last."""
        if self.seen != self.shown:
            self.write(f"\n{self.seen}\n")
        self.shown = self.seen

    def tell(self, who: str, always: bool = False) -> None:
        """Writes what an action changed for the person; of an action that changed nothing visible there is no word.

        Which of the actions are public differs from game to game, and an action's words would give a secret one away.
        What the person may see before and after it cannot.
        """
        before, self.seen = self.seen, self.table()
        news = changed_lines(before, self.seen)
        if news or always:
            self.write("\n".join([who, *(f"    {line.strip()}" for line in news)]))

    def move(self, mover: int) -> None:
        """Carries out an opponent's choice."""
        opponent = self.opponents[mover]
        turn = self.batch.turn(self.generators[mover])
        actions = np.asarray(opponent.act(turn) if hasattr(opponent, "act") else opponent(turn))
        try:
            self.batch.step(actions)
        except IllegalActionError as error:
            # Not the error's own words: they list what that seat could do.
            raise ValueError(f"the opponent at seat {mover} chose {error.action}, which is not legal") from None
        except ValueError as error:
            raise ValueError(f"the opponent at seat {mover} chose nothing usable: {error}") from None

    def ask(self) -> int | None:
        """Returns the person's choice, None to quit."""
        legal = np.flatnonzero(self.batch.masks[0]).tolist()
        self.show()
        self.list_moves(legal)
        while True:
            line = self.read(f"Your move (1 to {len(legal)}, words, hand, help, quit): ").strip()
            command = line.lower()
            if command == "quit":
                return None
            if command == "help":
                self.write(_HELP)
            elif command == "hand":
                self.write(f"\n{self.seen}\n")
                self.list_moves(legal)
            else:
                answer = self.understand(line, legal)
                if isinstance(answer, int):
                    return answer
                self.write(answer)

    def list_moves(self, legal: Sequence[int]) -> None:
        self.write("Your moves:")
        items = [f"{number:3} {self.words(action)}" for number, action in enumerate(legal, start=1)]
        self.write("\n".join(in_columns(items)))

    def understand(self, line: str, legal: Sequence[int]) -> int | str:
        """Returns the legal action that a line means, or what to answer."""
        quoted = repr(line if len(line) <= 40 else line[:37] + "...")
        wanted = f"type a number from 1 to {len(legal)}, or the words of a move; help tells more"
        if not line:
            return f"Please {wanted}."
        if re.fullmatch(r"[+-]?[0-9]+", line):
            number = int(line) if len(line) < 9 else 0
            return legal[number - 1] if 1 <= number <= len(legal) else f"There is no move {quoted}; {wanted}."
        found = matches(line, {action: self.words(action) for action in legal})
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(self.words(action) for action in found[:8]) + (", ..." if len(found) > 8 else "")
            return f"{quoted} can mean: {some}. Please type more of it."
        others = matches(line, {action: self.words(action) for action in range(self.game.num_actions)})
        if others:
            meant = f"{self.words(others[0])!r} is" if len(others) == 1 else f"{quoted} is"
            return f"{meant} not allowed now; {wanted}."
        return f"{quoted} is not understood; {wanted}."

    def result(self) -> str:
        """Returns the end of the game in words."""
        names = [
            f"seat {other} (you)" if other == self.seat else f"seat {other}" for other in range(self.batch.num_players)
        ]
        winners = int(self.batch.get_states()["winners"][0])
        won = [name for other, name in enumerate(names) if winners >> other & 1]
        points = ", ".join(f"{name} {int(value)}" for name, value in zip(names, self.batch.points[0], strict=True))
        return f"Winner: {' and '.join(won) or 'nobody'}\nPoints: {points}"


def changed_lines(before: str, after: str) -> list[str]:
    """Returns the lines that are new in a text; those in which more than numbers is new, if there are any."""

    def spaced(line: str) -> str:
        return " ".join(line.split())

    def shape(line: str) -> str:
        return re.sub(r"[0-9]+", "0", spaced(line))

    old, new = ({spaced(line) for line in text.splitlines()} for text in (before, after))
    lines = [line for line in after.splitlines() if spaced(line) not in old]
    gone = {shape(line) for line in old - new}
    return [line for line in lines if shape(line) not in gone] or lines


def matches(line: str, words: Mapping[int, str]) -> list[int]:
    """Returns the actions whose words a line can mean: those that it equals, else those whose words it picks some of in
    order, else those of which it begins some words in order.
    """
    typed = line.lower().split()
    targets = {action: text.lower().split() for action, text in words.items()}

    def picks(target: list[str], fits: Callable[[str, str], bool]) -> bool:
        rest = iter(target)
        return all(any(fits(word, part) for word in rest) for part in typed)

    for found in (
        [action for action, target in targets.items() if target == typed],
        [action for action, target in targets.items() if picks(target, str.__eq__)],
        [action for action, target in targets.items() if picks(target, str.startswith)],
    ):
        if found:
            return found
    return []


def in_columns(items: Sequence[str]) -> list[str]:
    """Returns lines of items side by side, read downwards."""
    width = max(map(len, items)) + 2
    num_lines = -(-len(items) // max(1, WIDTH // width))
    return ["".join(item.ljust(width) for item in items[line::num_lines]).rstrip() for line in range(num_lines)]


def make_player(name: str, players: Mapping[str, Callable[[], Any]] = PLAYERS) -> Any:
    """Returns an opponent by its name.

    Args:
        name: A key of ``players``, or ``module:factory``: what the factory returns when it is called without arguments.
        players: Factories by name.

    Raises:
        ValueError: There is no such opponent, or it cannot be made.
    """
    module, colon, attribute = name.partition(":")
    if name in players:
        factory = players[name]
    elif colon and module and attribute:
        folder = str(Path.cwd())
        if folder not in sys.path:
            sys.path.append(folder)  # an installed command does not look for modules where it is called
        try:
            factory = getattr(importlib.import_module(module), attribute)
        except Exception as error:  # whatever the module does
            raise ValueError(f"opponent {name!r} cannot be imported: {type(error).__name__}: {error}") from error
    else:
        raise ValueError(f"unknown opponent {name!r}; choose one of {', '.join(players)}, or module:factory")
    try:
        player = factory()
    except Exception as error:
        raise ValueError(f"opponent {name!r} cannot be made: {type(error).__name__}: {error}") from error
    if not (callable(player) or callable(getattr(player, "act", None))):
        raise ValueError(f"opponent {name!r} is no policy: it made {player!r}, which has no act(turn)")
    return player


# ------------------------------------------------------------------------------------------------------------- show


def describe(game: Game, markdown: bool = False) -> str:
    """Returns what a game is made of, as text or as Markdown: its sizes, options, actions and observation."""
    few = "few" if game.points_sign < 0 else "many"
    facts = [
        ("players", f"{min(game.seats)} to {max(game.seats)}"),
        ("version", str(game.version)),
        ("choices", "simultaneous" if game.simultaneous else "in turn"),
        ("points", f"{few} are good"),
        ("actions", f"{game.num_actions}, layout {game.actions.digest}"),
        ("observation", f"{game.observation.size} int8 values, layout {game.observation.digest}"),
        *([("alike", f"{game.alike.count} {game.alike.name}")] if game.alike else []),
    ]
    tables: list[tuple[str, tuple[str, ...], Iterable[tuple[str, ...]]]] = [
        ("Options", ("option", "values", "default", "meaning"), game.options.table()),
        ("Actions", ("kind", "numbers", "count", "meaning"), game.actions.table()),
        ("Observation", ("field", "place", "shape", "values", "meaning"), game.observation.table()),
    ]
    parts = [("# " if markdown else "") + f"{game.title} ({game.id})", game.summary.capitalize() + "."]
    parts.append("\n".join(format_table(("property", "value"), facts, markdown)))
    for title, head, rows in tables:
        parts.append(("## " if markdown else "") + title)
        parts.append("\n".join(format_table(head, rows, markdown)))
    return "\n\n".join(parts)


def format_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], markdown: bool) -> list[str]:
    """Returns the lines of an aligned table, as text or as Markdown."""
    cells = [head, *rows]
    if markdown:
        cells = [tuple(cell.replace("|", "\\|") for cell in line) for line in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, tuple((":" + "-" * (width - 1)) if markdown else "-" * width for width in widths))
    lines = []
    for line in cells:
        padded = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        lines.append(f"| {' | '.join(padded)} |" if markdown else "  ".join(padded).rstrip())
    return lines


# ---------------------------------------------------------------------------------------------------------- command


class _Parser(argparse.ArgumentParser):
    """Reports a mistake as every other one is reported."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see {self.prog} --help)")


def _parser(players: Mapping[str, Callable[[], Any]]) -> argparse.ArgumentParser:
    parser = _Parser(prog="shadowenvs", description="Card games as reinforcement-learning environments.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="list | show | play")
    commands.add_parser("list", help="list the games")
    show = commands.add_parser("show", help="show a game's options, actions and observation")
    show.add_argument("game", metavar="GAME", help="a name that 'list' prints")
    show.add_argument("--markdown", action="store_true", help="print Markdown")
    show.add_argument("--sheet", metavar="FILE", help="instead draw the game's pictures, as a PNG file")
    show.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the game, for --sheet"
    )
    command = commands.add_parser("play", help="play a game in the terminal")
    command.add_argument("game", metavar="GAME", help="a name that 'list' prints")
    command.add_argument("--seat", type=int, default=0, metavar="N", help="your seat, from 0 (default 0)")
    command.add_argument(
        "--opponent",
        action="append",
        metavar="NAME",
        help=f"{', '.join(players)}, or module:factory; one for each other seat clockwise, or fewer, which then take "
        "turns (default heuristic)",
    )
    command.add_argument("--seed", type=int, metavar="N", help="deal and choices of this number (default: any)")
    command.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the game, as num_players=3"
    )
    return parser


def parse_options(game: Game, settings: Iterable[str]) -> dict[str, Any]:
    """Returns options by name from texts like ``num_players=3``.

    Raises:
        ValueError: A text is no such setting, or the option is unknown or does not allow the value.
    """
    known = {field.name: field.metadata["option"] for field in dataclasses.fields(game.options)}
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--set takes option=value, not {setting!r}")
        if name not in known:
            raise ValueError(f"unknown option {name!r}; the options of {game.name} are {', '.join(known)}")
        options[name] = text if text in known[name].words else parse_option(name, known[name].kind, text)
    game.options.make(**options)
    return options


def _list() -> int:
    games = [get_game(name) for name in GAMES]
    rows = [(game.name, f"{min(game.seats)} to {max(game.seats)}", game.summary) for game in games]
    print("\n".join(format_table(("game", "players", "summary"), rows, markdown=False)))
    return FINISHED


def _show(arguments: argparse.Namespace) -> int:
    game = get_game(arguments.game)
    if arguments.sheet is None:
        if arguments.set:
            raise ValueError("--set goes with --sheet")
        print(describe(game, arguments.markdown))
        return FINISHED
    if game.draw_sheet is None:
        raise ValueError(f"{game.name} has no pictures to draw on a sheet")
    options = game.options.make(**parse_options(game, arguments.set))
    try:
        game.draw_sheet(options, arguments.sheet)
    except OSError as error:
        raise ValueError(f"cannot write {arguments.sheet}: {error.strerror}") from None
    return FINISHED


def _play(arguments: argparse.Namespace, players: Mapping[str, Callable[[], Any]]) -> int:
    game = get_game(arguments.game)
    options = parse_options(game, arguments.set)
    num = game.options.make(**options).num_players
    names = arguments.opponent or ["heuristic"]
    if len(names) >= num:
        raise ValueError(f"{len(names)} opponents do not fit: {num} players leave {num - 1} seats to others")
    if not 0 <= arguments.seat < num:
        raise ValueError(f"--seat must be between 0 and {num - 1}, not {arguments.seat}")
    names = [names[place % len(names)] for place in range(num - 1)]
    opponents = [make_player(name, players) for name in names]
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    others = ", ".join(f"seat {(arguments.seat + 1 + place) % num} {name}" for place, name in enumerate(names))
    print(f"{game.title}: you have seat {arguments.seat}, against {others}. The first game may take a while to begin.")
    code = play(game, opponents, arguments.seat, seed, options)
    print(f"The seed was {seed}.")
    return code


def main(argv: Sequence[str] | None = None, players: Mapping[str, Callable[[], Any]] = PLAYERS) -> int:
    """Runs the command.

    Args:
        argv: Its arguments, default those of the process.
        players: Factories of opponents by name.

    Returns:
        The exit code: 0; 1 if a game was left because the input ended, or nobody reads the output; 2 after a mistake.
    """
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # no encoding and no typed byte shall end a game
    try:
        arguments = _parser(players).parse_args(argv)
        if arguments.command == "list":
            code = _list()
        elif arguments.command == "show":
            code = _show(arguments)
        else:
            code = _play(arguments, players)
        sys.stdout.flush()
        return code
    except ValueError as error:
        print("shadowenvs: " + " ".join(str(error).split()), file=sys.stderr)
        return MISTAKE
    except SystemExit as stop:  # --help
        return int(stop.code or 0)
    except BrokenPipeError:
        # The reader has gone, as with ``| head``. Python's own flush at the end must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNFINISHED
