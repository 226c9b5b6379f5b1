"""What a seat sees of a table of Shadow Master (SM-25, SM-26, SM-47, SM-66)."""

from __future__ import annotations

import numpy as np

from shadowenvs.games.shadow_master.spec import (
    ANY,
    COIN,
    EVIDENCE_SCALE,
    MAX_COUNT,
    MAX_EVIDENCE,
    NOTHING,
    NUM_COLOURS,
    NUM_DOTS,
    OBSERVATION,
    PIXELS,
    POCKET,
)
from shadowenvs.jit import kernel
from shadowenvs.layout import clear_first

_OPTIONS_START = OBSERVATION.slices["present"].start
_SCALE = np.float32(EVIDENCE_SCALE)
_LIMIT = np.float32(MAX_EVIDENCE)
_HALF = np.float32(0.5)


@kernel
def observe(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the observation of a seat; seats inside it count clockwise from the observer.

    Commits of the present tick are in no observation (SM-28). What the options fix is written once and left alone.
    """
    n = int(state.options.num_players)
    clear_first(obs, _OPTIONS_START)
    if obs.num_players == 0:
        observe_options(state, obs)
    observe_table(table, state, obs)
    write_dots(int(state.cubes[seat]), obs.cubes)
    for dot in range(NUM_DOTS):
        scaled = state.evidence[seat, dot] * _SCALE
        obs.evidence[dot] = np.int64(np.floor(min(max(scaled, -_LIMIT), _LIMIT) + _HALF))
        obs.looks[dot] = state.looks[seat, dot]
    other = seat
    for place in range(n):
        observe_seat(state, other, place, obs)
        other = 0 if other + 1 == n else other + 1


@kernel
def observe_options(state: np.recarray, obs: np.recarray) -> None:
    """Writes what is fixed for the game."""
    options = state.options
    for place in range(int(options.num_players)):
        obs.present[place] = 1
    obs.num_players = options.num_players
    obs.pixels = options.mode == PIXELS
    obs.pocket = options.variant == POCKET
    obs.tick_cap = options.tick_cap
    obs.last_field = options.last_field
    obs.any_grab = options.grab_rule == ANY
    obs.coinless_nothing = options.coinless == NOTHING
    obs.coin_finish = options.finish == COIN
    obs.points_reward = options.reward


@kernel
def observe_table(table: np.recarray, state: np.recarray, obs: np.recarray) -> None:
    """Writes what lies in the middle (SM-25) and what the round before has shown (SM-47)."""
    obs.round_no = min(int(state.round_no), MAX_COUNT)
    obs.coins_left = state.coins_left
    for colour in range(NUM_COLOURS):
        obs.letters[colour] = -1
    if not state.done:
        obs.tick = state.tick
        obs.number[state.number_sought - 1] = 1
        obs.colour[state.colour] = 1
        if state.options.variant != POCKET:
            for colour in range(NUM_COLOURS):
                obs.letters[colour] = table.letters[state.card, colour]
                obs.numbers[colour] = table.numbers[state.card, colour]
    write_dots(int(state.last_targets), obs.last_targets)


@kernel
def observe_seat(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes what is public of one seat into row ``place``."""
    obs.coins[place] = state.coins[other]
    obs.positions[place] = min(int(state.points[other]), MAX_COUNT)
    obs.last_coins[place] = state.last_coins[other]
    obs.last_points[place] = state.last_points[other]
    write_dots(int(state.last_cubes[other]), obs.last_cubes[place])


@kernel
def write_dots(dots: int, entries: np.ndarray) -> None:
    """Writes a set of dots as zeros and ones, int8 [9]."""
    for dot in range(NUM_DOTS):
        entries[dot] = dots >> dot & 1
