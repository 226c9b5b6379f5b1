"""A game between agents, kept to be looked at: in a notebook a picture with a slider."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.matches import play_games
from shadowenvs.batch import Batch
from shadowenvs.game import Game, Options

_PAGE = """\
<div style="max-width: 60rem">
<input type="range" min="0" max="{last}" value="0" style="width: 100%" aria-label="move" oninput="
const frames = this.parentElement.querySelectorAll('figure');
frames.forEach((frame, number) => frame.hidden = number != this.value)">
{frames}
</div>
"""


@dataclass(frozen=True)
class Film:
    """A game, state by state.

    Attributes:
        game: The game.
        options: Its options.
        states: Recarray [M + 1], before each of M moves and at the end.
        seats: int64 [M], who moved.
        actions: int64 [M].
        first: Number of the first move that is held, from 1.
        seat: The seat whose view is shown; None for all cards open.
    """

    game: Game
    options: Options
    states: np.recarray
    seats: NDArray[np.int64]
    actions: NDArray[np.int64]
    first: int = 1
    seat: int | None = None

    def __len__(self) -> int:
        return len(self.actions)

    def clip(self, start: int, stop: int | None = None) -> Film:
        """Returns moves number start to stop - 1, counted from 1, as a film; without a stop, all to the end."""
        end = len(self) if stop is None else max(0, stop - self.first)
        span = range(len(self))[max(0, start - self.first) : end]
        states = self.states[span.start : span.stop + 1].view(np.recarray)
        part = slice(span.start, span.stop)
        first = self.first + span.start
        return Film(self.game, self.options, states, self.seats[part], self.actions[part], first, self.seat)

    def seen_by(self, seat: int | None) -> Film:
        """Returns the film as one seat may see it, or with None all cards open."""
        return Film(self.game, self.options, self.states, self.seats, self.actions, self.first, seat)

    def caption(self, number: int) -> str:
        """Returns what led to a frame; what another seat did in secret would be told by words, so only who moved."""
        if number == 0:
            return f"before move {self.first}"
        seat, action = int(self.seats[number - 1]), int(self.actions[number - 1])
        shown = self.seat in (None, seat)
        words = self.game.format_action(self.options, action) if shown else "moves"
        return f"move {self.first + number - 1}, seat {seat}: {words}"

    def picture(self, number: int) -> str:
        """Returns a frame, from 0 to the number of moves, as SVG; as text where the game has no pictures."""
        draw = self.game.render_svg or self.game.render
        return draw(self.options, self.states[number : number + 1].view(np.recarray), self.seat)

    def _repr_html_(self) -> str:
        """Returns the film as a notebook shows it: one frame at a time, with a slider."""
        frames = []
        for number in range(len(self.states)):
            picture = self.picture(number)
            if self.game.render_svg is None:
                shown = f"<pre>{escape(picture)}</pre>"
            else:
                # As images: parts of one picture that others have too cannot be mixed up.
                data = base64.b64encode(picture.encode()).decode()
                shown = f'<img src="data:image/svg+xml;base64,{data}" alt="the table" style="width: 100%">'
            caption = f"<figcaption>{escape(self.caption(number))}</figcaption>"
            frames.append(f'<figure style="margin: 0"{" hidden" if number else ""}>{caption}{shown}</figure>')
        return _PAGE.format(last=len(self.states) - 1, frames="\n".join(frames))


def film(game: Game, agents: Sequence[Agent], seed: int, options: Mapping[str, Any] | None = None) -> Film:
    """Lets agents play a game and keeps all of it.

    Args:
        game: The game.
        agents: One for each seat; or fewer, which then take turns.
        seed: Of the deal and the agents' choices.
        options: Options of the game.

    Raises:
        ValueError: An option is not allowed, or there is no agent.
    """
    chosen = game.options.make(**(options or {}))
    if not agents:
        raise ValueError("a film needs at least one agent")
    seating = np.arange(chosen.num_players) % len(agents)
    states: list[np.recarray] = []
    moves: list[tuple[int, int]] = []

    def keep(batch: Batch, actions: NDArray[np.int64]) -> None:
        states.append(batch.get_states())
        moves.append((int(batch.seats[0]), int(actions[0])))

    generators = [np.random.default_rng([seed, number]) for number in range(len(agents))]
    final, _ = play_games(
        *(game, chosen.as_dict(), agents, seating[None], np.array([seed], np.uint64), generators),
        watch=keep,
    )
    seats, actions = np.array(moves, np.int64).T
    return Film(game, chosen, np.concatenate([*states, final]).view(np.recarray), seats, actions)
