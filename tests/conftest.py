"""What all tests share: the options --rule, --long and --update-golden, and the games that tests run over."""

from __future__ import annotations

import pytest

import shadowenvs


def games() -> list[str]:
    """Returns the names of all games."""
    return list(shadowenvs.GAMES)


def cited(item: pytest.Item) -> set[str]:
    """Returns the ids of the clauses that a test cites by ``@pytest.mark.rule("XX-nn", ...)``."""
    return {clause for mark in item.iter_markers("rule") for clause in mark.args}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("shadowenvs")
    group.addoption("--rule", action="append", default=[], metavar="ID", help="run only tests that cite this clause")
    group.addoption("--long", action="store_true", help="also run long tests, and play more games in the others")
    group.addoption("--update-golden", action="store_true", help="write the golden games of tests/golden anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = set(config.getoption("rule"))
    if wanted:
        config.hook.pytest_deselected(items=[item for item in items if not wanted & cited(item)])
        items[:] = [item for item in items if wanted & cited(item)]
    if not config.getoption("long"):
        for item in items:
            if item.get_closest_marker("long") is not None:
                item.add_marker(pytest.mark.skip(reason="takes long; run with --long"))


@pytest.fixture(scope="session")
def is_long(pytestconfig: pytest.Config) -> bool:
    """Whether --long was given."""
    return bool(pytestconfig.getoption("long"))
