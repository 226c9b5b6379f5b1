"""What is noted in games: which rows there are, whose they are, and their means."""

from __future__ import annotations

import numpy as np
import pytest

from agents.matches import draw_deals, play_deals
from benchmarks import watching
from benchmarks.behaviour import bluffs, note_bluffs
from benchmarks.watching import Record, draw_seating, watch
from shadowenvs import get_game
from tests.benchmarks.players import first, last

FIRST, LAST = "tests.benchmarks.players:first", "tests.benchmarks.players:last"


def record(**columns: list[int]) -> Record:
    return Record("A Game", ["a", "b"], 4, 3, {name: np.array(values) for name, values in columns.items()})


def test_means_by_hand() -> None:
    rows = record(game=[0, 0, 2, 3], agent=[0, 1, 0, 0], hits=[1, 1, 0, 2], tries=[2, 1, 1, 2])
    assert rows.sums("hits").tolist() == [2, 0, 0, 2]
    assert rows.mean("hits").mean == 1.0
    assert rows.of("a").mean("hits", "tries").mean == pytest.approx(3 / 5)
    assert rows.of("b").mean("hits", "tries").mean == 1.0
    assert rows.where(rows["tries"] == 2).count_games() == 2
    assert len(rows.of("a")) == 3
    assert rows.mean(rows["tries"] > 1).mean == 0.5


@pytest.mark.parametrize(("agents", "players"), [(1, 4), (2, 4), (3, 4), (4, 4), (6, 4)])
def test_seating_is_even(agents: int, players: int) -> None:
    seating = draw_seating(agents, players, 600, 1)
    assert seating.shape == (600, players)
    counts = np.bincount(seating.ravel())
    assert counts.tolist() == [600 * players / agents] * agents
    for seat in range(players):  # and about so at each seat
        assert np.bincount(seating[:, seat], minlength=agents) == pytest.approx(600 / agents, abs=60)
    together = min(agents, players)
    assert all(len(set(game)) == together for game in seating.tolist())


def test_rows_add_up_to_the_counts_of_the_game() -> None:
    """What was noted step by step is what the final states say, of the same deals."""
    game = get_game("shadow_games")
    rows = bluffs([FIRST], 6, seed=3, show_progress=False)
    results = play_deals(game, {}, [first()], [[0] * 4], draw_deals(3, 6))
    for number, rate in enumerate(game.rates):
        for name, counts in ((rate.part, results.parts), (rate.whole, results.wholes)):
            assert rows.sums(name).tolist() == counts[:, 0, :, number].sum(axis=1).tolist()
            by_seat = np.zeros((6, 4), np.int64)
            np.add.at(by_seat, (rows["game"], rows["seat"]), rows[name])
            assert by_seat.tolist() == counts[:, 0, :, number].tolist()


def test_rows_belong_to_whoever_sits_there(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = bluffs([FIRST, LAST], 7, seed=5, show_progress=False)
    seating = draw_seating(2, 4, 7, 5)
    assert rows["agent"].tolist() == seating[rows["game"], rows["seat"]].tolist()
    # However many are played at the same time.
    monkeypatch.setattr(watching, "NUM_TABLES", 3)
    again = bluffs([FIRST, LAST], 7, seed=5, show_progress=False)
    assert set(zip(*rows.columns.values(), strict=True)) == set(zip(*again.columns.values(), strict=True))
    assert len(again) == len(rows) == len(set(zip(*rows.columns.values(), range(len(rows)), strict=True)))
    game, players, deals = get_game("shadow_games"), [first(), last()], draw_deals(5, 7)
    results = [play_deals(game, {}, players, [seating[i]], deals[i : i + 1]) for i in range(7)]
    assert rows.sums("plays").tolist() == [int(result.wholes[0, 0, :, 0].sum()) for result in results]


def test_equal_arguments_give_equal_records() -> None:
    one, same, other = (bluffs(["random"], 2, seed=seed, show_progress=False) for seed in (1, 1, 2))
    assert {name: values.tolist() for name, values in one.columns.items()} == {
        name: values.tolist() for name, values in same.columns.items()
    }
    assert one["favours"].tolist() != other["favours"].tolist()


def test_options_and_what_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    game = get_game("shadow_games")
    rows = watch(game, ["random"], 2, note_bluffs, options={"num_players": 3})
    assert rows.num_players == 3
    assert rows["seat"].max() == 2
    assert "Shadow Games: 100%" in capsys.readouterr().err
    watch(game, ["random"], 1, note_bluffs, show_progress=False)
    assert capsys.readouterr().err == ""
    for agents, games in (([], 5), (["random"], 0)):
        with pytest.raises(ValueError, match="at least one"):
            watch(game, agents, games, note_bluffs)
