"""The rules of Shadow Cards as kernels: deal, legal and step. Clause ids (SC-nn) as in docs/rules/shadow_cards.md."""

from __future__ import annotations

import numpy as np

from shadowenvs import rng
from shadowenvs.cards import (
    NO_CARD,
    NO_CARDS,
    above,
    bit,
    count,
    highest,
    rank_of,
    suit_cards,
    suit_of,
    without_lowest,
    write_bits,
)
from shadowenvs.game import WIN_SHARE
from shadowenvs.games.shadow_cards.scoring import most_points, result_gain, score_round
from shadowenvs.games.shadow_cards.spec import (
    CLAIM,
    CLAIM_0,
    END,
    MAX_ROUNDS,
    MAX_SEATS,
    MAX_TURNED,
    NUM_RESERVES,
    PLAY,
    PLAY_0,
    PREDICT,
    PREDICT_0,
    STREAM_DEAL,
    STREAM_LEADER,
    TRUMP,
)
from shadowenvs.jit import kernel
from shadowenvs.seats import add_win_shares, next_seat

# ------------------------------------------------------------------------------------------------------------- deal


@kernel
def deal(table: np.recarray, state: np.recarray, seed: np.uint64) -> None:
    """Starts a game: the leader of round 1 is drawn (SC-07), then round 1 is dealt."""
    state.seed = seed
    state.done = False
    state.winners = 0
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
        state.points[seat] = 0
    for round_no in range(MAX_ROUNDS):
        for seat in range(MAX_SEATS):
            state.results[round_no, seat] = 0
    state.round_no = 1
    state.round_leader = rng.below(seed, STREAM_LEADER, 0, 0, int(state.options.num_players))
    deal_round(table, state)


@kernel
def deal_round(table: np.recarray, state: np.recarray) -> None:
    """Gives out the cards of a round (SC-10 to SC-18) and opens the predictions."""
    from_reserve = state.options.num_players == 2 and state.round_no % 2 == 0
    for seat in range(MAX_SEATS):
        if not from_reserve:
            state.played[seat] = NO_CARDS
        state.hand[seat] = NO_CARDS
        state.claimed[seat] = NO_CARDS
        state.trick[seat] = NO_CARD
        state.voids[seat] = 0
    for place in range(MAX_TURNED):
        state.extra[place] = NO_CARD
    for seat in range(NUM_RESERVES):
        state.revealed[seat] = NO_CARDS
        if from_reserve:  # SC-16, SC-56
            state.hand[seat] = state.reserve[seat]
            state.revealed[seat] = state.prediction[seat]
        state.reserve[seat] = NO_CARDS
    for seat in range(MAX_SEATS):
        state.prediction[seat] = NO_CARDS
    if not from_reserve:
        deal_shuffled(table, state)
    state.phase = PREDICT
    state.trick_no = 0
    state.trick_leader = state.round_leader
    state.to_move = state.round_leader


@kernel
def deal_shuffled(table: np.recarray, state: np.recarray) -> None:
    """Shuffles the deck for this round; hands come first, then the extra or the reserve stacks (SC-10 to SC-15)."""
    n = int(state.options.num_players)
    size = int(state.options.hand_size)
    cards = table.cards.copy()
    rng.shuffle(state.seed, STREAM_DEAL, int(state.round_no), cards[: table.num_cards])
    for seat in range(n):
        for place in range(seat * size, (seat + 1) * size):
            state.hand[seat] |= bit(cards[place])
    if n == 3:
        for place in range(size - int(state.options.prediction_cards)):
            state.extra[place] = cards[3 * size + place]
    elif n == 2 and state.options.rounds > 1:
        for seat in range(NUM_RESERVES):
            for place in range((2 + seat) * size, (3 + seat) * size):
                state.reserve[seat] |= bit(cards[place])


# ------------------------------------------------------------------------------------------------------------ legal


@kernel
def legal(table: np.recarray, state: np.recarray, seat: int, mask: np.ndarray) -> None:
    """Writes the legal actions of a seat; none unless the seat is to move (SC-101, SC-104)."""
    predictions, plays, claims = NO_CARDS, NO_CARDS, NO_CARDS
    if not state.done and seat == state.to_move:
        if state.phase == PREDICT:
            predictions = legal_predictions(state, seat)
        elif state.phase == PLAY:
            plays = legal_plays(state, seat)
        else:
            claims = legal_claims(state)
    write_bits(predictions, mask, PREDICT_0)
    write_bits(plays, mask, PLAY_0)
    write_bits(claims, mask, CLAIM_0)


@kernel
def legal_predictions(state: np.recarray, seat: int) -> np.uint64:
    """SC-95, SC-96: above the last pick, and with enough cards above it for the picks still to come."""
    picks = state.prediction[seat]
    missing = int(state.options.prediction_cards) - count(picks)
    cards = state.hand[seat]
    if picks != NO_CARDS:
        cards &= above(highest(picks))
    # The highest missing - 1 cards must stay for the later picks.
    legal_cards = NO_CARDS
    for _ in range(count(cards) - missing + 1):
        legal_cards |= cards & ~without_lowest(cards)
        cards = without_lowest(cards)
    return legal_cards


