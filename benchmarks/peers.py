"""Other libraries, timed as :mod:`benchmarks.contenders` times this one. Each is imported where it is used."""

from __future__ import annotations

import random
import statistics
from typing import Any

import numpy as np

from benchmarks.contenders import Work, timed


def openspiel_work(game: str) -> Work:
    """OpenSpiel's own loop in C++ with its own uniformly random bots, no tensors; chance is not counted."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    bots = [pyspiel.make_uniform_random_bot(seat, 7 + seat) for seat in range(loaded.num_players())]
    per_game = statistics.mean(openspiel_decisions(loaded, seed) for seed in range(100))
    seed = 0

    def play() -> int:
        nonlocal seed
        for _ in range(20):
            pyspiel.evaluate_bots(loaded.new_initial_state(), bots, seed)
            seed += 1
        return round(20 * per_game)

    play()
    return lambda seconds: timed(play, seconds)


def openspiel_decisions(game: Any, seed: int) -> int:
    """Returns the number of decisions of one random game."""
    generator = np.random.default_rng(seed)
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        decisions += not state.is_chance_node()
        state.apply_action(int(generator.choice(state.legal_actions())))
    return decisions


def leduc() -> Any:
    from pettingzoo.classic import leduc_holdem_v4

    return leduc_holdem_v4


def openspiel_python_work(game: str, tensors: bool) -> Work:
    """OpenSpiel from Python: legal actions, a random one applied; with tensors the mover's view as floats too."""
    import pyspiel

    loaded = pyspiel.load_game(game)
    by_observation = loaded.get_type().provides_observation_tensor
    generator = random.Random(1)

    def play() -> int:
        state = loaded.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(generator.choices(actions, chances)[0])
                continue
            if tensors:
                np.asarray(state.observation_tensor() if by_observation else state.information_state_tensor())
            state.apply_action(generator.choice(state.legal_actions()))
            decisions += 1
        return decisions

    play()
    return lambda seconds: timed(play, seconds)


def pgx_work(game: str, tables: int) -> Work:
    """Pgx, vectorised and compiled for the CPU, observation and mask included; finished games are dealt anew."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game)
    fresh = jax.vmap(env.init)
    advance = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def step(state: Any, key: Any) -> tuple[Any, Any]:
        key, for_actions, for_games = jax.random.split(key, 3)
        actions = jax.random.categorical(for_actions, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return advance(state, actions, jax.random.split(for_games, tables)), key

    key = jax.random.PRNGKey(0)
    state = jax.jit(fresh)(jax.random.split(key, tables))

    def play() -> int:
        nonlocal state, key
        state, key = step(state, key)
        jax.block_until_ready(state.observation)
        return tables

    play()
    return lambda seconds: timed(play, seconds)


def rlcard_work(game: str) -> Work:
    """RLCard's own loop with its random agents: states as dicts with observation and legal actions."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make(game, config={"seed": 1})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def play() -> int:
        before = env.timestep
        env.run(is_training=True)
        return int(env.timestep - before)

    play()
    return lambda seconds: timed(play, seconds)
