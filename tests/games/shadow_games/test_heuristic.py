"""The heuristic: legal, repeatable, better than chance, and not to be beaten by a simpler way to challenge."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.matches import ALWAYS, HEURISTIC, NEVER, RANDOM, match
from tests.games.shadow_games.table import Table, table

needs_speed = pytest.mark.skipif(not is_compiled(), reason="takes hours uncompiled")


def choice(state: Table, seed: int) -> str:
    """Returns the heuristic's action in short words."""
    turn = state.batch.turn(np.random.default_rng(seed))
    return state.short(GAME.format_action(state.options, int(turn.heuristic_actions()[0])))


@pytest.mark.parametrize("n", GAME.seats)
def test_legal_to_the_end(n: int) -> None:
    games = 20 if is_compiled() else 1
    batch = Batch(GAME, games, num_players=n, autoreset=False, card_fits_phase=n % 2 == 0)
    batch.reset(n)
    generator = np.random.default_rng(n)
    for _ in range(10_000):
        waiting = np.flatnonzero(batch.masks.any(axis=1))
        if len(waiting) == 0:
            break
        actions = np.full(games, -1)
        actions[waiting] = batch.turn(generator, waiting).heuristic_actions()
        assert batch.masks[waiting, actions[waiting]].all()
        batch.step(actions)
    assert batch.get_states()["done"].all()
    assert (batch.get_states()["turn_no"] < 60 * n).mean() > 0.9


def test_a_certain_lie_is_called_and_a_seat_about_to_win_is_attacked() -> None:
    certain = table(2, "P", "", hands=["PO FS TS", "SH PP"], pile="TC TC TC").play("play PO, declare TC")
    assert {choice(certain, seed) for seed in range(20)} == {"challenge"}
    favours = {1: "1/1/1", 2: "5/1/1", 3: "1/2/1"}
    about_to_win = table(4, "A", "TS PO", favours=favours, marks={2: "T"}).play("play TS, declare TS")
    assert {choice(about_to_win, seed) for seed in range(20)} == {"seat +2"}
    saved = table(2, "P", "PO FS TS", favours={0: "4/1/1"}).play("play PO, declare TC, challenge")
    assert {choice(saved, seed) for seed in range(20)} == {"favour Team"}


def test_it_mixes() -> None:
    """The same position is not always played alike."""
    start = table(3, "P", "TC SH TS")
    assert len({choice(start, seed) for seed in range(60)}) >= 2
    poll = table(2, "P", "", hands=["TC SH TS", "PO PP"], words="plays=20/0 bluffs=9/0").play("play SH, declare TC")
    assert {choice(poll, seed) for seed in range(60)} == {"pass", "challenge"}


@pytest.mark.parametrize("bluffs", [0, 40])
def test_it_learns_who_bluffs(bluffs: int) -> None:
    state = table(2, "P", "", hands=["TC SH TS", "PO PP"], words=f"plays=40/0 bluffs={bluffs}/0").play(
        "play SH, declare TC"
    )
    challenges = sum(choice(state, seed) == "challenge" for seed in range(40))
    assert challenges < 5 if bluffs == 0 else challenges > 35


@needs_speed
@pytest.mark.parametrize("n", GAME.seats)
def test_better_than_random(n: int, is_long: bool) -> None:
    share = match(n, HEURISTIC, RANDOM, 3_000 if is_long else 300).share
    assert share >= (2.5 if n >= 4 else 1.7)


@needs_speed
@pytest.mark.parametrize("variant", [ALWAYS, NEVER])
@pytest.mark.parametrize("n", GAME.seats)
def test_neither_always_nor_never_challenging_is_better(n: int, variant: int, is_long: bool) -> None:
    """Among n - 1 of the other kind the heuristic gets more than its part, the variant less."""
    deals, tolerance = (6_000, 0.0) if is_long else (600, 0.15)
    assert match(n, HEURISTIC, variant, deals).share > 1 - tolerance
    assert match(n, variant, HEURISTIC, deals).share < 1 + tolerance
