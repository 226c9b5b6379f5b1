"""A decent player of Shadow Games that sees an observation and a mask, never a state.

It weighs every choice by what the favours that change hands are worth to it: favours of one type are worth the more
the closer they bring their owner to a majority, and those of a seat about to win most of all. Honest plays are
compared with bluffs, given how often the others have challenged so far; a claim is challenged when the cards that this
seat cannot see and the claimant's past make it unlikely enough for what is at stake. Noise drawn from the seed keeps
the player from being read.
"""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_games.deck import (
    ANY,
    BRIBE,
    DISCARD_OP,
    GAIN,
    LOOK,
    LOSE,
    MAX_KINDS,
    MAX_STEPS,
    NO_OP,
    NUM_TYPES,
    PROTECT,
    STEAL,
)
from shadowenvs.games.shadow_games.spec import (
    AGENTS,
    BONUS,
    BONUS_TARGET,
    CHALLENGE,
    CHALLENGE_0,
    DECLARE,
    DECLARE_0,
    DISCARD,
    DISCARD_0,
    EFFECT,
    FAVOUR_0,
    LEAVE_0,
    NONE,
    PASS_0,
    PICK,
    PICK_0,
    PLAY,
    PLAY_0,
    RECIPIENT,
    SEAT_0,
    SKIP_0,
    TAKE,
    TARGET,
)
from shadowenvs.jit import kernel
from shadowenvs.layout import read_wide

# What things are worth, in units of which a majority is worth NEAR.
NEAR = 10.0  # a pool on the point of a majority
MAJORITY = 3.0  # more, once there is one
SPARE = 2.0  # each favour beyond it, up to three
MARKED = 16.0  # more, if the streak mark is on: the game is won at the next check
TOKEN = 2.5
CARD = 0.4

# How others are judged before they have shown themselves: a rate, and for how many observations it stands.
BLUFF_PRIOR, BLUFF_WEIGHT = 0.36, 8.0
CHALLENGE_PRIOR, CHALLENGE_WEIGHT = 0.12, 10.0

HONESTY = 0.8  # what a bluff must be worth more than an honest play
CAUTION = 0.6  # what a challenge must be worth more than a pass
PLAY_NOISE = 0.6
CHALLENGE_NOISE = 0.7
CHOICE_NOISE = 0.2
WORST = -1e9


@kernel
def heuristic(table: np.recarray, obs: np.recarray, mask: np.ndarray, seed: np.uint64) -> int:
    """Returns a legal action.

    Args:
        table: The tables record; all of it is public.
        obs: The observation of the seat to move.
        mask: Its legal actions, [60].
        seed: Of the noise.
    """
    phase = one_of(obs.phase)
    if phase == CHALLENGE:
        return choose_answer(table, obs, seed)
    best = NONE
    best_value = WORST
    for action in range(len(mask)):
        if mask[action]:
            value = action_value(table, obs, phase, action) + noise(seed, action) * (
                PLAY_NOISE if phase <= TARGET else CHOICE_NOISE
            )
            if value > best_value:
                best = action
                best_value = value
    return best


@kernel
def action_value(table: np.recarray, obs: np.recarray, phase: int, action: int) -> float:
    """Returns about what an action is worth, anywhere but in a poll."""
    if phase in (PLAY, DECLARE):
        return play_value(table, obs, phase, action)
    if phase in (TARGET, BONUS_TARGET):
        kind = one_of(obs.declared) if phase == TARGET else one_of(obs.turned_up)
        return list_value(table, obs, kind, EFFECT if phase == TARGET else BONUS, seat_place(action))
    if phase in (PICK, DISCARD):
        return keep_value(table, obs, phase, action)
    if phase == RECIPIENT:
        return -weight(obs, seat_place(action)) * total_score(obs, seat_place(action))
    return choice_value(table, obs, phase, action - FAVOUR_0)


@kernel
def one_of(entries: np.ndarray) -> int:
    """Returns the place of the first 1, NONE without one."""
    for place in range(len(entries)):
        if entries[place]:
            return place
    return NONE


@kernel
def noise(seed: np.uint64, number: int) -> float:
    """Returns a number from -1 to 1, more often near 0."""
    w0, w1, _, _ = rng.block(seed, rng.STREAM_ACTION, number, 0)
    return (float(w0) - float(w1)) / 4294967296.0


@kernel
def seat_place(action: int) -> int:
    """Returns the place in the observation of the seat that an action names; the actor decides, so it sits at 0."""
    return action - SEAT_0 + 1


