"""The rules of Shadow Games as kernels: deal, legal and step. Clause ids (SG-nn) as in docs/rules/shadow_games.md."""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_games.deck import AGENT, MAX_KINDS, NUM_TYPES, PLOT
from shadowenvs.games.shadow_games.effects import step_types
from shadowenvs.games.shadow_games.flags import write_flags
from shadowenvs.games.shadow_games.piles import clear_cards, draw_up_to, shuffle_deck
from shadowenvs.games.shadow_games.play import (
    clear_play,
    declare,
    finish_play,
    pay,
    poll,
    resolve,
    reveal,
    step_challenge,
    step_play,
    step_resolution,
    take,
    take_types,
)
from shadowenvs.games.shadow_games.scoring import count_points, finish_rewards, start_rewards
from shadowenvs.games.shadow_games.spec import (
    AGENTS,
    ASK,
    BONUS_TARGET,
    CHALLENGE,
    CHALLENGE_0,
    DECLARE,
    DECLARE_0,
    DISCARD_0,
    END_PHASE,
    FAVOUR,
    FAVOUR_0,
    FINISH,
    LEAVE_0,
    MAX_SEATS,
    NUM_ACTIONS,
    PASS_0,
    PAY,
    PICK,
    PICK_0,
    PLAY,
    PLAY_0,
    PLOTTING,
    POLL,
    RANDOM_SEAT,
    RECIPIENT,
    RESOLVE,
    REVEAL,
    SEAT_0,
    SKIP_0,
    STREAM_FIRST,
    TAKE,
    TARGET,
)
from shadowenvs.games.shadow_games.turns import begin_turn, end_phase, open_phase, seat_after
from shadowenvs.jit import kernel

# ------------------------------------------------------------------------------------------------------------- deal


@kernel
def deal(table: np.recarray, state: np.recarray, seed: np.uint64) -> None:
    """Starts a game: favours (SG-02, SG-03), cards (SG-06), and the first turn (SG-08)."""
    n = int(state.options.num_players)
    state.seed = seed
    state.done = False
    state.winners = 0
    state.shields = 0
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
        state.marks[seat] = 0
        state.plays[seat] = 0
        state.bluffs[seat] = 0
        state.polls[seat] = 0
        state.challenges[seat] = 0
        state.challenges_won[seat] = 0
    deal_favours(state)
    clear_cards(state)
    clear_play(state)
    shuffle_deck(table, state)
    for seat in range(n):
        draw_up_to(state, seat, int(state.options.hand_keep))
    state.turn_no = 1
    state.actor = state.options.first_seat
    if state.options.first_seat == RANDOM_SEAT:
        state.actor = rng.below(seed, STREAM_FIRST, 0, 0, n)
    begin_turn(state)
    # No hand is empty now, so only SG-27 can pass the Plotting phase.
    if table.kinds[PLOTTING] == 0:
        state.part = AGENTS
    state.phase = PLAY
    state.to_move = state.actor


@kernel
def deal_favours(state: np.recarray) -> None:
    """SG-02, SG-03: every seat and the reserve get their first favours."""
    n = int(state.options.num_players)
    for t in range(NUM_TYPES):
        in_play = t < state.options.favour_types
        for seat in range(MAX_SEATS):
            state.favour[seat, t] = state.options.start_favour if in_play and seat < n else 0
        state.reserve[t] = n * int(state.options.reserve_per_seat) if in_play else 0
    for seat in range(MAX_SEATS):
        count_points(state, seat)


# ------------------------------------------------------------------------------------------------------------ legal


@kernel
def legal(table: np.recarray, state: np.recarray, seat: int, mask: np.ndarray) -> None:
    """Writes the legal actions of a seat; none unless the seat is to move, none at the end (SG-124)."""
    actions = 0
    if not state.done and seat == state.to_move:
        actions = legal_actions(table, state)
    write_flags(actions, mask, NUM_ACTIONS)


