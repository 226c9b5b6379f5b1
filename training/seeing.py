"""An example with pictures: a convolutional network finds the objects of a shadow (Shadow Master, pixels mode).

``python -m training.seeing`` draws decks, trains on their shadows, and tests on the standard deck as the environment
shows it: which of the nine objects on the dots are in the shadow?

The network turns the shadow into a map of local features and each object into one vector; an object is there if some
place of the map fits its vector. So an object may lie anywhere and, as the network sees many, be turned and hidden.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from tqdm import trange

from agents.command import argument, fail, parse
from shadowenvs import make_batch
from shadowenvs.games.shadow_master.deck import draw
from shadowenvs.games.shadow_master.spec import NUM_DOTS, NUM_LETTERS

PROG = "training.seeing"
BLACK = 255


@dataclass(frozen=True)
class Args:
    """Train a network to find the objects of shadows, and test it on the standard deck."""

    decks: int = argument("decks of 42 shadows to train on; drawing one takes half a second", 200, "N")
    epochs: int = argument("how often each shadow is seen, each time turned by another quarter", 8, "N")
    batch: int = argument("shadows of a gradient step", 64, "N")
    learning_rate: float = argument("at the start; it falls to 0 along a cosine", 2e-3, "RATE")
    channels: int = argument("width of the network", 48, "N")
    first_deck: int = argument("seed of the first deck; the next ones follow", 1000, "N")
    seed: int = argument("of weights and shuffles", 0, "N")
    torch_threads: int = argument("threads of PyTorch", 1, "N")
    save: str | None = argument("also write the weights there", None, "FILE")

    def __post_init__(self) -> None:
        for name in ("decks", "epochs", "batch", "channels", "torch_threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(self, name)}")
        if self.save is not None and not Path(self.save).parent.is_dir():
            raise ValueError(f"--save {self.save}: there is no such folder")


@dataclass(frozen=True)
class Shadows:
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
        self.look = nn.Sequential(
            *(nn.Conv2d(1, channels // 2, 5, 2, 2), nn.BatchNorm2d(channels // 2), nn.ReLU()),
            *(nn.Conv2d(channels // 2, channels, 3, 2, 1), nn.BatchNorm2d(channels), nn.ReLU()),
            *(nn.Conv2d(channels, 2 * channels, 3, 2, 1), nn.BatchNorm2d(2 * channels), nn.ReLU()),
            *(nn.Conv2d(2 * channels, 2 * channels, 3, 1, 1), nn.BatchNorm2d(2 * channels), nn.ReLU()),
            nn.Conv2d(2 * channels, 2 * channels, 3, 1, 1),
        )
        self.know = nn.Sequential(
            *(nn.Conv2d(1, channels // 2, 5, 2, 2), nn.ReLU()),
            *(nn.Conv2d(channels // 2, channels, 3, 2, 1), nn.ReLU()),
            *(nn.Flatten(), nn.Linear(channels * 12 * 12, 2 * channels)),
        )
        self.bias = nn.Parameter(torch.tensor(-1.0))

    def forward(self, pictures: torch.Tensor, objects: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
        """Returns logits [K, D] for shadows [K, 1, 96, 96], drawings [M, 48, 48] and those asked about [K, D]."""
        places = self.look(pictures).flatten(2)  # [K, C, 144]
        vectors = self.know(objects[:, None])[asked]  # [K, D, C]
        fits = vectors @ places / places.shape[1] ** 0.5
        return torch.logsumexp(fits, dim=2) - np.log(places.shape[2]) + self.bias


def draw_shadows(first: int, num_decks: int) -> Shadows:
    """Draws decks; all 27 objects of a card's three squares are asked about."""
    decks = [draw(seed) for seed in trange(first, first + num_decks, desc="drawing decks", disable=None)]
    letters = np.concatenate([deck.letters for deck in decks]).astype(np.int64)
    asked = NUM_DOTS * letters[:, :, None] + np.arange(NUM_DOTS)
    answers = np.concatenate([deck.answers for deck in decks])
    return Shadows(
        torch.from_numpy(np.concatenate([deck.shadows for deck in decks]).astype(np.float32))[:, None],
        torch.from_numpy(decks[0].objects.reshape(NUM_LETTERS * NUM_DOTS, 48, 48).astype(np.float32)),
        torch.from_numpy(asked.reshape(len(letters), -1)),
        torch.from_numpy(answers.reshape(len(letters), -1).astype(np.float32)),
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


def train(model: Finder, shadows: Shadows, args: Args) -> list[float]:
    """Trains a network; returns the mean loss of each epoch, in nats an object."""
    num = len(shadows.pictures)
    generator = torch.Generator().manual_seed(args.seed)
    steps = args.epochs * -(-num // args.batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    loss_of = nn.BCEWithLogitsLoss()
    losses = []
    for epoch in (bar := trange(args.epochs, desc="training", disable=None)):
        total = 0.0
        model.train()
        for chosen in torch.split(torch.randperm(num, generator=generator), args.batch):
            turned = torch.rot90(shadows.pictures[chosen], epoch, (2, 3))
            loss = loss_of(model(turned, shadows.objects, shadows.asked[chosen]), shadows.answers[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(chosen)
        losses.append(total / num)
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
        shadows = draw_shadows(args.first_deck, args.decks)
        losses = train(model, shadows, args)
        hits, solved = score(model, test, sought)
        if args.save is not None:
            torch.save(model.state_dict(), args.save)
    except (ValueError, OSError) as error:
        return fail(PROG, error)
    chance = float((sought**2).sum() / (NUM_DOTS * sought.sum()))
    write(
        f"{len(shadows.pictures)} shadows; loss after each epoch, in nats an object: "
        + " ".join(map("{:.3f}".format, losses))
    )
    write(f"standard deck, {len(sought)} games: {100 * hits:.1f} % of the chosen objects are in the shadow")
    write(f"(a guess has {100 * chance:.1f} %), and {100 * solved:.1f} % of the shadows are solved completely")
    write(f"{time.process_time() - start:.0f} seconds of CPU time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
