"""Games between agents: who sits where, who has won, and that equal arguments give equal results."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

from agents import matches
from agents.base import Agent, PolicyAgent
from agents.heuristic import HeuristicAgent
from agents.matches import Results, Standing, draw_deals, interval, play_deals, win_shares
from agents.neural import NeuralAgent
from agents.random import RandomAgent
from shadowenvs.batch import Batch
from shadowenvs.errors import IllegalActionError
from shadowenvs.game import Game, Rate, ranks
from shadowenvs.turn import Turn

DEALS = draw_deals(7, 3)


def line_ups_of(num_players: int) -> np.ndarray:
    return 1 - np.eye(num_players, dtype=np.int64)


def same(one: Results, other: Results) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in dataclasses.fields(Results)
    )


def test_win_shares() -> None:
    winners = np.array([[0b0001, 0b1010], [0b1111, 0b0000]], np.uint8)
    expected = [[[1, 0, 0, 0], [0, 0.5, 0, 0.5]], [[0.25] * 4, [0, 0, 0, 0]]]
    np.testing.assert_array_equal(win_shares(winners, 4), expected)
    assert win_shares(winners, 4).dtype == np.float64


def test_more_deals_begin_with_the_same() -> None:
    np.testing.assert_array_equal(draw_deals(7, 9)[:3], DEALS)
    assert len({*draw_deals(7, 500).tolist(), *draw_deals(8, 500).tolist()}) == 1000


def test_against_a_table_of_one(game: Game) -> None:
    """The same games, played one at a time and action by action by another loop."""
    seats = game.seats[0]
    line_ups = line_ups_of(seats)
    first = PolicyAgent(lambda turn: turn.masks.argmax(axis=1), "first")
    last = PolicyAgent(lambda turn: turn.masks.shape[1] - 1 - turn.masks[:, ::-1].argmax(axis=1), "last")
    results = play_deals(game, {"num_players": seats}, [first, last], line_ups, DEALS)
    for (d, seed), (number, line_up) in itertools.product(enumerate(DEALS), enumerate(line_ups)):
        batch = Batch(game, 1, num_players=seats)
        batch.reset(np.array([seed]))
        while not batch.dones[0]:
            legal = np.flatnonzero(batch.masks[0])
            batch.step(np.array([legal[0] if line_up[batch.seats[0]] == 0 else legal[-1]]))
        assert results.winners[d, number] == batch.final_winners[0]
        np.testing.assert_array_equal(results.points[d, number], batch.final_points[0])
        places = ranks(batch.final_keys[0], int(batch.final_winners[0]))
        assert results.ranks[d, number].tolist() == places
        assert [seat for seat in range(seats) if places[seat] == 1] == [
            seat for seat in range(seats) if batch.final_winners[0] >> seat & 1
        ]
        won = [seat for seat in range(seats) if int(batch.final_winners[0]) >> seat & 1]
        expected = [1 / len(won) if seat in won else 0.0 for seat in range(seats)]
        np.testing.assert_array_equal(results.shares[d, number], expected)


@pytest.mark.parametrize("num_players", [0, -1])
def test_equal_arguments_give_equal_results(game: Game, num_players: int) -> None:
    seats = game.seats[num_players]

    def play(**changes: Any) -> Results:
        arguments = {"seed": 3, "num_tables": 5, "deal_seeds": DEALS, **changes}
        agents: list[Agent] = [RandomAgent(), HeuristicAgent()]
        return play_deals(game, {"num_players": seats}, agents, line_ups_of(seats), **arguments)

    results = play()
    assert results.winners.shape == (3, seats)
    assert results.points.shape == (3, seats, seats)
    assert (results.winners > 0).all()
    np.testing.assert_allclose(results.shares.sum(axis=-1), 1.0)
    assert same(results, play())
    assert not same(results, play(seed=4))
    assert same(results, play(seed=[3]))
    assert not same(results, play(seed=[3, 1]))
    assert not same(results, play(deal_seeds=draw_deals(8, 3)))


def test_tables_at_a_time_do_not_matter(game: Game, make_policy: Callable[..., Any]) -> None:
    """For agents that draw no random numbers."""
    seats = game.seats[0]
    card, tensors = make_policy(game, (4,))
    first = PolicyAgent(lambda turn: turn.masks.argmax(axis=1), "first")
    agents: list[Agent] = [first, NeuralAgent(card, tensors, "net")]
    one, *others = (
        play_deals(game, {"num_players": seats}, agents, line_ups_of(seats), DEALS, num_tables=number)
        for number in (1000, 1, 4)
    )
    assert all(same(one, other) for other in others)


def test_rewards_do_not_matter(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are those of the winners: neither the kind of reward nor a forged one changes them."""
    seats = game.seats[0]
    agents: list[Agent] = [RandomAgent(), HeuristicAgent()]
    results = play_deals(game, {"num_players": seats}, agents, line_ups_of(seats), DEALS)
    choices = next(field for field in dataclasses.fields(game.options) if field.name == "reward")
    for reward in choices.metadata["option"].choices:
        assert same(
            results, play_deals(game, {"num_players": seats, "reward": reward}, agents, line_ups_of(seats), DEALS)
        )

    class Forged(Batch):
        def step(self, actions: np.ndarray) -> None:
            super().step(actions)
            self.rewards[:] = np.where(self.rewards > 0, -1.0, 1.0)

        def get_states(self, tables: Any = None) -> Any:
            states = super().get_states(tables)
            states["rewards"] = 1.0 - states["rewards"]
            return states

    monkeypatch.setattr(matches, "Batch", Forged)
    assert same(results, play_deals(game, {"num_players": seats}, agents, line_ups_of(seats), DEALS))


