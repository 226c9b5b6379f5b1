"""The rules of Shadow Master as kernels: deal, legal and step. Clause ids (SM-nn) as in docs/rules/shadow_master.md."""

from __future__ import annotations

import math

import numpy as np

from shadowenvs import rng
from shadowenvs.cards import count
from shadowenvs.game import NO_ACTION, WIN_SHARE
from shadowenvs.games.shadow_master.scoring import find_winners, is_past_the_end, score_round
from shadowenvs.games.shadow_master.spec import (
    ANY,
    END_OF_DECK,
    EVIDENCE,
    GRAB,
    LOOK_0,
    MAX_SEATS,
    NUM_DOTS,
    POCKET,
    POCKET_DOTS,
    POCKET_NUMBER,
    SHUFFLED,
    STREAM_DECK,
    STREAM_DOTS,
    STREAM_GRABS,
    STREAM_LOOK,
    TOGGLE_0,
    WAIT,
    WHITE,
)
from shadowenvs.jit import kernel
from shadowenvs.seats import add_win_shares

TICKS = 128  # places for ticks, or looks, in an index of random draws
LOW_HALF = np.uint64(0xFFFF)
HALF = np.uint64(16)
TWO = np.float32(2.0)
POCKET_EVIDENCE = np.float32(math.log(9.0))  # a look that is right with probability 0.9

# ------------------------------------------------------------------------------------------------------------- rounds


@kernel
def deal(table: np.recarray, state: np.recarray, seed: np.uint64) -> None:
    """Starts a game: all tokens stand on field 0 (SM-06), then round 1 begins."""
    state.seed = seed
    state.done = False
    state.winners = 0
    state.last_targets = 0
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
        state.points[seat] = 0
        state.last_cubes[seat] = 0
        state.last_coins[seat] = 0
        state.last_points[seat] = 0
    for part in range(4):
        state.used[part] = 0
    state.pass_no = 0
    state.round_no = 0
    state.card = 0
    clear_round(state)
    start_round(table, state)


@kernel
def clear_round(state: np.recarray) -> None:
    """SM-23, SM-24, SM-55: all coins lie in the middle; no seat has a cube, a coin or evidence."""
    for seat in range(MAX_SEATS):
        for dot in range(NUM_DOTS):
            state.evidence[seat, dot] = 0.0
            state.looks[seat, dot] = 0
        state.cubes[seat] = 0
        state.coins[seat] = 0
        state.grab_ticks[seat] = 0
        state.commits[seat] = NO_ACTION
    state.coins_left = int(state.options.num_players) - 1
    state.targets = 0
    state.number_sought = 0
    for dot in range(NUM_DOTS):
        state.visibility[dot] = 0.0
        state.objects[dot] = dot
    state.tick = 0
    state.to_move = 0
    state.grain_seat = -1
    state.grain_seed = 0
    state.grain_stop = 0


@kernel
def start_round(table: np.recarray, state: np.recarray) -> None:
    """Opens a round on a cleared table: colour, card, N, dots and targets (SM-08, SM-17 to SM-22)."""
    round_no = int(state.round_no) + 1
    state.round_no = round_no
    state.tick = 1
    if state.options.variant == POCKET:
        start_pocket(state)
        return
    state.colour = table.colours[farthest(state)]
    state.card = next_card(table, state)
    state.number_sought = table.numbers[state.card, state.colour]
    if state.options.dots == SHUFFLED:
        rng.shuffle(state.seed, STREAM_DOTS, round_no, state.objects)
    answers = int(table.answers[state.card, state.colour])
    targets = 0
    for dot in range(NUM_DOTS):
        item = int(state.objects[dot])
        targets |= (answers >> item & 1) << dot
        state.visibility[dot] = table.visibility[state.card, state.colour, item]
    state.targets = targets


@kernel
def start_pocket(state: np.recarray) -> None:
    """Draws the two targets of the pocket variant: the dots of objects 0 and 1 among four (SM-69)."""
    state.colour = WHITE
    state.number_sought = POCKET_NUMBER
    rng.shuffle(state.seed, STREAM_DOTS, 1, state.objects[:POCKET_DOTS])
    targets = 0
    for dot in range(POCKET_DOTS):
        if state.objects[dot] < POCKET_NUMBER:
            targets |= 1 << dot
    state.targets = targets