@kernel
def legal_plays(state: np.recarray, seat: int) -> np.uint64:
    """SC-33 to SC-37: any card to lead; then a card of the led suit if the hand holds one, else any."""
    hand = state.hand[seat]
    led = state.trick[state.trick_leader]
    if led == NO_CARD:
        return hand
    following = hand & suit_cards(suit_of(led))
    return following if following != NO_CARDS else hand


@kernel
def legal_claims(state: np.recarray) -> np.uint64:
    """SC-45, SC-46: every card of the trick, with 3 seats the turned extra card too."""
    cards = NO_CARDS
    for seat in range(int(state.options.num_players)):
        if state.trick[seat] != NO_CARD:
            cards |= bit(state.trick[seat])
    extra = turned_card(state)
    if extra != NO_CARD:
        cards |= bit(extra)
    return cards


@kernel
def turned_card(state: np.recarray) -> int:
    """SC-41: the extra card that lies open during this trick, NO_CARD without one."""
    if state.options.num_players != 3 or state.trick_no == 0 or state.phase == END:
        return NO_CARD
    return int(state.extra[state.trick_no - 1])


# ------------------------------------------------------------------------------------------------------------- step


@kernel
def step(table: np.recarray, state: np.recarray, action: int) -> None:
    """Carries out a legal action."""
    for seat in range(MAX_SEATS):
        state.rewards[seat] = 0.0
    if state.phase == PREDICT:
        step_predict(state, action - PREDICT_0)
    elif state.phase == PLAY:
        step_play(state, action - PLAY_0)
    elif state.phase == CLAIM:
        step_claim(table, state, action - CLAIM_0)


@kernel
def step_predict(state: np.recarray, card: int) -> None:
    """SC-93, SC-94: the card leaves the hand; after the last pick of the last seat, trick 1 starts (SC-28, SC-30)."""
    seat = int(state.to_move)
    state.hand[seat] &= ~bit(card)
    state.prediction[seat] |= bit(card)
    if count(state.prediction[seat]) < state.options.prediction_cards:
        return
    state.to_move = next_seat(state, seat)
    if state.to_move == state.round_leader:
        state.phase = PLAY
        state.trick_no = 1


@kernel
def step_play(state: np.recarray, card: int) -> None:
    """SC-32: the card goes to the trick; when all seats have played, the winner claims (SC-38, SC-39, SC-110)."""
    seat = int(state.to_move)
    led = state.trick[state.trick_leader]
    if led != NO_CARD and suit_of(led) != suit_of(card):
        state.voids[seat] |= 1 << suit_of(led)
    state.hand[seat] &= ~bit(card)
    state.played[seat] |= bit(card)
    state.trick[seat] = card
    following = next_seat(state, seat)
    if following == state.trick_leader:
        state.phase = CLAIM
        state.to_move = winning_seat(state)
    else:
        state.to_move = following


@kernel
def winning_seat(state: np.recarray) -> int:
    """SC-38 to SC-40, SC-43: the seat whose card wins the trick so far; -1 before the lead.

    The highest trump, else the highest card of the led suit. The extra card takes no part.
    """
    winner = -1
    best = NO_CARD
    seat = int(state.trick_leader)
    for _ in range(int(state.options.num_players)):
        card = int(state.trick[seat])
        if card == NO_CARD:
            break
        if winner < 0 or beats(card, best):
            winner = seat
            best = card
        seat = next_seat(state, seat)
    return winner


@kernel
def beats(card: int, best: int) -> bool:
    """Whether a later card takes the trick from the best card before it (SC-03, SC-38, SC-39)."""
    if suit_of(card) == suit_of(best):
        return rank_of(card) > rank_of(best)
    return suit_of(card) == TRUMP


@kernel
def step_claim(table: np.recarray, state: np.recarray, card: int) -> None:
    """SC-45: the winner takes the card and leads the next trick (SC-31); the last trick ends the round (SC-54)."""
    seat = int(state.to_move)
    state.claimed[seat] |= bit(card)
    for other in range(MAX_SEATS):
        state.trick[other] = NO_CARD
    state.trick_leader = seat
    if state.hand[seat] != NO_CARDS:
        state.phase = PLAY
        state.trick_no += 1
    else:
        end_round(table, state)


@kernel
def end_round(table: np.recarray, state: np.recarray) -> None:
    """Scores the round, then deals the next one (SC-08) or ends the game (SC-88)."""
    score_round(state)
    if state.options.reward != WIN_SHARE:  # SC-124
        for seat in range(int(state.options.num_players)):
            gain = result_gain(int(state.results[state.round_no - 1, seat]))
            state.rewards[seat] = np.float32(gain) / np.float32(100.0)
    if state.round_no == state.options.rounds:
        end_game(state)
    else:
        state.round_no += 1
        state.round_leader = next_seat(state, int(state.round_leader))
        deal_round(table, state)


@kernel
def end_game(state: np.recarray) -> None:
    """SC-88 to SC-90: every seat with the highest total wins; SC-121, SC-122: the win shares."""
    n = int(state.options.num_players)
    best = most_points(state)
    num_winners = 0
    for seat in range(n):
        if state.points[seat] == best:
            num_winners += 1
            state.winners |= 1 << seat
    state.phase = END
    state.done = True
    state.to_move = 0
    if state.options.reward == WIN_SHARE:
        add_win_shares(state)
