"""What a seat sees of a table of Shadow Games (SG-117)."""

from __future__ import annotations

import numpy as np

from shadowenvs.game import WIN_SHARE
from shadowenvs.games.shadow_games.deck import AGENT, MAX_KINDS, NUM_TYPES
from shadowenvs.games.shadow_games.effects import reserve_tokens, step_entry
from shadowenvs.games.shadow_games.flags import write_flags
from shadowenvs.games.shadow_games.piles import num_aside
from shadowenvs.games.shadow_games.spec import (
    CHALLENGE,
    FAVOUR_BARS,
    HAND_BARS,
    MAX_COUNT,
    MAX_SEATS,
    NONE,
    OVER,
    RANDOM,
    TAKE,
    UNSEEN_BARS,
    UNTIL_TURN,
)
from shadowenvs.jit import kernel
from shadowenvs.layout import clear, write_wide

# Lengths of flags that are written at once; the compiler must know them.
_FAVOUR_FLAGS, _HAND_FLAGS, _UNSEEN_FLAGS = NUM_TYPES * FAVOUR_BARS, MAX_KINDS * HAND_BARS, MAX_KINDS * UNSEEN_BARS

_SMALL = 64  # numbers below have a 0 in front of them; a power of two, so that many are compared at once


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
    write_flags((1 << n) - 1, obs.present, MAX_SEATS)
    write_flags(seen_from(seat, int(state.shields), n), obs.shields, MAX_SEATS)
    other = seat
    for place in range(n):
        observe_seat(state, other, place, obs)
        other = 0 if other + 1 == n else other + 1
    observe_unseen(obs)


@kernel
def observe_options(table: np.recarray, state: np.recarray, obs: np.recarray) -> None:
    """Writes what is fixed for the game."""
    options = state.options
    for kind in range(MAX_KINDS):
        obs.copies[kind] = table.copies[kind]
    write_flags(int(table.kinds[AGENT]), obs.agent, MAX_KINDS)
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
    write_flags(seen_from(seat, int(state.passed), n), obs.passed, MAX_SEATS)
    write_flags(seen_from(seat, int(state.blocked), n), obs.blocked, MAX_SEATS)


@kernel
def seen_from(seat: int, seats: int, n: int) -> int:
    """Returns a bit set of seats as a bit set of their places clockwise of a seat."""
    return (seats >> seat) | (seats << (n - seat) & ((1 << n) - 1))


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
    obs.hand_sizes[place] = state.hand_size[other]
    majority = 0
    bars = 0
    for t in range(NUM_TYPES):
        favour = int(state.favour[other, t])
        bars |= ((1 << min(favour, FAVOUR_BARS)) - 1) << (FAVOUR_BARS * t)
        majority |= int(favour >= state.options.victory) << t
    write_flags(bars, obs.favour_bars[place], _FAVOUR_FLAGS)
    write_flags(majority, obs.majority[place], NUM_TYPES)
    write_flags(int(state.marks[other]), obs.marks[place], NUM_TYPES)
    observe_numbers(state, other, place, obs)
    if (int(state.any_known) >> other) & 1 != 0:
        for kind in range(MAX_KINDS):
            known = int(state.known[other, kind])
            obs.known[place, kind] = known
            obs.known_bars[place, kind] = known > 0
            if place > 0:
                obs.unseen[kind] -= known


@kernel
def observe_numbers(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes the wide numbers of a seat, which are seldom above 99."""
    largest = int(state.plays[other]) | int(state.polls[other])  # the other counts are parts of these
    for t in range(NUM_TYPES):
        largest |= int(state.favour[other, t])
    if largest < _SMALL:
        for t in range(NUM_TYPES):
            obs.favour[place, t, 1] = state.favour[other, t]
        obs.plays[place, 1] = state.plays[other]
        obs.bluffs[place, 1] = state.bluffs[other]
        obs.polls[place, 1] = state.polls[other]
        obs.challenges[place, 1] = state.challenges[other]
        obs.challenges_won[place, 1] = state.challenges_won[other]
        return
    for t in range(NUM_TYPES):
        write_wide(obs.favour[place, t], int(state.favour[other, t]))
    write_wide(obs.plays[place], min(MAX_COUNT, int(state.plays[other])))
    write_wide(obs.bluffs[place], min(MAX_COUNT, int(state.bluffs[other])))
    write_wide(obs.polls[place], min(MAX_COUNT, int(state.polls[other])))
    write_wide(obs.challenges[place], min(MAX_COUNT, int(state.challenges[other])))
    write_wide(obs.challenges_won[place], min(MAX_COUNT, int(state.challenges_won[other])))


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
    """Writes the own hand, and the cards whose place the observer does not know, but for those known in hands."""
    bars = 0
    for kind in range(MAX_KINDS):
        held = int(state.hand[seat, kind])
        obs.hand[kind] = held
        bars |= ((1 << min(held, HAND_BARS)) - 1) << (HAND_BARS * kind)
        unseen = int(table.copies[kind]) - held - int(obs.pile[kind]) - int(obs.aside[kind])
        obs.unseen[kind] = unseen - int(obs.table_card[kind]) - int(obs.turned_up[kind])
    write_flags(bars, obs.hand_bars, _HAND_FLAGS)


@kernel
def observe_unseen(obs: np.recarray) -> None:
    """Writes the bars of the cards whose place the observer does not know (the pool of SG-118)."""
    bars = 0
    for kind in range(MAX_KINDS):
        bars |= ((1 << min(int(obs.unseen[kind]), UNSEEN_BARS)) - 1) << (UNSEEN_BARS * kind)
    write_flags(bars, obs.unseen_bars, _UNSEEN_FLAGS)
