"""Majorities, victory, the cap, points and rewards: SG-84 to SG-100, SG-124 to SG-128, SG-133."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.spec import max_steps
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.table import Table, dealt, table


@pytest.mark.rule("SG-84")
@pytest.mark.parametrize(("victory", "mark"), [(5, "T"), (4, "T"), (6, ""), (1, "TUG")])
def test_a_majority_is_v_favours_of_one_type(victory: int, mark: str) -> None:
    state = table(2, "A", "PP PO", favours={0: "5/1/1"}, victory=victory)
    majority = state.observed(0, "majority")[0]
    assert "".join("TUG"[t] for t in np.flatnonzero(majority)) == mark
    assert state.play("skip").marks(0) == mark


@pytest.mark.rule("SG-85")
def test_the_check_comes_after_the_last_draw_for_the_actor_alone() -> None:
    state = table(2, "A", "", hands=["PP", "TC PO"], favours={0: "5/1/1", 1: "1/5/1"}, marks={0: "T", 1: "U"})
    state.play("play PP, declare AR, pass")
    while state.phase in ("discard", "favour"):
        state.batch.step(state.batch.random_actions(0, 0))
    assert (state.phase, state.now.winners, len(state.now.hands[0]), len(state.now.hands[1])) == ("over", {0}, 2, 2)


@pytest.mark.rule("SG-86")
def test_marks_are_off_at_the_start_and_public() -> None:
    start = dealt(1, num_players=3)
    assert [start.marks(seat) for seat in range(3)] == [""] * 3
    state = table(3, "A", "PP PO", marks={1: "TG", 2: "U"})
    shown = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 0]])
    for seat in range(3):
        assert state.observed(seat, "marks")[:3].tolist() == np.roll(shown, -seat, axis=0).tolist()


@pytest.mark.rule("SG-87")
def test_a_second_majority_wins() -> None:
    for favours, mark, wins in (
        ("5/1/1", "T", True),
        ("7/1/1", "T", True),
        ("4/1/1", "T", False),
        ("5/1/1", "", False),
    ):
        state = table(4, "A", "PP PO", favours={0: favours}, marks={0: mark or "-"}).play("skip")
        assert (state.phase == "over") == wins
        assert state.now.winners == ({0} if wins else set())


@pytest.mark.rule("SG-88")
def test_marks_are_set_for_exactly_the_types_of_the_majorities() -> None:
    state = table(3, "A", "PP PO", favours={0: "4/5/6"}, marks={0: "T"}).play("skip")
    assert state.marks(0) == "UG"


@pytest.mark.rule("SG-89")
def test_another_type_does_not_continue_a_streak() -> None:
    state = table(3, "A", "PP PO", favours={0: "4/5/1"}, marks={0: "T"}).play("skip")
    assert (state.phase, state.marks(0)) == ("play", "U")


@pytest.mark.rule("SG-90", "SG-85")
def test_a_majority_counts_at_the_end_of_the_own_turn() -> None:
    """Seat 1 reaches it in seat 0's turn: no mark then, one at the end of its own turn."""
    state = table(2, "P", "TC PO TS", favours={1: "4/1/1"}).play("play PO, declare TC, challenge, favour Team, skip")
    assert (state.favours(1), state.marks(1), state.now.actor) == ("5/1/1", "", 1)
    state.play("play TC, declare PO, pass, skip")
    assert state.marks(1) == "T"


@pytest.mark.rule("SG-91")
def test_a_seat_without_favour_plays_on() -> None:
    state = table(3, "A", "PP PO", favours={1: "0/0/0"}).play("skip")
    assert (state.now.actor, state.phase) == (1, "play")
    assert state.legal()


LOST = {"favours": {0: "5/1/1"}, "marks": {0: "T"}}


def lose_and_regain(check: str) -> Table:
    """Seat 0 has its mark on; seat 1 takes a Team favour; seat 0 gets it back and ends its turn."""
    state = table(2, "A", "", hands=["PP PO", "TS TS"], favours={0: "5/1/1"}, top="SC", victory_check=check).play(
        "skip"
    )
    assert state.marks(0) == "T"
    state.play("skip, play TS, declare TS, pass")
    assert state.favours(0) == "4/1/1"
    assert state.marks(0) == ("" if check == "held" else "T")
    return state.play("skip, play PP, declare TS, pass")


@pytest.mark.rule("SG-92", "SG-93")
def test_turn_end_forgives_a_majority_lost_in_between() -> None:
    assert GAME.options.make().victory_check == "turn_end"
    assert lose_and_regain("turn_end").now.winners == {0}


