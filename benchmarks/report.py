"""What a tournament has found: as data, as JSON and as tables; :mod:`benchmarks.page` makes the page."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents.matches import CONFIDENCE, Results
from benchmarks.estimates import Bounds, Estimate, Luck, confidence_sequence, estimate, fixed, luck
from benchmarks.ratings import Rating, rate
from benchmarks.runs import Store
from shadowenvs import __version__

FORMAT = "shadowenvs-tournament-2"


@dataclass(frozen=True)
class Standing:
    """How an agent did.

    Attributes:
        agent: Its name.
        opponents: Name of the agent at all other seats; "" where several are meant.
        share: Share of the victory.
        points: The game's own points.
    """

    agent: str
    opponents: str
    share: Estimate
    points: Estimate

    @property
    def name(self) -> str:
        return f"{self.agent} against {self.opponents}" if self.opponents else self.agent


@dataclass(frozen=True)
class RateCount:
    """One of the game's rates for one agent: part of whole."""

    agent: str
    rate: str
    part: int
    whole: int


@dataclass(frozen=True)
class LuckOf:
    """How much the deal decides among copies of an agent, or with "" at all tables of different agents."""

    agent: str
    luck: Luck


@dataclass(frozen=True)
class Report:
    """The result of a tournament.

    Attributes:
        game: Name and version.
        options: All options of the game.
        agents: Names.
        deals: Number of deals.
        seed: Of deals and choices.
        tables: Most tables played at the same time.
        chunk: Deals played together.
        num_players: P.
        points_sign: 1 where many points are good, -1 where few are.
        until: The half width at which a sequential tournament ends; None for one with a number of deals given.
        reached: Whether it was reached.
        overall: Each agent over all its pairs, those with itself left out.
        pairs: For each ordered pair (A, B), how A did, at every seat in turn, against P - 1 copies of B.
        differences: For each pair, what A has against copies of B less what B has against copies of A.
        line_ups: With P agents or more, how each did at tables with P different agents; else empty.
        ratings: The highest first.
        luck: At tables of different agents, and for each agent that played against itself.
        rates: The game's rates of each agent over every seat that it held in all these games.
    """

    game: str
    options: dict[str, Any]
    agents: list[str]
    deals: int
    seed: int
    tables: int
    chunk: int
    num_players: int
    points_sign: int
    until: float | None
    reached: bool | None
    overall: list[Standing]
    pairs: list[Standing]
    differences: list[Standing]
    line_ups: list[Standing]
    ratings: list[Rating]
    luck: list[LuckOf]
    rates: list[RateCount]

    @property
    def fair_share(self) -> float:
        return 1.0 / self.num_players

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as JSON can hold it; equal tournaments give equal content."""
        content: dict[str, Any] = {"format": FORMAT, "shadowenvs": __version__}
        content |= {"confidence": CONFIDENCE, "fair_share": self.fair_share}
        return content | {field.name: plain_data(getattr(self, field.name)) for field in dataclasses.fields(self)}

    def _repr_html_(self) -> str:
        """Returns the report as a notebook shows it."""
        from benchmarks.page import fragment

        return fragment(self)


def plain_data(value: Any) -> Any:
    """Returns records as dictionaries, lists of them as lists, and anything else as it is; without empty opponents."""
    if isinstance(value, list):
        return [plain_data(item) for item in value]
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: plain_data(item) for name, item in value.items() if (name, item) != ("opponents", "")}
    return value._asdict() if isinstance(value, Estimate | Luck) else value


# --------------------------------------------------------------------------------------------------------- from games


def standing(results: Sequence[tuple[Results, int]], bounds: Bounds, agent: str, opponents: str = "") -> Standing:
    """Returns how an agent did in some matches, in each of which it has the number given."""
    shares = np.concatenate([match.of(number, match.shares) for match, number in results], axis=1)
    points = np.concatenate([match.of(number, match.points) for match, number in results], axis=1)
    return Standing(agent, opponents, estimate(shares, bounds, 1.0), estimate(points, bounds))


def difference(one: Results, other: Results, bounds: Bounds, agent: str, opponent: str) -> Standing:
    """Returns what the first agent of a match has more than the first agent of another match, deal by deal."""

    def gap(pick: Callable[[Results], NDArray[Any]]) -> NDArray[np.float64]:
        gains, losses = (match.of(0, pick(match)).astype(np.float64) for match in (one, other))
        # The mean over both halves is half the difference.
        return np.concatenate([2.0 * gains, -2.0 * losses], axis=1)

    shares, points = gap(lambda match: match.shares), gap(lambda match: match.points)
    return Standing(agent, opponent, estimate(shares, bounds, 2.0), estimate(points, bounds))


def is_narrow(store: Store, num_deals: int, until: float) -> bool:
    """Returns whether the intervals of all shares, of pairs and at mixed tables, have at most this half width."""
    for i, match in enumerate(store.plan.matches):
        results, _ = store.of(i, num_deals)
        for number in range(len(match.names) if match.mixed else 1):
            shares = results.of(number, results.shares)
            mean, _, high = confidence_sequence(shares, 1.0)
            if high - mean > until:
                return False
    return True


def make_report(store: Store, num_deals: int, until: float | None = None) -> Report:
    """Returns the report of a store that holds the first deals of all matches."""
    plan = store.plan
    bounds: Bounds = fixed if until is None else confidence_sequence
    found = [store.of(i, num_deals) for i in range(len(plan.matches))]
    pairs = {match.names: results for match, (results, _) in zip(plan.matches, found, strict=True) if not match.mixed}
    mixed = [
        standing([(results, number)], bounds, agent)
        for match, (results, _) in zip(plan.matches, found, strict=True)
        for number, agent in enumerate(match.names)
        if match.mixed
    ]
    overall = [
        standing([(results, 0) for (agent, other), results in pairs.items() if agent == name != other], bounds, name)
        for name in plan.agents
        if len(plan.agents) > 1
    ]
    fates = {name: luck(pairs[name, name].shares) for name in plan.agents if (name, name) in pairs}
    different = [results.shares for match, (results, _) in zip(plan.matches, found, strict=True) if match.is_open]
    if different:
        fates = {"": luck(np.concatenate(different, axis=1)), **fates}
    return Report(
        game=plan.game.id,
        options=plan.game.options.make(**plan.options).as_dict(),
        agents=list(plan.agents),
        deals=num_deals,
        seed=plan.seed,
        tables=plan.tables,
        chunk=plan.chunk,
        num_players=plan.num_players,
        points_sign=plan.game.points_sign,
        until=until,
        reached=None if until is None else is_narrow(store, num_deals, until),
        overall=overall,
        pairs=[standing([(results, 0)], bounds, *names) for names, results in pairs.items()],
        differences=[
            difference(pairs[one, other], pairs[other, one], bounds, one, other)
            for one, other in itertools.combinations(plan.agents, 2)
        ],
        line_ups=mixed,
        ratings=rate_agents(store, found),
        luck=[LuckOf(name, fate) for name, fate in fates.items() if fate is not None],
        rates=count_rates(store, found),
    )


def rate_agents(store: Store, found: Sequence[tuple[Results, Any]]) -> list[Rating]:
    """Returns the ratings from all games with more than one agent; none if there are none."""
    plan = store.plan
    seating, ranks = [], []
    for match, (results, _) in zip(plan.matches, found, strict=True):
        numbers = np.array([plan.agents.index(name) for name in match.names])
        if match.is_open:
            seating.append(np.broadcast_to(numbers[match.line_ups], results.ranks.shape).reshape(-1, plan.num_players))
            ranks.append(results.ranks.reshape(-1, plan.num_players))
    return rate(plan.agents, np.concatenate(seating), np.concatenate(ranks), plan.seed) if seating else []


def count_rates(store: Store, found: Sequence[tuple[Any, Any]]) -> list[RateCount]:
    """Returns the game's rates of each agent over all games."""
    plan = store.plan
    counts = {name: np.zeros((2, len(plan.game.rates)), np.int64) for name in plan.agents}
    for match, (_, records) in zip(plan.matches, found, strict=True):
        for number, name in enumerate(match.names):
            for record in records:
                counts[name] += [record.parts[number], record.wholes[number]]
    return [
        RateCount(name, rate.name, int(counts[name][0, i]), int(counts[name][1, i]))
        for name in plan.agents
        for i, rate in enumerate(plan.game.rates)
    ]


