"""PettingZoo environments: one class for every game."""

from __future__ import annotations

import copy
import operator
import secrets
import types
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from shadowenvs import get_game
from shadowenvs.batch import Batch, illegal_action
from shadowenvs.game import Game, ranks
from shadowenvs.single import image_spaces

Observation = dict[str, NDArray[Any]]


class TableEnv(AECEnv[str, Observation, "int | None"]):
    """One table of a game as an AEC environment.

    Agents are ``seat_0`` to ``seat_{n-1}``. An observation is a dict of ``observation``, int8 [F], as laid out by the
    game, and ``action_mask``, int8 [A], 1 for legal actions and all zero for everybody but the agent to move; with
    images also of these, uint8 by name. At the end ``infos`` hold ``points`` (of all seats), ``winners`` (agents) and
    ``rank`` (1 for winners).

    Attributes:
        game: The game.
        options: Its options.
    """

    def __init__(
        self,
        game: Game | str,
        num_players: int | None = None,
        render_mode: str | None = None,
        *,
        render_seat: int | None = None,
        illegal_actions: str = "raise",
        **options: Any,
    ) -> None:
        """Makes the environment; call :meth:`reset` before use.

        Args:
            game: The game or its name.
            num_players: Number of seats; None for the game's default.
            render_mode: None or "ansi".
            render_seat: The seat whose view :meth:`render` shows; None shows everything, hidden cards included.
            illegal_actions: "raise" raises :class:`shadowenvs.IllegalActionError` and changes nothing; "terminate" ends
                the game with -1 for the offender and 0 for the others.
            **options: Options of the game.

        Raises:
            ValueError: An argument is not allowed.
        """
        super().__init__()
        self.game = get_game(game) if isinstance(game, str) else game
        if num_players is not None:
            options["num_players"] = num_players
        self._batch = Batch(self.game, 1, illegal_actions=illegal_actions, autoreset=False, **options)
        self.options = self._batch.options
        seats = self._batch.num_players
        self.metadata = {
            "name": self.game.id,
            "render_modes": ["ansi"],
            "is_parallelizable": self.game.simultaneous,
            "render_fps": 1,
        }
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode must be None or 'ansi', not {render_mode!r}")
        if render_seat is not None and not (isinstance(render_seat, int) and 0 <= render_seat < seats):
            raise ValueError(f"render_seat must be None or 0 to {seats - 1}, not {render_seat!r}")
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        layout = self.game.observation
        flat = gymnasium.spaces.Box(layout.low, layout.high, dtype=np.int8)
        mask = gymnasium.spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        parts = {"observation": flat, "action_mask": mask, **image_spaces(self._batch)}
        self.observation_spaces = {agent: gymnasium.spaces.Dict(parts) for agent in self.possible_agents}
        self.action_spaces = {agent: gymnasium.spaces.Discrete(self.game.num_actions) for agent in self.possible_agents}
        repeated = (np.tile(layout.low, seats), np.tile(layout.high, seats))
        self.state_space = gymnasium.spaces.Box(*repeated, dtype=np.int8)
        self._was_dealt = False
        self._no_actions = np.zeros(self.game.num_actions, np.int8)
        self._bind()

    def _bind(self) -> None:
        """Keeps views of the batch's arrays: indexing them anew costs more than the rules do."""
        batch = self._batch
        self._action = np.zeros(1, np.int64)
        self._observation = batch.observations[0]
        self._mask = batch.masks[0].view(np.int8)
        self._reward = batch.rewards[0]
        self._apply = batch.bound_apply(self._action)
        self._no_reward = [0.0] * batch.num_players

    # ------------------------------------------------------------------------------------------------- PettingZoo

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new game.

        Args:
            seed: Equal seeds give equal deals. Without one the games go on from the last seed given, or from chance.
            options: Not used.
        """
        if seed is not None or not self._was_dealt:
            self._batch.reset(secrets.randbits(64) if seed is None else seed)
            self._was_dealt = True
        else:
            self._batch.deal_again()
        self._start()

    def _start(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._batch.seats[0]]
        self._skip_agent_selection = None
        self._paid = False

    def step(self, action: int | None) -> None:
        """Carries out the action of the agent to move (None for an agent that is done).

        Raises:
            IllegalActionError: The action is not legal now; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        try:
            number = operator.index(action)  # type: ignore[arg-type]
            legal = 0 <= number < len(self._mask) and self._mask[number]
        except TypeError:
            raise ValueError(f"an action must be an integer, not {action!r}") from None
        batch = self._batch
        if not legal and batch.illegal_actions == "raise":
            raise batch.illegal(0, number)
        self._action[0] = number if legal else len(self._mask)  # negative numbers are commands to the batch
        self._apply()
        cumulative = self._cumulative_rewards
        cumulative[agent] = 0.0
        rewards = self._reward.tolist()
        pays = rewards != self._no_reward
        if pays or self._paid:
            self._paid = pays
            self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
            for other, reward in self.rewards.items():
                cumulative[other] += reward
        if batch.dones[0]:
            self._end()
        else:
            self.agent_selection = self.possible_agents[batch.seats[0]]

    def _end(self) -> None:
        state = self._batch.get_states()
        points = state["points"][0, : self._batch.num_players]
        winners = int(state["winners"][0])
        won = [agent for seat, agent in enumerate(self.agents) if winners >> seat & 1]
        places = ranks(self._batch.final_keys[0], winners)
        for agent, rank in zip(self.agents, places, strict=True):
            self.terminations[agent] = True
            self.infos[agent] = {"points": points.tolist(), "winners": won.copy(), "rank": rank}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """Returns the observation of any agent; its mask is zero unless it is the agent to move."""
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            seen = {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        else:
            seat = self.possible_agents.index(agent)
            seen = {
                "observation": self._batch.observe(np.array([seat], np.int8))[0],
                "action_mask": self._no_actions.copy(),
            }
        return {**seen, **self._look(agent)} if self._batch.picture_shapes else seen

    def _look(self, agent: str) -> dict[str, NDArray[np.uint8]]:
        seats = np.array([self.possible_agents.index(agent)])
        return {name: image[0] for name, image in self._batch.pictures(seats).items()}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Returns observation, reward since its last turn, termination, truncation and info of the agent to move."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            False,
            self.infos[agent],
        )

    def state(self) -> NDArray[np.int8]:
        """Returns the observations of all seats one after the other, int8 [n * F], for centralised critics."""
        seats = range(self._batch.num_players)
        return np.concatenate([self._batch.observe(np.array([seat], np.int8))[0] for seat in seats])

    def render(self) -> str | None:
        """Returns the table as text in mode "ansi", from the view of ``render_seat``."""
        if self.render_mode is None:
            gymnasium.logger.warn("render was called without a render_mode; make the environment with 'ansi'")
            return None
        return self.game.render(self.options, self._batch.get_states(), self.render_seat)

    def close(self) -> None:
        """Does nothing: there is no window."""

    # ------------------------------------------------------------------------------------------------------ states

    def get_state(self) -> np.recarray:
        """Returns a copy of the state, recarray [1]: everything, hidden cards included."""
        return self._batch.get_states()

    def set_state(self, state: np.recarray) -> None:
        """Goes on from a state; rewards accumulated since an agent's last turn start at 0.

        Raises:
            ValueError: The state is of another game or has other options.
        """
        self._batch.set_states(state)
        self._start()
        if state["done"][0]:
            self._end()

    def _repr_svg_(self) -> str | None:
        """The table as a picture, for notebooks."""
        if self.game.render_svg is None or not self.agents:
            return None
        return self.game.render_svg(self.options, self._batch.get_states(), self.render_seat)

    def __deepcopy__(self, memo: dict[int, Any]) -> TableEnv:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        memo[id(self)] = new
        new._batch = self._batch.copy()
        new._bind()
        new.agents = self.agents.copy()
        if hasattr(self, "rewards"):
            for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
                setattr(new, name, getattr(self, name).copy())
            new.infos = {agent: dict(info) for agent, info in self.infos.items()}
        return new

    def __getstate__(self) -> dict[str, Any]:
        views = ("_action", "_observation", "_mask", "_reward", "_apply")
        return {key: value for key, value in self.__dict__.items() if key not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()


class TickEnv(ParallelEnv[str, Observation, int]):
    """One table of a simultaneous game: all agents act in every tick.

    It is the AEC environment of the same game, seen tick by tick: equal seeds and actions give equal games. An agent
    that has nothing to decide in a tick has one legal action, the game's ``idle_action``.

    Attributes:
        table: The AEC environment.
    """

    def __init__(self, game: Game | str, *arguments: Any, **options: Any) -> None:
        """Makes the environment; the arguments are those of :class:`TableEnv`."""
        self.table = TableEnv(game, *arguments, **options)
        self._raises = options.get("illegal_actions", "raise") == "raise"
        self.metadata = self.table.metadata
        self.render_mode = self.table.render_mode
        self.possible_agents = self.table.possible_agents
        self.observation_spaces = self.table.observation_spaces
        self.action_spaces = self.table.action_spaces
        self.state_space = self.table.state_space
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.table.observation_space(agent)

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        return self.table.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deals a new game, as :meth:`TableEnv.reset` does."""
        self.table.reset(seed, options)
        self.agents = self.table.agents[:]
        return self._observe(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Carries out one tick.

        Args:
            actions: One legal action for every agent.

        Raises:
            IllegalActionError: An action is not legal (with ``illegal_actions="raise"``); nothing has changed.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        table = self.table
        masks, deciding = self._tick()
        numbers = [operator.index(actions[agent]) for agent in self.agents]
        if self._raises:
            for seat, (number, mask) in enumerate(zip(numbers, masks, strict=True)):
                if not (0 <= number < len(mask) and mask[number]):
                    raise illegal_action(table.game, table.options, seat, number, np.flatnonzero(mask).tolist())
        rewards = dict.fromkeys(self.agents, 0.0)
        for seat in np.flatnonzero(deciding).tolist():
            if not any(table.terminations.values()):
                table.step(numbers[seat])
                for agent in rewards:
                    rewards[agent] += table.rewards[agent]
        observations = self._observe()
        terminations, truncations = table.terminations.copy(), table.truncations.copy()
        infos = {agent: dict(table.infos[agent]) for agent in self.agents}
        if any(terminations.values()):
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _tick(self) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Returns the masks of all seats before this tick, int8 [n, A], and who decides in it, bool [n].

        Commits are private and masks frozen until the last one, so a copy of the table can be led through the tick. The
        seats that decide are asked in ascending order.
        """
        table = self.table
        masks = np.zeros((len(self.possible_agents), table.game.num_actions), np.int8)
        deciding = np.zeros(len(masks), np.bool_)
        if any(table.terminations.values()):
            return masks, deciding
        scratch = copy.deepcopy(table)
        last = -1
        while not any(scratch.terminations.values()):
            seat = self.possible_agents.index(scratch.agent_selection)
            if seat <= last:
                break
            masks[seat] = scratch.observe(scratch.agent_selection)["action_mask"]
            deciding[seat] = True
            scratch.step(int(masks[seat].argmax()))
            last = seat
        masks[~deciding, table.game.idle_action] = 1
        return masks, deciding

    def _observe(self) -> dict[str, Observation]:
        masks, _ = self._tick()
        return {
            agent: {**self.table.observe(agent), "action_mask": mask}
            for agent, mask in zip(self.possible_agents, masks, strict=True)
        }

    def state(self) -> NDArray[np.int8]:
        """Returns the observations of all seats one after the other, int8 [n * F]."""
        return self.table.state()

    def render(self) -> str | None:
        """Returns the table as text in mode "ansi"."""
        return self.table.render()

    def close(self) -> None:
        """Does nothing: there is no window."""


def make_parallel(game: str, *arguments: Any, **options: Any) -> ParallelEnv[str, Observation, Any]:
    """Returns the ParallelEnv of a game; the arguments are those of :class:`TableEnv`.

    In a game of turns only the action of the agent to move counts.
    """
    if get_game(game).simultaneous:
        return TickEnv(game, *arguments, **options)
    return turn_based_aec_to_parallel(TableEnv(game, *arguments, **options))


def make_module(name: str, game_id: str) -> types.ModuleType:
    """Returns the PettingZoo module of a game: ``env``, ``raw_env`` and ``parallel_env``."""

    def env(num_players: int | None = None, render_mode: str | None = None, **options: Any) -> TableEnv:
        """Returns the AEC environment; the arguments are those of :class:`shadowenvs.aec.TableEnv`."""
        return TableEnv(name, num_players, render_mode, **options)

    def parallel_env(
        num_players: int | None = None, render_mode: str | None = None, **options: Any
    ) -> ParallelEnv[str, Observation, Any]:
        """Returns the ParallelEnv; the arguments are those of :class:`shadowenvs.aec.TableEnv`."""
        return make_parallel(name, num_players, render_mode, **options)

    module = types.ModuleType(f"shadowenvs.{game_id}", f"PettingZoo environments of {game_id}.")
    for function in (env, parallel_env):
        function.__module__ = module.__name__
        setattr(module, function.__name__, function)
    # The usual wrappers would check again what this environment checks itself.
    module.raw_env = env  # type: ignore[attr-defined]
    module.__all__ = ["env", "parallel_env", "raw_env"]  # type: ignore[attr-defined]
    return module
