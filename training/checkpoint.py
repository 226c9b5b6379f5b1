"""Saving of policies; the format and its reading are in :mod:`agents.checkpoint`."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from agents.checkpoint import (
    CARD_FILE,
    MODEL_FILE,
    Card,
    CheckpointError,
    Tensors,
    check_tensors,
    load,
    network_error,
    previous,
)

__all__ = ["Card", "CheckpointError", "Tensors", "load", "save"]


def save(folder: str | Path, card: Card, tensors: Mapping[str, NDArray[Any]]) -> Card:
    """Writes a checkpoint, in place of one that is there.

    At every moment a complete checkpoint can be loaded from ``folder``, the new one or the one before: the new one is
    written and synced under another name, the old one is renamed, the new one takes its name, and the old one is
    removed. If the process ends between the two renames, :func:`load` and the next call here find the old one.

    Args:
        folder: The checkpoint; folders above it are made.
        card: Its card; ``sha256`` is filled in.
        tensors: Arrays by name, as :mod:`agents.checkpoint` lists them.

    Returns:
        The card as written.

    Raises:
        CheckpointError: The tensors do not fit the card, or at ``folder`` is something that is not a checkpoint.
        ValueError: A value of the card does not fit into JSON.
    """
    folder = Path(folder).resolve()
    arrays = {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
    reason = network_error(card.network)
    if reason:
        raise CheckpointError(folder / CARD_FILE, "network", reason)
    check_tensors(folder / MODEL_FILE, card, arrays, None)
    model = safetensors.numpy.save(arrays)
    card = dataclasses.replace(card, sha256=hashlib.sha256(model).hexdigest())
    content = card.to_json()

    folder.parent.mkdir(parents=True, exist_ok=True)
    old, new = previous(folder), folder.with_name(f".{folder.name}.new")
    for place in (folder, old, new):
        refuse_others(place)
    if not folder.exists() and old.exists():
        old.rename(folder)
    remove(new)
    new.mkdir()
    write_synced(new / MODEL_FILE, model)
    write_synced(new / CARD_FILE, content.encode())
    sync_folder(new)
    if folder.exists():
        remove(old)
        folder.rename(old)
        sync_folder(folder.parent)
    new.rename(folder)
    sync_folder(folder.parent)
    remove(old)
    return card


def refuse_others(place: Path) -> None:
    """Raises CheckpointError for anything that :func:`save` did not write, so that it is never removed."""
    if not place.exists():
        return
    if not place.is_dir():
        raise CheckpointError(place, "", "is not a folder; a checkpoint is not written over it")
    others = sorted(path.name for path in place.iterdir() if path.name not in (CARD_FILE, MODEL_FILE))
    if others:
        raise CheckpointError(place, "", f"holds {others[0]!r}; a checkpoint is not written over it")


def remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def write_synced(file: Path, content: bytes) -> None:
    """Writes a file and waits until it is on the disk."""
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Waits until the names in a folder are on the disk, where the platform can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
