"""Policies on disk: what a checkpoint holds, and how it is read. :mod:`training.checkpoint` writes them.

A checkpoint is a folder with two files, and nothing in it is code:

- ``model.safetensors``: the tensors. ``scale`` float32 [F] is what the entries of an observation are divided by;
  ``policy.{i}.weight`` [out, in] and ``policy.{i}.bias`` [out] are the hidden layers from i = 0, ``policy.out.weight``
  [A, H] and ``policy.out.bias`` the last one. A value network is likewise ``value.*`` with one output. Networks that
  share weights among k alike things (:mod:`agents.networks`) have an input for each entry of one thing, then for each
  entry of none, in the first layer; two for each unit before in the others, its value for the thing and its mean over
  all; outputs for one thing, and ``policy.rest`` for actions that concern none. Other names are the trainer's own.
- ``card.json``: a :class:`Card`, with the format's name and the SHA-256 of the tensors' file.

One network serves every number of players, so the options in a card tell how it was trained and bind nobody. The game,
its version and the layouts of observation and actions do.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from agents.networks import ALIKE, alike_places, network_shapes
from shadowenvs import get_game
from shadowenvs.game import Game, Options

FORMAT = "shadowenvs-policy-1"
CARD_FILE = "card.json"
MODEL_FILE = "model.safetensors"
ACTIVATIONS = ("tanh", "relu")
MOST_TRIES = 10  # of reading a checkpoint that is replaced meanwhile

Tensors = dict[str, NDArray[Any]]


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or made for something else. Nothing of it was loaded.

    Attributes:
        file: The file (or folder) at fault.
        key: The key in the card, or the tensor, at fault; "" where it is the whole file.
        reason: What is wrong.
    """

    def __init__(self, file: Path, key: str, reason: str) -> None:
        super().__init__(": ".join(part for part in (str(file), key, reason) if part))
        self.file = file
        self.key = key
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.file, self.key, self.reason)


@dataclass(frozen=True)
class Card:
    """What is to be known of a policy, beside its tensors.

    Attributes:
        game: Name of the game.
        version: Version of the game.
        options: Options that it was trained with.
        observation: Digest of the observation's layout.
        actions: Digest of the actions' layout.
        network: ``{"hidden": [sizes of the hidden layers], "activation": one of ACTIVATIONS}``; may have a key
            ``"alike"``, one of :data:`agents.networks.ALIKE`.
        step: Decisions trained on so far.
        seed: Of the training run.
        wall_time: Seconds of training so far.
        command: The command that made it.
        results: What the trainer measured, as JSON can hold it.
        sha256: Of ``model.safetensors``; filled in when the checkpoint is saved.
    """

    game: str
    version: int
    options: dict[str, Any]
    observation: str
    actions: str
    network: dict[str, Any]
    step: int = 0
    seed: int = 0
    wall_time: float = 0.0
    command: str = ""
    results: dict[str, Any] = dataclasses.field(default_factory=dict)
    sha256: str = ""

    @classmethod
    def of(cls, game: Game, options: Options, network: dict[str, Any], **rest: Any) -> Card:
        """Returns a card with a game's name, version and digests; ``rest`` are further attributes."""
        return cls(
            *(game.name, game.version, options.as_dict(), game.observation.digest, game.actions.digest, network), **rest
        )

    def to_json(self) -> str:
        """Returns the content of ``card.json``; ValueError if a value does not fit into JSON."""
        return json.dumps({"format": FORMAT, **dataclasses.asdict(self)}, indent=2, allow_nan=False) + "\n"


def load(
    folder: str | Path, game: Game | None = None, options: Options | Mapping[str, Any] | None = None
) -> tuple[Card, Tensors]:
    """Reads a checkpoint and checks all of it.

    Args:
        folder: The checkpoint.
        game: The game that it must be for; None for any.
        options: Options that it must have been trained with, as a resumed run asks; None for any.

    Returns:
        The card and the tensors; these are read-only.

    Raises:
        CheckpointError: A file is missing, truncated or foreign, a key is missing or wrong, a tensor has another shape
            than the card and the game say, or the policy is for another game, version, layout or options.
    """
    folder = Path(folder)
    wanted = options.as_dict() if isinstance(options, Options) else options
    for _ in range(MOST_TRIES - 1):
        place = present(folder)
        identity = identify(place)
        try:
            return load_from(place, game, wanted)
        except CheckpointError:
            if identify(present(folder)) == identity:
                raise
            # A trainer has put a newer checkpoint here meanwhile: the two files were of different ones.
    return load_from(present(folder), game, wanted)


def load_from(folder: Path, game: Game | None, options: Mapping[str, Any] | None) -> tuple[Card, Tensors]:
    card = read_card(folder / CARD_FILE)
    if game is not None:
        check_game(folder / CARD_FILE, card, game)
    if options is not None:
        check_options(folder / CARD_FILE, card, options)
    tensors = read_tensors(folder / MODEL_FILE, card.sha256)
    check_tensors(folder / MODEL_FILE, card, tensors, game)
    return card, tensors


