"""Determinisation of Shadow Games: a world that a seat cannot tell from the true one (SG-118 to SG-123)."""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_games.deck import AGENT, MAX_CARDS, MAX_KINDS
from shadowenvs.games.shadow_games.piles import num_aside
from shadowenvs.games.shadow_games.spec import AGENTS, CHALLENGE, NONE, PLAY
from shadowenvs.jit import kernel

MAX_TRIES = 10_000  # more than enough for every position that can be reached

# Numbers of the draws within STREAM_WORLD; the try is added to each.
_SHUFFLE_POOL, _SHUFFLE_SEAT = 0, MAX_TRIES


@kernel
def determinise(table: np.recarray, state: np.recarray, seat: int, seed: np.uint64) -> None:
    """Replaces all that a seat cannot know by a sample, and the seed of all later draws (SG-120, SG-132).

    Args:
        table: The tables record.
        state: The state, changed in place.
        seat: Whose knowledge is kept.
        seed: Seed of the sample, and of the sampled world.
    """
    state.seed = seed
    pool = np.empty(MAX_CARDS, np.int8)
    num = fill_pool(table, state, seat, pool)
    for attempt in range(MAX_TRIES):
        rng.shuffle(seed, rng.STREAM_WORLD, _SHUFFLE_POOL + attempt, pool[:num])
        if fill_slots(table, state, seat, seed, attempt, pool):
            break


@kernel
def fill_pool(table: np.recarray, state: np.recarray, seat: int, pool: np.ndarray) -> int:
    """SG-118: writes the kinds of the cards whose place the seat does not know; returns how many there are.

    All other seats' hidden cards are in the pool, but for those that are known to be theirs.
    """
    left = np.zeros(MAX_KINDS, np.int64)
    for kind in range(MAX_KINDS):
        left[kind] = int(table.copies[kind]) - int(state.hand[seat, kind])
        for other in range(int(state.options.num_players)):
            if other != seat:
                left[kind] -= int(state.known[other, kind])
    if state.table_kind != NONE and (seat == state.actor or state.phase > CHALLENGE):
        left[state.table_kind] -= 1
    if seat == state.actor:
        for place in range(num_aside(state)):
            left[state.aside[place]] -= 1
    for place in range(int(state.pile_size)):
        if is_seen(state, place, seat):
            left[state.cards[place]] -= 1
    num = 0
    for kind in range(MAX_KINDS):
        for _ in range(left[kind]):
            pool[num] = kind
            num += 1
    return num


@kernel
def is_seen(state: np.recarray, place: int, seat: int) -> bool:
    """Returns whether a seat knows the card at a place of the pile."""
    return bool((int(state.seen[place]) >> seat) & 1)


@kernel
def fill_slots(
    table: np.recarray, state: np.recarray, seat: int, seed: np.uint64, attempt: int, pool: np.ndarray
) -> bool:
    """SG-119 to SG-121: puts the shuffled pool into hands, deck and pile.

    Returns:
        Whether the world is possible (SG-122, SG-131).
    """
    start = 0
    possible = True
    for other in range(int(state.options.num_players)):
        if other == seat:
            continue
        hidden = hidden_size(state, other)
        known = 0
        for kind in range(MAX_KINDS):
            known += int(state.known[other, kind])
        slots = hidden - known
        set_cards(state, other, pool[start : start + slots])
        start += slots
        if other == state.actor and not lay_out(table, state, seed, attempt):
            possible = False
    for place in range(MAX_CARDS - int(state.deck_size), MAX_CARDS):
        state.cards[place] = pool[start]
        start += 1
    for place in range(int(state.pile_size)):
        if not is_seen(state, place, seat):
            state.cards[place] = pool[start]
            start += 1
    return possible


@kernel
def hidden_size(state: np.recarray, other: int) -> int:
    """SG-119: how many cards a seat holds in hand, face down on the table and set aside."""
    size = int(state.hand_size[other])
    if other == state.actor:
        size += num_aside(state)
        if is_face_down(state):
            size += 1
    return size


@kernel
def is_face_down(state: np.recarray) -> bool:
    """Returns whether the card on the table is hidden."""
    return bool(PLAY < state.phase <= CHALLENGE)


@kernel
def set_cards(state: np.recarray, other: int, cards: np.ndarray) -> None:
    """Gives a seat the cards that are known to be its own, and the given ones, as its hand."""
    for kind in range(MAX_KINDS):
        state.hand[other, kind] = state.known[other, kind]
    for kind in cards:
        state.hand[other, kind] += 1


@kernel
def lay_out(table: np.recarray, state: np.recarray, seed: np.uint64, attempt: int) -> bool:
    """SG-121, SG-122, SG-131: draws the actor's face-down card, or those set aside in order, from all its cards.

    Returns:
        Whether the cards fit what is known of the play.
    """
    actor = int(state.actor)
    fits = state.options.card_fits_phase != 0
    cards = np.empty(MAX_CARDS, np.int8)
    num = 0
    for kind in range(MAX_KINDS):
        for _ in range(int(state.hand[actor, kind])):
            cards[num] = kind
            num += 1
    if fits and state.phase == PLAY and state.part == AGENTS and not state.plotted:
        return holds_agent(table, cards[:num])
    rng.shuffle(seed, rng.STREAM_WORLD, _SHUFFLE_SEAT + attempt, cards[:num])
    if is_face_down(state):
        chosen = NONE
        for place in range(num):
            if not fits or table.card_type[cards[place]] == state.part:
                chosen = int(cards[place])
                break
        if chosen == NONE:
            return False
        state.table_kind = chosen
        state.hand[actor, chosen] -= 1
    for place in range(num_aside(state)):
        state.aside[place] = cards[place]
        state.hand[actor, cards[place]] -= 1
    return True


@kernel
def holds_agent(table: np.recarray, cards: np.ndarray) -> bool:
    """Returns whether an agent card is among the cards."""
    found = False
    for kind in cards:
        found = found or table.card_type[kind] == AGENT
    return found
