"""Generated documents are up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from shadowenvs import GAMES, get_game
from shadowenvs.cli import describe

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("game", GAMES)
def test_tables(game: str) -> None:
    wanted = describe(get_game(game), markdown=True)
    found = (ROOT / "docs" / "tables" / f"{game}.md").read_text()
    assert found.strip() == wanted.strip(), "run `make docs`"


@pytest.mark.parametrize("game", GAMES)
def test_readme_names_the_game(game: str) -> None:
    readme = (ROOT / "README.md").read_text()
    assert f"`{game}_v{GAMES[game]}`" in readme
    assert f"docs/rules/{game}.md" in readme
