"""The steps of effects and bonuses (SG-53 to SG-83)."""

from __future__ import annotations

import numpy as np

from shadowenvs.bits import count
from shadowenvs.games.shadow_games.deck import (
    ANY,
    BRIBE,
    DISCARD_OP,
    DRAW,
    GAIN,
    LOOK,
    LOSE,
    MAX_STEPS,
    NO_OP,
    NUM_TYPES,
    PROTECT,
    STEAL,
)
from shadowenvs.games.shadow_games.piles import discard_aside, draw, num_aside, pick, show_pile
from shadowenvs.games.shadow_games.scoring import count_points
from shadowenvs.games.shadow_games.spec import AGENTS, DISCARD, EFFECT, FAVOUR, HELD, NONE, PICK, RECIPIENT, SINGLE
from shadowenvs.jit import kernel

RESERVE = -1  # in place of a seat

# ------------------------------------------------------------------------------------------------------------ lists


@kernel
def resolve_steps(table: np.recarray, state: np.recarray) -> bool:
    """SG-53: goes through the steps of the present list; returns False where one waits for a choice."""
    while state.step_no < MAX_STEPS:
        if step_entry(table, state, 0) == NO_OP:
            break
        if not resolve_step(table, state):
            return False
    state.step_no = 0
    state.carried = False
    return True


@kernel
def step_entry(table: np.recarray, state: np.recarray, entry: int) -> int:
    """Returns op 0, favour 1, who 2, count 3 or then 4 of the present step.

    The effect is that of the declared kind, the bonus that of the card on the table (SG-42, SG-43).
    """
    kind = int(state.declared) if state.list_no == EFFECT else int(state.table_kind)
    return int(table.steps[kind, int(state.list_no), int(state.step_no), entry])


@kernel
def end_step(state: np.recarray, carried: bool) -> None:
    """Goes on to the next step of the list."""
    state.carried = carried
    state.step_no += 1
    state.recipient = NONE
    state.left = 0


@kernel
def resolve_step(table: np.recarray, state: np.recarray) -> bool:
    """Carries out or ignores one step (SG-55, SG-56); returns False if it waits for a choice."""
    op = step_entry(table, state, 0)
    if step_entry(table, state, 4) != 0 and not state.carried:
        end_step(state, False)
        return True
    if op == PROTECT:
        end_step(state, protect(state))
        return True
    if op == DRAW:
        end_step(state, draw_cards(state, step_entry(table, state, 3)))
        return True
    if op == LOOK:
        return look(state, step_entry(table, state, 3))
    if op == DISCARD_OP:
        return start_discard(state, step_entry(table, state, 3))
    return move_step(table, state)


# --------------------------------------------------------------------------------------------------- moving favours


@kernel
def move_step(table: np.recarray, state: np.recarray) -> bool:
    """SG-57 to SG-68, SG-77: gain, lose, steal or bribe; asks for recipient and type where they are open (SG-101)."""
    types = step_types(table, state)
    payer = step_payer(table, state)
    if types == 0 or (payer != RESERVE and payer != state.actor and is_blocked(state, payer)):
        end_step(state, False)
        return True
    if asks_recipient(table, state):
        if state.options.num_players > 2:
            state.phase = RECIPIENT
            state.to_move = state.actor
            return False
        state.recipient = 1 - int(state.actor)
    if types & (types - 1) != 0:
        state.phase = FAVOUR
        state.to_move = state.actor
        return False
    t = 0
    while types >> t != 1:
        t += 1
    move_step_favour(table, state, t)
    return True


@kernel
def move_step_favour(table: np.recarray, state: np.recarray, t: int) -> None:
    """Moves one favour of the type as the present step says, which completes the step."""
    move_favour(state, t, step_payer(table, state), step_payee(table, state))
    end_step(state, True)


@kernel
def step_types(table: np.recarray, state: np.recarray) -> int:
    """SG-57, SG-58, SG-63 to SG-67: the bit set of types in which the present step can be carried out."""
    payer = step_payer(table, state)
    favour = step_entry(table, state, 1)
    types = 0
    for t in range(NUM_TYPES):
        if favour in (ANY, t):
            held = state.reserve[t] if payer == RESERVE else state.favour[payer, t]
            if held > 0:
                types |= 1 << t
    return types


@kernel
def step_payer(table: np.recarray, state: np.recarray) -> int:
    """Returns whose favour the present step moves: a seat or RESERVE (SG-63 to SG-67)."""
    op = step_entry(table, state, 0)
    if op == GAIN:
        return RESERVE
    if op == STEAL or (op == LOSE and step_entry(table, state, 2) == 1):
        return step_target(state)
    return int(state.actor)


