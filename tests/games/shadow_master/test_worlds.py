"""Sampled worlds of Shadow Master against section 5 of the rule file, as the oracle has it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from shadowenvs import get_game
from shadowenvs.batch import Batch
from shadowenvs.games.shadow_master import notation
from shadowenvs.games.shadow_master.notation import Position
from tests.conformance.playing import few, pick, same
from tests.oracles import shadow_master as oracle

GAME = get_game("shadow_master")


def positions(batch: Batch, states: np.recarray) -> list[Position]:
    return [notation.parse(GAME.format_position(batch.options, states[b : b + 1])) for b in range(len(states))]


def samples(line: str, seat: int, number: int) -> list[Position]:
    """Returns worlds sampled for a seat in a position."""
    options, state = GAME.parse_position(line)
    batch = Batch(GAME, number, autoreset=False, **options.as_dict())
    batch.set_states(np.repeat(state, number).view(np.recarray))
    worlds = batch.determinised(np.full(number, seat, np.int8), np.arange(number, dtype=np.uint64))
    return positions(batch, worlds)


@pytest.mark.parametrize("label", oracle.option_sets())
def test_worlds_are_possible(label: str) -> None:
    """Random games: what a seat knows is kept, the rest could be; the kernels and the oracle go on alike from there."""
    batch = Batch(GAME, 1, autoreset=False, **oracle.option_sets()[label])
    chooser = random.Random(label)
    compared = 0
    for game_no in range(few(4, 1)):
        batch.reset(game_no)
        for number in range(few(400, 60)):
            if number % 9 == 4:
                seat = chooser.randrange(batch.num_players)
                states = batch.determinised(np.array([seat], np.int8), np.array([number], np.uint64))
                [world], [position] = positions(batch, states), positions(batch, batch.get_states())
                assert oracle.faults(position, seat, world) == []
                compared += 1
                if number % 4 == 0:
                    go_on_alike(batch, states, world, chooser)
            if batch.dones[0]:
                break
            batch.step(np.array([pick(batch.masks[0], 1000 * game_no + number)]))
    assert compared >= 1


def go_on_alike(batch: Batch, states: np.recarray, world: Position, chooser: random.Random) -> None:
    other = batch.copy()
    other.set_states(states)
    game = oracle.Oracle.from_position(world)
    for _ in range(few(40, 8)):
        assert set(np.flatnonzero(other.masks[0]).tolist()) == game.legal()
        if game.done:
            break
        action = chooser.choice(sorted(game.legal()))
        other.step(np.array([action]))
        game.step(action)
        assert same(GAME.parse_position(game.position().text())[1], other.get_states())


EVIDENCE = "1.5,-0.75,0.25,-3,2.25,0,-1,0.5,-0.125"


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_targets_follow_the_evidence(number: int) -> None:
    """Item 1: every dot's frequency within 4 standard errors of 4.2; none of the others' knowledge counts."""
    line = f"number={number} tick=12 looks=2,1,1,2,1,1,1,1,1/0/0/0 evidence={EVIDENCE}/0/{EVIDENCE}/0 coins=0/3/0/0"
    line += f" cubes=-/{'01234'[:number]}/-/- grabbed=0/11/0/0"
    worlds = samples(line, 0, few(2000, 400))
    chances = oracle.posterior([float(value) for value in EVIDENCE.split(",")], number)
    for dot in range(9):
        p = sum(chance for dots, chance in chances.items() if dot in dots)
        found = np.mean([dot in world.targets for world in worlds])
        assert found == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / len(worlds)))


def test_evidence_of_others_follows_its_law() -> None:
    """Item 4: given targets, visibilities and looks, independent normals with mean s m and variance 2 m."""
    worlds = samples(f"tick=30 looks=5,5,4,3,3,3,2,2,2/0/0/0 evidence={EVIDENCE}/0/0/0", 0, few(1000, 200))
    values = []
    for world in worlds:
        for seat in (1, 2, 3):
            looks = world.looks[seat]
            for dot in range(9):
                m = 6 * world.visibility[dot] * (looks[dot] + 0.25 * (sum(looks) - looks[dot]))
                if m > 0:
                    mean = m if dot in world.targets else -m
                    values.append((world.evidence[seat][dot] - mean) / math.sqrt(2 * m))
    assert len(values) > 10 * len(worlds)
    assert np.mean(values) == pytest.approx(0, abs=4 / math.sqrt(len(values)))
    assert np.var(values) == pytest.approx(1, abs=4 * math.sqrt(2 / len(values)))


def test_visibilities_are_drawn_afresh() -> None:
    """Item 2: the true ones do not show."""
    true = "0.9,0.9,0.9,0.9,0.9,0.9,0.9,0.9,0.9"
    worlds = samples(f"visibility={true}", 0, 200)
    known = sorted(v for card in oracle.cards_of(worlds[0].options, 0) for row in card.visibility for v in row)
    drawn = [v for world in worlds for v in world.visibility]
    assert set(drawn) <= set(known)
    error = math.sqrt(np.var(known) / len(drawn))
    assert np.mean(drawn) == pytest.approx(np.mean(known), abs=4 * error)


LINE = "number=3 tick=6 coins=0/3/0/0 grabbed=0/5/0/0 cubes=1/012/34/- looks=2,1,1,0,0,0,0,0,0/0/0/0 move=3"

# What is wrong | position | world
WRONG = [
    ("the seat sees", LINE, LINE.replace("looks=2,1", "looks=1,2")),
    ("the seat sees", LINE, LINE.replace("cubes=1/", "cubes=2/")),
    ("the seat sees", LINE, LINE.replace("grabbed=0/5", "grabbed=0/4")),
    ("2:", LINE, LINE + " visibility=0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.49999"),
    ("3:", LINE, LINE.replace("/012/", "/01/")),
    ("3:", LINE, LINE.replace("0/0/0 move", "0/0,2,0,0,2,0,0,0,0/0 move")),
    ("3:", LINE, LINE.replace("0/0/0 move", "0/0/0,2,2,0,2,0,0,0,0 move")),
    ("3:", LINE + " mode=pixels", LINE + " mode=pixels"),
    ("4:", LINE, LINE + " evidence=0/0/0/1,0,0,0,0,0,0,0,0"),
    ("6:", LINE, LINE + " commits=wait/-/grab/-"),
]


@pytest.mark.parametrize(("message", "line", "world"), WRONG, ids=range(len(WRONG)))
def test_faults_are_found(message: str, line: str, world: str) -> None:
    found = oracle.faults(notation.parse(line), 0, notation.parse(world))
    assert any(fault.startswith(message) for fault in found)
    clean = [
        fault for fault in oracle.faults(notation.parse(LINE), 0, notation.parse(LINE)) if not fault.startswith("2:")
    ]
    assert clean == []