def test_winners_do_matter(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    seats = game.seats[0]

    class Forged(Batch):
        def get_states(self, tables: Any = None) -> Any:
            states = super().get_states(tables)
            states["winners"] = 0b11
            return states

    monkeypatch.setattr(matches, "Batch", Forged)
    results = play_deals(game, {"num_players": seats}, [RandomAgent()], np.zeros((1, seats), int), DEALS)
    assert (results.shares[..., :2] == 0.5).all()
    assert (results.shares[..., 2:] == 0.0).all()


def test_every_agent_decides_for_its_own_seats(game: Game) -> None:
    seats = game.seats[0]
    line_ups = np.array([np.arange(seats), np.arange(seats)[::-1]])
    seen: list[set[int]] = [set() for _ in range(seats)]
    begun: list[np.ndarray] = []

    class Watches(RandomAgent):
        def __init__(self, number: int) -> None:
            self.number = number

        def reset(self, tables: np.ndarray) -> None:
            begun.append(tables)

        def act(self, turn: Turn) -> np.ndarray:
            # Tables 0, 2, ... have the first line-up, tables 1, 3, ... the second.
            for table, seat in zip(turn.tables, turn.seats, strict=True):
                assert line_ups[table % 2][seat] == self.number
                seen[self.number].add(int(seat))
            return super().act(turn)

    play_deals(
        game, {"num_players": seats}, [Watches(number) for number in range(seats)], line_ups, DEALS, num_tables=4
    )
    assert seen == [{number, seats - 1 - number} for number in range(seats)]
    assert [len(tables) for tables in begun] == [4] * seats + [2] * seats


@pytest.mark.parametrize("action", [-1, -2, 10**9, None])
def test_illegal_actions_name_the_agent(game: Game, action: int | None) -> None:
    """Leaving a table alone is no way out either."""
    seats = game.seats[0]

    def cheat(turn: Turn) -> np.ndarray:
        return turn.masks.argmin(axis=1) if action is None else np.full(len(turn), action)

    with pytest.raises(IllegalActionError) as caught:
        play_deals(game, {"num_players": seats}, [PolicyAgent(cheat, "cheat")], np.zeros((1, seats), int), DEALS)
    assert caught.value.__notes__ == ["(chosen by agent cheat)"]


def test_rates(game: Game) -> None:
    """Counts of any rate are those of the final states, by seat."""
    seats = game.seats[0]
    counted = dataclasses.replace(game, rates=(Rate("all", "points", "points", ""), *game.rates))
    results = play_deals(counted, {"num_players": seats}, [RandomAgent(), HeuristicAgent()], line_ups_of(seats), DEALS)
    assert results.parts.shape == results.wholes.shape == (3, seats, seats, len(game.rates) + 1)
    np.testing.assert_array_equal(results.parts[..., 0], results.points)
    np.testing.assert_array_equal(results.wholes[..., 0], results.points)
    assert (results.parts[..., 1:] <= results.wholes[..., 1:]).all()
    assert (results.parts[..., 1:] >= 0).all()
    own = results.of(0, results.points)
    np.testing.assert_array_equal(own, results.points[:, range(seats), range(seats)])


def test_progress_counts_every_game(game: Game) -> None:
    seats = game.seats[0]
    ended: list[int] = []
    play_deals(
        game,
        {"num_players": seats},
        [RandomAgent()] * 2,
        line_ups_of(seats),
        DEALS,
        num_tables=4,
        progress=ended.append,
    )
    assert sum(ended) == 3 * seats


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"line_ups": [[0]]}, "line_ups must list"),
        ({"line_ups": []}, "line_ups must list"),
        ({"number": 2}, "numbers of agents from 0 to 1"),
        ({"number": -1}, "numbers of agents from 0 to 1"),
        ({"num_tables": 0}, "num_tables must be at least 1"),
        ({"options": {"nothing": 1}}, "unknown option 'nothing'"),
    ],
)
def test_wrong_arguments(game: Game, change: dict[str, Any], reason: str) -> None:
    line_ups = np.full((1, game.options.make().num_players), change.get("number", 0))
    change = {key: value for key, value in change.items() if key != "number"}
    arguments = {"options": {}, "agents": [RandomAgent()] * 2, "line_ups": line_ups, "deal_seeds": DEALS, **change}
    with pytest.raises(ValueError, match=reason):
        play_deals(game, **arguments)