@kernel
def step_payee(table: np.recarray, state: np.recarray) -> int:
    """Returns who gets the favour that the present step moves: a seat or RESERVE (SG-63 to SG-67)."""
    op = step_entry(table, state, 0)
    if op == LOSE:
        return RESERVE
    if op == BRIBE:
        return step_target(state) if step_entry(table, state, 2) == 1 else int(state.recipient)
    return int(state.actor)


@kernel
def step_target(state: np.recarray) -> int:
    """SG-61, SG-62: the target of the list being resolved."""
    return int(state.target) if state.list_no == EFFECT else int(state.bonus_target)


@kernel
def asks_recipient(table: np.recarray, state: np.recarray) -> bool:
    """SG-68: whether the present step is a bribe whose recipient is not chosen yet."""
    return step_entry(table, state, 0) == BRIBE and step_entry(table, state, 2) == 0 and state.recipient == NONE


@kernel
def move_favour(state: np.recarray, t: int, payer: int, payee: int) -> None:
    """Moves one favour between two pools, each a seat or RESERVE (SG-04)."""
    if payer == RESERVE:
        state.reserve[t] -= 1
    else:
        state.favour[payer, t] -= 1
        count_points(state, payer)
        if state.options.victory_check == HELD and state.favour[payer, t] < state.options.victory:  # SG-94
            state.marks[payer] = int(state.marks[payer]) & ~(1 << t)
    if payee == RESERVE:
        state.reserve[t] += 1
    else:
        state.favour[payee, t] += 1
        count_points(state, payee)


# ------------------------------------------------------------------------------------------------------- protection


@kernel
def protect(state: np.recarray) -> bool:
    """SG-69: the actor takes a token, unless it holds one or the reserve has none."""
    actor = int(state.actor)
    shields = int(state.shields)
    if (shields >> actor) & 1 != 0 or reserve_tokens(state) == 0:
        return False
    state.shields = shields | (1 << actor)
    return True


@kernel
def reserve_tokens(state: np.recarray) -> int:
    """Returns how many tokens are in the reserve."""
    return int(state.options.tokens) - count(np.uint64(state.shields))


@kernel
def is_blocked(state: np.recarray, owner: int) -> bool:
    """SG-76, SG-77, SG-79, SG-82: whether a step that takes a favour from another seat is blocked; spends the token.

    Asked only for a step that could otherwise be carried out (SG-78), and never for the actor's own losses (SG-81).
    """
    if state.part != AGENTS:
        return False
    if (int(state.blocked) >> owner) & 1 != 0:
        return True
    if (int(state.shields) >> owner) & 1 == 0:
        return False
    if state.options.protection == SINGLE:
        state.shields = int(state.shields) & ~(1 << owner)
        state.blocked = int(state.blocked) | (1 << owner)
    return True


# ------------------------------------------------------------------------------------------------------------ cards


@kernel
def draw_cards(state: np.recarray, num: int) -> bool:
    """SG-70: the actor draws cards one by one; returns whether there was at least one."""
    drawn = False
    for _ in range(num):
        if draw(state, int(state.actor)):
            drawn = True
    return drawn


@kernel
def look(state: np.recarray, num: int) -> bool:
    """SG-71, SG-104: the actor sees the pile, and is then asked what to take of it."""
    if state.pile_size == 0:
        end_step(state, False)
        return True
    show_pile(state, int(state.actor))
    state.left = num
    return go_on_picking(state)


@kernel
def go_on_picking(state: np.recarray) -> bool:
    """Asks for the next card while one may be taken and there is one."""
    if state.left == 0 or state.pile_size == 0:
        end_step(state, True)
        return True
    state.phase = PICK
    state.to_move = state.actor
    return False


@kernel
def pick_card(state: np.recarray, kind: int) -> bool:
    """Takes a card in PICK; returns whether the step is done."""
    pick(state, int(state.actor), kind)
    state.left -= 1
    return go_on_picking(state)


@kernel
def start_discard(state: np.recarray, num: int) -> bool:
    """SG-74, SG-104: the actor must choose so many cards of the hand, or all if there are fewer."""
    state.left = min(num, int(state.hand_size[state.actor]))
    if state.left == 0:
        end_step(state, False)
        return True
    state.phase = DISCARD
    state.to_move = state.actor
    return False


@kernel
def discard_card(state: np.recarray, kind: int) -> bool:
    """Sets a card aside in DISCARD (SG-13); with the last one all go to the pile, and the step is done."""
    actor = int(state.actor)
    state.hand[actor, kind] -= 1
    state.hand_size[actor] -= 1
    state.aside[num_aside(state)] = kind
    left = int(state.left) - 1
    state.left = left
    if left > 0:
        return False
    discard_aside(state, actor)
    end_step(state, True)
    return True
