"""What agents believe, bluff and dare: predictions in Shadow Cards, lies in Shadow Games, grabs in Shadow Master.

Each game has a function of two consecutive states that notes what happened (:data:`benchmarks.watching.Notes`), one
that plays, and one that makes a table; :mod:`benchmarks.behaviour_plots` draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.matches import Interval
from benchmarks.report import Section
from benchmarks.watching import Columns, Record, watch
from shadowenvs import get_game
from shadowenvs.games.shadow_cards.scoring import result_gain, result_prediction, result_trick_points

NEAR = 5  # trick points: "within 5" in the table of predictions


# ------------------------------------------------------------------------------------------------------ Shadow Cards


def predictions(agents: Sequence[str], num_games: int, **settings: Any) -> Record:
    """Plays Shadow Cards and notes every seat's rounds: what was predicted, and what came of it.

    Args:
        agents: Names of agents.
        num_games: Number of games.
        **settings: As :func:`benchmarks.watching.watch` takes them.

    Returns:
        Columns ``round`` from 1, ``place`` after the round's leader from 0, ``predicted`` and ``got`` in trick points,
        ``gain`` in experience.
    """
    return watch(get_game("shadow_cards"), agents, num_games, note_predictions, **settings)


def note_predictions(before: np.recarray, after: np.recarray) -> Columns:
    """Notes a row for each seat when a round of Shadow Cards is scored."""
    table, round_index, seat = np.nonzero((after["results"] != 0) & (before["results"] == 0))
    results = after["results"][table, round_index, seat]
    num_players = after["options"]["num_players"][table].astype(np.int64)
    unpacked = {
        name: np.vectorize(unpack, otypes=[np.int64])(results)
        for name, unpack in (("predicted", result_prediction), ("got", result_trick_points), ("gain", result_gain))
    }
    place = (seat - before["round_leader"][table]) % num_players
    return {"table": table, "seat": seat, "round": round_index + 1, "place": place, **unpacked}


def prediction_table(record: Record) -> Section:
    """Returns how well each agent met its predictions."""
    rows = []
    for agent in record.agents:
        own = record.of(agent)
        off = np.abs(own["got"] - own["predicted"])
        rows.append(
            [
                *(agent, str(len(own)), with_error(own.mean("predicted")), with_error(own.mean("got"))),
                *(in_percent(own.mean(off == 0)), in_percent(own.mean(off <= NEAR)), with_error(own.mean("gain"))),
            ]
        )
    header = ["agent", "rounds", "predicted", "got", "met exactly", f"within {NEAR}", "experience a round"]
    return Section(f"{record.title}: predictions and results in trick points, {record.num_games} games", header, rows)


# ------------------------------------------------------------------------------------------------------ Shadow Games


def bluffs(agents: Sequence[str], num_games: int, **settings: Any) -> Record:
    """Plays Shadow Games and notes every play and every answer to one.

    Args:
        agents: Names of agents.
        num_games: Number of games.
        **settings: As :func:`benchmarks.watching.watch` takes them.

    Returns:
        Columns ``favours``, which the seat held just before, and, 0 or 1, ``plays``, ``bluffs`` (the card was not the
        declared one), ``polls`` (the seat was asked), ``challenges`` (it called the lie) and ``challenges_won``.
    """
    return watch(get_game("shadow_games"), agents, num_games, note_bluffs, **settings)


def note_bluffs(before: np.recarray, after: np.recarray) -> Columns:
    """Notes a row for each seat whose counts of the game's rates have grown."""
    fields = dict.fromkeys(name for rate in get_game("shadow_games").rates for name in (rate.part, rate.whole))
    grown = {name: after[name].astype(np.int64) - before[name] for name in fields}
    table, seat = np.nonzero(np.any([growth > 0 for growth in grown.values()], axis=0))
    favours = before["favour"][table, seat].astype(np.int64).sum(axis=1)
    counts = {name: growth[table, seat] for name, growth in grown.items()}
    return {"table": table, "seat": seat, "favours": favours, **counts}


def bluff_table(record: Record) -> Section:
    """Returns the game's rates of each agent."""
    rates = get_game("shadow_games").rates
    rows = []
    for agent in record.agents:
        own = record.of(agent)
        rows.append([agent, *(in_percent(own.mean(rate.part, rate.whole)) for rate in rates)])
        rows[-1] += [str(int(own[name].sum())) for name in ("plays", "polls", "challenges")]
    header = ["agent", *(rate.name for rate in rates), "plays", "times asked", "challenges"]
    return Section(f"{record.title}: bluffs and challenges, {record.num_games} games", header, rows)


# ----------------------------------------------------------------------------------------------------- Shadow Master


def grabs(agents: Sequence[str], num_games: int, **settings: Any) -> Record:
    """Plays Shadow Master and notes every seat's rounds: when it got its coin, and whether its cubes were right.

    Args:
        agents: Names of agents.
        num_games: Number of games.
        **settings: As :func:`benchmarks.watching.watch` takes them.

    Returns:
        Columns ``coin`` (0 for none), ``tick`` in which it was got (0 for none), ``right`` (all cubes, 0 or 1) and
        ``points`` of the round.
    """
    return watch(get_game("shadow_master"), agents, num_games, note_grabs, **settings)


def note_grabs(before: np.recarray, after: np.recarray) -> Columns:
    """Notes a row for each seat when a round of Shadow Master is scored."""
    ended = (after["round_no"] != before["round_no"]) | (after["done"] & ~before["done"])
    seats = np.arange(before["grab_ticks"].shape[1])
    table, seat = np.nonzero(ended[:, None] & (seats < after["options"]["num_players"][:, None]))
    coin = after["last_coins"][table, seat]
    # Coins that the last tick of the round gave are not in the state before it.
    earlier = before["grab_ticks"][table, seat]
    tick = np.where(coin == 0, 0, np.where(earlier > 0, earlier, before["tick"][table]))
    right = after["last_cubes"][table, seat] == after["last_targets"][table]
    points = after["last_points"][table, seat]
    return {"table": table, "seat": seat, "coin": coin, "tick": tick, "right": right, "points": points}


def grab_table(record: Record) -> Section:
    """Returns how fast and how right each agent was."""
    rows = []
    for agent in record.agents:
        own = record.of(agent)
        served = own.where(own["coin"] > 0)
        rows.append(
            [
                *(agent, str(len(own)), in_percent(own.mean(own["coin"] > 0)), with_error(served.mean("tick"))),
                *(in_percent(served.mean("right")), with_error(own.mean("points"), 2)),
            ]
        )
    header = ["agent", "rounds", "got a coin", "in tick", "then all cubes right", "points a round"]
    return Section(f"{record.title}: speed and accuracy, {record.num_games} games", header, rows)


# -------------------------------------------------------------------------------------------------------------- text


def with_error(value: Interval, digits: int = 1) -> str:
    """Returns a mean and half the width of its interval; - where there is none."""
    if math.isnan(value.mean):
        return "-"
    return f"{value.mean:.{digits}f} ± {value.high - value.mean:.{digits}f}"


def in_percent(value: Interval) -> str:
    """Returns the same of a share, in percent."""
    words = with_error(Interval(*(100.0 * number for number in value)))
    return words if words == "-" else f"{words} %"
