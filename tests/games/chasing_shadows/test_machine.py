"""The state machine, rewards and options: CS-70 to CS-79 and CS-100 to CS-114."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from shadowenvs import IllegalActionError
from shadowenvs.batch import Batch
from shadowenvs.games.chasing_shadows import GAME
from tests.conformance.playing import masks_of
from tests.games.chasing_shadows.table import (
    COUNTS,
    DISCARD,
    END,
    PLAY,
    Table,
    before_scoring,
    deck,
    few,
    options,
    suit_of,
    trick_so_far,
)

SMALL: list[dict[str, Any]] = [
    {"num_players": 3, "num_suits": 3, "num_ranks": 3, "hand_size": 2},
    {"num_players": 3, "num_suits": 2, "num_ranks": 5, "hand_size": 2, "rounds": 2},
    {"num_players": 4, "num_suits": 3, "num_ranks": 9, "hand_size": 4, "reward": "points"},
    {"num_players": 5, "num_suits": 4, "num_ranks": 7, "rounds": 1},
    {"num_players": 3, "num_suits": 4, "num_ranks": 15, "hand_size": 13, "rounds": 1},
]


def identity(chosen: dict[str, Any]) -> str:
    return "-".join(map(str, chosen.values()))


@pytest.mark.rule("CS-70", "CS-82", "CS-79")
@pytest.mark.parametrize("chosen", [{"num_players": n} for n in COUNTS] + SMALL, ids=identity)
def test_one_seat_is_to_move(chosen: dict[str, Any]) -> None:
    """It has a legal action, and the kernel tells its legal actions to no other seat."""
    table = Table.dealt(1, **chosen)
    for number, now in enumerate(table.states(random.Random(1))):
        if number % few(1, 5) and not now.done:
            continue
        for seat in range(now.n):
            mask = masks_of(now.batch, np.array([seat]))[0]
            assert mask.any() == (seat == now.seat and not now.done)
            if seat == now.seat:
                assert np.flatnonzero(mask).tolist() == now.actions
    assert table.done
    assert table.seat == 0


@pytest.mark.rule("CS-79")
def test_no_action_at_the_end() -> None:
    """Not even where a position at the end lists cards in hand."""
    table = Table.at("num_players=3 phase=end hands=B1B2/B3B4/B5B6")
    assert table.actions == []
    table = Table.dealt(1, num_players=3).run()
    with pytest.raises(IllegalActionError, match="the game is over"):
        table.act(0)


@pytest.mark.rule("CS-71", "CS-72", "CS-73", "CS-74", "CS-75", "CS-86", "CS-99")
@pytest.mark.parametrize("n", COUNTS)
def test_when_a_seat_discards(n: int) -> None:
    """DISCARD comes exactly where public suits say so; everything else happens by itself."""
    discards = 0
    for seed in range(few(20, 2)):
        table = Table.dealt(seed, num_players=n, rounds=1)
        for now in table.states(random.Random(seed)):
            if now.done:
                break
            position = now.now
            if position.phase != PLAY:
                assert len(now.discards) >= 2 and now.plays == "-"
                continue
            assert now.actions and not now.discards
            seat, last = position.move, (position.lead - 1) % n
            for action in now.actions[:: few(1, 4)]:
                suit = suit_of(action)
                # Foreseen from what everybody sees.
                see = now.see((seat + 1) % n)
                held = see("hand_suits")[n - 1]
                follow = see("follow")
                can_match = bool((follow[held > 0] > 0).any())
                expected = seat != position.lead and follow[suit] == 0 and int((follow > 0).sum()) >= 2
                assert not expected or not can_match
                after = now.copy()
                after.act(action)
                assert (after.phase == DISCARD) == expected
                assert not expected or seat not in (position.lead, last)
                if expected:
                    discards += 1
                    assert after.seat == seat
                    assert after.discards == np.flatnonzero(follow).tolist()
                elif after.phase == PLAY and after.now.table != [None] * n:
                    assert after.seat == (seat + 1) % n
    assert discards > 0


@pytest.mark.rule("CS-71")
@pytest.mark.parametrize("n", COUNTS)
def test_what_needs_no_decision(n: int) -> None:
    """The last card of a trick ends it, the last one of a round scores and deals or ends the game, in one step."""
    table = Table.dealt(2, num_players=n)
    before = table.now
    for now in table.states(random.Random(2)):
        position = now.now
        assert sum(card is not None for card in position.table) < n
        assert now.done or min(map(len, position.hands)) >= (2 if position.table == [None] * n else 1)
        if len(position.boxes) > len(before.boxes):
            assert len(position.boxes) == before.round_no
            assert position.phase == (END if before.round_no == 3 else PLAY)
            assert now.done or position.round_no == before.round_no + 1
        before = position


@pytest.mark.rule("CS-75", "CS-112")
@pytest.mark.parametrize("chosen", [{"num_players": n} for n in COUNTS] + SMALL, ids=identity)
def test_number_of_decisions(chosen: dict[str, Any]) -> None:
    """n plays and at most n - 2 discards a trick; with two suits none at all; never more than max_steps."""
    for seed in range(few(20, 2)):
        table = Table.dealt(seed, **chosen)
        n, o = table.n, table.options
        discards, plays, total = 0, 0, 0
        trick = (1, 1)
        for now in table.states(random.Random(seed)):
            position = now.now
            if (position.round_no, position.trick_no) != trick:
                trick, discards = (position.round_no, position.trick_no), 0
            if position.phase == DISCARD:
                discards += 1
                assert position.move not in (position.lead, (position.lead - 1) % n)
            plays += position.phase == PLAY
            total += position.phase != END
            assert discards <= (0 if o.num_suits == 2 else n - 2)
        assert plays == o.rounds * n * o.num_tricks
        assert total <= GAME.max_steps(o, table.batch.tables)


@pytest.mark.rule("CS-76")
def test_a_single_card_is_asked_for() -> None:
    """Seat 1 has one legal card, and it is still its turn."""
    table = Table.at("num_players=4 spotlight=Y8 follow=BBB hands=R1R2R3/B4G5G6/B7G8G9/G1G2G3").do("play R1")
    assert (table.phase, table.seat, table.plays) == (PLAY, 1, "B4")
    table.do("play B4")
    assert (table.phase, table.seat, table.plays) == (PLAY, 2, "B7")


@pytest.mark.rule("CS-77")
def test_blocks_of_actions() -> None:
    assert [(block.name, block.count) for block in GAME.actions.blocks] == [("PLAY", 60), ("DISCARD", 4)]
    assert GAME.num_actions == 64
    table = Table.dealt(3, num_players=4)
    for now in table.states(random.Random(3)):
        position = now.now
        if position.phase == PLAY:
            assert set(now.actions) <= position.hands[position.move]
        elif position.phase == DISCARD:
            assert [action - 60 for action in now.actions] == sorted(set(position.follow))


@pytest.mark.rule("CS-78")
@pytest.mark.parametrize("phase", [PLAY, DISCARD])
def test_illegal_actions_are_refused(phase: int) -> None:
    table = (
        trick_so_far(4, "Y14", "G1", "R3 R4 B1", "B Y G")
        if phase == PLAY
        else trick_so_far(4, "Y14", "G1 R5", "R3 R4", "B Y G", phase=DISCARD)
    )
    before = table.batch.get_states().tobytes()
    for action in [-3, *range(64), 64, 1000]:
        if action in table.actions:
            continue
        with pytest.raises(IllegalActionError) as caught:
            table.act(action)
        assert caught.value.legal == table.actions
        assert table.batch.get_states().tobytes() == before


# -------------------------------------------------------------------------------------------------------- rewards


@pytest.mark.rule("CS-100", "CS-101", "CS-102", "CS-105")
@pytest.mark.parametrize("n", COUNTS)
def test_win_share(n: int) -> None:
    """Nothing before the end; there everybody is paid, and the sum is 0."""
    for seed in range(few(20, 2)):
        table = Table.dealt(seed, num_players=n)
        for now in table.states(random.Random(seed)):
            if not now.done:
                assert now.rewards == [0.0] * n
        w = len(table.winners)
        for seat in range(n):
            share = (n - w) / (w * (n - 1)) if seat in table.winners else -1 / (n - 1)
            assert table.rewards[seat] == pytest.approx(share, abs=1e-7)
        assert sum(table.rewards) == pytest.approx(0, abs=1e-6)


@pytest.mark.rule("CS-103", "CS-104", "CS-105")
@pytest.mark.parametrize(
    "chosen", [{"num_players": n} for n in COUNTS] + [{"num_players": 3, "num_suits": 3, "num_ranks": 5}], ids=identity
)
def test_points_reward(chosen: dict[str, Any]) -> None:
    """Minus a hundredth of the round's scores for every seat; the last step gives the struck ones back."""
    for seed in range(few(20, 2)):
        table = Table.dealt(seed, reward="points", **chosen)
        n = table.n
        returns = np.zeros(n)
        finished = 0
        for now in table.states(random.Random(seed)):
            sheets = now.now.boxes
            returns += now.rewards
            if len(sheets) == finished:
                assert now.rewards == [0.0] * n
                continue
            finished = len(sheets)
            sums = [sum(score or 0 for score in sheets[-1][seat]) for seat in range(n)]
            if now.done:
                whole = [sum(score or 0 for sheet in sheets for score in sheet[seat]) for seat in range(n)]
                sums = [sums[seat] - (whole[seat] - now.points[seat]) for seat in range(n)]
            assert now.rewards == [float(np.float32(-total) / np.float32(100)) for total in sums]
        assert returns == pytest.approx([-points / 100 for points in table.points], abs=1e-5)


