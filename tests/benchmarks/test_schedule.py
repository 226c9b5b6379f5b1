"""Line-ups: who sits where is balanced."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from benchmarks.schedule import (
    all_seatings,
    balanced_choice,
    balanced_seatings,
    count_games,
    mixed_line_ups,
    one_against_all,
    schedule,
)


def count_seats(line_ups: np.ndarray, num_agents: int) -> np.ndarray:
    """Returns how often each agent sits at each seat."""
    counts = np.zeros((num_agents, line_ups.shape[1]), int)
    for line_up in line_ups:
        counts[line_up, np.arange(len(line_up))] += 1
    return counts


def count_neighbours(line_ups: np.ndarray, num_agents: int) -> np.ndarray:
    """Returns how often each agent sits just before each other one, around the table."""
    counts = np.zeros((num_agents, num_agents), int)
    for line_up in line_ups:
        for seat, agent in enumerate(line_up):
            counts[agent, line_up[(seat + 1) % len(line_up)]] += 1
    return counts


def test_one_against_all() -> None:
    np.testing.assert_array_equal(one_against_all(3), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize("seats", range(2, 7))
def test_all_seatings(seats: int) -> None:
    seatings = all_seatings(seats)
    assert seatings.shape == (math.factorial(seats), seats)
    assert len({tuple(row) for row in seatings.tolist()}) == len(seatings)
    assert (np.sort(seatings, axis=1) == np.arange(seats)).all()


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6, 7, 8])
def test_balanced_seatings(seats: int) -> None:
    """Each agent equally often at each seat, and equally often just before each other one."""
    seatings = balanced_seatings(seats)
    assert seatings.shape == (seats * (seats - 1), seats)
    assert len({tuple(row) for row in seatings.tolist()}) == len(seatings)
    assert (np.sort(seatings, axis=1) == np.arange(seats)).all()
    assert (count_seats(seatings, seats) == seats - 1).all()
    neighbours = count_neighbours(seatings, seats)
    if seats > 2:
        assert (neighbours == seats * (1 - np.eye(seats))).all()


def test_five_agents_hold_every_two_seats() -> None:
    seatings = balanced_seatings(5)
    for one, other in itertools.permutations(range(5), 2):
        assert len({tuple(row) for row in seatings[:, [one, other]].tolist()}) == 20


@pytest.mark.parametrize("seats", [1, 0, 9])
def test_no_balanced_seatings(seats: int) -> None:
    with pytest.raises(ValueError, match=f"not {seats}"):
        balanced_seatings(seats)


@pytest.mark.parametrize(("seats", "expected"), [(2, 2), (3, 6), (4, 24), (5, 20), (6, 30)])
def test_too_many_seatings_are_replaced_by_a_balanced_set(seats: int, expected: int) -> None:
    assert len(mixed_line_ups(seats, seats)) == expected


@pytest.mark.parametrize(
    ("agents", "seats"), [(agents, seats) for seats in range(3, 7) for agents in (seats + 1, 9, 30)]
)
def test_more_agents_than_seats(agents: int, seats: int) -> None:
    line_ups = balanced_choice(agents, seats)
    np.testing.assert_array_equal(line_ups, balanced_choice(agents, seats))
    assert all(len(set(row)) == seats for row in line_ups.tolist())
    assert line_ups.min() == 0
    assert line_ups.max() == agents - 1
    rounds = max(1, 24 // agents)
    assert (count_seats(line_ups, agents) == rounds).all()
    if rounds > 1:
        met = np.zeros((agents, agents))
        for row in line_ups:
            met[np.ix_(row, row)] += 1
        others = met[~np.eye(agents, dtype=bool)]
        assert others.min() >= 1
        # All alike but for what does not divide: a random choice of line-ups differs by far more.
        assert others.max() - others.min() <= 2


def test_schedule() -> None:
    for agents, mirror, line_ups in itertools.product((2, 3, 4, 5), (False, True), (False, True)):
        names = [f"a{number}" for number in range(agents)]
        matches = schedule(names, 4, mirror=mirror, line_ups=line_ups)
        pairs = [match.names for match in matches if not match.mixed]
        assert pairs == [pair for pair in itertools.product(names, repeat=2) if mirror or pair[0] != pair[1]]
        mixed = [match for match in matches if match.mixed]
        assert [match.names for match in mixed] == ([tuple(names)] if line_ups and agents >= 4 else [])
        assert count_games(matches, 3) == 3 * (4 * len(pairs) + sum(len(match.line_ups) for match in mixed))
    assert [match.mixed for match in schedule(["a", "b", "c"], 2)] == [False] * 6
