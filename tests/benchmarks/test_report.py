"""What a report holds: as JSON, in the terminal, and as a page."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from html.parser import HTMLParser
from typing import Any

from rich.console import Console

from agents.heuristic import HeuristicAgent
from agents.random import RandomAgent
from benchmarks.page import document
from benchmarks.report import Report, write_report
from benchmarks.runs import Plan
from benchmarks.tournament import play_tournament
from shadowenvs.game import Game, Rate
from tests.benchmarks.players import first


def text_of(report: Report) -> str:
    out = io.StringIO()
    write_report(report, Console(file=out, width=300))
    return out.getvalue()


def rich_report(game: Game) -> Report:
    """Returns a report with all that one can hold."""
    rates = (Rate("points", "points", "points", ""), Rate("nothing", "rewards", "rewards", ""))
    seats = next(seats for seats in game.seats if seats > 2)
    agents: dict[str, Any] = {"odd [bold]<name>": RandomAgent(), "heuristic": HeuristicAgent()}
    agents |= {f"first {number}": first() for number in range(seats - 2)}
    counted = dataclasses.replace(game, rates=rates)
    report = play_tournament(Plan(counted, {"num_players": seats}, tuple(agents), mirror=True), agents, 3)
    counts = [dataclasses.replace(rate, part=1, whole=4 * (rate.rate == "points")) for rate in report.rates]
    return dataclasses.replace(report, rates=counts)


def check_keys(content: dict[str, Any], kinds: dict[str, Any]) -> None:
    assert content.keys() == kinds.keys()
    for key, kind in kinds.items():
        assert isinstance(content[key], kind), key


def test_schema(game: Game) -> None:
    report = rich_report(game)
    content = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    head = {"format": str, "shadowenvs": str, "confidence": float, "fair_share": float, "game": str, "options": dict}
    head |= {"agents": list, "deals": int, "seed": int, "tables": int, "chunk": int, "num_players": int}
    head |= {"points_sign": int, "until": type(None), "reached": type(None)}
    lists = ("overall", "pairs", "differences", "line_ups", "ratings", "luck", "rates")
    check_keys(content, head | dict.fromkeys(lists, list))
    assert content["format"] == "shadowenvs-tournament-2"
    assert content["game"] == game.id
    seats = report.num_players
    assert content["options"]["num_players"] == seats
    for name in ("overall", "pairs", "differences", "line_ups"):
        for standing in content[name]:
            opponents = {"opponents": str} if name in ("pairs", "differences") else {}
            check_keys(standing, {"agent": str, **opponents, "share": dict, "points": dict})
            for key in ("share", "points"):
                numbers = {"mean": float, "low": float, "high": float, "saved": float | None}
                check_keys(standing[key], numbers)
                assert standing[key]["low"] <= standing[key]["mean"] <= standing[key]["high"]
            assert name == "differences" or 0.0 <= standing["share"]["mean"] <= 1.0
    assert [len(content[name]) for name in lists[:5]] == [seats, seats**2, seats * (seats - 1) // 2, seats, seats]
    # Copies of one agent among which nothing varies are left out.
    assert [one["agent"] for one in content["luck"]][:2] == ["", "odd [bold]<name>"]
    for rating in content["ratings"]:
        check_keys(rating, {"agent": str, "mu": float, "sigma": float, "spread": float, "ordinal": float})
    for one in content["luck"]:
        check_keys(one, {"agent": str, "luck": dict})
        check_keys(one["luck"], dict.fromkeys(("deal", "low", "high", "line_up", "rest"), float))
    for rate in content["rates"]:
        check_keys(rate, {"agent": str, "rate": str, "part": int, "whole": int})


def test_text(game: Game) -> None:
    report = rich_report(game)
    text = text_of(report)
    assert f"{game.id}: 3 deals" in text
    assert f"a fair share is {100 / report.num_players:.1f} %" in text
    assert ("many" if game.points_sign > 0 else "few") + " are good" in text
    assert f"against {report.num_players - 1} x heuristic" in text
    pair = report.pairs[1]
    assert f"{100 * pair.share.mean:.1f} ± {100 * pair.share.half:.1f} %" in text
    assert "25.0 % of 4" in text
    assert text.count("odd [bold]<name>") >= 8


def test_verdicts(any_game: Game) -> None:
    agents = {"random": RandomAgent(), "heuristic": HeuristicAgent()}
    report = play_tournament(Plan(any_game, {}, tuple(agents)), agents, 60)
    (gap,) = report.differences
    assert gap.share.high < 0.0
    size = f"{-100 * gap.share.mean:.1f} ± {100 * gap.share.half:.1f} % of the victory"
    assert f"heuristic is better than random, by {size}." in text_of(report)
    unsure = dataclasses.replace(gap, share=gap.share._replace(high=0.1))
    assert "random and heuristic are not told apart" in text_of(dataclasses.replace(report, differences=[unsure]))
    better = dataclasses.replace(gap, share=gap.share._replace(low=0.1, mean=0.2, high=0.3))
    text = text_of(dataclasses.replace(report, differences=[better]))
    assert "random is better than heuristic, by 20.0 ± 10.0 % of the victory." in text


class Reader(HTMLParser):
    """Collects what a page holds and refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.texts: list[str] = []
        self.counts: dict[str, int] = {}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag != "meta":
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(str(value))
            elif name in ("src", "href", "xlink:href", "data"):
                self.references.append(str(value))
            self.references += re.findall(r"url\(([^)]*)\)", value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_page(game: Game) -> None:
    report = rich_report(game)
    page = document(report)
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert reader.counts["svg"] == 4
    assert reader.counts["table"] >= 9
    assert len(set(reader.ids)) == len(reader.ids)
    # Self-contained: all that it refers to is in it.
    assert reader.references
    assert {reference.removeprefix("#") for reference in reader.references} <= set(reader.ids)
    assert not {"script", "link", "img", "iframe"} & reader.counts.keys()
    assert "@import" not in page
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    words = " ".join(reader.texts)
    for word in (
        "odd [bold]<name>",
        game.id,
        "Ratings",
        "Win share",
        "Rates",
        f"{100 * report.pairs[1].share.mean:.1f}",
    ):
        assert word in words
    assert page == document(report)
    assert report._repr_html_() in page
