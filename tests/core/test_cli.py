"""The command: what it lists, shows and plays, and what it answers to nonsense."""

from __future__ import annotations

import builtins
import importlib
import io
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shadowenvs import GAMES, cli, get_game
from shadowenvs.turn import Turn
from tests.conftest import games

GAME = "shadow_cards"
SMALL = {"num_players": 3, "rounds": 1, "hand_size": 4}
MODULE = '''
class Last:
    """The last legal action."""

    def __init__(self):
        self.new_games = []

    def reset(self, tables):
        self.new_games.append(tables.tolist())

    def act(self, turn):
        assert self.new_games == [[0]]
        return turn.masks.shape[1] - 1 - turn.masks[:, ::-1].argmax(axis=1)

def first():
    return lambda turn: turn.masks.argmax(axis=1)

def broken():
    raise RuntimeError("no\\nluck")

number = 5
'''


class Talk:
    """A person who reads lines from a script, and all that was written to them."""

    def __init__(self, *lines: str | type[BaseException], then: str | type[BaseException] = EOFError) -> None:
        self.lines = iter(lines)
        self.then = then
        self.written: list[str] = []
        self.asked = 0

    def read(self, prompt: str) -> str:
        self.asked += 1
        self.written.append(prompt)
        line = next(self.lines, self.then)
        if isinstance(line, str):
            return line
        raise line

    @property
    def text(self) -> str:
        return "\n".join(self.written)

    def play(self, *, seat: int = 0, seed: int = 3, opponents: list[Any] | None = None, **options: Any) -> int:
        others = [Turn.heuristic_actions] * 2 if opponents is None else opponents
        chosen = options or SMALL
        return cli.play(get_game(GAME), others, seat, seed, chosen, read=self.read, write=self.written.append)


