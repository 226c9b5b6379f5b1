"""Turns: their phases, their beginning and end, and the end of the game."""

from __future__ import annotations

import numpy as np

from shadowenvs.games.shadow_games.piles import draw_up_to
from shadowenvs.games.shadow_games.scoring import best_ranked, has_won, majorities
from shadowenvs.games.shadow_games.spec import (
    AGENTS,
    ASK,
    END_PHASE,
    OPEN_PHASE,
    OVER,
    PLAY,
    PLOTTING,
    TURN_START,
    UNTIL_TURN,
)
from shadowenvs.jit import kernel


@kernel
def seat_after(state: np.recarray, seat: int, places: int) -> int:
    """SG-105: the seat so many places clockwise."""
    following = seat + places
    n = int(state.options.num_players)
    return following - n if following >= n else following


@kernel
def open_phase(table: np.recarray, state: np.recarray) -> int:
    """Asks the actor for a play, or passes the phase without a decision (SG-25, SG-27)."""
    if state.hand_size[state.actor] == 0 or table.kinds[state.part] == 0:
        return END_PHASE
    state.phase = PLAY
    state.to_move = state.actor
    return ASK


@kernel
def end_phase(state: np.recarray) -> int:
    """SG-18: the Agents phase follows the Plotting phase, then the turn ends."""
    if state.part == PLOTTING:
        state.part = AGENTS
        return OPEN_PHASE
    end_turn(state)
    return ASK if state.done else OPEN_PHASE


@kernel
def begin_turn(state: np.recarray) -> None:
    """The check of SG-95, the token of SG-83, then the draw of SG-17."""
    actor = int(state.actor)
    state.part = PLOTTING
    state.plotted = False
    if state.options.victory_check == TURN_START and has_won(state, actor):
        end_game(state, 1 << actor)
        return
    if state.options.protection == UNTIL_TURN:
        state.shields = int(state.shields) & ~(1 << actor)
    draw_up_to(state, actor, int(state.options.hand_draw))


@kernel
def end_turn(state: np.recarray) -> None:
    """The draw of SG-26, the check of SG-85 to SG-90, the cap of SG-99, then the next turn (SG-08)."""
    actor = int(state.actor)
    draw_up_to(state, actor, int(state.options.hand_keep))
    if state.options.victory_check != TURN_START and has_won(state, actor):
        end_game(state, 1 << actor)
        return
    state.marks[actor] = majorities(state, actor)
    if state.turn_no == state.options.max_turns:
        end_game(state, best_ranked(state))
        return
    state.turn_no += 1
    state.actor = seat_after(state, actor, 1)
    begin_turn(state)


@kernel
def end_game(state: np.recarray, winners: int) -> None:
    """SG-124: the game is over."""
    state.winners = winners
    state.done = True
    state.phase = OVER
    state.part = PLOTTING
    state.plotted = False
    state.to_move = 0
