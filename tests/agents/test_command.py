"""Command lines from dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from agents.command import argument, fail, make_parser, parse


@dataclasses.dataclass(frozen=True)
class Args:
    """Does something.

    This is not for the help.
    """

    name: str = argument("who")
    rate: float = argument("how fast", 0.5, "R")
    loud: bool = argument("whether one hears it", False)
    num_sizes: tuple[int, ...] = argument("how large", (3, 4), "SIZE")
    file: str | None = argument("where", None)
    more: dict[str, Any] = dataclasses.field(default_factory=dict, metadata={"file_only": True})

    def __post_init__(self) -> None:
        if self.rate < 0:
            raise ValueError(f"rate must be\nat least 0, not {self.rate}")


def test_defaults() -> None:
    assert parse(Args, "it", ["--name", "x"]) == Args("x", 0.5, False, (3, 4), None, {})


def test_all() -> None:
    words = ["--name", "x", "--rate", "2", "--loud", "--num-sizes", "1", "2", "--num-sizes", "5", "--file", "f"]
    assert parse(Args, "it", words) == Args("x", 2.0, True, (1, 2, 5), "f")
    assert not parse(Args, "it", [*words, "--no-loud"]).loud


def test_file_goes_between_defaults_and_command_line() -> None:
    seen: list[dict[str, Any]] = []

    def read(given: dict[str, Any]) -> Mapping[str, Any]:
        seen.append(given)
        return {"rate": 7.0, "num_sizes": (9,), "loud": True, "more": {"key": 1}}

    args = parse(Args, "it", ["--name", "x", "--num-sizes", "1", "--no-loud"], read)
    assert args == Args("x", 7.0, False, (1,), None, {"key": 1})
    assert seen == [{"name": "x", "rate": 0.5, "loud": False, "num_sizes": (1,), "file": None}]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "the following arguments are required: --name"),
        (["--name", "x", "--rate", "fast"], "argument --rate: invalid float value: 'fast'"),
        (["--name", "x", "--rate", "-1"], "rate must be at least 0, not -1.0"),
        (["--name", "x", "--num-sizes"], "argument --num-sizes: expected at least one argument"),
        (["--name", "x", "--more", "y"], "unrecognized arguments: --more y"),
        (["--nam", "x"], "the following arguments are required: --name"),
        (["--name", "bad file"], "bad file: unknown key"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], words: list[str], reason: str) -> None:
    def read(given: dict[str, Any]) -> Mapping[str, Any]:
        if given["name"] == "bad file":
            raise ValueError("bad file: unknown key")
        return {}

    with pytest.raises(SystemExit) as stop:
        parse(Args, "it", words, read)
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"it: error: {reason}\n"


def test_help() -> None:
    text = make_parser(Args, "it").format_help()
    assert "Does something." in text
    assert "not for the help" not in text
    assert "how large (default 3 4)" in text
    assert "--more" not in text


def test_fail(capsys: pytest.CaptureFixture[str]) -> None:
    error = ValueError("two\nlines")
    error.add_note("(and a note)")
    assert fail("it", error) == 1
    assert capsys.readouterr().err == "it: error: two lines (and a note)\n"
