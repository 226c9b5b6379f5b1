"""Command lines from dataclasses: a command's arguments are declared once."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

ArgsType = TypeVar("ArgsType")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, one_line(self.prog, message))


def argument(meaning: str, default: Any = dataclasses.MISSING, metavar: str | None = None) -> Any:
    """Declares an argument as a field of a dataclass.

    A field that is declared otherwise, with ``file_only`` in its metadata, is no argument of the command line.

    Args:
        meaning: One line for a person.
        default: Its value if it is not given; without one it must be given.
        metavar: How the help calls its value.
    """
    return dataclasses.field(default=default, metadata={"help": meaning, "metavar": metavar})


def make_parser(args_type: type[Any], prog: str) -> Parser:
    """Returns the parser of a dataclass of arguments: a field ``some_name`` is ``--some-name``.

    A bool is a flag with its ``--no-`` form, a tuple takes several words and may stand more than once. The parser sets
    only what is given.
    """
    description = (args_type.__doc__ or "").partition("\n")[0]
    parser = Parser(prog=prog, description=description, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    kinds = typing.get_type_hints(args_type)
    for field in dataclasses.fields(args_type):
        if field.metadata.get("file_only"):
            continue
        kind = kinds[field.name]
        required = field.default is dataclasses.MISSING
        shown = "" if required or field.default in (None, (), "") else f" (default {_words(field.default)})"
        rest: dict[str, Any] = {"dest": field.name, "help": field.metadata["help"] + shown, "required": required}
        if kind is bool:
            rest["action"] = argparse.BooleanOptionalAction
        else:
            parts = (kind, *typing.get_args(kind))
            rest |= {"type": next(part for part in (int, float, str) if part in parts)}
            rest["metavar"] = field.metadata["metavar"]
            if typing.get_origin(kind) is tuple:
                rest |= {"nargs": "+", "action": "extend"}
        parser.add_argument(f"--{field.name.replace('_', '-')}", **rest)
    return parser


def _words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def parse(
    args_type: type[ArgsType],
    prog: str,
    argv: Sequence[str] | None = None,
    read_defaults: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None,
) -> ArgsType:
    """Returns a command's arguments; wrong ones end the program with one line and status 2.

    Args:
        args_type: The dataclass; it raises ValueError for wrong values.
        prog: The command's name.
        argv: The words, default those of the process.
        read_defaults: Given the arguments, defaults filled in, it returns values that go before the defaults and
            after what the command line gives, as those of a file. It may raise ValueError.
    """
    parser = make_parser(args_type, prog)
    words = vars(parser.parse_args(argv))
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in words.items()}
    fields = dataclasses.fields(typing.cast(Any, args_type))
    defaults = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
    try:
        before = read_defaults({**defaults, **given}) if read_defaults is not None else {}
        return args_type(**{**before, **given})
    except ValueError as error:
        parser.error(str(error))


def fail(prog: str, error: Exception) -> int:
    """Prints an error as one line and returns the status 1."""
    sys.stderr.write(one_line(prog, " ".join([str(error), *getattr(error, "__notes__", [])])))
    return 1


def one_line(prog: str, message: str) -> str:
    return f"{prog}: error: {' '.join(message.split())}\n"