# ------------------------------------------------------------------------------------------------------------ favours


@kernel
def score(obs: np.recarray, place: int, t: int, change: int) -> float:
    """Returns what the favours of one type are worth to a seat, after a change."""
    count = read_wide(obs.favour[place, t]) + change
    victory = int(obs.victory)
    if count < victory:
        height = float(count) / float(victory)
        return NEAR * height * height
    worth = NEAR + MAJORITY + SPARE * float(min(3, count - victory))
    return worth + MARKED if obs.marks[place, t] else worth


@kernel
def delta(obs: np.recarray, place: int, t: int, change: int) -> float:
    """Returns what a change of a seat's favours is worth to the observer."""
    return weight(obs, place) * (score(obs, place, t, change) - score(obs, place, t, 0))


@kernel
def weight(obs: np.recarray, place: int) -> float:
    """Returns how much the observer cares for a seat's favours: its own count fully, the others' together as much."""
    return 1.0 if place == 0 else -1.0 / float(int(obs.num_players) - 1)


@kernel
def total_score(obs: np.recarray, place: int) -> float:
    """Returns what a seat's favours are worth to it."""
    total = 0.0
    for t in range(NUM_TYPES):
        total += score(obs, place, t, 0)
    return total


@kernel
def holds(obs: np.recarray, place: int, t: int) -> bool:
    """Returns whether a seat, or the reserve (place NONE), has a favour of the type."""
    if place == NONE:
        return read_wide(obs.reserve[t]) > 0
    return read_wide(obs.favour[place, t]) > 0


@kernel
def holds_any(obs: np.recarray, place: int) -> bool:
    """Returns whether a seat holds any favour."""
    total = 0
    for t in range(NUM_TYPES):
        total += read_wide(obs.favour[place, t])
    return total > 0


@kernel
def move_value(obs: np.recarray, t: int, payer: int, payee: int) -> float:
    """Returns what it is worth that a favour goes from one seat to another; NONE stands for the reserve."""
    value = 0.0
    if payer != NONE:
        value += delta(obs, payer, t, -1)
    if payee != NONE:
        value += delta(obs, payee, t, 1)
    return value


@kernel
def best_move(obs: np.recarray, favour: int, payer: int, payee: int, chooser: int) -> float:
    """Returns what a move of one favour is worth to the observer, 0 if there is none to move.

    Args:
        obs: The observation.
        favour: A type, or ANY.
        payer: Place of the seat that pays, NONE for the reserve.
        payee: Place of the seat that gets it, NONE for the reserve.
        chooser: Place of the seat that chooses the type; it is thought to choose what suits itself.
    """
    found = 0.0
    best = WORST
    for t in range(NUM_TYPES):
        if favour in (ANY, t) and holds(obs, payer, t):
            value = move_value(obs, t, payer, payee)
            wanted = value if chooser == 0 else choice_of_other(obs, t, payer, payee, chooser)
            if wanted > best:
                best = wanted
                found = value
    return found


@kernel
def choice_of_other(obs: np.recarray, t: int, payer: int, payee: int, chooser: int) -> float:
    """Returns how much another seat may want to move a favour of this type: what it gains, or what others lose."""
    wanted = 0.0
    if payee == chooser:
        wanted += score(obs, payee, t, 1) - score(obs, payee, t, 0)
    if payer != NONE:
        loss = score(obs, payer, t, 0) - score(obs, payer, t, -1)
        wanted += -loss if payer == chooser else 0.2 * loss
    return wanted


# -------------------------------------------------------------------------------------------------------------- lists


@kernel
def list_value(table: np.recarray, obs: np.recarray, kind: int, list_no: int, target: int) -> float:
    """Returns about what an effect or bonus is worth to the observer, resolved by the actor on a target."""
    actor = one_of(obs.actor)
    value = 0.0
    done = True
    for step_no in range(MAX_STEPS):
        op = int(table.steps[kind, list_no, step_no, 0])
        if op == NO_OP:
            break
        favour = int(table.steps[kind, list_no, step_no, 1])
        who = int(table.steps[kind, list_no, step_no, 2])
        count = int(table.steps[kind, list_no, step_no, 3])
        if table.steps[kind, list_no, step_no, 4] != 0 and not done:
            break
        done = can_carry_out(obs, op, favour, who, actor, target)
        if done:
            value += step_value(obs, op, favour, who, count, actor, target)
        elif takes_from_target(op, who) and is_shielded(obs, target) and actor == 0:
            value += 0.3  # the token is gone
    return value


