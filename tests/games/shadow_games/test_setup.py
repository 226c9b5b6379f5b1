"""Set-up, draws and the piles: SG-01 to SG-16."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from shadowenvs import rng
from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.deck import load
from shadowenvs.games.shadow_games.spec import STREAM_DECK, STREAM_FIRST
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.table import dealt, rest, table

SEATS = range(2, 7)


@pytest.mark.rule("SG-01")
def test_two_to_six_seats() -> None:
    assert list(GAME.seats) == list(SEATS)
    for n in (1, 7):
        with pytest.raises(ValueError, match=f"num_players must be between 2 and 6, not {n}"):
            GAME.options.make(num_players=n)


@pytest.mark.rule("SG-02", "SG-03", "SG-05", "SG-07")
@pytest.mark.parametrize("n", SEATS)
def test_what_seats_and_reserve_start_with(n: int) -> None:
    start = dealt(n, num_players=n)
    assert [start.favours(seat) for seat in range(n)] == ["1/1/1"] * n
    assert start.stored_reserve() == f"{2 * n}/{2 * n}/{2 * n}"
    assert (start.now.reserve_tokens, start.now.shields) == (n, set())
    assert int(start.observed(0, "reserve_tokens")) == n
    assert start.now.pile == []


@pytest.mark.rule("SG-02", "SG-03", "SG-05")
def test_other_scales() -> None:
    start = dealt(num_players=3, start_favour=100, reserve_per_seat=7, tokens=0)
    assert (start.favours(2), start.stored_reserve(), start.now.reserve_tokens) == ("100/100/100", "21/21/21", 0)
    assert start.observed(0, "favour").tolist() == [[100] * 3] * 3 + [[0] * 3] * 3
    assert start.observed(0, "reserve").tolist() == [21] * 3


@pytest.mark.rule("SG-04")
@pytest.mark.parametrize("n", SEATS)
@pytest.mark.parametrize("protection", ["single", "until_turn"])
def test_favours_tokens_and_cards_are_never_lost(n: int, protection: str) -> None:
    batch = Batch(GAME, 4, num_players=n, protection=protection)
    batch.reset(n)
    deck = sorted(load("stand-in").kinds())
    for number in range(400 if is_compiled() else 100):
        batch.step(batch.random_actions(n, number))
        states = batch.get_states()
        assert (states["favour"].sum(axis=1) + states["reserve"] == 3 * n).all()
        assert (states["favour"] >= 0).all()
        for state in states:
            lists = [[kind] * int(count) for hand in state["hand"] for kind, count in enumerate(hand)]
            held = [kind for cards in lists for kind in cards] + [int(k) for k in state["cards"] if k >= 0]
            held += [int(k) for k in (state["table_kind"], *state["aside"]) if k >= 0]
            assert sorted(held) == deck
            assert state["hand"].sum(axis=1).tolist() == state["hand_size"].tolist()


@pytest.mark.rule("SG-06", "SG-10")
@pytest.mark.parametrize("n", SEATS)
def test_the_deal_is_the_shuffled_deck_from_its_top(n: int) -> None:
    start = dealt(2**63 + n, num_players=n)
    seed = np.uint64(start.now.seed)
    cards = np.array(load("stand-in").kinds())
    rng.shuffle(seed, STREAM_DECK, 0, cards)
    first = rng.below(seed, STREAM_FIRST, 0, 0, n)
    hands = [sorted(cards[2 * seat : 2 * seat + 2].tolist()) for seat in range(n)]
    hands[first] = sorted([*hands[first], int(cards[2 * n])])
    assert start.now.hands == hands
    assert start.now.deck == cards[2 * n + 1 :].tolist()
    assert start.now.actor == first


@pytest.mark.rule("SG-06")
def test_every_order_is_equally_likely() -> None:
    """Kinds of the two cards of seat 0 and of the last card of the deck, against their exact probabilities."""
    number = 20_000 if is_compiled() else 2_000
    batch = Batch(GAME, number, num_players=2, first_seat=1)
    batch.reset(4)
    states = batch.get_states()
    copies = np.array([3] * 4 + [2] * 6)
    for kinds in (states["cards"][:, -1], states["cards"][:, -19]):
        assert stats.chisquare(np.bincount(kinds, minlength=10), number * copies / 24).pvalue > 0.001
    hands = states["hand"][:, 0, :10]
    assert (hands.sum(axis=1) == 2).all()
    pairs = Counter("".join(map(str, hand)) for hand in hands.tolist())
    wanted = {}
    for first in range(10):
        for second in range(first, 10):
            ways = copies[first] * (copies[first] - 1) / 2 if first == second else copies[first] * copies[second]
            hand = np.bincount([first, second], minlength=10).tolist()
            wanted["".join(map(str, hand))] = number * ways / (24 * 23 / 2)
    assert stats.chisquare([pairs[hand] for hand in wanted], list(wanted.values())).pvalue > 0.001


@pytest.mark.rule("SG-08")
def test_the_first_seat_is_drawn_uniformly_or_given() -> None:
    number = 5_000 if is_compiled() else 500
    batch = Batch(GAME, number, num_players=5)
    batch.reset(1)
    assert stats.chisquare(np.bincount(batch.get_states()["actor"], minlength=5)).pvalue > 0.001
    for seat in range(5):
        assert dealt(3, num_players=5, first_seat=seat).now.actor == seat
    with pytest.raises(ValueError, match="first_seat must be 'random' or between 0 and 4, not 5"):
        GAME.options.make(num_players=5, first_seat=5)
    with pytest.raises(ValueError, match="first_seat must be an integer or 'random', not 'nobody'"):
        GAME.options.make(first_seat="nobody")


@pytest.mark.rule("SG-08")
@pytest.mark.parametrize("n", SEATS)
def test_turns_go_clockwise(n: int) -> None:
    start = dealt(3, num_players=n, first_seat=n - 1)
    actors = []
    number = 0
    while len(actors) < 2 * n:
        if start.phase == "play" and start.now.turn > len(actors):
            actors.append(start.now.actor)
            assert start.now.turn == len(actors)
        start.batch.step(start.batch.random_actions(5, number))
        number += 1
    assert actors == [(n - 1 + turn) % n for turn in range(2 * n)]


@pytest.mark.rule("SG-09")
def test_favours_tokens_and_reserve_are_public() -> None:
    state = table(3, "P", "TC PO TS", favours={1: "0/2/5", 2: "3/0/1"}, shields="02")
    pools = np.array([[1, 1, 1], [0, 2, 5], [3, 0, 1]])
    for seat in range(3):
        order = [(seat + place) % 3 for place in range(3)]
        assert state.observed(seat, "favour")[:3].tolist() == pools[order].tolist()
        assert state.observed(seat, "favour_bars")[:3].sum(axis=2).tolist() == pools[order].tolist()
        assert state.observed(seat, "reserve").tolist() == [5, 6, 2]
        assert state.observed(seat, "reserve_bars").tolist() == [1, 1, 1]
        assert state.observed(seat, "shields")[:3].tolist() == [int(other in (0, 2)) for other in order]
        assert int(state.observed(seat, "reserve_tokens")) == 1


@pytest.mark.rule("SG-10")
def test_only_the_drawing_seat_sees_the_card() -> None:
    """Two decks that differ in the card drawn: the same for all others."""
    states = [table(3, "A", "PP PO", top=top).play("skip") for top in ("SC HE", "HE SC")]
    assert [state.hand(1) for state in states] == ["TC PO SC", "TC PO HE"]
    for seat in (0, 2):
        first, second = (state.batch.observe(np.array([seat])).tolist() for state in states)
        assert first == second
    assert states[0].observed(1, "hand").tolist() != states[1].observed(1, "hand").tolist()


@pytest.mark.rule("SG-11", "SG-12")
def test_the_deck_is_rebuilt_only_when_a_card_must_be_drawn() -> None:
    hands = ["PP PO", "TC PO"]
    pile = rest(*hands, "SC")
    last = table(2, "A", "", hands=hands, pile=pile, top="SC").play("skip")
    assert (last.hand(1), last.now.deck, last.pile(), last.now.rebuilds) == ("TC PO SC", [], pile, 0)
    later = last.play("skip, play SC, declare TS, pass")
    # Seat 1 needs no card at the end of its turn, seat 0 one at the beginning of its own.
    assert (later.now.actor, later.now.rebuilds, later.now.pile) == (0, 1, [])
    cards = np.array(last_pile := [*map(int, _kinds(f"{pile} SC"))])
    rng.shuffle(np.uint64(0), STREAM_DECK, 1, cards)
    assert later.now.deck == cards[1:].tolist()
    assert later.now.hands[0] == sorted([*_kinds("PP PO"), int(cards[0])])
    assert len(last_pile) == 20


def _kinds(cards: str) -> list[int]:
    from tests.games.shadow_games.table import CODES

    return [CODES.index(code) for code in cards.split()]


@pytest.mark.rule("SG-11")
def test_the_second_rebuilding_has_an_order_of_its_own() -> None:
    hands = ["PP PO", "TC PO"]
    orders = []
    for rebuilds in (0, 1):
        state = table(2, "A", "", hands=hands, pile=rest(*hands), top=None, words=f"rebuilds={rebuilds}").play("skip")
        assert state.now.rebuilds == rebuilds + 1
        orders.append(state.now.deck)
    assert sorted(orders[0]) != orders[0] != orders[1]


@pytest.mark.rule("SG-11")
def test_a_rebuilt_deck_is_shuffled_uniformly() -> None:
    """The card that seat 1 draws from a pile of three kinds."""
    hands = ["PP PO", "TC PO"]
    line = table(2, "A", "", hands=hands, pile=rest(*hands), top=None).now.text()
    number = 3_000 if is_compiled() else 600
    states = np.concatenate(
        [GAME.parse_position(line.replace("seed=0", f"seed={seed}"))[1] for seed in range(number)]
    ).view(np.recarray)
    batch = Batch(GAME, number, autoreset=False, num_players=2)
    batch.set_states(states)
    batch.step(np.full(number, GAME.parse_action(batch.options, "skip")))
    drawn = batch.get_states()["hand"][:, 1, :10] - np.bincount(_kinds("TC PO"), minlength=10)
    left = np.bincount(_kinds(rest(*hands)), minlength=10)
    assert stats.chisquare(drawn.sum(axis=0), number * left / left.sum()).pvalue > 0.001


@pytest.mark.rule("SG-13")
def test_cards_on_the_table_or_set_aside_are_not_shuffled() -> None:
    """An Archivist draws from the rebuilt deck while it lies on the table."""
    hands = ["AR PO", "TC PO"]
    state = table(2, "A", "", hands=hands, pile=rest(*hands), top=None).play("play AR, declare AR, pass, leave")
    assert (state.phase, state.now.rebuilds, len(state.now.deck), state.now.pile) == ("discard", 1, 19, [])
    assert sorted(state.now.deck + state.now.hands[0]) == sorted(_kinds(rest("AR", "TC PO")))


@pytest.mark.rule("SG-14")
def test_without_any_card_a_draw_does_nothing() -> None:
    hands = [rest("PP PO"), "PP PO"]
    state = table(2, "A", "", hands=hands, top=None).play("skip")
    assert (state.now.actor, state.hand(1), state.now.rebuilds) == (1, "PO PP", 0)


@pytest.mark.rule("SG-15")
def test_top_and_sizes_are_public() -> None:
    state = table(3, "P", "TC PO TS", pile="AR GB HE")
    for seat in range(3):
        assert np.flatnonzero(state.observed(seat, "pile_top")).tolist() == _kinds("HE")
        assert int(state.observed(seat, "pile_size")) == 3
        assert int(state.observed(seat, "deck_size")) == 14
        sizes = [3, 2, 2]
        assert state.observed(seat, "hand_sizes")[:3].tolist() == [sizes[(seat + place) % 3] for place in range(3)]
    assert not table(3, "P", "TC PO TS").observed(0, "pile_top").any()


@pytest.mark.rule("SG-16", "SG-26")
def test_a_large_hand_stays() -> None:
    state = table(2, "A", "PP PO TC SH FS").play("skip")
    assert state.hand(0) == "TC SH FS PO PP"
    assert state.now.actor == 1
