"""Evidence, and worlds that a seat cannot tell from the true one (SM-65, SM-66, SM-70 to SM-76)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_master import GAME, deck
from shadowenvs.games.shadow_master.notation import Position
from shadowenvs.games.shadow_master.pictures import pictures
from shadowenvs.games.shadow_master.spec import LOOK_0
from tests.games.shadow_master.table import Table, few, frequencies

MIDDLE = (
    "seed=5 targets=267 visibility=0.3,0.9,0.5,0.5,0.8,0.2,0.7,1,0.4 objects=384765210 card=0 used=0,9 round=2 tick=11 "
    "coins=0/3/0/0 grabbed=0/9/0/0 cubes=2/267/15/- move=2 commits=look:3/-/-/- positions=3/9/4/0 "
    "looks=3,2,2,0,1,0,0,1,0/1,1,1,1,1,0,0,0,0/4,0,0,0,3,0,0,0,0/0 last=012:012/-/4/-:3/0/0/2:6/0/0/0 "
    "evidence=-1.5,0.5,3,-2,0.25,0,1,2,-1/1,1,1,1,1,1,1,1,1/4,3,2,1,0,-1,-2,-3,-4/0"
)

PUBLIC = ("positions", "coins", "grab_ticks", "tick", "round_no", "card", "colour", "number", "last", "used", "move")


def marginals(evidence: NDArray[np.floating], number: int) -> NDArray[np.float64]:
    """Returns the chance of each dot to be a target by the formula, summed over all sets; evidence float [B, 9]."""
    sets = np.array(list(itertools.combinations(range(9), number)))
    logs = evidence.astype(np.float64)[:, sets].sum(axis=2)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    holds = (sets[:, :, None] == np.arange(9)).any(axis=1)
    shares: NDArray[np.float64] = weights @ holds / weights.sum(axis=1, keepdims=True)
    return shares


@pytest.mark.rule("SM-65")
def test_evidence_is_calibrated() -> None:
    """What the formula says of a dot comes true as often, over random games and looks."""
    batch = Batch(GAME, few(3000, 60), autoreset=False, num_players=3)
    batch.reset(8)
    generator = np.random.default_rng(1)
    for _ in range(12):
        batch.step(LOOK_0 + generator.integers(0, 9, batch.num_tables))
    states = batch.get_states()
    predicted, true = [], []
    for number in (2, 3, 4, 5):
        chosen = states["number_sought"] == number
        predicted.append(marginals(states["evidence"][chosen, 1], number).ravel())
        true.append((states["targets"][chosen, None].astype(int) >> np.arange(9) & 1).ravel())
    chances, hits = np.concatenate(predicted), np.concatenate(true)
    for low in np.arange(0, 1, 0.1):
        chosen = (chances >= low) & (chances < low + 0.1)
        error = math.sqrt((chances[chosen] * (1 - chances[chosen])).sum())
        assert abs(hits[chosen].sum() - chances[chosen].sum()) < 4 * error + 1e-9
    assert len(chances) == 9 * batch.num_tables


@pytest.mark.rule("SM-65")
def test_looks_of_seats_are_independent() -> None:
    num = few(2000, 150)
    batch = Batch(GAME, num, autoreset=False, num_players=3, dots="printed")
    batch.reset(2)
    for _ in range(3):
        batch.step(np.full(num, LOOK_0 + 4))
    states = batch.get_states()
    signs = np.where(states["targets"][:, None].astype(int) >> np.arange(9) & 1, 1, -1)
    reach = np.where(np.arange(9) == 4, 6.0, 1.5)
    strength = reach * states["visibility"]
    noise = (states["evidence"][:, :3] - (signs * strength)[:, None]) / np.sqrt(2 * strength)[:, None]
    assert np.abs(noise.mean(axis=0)).max() < 4.5 / math.sqrt(num)
    assert np.abs((noise**2).mean(axis=0) - 1).max() < 4.5 * math.sqrt(2 / num)
    rows = noise.reshape(num, 27)
    correlation = rows.T @ rows / num - np.diag((rows**2).mean(axis=0))
    assert np.abs(correlation).max() < 5 / math.sqrt(num)


@pytest.mark.rule("SM-66")
@pytest.mark.parametrize(
    ("nats", "shown"), [(0.08, 0), (0.09, 1), (-0.08, 0), (-0.09, -1), (19.99, 120), (20.5, 120), (-20.5, -120), (1, 6)]
)
def test_observed_evidence(nats: float, shown: int) -> None:
    assert Table(f"evidence={nats},0,0,0,0,0,0,0,0/0/0/0").observed(0, "evidence")[0] == shown


@pytest.mark.rule("SM-66")
def test_high_counts_saturate() -> None:
    table = Table("round=150 deck_end=reshuffle")
    assert table.observed(0, "round_no") == 127 and table.now.round_no == 150
    table = Table("phase=end positions=129/127/126/3 last_field=118 last=012:-/-/-/-:0/0/0/0:0/0/0/0")
    assert table.observed(0, "positions") == [127, 127, 126, 3, 0, 0]
    assert table.winners == {0}


@pytest.mark.rule("SM-70")
@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_targets_follow_the_evidence(number: int) -> None:
    """Within four standard errors of the formula, over a thousand copies."""
    num = 1000
    evidence = np.array([-1.5, 0.5, 3, -2, 0.25, 0, 1, 2, -1])
    line = f"number={number} evidence={','.join(map(str, evidence))}/0/0/0"
    worlds = Table(line).worlds(0, num)["targets"].astype(int)
    assert all(int(targets).bit_count() == number for targets in worlds)
    shares = marginals(evidence[None], number)[0]
    assert (np.abs(frequencies(worlds) - shares) < 4 * np.sqrt(shares * (1 - shares) / num)).all()


@pytest.mark.rule("SM-70")
def test_extreme_evidence_is_no_trouble() -> None:
    table = Table("number=2 evidence=900,-900,800,-900,-900,-900,-900,-900,-900/0/0/0")
    assert set(table.worlds(0, 20)["targets"].tolist()) == {0b101}
    low = Table("number=2 evidence=-900,-900,-900,-900,-900,-900,-900,-900,-900/0/0/0")
    assert len(set(low.worlds(0, 50)["targets"].tolist())) > 10


@pytest.mark.rule("SM-70")
def test_targets_are_uniform_in_pixels_mode() -> None:
    num = few(1000, 300)
    found = frequencies(Table("mode=pixels").worlds(0, num)["targets"].astype(int))
    assert (np.abs(found - 1 / 3) < 4 * math.sqrt(2 / 9 / num)).all()


@pytest.mark.rule("SM-70", "SM-74")
@pytest.mark.parametrize("seat", range(4))
def test_a_world_looks_like_the_truth(seat: int) -> None:
    table = Table(MIDDLE)
    state = table.batch.get_states()
    before = table.now
    for seed in range(few(50, 10)):
        world = table.worlds(seat, 1, seed)
        assert table.seen(world, seat) == table.seen(state, seat)
        now = table.world(seat, seed)
        assert (now.looks[seat], now.evidence[seat], now.cubes[seat]) == (
            before.looks[seat],
            before.evidence[seat],
            before.cubes[seat],
        )
        for name in PUBLIC:
            assert getattr(now, name) == getattr(before, name)


@pytest.mark.rule("SM-71")
def test_visibilities_are_drawn_from_the_deck() -> None:
    """The true ones are not copied; those of a sample come from anywhere in the deck."""
    values = set(deck.find("standard").visibility.ravel().tolist())
    seen = set()
    table = Table(MIDDLE)
    for seed in range(20):
        world = table.world(0, seed)
        assert set(world.visibility) <= values
        assert world.visibility != table.now.visibility
        seen.update(world.visibility)
    assert len(seen) > 100
    mean = float(table.worlds(0, few(1000, 200))["visibility"].mean())
    assert mean == pytest.approx(float(np.mean(list(deck.find("standard").visibility))), abs=0.03)


@pytest.mark.rule("SM-71")
def test_objects_fit_the_sampled_targets() -> None:
    standard = deck.find("standard")
    table = Table(f"{MIDDLE} dots=shuffled".replace("targets=267", "targets=26781").replace("number=3", ""))
    answers = set(np.flatnonzero(standard.answers[0, table.now.colour]).tolist())
    orders = set()
    for seed in range(20):
        world = table.world(0, seed)
        held = {world.objects[dot] for dot in world.targets}
        assert sorted(world.objects) == list(range(9))
        assert held <= answers or answers <= held
        orders.add(tuple(world.objects))
    assert len(orders) == 20
    for option in ("dots=printed", "mode=pixels"):
        table = Table(f"{option} objects=384765210")
        assert table.world(0).objects == [3, 8, 4, 7, 6, 5, 2, 1, 0]


def check_others(before: Position, world: Position, seat: int, looks_in_mode: bool) -> None:
    """SM-72: looks, cubes and grabs of all other seats add up to the ticks in which they committed."""
    for other in range(len(before.coins)):
        if other == seat:
            continue
        coin = world.coins[other] > 0
        committed = world.grab_ticks[other] if coin else world.tick - 1
        cubes, looks = len(world.cubes[other]), sum(world.looks[other])
        assert cubes == before.number if coin else cubes <= min(before.number, committed)
        assert looks == (committed - cubes - coin if looks_in_mode else 0)
        assert any(world.evidence[other]) == (looks > 0)


@pytest.mark.rule("SM-72")
def test_cubes_and_looks_of_others() -> None:
    table = Table(MIDDLE)
    sizes: dict[int, set[int]] = {2: set(), 3: set()}
    dots = np.zeros(9)
    for seed in range(few(200, 60)):
        world = table.world(0, seed)
        check_others(table.now, world, 0, True)
        for other, found in sizes.items():
            found.add(len(world.cubes[other]))
            dots += world.looks[other]
    assert sizes == {2: {0, 1, 2, 3}, 3: {0, 1, 2, 3}}
    assert dots.min() > 0.7 * dots.mean()
    early = Table("tick=2")
    assert {len(early.world(0, seed).cubes[1]) for seed in range(30)} == {0, 1}
    for seed in range(20):
        check_others(early.now, early.world(0, seed), 0, True)
    pixels = Table("mode=pixels tick=9")
    for seed in range(10):
        check_others(pixels.now, pixels.world(0, seed), 0, False)
    loose = Table("grab_rule=any tick=9 coins=0/3/0/0 grabbed=0/3/0/0")
    assert {len(loose.world(0, seed).cubes[1]) for seed in range(40)} == {0, 1, 2}


@pytest.mark.rule("SM-73")
def test_evidence_of_others_follows_the_law() -> None:
    table = Table("tick=15 number=3 clarity=4 periphery=0.5")
    worlds = table.worlds(0, few(1500, 200))
    looks = worlds["looks"][:, 1].astype(float)
    total = looks.sum(axis=1, keepdims=True)
    strength = 4 * worlds["visibility"] * (looks + 0.5 * (total - looks))
    signs = np.where(worlds["targets"][:, None].astype(int) >> np.arange(9) & 1, 1, -1)
    noise = (worlds["evidence"][:, 1] - signs * strength) / np.sqrt(2 * strength)
    assert abs(noise.mean()) < 4 / math.sqrt(noise.size)
    assert abs((noise**2).mean() - 1) < 4 * math.sqrt(2 / noise.size)
    for evidence, cubes in zip(worlds["evidence"][:50, 1], worlds["cubes"][:50, 1], strict=True):
        size = int(cubes).bit_count()
        assert {dot for dot in range(9) if int(cubes) >> dot & 1} == set(np.argsort(-evidence)[:size].tolist())


@pytest.mark.rule("SM-74")
def test_cards_to_come_are_in_a_new_order() -> None:
    """Those that were used stay used, and the present one is not drawn again."""
    table = Table("tick_cap=1 seed=3 used=0,5,17 card=5")
    follows = set()
    for seed in range(few(40, 12)):
        table.batch.set_states(table.worlds(0, 1, seed))
        table.wait(4)
        follows.add(table.now.card)
        assert table.now.card not in (0, 5, 17) and table.now.used == {0, 5, 17, table.now.card}
        table = Table("tick_cap=1 seed=3 used=0,5,17 card=5")
    assert len(follows) > 5
    assert table.world(0, 7).seed == 7


@pytest.mark.rule("SM-74")
def test_later_looks_are_drawn_anew() -> None:
    table = Table(MIDDLE)
    changes = set()
    for seed in range(5):
        other = Table(MIDDLE)
        other.batch.set_states(table.worlds(2, 1, seed))
        before = other.now.evidence[2][0]
        other.play("look 0, wait")
        changes.add(other.now.evidence[2][0] - before)
    assert len(changes) == 5


@pytest.mark.rule("SM-75")
def test_commits_of_the_tick_are_drawn_anew() -> None:
    line = "cubes=012/01/-/- move=3 commits=grab/look:4/toggle:7/-"
    table = Table(line)
    found: dict[int, set[int | None]] = {0: set(), 1: set(), 2: set(), 3: set()}
    for seed in range(few(300, 100)):
        world = table.world(1, seed)
        for seat in range(4):
            found[seat].add(world.commits[seat])
        for seat in (0, 2):
            num = len(world.cubes[seat])
            assert world.commits[seat] != 18 or num == 3
    assert found[1] == {4} and found[3] == {None}
    assert len(found[2]) > 10 and len(found[0]) > 10


@pytest.mark.rule("SM-76")
def test_grain_of_a_world() -> None:
    """The seat sees the same now and no more later in the round; others see something else; the next round is new."""
    line = "mode=pixels detail=grains tick=5 seed=8 num_players=3"
    table = Table(line)
    world = table.worlds(1, 1, 99)

    def seen(state: np.recarray, seat: int) -> bytes:
        return pictures(table.batch.tables, state, np.array([seat]))["shadow"].tobytes()

    state = table.batch.get_states()
    assert seen(world, 1) == seen(state, 1) and seen(world, 0) != seen(state, 0)
    later = world.copy()
    later["tick"] = 9
    assert seen(later, 1) == seen(world, 1) and seen(later, 0) != seen(world, 0)
    again = Table(line)
    again.batch.set_states(world)
    assert again.now.grain == (1, 8, 5)
    twice = again.worlds(1, 1, 100)
    assert seen(twice, 1) == seen(world, 1)
    other = again.worlds(0, 1, 100)
    assert seen(other, 0) == seen(world, 0)
    again.wait_until(lambda position: position.round_no == 2)
    assert again.now.grain is None
