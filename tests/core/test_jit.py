"""Compilation: the cache never gives old code, and nothing depends on being able to write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shadowenvs import jit
from shadowenvs.jit import cache_directory, direct, is_compiled, kernel, specialise

ROOT = Path(__file__).parents[2]
compiled_only = pytest.mark.skipif(not is_compiled(), reason="nothing is compiled under NUMBA_DISABLE_JIT=1")

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import mygame
from shadowenvs.jit import specialise

def total(number):
    return rule(number) + 1

total.__module__ = "mygame"
print(specialise(total, "mygame_v0", rule=mygame.rule)(5))
"""
GAME = """
from mynumbers import double
from shadowenvs.jit import kernel

@kernel
def rule(number):
    return double(number)
"""
NUMBERS = """
from shadowenvs.jit import kernel

@kernel
def double(number):
    return {factor} * number
"""


@kernel
def double(number: int) -> int:
    return 2 * number


@kernel
def triple(number: int) -> int:
    return 3 * number


def rule(number: int) -> int: ...  # type: ignore[empty-body]


def plus_one(number: int) -> int:
    return rule(number) + 1


def run(folder: Path, cache: Path) -> str:
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-W", "error", str(folder / "script.py"), str(folder)]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert output.returncode == 0, output.stderr
    return output.stdout.strip()


@pytest.fixture
def fresh_cache() -> object:
    """Forgets which cache directory was found before, and after."""
    cache_directory.cache_clear()
    yield
    cache_directory.cache_clear()


def test_an_edited_kernel_is_noticed(tmp_path: Path) -> None:
    """Even where it stands in another file than the function that is cached; NUMBA_CACHE_DIR is respected."""
    cache = tmp_path / "cache"
    (tmp_path / "mygame.py").write_text(GAME, encoding="utf-8")
    (tmp_path / "mynumbers.py").write_text(NUMBERS.format(factor=2), encoding="utf-8")
    assert run(tmp_path, cache) == "11"
    (first,) = cache.iterdir()
    assert list(first.rglob("*.nbi")) and list(first.rglob("*.nbc"))
    before = {path: path.stat().st_mtime_ns for path in first.rglob("*.nbc")}
    assert run(tmp_path, cache) == "11"
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")} == before  # loaded, not compiled
    (tmp_path / "mynumbers.py").write_text(NUMBERS.format(factor=3), encoding="utf-8")
    assert run(tmp_path, cache) == "16"
    assert len(list(cache.iterdir())) == 2


@pytest.mark.usefixtures("fresh_cache")
def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next place is taken, and with none the code is compiled all the same."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    directory = cache_directory(tmp_path)
    assert directory is not None and directory.parent == tmp_path / "home" / "shadowenvs"
    cache_directory.cache_clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    directory = cache_directory(tmp_path)
    assert directory is not None and directory.parent.name.startswith("shadowenvs-")
    cache_directory.cache_clear()
    monkeypatch.setattr(jit, "_cache_bases", lambda: [blocked / "cache"])
    assert cache_directory(tmp_path) is None
    assert specialise(plus_one, "nowhere", rule=double)(5) == 11


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.usefixtures("fresh_cache")
def test_a_read_only_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(home))
    directory = cache_directory(tmp_path)
    assert directory is not None and home not in directory.parents


@pytest.mark.usefixtures("fresh_cache")
def test_the_cache_is_keyed_by_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    game = tmp_path / "game"
    game.mkdir()
    found = []
    for text in ("a = 1\n", "a = 2\n", "a = 1\n"):
        (game / "rules.py").write_text(text, encoding="utf-8")
        found.append(cache_directory(game))
        cache_directory.cache_clear()
    assert found[0] == found[2] != found[1] and cache_directory() not in found
    cache_directory.cache_clear()
    monkeypatch.setattr(jit.config, "BOUNDSCHECK", 1 - (jit.config.BOUNDSCHECK or 0))
    assert cache_directory(game) != found[0]


@pytest.mark.usefixtures("fresh_cache")
def test_specialisations_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        functions = [specialise(plus_one, f"game_v{number}", rule=rule) for number, rule in enumerate((double, triple))]
        assert [function(5) for function in functions] == [11, 16]
        assert [function.__name__ for function in functions] == ["plus_one_game_v0", "plus_one_game_v1"]
    assert plus_one.__globals__["rule"] is rule


@compiled_only
def test_direct_calls() -> None:
    """The machine code for the types of the examples, whatever values follow."""
    function = direct(double, 1)
    assert [function(number) for number in (2, -3)] == [4, -6]
    array = np.zeros(3)
    assert jit.for_kernels(array) is array


def test_uncompiled_kernels_are_plain_functions() -> None:
    script = (
        "import types, shadowenvs.rng as rng, numpy as np; from shadowenvs.jit import is_compiled, direct\n"
        "assert isinstance(rng.mix, types.FunctionType) and not is_compiled() and direct(rng.mix, 1) is rng.mix\n"
        "print(int(rng.mix(np.uint64(2**64 - 1), 2**32 - 1, 2**32 - 1, 2**32 - 1)))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", script]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    from shadowenvs import rng

    last = 2**32 - 1
    assert int(output.stdout) == int(rng.mix(np.uint64(2**64 - 1), last, last, last))
