"""The report of a training run: figures with their intervals, and the learning curve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training.checkpoint import Card

COLOURS = {"random": "#2a6f97", "heuristic": "#bc4749"}


def write_report(folder: Path, card: Card, history: list[dict[str, Any]], num_players: int) -> str:
    """Writes ``report.md`` and ``curve.png`` into a run's folder.

    Args:
        folder: The run.
        card: The learner's card.
        history: Evaluations, the last one final: ``step``, ``seconds``, and ``share_*`` as mean, low, high.
        num_players: Number of seats.

    Returns:
        The report's text.
    """
    draw_curve(folder / "curve.png", history, num_players)
    last = history[-1]
    fair = 1.0 / num_players
    lines = [
        f"# PPO on {card.game}, {num_players} players",
        "",
        f"{card.step:,} learner decisions in {card.wall_time / 60:.1f} minutes; `{card.command}`.",
        "",
        f"Share of the victory of one player at every seat in turn, 95 % intervals over deals; fair is {fair:.3f}.",
        "",
        "| player | against | share | interval |",
        "|:--|:--|--:|:--|",
        row("PPO, greedy", f"{num_players - 1} random", last["share_random"]),
        row("PPO, greedy", f"{num_players - 1} heuristic", last["share_heuristic"]),
        row("heuristic", f"{num_players - 1} random", last["heuristic_share_random"]),
        "",
        "![learning curve](curve.png)",
        "",
        "| decisions | minutes | share against random | share against heuristic |",
        "|--:|--:|:--|:--|",
        *(
            f"| {entry['step']:,} | {entry['seconds'] / 60:.1f} | {share(entry['share_random'])} "
            f"| {share(entry['share_heuristic'])} |"
            for entry in history
        ),
        "",
    ]
    text = "\n".join(lines)
    (folder / "report.md").write_text(text)
    return text


def row(player: str, against: str, values: list[float]) -> str:
    return f"| {player} | {against} | {values[0]:.3f} | {values[1]:.3f} to {values[2]:.3f} |"


def share(values: list[float]) -> str:
    return f"{values[0]:.3f} ({values[1]:.3f} to {values[2]:.3f})"


def draw_curve(file: Path, history: list[dict[str, Any]], num_players: int) -> None:
    """Draws the share of the victory over the decisions trained on, as PNG or SVG by the file's name."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    steps = [entry["step"] / 1e6 for entry in history]
    for opponent, colour in COLOURS.items():
        means, lows, highs = zip(*(entry[f"share_{opponent}"] for entry in history), strict=True)
        axes.fill_between(steps, lows, highs, color=colour, alpha=0.2, linewidth=0)
        axes.plot(steps, means, color=colour, marker="o", label=f"against {num_players - 1} {opponent}")
    axes.axhline(1.0 / num_players, color="grey", linestyle=":", label="fair share")
    axes.set(xlabel="learner decisions (millions)", ylabel="share of the victory", ylim=(0, 1))
    axes.set_title("Learning curve, greedy policy; bands are 95 % intervals over deals")
    axes.legend(loc="best")
    # Text as text, and equal curves give equal files.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "curve"}):
        figure.savefig(file, dpi=120, metadata={"Date": None} if file.suffix == ".svg" else None)
