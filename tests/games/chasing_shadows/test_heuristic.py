"""The built-in opponent of Chasing Shadows: what it does in plain cases, and how often it wins."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.game import NO_ACTION
from shadowenvs.games.chasing_shadows import GAME
from tests.games.chasing_shadows.table import DISCARD, Table, few, trick_so_far


def choice(table: Table) -> str:
    """Returns what the heuristic does for the seat to move, in words."""
    action = table.batch.turn(np.random.default_rng(0)).heuristic_actions()[0]
    return GAME.format_action(table.options, int(action))


@pytest.mark.parametrize(
    ("spotlight", "taken", "expected"),
    [
        ("G14", "-/-/-", "play R3"),  # 14 points for the winner: the 13 would win
        ("G14", "G2G3/-/-", "play R3"),  # a third grey card makes all three count
        ("G1", "G10/-/-", "play R13"),  # grey 10 is ignored beside grey 1
        ("G0", "-/-/-", "play R3"),  # a lone 0
        ("G0", "G9/-/-", "play R13"),
    ],
)
def test_last_seat_of_a_trick(spotlight: str, taken: str, expected: str) -> None:
    """The last seat knows who wins: it takes what makes the number of a suit even, and leaves what hurts."""
    line = "num_players=3 num_ranks=15 trick=11 lead=1 follow=R table=-/B5/Y6 hands=R13R3Y5/G11G8/B7B8"
    assert choice(Table.at(f"{line} spotlight={spotlight} taken={taken}")) == expected


def test_it_keeps_the_harmless_card_to_the_end() -> None:
    """The last trick: as the unplayed card, yellow 13 would score in full, and blue 3 makes blue 4 be ignored."""
    line = "num_players=3 num_ranks=15 trick=12 lead=1 spotlight=G14 follow=R table=-/R1/Y14 hands=Y13B3/G9/B7"
    assert choice(Table.at(f"{line} taken=B4/-/-")) == "play Y13"


def test_it_discards_what_makes_the_next_seat_win() -> None:
    """Seat 1 wins grey 14 with its red 5 if seat 2 does not beat it; of blue, low cards alone are unseen."""
    line = (
        "num_players=3 num_ranks=15 phase=discard trick=12 lead=0 move=1 spotlight=G14 table=R1/R5/- "
        "hands=G7/G1/B2B1Y11Y10 first=B0"
    )
    assert choice(Table.at(f"{line} follow=BY")) == "discard blue"


@pytest.mark.parametrize("phase", [0, DISCARD])
def test_it_sees_the_observation_alone(phase: int) -> None:
    """Equal in all worlds of its seat."""
    hand = "G1 R5" if phase else "G1"
    table = trick_so_far(4, "Y14", hand, "R3 R4 B1", "B Y G", phase=phase)
    for seed in range(few(20, 3)):
        world = table.copy()
        world.batch.set_states(table.batch.determinised(np.array([table.seat]), np.array([seed], np.uint64)))
        assert choice(world) == choice(table)


def shares(n: int, number: int) -> float:
    """Returns the share of victories of one heuristic seat among random ones, over games with every seat in turn."""
    batch = Batch(GAME, number, num_players=n, autoreset=False)
    batch.reset(1)
    generator = np.random.default_rng(0)
    own = np.arange(number) % n
    step = 0
    while not batch.get_states()["done"].all():
        actions = batch.random_actions(1, step)
        mine = np.flatnonzero((batch.seats == own) & (actions != NO_ACTION))
        if len(mine):
            actions[mine] = batch.turn(generator, mine).heuristic_actions()
        batch.step(actions)
        step += 1
    winners = batch.get_states()["winners"]
    return float(np.mean((winners >> own & 1) / np.bitwise_count(winners)))


@pytest.mark.parametrize(("n", "wanted"), [(3, 0.667), (4, 0.625), (5, 0.5)])
def test_it_beats_random_players(n: int, wanted: float) -> None:
    """Far more than its fair share, by at least four standard deviations."""
    number = few(1000, 12)
    assert shares(n, number) > wanted + few(1, 0) * 4 * (0.25 / number) ** 0.5
