"""The package as a whole: what it exports, what importing it costs, which way its imports run, its version."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import shadowenvs
from shadowenvs.version import __version__
from tests.conftest import games

ROOT = Path(__file__).parents[2]
CORE = {"jit", "rng", "bits", "cards", "seats", "game", "layout", "notation", "drawing", "errors", "version"}
SHELLS = {"aec", "learner", "single", "vector", "sb3", "batch", "turn"}


def imported(path: Path) -> set[str]:
    """Returns the modules that a file imports, those for type checkers alone left out."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        waiting += ast.iter_child_nodes(node)
    return found


def test_imports_run_one_way() -> None:
    """games -> core; batch and turn -> core; the shells -> batch; agents -> shadowenvs; training -> agents."""
    for folder, forbidden in (
        ("shadowenvs", {"agents", "training", "benchmarks", "tests"}),
        ("agents", {"training", "benchmarks", "tests"}),
        ("training", {"benchmarks", "tests"}),
        ("benchmarks", {"tests"}),
    ):
        for path in (ROOT / folder).rglob("*.py"):
            assert not {name.partition(".")[0] for name in imported(path)} & forbidden, path
    for path in (ROOT / "shadowenvs" / "games").rglob("*.py"):
        own = f"shadowenvs.games.{path.parent.name}"
        for name in imported(path):
            inside = name.split(".")
            allowed = inside[0] != "shadowenvs" or name.startswith(own) or inside[1:2] == [] or inside[1] in CORE
            assert allowed or name == "shadowenvs.games", f"{path}: {name}"
    for path in (ROOT / "shadowenvs").glob("*.py"):
        shells = {name.split(".")[1] for name in imported(path) if name.startswith("shadowenvs.")} & SHELLS
        if path.stem in CORE:
            assert not shells, path
        if path.stem == "batch":
            assert shells <= {"turn"}, path


def loaded(statement: str) -> set[str]:
    """Returns the names of packages that a statement loads in a new process."""
    script = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", script]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert output.returncode == 0, output.stderr
    return set(output.stdout.split())


COMPILER = {"numba", "llvmlite", "scipy"}
HEAVY = {*COMPILER, "torch", "pygame", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard"}


def test_importing_is_light() -> None:
    names = ", ".join(f"{name}_v{version}" for name, version in shadowenvs.GAMES.items())
    assert not loaded("import shadowenvs; dir(shadowenvs)") & HEAVY
    assert not loaded(f"from shadowenvs import {names}") & (HEAVY - COMPILER)


def test_public_names() -> None:
    assert shadowenvs.__all__ == ["GAMES", "IllegalActionError", "__version__", "get_game", "make_batch"]
    assert all(hasattr(shadowenvs, name) for name in shadowenvs.__all__)
    for name in games():
        game_id = f"{name}_v{shadowenvs.GAMES[name]}"
        module = getattr(shadowenvs, game_id)
        assert game_id in dir(shadowenvs) and module.__all__ == ["env", "parallel_env", "raw_env"]
        assert sys.modules[f"shadowenvs.{game_id}"] is module
        assert shadowenvs.get_game(name).id == game_id
    for name in ("chess_v0", "nothing"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(shadowenvs, name)


def test_games_are_folders_of_equal_files() -> None:
    folders = sorted(path.parent.name for path in (ROOT / "shadowenvs" / "games").glob("*/__init__.py"))
    assert set(games()) <= set(folders)
    for name in games():
        folder = ROOT / "shadowenvs" / "games" / name
        for file in ("spec", "rules", "scoring", "observation", "belief", "heuristic", "notation", "render"):
            assert (folder / f"{file}.py").is_file(), f"{name} has no {file}.py"


def test_the_version_is_the_newest_entry() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if "version" in project["project"]:
        assert project["project"]["version"] == __version__
    else:
        assert "version" in project["project"]["dynamic"]
        assert project["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "shadowenvs.version.__version__"
    newest = re.search(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None and newest[1] == __version__ == shadowenvs.__version__