@kernel
def takes_from_target(op: int, who: int) -> bool:
    """Returns whether a step takes a favour out of the target's pool."""
    return op == STEAL or (op == LOSE and who == 1)


@kernel
def is_shielded(obs: np.recarray, target: int) -> bool:
    """Returns whether a token protects the target in this phase."""
    return bool(obs.part[AGENTS] and (obs.shields[target] or obs.blocked[target]))


@kernel
def can_carry_out(obs: np.recarray, op: int, favour: int, who: int, actor: int, target: int) -> bool:
    """Returns whether a step finds the favour that it moves."""
    if op > BRIBE:
        return True
    if takes_from_target(op, who) and is_shielded(obs, target):
        return False
    payer = payer_of(op, who, actor, target)
    found = False
    for t in range(NUM_TYPES):
        found = found or (favour in (ANY, t) and holds(obs, payer, t))
    return found


@kernel
def payer_of(op: int, who: int, actor: int, target: int) -> int:
    """Returns the place of the seat whose favour a step moves, NONE for the reserve."""
    if op == GAIN:
        return NONE
    return target if takes_from_target(op, who) else actor


@kernel
def payee_of(op: int, who: int, actor: int, target: int, recipient: int) -> int:
    """Returns the place of the seat that gets the favour of a step, NONE for the reserve."""
    if op == LOSE:
        return NONE
    if op == BRIBE:
        return target if who == 1 else recipient
    return actor


@kernel
def step_value(obs: np.recarray, op: int, favour: int, who: int, count: int, actor: int, target: int) -> float:
    """Returns about what a step that can be carried out is worth to the observer."""
    if op <= BRIBE:
        payer = payer_of(op, who, actor, target)
        return best_move(obs, favour, payer, payee_of(op, who, actor, target, 1), actor)
    mine = weight(obs, actor)
    if op == PROTECT:
        return 0.0 if obs.shields[actor] or obs.reserve_tokens == 0 else mine * TOKEN
    if op == DISCARD_OP:
        return -0.5 * mine * CARD * float(count)
    if op == LOOK and obs.pile_size == 0:
        return 0.0
    return mine * CARD * float(count)


@kernel
def best_list_value(table: np.recarray, obs: np.recarray, kind: int, list_no: int) -> float:
    """Returns the value of an effect or bonus of the observer's, on the best target."""
    best = WORST
    for place in range(1, int(obs.num_players)):
        best = max(best, list_value(table, obs, kind, list_no, place))
        if table.uses_target[kind, list_no] == 0:
            break
    return best


# ---------------------------------------------------------------------------------------------------------------- play


@kernel
def play_value(table: np.recarray, obs: np.recarray, phase: int, action: int) -> float:
    """Returns what it is worth to put down a card: that of the best claim, or of the one claim of a DECLARE."""
    if action == SKIP_0:
        return 0.0
    kind = action - PLAY_0 if phase == PLAY else one_of(obs.table_card)
    part = one_of(obs.part)
    best = WORST
    for claim in range(MAX_KINDS):
        if table.card_type[claim] == part and (phase == PLAY or claim == action - DECLARE_0):
            best = max(best, claim_value(table, obs, kind, claim))
    return best


@kernel
def claim_value(table: np.recarray, obs: np.recarray, kind: int, claim: int) -> float:
    """Returns what it is worth to put down a card and declare it to be of a kind."""
    value = 0.0
    for list_no in range(2):
        resolved = kind if list_no == BONUS else claim
        if list_no == EFFECT or (kind != claim and table.steps[kind, BONUS, 0, 0] != NO_OP):
            value += best_list_value(table, obs, resolved, list_no)
    challenged = chance_of_challenge(table, obs, claim)
    challenger = likely_challenger(obs)
    if kind == claim:
        return value + challenged * price(obs, 0, challenger)
    return (1.0 - challenged) * value + challenged * price(obs, challenger, 0) - HONESTY


@kernel
def price(obs: np.recarray, taker: int, payer: int) -> float:
    """Returns what it is worth to the observer that one seat takes a favour from another after a challenge."""
    return best_move(obs, ANY, payer if holds_any(obs, payer) else NONE, taker, taker)


@kernel
def likely_challenger(obs: np.recarray) -> int:
    """Returns the place of the first seat that will be polled, or 1."""
    for place in range(1, int(obs.num_players)):
        if holds_any(obs, place):
            return place
    return 1