# -------------------------------------------------------------------------------------------------------- options


@pytest.mark.rule("CS-106", "CS-107", "CS-108", "CS-109", "CS-112")
@pytest.mark.parametrize("chosen", SMALL, ids=identity)
def test_smaller_decks(chosen: dict[str, Any]) -> None:
    """The first suits and ranks, the given hands, all else set aside; numbers as in the whole deck."""
    table = Table.dealt(5, **chosen)
    o, n = table.options, table.n
    assert o.num_ranks is not None and o.hand_size is not None
    whole = {suit * 15 + rank for suit in range(o.num_suits) for rank in range(o.num_ranks)}
    position = table.now
    places = [*position.hands, {position.spotlight or 0}, position.first, position.aside]
    assert sorted(card for place in places for card in place) == sorted(whole) == sorted(deck(o))
    assert [len(hand) for hand in position.hands] == [o.hand_size] * n
    assert len(position.first) == n - 1
    assert len(position.aside) == o.deck_size - n * (o.hand_size + 1)
    tricks = {(1, 1)}
    for now in table.states(random.Random(5)):
        for action in now.actions:
            assert action in whole or (action >= 60 and action - 60 < o.num_suits)
        tricks.add((now.now.round_no, now.now.trick_no))
    assert len(tricks) == o.rounds * (o.hand_size - 1)