def answer(line: str) -> str:
    """Returns what is said to one line of a person, between two prompts."""
    talk = Talk(line, "quit")
    assert talk.play() == 0
    first, second = (place for place, text in enumerate(talk.written) if text.startswith("Your move ("))
    return "\n".join(talk.written[first + 1 : second])


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with opponents in the working folder."""
    (tmp_path / "opponents_of_test.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    importlib.invalidate_caches()
    yield "opponents_of_test"
    sys.modules.pop("opponents_of_test", None)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = cli.main(argv)
    shown = capsys.readouterr()
    return code, shown.out, shown.err


# ------------------------------------------------------------------------------------------------------ list and show


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[2:]] == list(GAMES)
    assert re.search(r"^shadow_cards +2 to 5 +trick-taking", out, re.MULTILINE)


def test_list_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "shadowenvs", "list"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("game ")
    assert done.stderr == ""


def test_nobody_reads_the_output() -> None:
    command = [sys.executable, "-m", "shadowenvs", "show", GAME]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


@pytest.mark.parametrize("name", games())
@pytest.mark.parametrize("markdown", [False, True])
def test_show_names_everything(capsys: pytest.CaptureFixture[str], name: str, markdown: bool) -> None:
    game = get_game(name)
    code, out, err = run(capsys, "show", name, *(["--markdown"] if markdown else []))
    assert (code, err) == (0, "")
    assert out.startswith(f"# {game.title}" if markdown else game.title)
    for digest in (game.actions.digest, game.observation.digest):
        assert digest in out
    if game.alike is not None:
        assert f"{game.alike.count} {game.alike.name}" in out
    lead = r"\| " if markdown else ""
    for rows in (game.options.table(), game.actions.table(), game.observation.table()):
        for row in rows:
            assert re.search(rf"^{lead}{row[0]} ", out, re.MULTILINE)
    if markdown:
        bars = [re.sub(r"\\\|", "", line).count("|") for line in out.splitlines() if line.startswith("|")]
        assert set(bars) == {3, 5, 6}


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "play", "--help")
    assert (code, err) == (0, "")
    assert "--opponent" in out


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        ([], "required"),
        (["dance"], "'dance'"),
        (["show"], "GAME"),
        (["show", "chess"], "unknown game 'chess'; the games are "),
        (["play", "chess"], "unknown game 'chess'"),
        (["play", GAME, "--seed", "x"], "--seed"),
        (["play", GAME, "--seat", "4"], "--seat must be between 0 and 3, not 4"),
        (["play", GAME, "--seat", "-1"], "--seat must be between 0 and 3, not -1"),
        (["play", GAME, "--set", "rounds"], "option=value, not 'rounds'"),
        (["play", GAME, "--set", "luck=3"], "unknown option 'luck'; the options of shadow_cards are num_players, "),
        (["play", GAME, "--set", "rounds=many"], "rounds must be a number, not 'many'"),
        (["play", GAME, "--set", "rounds=99"], "rounds must be between 1 and 12, not 99"),
        (["play", GAME, "--set", "floor_penalty=maybe"], "floor_penalty must be True or False"),
        (["play", GAME, "--set", "most_tie=some"], "unknown most_tie 'some'; choose one of 'all', "),
        (["play", GAME, "--opponent", "nobody"], "unknown opponent 'nobody'; choose one of random, heuristic, or "),
        (["play", GAME, "--opponent", ":x"], "unknown opponent ':x'"),
        (["play", GAME, "--opponent", "no_such_module:x"], "'no_such_module:x' cannot be imported: ModuleNotFound"),
        (["play", GAME, "--opponent", "os:no_such_name"], "cannot be imported: AttributeError"),
        (["play", GAME, "--opponent", "builtins:dict"], "is no policy: it made {}"),
        (["play", GAME, *["--opponent", "random"] * 4], "4 opponents do not fit: 4 players leave 3 seats"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], argv: list[str], reason: str) -> None:
    code, out, err = run(capsys, *argv)
    assert (code, out) == (2, "")
    assert err.startswith("shadowenvs: ")
    assert err.count("\n") == 1
    assert reason in err


def test_a_factory_that_breaks(capsys: pytest.CaptureFixture[str], module: str) -> None:
    code, _, err = run(capsys, "play", GAME, "--opponent", f"{module}:broken")
    assert code == 2
    assert err == f"shadowenvs: opponent '{module}:broken' cannot be made: RuntimeError: no luck\n"
    code, _, err = run(capsys, "play", GAME, "--opponent", f"{module}:number")
    assert code == 2
    assert "cannot be made: TypeError" in err


# --------------------------------------------------------------------------------------------------------------- play


@pytest.mark.parametrize("name", games())
def test_every_game_can_be_played_to_its_end(name: str) -> None:
    game = get_game(name)
    num = min(game.seats)
    talk = Talk(then="1")
    opponents = [Turn.random_actions] * (num - 1)
    code = cli.play(game, opponents, num - 1, 5, {"num_players": num}, read=talk.read, write=talk.written.append)
    assert code == 0
    assert talk.asked > 0
    assert re.search(r"^Winner: .+\nPoints: seat 0 -?\d+, ", talk.written[-1])


def test_the_same_seed_gives_the_same_game() -> None:
    talks = [Talk(then="1") for _ in range(3)]
    for talk, seed in zip(talks, (3, 3, -4), strict=True):
        assert talk.play(seed=seed, opponents=[Turn.random_actions] * 2) == 0
    assert talks[0].text == talks[1].text != talks[2].text


def test_a_whole_game_by_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 50))
    settings = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    opponents = ["--opponent", f"{module}:Last", "--opponent", f"{module}:first"]
    code, out, err = run(capsys, "play", GAME, "--seat", "2", "--seed", "8", *opponents, *settings)
    assert (code, err) == (0, "")
    assert f"you have seat 2, against seat 0 {module}:Last, seat 1 {module}:first." in out
    assert out.endswith("The seed was 8.\n")
    assert "Winner: " in out


def test_opponents_by_name_are_an_argument(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    players = {"wise": lambda: Turn.heuristic_actions}
    assert cli.main(["play", GAME, "--opponent", "wise", "--seat", "3"], players) == 0
    assert "seat 0 wise, seat 1 wise, seat 2 wise" in capsys.readouterr().out
    assert cli.main(["play", GAME, "--opponent", "random"], players) == 2
    assert "choose one of wise, or module:factory" in capsys.readouterr().err


def test_words_of_options_and_seeds_at_random(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ["--set", "most_tie=none", "--set", "floor_penalty=True", "--set", "num_players=2"]
    seeds = []
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
        code, out, _ = run(capsys, "play", GAME, *settings)
        assert code == 0
        seeds.append(out.splitlines()[-1])
    assert seeds[0] != seeds[1]


@pytest.mark.parametrize("line", ["", "   ", "\t"])
def test_an_empty_line(line: str) -> None:
    assert answer(line) == "Please type a number from 1 to 3, or the words of a move; help tells more."


@pytest.mark.parametrize("line", ["0", "5", "-1", "+7", "99999999999999999999999", "9" * 5000])
def test_a_number_out_of_range(line: str) -> None:
    assert answer(line).startswith("There is no move '")
    assert len(answer(line)) < 150


@pytest.mark.parametrize(
    "line", ["xyzzy", "play", "1.5", "1 2", "²", "R4; quit", "\x00", "\x1b[31m", "é" * 3000, "\udcff"]
)
def test_unknown_words(line: str) -> None:
    said = answer(line)
    assert "is not understood" in said or "not allowed now" in said
    assert said.isprintable()
    assert len(said) < 150


def test_a_known_move_that_is_not_legal() -> None:
    assert answer("play r4").startswith("'play R4' is not allowed now; type a number")
    assert answer("claim B14").startswith("'claim B14' is not allowed now")


def test_an_ambiguous_word() -> None:
    assert re.match(r"'predict' can mean: predict .*, predict .*\. Please type more of it\.", answer("predict"))


def test_help_and_hand() -> None:
    assert "quit    leave the game" in answer("HELP")
    assert "Your hand:" in answer(" hand ")
    assert "Your moves:" in answer("hand")


def first_moves(*lines: str) -> list[str]:
    """Returns what a person did who typed lines and then quit."""
    talk = Talk(*lines, "quit")
    assert talk.play() == 0
    return re.findall(r"^you: (.*)$", talk.text, re.MULTILINE)


def test_a_move_by_number_words_or_part_of_them() -> None:
    (by_number,) = first_moves("2")
    _, card = by_number.split()
    for line in (by_number, by_number.upper(), f"  {by_number}  ", card, card.lower(), f"pre {card}", "2", "+2"):
        assert first_moves(line) == [by_number]


def test_quit_says_goodbye() -> None:
    talk = Talk("Quit")
    assert talk.play() == 0
    assert talk.written[-1] == "You leave the game unfinished."


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_the_input_ends(error: type[BaseException]) -> None:
    talk = Talk("1", error)
    assert talk.play() == 1
    assert talk.written[-1] == "\nThe input has ended; the game stays unfinished."


def test_the_input_ends_by_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    code, out, err = run(capsys, "play", GAME)
    assert (code, err) == (1, "")
    assert "The input has ended" in out


def test_bytes_that_are_no_text() -> None:
    command = [sys.executable, "-m", "shadowenvs", "play", GAME, "--seed", "1"]
    done = subprocess.run(command, input=b"\xff\xfe\xc3\nquit\n", capture_output=True, check=True)
    assert b"is not understood" in done.stdout
    assert done.stderr == b""


def test_interrupted_while_an_opponent_thinks() -> None:
    def stuck(_: Turn) -> np.ndarray:
        raise KeyboardInterrupt

    talk = Talk(then="1")
    assert talk.play(opponents=[stuck, stuck]) == 1
    assert talk.written[-1].endswith("the game stays unfinished.")


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (lambda turn: np.array([179]), r"the opponent at seat \d chose 179, which is not legal$"),
        (lambda turn: np.array([1, 2]), r"the opponent at seat \d chose nothing usable: actions must be integers"),
        (lambda turn: np.array([0.5]), r"chose nothing usable"),
        (lambda turn: None, r"chose nothing usable"),
    ],
)
def test_an_opponent_that_errs(policy: Callable[[Turn], Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Talk(then="1").play(opponents=[policy, policy])


def test_wrong_arguments_of_play() -> None:
    with pytest.raises(ValueError, match="3 players need 2 opponents, not 1"):
        Talk().play(opponents=[Turn.random_actions])
    with pytest.raises(ValueError, match="seat must be between 0 and 2, not 3"):
        Talk().play(seat=3)


# --------------------------------------------------------------------------------------------------------------- news


@pytest.mark.parametrize("seat", range(3))
def test_what_opponents_do_is_told_as_far_as_it_is_public(seat: int) -> None:
    """Cards set aside stay secret, played and claimed ones are told."""
    talk = Talk(then="1")
    done: list[tuple[str, str]] = []

    def watched(turn: Turn) -> np.ndarray:
        actions = turn.heuristic_actions()
        words = turn.game.format_action(turn.options, int(actions[0]))
        done.append((words, talk.text))
        return actions

    assert talk.play(seat=seat, opponents=[watched, watched]) == 0
    end = talk.text.index("Phase end")
    assert len(done) >= 8
    for number, (words, before) in enumerate(done):
        kind, card = words.split()
        after = done[number + 1][1] if number + 1 < len(done) else talk.text
        told = talk.text[len(before) : min(len(after), end)]
        shown = re.search(rf"\b{card}\b", told) is not None
        if kind == "predict":
            assert not re.search(rf"\b{card}\b", talk.text[:end])
        elif kind == "play":
            assert shown


def test_news_are_a_function_of_what_may_be_seen() -> None:
    assert cli.changed_lines("a 1\n\nb", "a 1\n\nb") == []
    assert cli.changed_lines("a 1\nb  2", "a 1\nb 2") == []  # moved columns are no news
    assert cli.changed_lines("a 1\nb 2", "a 1\nb 3") == ["b 3"]
    assert cli.changed_lines("turn 1\nb 2", "turn 2\nb 2 3") == ["b 2 3"]  # mere counters give way
    assert cli.changed_lines("turn 1\nb -", "turn 2\nb -\n  c") == ["  c"]


def test_moves_stand_in_columns() -> None:
    lines = cli.in_columns([f"{number:3} play R{number}" for number in range(1, 31)])
    assert max(map(len, lines)) <= cli.WIDTH
    assert lines[0].split()[:3] == ["1", "play", "R1"]
    assert " ".join(lines).count("play") == 30
    assert cli.in_columns(["x" * 300]) == ["x" * 300]


def test_matches_prefers_whole_words() -> None:
    words = {1: "play R1", 2: "play R10", 3: "claim R1"}
    assert cli.matches("r1", words) == [1, 3]
    assert cli.matches("play r1", words) == [1]
    assert cli.matches("pl r1", words) == [1, 2]
    assert cli.matches("r10", words) == [2]
    assert cli.matches("c", words) == [3]
    assert cli.matches("r1 play", words) == []


def test_only_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "print", lambda *_: pytest.fail("play printed"))
    assert Talk("1", "quit").play() == 0


def test_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A game with pictures draws them; others, and places that cannot be written, are told in one line."""
    with_pictures = [name for name in GAMES if get_game(name).draw_sheet is not None]
    without = [name for name in GAMES if get_game(name).draw_sheet is None]
    for name in with_pictures:
        path = tmp_path / f"{name}.png"
        assert cli.main(["show", name, "--sheet", str(path)]) == 0 and capsys.readouterr().out == ""
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert cli.main(["show", name, "--sheet", str(tmp_path / "no" / "sheet.png")]) == 2
        assert "cannot write" in capsys.readouterr().err
    assert cli.main(["show", without[0], "--sheet", str(tmp_path / "x.png")]) == 2
    assert capsys.readouterr().err == f"shadowenvs: {without[0]} has no pictures to draw on a sheet\n"
    assert cli.main(["show", without[0], "--set", "num_players=3"]) == 2
    assert capsys.readouterr().err == "shadowenvs: --set goes with --sheet\n"
