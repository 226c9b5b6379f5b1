"""Games that the tests of this folder share."""

from __future__ import annotations

import pytest

from shadowenvs import GAMES, get_game
from shadowenvs.game import Game


@pytest.fixture(params=list(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    return get_game(request.param)


@pytest.fixture
def any_game() -> Game:
    return get_game(next(iter(GAMES)))
