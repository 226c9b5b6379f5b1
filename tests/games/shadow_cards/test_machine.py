"""The state machine and the options: SC-91, SC-92, SC-99 to SC-101 and SC-126 to SC-135."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from shadowenvs import IllegalActionError
from shadowenvs.batch import Batch
from shadowenvs.games.shadow_cards import GAME
from tests.conformance.playing import masks_of
from tests.games.shadow_cards.table import CLAIM, COUNTS, END, PLAY, PREDICT, Table, cards, deck, few, gains_of, options

SMALL: list[dict[str, Any]] = [
    {"num_players": 2, "rounds": 1, "num_suits": 2, "num_ranks": 3, "hand_size": 3, "prediction_cards": 1},
    {"num_players": 2, "rounds": 3, "num_suits": 3, "num_ranks": 8, "hand_size": 5, "prediction_cards": 2},
    {"num_players": 3, "rounds": 2, "num_suits": 3, "num_ranks": 4, "hand_size": 3, "prediction_cards": 1},
    {"num_players": 4, "rounds": 2, "num_suits": 2, "num_ranks": 15, "hand_size": 6, "prediction_cards": 3},
    {"num_players": 5, "rounds": 1, "num_suits": 4, "num_ranks": 5, "hand_size": 3, "prediction_cards": 2},
]


@pytest.mark.rule("SC-91", "SC-104")
@pytest.mark.parametrize("n", COUNTS)
def test_one_seat_is_to_move(n: int) -> None:
    """It has a legal action, and the kernel tells its legal actions to no other seat."""
    table = Table.dealt(1, num_players=n)
    chooser = random.Random(n)
    for number, now in enumerate(table.states(chooser)):
        if number % few(1, 5):
            continue
        for seat in range(n):
            mask = masks_of(now.batch, np.array([seat]))[0]
            assert mask.any() == (seat == now.seat and not now.done)
            if seat == now.seat:
                assert np.flatnonzero(mask).tolist() == now.actions
    assert table.done and table.seat == 0


@pytest.mark.rule("SC-92")
@pytest.mark.parametrize("n", COUNTS)
def test_what_needs_no_decision(n: int) -> None:
    """Deal, extra cards, trick winners, scoring and the change of round follow from the action before."""
    table = Table.dealt(2, num_players=n)
    chooser = random.Random(n)
    for now in table.states(chooser):
        if now.done:
            break
        before, phase, ends = now.round_no, now.phase, now.ends_round
        assert {action // 60 for action in now.actions} == {phase}
        row = now.row
        if phase == PREDICT:
            assert int(row["hand"].astype(object).sum()) > 0  # the deal is made
        if n == 3 and phase in (PLAY, CLAIM):
            assert now.see(now.seat)("extra_rank") >= 0  # the extra card is turned
        if ends:
            after = now.copy()
            after.act(after.actions[0])
            assert len(after.now.results) == before
            assert after.done or (after.round_no, after.phase) == (before + 1, PREDICT)


@pytest.mark.rule("SC-99")
def test_blocks_of_actions() -> None:
    assert [(block.name, block.count) for block in GAME.actions.blocks] == [
        ("PREDICT", 60),
        ("PLAY", 60),
        ("CLAIM", 60),
    ]
    assert GAME.num_actions == 180
    letters = "RYGB"
    for kind, first in (("predict", 0), ("play", 60), ("claim", 120)):
        for card in range(60):
            word = f"{kind} {letters[card // 15]}{card % 15}"
            assert GAME.format_action(options(), first + card) == word
            assert GAME.parse_action(options(), word) == first + card
    table = Table.dealt(3)
    for now in table.states(random.Random(3)):
        row = now.row
        held = {card for card in range(60) if int(row["hand"][now.seat]) >> card & 1}
        on_table = {int(card) for card in row["trick"] if card >= 0}
        for action in now.actions:
            assert action % 60 in (on_table if now.phase == CLAIM else held) and action // 60 == now.phase


@pytest.mark.rule("SC-100")
@pytest.mark.parametrize("n", COUNTS)
def test_illegal_actions_are_refused(n: int) -> None:
    table = Table.dealt(4, num_players=n)
    for number, now in enumerate(table.states(random.Random(n))):
        if number % 13:
            continue
        before = now.batch.get_states().tobytes()
        illegal = sorted(set(range(-4, 190)) - set(now.actions) - {-1})
        for action in illegal[:: few(7, 23)]:
            with pytest.raises(IllegalActionError):
                now.act(action)
            assert now.batch.get_states().tobytes() == before


@pytest.mark.rule("SC-101")
@pytest.mark.parametrize("n", COUNTS)
def test_nothing_is_legal_at_the_end(n: int) -> None:
    """Whether the last round was scored or an illegal action broke the game off."""
    table = Table.dealt(5, num_players=n)
    table.play(random.Random(n))
    assert table.phase == END and table.actions == []
    for until in (PREDICT, PLAY, CLAIM):
        table = Table.dealt(5, num_players=n)
        table.play(random.Random(n), lambda table, until=until: table.phase == until)
        broken = Batch(GAME, 1, illegal_actions="terminate", autoreset=False, num_players=n)
        broken.set_states(table.batch.get_states())
        broken.step(np.array([180]))
        assert broken.get_states()["done"][0]
        for seat in range(n):
            assert not masks_of(broken, np.array([seat])).any()


# ---------------------------------------------------------------------------------------------------------- options


@pytest.mark.rule("SC-126")
@pytest.mark.parametrize("num_suits", [2, 3, 4])
@pytest.mark.parametrize("num_ranks", [3, 9, 15])
def test_smaller_decks(num_suits: int, num_ranks: int) -> None:
    """The first suits, red among them as trump, and ranks from 0."""
    chosen = {"num_players": 2, "rounds": 1, "hand_size": 3, "prediction_cards": 1}
    table = Table.dealt(1, num_suits=num_suits, num_ranks=num_ranks, **chosen)
    expected = {suit * 15 + rank for suit in range(num_suits) for rank in range(num_ranks)}
    tables = table.batch.tables
    assert tables["cards"][0, : len(expected)].tolist() == sorted(expected) and tables["num_cards"][0] == len(expected)
    assert (tables["cards"][0, len(expected) :] == -1).all()
    assert int(tables["deck"][0]) == sum(1 << card for card in expected)
    assert table.options.deck_size == num_suits * num_ranks == len(expected)
    batch = Batch(GAME, few(300, 60), num_suits=num_suits, num_ranks=num_ranks, **chosen)
    batch.reset(1)
    dealt = 0
    for hand in batch.get_states()["hand"].ravel():
        dealt |= int(hand)
    assert {card for card in range(60) if dealt >> card & 1} == expected
    won = Table.at("num_players=2 rounds=1 num_suits=2 num_ranks=3 hand_size=3 prediction_cards=1 hands=Y2Y0/R0R1")
    won.do("play Y2", "play R0")
    assert won.seat == 1  # red is trump


@pytest.mark.rule("SC-127")
@pytest.mark.parametrize("chosen", SMALL, ids=lambda chosen: str(chosen["num_players"]))
def test_sizes_take_the_place_of_the_official_ones(chosen: dict[str, Any]) -> None:
    n, h, k, rounds = (chosen[name] for name in ("num_players", "hand_size", "prediction_cards", "rounds"))
    t = h - k
    table = Table.dealt(2, **chosen)
    counted = [0, 0, 0, 0]
    for now in table.states(random.Random(2)):
        counted[now.phase] += 1
        if now.phase == PREDICT and not now.row["prediction"].any():
            assert [len(hand) for hand in now.now.hands] == [h] * n
        if now.ends_round:
            assert now.trick_no == t and [len(cards) for cards in now.now.predictions] == [k] * n
    assert counted == [rounds * n * k, rounds * n * t, rounds * t, 1]
    assert GAME.max_steps(table.options, table.batch.tables) == rounds * (n * k + (n + 1) * t) == sum(counted) - 1


@pytest.mark.rule("SC-128")
@pytest.mark.parametrize("chosen", SMALL, ids=lambda chosen: str(chosen["num_players"]))
def test_cards_keep_their_numbers(chosen: dict[str, Any]) -> None:
    """Actions of missing cards are never legal; those of the others are numbered as ever."""
    there = deck(options(**chosen))
    seen = set()
    for seed in range(few(8, 3)):
        for now in Table.dealt(seed, **chosen).states(random.Random(seed)):
            seen |= {action % 60 for action in now.actions}
            assert now.actions == sorted(60 * now.phase + card for card in next(iter(now.legal().values()), set()))
    assert seen <= there and len(seen) > len(there) * 0.6
    if chosen["num_suits"] == 2 and chosen["num_ranks"] == 3:
        assert seen == cards("R0 R1 R2 Y0 Y1 Y2")


@pytest.mark.rule("SC-129")
@pytest.mark.parametrize("chosen", [SMALL[1], SMALL[3], SMALL[4]], ids=lambda chosen: str(chosen["num_players"]))
def test_cards_left_over_stay_out_of_play(chosen: dict[str, Any]) -> None:
    """With 2, 4 and 5 seats: no seat gets or sees them before the next shuffle."""
    table = Table.dealt(3, **chosen)
    n, h = chosen["num_players"], chosen["hand_size"]
    now = table.now
    dealt = set().union(*now.hands, *now.reserve)
    assert len(dealt) == (4 if n == 2 else n) * h
    left = deck(table.options) - dealt
    assert left
    shuffles = 3 if n == 2 else 2
    for state in table.states(random.Random(3)):
        if state.round_no == shuffles or state.done:
            break
        row = state.row
        everywhere = 0
        for name in ("hand", "prediction", "played", "claimed", "reserve", "revealed"):
            for group in row[name]:
                everywhere |= int(group)
        assert not {card for card in range(60) if everywhere >> card & 1} & left
        assert not {action % 60 for action in state.actions} & left


@pytest.mark.rule("SC-130")
@pytest.mark.parametrize(
    "sizes",
    [(3, 4, 3, 1), (4, 15, 15, 1), (4, 15, 9, 4), (4, 9, 9, 5)],
    ids=["12cards", "most_turned", "many_left", "36cards"],
)
def test_the_extra_stack_of_other_decks(sizes: tuple[int, int, int, int]) -> None:
    """All D - 3h cards left over; one is turned for each trick, so D - 3h - t never are."""
    num_suits, num_ranks, h, k = sizes
    table = Table.dealt(
        4, num_players=3, rounds=2, num_suits=num_suits, num_ranks=num_ranks, hand_size=h, prediction_cards=k
    )
    stack = num_suits * num_ranks - 3 * h
    turned = 0
    for now in table.states(random.Random(4)):
        if now.done:
            break
        assert now.see(now.seat)("unturned") == stack - now.trick_no
        turned = max(turned, now.trick_no)
        assert now.see(0)("turned").sum() == now.trick_no
    assert turned == h - k
    extra = [int(card) for card in table.row["extra"] if card >= 0]
    assert len(extra) == len(set(extra)) == h - k <= stack


@pytest.mark.rule("SC-131")
@pytest.mark.parametrize("rounds", [1, 2, 5, 6, 12])
def test_other_numbers_of_rounds(rounds: int) -> None:
    """With 2 seats odd rounds shuffle and even ones use the stacks, of h cards each."""
    table = Table.dealt(5, num_players=2, rounds=rounds, num_ranks=6, hand_size=4, prediction_cards=2)
    reserve: list[set[int]] = []
    for number in range(1, rounds + 1):
        table.play(random.Random(5), lambda table, number=number: table.round_no == number)
        now = table.now
        assert [len(hand) for hand in now.hands] == [4, 4]
        if number % 2:
            reserve = now.reserve
            assert [len(stack) for stack in reserve] == ([4, 4] if rounds > 1 else [0, 0])
            assert now.played == [set(), set()]
        else:
            assert now.hands == reserve and now.reserve == [set(), set()]
            assert [len(own) for own in now.played] == [2, 2]
    table.play(random.Random(5))
    assert table.done and len(table.now.results) == rounds


@pytest.mark.rule("SC-132")
@pytest.mark.parametrize("chosen", [{}, {"num_ranks": 3, "num_suits": 2, "hand_size": 3, "prediction_cards": 1}])
def test_one_round_of_two_has_no_stacks(chosen: dict[str, int]) -> None:
    table = Table.dealt(6, num_players=2, rounds=1, **chosen)
    assert table.now.reserve == [set(), set()]
    hands = table.now.hands
    assert len(set().union(*hands)) == 2 * (table.options.hand_size or 0)
    table.play(random.Random(6))
    assert table.done and len(table.now.results) == 1


@pytest.mark.rule("SC-133")
def test_nobody_wins_a_point() -> None:
    """In a small deck all T may be 0; Exact and Zero come before Most then."""
    chosen = options(num_players=3, rounds=1, num_suits=3, num_ranks=4, hand_size=3, prediction_cards=1)
    assert chosen.num_tricks <= chosen.num_suits
    assert gains_of(chosen, [3, 0, 2], [[0], [], [0]]) == [6, 0, 4]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"num_players": 1}, "num_players must be between 2 and 5, not 1"),
    ({"num_players": 6}, "num_players must be between 2 and 5, not 6"),
    ({"num_players": True}, "num_players must be an integer, not True"),
    ({"num_players": 3.0}, "num_players must be an integer, not 3.0"),
    ({"rounds": 0}, "rounds must be between 1 and 12, not 0"),
    ({"rounds": 13}, "rounds must be between 1 and 12, not 13"),
    ({"rounds": 2.0}, "rounds must be an integer, not 2.0"),
    ({"scoring": "simple"}, "unknown scoring 'simple'; choose one of 'standard', 'introductory'"),
    ({"most_tie": "some"}, "unknown most_tie 'some'; choose one of 'all', 'none', 'exact_cancels'"),
    ({"reward": "money"}, "unknown reward 'money'; choose one of 'win_share', 'points'"),
    ({"floor_penalty": 1}, "floor_penalty must be a bool, not 1"),
    ({"floor_penalty": None}, "floor_penalty must be a bool, not None"),
    ({"scoring": "introductory", "num_players": 2}, "introductory scoring is defined for 3 to 5 players only"),
    ({"num_suits": 1}, "num_suits must be between 2 and 4, not 1"),
    ({"num_suits": 5}, "num_suits must be between 2 and 4, not 5"),
    ({"num_ranks": 2}, "num_ranks must be between 3 and 15, not 2"),
    ({"num_ranks": 16}, "num_ranks must be between 3 and 15, not 16"),
    ({"hand_size": 1}, "hand_size must be at least 2, not 1"),
    ({"hand_size": "all"}, "hand_size must be an integer, not 'all'"),
    ({"num_suits": 2, "num_ranks": 3}, "hand_size must be at least 2; 1 (default for this deck) is too small"),
    ({"prediction_cards": 0}, "prediction_cards must be at least 1, not 0"),
    ({"prediction_cards": 15}, "prediction_cards must be between 1 and hand_size - 1 = 14"),
    ({"hand_size": 2}, "prediction_cards must be between 1 and hand_size - 1 = 1"),
    (
        {"num_players": 2, "rounds": 1, "num_suits": 2, "num_ranks": 3, "hand_size": 4, "prediction_cards": 1},
        "hand_size 4: 2 players with one round need 2·hand_size = 8 cards; the deck has 6",
    ),
    (
        {"num_players": 2, "rounds": 2, "num_suits": 2, "num_ranks": 3, "hand_size": 3, "prediction_cards": 1},
        "hand_size 3: 2 players need 4·hand_size (two reserve stacks) = 12 cards; the deck has 6",
    ),
    (
        {"num_players": 3, "num_suits": 3, "num_ranks": 4, "hand_size": 4, "prediction_cards": 3},
        "hand_size 4: 3 players need 3·hand_size and one extra card per trick, = 13 cards; the deck has 12",
    ),
    ({"num_players": 4, "hand_size": 16}, "hand_size 16: 4 players need 4·hand_size = 64 cards; the deck has 60"),
    ({"num_players": 5, "hand_size": 13}, "hand_size 13: 5 players need 5·hand_size = 65 cards; the deck has 60"),
]


@pytest.mark.rule("SC-135")
@pytest.mark.parametrize(("chosen", "message"), REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_refused_options(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        options(**chosen)


def accepted(n: int, rounds: int, deck_size: int, h: int, k: int) -> bool:
    """The table of conditions."""
    if h < 2 or not 1 <= k <= h - 1:
        return False
    needed = {2: 2 * h if rounds == 1 else 4 * h, 3: 4 * h - k}.get(n, n * h)
    return needed <= deck_size


@pytest.mark.rule("SC-135")
@pytest.mark.parametrize("n", COUNTS)
def test_exactly_the_conditions_decide(n: int) -> None:
    for num_suits, num_ranks in ((2, 3), (2, 8), (3, 4), (4, 15)):
        for rounds in (1, 2):
            for h in range(2, 33):
                for k in {1, 2, h - 2, h - 1, h} - {-1, 0}:
                    chosen = {"num_players": n, "rounds": rounds, "num_suits": num_suits, "num_ranks": num_ranks}
                    try:
                        made = options(**chosen, hand_size=h, prediction_cards=k)
                    except ValueError:
                        made = None
                    assert (made is not None) == accepted(n, rounds, num_suits * num_ranks, h, k), (chosen, h, k)


@pytest.mark.rule("SC-135")
def test_extreme_options_can_be_played() -> None:
    for chosen in (
        {"num_players": 2, "rounds": 1, "hand_size": 30, "prediction_cards": 29},
        {"num_players": 2, "rounds": 12},
        {"num_players": 3, "rounds": 12, "hand_size": 19, "prediction_cards": 18},
        {"num_players": 5, "rounds": 12, "num_suits": 2, "num_ranks": 5, "hand_size": 2, "prediction_cards": 1},
    ):
        table = Table.dealt(1, **chosen)
        table.play(random.Random(1))
        assert table.done
        for seat in range(table.n):
            observation = table.batch.observe(np.array([seat]))[0]
            assert (observation >= GAME.observation.low).all() and (observation <= GAME.observation.high).all()
