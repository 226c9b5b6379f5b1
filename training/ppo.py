"""Trains a policy by self-play: Stable-Baselines3's MaskablePPO at rotating seats against past selves and others.

``python -m training.ppo --game NAME`` reads ``training/configs/NAME.toml``; every key of it can be given on the command
line too. A run lives in one folder:

- ``checkpoint``: everything to go on from, replaced as a whole;
- ``pool/STEP``: past selves;
- ``policy``: the network alone, what ``--agents runs/.../policy`` takes;
- ``report.md``, ``curve.png``, ``tensorboard``.
"""

from __future__ import annotations

import dataclasses
import shlex
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from tqdm import tqdm

from agents.command import argument, fail, parse
from agents.heuristic import HeuristicAgent
from agents.matches import Standing, draw_deals, play_deals
from agents.networks import ALIKE, alike_places
from agents.neural import NeuralAgent
from agents.random import RandomAgent
from shadowenvs import get_game
from shadowenvs.cli import parse_options
from shadowenvs.game import Game, Options
from shadowenvs.learner import LearnerBatch
from shadowenvs.sb3 import SeatVecEnv
from training.checkpoint import Card, load, save
from training.imitation import imitate, learn_values
from training.layers import ACTIVATIONS
from training.networks import (
    Entries,
    PolicyNetworks,
    export_optimizer,
    export_tensors,
    import_optimizer,
    import_tensors,
    policy_arguments,
)
from training.report import write_report
from training.selfplay import OpponentPool

PROG = "training.ppo"
CONFIGS = Path(__file__).parent / "configs"


