"""One play: put down, declared, polled, turned up, resolved and paid for (SG-29 to SG-52).

What happens between two decisions is a row of tasks: each function returns what comes next, ASK where a seat has to
decide. The loop over them is in rules.py.
"""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_games.deck import NO_OP, NUM_TYPES
from shadowenvs.games.shadow_games.effects import (
    RESERVE,
    discard_card,
    end_step,
    move_favour,
    move_step_favour,
    pick_card,
    resolve_steps,
)
from shadowenvs.games.shadow_games.piles import everybody, lay_on_pile, strike_known
from shadowenvs.games.shadow_games.scoring import total_favour
from shadowenvs.games.shadow_games.spec import (
    ASK,
    BONUS,
    BONUS_TARGET,
    CHALLENGE,
    DECLARE,
    DISCARD_0,
    EFFECT,
    END_PHASE,
    FAVOUR,
    FAVOUR_0,
    FINISH,
    LEAVE_0,
    NONE,
    PASS_0,
    PAY,
    PICK,
    PICK_0,
    PLAY_0,
    PLOTTING,
    POLL,
    RANDOM,
    RECIPIENT,
    RESOLVE,
    REVEAL,
    SEAT_0,
    SKIP_0,
    STREAM_POLL,
    TAKE,
    TARGET,
)
from shadowenvs.games.shadow_games.turns import seat_after
from shadowenvs.jit import kernel


@kernel
def clear_play(state: np.recarray) -> None:
    """Empties all that belongs to one play."""
    state.table_kind = NONE
    state.declared = NONE
    state.target = NONE
    state.passed = 0
    state.challenger = NONE
    state.list_no = EFFECT
    state.step_no = 0
    state.carried = False
    state.left = 0
    state.bonus_target = NONE
    state.recipient = NONE
    state.blocked = 0


@kernel
def step_play(table: np.recarray, state: np.recarray, action: int) -> int:
    """SG-29: the card goes face down to the table; or the phase is skipped."""
    actor = int(state.actor)
    if action == SKIP_0:
        return END_PHASE
    kind = action - PLAY_0
    state.hand[actor, kind] -= 1
    state.hand_size[actor] -= 1
    state.table_kind = kind
    if table.single[state.part] != NONE:  # SG-101
        return declare(table, state, int(table.single[state.part]))
    state.phase = DECLARE
    return ASK


@kernel
def declare(table: np.recarray, state: np.recarray, kind: int) -> int:
    """SG-30, SG-31: the declaration; then the target where the effect uses one, else the poll."""
    state.declared = kind
    if table.uses_target[kind, EFFECT] != 0:
        if state.options.num_players > 2:
            state.phase = TARGET
            return ASK
        state.target = 1 - int(state.actor)
    return POLL


@kernel
def poll(state: np.recarray) -> int:
    """SG-36, SG-41: asks the next seat for a challenge; when there is none the card is turned up."""
    seat = next_polled(state)
    if seat == NONE:
        return REVEAL
    state.phase = CHALLENGE
    state.to_move = seat
    return ASK


@kernel
def next_polled(state: np.recarray) -> int:
    """SG-36, SG-38, SG-39: the next seat of the poll, NONE after the last.

    Only seats that hold a favour are asked. A random order is drawn seat by seat: what is still to come of it is in the
    seed alone (SG-132).
    """
    n = int(state.options.num_players)
    passed = int(state.passed)
    chosen = 0
    if state.options.challenge_order == RANDOM:
        candidates = 0
        num_passed = 0
        num_plays = 0
        for seat in range(n):
            candidates += is_candidate(state, seat, passed)
            num_passed += (passed >> seat) & 1
            num_plays += int(state.plays[seat])
        if candidates == 0:
            return NONE
        chosen = rng.below(state.seed, STREAM_POLL, num_plays, num_passed, candidates)
    for places in range(1, n):
        seat = seat_after(state, int(state.actor), places)
        if is_candidate(state, seat, passed):
            if chosen == 0:
                return seat
            chosen -= 1
    return NONE


@kernel
def is_candidate(state: np.recarray, seat: int, passed: int) -> bool:
    """SG-36, SG-38: another seat than the actor that has not passed and holds a favour."""
    return seat != state.actor and (passed >> seat) & 1 == 0 and total_favour(state, seat) > 0