def identify(folder: Path) -> tuple[int, int] | None:
    """Returns what tells a folder from another one that took its name, None if there is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def previous(folder: Path) -> Path:
    """Returns where a checkpoint stays while a newer one takes its place."""
    return folder.with_name(f".{folder.name}.previous")


def present(folder: Path) -> Path:
    """Returns the folder, or the one of the checkpoint before if a save was cut off while it replaced the folder."""
    if folder.exists():
        return folder
    before = previous(folder.resolve())
    return before if before.is_dir() else folder


# ------------------------------------------------------------------------------------------------------------ reading


def read_file(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise CheckpointError(file, "", "there is no such file") from None
    except OSError as error:
        raise CheckpointError(file, "", error.strerror or str(error)) from None


def read_card(file: Path) -> Card:
    """Reads ``card.json`` and checks keys and types."""
    try:
        content = json.loads(read_file(file).decode())
    except (ValueError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(file, "", f"not JSON ({error})") from None
    if not isinstance(content, dict):
        raise CheckpointError(file, "", "not a JSON object")
    found = content.pop("format", None)
    if found != FORMAT:
        raise CheckpointError(file, "format", f"must be {FORMAT!r}, not {found!r}")
    kinds: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "dict[str, Any]": dict}
    fields = {field.name: kinds[str(field.type)] for field in dataclasses.fields(Card)}
    for key, kind in fields.items():
        if key not in content:
            raise CheckpointError(file, key, "is missing")
        if not isinstance(content[key], kind) or isinstance(content[key], bool):
            raise CheckpointError(file, key, f"has the wrong type: {content[key]!r}")
    for key in content:
        if key not in fields:
            raise CheckpointError(file, key, "is not a key of this format")
    reason = network_error(content["network"])
    if reason:
        raise CheckpointError(file, "network", reason)
    return Card(**content)


def network_error(network: Mapping[str, Any]) -> str:
    """Returns what is wrong with the description of a network, or ""."""
    hidden = network.get("hidden")
    if not isinstance(hidden, list) or not all(type(size) is int and size > 0 for size in hidden):
        return f"hidden must be a list of sizes of at least 1, not {hidden!r}"
    if network.get("activation") not in ACTIVATIONS:
        return f"activation must be one of {', '.join(ACTIVATIONS)}, not {network.get('activation')!r}"
    kind = network.get("alike", "")
    if kind not in ALIKE:
        return f"alike must be one of {', '.join(map(repr, ALIKE))}, not {kind!r}"
    if kind == "shared" and not hidden:
        return "a network that shares weights needs a hidden layer"
    return ""


def read_tensors(file: Path, sha256: str) -> Tensors:
    """Reads ``model.safetensors`` if its hash is the given one."""
    content = read_file(file)
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise CheckpointError(
            file, "sha256", f"the file is truncated or not the card's own: {found}, the card says {sha256!r}"
        )
    try:
        return safetensors.numpy.load(content)
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(file, "", f"not a safetensors file that NumPy can hold ({error})") from None


# ------------------------------------------------------------------------------------------------------------- checks


def check_game(file: Path, card: Card, game: Game) -> None:
    """Refuses a card of another game, version or layout."""
    for key, found, wanted in (
        ("game", card.game, game.name),
        ("version", card.version, game.version),
        ("observation", card.observation, game.observation.digest),
        ("actions", card.actions, game.actions.digest),
    ):
        if found != wanted:
            raise CheckpointError(file, key, f"the policy is for {found!r}, this is {wanted!r}")


def check_options(file: Path, card: Card, options: Mapping[str, Any]) -> None:
    """Refuses a card of other options."""
    for key, wanted in options.items():
        if key not in card.options:
            raise CheckpointError(file, f"options.{key}", "is missing")
        if card.options[key] != wanted:
            raise CheckpointError(file, f"options.{key}", f"the policy has {card.options[key]!r}, wanted is {wanted!r}")


def check_tensors(file: Path, card: Card, tensors: Tensors, game: Game | None) -> None:
    """Refuses networks whose tensors are not those that the card and the game ask for."""
    kind = card.network.get("alike", "")
    try:
        if kind and game is None:
            game = get_game(card.game)
        places = alike_places(game, kind) if game is not None else None
    except ValueError as error:
        raise CheckpointError(file.with_name(CARD_FILE), "network" if game else "game", str(error)) from None
    features = game.observation.size if game else _length(tensors.get("scale"))
    num_actions = game.num_actions if game else _length(tensors.get("policy.out.bias"))
    shapes = {"scale": (features,), **network_shapes("policy", card.network, features, num_actions, places)}
    if any(name.startswith("value.") for name in tensors):
        shapes |= network_shapes("value", card.network, features, 1, places)
    for name, shape in shapes.items():
        if name not in tensors:
            raise CheckpointError(file, name, "is missing")
        tensor = tensors[name]
        if tensor.dtype != np.float32 or tensor.shape != shape:
            wanted = f"must be float32 of shape {shape}"
            raise CheckpointError(file, name, f"{wanted}, not {tensor.dtype} of shape {tensor.shape}")
        if not np.isfinite(tensor).all():
            raise CheckpointError(file, name, "holds numbers that are not finite")
    for name in tensors:
        if name.startswith(("policy.", "value.")) and name not in shapes:
            raise CheckpointError(file, name, "is not part of the network that the card describes")
    # Entries are divided by the scale; its inverse, stored by mistake, would lie below 1.
    if not (tensors["scale"] >= 1.0).all():
        raise CheckpointError(file, "scale", "entries of an observation are divided by it: none may be below 1")


def _length(tensor: NDArray[Any] | None) -> int:
    return 0 if tensor is None else math.prod(tensor.shape)
