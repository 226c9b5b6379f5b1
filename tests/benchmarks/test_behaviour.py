"""What is noted in each game, its tables and its plots."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.figure import Figure

from agents.matches import Interval
from benchmarks import behaviour_plots as plots
from benchmarks.behaviour import (
    bluff_table,
    bluffs,
    grab_table,
    grabs,
    in_percent,
    note_bluffs,
    note_grabs,
    note_predictions,
    prediction_table,
    predictions,
    with_error,
)
from benchmarks.watching import Record
from shadowenvs import get_game
from shadowenvs.games.shadow_cards.scoring import pack_result

PLAYERS = "tests.benchmarks.players"


def states(game: str, size: int) -> np.recarray:
    """Returns empty states with the game's default options."""
    made = np.zeros(size, get_game(game).state).view(np.recarray)
    made["options"] = get_game(game).options.make().pack()
    return made


def rows_of(columns: object) -> list[dict[str, int]]:
    assert isinstance(columns, dict)
    lists = {name: np.asarray(values).astype(int).tolist() for name, values in columns.items()}
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


# ------------------------------------------------------------------------------------------------------------- notes


def test_a_round_of_predictions() -> None:
    before, after = states("shadow_cards", 2), states("shadow_cards", 2)
    for one in (before, after):  # round 1 was scored earlier
        one["results"][1, 0, :4] = pack_result(3, 3, 9)
    before["round_leader"][1] = 3
    after["round_leader"][1] = 0
    after["results"][1, 1, 2] = pack_result(13, 20, 33)
    after["results"][1, 1, 3] = pack_result(105, 7, -12)
    assert rows_of(note_predictions(before, after)) == [
        {"table": 1, "seat": 2, "round": 2, "place": 3, "predicted": 13, "got": 20, "gain": 33},
        {"table": 1, "seat": 3, "round": 2, "place": 0, "predicted": 105, "got": 7, "gain": -12},
    ]
    assert rows_of(note_predictions(after, after)) == []


def test_plays_and_answers() -> None:
    before, after = states("shadow_games", 3), states("shadow_games", 3)
    before["favour"][1] = [[1, 2, 3], [4, 0, 0], [0, 1, 0], [9, 9, 9], [0, 0, 0], [0, 0, 0]]
    after["favour"][1, :, 0] = 50
    before["plays"][1], before["polls"][1] = 7, 5
    after["plays"][1], after["polls"][1] = [8, 7, 7, 7, 7, 7], [5, 6, 5, 5, 5, 5]
    after["bluffs"][1, 0] = after["challenges"][1, 1] = after["challenges_won"][1, 1] = 1
    nothing = dict.fromkeys(("plays", "bluffs", "polls", "challenges", "challenges_won"), 0)
    answer = {"polls": 1, "challenges": 1, "challenges_won": 1}
    assert rows_of(note_bluffs(before, after)) == [
        {"table": 1, "seat": 0, "favours": 6, **nothing, "plays": 1, "bluffs": 1},
        {"table": 1, "seat": 1, "favours": 4, **nothing, **answer},
    ]


def test_a_race() -> None:
    """Table 0 goes on, table 1 ends a round, table 2 the game."""
    before, after = states("shadow_master", 3), states("shadow_master", 3)
    before["tick"], before["round_no"] = 7, 2
    before["grab_ticks"][1] = [4, 0, 0, 0, 0, 0]
    after["round_no"] = [2, 3, 2]
    after["done"] = [False, False, True]
    after["last_targets"] = 0b11
    after["last_cubes"][:, :4] = [0b11, 0b101, 0b11, 0]
    after["last_coins"][:, :4] = [3, 2, 0, 1]
    after["last_points"][:, :4] = [5, 1, 2, 0]
    found = rows_of(note_grabs(before, after))
    assert [row["table"] for row in found] == [1] * 4 + [2] * 4
    assert [row["tick"] for row in found] == [4, 7, 0, 7, 7, 7, 0, 7]
    assert found[:4] == [
        {"table": 1, "seat": 0, "coin": 3, "tick": 4, "right": 1, "points": 5},
        {"table": 1, "seat": 1, "coin": 2, "tick": 7, "right": 0, "points": 1},
        {"table": 1, "seat": 2, "coin": 0, "tick": 0, "right": 1, "points": 2},
        {"table": 1, "seat": 3, "coin": 1, "tick": 7, "right": 0, "points": 0},
    ]


