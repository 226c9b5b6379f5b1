"""Cards on the move: drawing, rebuilding the deck, the discard pile, and who knows which card."""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_games.deck import MAX_CARDS, MAX_KINDS
from shadowenvs.games.shadow_games.spec import MAX_ASIDE, MAX_SEATS, NONE, STREAM_DECK
from shadowenvs.jit import kernel


@kernel
def everybody(state: np.recarray) -> int:
    """Returns the bit set of all seats."""
    return (1 << int(state.options.num_players)) - 1


# ------------------------------------------------------------------------------------------------------------- deck


@kernel
def clear_cards(state: np.recarray) -> None:
    """Empties hands, deck and pile."""
    for place in range(MAX_CARDS):
        state.cards[place] = NONE
        state.seen[place] = 0
    for seat in range(MAX_SEATS):
        state.hand_size[seat] = 0
        for kind in range(MAX_KINDS):
            state.hand[seat, kind] = 0
            state.known[seat, kind] = 0
    for place in range(MAX_ASIDE):
        state.aside[place] = NONE
    state.any_known = 0
    state.deck_size = 0
    state.pile_size = 0
    state.rebuilds = 0


@kernel
def shuffle_deck(table: np.recarray, state: np.recarray) -> None:
    """SG-06: all cards of the deck file, in uniformly random order."""
    num = int(table.num_cards)
    first = MAX_CARDS - num
    for place in range(num):
        state.cards[first + place] = table.cards[place]
    rng.shuffle(state.seed, STREAM_DECK, 0, state.cards[first:])
    state.deck_size = num


@kernel
def draw(state: np.recarray, seat: int) -> bool:
    """SG-10 to SG-14: moves the top card of the deck to a hand; returns whether there was one."""
    if state.deck_size == 0:
        if state.pile_size == 0:
            return False
        rebuild(state)
    place = MAX_CARDS - int(state.deck_size)
    kind = int(state.cards[place])
    state.cards[place] = NONE
    state.deck_size -= 1
    state.hand[seat, kind] += 1
    state.hand_size[seat] += 1
    return True


@kernel
def draw_up_to(state: np.recarray, seat: int, size: int) -> None:
    """SG-17, SG-26: draws until the hand holds so many cards; a larger hand draws nothing."""
    while state.hand_size[seat] < size and draw(state, seat):
        pass


@kernel
def rebuild(state: np.recarray) -> None:
    """SG-11, SG-112: the pile is shuffled and becomes the deck; what was known of it is dropped."""
    remember_hands(state)
    num = int(state.pile_size)
    number = int(state.rebuilds) + 1
    state.rebuilds = number
    rng.shuffle(state.seed, STREAM_DECK, number, state.cards[:num])
    first = MAX_CARDS - num
    for place in range(num - 1, -1, -1):
        state.cards[first + place] = state.cards[place]
        state.seen[place] = 0
    for place in range(min(num, first)):
        state.cards[place] = NONE
    state.deck_size = num
    state.pile_size = 0


@kernel
def remember_hands(state: np.recarray) -> None:
    """SG-116: with two seats, one that knows the whole pile knows the other hand, for no other card is missing."""
    if state.options.num_players != 2:
        return
    for seat in range(2):
        if knows_pile(state, 1 - seat):
            for kind in range(MAX_KINDS):
                state.known[seat, kind] = state.hand[seat, kind]
            note_known(state, seat)


@kernel
def knows_pile(state: np.recarray, seat: int) -> bool:
    """Returns whether a seat knows every card of the pile."""
    seats = 1 << seat
    for place in range(int(state.pile_size)):
        seats &= int(state.seen[place])
    return seats != 0


# ------------------------------------------------------------------------------------------------------ discard pile


@kernel
def lay_on_pile(state: np.recarray, kind: int, knowing: int) -> None:
    """Makes a card the new top of the pile, known to a bit set of seats."""
    place = int(state.pile_size)
    state.cards[place] = kind
    state.seen[place] = knowing
    state.pile_size += 1


@kernel
def show_pile(state: np.recarray, seat: int) -> None:
    """SG-71, SG-110: a seat looks through the whole pile."""
    for place in range(int(state.pile_size)):
        state.seen[place] = int(state.seen[place]) | (1 << seat)


@kernel
def pick(state: np.recarray, seat: int, kind: int) -> None:
    """SG-71 to SG-73: a seat takes the topmost copy of a kind from the pile, shown to all (SG-113)."""
    place = int(state.pile_size) - 1
    while state.cards[place] != kind:
        place -= 1
    unaware = everybody(state) & ~int(state.seen[place])
    top = int(state.pile_size) - 1
    for above in range(place, top):
        state.cards[above] = state.cards[above + 1]
        state.seen[above] = state.seen[above + 1]
    state.cards[top] = NONE
    state.seen[top] = 0
    state.pile_size = top
    forget_copies(state, kind, place, unaware)
    if top > 0:
        state.seen[top - 1] = everybody(state)
    state.hand[seat, kind] += 1
    state.hand_size[seat] += 1
    state.known[seat, kind] += 1
    note_known(state, seat)


@kernel
def forget_copies(state: np.recarray, kind: int, place: int, unaware: int) -> None:
    """SG-111: a seat that did not know the copy taken can no longer tell it from another copy that it knew.

    Args:
        state: The state, the taken copy being gone.
        kind: Its kind.
        place: Its place; all other copies lie below.
        unaware: Bit set of the seats that did not know it. Each forgets the topmost copy that it knows.
    """
    for below in range(place - 1, -1, -1):
        if state.cards[below] == kind:
            seen = int(state.seen[below])
            state.seen[below] = seen & ~unaware
            unaware &= ~seen


# --------------------------------------------------------------------------------------------------- known in hands


@kernel
def note_known(state: np.recarray, seat: int) -> None:
    """Records whether any card of a seat is known, after a change."""
    total = 0
    for kind in range(MAX_KINDS):
        total |= int(state.known[seat, kind])
    others = int(state.any_known) & ~(1 << seat)
    state.any_known = others | (1 << seat) if total != 0 else others


@kernel
def strike_known(state: np.recarray, seat: int, kind: int) -> None:
    """SG-114: a card of the kind has left the hand for all to see."""
    if state.known[seat, kind] > 0:
        state.known[seat, kind] -= 1
        note_known(state, seat)


@kernel
def discard_aside(state: np.recarray, seat: int) -> None:
    """SG-75, SG-115: the cards set aside go to the pile; the last lies open, the others are buried unseen."""
    num = num_aside(state)
    for place in range(num):
        kind = int(state.aside[place])
        if place < num - 1:
            lay_on_pile(state, kind, 1 << seat)
        else:
            lay_on_pile(state, kind, everybody(state))
            strike_known(state, seat, kind)
        state.aside[place] = NONE
    for kind in range(MAX_KINDS):
        state.known[seat, kind] = max(0, int(state.known[seat, kind]) - (num - 1))
    note_known(state, seat)


@kernel
def num_aside(state: np.recarray) -> int:
    """Returns how many cards the actor has set aside."""
    num = 0
    while num < MAX_ASIDE and state.aside[num] != NONE:
        num += 1
    return num
