"""Every clause of the rule documents has a test that cites it, and a mutant or a reason why there is none."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import cited, games
from tests.mutants.run import Mutant, read

ROOT = Path(__file__).parents[2]


class Collector:
    """A pytest plugin that keeps what was collected."""

    def __init__(self) -> None:
        self.rules: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            self.rules |= cited(item)


def clauses(name: str) -> list[str]:
    """Returns the ids of the clauses of a game's rule document."""
    text = (ROOT / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(r"^- \*\*([A-Z]{2}-\d+)\*\*", text, re.MULTILINE)


@pytest.fixture(scope="module", params=games())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def rules(name: str) -> set[str]:
    """The clauses cited by the tests of a game, collected here whatever part of the tests is being run."""
    collector = Collector()
    quiet = ["--collect-only", "-s", "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:faulthandler"]
    code = pytest.main([*quiet, f"--rootdir={ROOT}", str(ROOT / "tests" / "games" / name)], plugins=[collector])
    assert code == pytest.ExitCode.OK, f"the tests of {name} cannot be collected"
    return collector.rules


def test_clauses_are_numbered_without_gaps(name: str) -> None:
    found = clauses(name)
    prefix = found[0].partition("-")[0]
    assert found == [f"{prefix}-{number:02}" for number in range(1, len(found) + 1)]


def test_every_clause_is_cited(name: str, rules: set[str]) -> None:
    missing = [clause for clause in clauses(name) if clause not in rules]
    assert not missing, f"no test cites {' '.join(missing)}"


def test_every_citation_is_a_clause(name: str, rules: set[str]) -> None:
    assert rules <= set(clauses(name))


def test_every_clause_has_a_mutant_or_a_reason(name: str) -> None:
    mutants, reasons = read(name)
    listed = [mutant.clause for mutant in mutants]
    assert sorted({*listed, *reasons}) == sorted(clauses(name))
    assert not set(listed) & set(reasons)
    assert all(len(reason) > 20 for reason in reasons.values())


def test_every_mutant_fits_the_source(name: str) -> None:
    """Its old text stands exactly once in its file, and the new one is another."""
    mutants, _ = read(name)
    wrong = [mutant.where() for mutant in mutants if not mutant.fits(ROOT)]
    assert not wrong


def test_wrong_mutants_are_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("a = 1\nb = 1\n", encoding="utf-8")
    assert Mutant("XX-01", "one.py", "a = 1", "a = 2").fits(tmp_path)
    assert not Mutant("XX-01", "one.py", "= 1", "= 2").fits(tmp_path)
    assert not Mutant("XX-01", "one.py", "c = 1", "c = 2").fits(tmp_path)
    assert not Mutant("XX-01", "one.py", "a = 1", "a = 1").fits(tmp_path)
    assert not Mutant("XX-01", "two.py", "a = 1", "a = 2").fits(tmp_path)


def test_mutants_are_plain_data(name: str) -> None:
    data = tomllib.loads((ROOT / "tests" / "mutants" / f"{name}.toml").read_text(encoding="utf-8"))
    assert set(data) <= {"mutant", "no_mutant"}
    assert all(set(entry) == {"clause", "file", "old", "new"} for entry in data["mutant"])
    assert all(set(entry) == {"clause", "reason"} for entry in data.get("no_mutant", []))
