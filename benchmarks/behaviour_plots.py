"""Plots of what :mod:`benchmarks.behaviour` has noted: each says in its title what is to be seen.

Every band and bar is a 95 % interval, clustered by game. A group that fewer than FEWEST_GAMES games know is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from agents.matches import Interval
from benchmarks.page import BLUE, GREY, INK, PLOT_STYLE, RED
from benchmarks.watching import Record
from shadowenvs import get_game

FEWEST_GAMES = 10
COLOURS = (GREY, RED, BLUE, "#5d8a3c", "#8a5ba6", "#c98a1b")
MARKERS = "os^Dvp"
PREDICTED_BIN = 4  # trick points
TICK_BIN = 3
FARTHEST = 20  # trick points off

Point = tuple[float, Interval]


def plot_calibration(record: Record) -> Figure:
    """Draws results over predictions of Shadow Cards, and how many rounds were met within some trick points."""
    figure, (left, right) = panels(record, 1, 2, (11.0, 4.6))
    for agent, style in styles(record):
        own = record.of(agent)
        points: list[Point] = []
        for low in range(0, int(record["predicted"].max(initial=0)) + 1, PREDICTED_BIN):
            here = own.where(own["predicted"] // PREDICTED_BIN == low // PREDICTED_BIN)
            points += point(here, here["predicted"].mean() if len(here) else low, "got")
        draw_line(left, points, style, agent)
        off = np.abs(own["got"] - own["predicted"])
        draw_line(right, [near for k in range(FARTHEST + 1) for near in share(own, k, off <= k)], style, agent)
    top = max(20.0, float(record["predicted"].max(initial=0)))
    left.plot([0, top], [0, top], color=INK, linestyle="--", linewidth=1, label="as predicted")
    left.set(xlabel="predicted, trick points (groups of 4)", ylabel="mean result, trick points", ylim=(0, None))
    head(left, "Above the dashed line: more trick\npoints won than predicted")
    right.set(xlabel="trick points off at most", ylabel="rounds, %", ylim=(0, 100))
    right.set_xticks(range(0, FARTHEST + 1, 5))
    head(right, "Rounds whose result is that near the\nprediction; at 0: met exactly")
    return finish(figure, left)


def plot_rounds_and_seats(record: Record) -> Figure:
    """Draws by round, and by place after the round's leader, how far off predictions of Shadow Cards are."""
    figure, axes = panels(record, 2, 2, (11.0, 7.0))
    words = (("round", "round"), ("place", "seats after the leader of the round (0 leads)"))
    for (above, below), (column, label) in zip(axes.T, words, strict=True):
        for agent, style in styles(record):
            own = record.of(agent)
            groups = [(int(value), own.where(own[column] == value)) for value in np.unique(record[column])]
            draw_line(above, [p for x, group in groups for p in point(group, x, gap(group))], style, agent)
            draw_line(below, [p for x, group in groups for p in share(group, x, gap(group) == 0)], style, agent)
        above.axhline(0, color=INK, linestyle="--", linewidth=1)
        for one in (above, below):
            one.set_xticks(np.unique(record[column]))
            one.set_xlabel(label)
        below.set_ylim(0, None)
        head(above, f"Above 0: results exceed predictions, by {column}")
        head(below, f"Predictions met exactly, by {column}")
    axes[0, 0].set_ylabel("mean result - prediction, trick points")
    axes[1, 0].set_ylabel("rounds, %")
    return finish(figure, axes[0, 0])


def gap(rows: Record) -> NDArray[np.int64]:
    return rows["got"] - rows["predicted"]


def plot_bluffs(record: Record) -> Figure:
    """Draws the rates of Shadow Games by agent, and what a blind challenger would hit."""
    rates = get_game("shadow_games").rates
    figure, axes = panels(record, 1, len(rates), (11.0, 1.9 + 0.4 * len(record.agents)), sharey=True)
    for one, rate in zip(axes, rates, strict=True):
        for place, (agent, style) in enumerate(styles(record)):
            mean, low, high = record.of(agent).mean(rate.part, rate.whole)
            one.plot([100 * low, 100 * high], [place, place], color=style["color"], linewidth=3, alpha=0.4)
            one.plot(100 * mean, place, color=style["color"], marker=style["marker"])
        one.set_xlim(-3, 103)
        head(one, rate.name.capitalize())
    chance = record.mean("bluffs", "plays").mean
    axes[-1].axvline(100 * chance, color=INK, linestyle="--", linewidth=1)
    axes[0].set_xlabel("bluffs, % of the plays")
    axes[1].set_xlabel("challenges, % of the times asked")
    axes[2].set_xlabel("bluffs, % of the plays challenged\n(dashed: of all plays, a blind challenger)")
    axes[0].set_yticks(range(len(record.agents)), record.agents)
    axes[0].set_ylim(len(record.agents) - 0.5, -0.5)
    return figure