@kernel
def step_challenge(state: np.recarray, action: int) -> int:
    """SG-36, SG-37: a pass goes on with the poll, the first challenge ends it."""
    seat = int(state.to_move)
    state.polls[seat] += 1
    if action == PASS_0:
        state.passed = int(state.passed) | (1 << seat)
        return POLL
    state.challenger = seat
    state.challenges[seat] += 1
    return REVEAL


@kernel
def step_resolution(table: np.recarray, state: np.recarray, action: int) -> int:
    """Carries out a choice of the actor within an effect or bonus, and goes on resolving when the step is done."""
    phase = int(state.phase)
    done = True
    if phase == FAVOUR:
        move_step_favour(table, state, action - FAVOUR_0)
    elif phase == BONUS_TARGET:
        state.bonus_target = seat_after(state, int(state.actor), action - SEAT_0 + 1)
    elif phase == RECIPIENT:
        state.recipient = seat_after(state, int(state.actor), action - SEAT_0 + 1)
    elif phase == PICK:
        if action == LEAVE_0:
            end_step(state, True)
        else:
            done = pick_card(state, action - PICK_0)
    else:
        done = discard_card(state, action - DISCARD_0)
    return RESOLVE if done else ASK


# ------------------------------------------------------------------------------------------------------- resolution


@kernel
def is_bluff(state: np.recarray) -> bool:
    """SG-34: the card is not of the declared kind."""
    return bool(state.table_kind != state.declared)


@kernel
def reveal(state: np.recarray) -> int:
    """SG-41 to SG-45: the card is turned up. An exposed bluff has no effect; everything else is resolved."""
    actor = int(state.actor)
    strike_known(state, actor, int(state.table_kind))
    state.plays[actor] += 1
    if is_bluff(state):
        state.bluffs[actor] += 1
        if state.challenger != NONE:
            state.challenges_won[state.challenger] += 1
            return PAY
    return RESOLVE


@kernel
def resolve(table: np.recarray, state: np.recarray) -> int:
    """Goes on with the effect (SG-42, SG-44), after that of an unchallenged bluff with the bonus (SG-43)."""
    if not resolve_steps(table, state):
        return ASK
    kind = int(state.table_kind)
    if state.list_no == EFFECT and is_bluff(state) and table.steps[kind, BONUS, 0, 0] != NO_OP:
        state.list_no = BONUS
        if table.uses_target[kind, BONUS] != 0:  # SG-62
            if state.options.num_players > 2:
                state.phase = BONUS_TARGET
                state.to_move = state.actor
                return ASK
            state.bonus_target = 1 - int(state.actor)
        return RESOLVE
    state.list_no = EFFECT
    return PAY if state.challenger != NONE else FINISH


@kernel
def pay(state: np.recarray) -> int:
    """SG-47 to SG-49: the winner of the challenge takes a favour; chosen for it where there is one type (SG-101)."""
    types = take_types(state)
    if types == 0:
        return FINISH
    if types & (types - 1) != 0:
        state.phase = TAKE
        state.to_move = taker(state)
        return ASK
    t = 0
    while types >> t != 1:
        t += 1
    return take(state, t)


@kernel
def taker(state: np.recarray) -> int:
    """SG-44, SG-45: who takes after a challenge: the challenger of a bluff, the actor of an honest play."""
    return int(state.challenger) if is_bluff(state) else int(state.actor)


@kernel
def take_payer(state: np.recarray) -> int:
    """SG-44, SG-45, SG-48: who pays after a challenge: the other one, or RESERVE if that seat holds no favour."""
    payer = int(state.actor) if is_bluff(state) else int(state.challenger)
    return payer if total_favour(state, payer) > 0 else RESERVE


@kernel
def take_types(state: np.recarray) -> int:
    """SG-47, SG-48: the bit set of types that can be taken."""
    payer = take_payer(state)
    types = 0
    for t in range(NUM_TYPES):
        held = state.reserve[t] if payer == RESERVE else state.favour[payer, t]
        if held > 0:
            types |= 1 << t
    return types


@kernel
def take(state: np.recarray, t: int) -> int:
    """SG-44, SG-45, SG-50: the winner of the challenge takes a favour of the type; no token prevents it."""
    move_favour(state, t, take_payer(state), taker(state))
    return FINISH


@kernel
def finish_play(state: np.recarray) -> int:
    """SG-51: the card is laid open on the pile, and the phase ends; SG-22 whatever came of it."""
    lay_on_pile(state, int(state.table_kind), everybody(state))
    clear_play(state)
    if state.part == PLOTTING:
        state.plotted = True
    return END_PHASE
