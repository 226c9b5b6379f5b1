"""The trainer: arguments, runs that are cut off and taken up again, and what reaches the learner."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.checkpoint import CheckpointError, load
from agents.neural import NeuralAgent
from agents.registry import make
from shadowenvs import GAMES, get_game
from shadowenvs.aec import TableEnv
from shadowenvs.learner import LearnerBatch
from training.networks import export_tensors, import_tensors
from training.ppo import Args, Run, main, make_args, read_args
from training.report import write_report

ROOT = Path(__file__).parents[2]
GAME = next(iter(GAMES))

SMALL = [
    *("--game", GAME, "--num-envs", "16", "--rollout", "16", "--minibatch", "128", "--epochs", "1"),
    *("--hidden", "16", "16", "--pool-every", "512", "--checkpoint-every", "256", "--eval-every", "0"),
    *("--eval-deals", "2", "--final-deals", "2", "--torch-threads", "1"),
]


def small_args(folder: Path, *more: str) -> Args:
    return read_args([*SMALL, "--run", str(folder), *more])


# ----------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_config(game: str) -> None:
    args = read_args(["--game", game])
    assert args.options.items() <= get_game(game).options.make(**args.options).as_dict().items()
    assert args.steps > 0


@pytest.mark.parametrize("game", GAMES)
def test_arguments_without_a_command_line(game: str) -> None:
    assert make_args(game) == read_args(["--game", game])
    assert make_args(game, steps=77, hidden=(8,)) == read_args(["--game", game, "--steps", "77", "--hidden", "8"])


def test_wrong_arguments_without_a_command_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="steps must be at least 1, not 0"):
        make_args(GAME, steps=0)
    with pytest.raises(ValueError, match="No such file"):
        make_args(GAME, config=str(tmp_path / "none.toml"))
    with pytest.raises(TypeError, match="stepz"):
        make_args(GAME, stepz=1)


def test_command_line_goes_before_the_file() -> None:
    args = read_args(["--game", GAME, "--steps", "77", "--hidden", "8"])
    assert args.steps == 77
    assert args.hidden == (8,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("steps = ", "Invalid value"),
        ("stepps = 3", "unknown key 'stepps'"),
        ("steps = 'many'", "steps has the wrong type"),
        ("resume = 1", "resume has the wrong type"),
        ("hidden = []", "hidden must be sizes"),
        ("activation = 'sine'", "activation must be one of"),
        ("steps = 0", "steps must be at least 1"),
    ],
)
def test_broken_config(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(content)
    with pytest.raises(SystemExit) as stopped:
        read_args(["--game", GAME, "--config", str(file)])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_wrong_words_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read_args(["--game", "chess"])
    assert "unknown game 'chess'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        read_args(["--game", GAME, "--config", str(tmp_path / "none.toml")])
    assert "No such file" in capsys.readouterr().err
    assert main([*SMALL, "--run", str(tmp_path / "run"), "--set", "num_players=99"]) == 1
    assert "num_players must be between" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------------------- a run


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that has ended."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    lines: list[str] = []
    assert main([*SMALL, "--run", str(folder), "--steps", "1024"], lines.append) == 0
    assert "share" in lines[0]
    return folder


def test_finished_run(finished: Path) -> None:
    game = get_game(GAME)
    card, _ = load(finished / "policy", game)
    assert card.step == 1024
    assert card.results["final"] is True
    for name in ("report.md", "curve.png"):
        assert (finished / name).stat().st_size > 100
    assert list((finished / "tensorboard").iterdir())
    agent = make(str(finished / "policy"), game)
    assert isinstance(agent, NeuralAgent)


def test_policy_is_the_network(finished: Path) -> None:
    """NumPy inference of the saved policy equals torch's."""
    game = get_game(GAME)
    run = Run(small_args(finished, "--resume"))
    card, tensors = load(finished / "policy", game)
    batch = LearnerBatch(game, 32)
    batch.reset(3)
    observations = batch.observations.copy()
    with torch.no_grad():
        distribution = run.model.policy.get_distribution(torch.from_numpy(observations)).distribution
        wanted = torch.log_softmax(distribution.logits, dim=1).numpy()
    found = NeuralAgent(card, tensors, "x").logits(observations)
    found = found - np.log(np.exp(found).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_tensors_round_trip(finished: Path) -> None:
    run = Run(small_args(finished, "--resume"))
    before = export_tensors(run.policy)
    import_tensors(run.policy, {name: tensor * 2 for name, tensor in before.items()})
    after = export_tensors(run.policy)
    assert all(np.array_equal(after[name], 2 * before[name]) for name in before if name != "scale")


def test_a_run_is_not_overwritten(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--run", str(finished), "--steps", "2048"]) == 1
    assert "--resume" in capsys.readouterr().err


def test_nothing_to_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--run", str(tmp_path / "none"), "--resume"]) == 1
    assert "no checkpoint" in capsys.readouterr().err


def test_resume_goes_on(tmp_path: Path) -> None:
    """Step count, learning-rate schedule, optimiser and pool go on; a longer run is evaluated anew at its end."""
    folder = tmp_path / "run"
    assert main([*SMALL, "--run", str(folder), "--steps", "1024"], lambda _: None) == 0
    first, _ = load(folder / "checkpoint")
    run = Run(small_args(folder, "--resume", "--steps", "2048"))
    assert run.model.num_timesteps == 1024
    assert run.model._n_updates == first.results["trainer"]["updates"] > 0
    assert run.pool.steps == first.results["trainer"]["pool"] == [0, 512]
    adam = run.model.policy.optimizer.state
    assert adam
    assert all(state["step"] == run.model._n_updates * 2 for state in adam.values())  # 256 decisions, 128 a step
    assert run.train()
    last, _ = load(folder / "checkpoint")
    assert last.step == 2048
    assert last.wall_time > first.wall_time
    rate = run.model.policy.optimizer.param_groups[0]["lr"]
    args = run.args
    # SB3 sets the rate before an update from the share of steps that is left after its rollout.
    assert rate == pytest.approx(args.final_learning_rate)
    history = last.results["trainer"]["history"]
    assert [entry["step"] for entry in history if entry.get("final")] == [1024, 2048]


def test_other_network_is_refused(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SMALL, "--run", str(finished), "--resume"]
    words[words.index("--hidden") + 1] = "32"
    assert main(words) == 1
    assert "network" in capsys.readouterr().err


def test_damaged_checkpoint_is_refused(finished: Path, tmp_path: Path) -> None:
    for name in ("model.safetensors", "card.json"):
        copy = tmp_path / name
        copy.mkdir()
        for file in (finished / "policy").iterdir():
            content = file.read_bytes()
            (copy / file.name).write_bytes(content[: len(content) // 2] if file.name == name else content)
        with pytest.raises(CheckpointError, match=name):
            load(copy)


# ------------------------------------------------------------------------------------------------------- being killed


def start(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "training.ppo", *SMALL, "--run", str(folder), "--steps", "1000000", *more],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(path: Path, process: subprocess.Popen[bytes], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, "the trainer ended by itself"
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.02)


@pytest.mark.long
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """SIGKILL at 20 random moments: there is always a checkpoint, never an older one than before."""
    folder = tmp_path / "run"
    generator = random.Random(1)
    step = 0
    for attempt in range(20):
        process = start(folder, *(["--resume"] if attempt else []))
        try:
            wait_for(folder / "checkpoint", process)
            time.sleep(generator.uniform(0.0, 8.0))
        finally:
            process.kill()
            process.wait()
        card, tensors = load(folder / "checkpoint", get_game(GAME))
        assert card.step >= step
        assert card.results["trainer"]["pool"] == sorted(card.results["trainer"]["pool"])
        assert all(np.isfinite(tensor).all() for tensor in tensors.values())
        step = card.step
    assert step > 256
    assert Run(small_args(folder, "--resume")).model.num_timesteps == step


def test_killed_once_and_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(folder)
    try:
        wait_for(folder / "checkpoint", process)
    finally:
        process.kill()
        process.wait()
    card, _ = load(folder / "checkpoint")
    run = Run(small_args(folder, "--resume", "--steps", str(card.step + 256)))
    assert run.model.num_timesteps == card.step
    assert run.train()
    assert load(folder / "checkpoint")[0].step == card.step + 256


@pytest.mark.skipif(os.name != "posix", reason="interrupts a process group as a terminal does, which only POSIX offers")
def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "training.ppo", *SMALL, "--run", str(folder), "--steps", "1000000"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(folder / "checkpoint", process)  # type: ignore[arg-type]
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "--resume" in out
    assert "Traceback" not in error
    stopped_at = int(out.split("decision ")[1].split(";")[0])
    assert load(folder / "checkpoint")[0].step == stopped_at


# ------------------------------------------------------------------------------------------------------------- rewards


@pytest.mark.parametrize("reward", [None, "other"])
def test_final_reward_reaches_every_seat(reward: str | None) -> None:
    """What the learner is given over a game is what the game paid its seat, whoever acted last."""
    game = get_game(GAME)
    choices = next(row for row in game.options.table() if row[0] == "reward")[1].split(", ")
    word = choices[0 if reward is None else 1].strip("'")
    acted_last = set()
    for seat in range(game.options.make().num_players):
        batch = LearnerBatch(game, 1, opponents="heuristic", seat=seat, reward=word)
        batch.reset([seat + 1])
        total = 0.0
        chosen = []
        while True:
            action = int(batch.masks[0].argmax())
            chosen.append(action)
            batch.step(np.array([action]))
            total += float(batch.learner_rewards[0])
            if batch.dones[0]:
                break
        env = TableEnv(game, reward=word)
        env._batch.reset([seat + 1])
        env._start()
        paid = 0.0
        mine = iter(chosen)
        generator = np.random.default_rng(0)
        last = -1
        while not any(env.terminations.values()):
            last = env.possible_agents.index(env.agent_selection)
            turn = env._batch.turn(generator)
            env.step(next(mine) if last == seat else int(turn.heuristic_actions()[0]))
            paid += env.rewards[f"seat_{seat}"]
        acted_last.add(last == seat)
        assert next(mine, None) is None
        assert total == pytest.approx(paid, abs=1e-6)
    assert False in acted_last


def test_report(tmp_path: Path, finished: Path) -> None:
    card, _ = load(finished / "checkpoint")
    text = write_report(tmp_path, card, card.results["trainer"]["history"], 4)
    assert f"{card.step:,} learner decisions" in text
    assert json.loads((finished / "policy" / "card.json").read_text())["game"] == GAME


def test_images_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--game", "shadow_master", "--set", "mode=pixels", "--run", str(tmp_path / "run")]
    assert main(words) == 1
    assert "this trainer reads observations without images" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
