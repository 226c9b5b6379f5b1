"""A tournament's report as a page that needs nothing else: tables, and plots as SVG inside it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from benchmarks.report import Report, Section, Standing, notes, sections, settings, title, verdicts

INK, BLUE, RED, GREY = "#2b2620", "#2c6e9b", "#b3472e", "#9a938a"

PLOT_STYLE: dict[Any, Any] = {
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
}

STYLE = """\
.shadowenvs { font: 15px/1.5 system-ui, sans-serif; color: #2b2620; max-width: 72rem; }
.shadowenvs h1 { font-size: 1.5rem; } .shadowenvs h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
.shadowenvs table { border-collapse: collapse; display: block; overflow-x: auto; }
.shadowenvs th, .shadowenvs td { padding: .2rem .8rem; text-align: right; white-space: nowrap; border: 0; }
.shadowenvs th:first-child, .shadowenvs td:first-child { text-align: left; padding-left: 0; }
.shadowenvs th { border-bottom: 2px solid #cbc2ad; } .shadowenvs td { border-bottom: 1px solid #ece5d6; }
.shadowenvs .plots { display: flex; flex-wrap: wrap; gap: 1rem; } .shadowenvs svg { max-width: 100%; height: auto; }
.shadowenvs .note { color: #6b645a; font-size: .9rem; max-width: 50rem; }
"""


def document(report: Report) -> str:
    """Returns a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title(report))}</title>\n</head>\n<body>\n{fragment(report)}</body>\n</html>\n"
    )


def fragment(report: Report) -> str:
    """Returns the piece of a page that shows a report."""
    parts = [f"<style>\n{STYLE}</style>", f"<h1>{escape(title(report))}</h1>"]
    parts.append(f'<p class="note">{escape(settings(report))}</p>')
    parts += ["<ul>", *(f"<li>{escape(sentence)}</li>" for sentence in verdicts(report)), "</ul>"]
    parts += ['<div class="plots">', *plots(report), "</div>"]
    for section in sections(report):
        parts += [f"<h2>{escape(section.title)}</h2>", table(section)]
    parts += [f'<p class="note">{escape(note)}</p>' for note in notes(report)]
    return '<div class="shadowenvs">\n' + "\n".join(parts) + "\n</div>\n"


def one_table(section: Section) -> str:
    """Returns the piece of a page that shows one table."""
    heading = f"<h2>{escape(section.title)}</h2>"
    return f'<div class="shadowenvs">\n<style>\n{STYLE}</style>\n{heading}\n{table(section)}\n</div>\n'


