"""The rules of Chasing Shadows as kernels: deal, legal and step. Clause ids: docs/rules/chasing_shadows.md."""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.cards import (
    NO_CARD,
    NO_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    bit,
    rank_of,
    set_of,
    suit_cards,
    suit_of,
    without_lowest,
    write_bits,
)
from shadowenvs.game import WIN_SHARE
from shadowenvs.games.chasing_shadows.scoring import add_card, decide, round_score, score_round, struck_score
from shadowenvs.games.chasing_shadows.spec import (
    DISCARD,
    DISCARD_0,
    END,
    MAX_ROUNDS,
    MAX_SEATS,
    NO_SCORE,
    PLAY,
    PLAY_0,
    STREAM_DEAL,
    STREAM_STARTER,
)
from shadowenvs.jit import kernel
from shadowenvs.seats import add_win_shares, next_seat

# ------------------------------------------------------------------------------------------------------------- deal


@kernel
def deal(table: np.recarray, state: np.recarray, seed: np.uint64) -> None:
    """Starts a game: the starter of round 1 is drawn (CS-07), then round 1 is dealt."""
    state.seed = seed
    state.done = False
    state.winners = 0
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
        state.points[seat] = 0
        for round_index in range(MAX_ROUNDS):
            for suit in range(NUM_SUITS):
                state.boxes[seat, round_index, suit] = NO_SCORE
    state.round_no = 1
    state.starter = rng.below(seed, STREAM_STARTER, 0, 0, int(state.options.num_players))
    deal_round(table, state)


@kernel
def deal_round(table: np.recarray, state: np.recarray) -> None:
    """Shuffles the deck and gives out a round (CS-09): hands, spotlight card, follow cards, the rest set aside."""
    n = int(state.options.num_players)
    size = int(state.options.hand_size)
    for seat in range(MAX_SEATS):
        state.hand[seat] = NO_CARDS
        state.taken[seat] = NO_CARDS
        state.trick[seat] = NO_CARD
        for suit in range(NUM_SUITS):
            state.standing[seat, suit] = NO_SCORE
    cards = table.cards.copy()
    num_cards = int(table.num_cards)
    rng.shuffle(state.seed, STREAM_DEAL, int(state.round_no), cards[:num_cards])
    for seat in range(n):
        state.hand[seat] = set_of(cards[seat * size : (seat + 1) * size])  # CS-10
    state.spotlight = cards[n * size]  # CS-11
    state.first = set_of(cards[n * size + 1 : n * (size + 1)])  # CS-12
    state.aside = set_of(cards[n * (size + 1) : num_cards])  # CS-13, CS-109
    for suit in range(NUM_SUITS):
        state.follow[suit] = 0
    for place in range(n * size + 1, n * (size + 1)):
        state.follow[suit_of(int(cards[place]))] += 1
    state.phase = PLAY
    state.trick_no = 1
    state.trick_leader = state.starter  # CS-18
    state.to_move = state.starter


# ------------------------------------------------------------------------------------------------------------ legal


@kernel
def legal(table: np.recarray, state: np.recarray, seat: int, mask: np.ndarray) -> None:
    """Writes the legal actions of a seat; none unless the seat is to move (CS-79, CS-82)."""
    plays = NO_CARDS
    is_discard = False
    if not state.done and seat == state.to_move:
        is_discard = state.phase == DISCARD
        if not is_discard:
            plays = legal_plays(state, seat)
    write_bits(plays, mask, PLAY_0)
    for suit in range(NUM_SUITS):  # CS-28: any suit among the remaining follow cards
        mask[DISCARD_0 + suit] = is_discard and state.follow[suit] > 0


@kernel
def legal_plays(state: np.recarray, seat: int) -> np.uint64:
    """CS-20 to CS-25: any card to lead; then a card of a suit among the remaining follow cards if held, else any."""
    hand: np.uint64 = state.hand[seat]
    if seat == state.trick_leader:
        return hand
    matching: np.uint64 = hand & follow_cards(state)
    return matching if matching != NO_CARDS else hand


@kernel
def follow_cards(state: np.recarray) -> np.uint64:
    """Returns all cards whose suits are found among the remaining follow cards."""
    cards = NO_CARDS
    for suit in range(NUM_SUITS):
        if state.follow[suit] > 0:
            cards |= suit_cards(suit)
    return cards


# ------------------------------------------------------------------------------------------------------------- step