@dataclass
class Args:
    """Trains a policy by self-play with PPO."""

    game: str = argument("name of the game")
    config: str = argument("TOML file with these arguments; default training/configs/GAME.toml", "", "FILE")
    run: str = argument("folder of the run; default runs/GAME-SEED", "", "FOLDER")
    resume: bool = argument("go on from the run's checkpoint", False)
    set: tuple[str, ...] = argument("options of the game, over those of the file", (), "OPTION=VALUE")
    seed: int = argument("of deals, weights and draws", 0)
    steps: int = argument("learner decisions to train on", 2_500_000)
    num_envs: int = argument("tables played at the same time", 512)
    num_threads: int = argument("threads that play them", 1)
    rollout: int = argument("decisions per table and update", 64)
    minibatch: int = argument("decisions per gradient step", 4096)
    epochs: int = argument("passes over each rollout", 2)
    learning_rate: float = argument("of Adam, at the start", 1e-3)
    final_learning_rate: float = argument("of Adam, at the end; linear in between", 1e-4)
    gamma: float = argument("discount per learner decision", 1.0)
    gae_lambda: float = argument("of generalised advantage estimation", 0.95)
    entropy: float = argument("weight of the entropy bonus", 0.01)
    clip: float = argument("clipping range of PPO", 0.2)
    hidden: tuple[int, ...] = argument("sizes of the hidden layers", (256, 256), "SIZE")
    activation: str = argument("relu or tanh", "relu")
    alike: str = argument("use of suits or dots that are alike: '' for none, 'shared' or 'ordered'", "")
    bfloat16: bool = argument("hidden layers in bfloat16: faster on processors that have it", False)
    imitate: int = argument("decisions of the heuristic to learn from before PPO; 0 for none", 0)
    imitate_minibatch: int = argument("of these per gradient step", 1024)
    imitate_epochs: int = argument("passes over each rollout of these", 4)
    imitate_rate: float = argument("learning rate meanwhile, at the start; falls to a tenth", 1e-3)
    win_share_after: int = argument("decisions after which the reward is the share of the victory; 0 for never", 0)
    value_decisions: int = argument("decisions from which the value network then learns before PPO goes on", 500_000)
    random_share: float = argument("share of opponents' seats at random", 0.1)
    heuristic_share: float = argument("share of the heuristic", 0.4)
    self_share: float = argument("share of past selves", 0.5)
    pool_size: int = argument("most past selves in the pool", 8)
    pool_every: int = argument("decisions between past selves", 250_000)
    newest_share: float = argument("share of games with past selves that are the newest one", 0.5)
    checkpoint_every: int = argument("decisions between checkpoints", 250_000)
    eval_every: int = argument("decisions between evaluations; 0 for one at the end only", 500_000)
    eval_deals: int = argument("deals of an evaluation, each played at every seat", 100)
    final_deals: int = argument("deals of the last evaluation", 500)
    torch_threads: int = argument("threads of PyTorch", 1)
    options: dict[str, Any] = dataclasses.field(default_factory=dict, metadata={"file_only": True})

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {self.activation!r}")
        if self.alike not in ALIKE:
            raise ValueError(f"alike must be one of {', '.join(map(repr, ALIKE))}, not {self.alike!r}")
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(f"hidden must be sizes of at least 1, not {self.hidden!r}")
        for name in (
            "steps",
            "num_envs",
            "rollout",
            "minibatch",
            "epochs",
            "imitate_minibatch",
            "imitate_epochs",
            "pool_every",
            "checkpoint_every",
            "torch_threads",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")


def read_args(argv: Sequence[str] | None) -> Args:
    """Returns the arguments: the file's, with the command line's over them; wrong ones end the program."""
    return parse(Args, PROG, argv, read_defaults)


def make_args(game: str, **changes: Any) -> Args:
    """Returns the arguments of ``training/configs/GAME.toml``, or of another file ``config``, with some changed.

    Raises:
        ValueError: The game, the file or a value is wrong.
        TypeError: There is no such argument.
    """
    given = {"game": game, "config": "", **changes}
    return Args(**{**read_defaults(given), **given})


def read_defaults(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a TOML file.

    Raises:
        ValueError: The file is missing, is not TOML, or holds an unknown key.
    """
    get_game(given["game"])
    file = Path(given["config"]) if given["config"] else CONFIGS / f"{given['game']}.toml"
    try:
        content = tomllib.loads(file.read_text())
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: {error}") from None
    kinds = {field.name: field for field in dataclasses.fields(Args)}
    for key, value in content.items():
        if key not in kinds:
            raise ValueError(f"{file}: unknown key {key!r}; known keys are {', '.join(kinds)}")
        default = kinds[key].default
        wanted = (int, float) if isinstance(default, float) else list if isinstance(default, tuple) else type(default)
        if key != "options" and (not isinstance(value, wanted) or isinstance(value, bool) != isinstance(default, bool)):
            raise ValueError(f"{file}: {key} has the wrong type: {value!r}")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}


# ---------------------------------------------------------------------------------------------------------------- run


class Run:
    """A training run: its folder, the model, the pool, and what was measured.

    Attributes:
        args: The arguments.
        game: The game.
        options: Its options.
        model: MaskablePPO.
        pool: Past selves.
        history: Evaluations so far, as JSON can hold them.
    """

    def __init__(self, args: Args) -> None:
        """Makes the run, or takes it up from its checkpoint.

        Raises:
            ValueError: An argument is wrong, the run exists already, or its checkpoint cannot be used.
        """
        self.args = args
        self.game: Game = get_game(args.game)
        self.options: Options = self.game.options.make(**{**args.options, **parse_options(self.game, args.set)})
        if self.game.picture_shapes(self.options):
            raise ValueError("this trainer reads observations without images; training.seeing shows how to use them")
        self.folder = Path(args.run or f"runs/{args.game}-{args.seed}")
        self.history: list[dict[str, Any]] = []
        self.seconds = 0.0
        found = (self.folder / "checkpoint").exists() or (self.folder / ".checkpoint.previous").exists()
        if found and not args.resume:
            raise ValueError(f"{self.folder} holds a run already: go on with --resume, or name another with --run")
        if args.resume and not found:
            raise ValueError(f"{self.folder} holds no checkpoint to resume")
        self.pool = OpponentPool(self.folder / "pool", self.game, args.pool_size, args.newest_share, seed=args.seed)
        self.network = {"hidden": list(args.hidden), "activation": args.activation}
        if args.alike:
            self.network["alike"] = args.alike
        torch.set_num_threads(args.torch_threads)
        places = alike_places(self.game, args.alike)
        card, tensors = load(self.folder / "checkpoint", self.game, self.options) if found else (None, {})
        if card is not None and card.network != self.network:
            raise ValueError(f"{self.folder}: the run's network is {card.network}, not {self.network}")
        step = card.step if card is not None else 0
        self.until = args.steps
        self.imitated: dict[str, Any] = {}
        entries = Entries.of(tensors, places) if tensors else Entries.measure(self.game, self.options)
        network = policy_arguments(entries, args.hidden, args.activation, args.bfloat16, places)
        self.model = self._make_model(step, network)
        if card is not None:
            self._take_up(card, tensors)

    def _make_model(self, step: int, policy_kwargs: dict[str, Any]) -> MaskablePPO:
        args = self.args
        model = MaskablePPO(
            PolicyNetworks,
            self._make_env(self.options),
            learning_rate=self._learning_rate,
            n_steps=args.rollout,
            batch_size=args.minibatch,
            n_epochs=args.epochs,
            gamma=args.gamma,
            gae_lambda=args.gae_lambda,
            ent_coef=args.entropy,
            clip_range=args.clip,
            policy_kwargs=policy_kwargs,
            # A resumed run must not deal the games of its beginning again.
            seed=(args.seed + 1_000_003 * step) % 2**32,
            device="cpu",
        )
        model.set_logger(configure(str(self.folder / "tensorboard"), ["tensorboard"]))
        return model

    @property
    def policy(self) -> PolicyNetworks:
        """The networks."""
        return cast(PolicyNetworks, self.model.policy)

    def _make_env(self, options: Options) -> SeatVecEnv:
        args = self.args
        opponents = [
            ("random", args.random_share),
            ("heuristic", args.heuristic_share),
            (self.pool, args.self_share),
        ]
        return SeatVecEnv(
            self.game,
            args.num_envs,
            opponents=[pair for pair in opponents if pair[1] > 0],
            num_threads=args.num_threads,
            **options.as_dict(),
        )

    def _learning_rate(self, remaining: float) -> float:
        """Returns the rate for the share of the decisions until the next change of the reward that are left."""
        first, last = self.args.learning_rate, self.args.final_learning_rate
        return first + (last - first) * (1.0 - remaining) * self.until / self.args.steps

    def _take_up(self, card: Card, tensors: dict[str, Any]) -> None:
        import_tensors(self.policy, tensors)
        import_optimizer(self.model.policy, tensors)
        self.model.num_timesteps = card.step
        self.seconds = card.wall_time
        trainer = card.results["trainer"]
        self.model._n_updates = trainer["updates"]
        self.history = trainer["history"]
        self.imitated = trainer["imitated"]
        self.pool.restore(trainer["pool"])

    # ------------------------------------------------------------------------------------------------------- saving

    def card(self, **results: Any) -> Card:
        """Returns the card of the learner as it is now."""
        return Card.of(
            self.game,
            self.options,
            self.network,
            step=self.model.num_timesteps,
            seed=self.args.seed,
            wall_time=round(self.seconds, 3),
            command=shlex.join(["python", "-m", PROG, *sys.argv[1:]]),
            results=results,
        )

    def save(self) -> None:
        """Writes the checkpoint and the policy."""
        tensors = export_tensors(self.policy)
        trainer = {"updates": self.model._n_updates, "history": self.history, "pool": self.pool.steps}
        trainer["imitated"] = self.imitated
        save(
            self.folder / "checkpoint",
            self.card(trainer=trainer),
            {**tensors, **export_optimizer(self.model.policy)},
        )
        save(self.folder / "policy", self.card(**(self.history[-1] if self.history else {})), tensors)

    def add_to_pool(self) -> None:
        """Lets the learner as it is now play among the past selves."""
        tensors = export_tensors(self.policy)
        self.pool.add(self.model.num_timesteps, self.card(), tensors)

    # --------------------------------------------------------------------------------------------------- evaluation

    def evaluate(self, num_deals: int) -> dict[str, Any]:
        """Plays the greedy policy against n - 1 random and n - 1 heuristic opponents, and keeps the result."""
        learner = NeuralAgent(self.card(), export_tensors(self.policy), "ppo")
        entry: dict[str, Any] = {"step": self.model.num_timesteps, "seconds": round(self.seconds, 1)}
        for opponent in (RandomAgent(), HeuristicAgent()):
            standing = self.match(learner, opponent, num_deals)
            entry[f"share_{opponent.name}"] = list(standing.share)
            entry[f"points_{opponent.name}"] = list(standing.points)
        self.history.append(entry)
        return entry

    def match(self, focal: Any, opponent: Any, num_deals: int) -> Standing:
        """Returns how an agent does at every seat in turn against copies of another, on the run's deals."""
        players = self.options.num_players
        line_ups = [[0 if other == seat else 1 for other in range(players)] for seat in range(players)]
        deals = draw_deals(self.args.seed, num_deals)
        results = play_deals(self.game, self.options.as_dict(), [focal, opponent], line_ups, deals)
        return Standing.of(results, 0, focal.name, opponent.name)

    def train(self) -> bool:
        """Trains to the end; returns False if it was interrupted. The checkpoint is up to date in both cases."""
        args, step = self.args, self.model.num_timesteps
        if args.imitate and step == 0 and not self.imitated:
            self._imitate()
        keeper = Keeper(self)
        with stop_on_interrupt(keeper):
            for until, options in self._phases():
                if self.model.num_timesteps < until and not keeper.interrupted:
                    self.until = until
                    if options != self.options:
                        self._change_reward(options)
                    self.model.learn(until - self.model.num_timesteps, callback=keeper, reset_num_timesteps=False)
        keeper.close()
        finished = self.model.num_timesteps >= self.args.steps
        last = self.history[-1] if self.history else {}
        if finished and not (last.get("final") and last["step"] == self.model.num_timesteps):
            self.evaluate(self.args.final_deals)["final"] = True
            baseline = self.match(HeuristicAgent(), RandomAgent(), self.args.final_deals)
            self.history[-1]["heuristic_share_random"] = list(baseline.share)
        self.save()
        return finished

    def _phases(self) -> list[tuple[int, Options]]:
        """Returns until which decision which options are played."""
        args = self.args
        if not 0 < args.win_share_after < args.steps:
            return [(args.steps, self.options)]
        later: Options = dataclasses.replace(self.options, reward="win_share")  # type: ignore[call-arg]
        return [(args.win_share_after, self.options), (args.steps, later)]

    def _among_heuristics(self, options: Options) -> LearnerBatch:
        """Returns tables at which the learner meets heuristics alone."""
        batch = LearnerBatch(self.game, self.args.num_envs, opponents="heuristic", **options.as_dict())
        batch.reset(self.args.seed)
        return batch

    def _change_reward(self, options: Options) -> None:
        """Goes on with other options; the value network learns first what they are worth."""
        args, step = self.args, self.model.num_timesteps
        if step - args.win_share_after < args.rollout * args.num_envs:  # else it is a run that is taken up later
            learn_values(
                self.policy,
                self._among_heuristics(options),
                args.value_decisions,
                rollout=args.rollout,
                minibatch=args.minibatch,
                learning_rate=args.imitate_rate,
                gamma=args.gamma,
                seed=args.seed,
            )
        self.model.set_env(self._make_env(options))

    def _imitate(self) -> None:
        """Lets the learner imitate the heuristic, and evaluates and saves it."""
        args, start = self.args, time.monotonic()
        batch = self._among_heuristics(self.options)
        with tqdm(total=args.imitate, unit=" decisions", unit_scale=True, desc="imitation") as bar:
            imitated = imitate(
                self.policy,
                batch,
                args.imitate,
                rollout=args.rollout,
                minibatch=args.imitate_minibatch,
                epochs=args.imitate_epochs,
                learning_rate=args.imitate_rate,
                gamma=args.gamma,
                seed=args.seed,
                progress=bar.update,
            )
        self.imitated = dataclasses.asdict(imitated)
        self.seconds += time.monotonic() - start
        self.evaluate(args.eval_deals)
        self.save()


class Keeper(BaseCallback):
    """Keeps the clock, the pool, the evaluations, the checkpoints and the progress bar between updates."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run
        self.interrupted = False
        self._clock = time.monotonic()
        step = run.model.num_timesteps
        self._bar = tqdm(total=run.args.steps, initial=step, unit=" decisions", unit_scale=True, desc=run.game.name)
        self._saved = step
        self._pooled = run.pool.steps[-1] if run.pool.steps else step - run.args.pool_every
        self._evaluated = run.history[-1]["step"] if run.history else step

    def _on_rollout_start(self) -> None:
        """Runs between two updates, when the learner is whole."""
        run, args = self.run, self.run.args
        step = run.model.num_timesteps
        now = time.monotonic()
        run.seconds += now - self._clock
        self._clock = now
        self._bar.update(step - self._bar.n)
        if step - self._pooled >= args.pool_every:
            run.add_to_pool()
            self._pooled = step
        if args.eval_every and step - self._evaluated >= args.eval_every:
            entry = run.evaluate(args.eval_deals)
            self._evaluated = step
            for key, value in entry.items():
                if isinstance(value, list):
                    run.model.logger.record(f"eval/{key}", value[0])
            self._bar.set_postfix(random=f"{entry['share_random'][0]:.2f}", heur=f"{entry['share_heuristic'][0]:.2f}")
        if step - self._saved >= args.checkpoint_every:
            run.save()
            self._saved = step

    def _on_step(self) -> bool:
        return not self.interrupted

    def close(self) -> None:
        self.run.seconds += time.monotonic() - self._clock
        self._bar.update(self.run.model.num_timesteps - self._bar.n)
        self._bar.close()


class stop_on_interrupt:  # noqa: N801
    """Turns the first Ctrl-C into a request to stop at the next decision; a second one ends the program at once."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._before: Any = None

    def __enter__(self) -> None:
        def ask(signum: int, frame: Any) -> None:
            self._keeper.interrupted = True
            signal.signal(signal.SIGINT, signal.default_int_handler)

        self._before = signal.signal(signal.SIGINT, ask)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)


def main(argv: Sequence[str] | None = None, write: Callable[[str], object] = print) -> int:
    """Runs the command; returns 0, or 1 after an error, or 130 if it was interrupted."""
    args = read_args(argv)
    try:
        run = Run(args)
        finished = run.train()
    except ValueError as error:
        return fail(PROG, error)
    if not finished:
        write(f"stopped at decision {run.model.num_timesteps}; go on with --resume")
        return 130
    write(write_report(run.folder, run.card(), run.history, run.options.num_players))
    return 0


if __name__ == "__main__":
    sys.exit(main())