# -------------------------------------------------------------------------------------------------------------- text


def percent(value: Estimate) -> str:
    return f"{100 * value.mean:.1f} ± {100 * value.half:.1f} %"


def signed_percent(value: Estimate) -> str:
    return f"{100 * value.mean:+.1f} ± {100 * value.half:.1f} %"


def plain(value: Estimate) -> str:
    return f"{value.mean:.2f} ± {value.half:.2f}"


def times(value: Estimate) -> str:
    return "-" if value.saved is None else f"{value.saved:.2f} x"


@dataclass(frozen=True)
class Section:
    """A table of a report."""

    title: str
    header: list[str]
    rows: list[list[str]]

    def _repr_html_(self) -> str:
        """Returns the table as a notebook shows it."""
        from benchmarks.page import one_table

        return one_table(self)


def title(report: Report) -> str:
    """Returns what a report is of."""
    return f"{report.game}: {report.deals} deals, seed {report.seed}"


def settings(report: Report) -> str:
    """Returns the game's options in words."""
    return " ".join(f"{name}={value}" for name, value in report.options.items())


def verdicts(report: Report) -> list[str]:
    """Returns one sentence for each pair: which is better, by how much, and how sure that is."""
    sentences = []
    for gap in report.differences:
        better, worse = (gap.agent, gap.opponents) if gap.share.mean >= 0.0 else (gap.opponents, gap.agent)
        size = f"{100 * abs(gap.share.mean):.1f} ± {100 * gap.share.half:.1f} % of the victory"
        if gap.share.low > 0.0 or gap.share.high < 0.0:
            sentences.append(f"{better} is better than {worse}, by {size}.")
        else:
            sentences.append(f"{gap.agent} and {gap.opponents} are not told apart: {size}.")
    return sentences