@kernel
def chance_of_challenge(table: np.recarray, obs: np.recarray, claim: int) -> float:
    """Returns how likely it is that somebody challenges a claim of the observer's."""
    # Every copy that lies open makes the claim less likely in the eyes of all.
    doubt = 1.0 + float(obs.pile[claim]) / float(table.copies[claim])
    trust = 1.0
    for place in range(1, int(obs.num_players)):
        if holds_any(obs, place):
            rate = rate_of(
                read_wide(obs.challenges[place]), read_wide(obs.polls[place]), CHALLENGE_PRIOR, CHALLENGE_WEIGHT
            )
            trust *= 1.0 - min(0.95, rate * doubt)
    return 1.0 - trust


@kernel
def rate_of(part: int, whole: int, prior: float, prior_weight: float) -> float:
    """Returns a rate estimated from a count and what was thought before."""
    return (float(part) + prior * prior_weight) / (float(whole) + prior_weight)


@kernel
def keep_value(table: np.recarray, obs: np.recarray, phase: int, action: int) -> float:
    """Returns what it is worth to pick or discard a card, by what its effect would bring now."""
    if action == LEAVE_0:
        return 0.0
    kept = best_list_value(table, obs, action - (PICK_0 if phase == PICK else DISCARD_0), EFFECT)
    return 1.0 + kept if phase == PICK else -kept


# ----------------------------------------------------------------------------------------------------------- challenge


@kernel
def choose_answer(table: np.recarray, obs: np.recarray, seed: np.uint64) -> int:
    """Returns PASS or CHALLENGE: the latter if what it may win is worth what it may cost."""
    actor = one_of(obs.actor)
    claim = one_of(obs.declared)
    target = one_of(obs.target)
    bluff = chance_of_bluff(table, obs, actor, claim)
    harm = list_value(table, obs, claim, EFFECT, max(target, 0))
    win = price(obs, 0, actor) - harm
    lose = price(obs, actor, 0)
    value = bluff * win + (1.0 - bluff) * lose
    return CHALLENGE_0 if value > CAUTION + CHALLENGE_NOISE * noise(seed, CHALLENGE_0) else PASS_0


@kernel
def chance_of_bluff(table: np.recarray, obs: np.recarray, actor: int, claim: int) -> float:
    """Returns how likely the card on the table is not what it was declared to be."""
    if obs.known[actor, claim] > 0:
        has = 0.9
    else:
        has = chance_to_hold(int(obs.unseen[claim]), num_unseen(obs), int(obs.hand_sizes[actor]) + 1)
    usual = chance_to_hold(int(table.copies[claim]), int(table.num_cards), int(obs.hand_sizes[actor]) + 1)
    if has <= 0.0:
        return 1.0
    rate = rate_of(read_wide(obs.bluffs[actor]), read_wide(obs.plays[actor]), BLUFF_PRIOR, BLUFF_WEIGHT)
    odds = rate / (1.0 - min(0.95, rate)) * ((1.0 - has) / has) * (usual / max(0.05, 1.0 - usual))
    return odds / (1.0 + odds)


@kernel
def num_unseen(obs: np.recarray) -> int:
    """Returns how many cards there are of which the observer does not know the place."""
    total = 0
    for kind in range(MAX_KINDS):
        total += int(obs.unseen[kind])
    return total


@kernel
def chance_to_hold(copies: int, cards: int, hand: int) -> float:
    """Returns how likely one of the copies is among a hand drawn from so many cards."""
    if copies <= 0:
        return 0.0
    without = 1.0
    for place in range(min(hand, cards)):
        left = cards - place
        without *= max(0.0, float(left - copies)) / float(left)
    return 1.0 - without


# ------------------------------------------------------------------------------------------------------------- choices


@kernel
def choice_value(table: np.recarray, obs: np.recarray, phase: int, t: int) -> float:
    """Returns what it is worth to choose a type, for the present step or after a challenge."""
    actor = one_of(obs.actor)
    if phase == TAKE:
        payer = one_of(obs.challenger) if actor == 0 else actor
        return move_value(obs, t, payer if holds(obs, payer, t) else NONE, 0)
    list_no = one_of(obs.list_no)
    kind = one_of(obs.declared) if list_no == EFFECT else one_of(obs.turned_up)
    step_no = one_of(obs.step_no)
    op = int(table.steps[kind, list_no, step_no, 0])
    who = int(table.steps[kind, list_no, step_no, 2])
    target = one_of(obs.target) if list_no == EFFECT else one_of(obs.bonus_target)
    return move_value(obs, t, payer_of(op, who, 0, target), payee_of(op, who, 0, target, one_of(obs.recipient)))