@pytest.mark.rule("CS-110", "CS-111", "CS-67", "CS-68")
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_fewer_rounds(rounds: int) -> None:
    """One or two rounds strike nothing out; the cards of the last round break ties, whatever its number."""
    chosen = options(num_players=3, num_ranks=15, hand_size=5, rounds=rounds)
    # Red 9 in the last round; before it blue 5 once.
    sheets: list[Any] = [[[None] * 4 for _ in range(3)] for _ in range(rounds - 1)]
    before = 0
    if rounds > 1:
        sheets[0] = [[None, 5, None, None], [None, None, 5, None], [14, 14, 14, 14]]
        before = 5
    scored = [{24}, {39, 40, 56, 57}, {58}]  # red 9; yellow 9 10, grey 11 12
    scored[1] = {39}
    scored[2] = {58, 59}
    table, play = before_scoring(chosen, scored, round_no=rounds, boxes=sheets)
    table.act(play)
    assert table.done
    assert len(table.now.boxes) == rounds
    assert table.points[:2] == ([9 + before, 9 + before] if rounds < 3 else [9, 9])
    assert (table.see(0)("struck").sum() > 0) == (rounds == 3)
    assert table.winners == [0, 1]
    # The same with more cards for seat 0: yellow 9 takes a higher yellow card along, which is ignored.
    scored[1] = {39, 44}
    table, play = before_scoring(chosen, scored, round_no=rounds, boxes=sheets)
    table.act(play)
    assert table.points[0] == table.points[1]
    assert table.winners == [0]


@pytest.mark.rule("CS-111")
def test_earlier_rounds_break_no_ties() -> None:
    """Random games to their end: the tie break counts the cards of the last round alone."""
    for seed in range(few(200, 20)):
        table = Table.dealt(seed, num_players=3, num_suits=3, num_ranks=3, rounds=1 + seed % 3)
        table.run(random.Random(seed))
        counts = [len(taken) for taken in table.now.taken]
        assert sum(counts) == (table.options.hand_size or 0) - 1 + 3
        lowest = [seat for seat in range(3) if table.points[seat] == min(table.points)]
        fewest = min(counts[seat] for seat in lowest)
        assert table.winners == [seat for seat in lowest if counts[seat] == fewest]