def sections(report: Report) -> list[Section]:
    """Returns the tables of a report."""
    many_or_few = "many" if report.points_sign > 0 else "few"
    shares = {(pair.agent, pair.opponents): percent(pair.share) for pair in report.pairs}
    points = {(pair.agent, pair.opponents): plain(pair.points) for pair in report.pairs}
    saved = {(pair.agent, pair.opponents): times(pair.share) for pair in report.pairs}
    against = ["agent", *(f"against {report.num_players - 1} x {other}" for other in report.agents)]

    def matrix(words: str, cells: dict[tuple[str, str], str]) -> Section:
        rows = [[agent, *(cells.get((agent, other), "-") for other in report.agents)] for agent in report.agents]
        return Section(words, against, rows)

    def listed(words: str, first: str, standings: Sequence[Standing], share: Callable[[Estimate], str]) -> Section:
        rows = [[s.name, share(s.share), plain(s.points), times(s.share), times(s.points)] for s in standings]
        return Section(words, [first, "win share", "points", "share: saved", "points: saved"], rows)

    found = [
        matrix(f"Win share; a fair share is {100 * report.fair_share:.1f} %", shares),
        matrix(f"Points; {many_or_few} are good", points),
        matrix("Variance of the win share saved by replaying deals", saved),
        listed("Over all pairs", "agent", report.overall, percent),
        listed("Differences", "what the first has more than the second", report.differences, signed_percent),
        listed("Different agents at every seat", "agent", report.line_ups, percent),
        Section(
            "Ratings (Plackett-Luce, by OpenSkill); 25 is the mean",
            ["agent", "mu", "sigma", "spread", "ordinal"],
            [[r.agent, *(f"{value:.2f}" for value in (r.mu, r.sigma, r.spread, r.ordinal))] for r in report.ratings],
        ),
        Section(
            "Share of the variance of a seat's win share",
            ["who plays", "the deal", "95 %", "who sits where", "the rest"],
            [
                [
                    f"only {one.agent}" if one.agent else "different agents",
                    f"{100 * one.luck.deal:.1f} %",
                    f"{100 * one.luck.low:.1f} to {100 * one.luck.high:.1f} %",
                    f"{100 * one.luck.line_up:.1f} %",
                    f"{100 * one.luck.rest:.1f} %",
                ]
                for one in report.luck
            ],
        ),
    ]
    names = list(dict.fromkeys(rate.rate for rate in report.rates))
    shown = {
        (rate.agent, rate.rate): f"{100 * rate.part / rate.whole:.1f} % of {rate.whole}" if rate.whole else "-"
        for rate in report.rates
    }
    rows = [[agent, *(shown[agent, name] for name in names)] for agent in report.agents] if names else []
    found.append(Section("Rates over all seats held in these games", ["agent", *names], rows))
    return [section for section in found if section.rows]


def notes(report: Report) -> list[str]:
    """Returns what must be known to read the tables."""
    level = f"{100 * CONFIDENCE:.0f} %"
    kind = (
        f"a {level} t-interval" if report.until is None else f"a {level} confidence sequence, good whenever one stops,"
    )
    found = [
        f"± is {kind} over {report.deals} deals; all games of a deal count as one observation. Every cell is of the "
        "same deals, so cells depend on each other, and none is corrected for the number of cells.",
        "Saved is the variance with every game of another deal over the variance here; - where all deals came out "
        "alike. ± 0 means that all deals came out alike, not that every deal must.",
    ]
    if report.until is not None:
        reached = "is at most" if report.reached else "is not everywhere down to"
        found.append(f"The half width of the win shares {reached} {100 * report.until:g} %.")
    return found


def write_report(report: Report, console: Console) -> None:
    """Writes a report as aligned tables."""
    console.print(f"{title(report)} ({settings(report)})", highlight=False, markup=False)
    for sentence in verdicts(report):
        console.print(sentence, highlight=False, markup=False)
    for section in sections(report):
        write_table(console, section)
    console.print()
    for note in notes(report):
        console.print(note, highlight=False, markup=False)


def write_table(console: Console, section: Section) -> None:
    """Writes one table, names to the left and figures to the right."""
    table = Table(box=None, pad_edge=False)
    for number, word in enumerate(section.header):
        table.add_column(Text(word), justify="right" if number else "left", no_wrap=number > 0)
    for row in section.rows:
        table.add_row(*map(Text, row))
    console.print(f"\n{section.title}", style="bold", highlight=False, markup=False)
    console.print(table, highlight=False)
