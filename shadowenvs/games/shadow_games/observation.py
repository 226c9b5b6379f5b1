"""What a seat sees of a table of Shadow Games (SG-117).

Most of it is flags. They are gathered in words, one bit each in the order of the layout, and a word is written at once
(see flags.py): it writes 64 entries, so words are written in ascending order, and before what follows the last one.
"""

from __future__ import annotations

import numpy as np

from shadowenvs.game import WIN_SHARE
from shadowenvs.games.shadow_games.deck import AGENT, MAX_KINDS, NUM_TYPES
from shadowenvs.games.shadow_games.effects import reserve_tokens, step_entry
from shadowenvs.games.shadow_games.flags import (
    OCTETS,
    WORD,
    above,
    octet,
    read_octets,
    write_flags,
    write_octets,
    write_word,
)
from shadowenvs.games.shadow_games.piles import num_aside
from shadowenvs.games.shadow_games.spec import (
    CHALLENGE,
    FAVOUR_BARS,
    HAND_BARS,
    MAX_COUNT,
    MAX_SEATS,
    NONE,
    OBSERVATION,
    OVER,
    RANDOM,
    STATE,
    TABLES,
    TAKE,
    UNSEEN_BARS,
    UNTIL_TURN,
)
from shadowenvs.jit import kernel
from shadowenvs.layout import WIDE_BASE, clear_first, write_wide

_FIRST = {name: place.start for name, place in OBSERVATION.slices.items()}

# Entries where words start, and places of flags within their word.
_TURN_WORD, _CARD_WORD, _STEP_WORD, _FAVOUR_WORD = (
    _FIRST[name] for name in ("phase", "declared", "bonus_target", "favour_bars")
)
_PART, _PLOTTED, _PRESENT = (_FIRST[name] - _TURN_WORD for name in ("part", "plotted", "present"))
_ACTOR, _TO_MOVE, _SHIELDS, _TARGET, _PASSED, _CHALLENGER, _BLOCKED = (
    _FIRST[name] - _FIRST["present"]
    for name in ("actor", "to_move", "shields", "target", "passed", "challenger", "blocked")
)
_ROWS = sum(1 << MAX_SEATS * row for row in range(10))  # the first bit of every row of seats
_TABLE_CARD, _TURNED_UP, _PILE_TOP, _LIST_NO, _STEP_NO, _STEP_OP, _CARRIED = (
    _FIRST[name] - _CARD_WORD
    for name in ("table_card", "turned_up", "pile_top", "list_no", "step_no", "step_op", "carried")
)
_RECIPIENT, _RESERVE_BARS, _MAJORITY, _MARKS = (
    _FIRST[name] - _STEP_WORD for name in ("recipient", "reserve_bars", "majority", "marks")
)
_SEAT_BARS = NUM_TYPES * FAVOUR_BARS  # flags of a seat in favour_bars
_WORD_SEATS = WORD // _SEAT_BARS  # seats of which a word holds those flags
_SECOND_FAVOUR_WORD = _FAVOUR_WORD + _WORD_SEATS * _SEAT_BARS

# Entries where numbers by kind start.
_FIRST_PILE, _FIRST_ASIDE, _FIRST_HAND, _FIRST_HAND_BARS, _FIRST_UNSEEN, _FIRST_UNSEEN_BARS = (
    _FIRST[name] for name in ("pile", "aside", "hand", "hand_bars", "unseen", "unseen_bars")
)
_STATE_HAND, _STATE_KNOWN, _TABLE_COPIES = (
    int(dtype.fields[name][1])  # type: ignore[index]
    for dtype, name in ((STATE, "hand"), (STATE, "known"), (TABLES, "copies"))
)

_SMALL = 64  # numbers below have a 0 in front of them; a power of two, so that many are compared at once
_LOW = 127  # what an entry can hold of a number that is written anew if it is not small


