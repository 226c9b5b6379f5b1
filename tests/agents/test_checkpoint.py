"""Checkpoints: what is written is read, what is damaged or foreign is refused, and a crash loses at most a save."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from agents.checkpoint import CARD_FILE, FORMAT, MODEL_FILE, Card, CheckpointError, load, previous
from agents.networks import ALIKE, alike_kinds
from shadowenvs import GAMES, get_game
from shadowenvs.game import Game
from training import checkpoint
from training.checkpoint import save


@pytest.fixture
def folder(tmp_path: Path, game: Game, make_policy: Callable[..., Any]) -> Path:
    """A good checkpoint of the game."""
    place = tmp_path / "run" / "policy"
    save(place, *make_policy(game, value=True))
    return place


def test_round_trip(folder: Path, game: Game, make_policy: Callable[..., Any]) -> None:
    card, tensors = make_policy(game, value=True)
    tensors["extra.moment"] = np.asfortranarray(np.arange(6.0).reshape(2, 3))  # of the trainer; not in C order
    tensors["extra.step"] = np.array(7.0, np.float32)
    written = save(folder, card, tensors)
    read, found = load(folder, game, game.options.make())
    assert read == written == dataclasses.replace(card, sha256=written.sha256)
    assert read.sha256 == hashlib.sha256((folder / MODEL_FILE).read_bytes()).hexdigest()
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(found[name], tensor, strict=True)
    assert sorted(path.name for path in folder.iterdir()) == sorted([CARD_FILE, MODEL_FILE])
    assert [path.name for path in folder.parent.iterdir()] == ["policy"]
    assert load(folder)[0] == read


def test_equal_policies_give_equal_files(tmp_path: Path, game: Game, make_policy: Callable[..., Any]) -> None:
    for name in ("a", "b"):
        save(tmp_path / name, *make_policy(game))
    for file in (CARD_FILE, MODEL_FILE):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


# ------------------------------------------------------------------------------------------------------------ refusal


def refused(folder: Path, file: str, key: str, reason: str, game: Game | None = None, options: Any = None) -> None:
    with pytest.raises(CheckpointError, match=reason) as caught:
        load(folder, game, options)
    error = caught.value
    assert (error.file, error.key) == (folder / file, key)
    assert str(folder / file) in str(error)
    assert key in str(error)
    assert "\n" not in str(error)


def edit_card(folder: Path, **changes: Any) -> None:
    """Changes keys of the card; None removes one."""
    content = json.loads((folder / CARD_FILE).read_text()) | changes
    content = {key: value for key, value in content.items() if value is not None}
    (folder / CARD_FILE).write_text(json.dumps(content))


def edit_tensors(folder: Path, **changes: Any) -> None:
    """Changes tensors, and the hash with them; None removes one."""
    tensors = {**safetensors.numpy.load((folder / MODEL_FILE).read_bytes()), **changes}
    content = safetensors.numpy.save({name: tensor for name, tensor in tensors.items() if tensor is not None})
    (folder / MODEL_FILE).write_bytes(content)
    edit_card(folder, sha256=hashlib.sha256(content).hexdigest())


def test_missing_files(folder: Path, tmp_path: Path) -> None:
    refused(tmp_path / "nothing", CARD_FILE, "", "no such file")
    (folder / MODEL_FILE).unlink()
    refused(folder, MODEL_FILE, "", "no such file")
    (folder / CARD_FILE).unlink()
    refused(folder, CARD_FILE, "", "no such file")
    refused(folder / CARD_FILE, CARD_FILE, "", "no such file")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"\x80\x04K\x01."])
def test_card_is_not_json(folder: Path, content: bytes) -> None:
    (folder / CARD_FILE).write_bytes(content)
    refused(folder, CARD_FILE, "", "not JSON")


def test_card_is_not_an_object(folder: Path) -> None:
    (folder / CARD_FILE).write_text("[1]")
    refused(folder, CARD_FILE, "", "not a JSON object")


@pytest.mark.parametrize("key", ["format", *(field.name for field in dataclasses.fields(Card))])
def test_keys_of_the_card(folder: Path, key: str) -> None:
    edit_card(folder, **{key: None})
    refused(folder, CARD_FILE, key, "is missing|must be")
    edit_card(folder, **{key: True})
    refused(folder, CARD_FILE, key, "wrong type|must be")


def test_unknown_key(folder: Path) -> None:
    edit_card(folder, more=1)
    refused(folder, CARD_FILE, "more", "not a key")


def test_other_format(folder: Path) -> None:
    edit_card(folder, format=FORMAT + "0")
    refused(folder, CARD_FILE, "format", "must be")


@pytest.mark.parametrize(
    "network",
    [
        {},
        {"hidden": [8]},
        {"hidden": 8, "activation": "tanh"},
        {"hidden": [0], "activation": "tanh"},
        {"hidden": [True], "activation": "tanh"},
        {"hidden": [8, 6], "activation": "gelu"},
        {"hidden": [8, 6], "activation": "tanh", "alike": "same"},
    ],
)
def test_network(folder: Path, game: Game, make_policy: Callable[..., Any], network: dict[str, Any]) -> None:
    edit_card(folder, network=network)
    refused(folder, CARD_FILE, "network", "must be")
    card, tensors = make_policy(game)
    with pytest.raises(CheckpointError, match="network"):
        save(folder, dataclasses.replace(card, network=network), tensors)


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:40], lambda data: b"", bytes.swapcase])
def test_model_is_damaged(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    (folder / MODEL_FILE).write_bytes(damage((folder / MODEL_FILE).read_bytes()))
    refused(folder, MODEL_FILE, "sha256", "truncated or not the card's own")


@pytest.mark.parametrize("content", [b"", b"foreign", pickle.dumps({"scale": 1})])
def test_model_is_foreign(folder: Path, content: bytes) -> None:
    (folder / MODEL_FILE).write_bytes(content)
    edit_card(folder, sha256=hashlib.sha256(content).hexdigest())
    refused(folder, MODEL_FILE, "", "not a safetensors file")


@pytest.mark.parametrize("name", ["scale", "policy.0.weight", "policy.1.bias", "policy.out.weight", "value.out.bias"])
def test_tensors(folder: Path, game: Game, name: str) -> None:
    tensor = load(folder)[1][name]
    for changed, reason in (
        (None, "is missing"),
        (np.concatenate([tensor, tensor]), "must be float32 of shape"),
        (tensor.astype(np.float64), "must be float32 of shape"),
        (np.full_like(tensor, np.nan), "not finite"),
    ):
        edit_tensors(folder, **{name: changed})
        refused(folder, MODEL_FILE, name, reason, game)


def test_scale_is_not_inverted(folder: Path, game: Game) -> None:
    edit_tensors(folder, scale=np.full(game.observation.size, 0.5, np.float32))
    refused(folder, MODEL_FILE, "scale", "divided")


def test_layer_that_the_card_does_not_know(folder: Path) -> None:
    edit_tensors(folder, **{"policy.7.bias": np.zeros(3, np.float32)})
    refused(folder, MODEL_FILE, "policy.7.bias", "not part of the network")


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name in GAMES for kind in ALIKE if kind not in alike_kinds(get_game(name))]
)
def test_a_game_without_things_that_are_alike(
    tmp_path: Path, make_policy: Callable[..., Any], name: str, kind: str
) -> None:
    game = get_game(name)
    card, tensors = make_policy(game)
    card = dataclasses.replace(card, network={**card.network, "alike": kind})
    with pytest.raises(CheckpointError, match=f"{CARD_FILE}: network: {game.title} has no"):
        save(tmp_path / "policy", card, tensors)


@pytest.mark.parametrize("kind", ALIKE[1:])
def test_alike_things_of_a_game_that_is_not_there(
    folder: Path, game: Game, make_policy: Callable[..., Any], kind: str
) -> None:
    card, tensors = make_policy(game)
    card = dataclasses.replace(card, game="chess", network={**card.network, "alike": kind})
    with pytest.raises(CheckpointError, match=f"{CARD_FILE}: game: unknown game 'chess'"):
        save(folder, card, tensors)


def test_sizes_of_another_game(folder: Path, game: Game) -> None:
    """A card with the right digests does not make tensors of other sizes fit."""
    wider = np.zeros((8, game.observation.size + 1), np.float32)
    edit_tensors(folder, scale=np.ones(game.observation.size + 1, np.float32), **{"policy.0.weight": wider})
    refused(folder, MODEL_FILE, "scale", "must be float32 of shape", game)


@pytest.mark.parametrize(
    ("key", "value"), [("game", "chess"), ("version", 99), ("observation", "0" * 16), ("actions", "0" * 16)]
)
def test_other_game(folder: Path, game: Game, key: str, value: Any) -> None:
    edit_card(folder, **{key: value})
    load(folder)
    refused(folder, CARD_FILE, key, f"the policy is for {value!r}", game)


def test_other_options(folder: Path, game: Game) -> None:
    seats = game.options.make().num_players
    other = next(number for number in game.seats if number != seats)
    load(folder, game, {"num_players": seats})
    refused(folder, CARD_FILE, "options.num_players", f"wanted is {other}", game, {"num_players": other})
    refused(folder, CARD_FILE, "options.num_players", f"wanted is {other}", game, game.options.make(num_players=other))
    refused(folder, CARD_FILE, "options.nothing", "is missing", game, {"nothing": 1})


def test_errors_pickle() -> None:
    error = pickle.loads(pickle.dumps(CheckpointError(Path("a"), "key", "reason")))
    assert (error.file, error.key, error.reason, str(error)) == (Path("a"), "key", "reason", "a: key: reason")


# ------------------------------------------------------------------------------------------------------------- saving


def test_save_refuses(folder: Path, tmp_path: Path, game: Game, make_policy: Callable[..., Any]) -> None:
    card, tensors = make_policy(game)
    before = load(folder)[0]
    with pytest.raises(CheckpointError, match=r"scale: is missing"):
        save(folder, card, {name: tensor for name, tensor in tensors.items() if name != "scale"})
    with pytest.raises(ValueError, match="JSON"):
        save(folder, dataclasses.replace(card, results={"share": float("nan")}), tensors)
    assert load(folder)[0] == before
    (tmp_path / "notes.txt").touch()
    with pytest.raises(CheckpointError, match="notes"):
        save(tmp_path, card, tensors)
    with pytest.raises(CheckpointError, match="not a folder"):
        save(tmp_path / "notes.txt", card, tensors)
    assert (tmp_path / "notes.txt").exists()
    assert load(folder)[0] == before


class Crash(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("crash_at", range(10))
def test_crash_before_any_operation(
    folder: Path, game: Game, make_policy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, crash_at: int
) -> None:
    """Whatever operation on the disk is the last, the old or the new checkpoint is there, and the next save works."""
    card, tensors = make_policy(game, seed=3)
    done = 0

    def counted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **rest: Any) -> Any:
            nonlocal done
            if done == crash_at:
                raise Crash
            done += 1
            return operation(*arguments, **rest)

        return run

    with monkeypatch.context() as patch:
        for owner, name in ((checkpoint, "write_synced"), (checkpoint, "sync_folder"), (shutil, "rmtree")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        for name in ("mkdir", "rename"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        try:
            save(folder, card, tensors)
        except Crash:
            pass
        else:
            pytest.fail("a save has fewer operations than this test thinks")
    assert load(folder, game)[0].seed in (0, 3)
    after = save(folder, dataclasses.replace(card, step=77), tensors)
    assert load(folder, game)[0] == after
    assert [path.name for path in folder.parent.iterdir()] == ["policy"]


def test_half_removed_predecessor_is_not_taken(folder: Path, game: Game, make_policy: Callable[..., Any]) -> None:
    shutil.copytree(folder, previous(folder))
    (previous(folder) / CARD_FILE).unlink()
    assert load(folder, game)[0].seed == 0
    save(folder, *make_policy(game, seed=4))
    assert load(folder, game)[0].seed == 4
    assert not previous(folder).exists()


def test_replaced_while_it_is_read(
    folder: Path, game: Game, make_policy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card of one checkpoint and tensors of the next never go together."""
    read_card = load.__globals__["read_card"]

    def read_and_replace(file: Path) -> Card:
        card: Card = read_card(file)
        if card.seed == 0:
            save(folder, *make_policy(game, seed=5))
        return card

    monkeypatch.setitem(load.__globals__, "read_card", read_and_replace)
    card, tensors = load(folder, game)
    assert card.seed == 5
    np.testing.assert_array_equal(tensors["policy.0.bias"], make_policy(game, seed=5)[1]["policy.0.bias"])


SAVING = """
import itertools, sys
from dataclasses import replace
from training.checkpoint import load, save
card, tensors = load(sys.argv[1])
for step in itertools.count(card.step + 1):
    save(sys.argv[2], replace(card, step=step), tensors)
    print(step, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed(folder: Path, tmp_path: Path) -> None:
    """A process that saves all the time is killed; what it said to have saved, or one more, is there."""
    place = tmp_path / "killed"
    for wait in (0.0, 0.011, 0.023):
        command = [sys.executable, "-c", SAVING, str(folder), str(place)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            said = [int(line) for line in process.stdout.read().split()]
        card, _ = load(place)
        assert card.step >= max(said, default=0)