@pytest.mark.rule("SG-94")
def test_held_does_not() -> None:
    state = lose_and_regain("held")
    assert (state.phase, state.now.actor, state.marks(0)) == ("play", 1, "T")
    kept = table(2, "A", "PP PO", favours={0: "5/1/1"}, marks={0: "T"}, victory_check="held").play("skip")
    assert kept.now.winners == {0}


@pytest.mark.rule("SG-94")
def test_held_looks_at_one_type_and_at_the_limit() -> None:
    setup = {"favours": {0: "0/1/1", 1: "6/5/5"}, "marks": {1: "TU"}, "victory_check": "held"}
    state = table(2, "A", "TS PO", **setup).play("play TS, declare TS, pass")
    assert (state.favours(1), state.marks(1)) == ("5/5/5", "TU")
    state = table(2, "A", "SC PO", **setup).play("play SC, declare SC, pass")
    assert (state.favours(1), state.marks(1)) == ("6/4/5", "T")


@pytest.mark.rule("SG-95", "SG-96", "SG-97")
def test_turn_start_checks_before_anything_else_in_the_turn() -> None:
    setup = {"favours": {1: "5/1/1"}, "marks": {1: "T"}, "victory_check": "turn_start"}
    state = table(2, "A", "PP PO", **setup).play("skip")
    assert (state.phase, state.now.winners, state.now.turn, len(state.now.hands[1])) == ("over", {1}, 2, 2)
    own_end = table(2, "A", "PP PO", favours={0: "5/1/1"}, marks={0: "T"}, victory_check="turn_start").play("skip")
    assert (own_end.phase, own_end.now.actor, own_end.marks(0)) == ("play", 1, "T")
    # A majority that is gone at the start of the turn does not win, and the mark stays until the end.
    gone = table(2, "A", "PP PO", favours={1: "4/5/1"}, marks={1: "T"}, victory_check="turn_start").play("skip")
    assert (gone.phase, gone.marks(1)) == ("play", "T")
    assert gone.play("play TC, declare PO, pass, skip").marks(1) == "U"
    lost = table(3, "A", "TS PO", favours={2: "5/1/1"}, marks={2: "T"}, victory_check="turn_start")
    assert lost.play("play TS, declare TS, seat +2, pass, pass").favours(2) == "4/1/1"
    assert lost.marks(2) == "T"


@pytest.mark.rule("SG-98")
@pytest.mark.parametrize("check", ["turn_end", "held", "turn_start"])
def test_before_the_cap_there_is_one_winner(check: str) -> None:
    batch = Batch(GAME, 8 if is_compiled() else 2, num_players=4, victory_check=check, autoreset=False)
    batch.reset(3)
    for number in range(5_760):
        actions = batch.random_actions(1, number)
        if (actions < 0).all():
            break
        batch.step(actions)
    states = batch.get_states()
    assert states["done"].all()
    early = states["turn_no"] < 240
    assert early.any()
    assert (states["winners"][early] == 1 << states["actor"][early]).all()


@pytest.mark.rule("SG-99")
@pytest.mark.parametrize(
    ("favours", "winners"),
    [
        ({0: "1/1/2"}, {0}),
        ({0: "1/1/2", 1: "0/0/3"}, {1}),
        ({0: "1/1/2", 1: "2/0/2"}, {0, 1}),
        ({0: "1/1/2", 1: "2/1/2"}, {1}),
        ({0: "0/1/2", 2: "2/0/1", 1: "2/0/0"}, {0, 2}),
        ({}, {0, 1, 2}),
    ],
)
def test_the_ranking_at_the_cap(favours: dict[int, str], winners: set[int]) -> None:
    state = table(3, "A", "PP PO", favours=favours, max_turns=7, words="turn=7").play("skip")
    assert (state.phase, state.now.winners, state.now.turn) == ("over", winners, 7)
    going_on = table(3, "A", "PP PO", favours=favours, max_turns=7, words="turn=6").play("skip")
    assert (going_on.phase, going_on.now.turn) == ("play", 7)


@pytest.mark.rule("SG-99", "SG-95")
def test_no_check_follows_the_last_turn() -> None:
    setup = {"favours": {1: "5/0/1", 0: "1/6/1"}, "marks": {1: "T"}, "victory_check": "turn_start"}
    state = table(2, "A", "PP PO", max_turns=1, **setup).play("skip")
    assert state.now.winners == {0}


@pytest.mark.rule("SG-100")
def test_the_check_of_the_last_turn_comes_before_the_cap() -> None:
    state = table(2, "A", "PP PO", favours={0: "5/0/0", 1: "1/6/1"}, marks={0: "T"}, max_turns=1).play("skip")
    assert state.now.winners == {0}


