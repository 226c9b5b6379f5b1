"""An example with pictures: a convolutional network finds the objects of a shadow (Shadow Master, pixels mode).

``python -m training.seeing`` trains on shadows of its own, drawn as the decks are, and tests on the standard deck as
the environment shows it: which of the nine objects on the dots are in the shadow?

The network turns the shadow into a map of local features and each object into one vector; an object is there if some
place of the map fits its vector. So an object may lie anywhere. It first learns to tell single objects apart, turned
and of every size, then to find them in heaps: from heaps alone it learnt nothing in ten passes over 8,400 shadows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from tqdm import trange

from agents.command import argument, fail, parse
from shadowenvs import make_batch
from shadowenvs.games.shadow_master.deck import place, references
from shadowenvs.games.shadow_master.spec import NUM_COLOURS, NUM_DOTS, NUM_LETTERS

PROG = "training.seeing"
BLACK = 255
MOST_OBJECTS = 9  # in a shadow: the numbers of a card add up to it
HEAPS_ONLY = 0.6  # share of the steps after which all shadows hold so many


@dataclass(frozen=True)
class Args:
    """Train a network to find the objects of shadows, and test it on the standard deck."""

    steps: int = argument("gradient steps", 4000, "N")
    single: int = argument("of these, how many at first see one object at a time", 800, "N")
    batch: int = argument("shadows of a gradient step", 64, "N")
    learning_rate: float = argument("at its highest; it rises, then falls to 0", 3e-3, "RATE")
    channels: int = argument("width of the network", 32, "N")
    seed: int = argument("of weights and shadows", 0, "N")
    torch_threads: int = argument("threads of PyTorch", 1, "N")
    save: str | None = argument("also write the weights there", None, "FILE")

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "channels", "torch_threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.single <= self.steps:
            raise ValueError(f"--single must be between 0 and the {self.steps} steps, not {self.single}")
        if self.save is not None and not Path(self.save).parent.is_dir():
            raise ValueError(f"--save {self.save}: there is no such folder")


class Shadows(NamedTuple):
    """K shadows and what is in them.

    Attributes:
        pictures: float32 [K, 1, 96, 96], 1 = black.
        objects: float32 [M, 48, 48], the drawings.
        asked: int64 [K, D], which drawings are asked about.
        answers: float32 [K, D], 1 for those in the shadow.
    """

    pictures: torch.Tensor
    objects: torch.Tensor
    asked: torch.Tensor
    answers: torch.Tensor


class Finder(nn.Module):
    """Says for each object how sure it is that the object is in the shadow, as a logit."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        wide = 2 * channels
        self.look = nn.Sequential(
            *convolution(1, channels // 2, 5, 2),
            *convolution(channels // 2, channels, 3, 2),
            *convolution(channels, wide, 3, 2),
            *convolution(wide, wide, 3, 1),
            *convolution(wide, wide, 3, 1),
            nn.Conv2d(wide, wide, 1),
        )
        self.know = nn.Sequential(
            *convolution(1, channels // 2, 5, 2),
            *convolution(channels // 2, channels, 3, 2),
            *(nn.Flatten(), nn.Linear(channels * 12 * 12, wide)),
        )
        self.bias = nn.Parameter(torch.tensor(-0.3))

    def forward(self, pictures: torch.Tensor, objects: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
        """Returns logits [K, D] for shadows [K, 1, 96, 96], drawings [M, 48, 48] and those asked about [K, D]."""
        places = self.look(pictures).flatten(2)  # [K, C, 144]
        vectors = self.know(objects[:, None])[asked]  # [K, D, C]
        fits = vectors @ places / places.shape[1] ** 0.5
        # A step of the optimiser moves the bias by about the learning rate; it has a long way to go.
        return fits.amax(dim=2) + 10 * self.bias


def convolution(inputs: int, outputs: int, size: int, stride: int) -> list[nn.Module]:
    """Returns the layers of a convolution with normalisation."""
    return [nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]


def draw_shadows(size: int, num_objects: int, generator: np.random.Generator) -> Shadows:
    """Draws shadows of some of the 27 objects of three picture cards; all 27 are asked about."""
    pictures = np.zeros((size, 1, 96, 96), np.bool_)
    answers = np.zeros((size, NUM_COLOURS * NUM_DOTS), np.float32)
    asked = np.zeros(answers.shape, np.int64)
    for row in range(size):
        letters = generator.choice(NUM_LETTERS, NUM_COLOURS, replace=False)
        asked[row] = (NUM_DOTS * letters[:, None] + np.arange(NUM_DOTS)).ravel()
        chosen = generator.choice(len(asked[row]), num_objects, replace=False)
        answers[row, chosen] = 1
        for drawing in asked[row, chosen].tolist():
            pictures[row, 0] |= place(drawing // NUM_DOTS, drawing % NUM_DOTS, generator)
    return Shadows(
        torch.from_numpy(pictures).float(),
        torch.from_numpy(references().reshape(-1, 48, 48)).float(),
        torch.from_numpy(asked),
        torch.from_numpy(answers),
    )


def see_standard_deck(num_tables: int = 512, seed: int = 0) -> tuple[Shadows, NDArray[np.int64]]:
    """Returns what seats are shown at the start of games with the standard deck, and how many objects they seek."""
    batch = make_batch("shadow_master", num_tables, mode="pixels")
    batch.reset(seed)
    seen = batch.pictures(batch.seats)
    objects = torch.from_numpy(seen["objects"].reshape(-1, 48, 48) == BLACK).float()
    targets = batch.get_states()["targets"].astype(np.int64)
    answers = targets[:, None] >> np.arange(NUM_DOTS) & 1
    shadows = Shadows(
        torch.from_numpy(seen["shadow"] == BLACK).float(),
        objects,
        torch.arange(len(objects)).reshape(num_tables, NUM_DOTS),
        torch.from_numpy(answers).float(),
    )
    return shadows, answers.sum(axis=1)


def train(model: Finder, args: Args) -> list[float]:
    """Trains a network; returns the loss of each step, in nats an object (an answer while objects are single)."""
    generator = np.random.default_rng(args.seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.learning_rate, max(2, args.steps))
    losses: list[float] = []
    model.train()
    for step in (bar := trange(args.steps, desc="training", disable=None)):
        is_single = step < args.single
        heap = int(generator.integers(1, MOST_OBJECTS + 1)) if step < HEAPS_ONLY * args.steps else MOST_OBJECTS
        shadows = draw_shadows(args.batch, 1 if is_single else heap, generator)
        logits = model(shadows.pictures, shadows.objects, shadows.asked)
        if is_single:
            loss = nn.functional.cross_entropy(logits, shadows.answers.argmax(dim=1))
        else:
            loss = nn.functional.binary_cross_entropy_with_logits(logits, shadows.answers)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        bar.set_postfix(loss=f"{losses[-1]:.3f}")
    return losses


def score(model: Finder, shadows: Shadows, sought: NDArray[np.int64]) -> tuple[float, float]:
    """Returns the share of sought objects among the ones chosen, and the share of shadows solved completely.

    As many objects are chosen as are sought, the most probable ones.
    """
    model.eval()
    with torch.no_grad():
        logits = model(shadows.pictures, shadows.objects, shadows.asked).numpy()
    answers = shadows.answers.numpy().astype(np.bool_)
    places = (-logits).argsort(axis=1).argsort(axis=1)
    chosen = places < sought[:, None]
    return float(answers[chosen].mean()), float((answers == chosen).all(axis=1).mean())


def main(argv: Sequence[str] | None = None, write: Callable[[str], object] = print) -> int:
    """Runs the command; returns its exit status."""
    args = parse(Args, PROG, argv)
    start = time.process_time()
    torch.set_num_threads(args.torch_threads)
    torch.manual_seed(args.seed)
    model = Finder(args.channels)
    try:
        test, sought = see_standard_deck()
        losses = train(model, args)
        hits, solved = score(model, test, sought)
        if args.save is not None:
            torch.save(model.state_dict(), args.save)
    except (ValueError, OSError) as error:
        return fail(PROG, error)
    chance = float((sought**2).sum() / (NUM_DOTS * sought.sum()))
    write(f"mean loss of the last {min(100, args.steps)} steps: {np.mean(losses[-100:]):.3f} nats an object")
    write(f"standard deck, {len(sought)} games: {100 * hits:.1f} % of the chosen objects are in the shadow")
    write(f"(a guess has {100 * chance:.1f} %), and {100 * solved:.1f} % of the shadows are solved completely")
    write(f"{time.process_time() - start:.0f} seconds of CPU time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
