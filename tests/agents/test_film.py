"""Films of games: whole, in part, and as one seat may see them."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from agents.film import film
from agents.heuristic import HeuristicAgent
from agents.random import RandomAgent
from shadowenvs.batch import Batch
from shadowenvs.game import Game


def test_a_film_is_the_game(game: Game) -> None:
    """The moves that it holds lead from the deal to the end through the states that it holds."""
    shot = film(game, [HeuristicAgent(), RandomAgent()], 7)
    assert len(shot.states) == len(shot) + 1
    batch = Batch(game, 1, autoreset=False)
    batch.reset([7])
    for state, seat, action in zip(shot.states[:-1], shot.seats, shot.actions, strict=True):
        assert batch.get_states()[0].tobytes() == state.tobytes()
        assert batch.seats[0] == seat
        batch.step(np.array([action]))
    assert batch.dones[0]
    assert batch.get_states()[0].tobytes() == shot.states[-1].tobytes()


def test_clips_and_captions(game: Game) -> None:
    shot = film(game, [RandomAgent()], 1)
    clip = shot.clip(3, 6)
    assert len(clip) == 3
    assert clip.states.tobytes() == shot.states[2:6].tobytes()
    words = [game.format_action(shot.options, int(action)) for action in shot.actions]
    assert clip.caption(0) == "before move 3"
    assert clip.caption(1) == f"move 3, seat {shot.seats[2]}: {words[2]}" == shot.caption(3)
    assert clip.clip(5).caption(1) == shot.caption(5)
    assert len(shot.clip(len(shot))) == 1
    assert len(shot.clip(1)) == len(shot.clip(-4)) == len(shot)


def test_a_seat_sees_only_its_own_moves(game: Game) -> None:
    shot = film(game, [RandomAgent()], 2)
    seen = shot.seen_by(1)
    for number in range(1, len(shot) + 1):
        own = shot.seats[number - 1] == 1
        assert (seen.caption(number) == shot.caption(number)) == own
        assert seen.caption(number).endswith(": moves") != own
    assert seen.picture(3) != shot.picture(3)
    assert seen.picture(3) == game.render_svg(shot.options, shot.states[3:4].view(np.recarray), 1)  # type: ignore[misc]


def test_page(game: Game) -> None:
    """One frame is shown at first, and the slider reaches all."""
    page = film(game, [RandomAgent()], 3).clip(1, 4)._repr_html_()
    assert page.count("<figure") == page.count("<img") == 4
    assert page.count(" hidden>") == 3
    assert 'max="3"' in page
    plain = dataclasses.replace(game, render_svg=None)
    texts = film(plain, [RandomAgent()], 3).clip(1, 4)._repr_html_()
    assert texts.count("<pre>") == 4
    assert not re.search(r"<pre>\s*</pre>", texts)


def test_no_agent(game: Game) -> None:
    with pytest.raises(ValueError, match="at least one agent"):
        film(game, [], 1)