@pytest.mark.rule("SG-99")
@pytest.mark.parametrize("n", range(2, 7))
def test_games_always_end(n: int) -> None:
    """A table where nobody does anything but pass and skip reaches the cap and no further."""
    state = dealt(2, num_players=n, first_seat=0, max_turns=3 * n)
    assert GAME.options.make(num_players=n).max_turns == 60 * n
    steps = 0
    while not state.row["done"]:
        legal = state.legal()
        wanted = [word for word in legal if word in ("skip", "pass", "declare PO", "leave")] or legal
        state.play(wanted[0])
        steps += 1
    assert state.now.turn == 3 * n
    assert steps <= max_steps(state.options, state.batch.tables)


@pytest.mark.rule("SG-124")
def test_nothing_is_legal_at_the_end() -> None:
    state = table(2, "A", "PP PO", favours={0: "5/1/1"}, marks={0: "T"}).play("skip")
    assert (state.phase, state.legal(), state.now.move, state.now.agents) == ("over", [], 0, False)
    assert bool(state.row["done"])
    assert int(state.row["winners"]) == 1
    assert not state.observed(1, "to_move").any()


@pytest.mark.rule("SG-125", "SG-128")
@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(2, 7) for k in range(1, n + 1)])
def test_win_shares(n: int, k: int) -> None:
    favours = dict.fromkeys(range(n - k, n), "1/1/2")
    hands = ["PP PO", "TC PO", "TC PO", "SH FS", "SH FS", "SH FS"][:n]
    state = table(n, "A", "", hands=hands, favours=favours, max_turns=1).play("skip")
    share = (n - k) / (k * (n - 1))
    assert state.rewards == pytest.approx([-1 / (n - 1)] * (n - k) + [share] * k)
    assert sum(state.rewards) == pytest.approx(0, abs=1e-6)
    assert state.batch.dones[0]


@pytest.mark.rule("SG-125")
def test_no_rewards_before_the_end() -> None:
    state = table(2, "P", "TC PO TS").play("play TC, declare TC, pass")
    assert state.rewards == [0, 0]


def potential(pools: list[list[int]], victory: int) -> np.ndarray:
    b = np.array([min(victory, max(pool)) for pool in pools]) / victory
    return np.array([b[p] - np.delete(b, p).mean() for p in range(len(b))])


@pytest.mark.rule("SG-126", "SG-127")
@pytest.mark.parametrize("n", range(2, 7))
def test_shaped_rewards(n: int) -> None:
    """Against the definition in double precision, over whole games."""
    for seed in range(3 if is_compiled() else 1):
        state = dealt(seed, num_players=n, reward="favours", max_turns=6 * n, victory=3)
        total = np.zeros(n)
        number = 0
        while not state.row["done"]:
            before = potential(state.now.favours, 3)
            state.batch.step(state.batch.random_actions(seed, number))
            number += 1
            done = bool(state.row["done"])
            after = np.zeros(n) if done else potential(state.now.favours, 3)
            wanted = 0.25 * (after - before)
            if done:
                k = len(state.now.winners)
                share = [(n - k) / (k * (n - 1)) if seat in state.now.winners else -1 / (n - 1) for seat in range(n)]
                wanted += share
            assert state.rewards == pytest.approx(wanted, abs=1e-6)
            assert sum(state.rewards) == pytest.approx(0, abs=1e-6)
            total += state.rewards
        assert total == pytest.approx(share, abs=1e-4)


@pytest.mark.rule("SG-126")
def test_shaping_by_hand() -> None:
    state = table(3, "P", "TC PO TS", reward="favours").play("play TC, declare TC, pass, pass")
    assert state.rewards == pytest.approx([0.05, -0.025, -0.025])
    top = table(3, "P", "TC PO TS", reward="favours", favours={0: "5/1/1"}).play("play TC, declare TC, pass, pass")
    assert (top.favours(0), top.rewards) == ("6/1/1", [0, 0, 0])


@pytest.mark.rule("SG-128")
def test_the_cap_is_a_normal_end() -> None:
    state = table(2, "A", "PP PO", max_turns=1).play("skip")
    assert state.batch.dones[0]
    assert int(state.batch.final_winners[0]) == 0b11
    assert state.now.winners == {0, 1}


@pytest.mark.rule("SG-133")
def test_points_are_the_most_favours_of_one_type() -> None:
    state = table(3, "P", "TC PO TS", favours={0: "2/1/1", 1: "0/3/1", 2: "0/0/0"})
    assert state.row["points"].tolist() == [2, 3, 0, 0, 0, 0]
    state.play("play TC, declare TC, pass")
    assert state.row["points"].tolist() == [3, 3, 0, 0, 0, 0]
    loses = table(2, "A", "SC PO", favours={1: "0/3/1"}).play("play SC, declare SC, pass")
    assert loses.row["points"].tolist() == [2, 2, 0, 0, 0, 0]
    assert state.batch.points.tolist() == [[3, 3, 0]]
