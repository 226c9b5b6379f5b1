"""What a seat sees of a table of Shadow Games (SG-117)."""

from __future__ import annotations

import numpy as np

from shadowenvs.game import WIN_SHARE
from shadowenvs.games.shadow_games.deck import AGENT, MAX_KINDS, NUM_TYPES
from shadowenvs.games.shadow_games.effects import reserve_tokens, step_entry
from shadowenvs.games.shadow_games.piles import num_aside
from shadowenvs.games.shadow_games.spec import (
    CHALLENGE,
    FAVOUR_BARS,
    HAND_BARS,
    MAX_COUNT,
    NONE,
    OVER,
    RANDOM,
    TAKE,
    UNSEEN_BARS,
    UNTIL_TURN,
)
from shadowenvs.jit import kernel
from shadowenvs.layout import clear, write_wide


@kernel
def observe(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the observation of a seat; seats inside it count clockwise from the observer."""
    n = int(state.options.num_players)
    clear(obs)
    observe_options(table, state, obs)
    observe_turn(state, obs)
    if state.phase != OVER:
        observe_roles(state, seat, obs)
    if state.table_kind != NONE:
        observe_play(table, state, seat, obs)
    observe_pile(state, seat, obs)
    observe_hand(table, state, seat, obs)
    other = seat
    for place in range(n):
        observe_seat(state, other, place, obs)
        other = 0 if other + 1 == n else other + 1
    for kind in range(MAX_KINDS):
        for bar in range(UNSEEN_BARS):
            obs.unseen_bars[kind, bar] = obs.unseen[kind] > bar


@kernel
def observe_options(table: np.recarray, state: np.recarray, obs: np.recarray) -> None:
    """Writes what is fixed for the game."""
    options = state.options
    for kind in range(MAX_KINDS):
        obs.copies[kind] = table.copies[kind]
        obs.agent[kind] = table.card_type[kind] == AGENT
    obs.num_players = options.num_players
    obs.until_turn = options.protection == UNTIL_TURN
    obs.victory_check[options.victory_check] = 1
    obs.random_order = options.challenge_order == RANDOM
    obs.card_fits_phase = options.card_fits_phase
    write_wide(obs.max_turns, int(options.max_turns))
    obs.favours_reward = options.reward != WIN_SHARE
    obs.victory = options.victory
    obs.favour_types = options.favour_types
    obs.hand_keep = options.hand_keep
    obs.hand_draw = options.hand_draw


@kernel
def observe_turn(state: np.recarray, obs: np.recarray) -> None:
    """Writes where the game stands, and what lies in the reserve."""
    obs.phase[state.phase] = 1
    write_wide(obs.turn_no, int(state.turn_no))
    for t in range(NUM_TYPES):
        write_wide(obs.reserve[t], int(state.reserve[t]))
    obs.reserve_tokens = reserve_tokens(state)
    obs.deck_size = state.deck_size
    obs.pile_size = state.pile_size


@kernel
def observe_roles(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes whose turn it is and who decides."""
    n = int(state.options.num_players)
    obs.part[state.part] = 1
    obs.plotted = state.plotted
    obs.actor[place_of(int(state.actor), seat, n)] = 1
    obs.to_move[place_of(int(state.to_move), seat, n)] = 1


@kernel
def place_of(other: int, seat: int, n: int) -> int:
    """Returns how many places clockwise of the observer a seat sits."""
    place = other - seat
    return place + n if place < 0 else place


@kernel
def observe_play(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the play on the table; its card only to the actor until it is turned up (SG-108)."""
    n = int(state.options.num_players)
    phase = int(state.phase)
    if phase > CHALLENGE:
        obs.turned_up[state.table_kind] = 1
        if phase < TAKE:
            observe_step(table, state, seat, obs)
    elif seat == state.actor:
        obs.table_card[state.table_kind] = 1
    if state.declared != NONE:
        obs.declared[state.declared] = 1
    if state.target != NONE:
        obs.target[place_of(int(state.target), seat, n)] = 1
    if state.challenger != NONE:
        obs.challenger[place_of(int(state.challenger), seat, n)] = 1
    passed = int(state.passed)
    blocked = int(state.blocked)
    if passed | blocked != 0:
        for other in range(n):
            place = place_of(other, seat, n)
            obs.passed[place] = (passed >> other) & 1
            obs.blocked[place] = (blocked >> other) & 1


@kernel
def observe_step(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the step of the effect or bonus that waits for a choice."""
    n = int(state.options.num_players)
    obs.list_no[state.list_no] = 1
    obs.step_no[state.step_no] = 1
    obs.step_op[step_entry(table, state, 0) - 1] = 1
    obs.carried = state.carried
    obs.left = state.left
    if state.bonus_target != NONE:
        obs.bonus_target[place_of(int(state.bonus_target), seat, n)] = 1
    if state.recipient != NONE:
        obs.recipient[place_of(int(state.recipient), seat, n)] = 1
    num = num_aside(state)
    obs.aside_size = num
    if seat == state.actor:
        for place in range(num):
            obs.aside[state.aside[place]] += 1


@kernel
def observe_seat(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes what is public of one seat into row ``place``."""
    obs.present[place] = 1
    obs.shields[place] = (int(state.shields) >> other) & 1
    obs.hand_sizes[place] = state.hand_size[other]
    marks = int(state.marks[other])
    victory = int(state.options.victory)
    for t in range(NUM_TYPES):
        favour = int(state.favour[other, t])
        write_wide(obs.favour[place, t], favour)
        for bar in range(FAVOUR_BARS):
            obs.favour_bars[place, t, bar] = favour > bar
        obs.majority[place, t] = favour >= victory
        obs.marks[place, t] = (marks >> t) & 1
    write_wide(obs.plays[place], min(MAX_COUNT, int(state.plays[other])))
    write_wide(obs.bluffs[place], min(MAX_COUNT, int(state.bluffs[other])))
    write_wide(obs.polls[place], min(MAX_COUNT, int(state.polls[other])))
    write_wide(obs.challenges[place], min(MAX_COUNT, int(state.challenges[other])))
    write_wide(obs.challenges_won[place], min(MAX_COUNT, int(state.challenges_won[other])))
    any_known = 0
    for kind in range(MAX_KINDS):
        any_known |= int(state.known[other, kind])
    if any_known != 0:
        for kind in range(MAX_KINDS):
            known = int(state.known[other, kind])
            obs.known[place, kind] = known
            obs.known_bars[place, kind] = known > 0
            if place > 0:
                obs.unseen[kind] -= known


@kernel
def observe_pile(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the pile as far as the seat knows it (SG-110)."""
    size = int(state.pile_size)
    unknown = 0
    for place in range(size):
        if (int(state.seen[place]) >> seat) & 1 != 0:
            obs.pile[state.cards[place]] += 1
        else:
            unknown += 1
    obs.pile_unknown = unknown
    if size > 0:
        obs.pile_top[state.cards[size - 1]] = 1


@kernel
def observe_hand(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the own hand, and the cards whose place the observer does not know (the pool of SG-118)."""
    for kind in range(MAX_KINDS):
        held = int(state.hand[seat, kind])
        obs.hand[kind] = held
        for bar in range(HAND_BARS):
            obs.hand_bars[kind, bar] = held > bar
        unseen = int(table.copies[kind]) - held - int(obs.pile[kind]) - int(obs.aside[kind])
        unseen -= int(obs.table_card[kind]) + int(obs.turned_up[kind])
        obs.unseen[kind] = unseen