def table(section: Section) -> str:
    """Returns a section's table."""

    def row(cells: Sequence[str], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    rows = "\n".join(row(cells, "td") for cells in section.rows)
    return f"<table>\n<thead>{row(section.header, 'th')}</thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


# ------------------------------------------------------------------------------------------------------------- plots


def plots(report: Report) -> list[str]:
    """Returns the plots as SVG."""
    found = [draw("shares", report, plot_shares)]
    if len(report.agents) > 1:
        found.append(draw("pairs", report, plot_pairs))
    if report.ratings:
        found.append(draw("ratings", report, plot_ratings))
    if any(rate.whole for rate in report.rates):
        found.append(draw("rates", report, plot_rates))
    return found


def draw(name: str, report: Report, plot: Callable[[Report, Figure], None]) -> str:
    """Returns a plot as an SVG element; equal reports give equal text, and no two plots share an id."""
    with mpl.rc_context({**PLOT_STYLE, "svg.fonttype": "none", "svg.hashsalt": name}):
        figure = Figure(layout="constrained")
        plot(report, figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    text = re.sub(r"<metadata>.*?</metadata>", "", buffer.getvalue(), flags=re.DOTALL)
    text = re.sub(r'(\bid="|"#|\(#)', rf"\g<1>{name}-", text)
    return text[text.index("<svg") :]


def width_beside(labels: Sequence[str], width: float = 4.0) -> float:
    """Returns the width in inches of a figure with axes of some width and labels beside them."""
    return width + 0.085 * max(map(len, labels)) + 0.3


def plot_shares(report: Report, figure: Figure) -> None:
    """Draws the interval of each win share."""
    standings: list[Standing] = [*report.pairs, *report.line_ups]
    names = [s.name if s.opponents else f"{s.agent}, mixed tables" for s in standings]
    figure.set_size_inches(width_beside(names), 1.0 + 0.3 * len(standings))
    axes = figure.subplots()
    places = np.arange(len(standings))[::-1]
    for place, one in zip(places, standings, strict=True):
        colour = BLUE if one.share.low > report.fair_share else RED if one.share.high < report.fair_share else GREY
        axes.plot([100 * one.share.low, 100 * one.share.high], [place, place], color=colour, linewidth=2)
        axes.plot(100 * one.share.mean, place, "o", color=colour, markersize=5)
    axes.axvline(100 * report.fair_share, color=INK, linestyle="--", linewidth=1)
    axes.set_xlim(-3, 103)
    axes.set_yticks(places, names)
    axes.set_ylim(-0.7, len(standings) - 0.3)
    axes.set_title("Win shares, %; dashed is a fair one")


def plot_pairs(report: Report, figure: Figure) -> None:
    """Draws each pair's win share as a map."""
    size = len(report.agents)
    figure.set_size_inches(width_beside(report.agents, max(2.5, 0.8 * size)), 1.8 + 0.6 * size)
    axes = figure.subplots()
    values = np.full((size, size), np.nan)
    for pair in report.pairs:
        values[report.agents.index(pair.agent), report.agents.index(pair.opponents)] = 100 * pair.share.mean
    fair = 100 * report.fair_share
    norm = mpl.colors.TwoSlopeNorm(fair, 0.0, 100.0)
    axes.pcolormesh(values, cmap="RdBu", norm=norm, edgecolors="white", linewidth=2)
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            strong = abs(float(norm(value)) - 0.5) > 0.3
            colour = "white" if strong else INK
            axes.text(j + 0.5, i + 0.5, f"{value:.1f}", ha="center", va="center", color=colour)
    axes.set_xticks(np.arange(size) + 0.5, report.agents, rotation=30, ha="right")
    axes.set_yticks(np.arange(size) + 0.5, report.agents)
    axes.invert_yaxis()
    axes.set_xlabel(f"against {report.num_players - 1} of")
    axes.set_title("Win share of the row, %")


def plot_ratings(report: Report, figure: Figure) -> None:
    """Draws the ratings with their uncertainty."""
    figure.set_size_inches(width_beside(report.agents, 3.5), 1.0 + 0.35 * len(report.ratings))
    axes = figure.subplots()
    places = np.arange(len(report.ratings))[::-1]
    for place, one in zip(places, report.ratings, strict=True):
        axes.plot([one.mu - 2 * one.sigma, one.mu + 2 * one.sigma], [place, place], color=BLUE, linewidth=2)
        axes.plot(
            [one.mu - 2 * one.spread, one.mu + 2 * one.spread], [place, place], color=GREY, linewidth=6, alpha=0.5
        )
        axes.plot(one.mu, place, "o", color=BLUE, markersize=5)
    axes.set_yticks(places, [one.agent for one in report.ratings])
    axes.set_ylim(-0.7, len(places) - 0.3)
    axes.set_title("Ratings ± 2 sigma; grey ± 2 spreads")


def plot_rates(report: Report, figure: Figure) -> None:
    """Draws the game's rates of each agent as bars."""
    names = list(dict.fromkeys(rate.rate for rate in report.rates))
    figure.set_size_inches(
        width_beside([f"{rate.rate}: {rate.agent}" for rate in report.rates]), 1.0 + 0.28 * len(report.rates)
    )
    axes = figure.subplots()
    labels, place = [], 0.0
    for name in names:
        for rate in (rate for rate in report.rates if rate.rate == name):
            value = 100 * rate.part / rate.whole if rate.whole else 0.0
            bars = axes.barh(-place, value, color=BLUE, height=0.75)
            axes.bar_label(bars, [f"{value:.1f}" if rate.whole else "-"], padding=4)
            labels.append((-place, f"{name}: {rate.agent}"))
            place += 1.0
        place += 0.5
    axes.set_yticks([y for y, _ in labels], [label for _, label in labels])
    axes.set_title("Rates, %")