# ------------------------------------------------------------------------------------------------------ whole games


def test_predictions_of_played_games() -> None:
    rows = predictions(["heuristic", "random"], 5, options={"num_players": 5}, show_progress=False)
    assert len(rows) == 5 * 3 * 5
    for game in range(5):
        for number in (1, 2, 3):
            here = rows.where((rows["game"] == game) & (rows["round"] == number))
            assert sorted(here["place"].tolist()) == sorted(here["seat"].tolist()) == [0, 1, 2, 3, 4]
    exact = rows.where(rows["got"] == rows["predicted"])
    assert exact["gain"].tolist() == (3 * exact["predicted"]).tolist()
    none = rows.where((rows["got"] == 0) & (rows["predicted"] > 0))
    assert none["gain"].tolist() == (2 * none["predicted"]).tolist()
    assert len(exact) > 0


def test_rates_of_players_whose_rates_are_known() -> None:
    """Both lie always, one of them challenges always; so a challenge always exposes a bluff."""
    rows = bluffs([f"{PLAYERS}:liar", f"{PLAYERS}:sceptic"], 4, show_progress=False)
    liar, sceptic = bluff_table(rows).rows
    assert liar[1:4] == ["100.0 ± 0.0 %", "0.0 ± 0.0 %", "-"]
    assert sceptic[1:4] == ["100.0 ± 0.0 %", "100.0 ± 0.0 %", "100.0 ± 0.0 %"]
    assert int(liar[4]) + int(sceptic[4]) == rows["plays"].sum() > 40
    assert liar[6] == "0"
    assert int(sceptic[5]) == int(sceptic[6]) == rows["challenges_won"].sum() > 20


def test_races_of_played_games() -> None:
    rows = grabs(["heuristic", "random"], 3, show_progress=False)
    assert len(rows) % 4 == 0
    assert (rows["tick"] > 0).tolist() == (rows["coin"] > 0).tolist()
    assert rows["tick"].max() <= 40
    right = rows.where((rows["right"] == 1) & (rows["coin"] > 0))
    assert (right["points"] > right["coin"]).all()
    assert len(right) > 0
    coins = rows["coin"].reshape(-1, 4)  # a round is noted at once
    ticks = rows["tick"].reshape(-1, 4)
    for round_coins, round_ticks in zip(coins.tolist(), ticks.tolist(), strict=True):
        served = sorted((coin, tick) for coin, tick in zip(round_coins, round_ticks, strict=True) if coin)
        assert [tick for _, tick in served] == sorted((tick for _, tick in served), reverse=True)
        assert len({coin for coin, _ in served}) == len(served)


# ------------------------------------------------------------------------------------------------------------ tables


def by_hand(title: str, **columns: list[int]) -> Record:
    """Returns a record of 20 games of one agent, in each of which the same rows were noted."""
    size = len(next(iter(columns.values())))
    arrays = {name: np.tile(values, 20) for name, values in columns.items()}
    places = {"game": np.repeat(np.arange(20), size), "agent": np.zeros(20 * size, np.int64)}
    return Record(title, ["a"], 20, 4, {**places, **arrays})


CARDS = by_hand(
    "Cards",
    predicted=[4, 4, 6, 10],
    got=[4, 10, 8, 10],
    gain=[12, 14, 14, 30],
    round=[1, 1, 2, 2],
    place=[0, 1, 0, 1],
)
LIES = by_hand(
    "Lies",
    favours=[2, 2, 3, 5],
    plays=[1, 1, 1, 0],
    bluffs=[1, 0, 1, 0],
    polls=[0, 0, 0, 1],
    challenges=[0, 0, 0, 1],
    challenges_won=[0, 0, 0, 0],
)
RACE = by_hand("Race", coin=[3, 3, 1, 0], tick=[2, 3, 8, 0], right=[1, 0, 1, 0], points=[6, 2, 4, 1])