@kernel
def step(table: np.recarray, state: np.recarray, action: int) -> None:
    """Carries out a legal action."""
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
    if state.phase == PLAY:
        step_play(table, state, action - PLAY_0)
    elif state.phase == DISCARD:
        step_discard(state, action - DISCARD_0)


@kernel
def step_play(table: np.recarray, state: np.recarray, card: int) -> None:
    """CS-19: the card goes to the trick; a later seat then removes a follow card (CS-26), by choice or not (CS-72)."""
    seat = int(state.to_move)
    state.hand[seat] &= ~bit(card)
    state.trick[seat] = card
    if seat != state.trick_leader:  # CS-21
        suit = suit_of(card)
        if state.follow[suit] == 0:
            suit = only_follow_suit(state)
            if suit < 0:
                state.phase = DISCARD  # CS-29
                return
        state.follow[suit] -= 1  # CS-27, CS-73, CS-74
    next_turn(table, state)


@kernel
def only_follow_suit(state: np.recarray) -> int:
    """Returns the suit of the remaining follow cards, -1 if they show two or more."""
    found = -1
    for suit in range(NUM_SUITS):
        if state.follow[suit] > 0:
            if found >= 0:
                return -1
            found = suit
    return found


@kernel
def step_discard(state: np.recarray, suit: int) -> None:
    """CS-28: a follow card of the chosen suit goes. The last seat of a trick never gets here (CS-75)."""
    state.follow[suit] -= 1
    state.phase = PLAY
    state.to_move = next_seat(state, int(state.to_move))


@kernel
def next_turn(table: np.recarray, state: np.recarray) -> None:
    """Passes the turn on clockwise; after the last seat's card the trick ends (CS-34)."""
    following = next_seat(state, int(state.to_move))
    if following == state.trick_leader:
        end_trick(table, state)
    else:
        state.to_move = following


@kernel
def winning_seat(state: np.recarray) -> int:
    """CS-35 to CS-40: the seat whose card wins the trick so far; -1 before the lead.

    The highest rank below that of the spotlight card, else the highest rank; the later of equal ones.
    """
    winner = -1
    best = -1
    spotlight_rank = rank_of(int(state.spotlight))
    seat = int(state.trick_leader)
    for _ in range(int(state.options.num_players)):
        card = int(state.trick[seat])
        if card == NO_CARD:
            break
        rank = rank_of(card)
        value = rank + NUM_RANKS if rank < spotlight_rank else rank
        if value >= best:
            winner = seat
            best = value
        seat = next_seat(state, seat)
    return winner


@kernel
def end_trick(table: np.recarray, state: np.recarray) -> None:
    """The winner takes the spotlight card (CS-41) and leads the next trick (CS-45), made of this one's cards.

    Its card becomes the spotlight card (CS-43), those of the others the follow cards (CS-44).
    """
    winner = winning_seat(state)
    add_card(state, winner, int(state.spotlight))
    state.spotlight = state.trick[winner]
    goes_on = True
    for seat in range(int(state.options.num_players)):
        if seat != winner:
            state.follow[suit_of(int(state.trick[seat]))] += 1
        state.trick[seat] = NO_CARD
        goes_on = goes_on and without_lowest(state.hand[seat]) != NO_CARDS  # CS-46: two cards or more
    state.trick_leader = winner
    state.to_move = winner
    if goes_on:
        state.trick_no += 1
    else:
        end_round(table, state)


@kernel
def end_round(table: np.recarray, state: np.recarray) -> None:
    """Scores the round (CS-48), then deals the next one (CS-08) or ends the game (CS-65)."""
    score_round(state)
    is_last = state.round_no == state.options.rounds  # CS-06, CS-110
    if state.options.reward != WIN_SHARE:  # CS-103, CS-104
        for seat in range(int(state.options.num_players)):
            loss = round_score(state, seat, int(state.round_no) - 1)
            if is_last:
                loss -= struck_score(state, seat)
            state.rewards[seat] = np.float32(-loss) / np.float32(100.0)
    if is_last:
        end_game(state)
    else:
        state.round_no += 1
        state.starter = next_seat(state, int(state.starter))
        deal_round(table, state)


@kernel
def end_game(state: np.recarray) -> None:
    """Strikes out, finds the winners (CS-63 to CS-69), and gives them their shares (CS-100 to CS-102)."""
    decide(state)
    state.phase = END
    state.done = True
    state.to_move = 0
    if state.options.reward == WIN_SHARE:
        add_win_shares(state)
