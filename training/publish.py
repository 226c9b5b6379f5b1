"""Puts a trained policy into the checkout: ``python -m training.publish --run runs/shadow_cards-0``.

The policy goes to ``agents/baselines/GAME/ppo-vVERSION`` without its value network, and its learning curve, drawn from
its card, to ``docs/images/training_GAME.svg``.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.checkpoint import MODEL_FILE
from agents.command import argument, fail, parse
from agents.neural import BASELINES
from shadowenvs import get_game
from training.checkpoint import Card, load, save
from training.report import draw_curve

PROG = "training.publish"
IMAGES = Path(__file__).parents[1] / "docs" / "images"
MOST_BYTES = 2_000_000


@dataclass
class Args:
    """Puts a trained policy into the checkout."""

    run: str = argument("folder of a finished run", metavar="FOLDER")
    to: str = argument("folder for the policy; default its place in agents/baselines", "", "FOLDER")
    curve: str = argument("file for the learning curve; default its place in docs/images", "", "FILE")


def publish(args: Args) -> tuple[Path, Card]:
    """Writes the policy and the curve; returns where the policy is, and its card.

    Raises:
        ValueError: The run is missing, is not finished, or its policy is too large.
    """
    card, tensors = load(Path(args.run) / "checkpoint")
    game = get_game(card.game)
    trainer = card.results["trainer"]
    history = trainer["history"]
    if not history or not history[-1].get("final"):
        raise ValueError(f"{args.run}: the run is not finished")
    kept = {name: tensor for name, tensor in tensors.items() if name == "scale" or name.startswith("policy.")}
    size = sum(tensor.nbytes for tensor in kept.values())
    if size > MOST_BYTES:
        raise ValueError(f"{args.run}: the policy takes {size:,} bytes; at most {MOST_BYTES:,} may be published")
    results = {**history[-1], "imitated": trainer["imitated"], "history": history}
    folder = Path(args.to) if args.to else BASELINES / game.name / f"ppo-v{game.version}"
    card = save(folder, dataclasses.replace(card, results=results), kept)
    curve = Path(args.curve) if args.curve else IMAGES / f"training_{game.name}.svg"
    draw_curve(curve, history, card.options["num_players"])
    return folder, card


def main(argv: Sequence[str] | None = None, write: Callable[[str], object] = print) -> int:
    """Runs the command; returns its exit status."""
    args = parse(Args, PROG, argv)
    try:
        folder, card = publish(args)
    except ValueError as error:
        return fail(PROG, error)
    share, low, high = card.results["share_heuristic"]
    size = (folder / MODEL_FILE).stat().st_size
    write(f"{folder}: {size:,} bytes, share against heuristics {share:.3f} ({low:.3f} to {high:.3f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