@kernel
def farthest(state: np.recarray) -> int:
    """SM-08: the field of the token or tokens farthest ahead."""
    field = 0
    for seat in range(int(state.options.num_players)):
        position = int(state.points[seat])
        field = max(field, position)
    return field


@kernel
def num_used(state: np.recarray) -> int:
    """Returns how many cards this pass through the deck has dealt."""
    num = 0
    for part in range(4):
        num += count(state.used[part])
    return num


@kernel
def next_card(table: np.recarray, state: np.recarray) -> int:
    """SM-16, SM-17: marks and returns the first card of the shuffled deck that was not dealt yet; SM-61: a new pass.

    The order is drawn again instead of stored: it is the same as long as the seed is, and with the seed of a sampled
    world the cards still to come are in a new order.
    """
    if num_used(state) == table.num_cards:
        state.pass_no += 1
        for part in range(4):
            state.used[part] = 0
    order = table.cards.copy()
    rng.shuffle(state.seed, STREAM_DECK, int(state.pass_no), order[: table.num_cards])
    card = 0
    for place in range(int(table.num_cards)):
        card = int(order[place])
        if state.used[card // 64] >> np.uint64(card % 64) & np.uint64(1) == np.uint64(0):
            break
    state.used[card // 64] |= np.uint64(1) << np.uint64(card % 64)
    return card


# -------------------------------------------------------------------------------------------------------------- legal


@kernel
def legal(table: np.recarray, state: np.recarray, seat: int, mask: np.ndarray) -> None:
    """Writes the legal actions of a seat; none unless the seat is to move.

    A seat with a coin is never to move in a game (SM-29). A shell that asks all seats at once may say so in a copy:
    then such a seat may only wait.
    """
    if state.done or seat != state.to_move:
        for action in range(WAIT + 1):
            mask[action] = 0
    else:
        write_legal(table, state, seat, mask)


@kernel
def write_legal(table: np.recarray, state: np.recarray, seat: int, mask: np.ndarray) -> None:
    """Writes what a seat may do in this tick (SM-29, SM-33 to SM-38)."""
    cubes = int(state.cubes[seat])
    num = count(np.uint64(cubes))
    acts = state.coins[seat] == 0
    looks = acts and state.options.mode == EVIDENCE
    places = acts and num < state.number_sought
    dots = (1 << int(table.num_dots)) - 1
    look_bits = dots if looks else 0
    toggle_bits = dots if places else cubes if acts else 0
    for dot in range(NUM_DOTS):
        mask[LOOK_0 + dot] = look_bits >> dot & 1
        mask[TOGGLE_0 + dot] = toggle_bits >> dot & 1
    mask[GRAB] = acts and (num == state.number_sought or state.options.grab_rule == ANY)
    mask[WAIT] = 1


# --------------------------------------------------------------------------------------------------------------- step


@kernel
def step(table: np.recarray, state: np.recarray, action: int) -> None:
    """Commits a legal action in secret; the last seat without a coin resolves the tick (SM-27, SM-28, SM-64)."""
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
    state.commits[state.to_move] = action
    following = next_without_coin(state, int(state.to_move) + 1)
    if following >= 0:
        state.to_move = following
    else:
        resolve_tick(table, state)


@kernel
def next_without_coin(state: np.recarray, first: int) -> int:
    """SM-27, SM-64: the lowest seat from ``first`` on that still commits in this round, -1 if there is none."""
    for seat in range(first, int(state.options.num_players)):
        if state.coins[seat] == 0:
            return seat
    return -1


@kernel
def resolve_tick(table: np.recarray, state: np.recarray) -> None:
    """SM-30, SM-45: looks and cubes first, then grabs; the last coin or the last tick ends the round (SM-44, SM-46)."""
    grabs = 0
    for seat in range(int(state.options.num_players)):
        action = int(state.commits[seat])
        state.commits[seat] = NO_ACTION
        if action == GRAB:
            grabs |= 1 << seat
        elif TOGGLE_0 <= action < GRAB:
            state.cubes[seat] = int(state.cubes[seat]) ^ (1 << (action - TOGGLE_0))  # SM-32
        elif LOOK_0 <= action < TOGGLE_0:
            look(table, state, seat, action - LOOK_0)
    if grabs != 0:
        serve_grabs(state, grabs)
    if state.coins_left == 0 or state.tick == state.options.tick_cap:
        end_round(table, state)
    else:
        state.tick += 1
        state.to_move = next_without_coin(state, 0)


@kernel
def serve_grabs(state: np.recarray, grabs: int) -> None:
    """SM-40 to SM-42: in a random order each grabbing seat gets the highest coin left, if there is one.

    Args:
        state: The state.
        grabs: Set of seats.
    """
    n = int(state.options.num_players)
    order = state.commits[:n]  # its entries are spent: room to shuffle in
    for seat in range(n):
        order[seat] = seat
    if grabs & (grabs - 1) != 0:
        rng.shuffle(state.seed, STREAM_GRABS, TICKS * int(state.round_no) + int(state.tick), order)
    for place in range(n):
        seat = int(order[place])
        order[place] = NO_ACTION
        if grabs >> seat & 1 and state.coins_left > 0:
            state.coins[seat] = state.coins_left
            state.grab_ticks[seat] = state.tick
            state.coins_left -= 1


@kernel
def end_round(table: np.recarray, state: np.recarray) -> None:
    """Scores the round, clears the table (SM-55), then ends the game (SM-57, SM-61) or starts the next round."""
    score_round(state)
    clear_round(state)
    if is_over(table, state):
        state.winners = find_winners(state)
        state.done = True
        if state.options.variant != POCKET and state.options.reward == WIN_SHARE:
            add_win_shares(state)
    else:
        start_round(table, state)


@kernel
def is_over(table: np.recarray, state: np.recarray) -> bool:
    """SM-57, SM-61: past the last field, or no card left; with reshuffled decks after ``max_rounds`` rounds."""
    if state.options.variant == POCKET or is_past_the_end(state):
        return True
    if state.options.deck_end == END_OF_DECK:
        return num_used(state) == table.num_cards
    return int(state.round_no) >= int(state.options.max_rounds)


# --------------------------------------------------------------------------------------------------------------- look


@kernel
def look(table: np.recarray, state: np.recarray, seat: int, dot: int) -> None:
    """SM-31: gives a seat evidence about a dot, and weaker evidence about every other dot."""
    options = state.options
    seed, round_no = state.seed, int(state.round_no)
    number = int(state.looks[seat, dot]) + 1
    state.looks[seat, dot] = number
    place = ((NUM_DOTS * seat + dot) * TICKS + number) * 2
    if options.variant == POCKET:
        look_in_pocket(state, seat, dot, rng.below(seed, STREAM_LOOK, round_no, place, 10) != 9)
        return
    near = options.clarity
    if options.periphery == 0:
        word = rng.block(seed, STREAM_LOOK, round_no, place + (dot >> 3))[(dot & 7) >> 1]
        add_evidence(table, state, seat, dot, near, word >> HALF if dot & 1 else word & LOW_HALF)
        return
    far = near * options.periphery
    words = rng.block(seed, STREAM_LOOK, round_no, place)
    for pair in range(4):
        even, odd = 2 * pair, 2 * pair + 1
        add_evidence(table, state, seat, even, near if even == dot else far, words[pair] & LOW_HALF)
        add_evidence(table, state, seat, odd, near if odd == dot else far, words[pair] >> HALF)
    last = NUM_DOTS - 1
    word = rng.block(seed, STREAM_LOOK, round_no, place + 1)[0]
    add_evidence(table, state, seat, last, near if last == dot else far, word & LOW_HALF)


@kernel
def add_evidence(
    table: np.recarray, state: np.recarray, seat: int, dot: int, reach: np.float32, number: np.uint64
) -> None:
    """Adds the log-likelihood ratio of one share of a look (SM-65).

    Args:
        table: The tables record.
        state: The state.
        seat: Who looks.
        dot: Whose evidence changes.
        reach: Nats at full visibility.
        number: Entry of the table of normal deviates.
    """
    strength = reach * state.visibility[dot]
    noise = np.sqrt(TWO * strength) * table.normals[np.int64(number)]
    change = strength + noise if int(state.targets) >> dot & 1 else noise - strength
    state.evidence[seat, dot] += change


@kernel
def look_in_pocket(state: np.recarray, seat: int, dot: int, is_right: bool) -> None:
    """SM-69: adds or takes off ln 9."""
    is_target = int(state.targets) >> dot & 1 == 1
    state.evidence[seat, dot] += POCKET_EVIDENCE if is_target == is_right else -POCKET_EVIDENCE