def test_tables_by_hand() -> None:
    assert prediction_table(CARDS).rows == [
        ["a", "80", "6.0 ± 0.0", "8.0 ± 0.0", "50.0 ± 0.0 %", "75.0 ± 0.0 %", "17.5 ± 0.0"]
    ]
    assert bluff_table(LIES).rows == [["a", "66.7 ± 0.0 %", "100.0 ± 0.0 %", "0.0 ± 0.0 %", "60", "20", "20"]]
    assert grab_table(RACE).rows == [["a", "80", "75.0 ± 0.0 %", "4.3 ± 0.0", "66.7 ± 0.0 %", "3.25 ± 0.00"]]
    for section in (prediction_table(CARDS), bluff_table(LIES), grab_table(RACE)):
        assert all(len(row) == len(section.header) for row in section.rows)
        assert "<td>a</td>" in section._repr_html_()
        assert "20 games" in section.title


def test_figures_in_words() -> None:
    nothing = Interval(*[float("nan")] * 3)
    assert with_error(Interval(1.25, 1.0, 1.5), 2) == "1.25 ± 0.25"
    assert in_percent(Interval(0.5, 0.4, 0.6)) == "50.0 ± 10.0 %"
    assert in_percent(nothing) == with_error(nothing) == "-"


# ------------------------------------------------------------------------------------------------------------- plots


def lines(figure: Figure, panel: int) -> dict[str, list[tuple[float, float]]]:
    """Returns the points of each line of a panel."""
    found = {}
    for line in figure.axes[panel].lines:
        x, y = line.get_data()
        found[str(line.get_label())] = list(zip(np.round(x, 6).tolist(), np.round(y, 6).tolist(), strict=True))
    return found


def test_what_the_plots_show() -> None:
    calibration = plots.plot_calibration(CARDS)
    assert lines(calibration, 0)["a"] == [pytest.approx((14 / 3, 22 / 3)), (10, 10)]
    assert lines(calibration, 1)["a"][:7] == [(0, 50), (1, 50), (2, 75), (3, 75), (4, 75), (5, 75), (6, 100)]
    places = plots.plot_rounds_and_seats(CARDS)
    assert [lines(places, panel)["a"] for panel in range(4)] == [
        *([(1, 3), (2, 1)], [(0, 1), (1, 3)], [(1, 50), (2, 50)], [(0, 50), (1, 50)])
    ]
    favours = plots.plot_favours(LIES)
    assert lines(favours, 0)["a"] == [(2, 50), (3, 100)]
    assert lines(favours, 1)["a"] == [(5, 100)]
    speed = plots.plot_speed(RACE)
    assert lines(speed, 0)["a"] == [(2.5, 50), (8, 100)]
    assert lines(speed, 1)["a"] == [*[(t, 0) for t in (0, 1)], (2, 25), *[(t, 50) for t in range(3, 8)], (8, 75)]
    coins = plots.plot_coins(RACE)
    assert lines(coins, 0)["a"] == [(0, 25), (1, 25), (2, 0), (3, 50)]
    assert lines(coins, 1)["a"] == [(0, 1), (1, 4), (3, 4)]


@pytest.mark.parametrize(
    ("plot", "record"),
    [
        (plots.plot_calibration, CARDS),
        (plots.plot_rounds_and_seats, CARDS),
        (plots.plot_bluffs, LIES),
        (plots.plot_favours, LIES),
        (plots.plot_speed, RACE),
        (plots.plot_coins, RACE),
    ],
)
def test_plots_explain_themselves(plot: Callable[[Record], Figure], record: Record) -> None:
    figure = plot(record)
    assert record.title in figure.get_suptitle()
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_title(loc="left")
    # A record without a row draws no line, and one with too few games leaves its groups out.
    empty = plot(record.where(np.zeros(len(record), np.bool_)))
    few = plot(record.where(record["game"] < plots.FEWEST_GAMES - 1))
    for figure in (empty, few):
        figure.savefig(io.BytesIO(), format="png")
        if plot is not plots.plot_bluffs:
            assert not any(line.get_label() == "a" for axes in figure.axes for line in axes.lines)


def test_shares_end_at_0_and_100() -> None:
    wide = CARDS.where(CARDS["game"] < 12)
    ((_, value),) = plots.share(wide, 0, np.where(wide["game"] == 0, 1.0, 0.0))
    assert value.low == 0.0 < value.mean < value.high