@pytest.mark.rule("CS-114", "CS-14")
def test_computed_defaults() -> None:
    sizes = [(options(num_players=n).num_ranks, options(num_players=n).hand_size) for n in COUNTS]
    assert sizes == [(11, 13), (14, 13), (15, 11)]
    assert options(num_players=3, num_suits=2, num_ranks=5).hand_size == 2
    assert options(num_players=5, num_suits=3).hand_size == 8
    assert options() == options(num_players=4, rounds=3, reward="win_share", num_suits=4)


@pytest.mark.rule("CS-114", "CS-109")
@pytest.mark.parametrize(
    ("chosen", "aside"),
    [
        ({"num_players": 3, "num_suits": 3, "num_ranks": 3, "hand_size": 2}, 0),
        ({"num_players": 3, "num_suits": 2, "num_ranks": 5, "hand_size": 2}, 1),
        ({"num_players": 3, "num_suits": 4, "num_ranks": 15, "hand_size": 13}, 18),
        ({"num_players": 3, "num_ranks": 15}, 0),
        ({"num_players": 4, "num_suits": 2, "num_ranks": 6}, 0),
    ],
)
def test_accepted_options(chosen: dict[str, Any], aside: int) -> None:
    table = Table.dealt(1, **chosen)
    assert len(table.now.aside) == aside
    assert table.run().done


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"num_players": 2}, "num_players must be between 3 and 5, not 2"),
    ({"num_players": 6}, "num_players must be between 3 and 5, not 6"),
    ({"num_players": 4.0}, "num_players must be an integer, not 4.0"),
    ({"num_players": True}, "num_players must be an integer, not True"),
    ({"rounds": 0}, "rounds must be between 1 and 3, not 0"),
    ({"rounds": 4}, "rounds must be between 1 and 3, not 4"),
    ({"rounds": "3"}, "rounds must be an integer, not '3'"),
    ({"reward": "score"}, "unknown reward 'score'; choose one of 'win_share', 'points'"),
    ({"num_suits": 1}, "num_suits must be between 2 and 4, not 1"),
    ({"num_suits": 5}, "num_suits must be between 2 and 4, not 5"),
    ({"num_suits": False}, "num_suits must be an integer, not False"),
    ({"num_ranks": 2}, "num_ranks must be between 3 and 15, not 2"),
    ({"num_ranks": 16}, "num_ranks must be between 3 and 15, not 16"),
    ({"num_ranks": 5.5}, "num_ranks must be an integer, not 5.5"),
    ({"hand_size": 1}, "hand_size must be at least 2, not 1"),
    ({"hand_size": 3.0}, "hand_size must be an integer, not 3.0"),
    (
        {"num_players": 3, "num_suits": 2, "num_ranks": 4},
        "hand_size must be at least 2; 1 (default for this deck) is too small",
    ),
    (
        {"num_players": 5, "num_ranks": 14, "hand_size": 11},
        "hand_size 11: 5 players need 5·(hand_size + 1) = 60 cards; the deck has 56",
    ),
    (
        {"num_players": 3, "num_suits": 3, "num_ranks": 3, "hand_size": 3},
        "hand_size 3: 3 players need 3·(hand_size + 1) = 12 cards; the deck has 9",
    ),
    ({"hand_size": 10**30}, f"hand_size {10**30}: 4 players need 4·(hand_size + 1) = {4 * (10**30 + 1)} cards"),
    ({"prediction_cards": 2}, "unknown option 'prediction_cards'"),
]


@pytest.mark.rule("CS-114")
@pytest.mark.parametrize(("chosen", "message"), REFUSED, ids=[message.partition(" ")[0] for _, message in REFUSED])
def test_refused_options(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        Batch(GAME, 1, **chosen)


def test_states_are_small_and_without_gaps() -> None:
    """NumPy leaves the bytes of gaps undefined when it copies records."""
    fields = GAME.state.fields or {}
    covered = sum(dtype.itemsize for dtype, _ in (field[:2] for field in fields.values()))
    assert covered == GAME.state.itemsize <= 512