def plot_favours(record: Record) -> Figure:
    """Draws bluff and challenge rates of Shadow Games by the favours that the seat held just before."""
    figure, axes = panels(record, 1, 2, (11.0, 4.4))
    for one, rate in zip(axes, get_game("shadow_games").rates, strict=False):
        for agent, style in styles(record):
            own = record.of(agent)
            own = own.where(own[rate.whole] > 0)
            groups = [(int(held), own.where(own["favours"] == held)) for held in np.unique(record["favours"])]
            draw_line(one, [p for held, group in groups for p in share(group, held, rate.part)], style, agent)
        one.set(xlabel="favours that the seat holds, of all types", ylim=(-3, 103))
    axes[0].set_ylabel("bluffs, % of the plays")
    head(axes[0], "Who bluffs when: with few favours or many")
    axes[1].set_ylabel("challenges, % of the times asked")
    head(axes[1], "Who challenges when: a challenge risks a favour")
    return finish(figure, axes[0])


def plot_speed(record: Record) -> Figure:
    """Draws when coins of Shadow Master are got, and how many of them with all cubes right."""
    figure, (left, right) = panels(record, 1, 2, (11.0, 4.4))
    last = int(record["tick"].max(initial=1))
    for agent, style in styles(record):
        own = record.of(agent)
        served = own.where(own["coin"] > 0)
        accuracy: list[Point] = []
        for low in range(1, last + 1, TICK_BIN):
            here = served.where((low <= served["tick"]) & (served["tick"] < low + TICK_BIN))
            accuracy += share(here, here["tick"].mean() if len(here) else low, "right")
        draw_line(left, accuracy, style, agent)
        done = [(tick, (own["coin"] > 0) & (own["tick"] <= tick)) for tick in range(last + 1)]
        draw_line(right, [p for tick, here in done for p in share(own, tick, here)], style, agent, marked=False)
    left.set(
        xlabel=f"tick in which the coin was got (groups of {TICK_BIN})", ylabel="all cubes right, % of these grabs"
    )
    head(left, "Accuracy: does it pay to look longer?")
    right.set(xlabel="tick", ylabel="rounds in which the seat has a coin, %")
    head(right, "Speed: the higher, the sooner")
    for one in (left, right):
        one.set(ylim=(-3, 103), xlim=(0, last + 1))
    return finish(figure, right)


def plot_coins(record: Record) -> Figure:
    """Draws, by the coin of Shadow Master that was got, how often, and the points that it brought."""
    figure, (left, right) = panels(record, 1, 2, (11.0, 4.4))
    coins = range(record.num_players)
    for agent, style in styles(record):
        own = record.of(agent)
        draw_line(left, [p for coin in coins for p in share(own, coin, own["coin"] == coin)], style, agent)
        groups = [(coin, own.where(own["coin"] == coin)) for coin in coins]
        draw_line(right, [p for coin, group in groups for p in point(group, coin, "points")], style, agent)
    for one in (left, right):
        one.set_xticks(coins, ["none", *map(str, coins[1:])])
        one.set_xlabel("coin (the first to grab gets the highest)")
        one.set_ylim(0, None)
    left.set_ylabel("rounds, %")
    head(left, "Who gets which coin")
    right.set_ylabel("mean points of the round")
    head(right, "What a coin is worth: it scores\nonly if all cubes are right")
    return finish(figure, left)


# ------------------------------------------------------------------------------------------------------------- parts


def panels(record: Record, rows: int, columns: int, size: tuple[float, float], **settings: Any) -> tuple[Figure, Any]:
    """Returns a figure headed by the game and the number of games, and its axes."""
    with mpl.rc_context(PLOT_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, **settings)
        figure.suptitle(
            f"{record.title}: {record.num_games} games, the agents mixed at each table; bands are 95 % intervals",
            x=0.01,
            ha="left",
            color=INK,
        )
    return figure, axes


def styles(record: Record) -> Iterable[tuple[str, dict[str, Any]]]:
    """Returns each agent with colour and marker."""
    for number, agent in enumerate(record.agents):
        yield agent, {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}


def point(rows: Record, x: float, part: str | NDArray[Any]) -> list[Point]:
    """Returns the mean of ``part`` at x in a list; an empty one if too few games know of it."""
    return [(float(x), rows.mean(part))] if rows.count_games() >= FEWEST_GAMES else []


def share(rows: Record, x: float, part: str | NDArray[Any]) -> list[Point]:
    """Returns the same of a share, in percent; its interval ends at 0 and 100."""
    return [(x, Interval(*np.clip(100 * np.array(value), 0, 100).tolist())) for x, value in point(rows, x, part)]


def head(axes: Any, text: str) -> None:
    axes.set_title(text, loc="left", fontweight="bold")


def draw_line(axes: Any, points: Sequence[Point], style: dict[str, Any], label: str, marked: bool = True) -> None:
    """Draws means with a band."""
    if points:
        x, values = zip(*points, strict=True)
        means, lows, highs = zip(*values, strict=True)
        axes.fill_between(x, lows, highs, color=style["color"], alpha=0.2, linewidth=0)
        axes.plot(x, means, **(style if marked else {"color": style["color"]}), markersize=5, label=label)


def finish(figure: Figure, axes: Any) -> Figure:
    """Adds the legend."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    return figure