@kernel
def observe(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the observation of a seat; seats inside it count clockwise from the observer.

    What the options fix is the same in every observation of an environment: it is written once and left alone. So are
    the zeros of absent seats.
    """
    clear_first(obs, _TURN_WORD)
    if obs.num_players == 0:
        observe_options(table, state, obs)
    observe_pile(state, seat, obs)
    write_word(turn_flags(state, seat), obs, _TURN_WORD)
    write_word(card_flags(table, state, seat), obs, _CARD_WORD)
    observe_seats(state, seat, obs)
    observe_numbers(state, obs)
    observe_cards(table, state, seat, obs)  # reads the pile at once, so not right after it was written byte by byte


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
def only(number: int) -> int:
    """Returns the bit set of one number, the empty one for NONE."""
    return (1 << (number + 1)) >> 1


@kernel
def seen_from(seat: int, rows: int, n: int) -> int:
    """Returns bit sets of seats as bit sets of their places clockwise of a seat.

    Args:
        seat: The seat.
        rows: Up to ten bit sets side by side, MAX_SEATS bits each.
        n: Number of seats.
    """
    low = ((1 << (n - seat)) - 1) * _ROWS
    return (rows >> seat & low) | (rows << (n - seat) & (((1 << n) - 1) * _ROWS - low))


@kernel
def turn_flags(state: np.recarray, seat: int) -> int:
    """Returns the flags from ``phase`` to ``blocked``: where the game stands, and the public part of a play."""
    n = int(state.options.num_players)
    flags = 1 << int(state.phase)
    rows = (1 << n) - 1
    if state.phase != OVER:
        flags |= 1 << (_PART + int(state.part))
        rows |= 1 << (_ACTOR + int(state.actor)) | 1 << (_TO_MOVE + int(state.to_move))
    flags |= int(state.plotted) << _PLOTTED
    rows |= int(state.shields) << _SHIELDS | only(int(state.target)) << _TARGET | int(state.passed) << _PASSED
    rows |= only(int(state.challenger)) << _CHALLENGER | int(state.blocked) << _BLOCKED
    return flags | seen_from(seat, rows, n) << _PRESENT


@kernel
def card_flags(table: np.recarray, state: np.recarray, seat: int) -> int:
    """Returns the flags from ``declared`` to ``carried``: cards, and the step that waits for a choice.

    The card on the table is the actor's secret until it is turned up (SG-108).
    """
    phase = int(state.phase)
    flags = only(int(state.declared))
    card = only(int(state.table_kind))
    if phase > CHALLENGE:
        flags |= card << _TURNED_UP
    elif seat == state.actor:
        flags |= card << _TABLE_CARD
    size = int(state.pile_size)
    if size > 0:
        flags |= 1 << (_PILE_TOP + int(state.cards[size - 1]))
    if CHALLENGE < phase < TAKE:
        flags |= 1 << (_LIST_NO + int(state.list_no))
        flags |= 1 << (_STEP_NO + int(state.step_no))
        flags |= 1 << (_STEP_OP + step_entry(table, state, 0) - 1)
        flags |= int(state.carried) << _CARRIED
    return flags


@kernel
def observe_seats(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the flags from ``bonus_target`` to ``favour_bars`` and the public numbers of all seats."""
    n = int(state.options.num_players)
    victory = int(state.options.victory)
    steps = seen_from(seat, only(int(state.bonus_target)) | only(int(state.recipient)) << _RECIPIENT, n)
    for t in range(NUM_TYPES):
        steps |= int(state.reserve[t] > 0) << (_RESERVE_BARS + t)
    first_bars = 0
    second_bars = 0
    other = seat
    for place in range(n):
        bars = 0
        majority = 0
        largest = int(state.plays[other]) | int(state.polls[other])  # the other counts are parts of these
        for t in range(NUM_TYPES):
            favour = int(state.favour[other, t])
            bars |= ((1 << min(FAVOUR_BARS, favour)) - 1) << (FAVOUR_BARS * t)
            majority |= int(favour >= victory) << t
            largest |= favour
            obs.favour[place, t, 1] = favour & _LOW
        obs.hand_sizes[place] = state.hand_size[other]
        obs.plays[place, 1] = int(state.plays[other]) & _LOW
        obs.bluffs[place, 1] = int(state.bluffs[other]) & _LOW
        obs.polls[place, 1] = int(state.polls[other]) & _LOW
        obs.challenges[place, 1] = int(state.challenges[other]) & _LOW
        obs.challenges_won[place, 1] = int(state.challenges_won[other]) & _LOW
        if largest >= _SMALL:
            observe_large(state, other, place, obs)
        steps |= (majority << _MAJORITY | int(state.marks[other]) << _MARKS) << (NUM_TYPES * place)
        if place < _WORD_SEATS:
            first_bars |= bars << (_SEAT_BARS * place)
        else:
            second_bars |= bars << (_SEAT_BARS * (place - _WORD_SEATS))
        other = 0 if other + 1 == n else other + 1
    write_word(steps, obs, _STEP_WORD)
    write_word(first_bars, obs, _FAVOUR_WORD)
    write_word(second_bars, obs, _SECOND_FAVOUR_WORD)


@kernel
def observe_large(state: np.recarray, other: int, place: int, obs: np.recarray) -> None:
    """Writes the wide numbers of a seat if one of them may be above 99."""
    for t in range(NUM_TYPES):
        write_wide(obs.favour[place, t], int(state.favour[other, t]))
    write_wide(obs.plays[place], min(MAX_COUNT, int(state.plays[other])))
    write_wide(obs.bluffs[place], min(MAX_COUNT, int(state.bluffs[other])))
    write_wide(obs.polls[place], min(MAX_COUNT, int(state.polls[other])))
    write_wide(obs.challenges[place], min(MAX_COUNT, int(state.challenges[other])))
    write_wide(obs.challenges_won[place], min(MAX_COUNT, int(state.challenges_won[other])))


@kernel
def observe_numbers(state: np.recarray, obs: np.recarray) -> None:
    """Writes the public numbers that are not a seat's."""
    obs.left = state.left
    obs.aside_size = num_aside(state)
    write_number(obs.turn_no, int(state.turn_no))
    for t in range(NUM_TYPES):
        write_number(obs.reserve[t], int(state.reserve[t]))
    obs.reserve_tokens = reserve_tokens(state)
    obs.deck_size = state.deck_size
    obs.pile_size = state.pile_size


@kernel
def write_number(entries: np.ndarray, value: int) -> None:
    """Stores a wide value; most are below 100, and a division takes long."""
    if value < WIDE_BASE:
        entries[0] = 0
        entries[1] = value
    else:
        write_wide(entries, value)


@kernel
def observe_pile(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the pile as far as the seat knows it (SG-110)."""
    unknown = 0
    for place in range(int(state.pile_size)):
        if (int(state.seen[place]) >> seat) & 1 != 0:
            obs.pile[state.cards[place]] += 1
        else:
            unknown += 1
    obs.pile_unknown = unknown


@kernel
def observe_cards(table: np.recarray, state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the own cards, those known in hands, and the cards whose place the observer does not know (SG-118)."""
    if seat == state.actor:
        for place in range(num_aside(state)):
            obs.aside[state.aside[place]] += 1
    if state.any_known != 0:
        observe_known(state, seat, obs)
    for part in range(2):
        observe_kinds(table, state, seat, part * (MAX_KINDS - OCTETS), obs)


@kernel
def observe_kinds(table: np.recarray, state: np.recarray, seat: int, first: int, obs: np.recarray) -> None:
    """Writes hand, unseen cards and their bars for the 8 kinds from ``first`` on."""
    n = int(state.options.num_players)
    hand = read_octets(state, _STATE_HAND + MAX_KINDS * seat + first)
    pile = read_octets(obs, _FIRST_PILE + first)
    unseen = read_octets(table, _TABLE_COPIES + first) - hand - pile
    if state.phase > CHALLENGE or seat == state.actor:
        unseen -= octet(int(state.table_kind) - first)
        if state.aside[0] != NONE and seat == state.actor:
            unseen -= read_octets(obs, _FIRST_ASIDE + first)
    if state.any_known != 0:
        for other in range(n):
            if other != seat:
                unseen -= read_octets(state, _STATE_KNOWN + MAX_KINDS * other + first)
    write_octets(hand, obs, _FIRST_HAND + first)
    for bar in range(HAND_BARS):
        write_octets(above(hand, bar), obs, _FIRST_HAND_BARS + MAX_KINDS * bar + first)
    write_octets(unseen, obs, _FIRST_UNSEEN + first)
    for bar in range(UNSEEN_BARS):
        write_octets(above(unseen, bar), obs, _FIRST_UNSEEN_BARS + MAX_KINDS * bar + first)


@kernel
def observe_known(state: np.recarray, seat: int, obs: np.recarray) -> None:
    """Writes the cards that are known to be in hands (SG-113)."""
    n = int(state.options.num_players)
    other = seat
    for place in range(n):
        if (int(state.any_known) >> other) & 1 != 0:
            for kind in range(MAX_KINDS):
                obs.known[place, kind] = state.known[other, kind]
                obs.known_bars[place, kind] = state.known[other, kind] > 0
        other = 0 if other + 1 == n else other + 1
