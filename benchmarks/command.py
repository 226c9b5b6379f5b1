"""Command lines from dataclasses: a command's arguments are declared once."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import typing
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

ArgsType = TypeVar("ArgsType")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")


def argument(meaning: str, default: Any = dataclasses.MISSING, metavar: str | None = None) -> Any:
    """Declares an argument as a field of a dataclass.

    Args:
        meaning: One line for a person.
        default: Its value if it is not given; without one it must be given.
        metavar: How the help calls its value.
    """
    return dataclasses.field(default=default, metadata={"help": meaning, "metavar": metavar})


def make_parser(args_type: type[Any], prog: str) -> Parser:
    """Returns the parser of a dataclass of arguments: a field ``some_name`` is ``--some-name``.

    A bool is a flag with its ``--no-`` form, a tuple takes several words and may stand more than once.
    """
    parser = Parser(prog=prog, description=(args_type.__doc__ or "").splitlines()[0], allow_abbrev=False)
    kinds = typing.get_type_hints(args_type)
    for field in dataclasses.fields(args_type):
        required = field.default is dataclasses.MISSING
        rest: dict[str, Any] = {"required": required, "help": field.metadata["help"], "dest": field.name}
        if not required:
            rest["default"] = field.default
            rest["help"] += "" if field.default in (None, ()) else f" (default {field.default})"
        kind = kinds[field.name]
        if kind is bool:
            rest["action"] = argparse.BooleanOptionalAction
        elif typing.get_origin(kind) is tuple:
            rest |= {"nargs": "+", "action": "extend", "default": None, "metavar": field.metadata["metavar"]}
        else:
            rest |= {"type": next(part for part in (int, float, str) if part in (kind, *typing.get_args(kind)))}
            rest["metavar"] = field.metadata["metavar"]
        parser.add_argument(f"--{field.name.replace('_', '-')}", **rest)
    return parser


def parse(args_type: type[ArgsType], prog: str, argv: Sequence[str] | None = None) -> ArgsType:
    """Returns a command's arguments; wrong ones end the program with one line and status 2."""
    parser = make_parser(args_type, prog)
    given = vars(parser.parse_args(argv))
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    fields = {field.name: field for field in dataclasses.fields(typing.cast(Any, args_type))}
    try:
        return args_type(**{name: fields[name].default if value is None else value for name, value in values.items()})
    except ValueError as error:
        parser.error(str(error))


def fail(prog: str, error: Exception) -> int:
    """Prints an error as one line and returns the status 1."""
    line = " ".join(" ".join([str(error), *getattr(error, "__notes__", [])]).split())
    print(f"{prog}: error: {line}", file=sys.stderr)
    return 1