@kernel
def legal_actions(table: np.recarray, state: np.recarray) -> int:
    """Returns the bit set of legal actions of the seat to move."""
    phase = int(state.phase)
    if phase == CHALLENGE:
        return (1 << PASS_0) | (1 << CHALLENGE_0)
    if phase == PLAY:
        return legal_plays(table, state)
    if phase == DECLARE:  # SG-18, SG-30
        return int(table.kinds[state.part]) << DECLARE_0
    if phase in (TARGET, BONUS_TARGET, RECIPIENT):  # SG-31, SG-32, SG-105
        return ((1 << (int(state.options.num_players) - 1)) - 1) << SEAT_0
    if phase == FAVOUR:
        return step_types(table, state) << FAVOUR_0
    if phase == TAKE:
        return take_types(state) << FAVOUR_0
    if phase == PICK:  # SG-71
        return (1 << LEAVE_0) | (kinds_in_pile(state) << PICK_0)
    return kinds_in_hand(state) << DISCARD_0  # SG-74


@kernel
def kinds_in_hand(state: np.recarray) -> int:
    """Returns the bit set of the kinds that the actor holds."""
    kinds = 0
    for kind in range(MAX_KINDS):
        kinds |= int(state.hand[state.actor, kind] > 0) << kind
    return kinds


@kernel
def kinds_in_pile(state: np.recarray) -> int:
    """Returns the bit set of the kinds in the discard pile."""
    kinds = 0
    for place in range(int(state.pile_size)):
        kinds |= 1 << int(state.cards[place])
    return kinds


@kernel
def legal_plays(table: np.recarray, state: np.recarray) -> int:
    """SG-23: any card of the hand, or only those of the phase's type; and the skip where it is allowed."""
    fits = state.options.card_fits_phase != 0
    held = kinds_in_hand(state)
    has_plot = held & int(table.kinds[PLOT]) != 0
    has_agent = held & int(table.kinds[AGENT]) != 0
    if state.part == PLOTTING:
        can_skip = can_skip_plotting(table, fits, has_plot, has_agent)
    else:  # SG-21, SG-24
        can_skip = state.plotted or (fits and not has_agent)
    playable = held & int(table.kinds[state.part]) if fits else held
    return (playable << PLAY_0) | (int(can_skip) << SKIP_0)


@kernel
def can_skip_plotting(table: np.recarray, fits: bool, has_plot: bool, has_agent: bool) -> bool:
    """SG-20, SG-24, SG-28: whether the Plotting phase may be skipped.

    Args:
        table: The tables record.
        fits: Option card_fits_phase.
        has_plot: Whether the hand holds a plot.
        has_agent: Whether it holds an agent.
    """
    if table.kinds[AGENT] == 0:
        return False
    return not fits or has_agent or not has_plot


# ------------------------------------------------------------------------------------------------------------- step


@kernel
def step(table: np.recarray, state: np.recarray, action: int) -> None:
    """Carries out a legal action and all that follows from it before the next decision."""
    start_rewards(state)
    task = act(table, state, action)
    while task != ASK:
        if task == POLL:
            task = poll(state)
        elif task == REVEAL:
            task = reveal(state)
        elif task == RESOLVE:
            task = resolve(table, state)
        elif task == PAY:
            task = pay(state)
        elif task == FINISH:
            task = finish_play(state)
        elif task == END_PHASE:
            task = end_phase(state)
        else:
            task = open_phase(table, state)
    finish_rewards(state)


@kernel
def act(table: np.recarray, state: np.recarray, action: int) -> int:
    """Carries out a legal action alone; returns what comes next."""
    phase = int(state.phase)
    if phase == CHALLENGE:
        return step_challenge(state, action)
    if phase == PLAY:
        return step_play(table, state, action)
    if phase == DECLARE:
        return declare(table, state, action - DECLARE_0)
    if phase == TARGET:
        state.target = seat_after(state, int(state.actor), action - SEAT_0 + 1)
        return POLL
    if phase == TAKE:
        return take(state, action - FAVOUR_0)
    return step_resolution(table, state, action)
