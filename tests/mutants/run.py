"""Breaks the rules one clause at a time and shows that a test citing the clause notices.

Usage: python tests/mutants/run.py [game ...] [--rule ID] [--jobs N]

``tests/mutants/<game>.toml`` lists the breaks. Each one is made in a copy of the package in a temporary folder, where
the tests that cite its clause are run uncompiled. The exit status is 1 if a break goes unnoticed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = ("shadowenvs", "tests", "docs", "pyproject.toml")
SECONDS = 600  # after which the tests of one clause count as hanging

KILLED, SURVIVED, NO_TEST, BROKEN, HANGING = "KILLED", "SURVIVED", "NO TEST", "BROKEN", "HANGING"


@dataclass(frozen=True)
class Mutant:
    """A break: one piece of text of a file, replaced by another."""

    clause: str
    file: str
    old: str
    new: str

    def fits(self, root: Path) -> bool:
        """Whether the old text stands in the file exactly once."""
        path = root / self.file
        return self.old != self.new and path.is_file() and path.read_text(encoding="utf-8").count(self.old) == 1

    def apply(self, root: Path) -> None:
        path = root / self.file
        path.write_text(path.read_text(encoding="utf-8").replace(self.old, self.new), encoding="utf-8")

    def where(self) -> str:
        return f"{self.clause} {self.file}: {self.old.strip().splitlines()[0]}"


def read(name: str) -> tuple[list[Mutant], dict[str, str]]:
    """Returns the mutants of a game, and the reasons of the clauses that have none."""
    data = tomllib.loads((ROOT / "tests" / "mutants" / f"{name}.toml").read_text(encoding="utf-8"))
    reasons = {entry["clause"]: entry["reason"] for entry in data.get("no_mutant", [])}
    return [Mutant(**entry) for entry in data["mutant"]], reasons


def copy_package(target: Path) -> None:
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("golden"))
        else:
            shutil.copy2(ROOT / name, target)


def run_tests(root: Path, name: str, *arguments: str, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the tests of a game in a copy of the package, uncompiled."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    command.append(str(root / "tests" / "games" / name))
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def judge(name: str, mutant: Mutant) -> str:
    """Returns what the tests that cite the clause say of a break."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy_package(root)
        if not mutant.fits(root):
            return BROKEN
        mutant.apply(root)
        try:
            code = run_tests(root, name, "--rule", mutant.clause, timeout=SECONDS).returncode
        except subprocess.TimeoutExpired:
            return HANGING
    # pytest: 0 all passed, 1 some failed, 5 none found; the others are errors of the run itself.
    return {0: SURVIVED, 1: KILLED, 5: NO_TEST}.get(code, BROKEN)


def check(name: str, rules: Sequence[str], jobs: int) -> bool:
    """Judges all mutants of a game; returns whether all are killed."""
    mutants = [mutant for mutant in read(name)[0] if not rules or mutant.clause in rules]
    if not mutants:
        return True
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy_package(Path(folder))
        arguments = [word for mutant in mutants for word in ("--rule", mutant.clause)]
        sound = run_tests(Path(folder), name, *arguments)
    if sound.returncode != 0:
        print(sound.stdout, f"{name}: the tests must pass before anything is broken", sep="\n")
        return False
    seconds = time.monotonic() - start
    print(f"{name}: the cited tests pass in {seconds:.0f} s; {len(mutants)} mutants follow", flush=True)
    verdicts = []
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, verdict in zip(mutants, pool.map(lambda mutant: judge(name, mutant), mutants), strict=True):
            verdicts.append(verdict)
            print(f"{verdict:8} {mutant.where()}", flush=True)
    killed = verdicts.count(KILLED)
    print(f"{name}: {killed} of {len(mutants)} killed in {time.monotonic() - start:.0f} s")
    return killed == len(mutants)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="default: all that have a file of mutants")
    parser.add_argument("--rule", action="append", default=[], metavar="ID", help="only mutants of this clause")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default 2)")
    arguments = parser.parse_args()
    names = arguments.games or sorted(path.stem for path in (ROOT / "tests" / "mutants").glob("*.toml"))
    results = [check(name, arguments.rule, arguments.jobs) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