# --------------------------------------------------------------------------------------------------------- statistics


def test_interval_by_hand() -> None:
    mean, low, high = interval(np.array([1.0, 2.0, 4.0, 5.0]))
    # Standard deviation sqrt(10 / 3), 3 degrees of freedom: t = 3.182446.
    half = 3.182446305 * math.sqrt(10 / 3) / 2
    assert (mean, low, high) == pytest.approx((3.0, 3.0 - half, 3.0 + half))
    assert interval(np.array([[0, 2], [1, 3], [4, 4], [6, 4]])) == pytest.approx((3.0, 3.0 - half, 3.0 + half))
    assert interval(np.array([0.5, 0.5])) == (0.5, 0.5, 0.5)


def test_interval_is_that_of_scipy() -> None:
    values = np.random.default_rng(0).normal(size=40)
    expected = scipy.stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert interval(values, 0.9)[1:] == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("values", [[], [1.0], [[1.0, 2.0, 3.0]]])
def test_interval_needs_two_deals(values: Any) -> None:
    with pytest.raises(ValueError, match="at least 2 deals"):
        interval(np.array(values))


def test_coverage() -> None:
    """Games of a deal depend on each other: counting deals covers the truth as often as it says, counting games not.

    Wins are 0 or 1, with a chance that the deal sets: a quarter on average, as with four equal agents.
    """
    generator = np.random.default_rng(20)
    repeats, num_deals, num_games = 2000, 100, 4
    clustered = naive = 0
    for _ in range(repeats):
        chances = generator.beta(0.25, 0.75, size=(num_deals, 1))
        wins = generator.random((num_deals, num_games)) < chances
        _, low, high = interval(wins)
        clustered += low <= 0.25 <= high
        _, low, high = interval(wins.ravel())
        naive += low <= 0.25 <= high
    # Three standard errors of a share of 0.95 in 2000 repeats are 0.015.
    assert clustered / repeats == pytest.approx(0.95, abs=0.015)
    assert naive / repeats < 0.85


def test_standing() -> None:
    """Two deals, two seats, agent 0 at each in turn; the second deal's first game is shared."""
    winners = np.array([[0b01, 0b01], [0b11, 0b10]], np.uint8)
    points = np.array([[[3, 1], [5, 2]], [[4, 4], [0, 6]]])
    nothing = np.zeros((2, 2, 2, 0), np.int64)
    places = np.array([[[1, 2], [1, 2]], [[1, 1], [2, 1]]])
    results = Results(np.array([[0, 1], [1, 0]]), winners, points, places, nothing, nothing)
    standing = Standing.of(results, 0, "a", "b")
    assert (standing.agent, standing.opponents) == ("a", "b")
    assert standing.share == interval(np.array([0.5, 0.75]))
    assert standing.points == interval(np.array([2.5, 5.0]))
