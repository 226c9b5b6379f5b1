"""What a seat sees: SC-102 to SC-107."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from shadowenvs.aec import TableEnv
from shadowenvs.games.shadow_cards import GAME
from shadowenvs.games.shadow_cards.notation import Position
from tests.games.shadow_cards.table import CLAIM, COUNTS, END, PLAY, PREDICT, Table, few, value
from tests.oracles import shadow_cards as oracle

SMALL: list[dict[str, Any]] = [
    {"num_players": 2, "rounds": 4, "num_suits": 2, "num_ranks": 7, "hand_size": 3, "prediction_cards": 1},
    {"num_players": 3, "rounds": 2, "num_suits": 3, "num_ranks": 4, "hand_size": 3, "prediction_cards": 1},
    {"num_players": 4, "rounds": 2, "num_suits": 3, "num_ranks": 4, "hand_size": 3, "prediction_cards": 1},
    {"num_players": 5, "rounds": 1, "num_suits": 4, "num_ranks": 4, "hand_size": 3, "prediction_cards": 1},
]


def flags(members: Any, length: int) -> list[int]:
    return [int(number in members) for number in range(length)]


def one_hot(number: int | None, length: int) -> list[int]:
    return [int(number == other) for other in range(length)]


def expected(position: Position, seat: int) -> dict[str, Any]:
    """Returns every field of a seat's observation, from the position in plain Python."""
    options = position.options
    n = options.num_players
    order = [(seat + place) % n for place in range(n)]
    done = position.phase == END
    in_trick = position.phase in (PLAY, CLAIM)
    finished = position.round_no if done else position.round_no - 1

    def by_seat(values: list[Any], empty: Any) -> list[Any]:
        return [values[other] for other in order] + [empty] * (5 - n)

    def place_of(other: int | None) -> list[int]:
        return one_hot(None if other is None else (other - seat) % n, 5)

    lead_card = position.table[position.lead]
    winner = None
    if in_trick and lead_card is not None:
        played = {card: other for other, card in enumerate(position.table) if card is not None}
        reds = [card for card in played if card < 15]
        winner = played[max(reds or [card for card in played if card // 15 == lead_card // 15])]
    turned = position.extra[: position.trick_no]
    extra = turned[-1] if n == 3 and in_trick else None
    results = [[list(entry) for entry in by_seat(row, (0, 0, 0))] for row in position.results[:finished]]
    claimed = [[card % 15 for card in own] for own in position.claimed]
    two = n == 2
    return {
        "phase": one_hot(position.phase, 4),
        "round_no": position.round_no,
        "trick_no": position.trick_no,
        "own_seat": one_hot(seat, 5),
        "to_move": place_of(None if done else position.move),
        "round_leader": place_of(position.leader),
        "trick_leader": place_of(position.lead if in_trick else None),
        "hand": flags(position.hands[seat], 60),
        "prediction": flags(position.predictions[seat], 60),
        "prediction_sum": value(position.predictions[seat]),
        "hand_sizes": by_seat([len(own) for own in position.hands], 0),
        "prediction_sizes": by_seat([len(own) for own in position.predictions], 0),
        "played": by_seat([flags(own, 60) for own in position.played], [0] * 60),
        "trick_suit": by_seat([one_hot(None if c is None else c // 15, 4) for c in position.table], [0] * 4),
        "trick_rank": by_seat([-1 if c is None else c % 15 for c in position.table], -1),
        "led_suit": one_hot(None if lead_card is None else lead_card // 15, 4),
        "extra_suit": one_hot(None if extra is None else extra // 15, 4),
        "extra_rank": -1 if extra is None else extra % 15,
        "unturned": options.deck_size - 3 * (options.hand_size or 0) - position.trick_no if n == 3 else 0,
        "winning": place_of(winner),
        "claimed": by_seat([[own.count(rank) for rank in range(15)] for own in claimed], [0] * 15),
        "trick_points": by_seat([sum(own) for own in claimed], 0),
        "voids": by_seat([flags(own, 4) for own in position.voids], [0] * 4),
        "totals": by_seat([sum(row[other][2] for row in position.results[:finished]) for other in range(n)], 0),
        "results": results + [[[0, 0, 0]] * 5] * (12 - len(results)),
        "revealed": [flags(position.revealed[(seat + place) % 2] if two else (), 60) for place in range(2)],
        "turned": flags(turned if n == 3 else (), 60),
        "present": [int(place < n) for place in range(5)],
        "num_players": n,
        "rounds": options.rounds,
        "introductory": int(options.scoring == "introductory"),
        "most_tie": one_hot(["all", "none", "exact_cancels"].index(options.most_tie), 3),
        "floor_penalty": int(options.floor_penalty),
        "points_reward": int(options.reward == "points"),
        "num_suits": options.num_suits,
        "num_ranks": options.num_ranks,
        "hand_size": options.hand_size,
        "prediction_cards": options.prediction_cards,
    }


@pytest.mark.rule("SC-106", "SC-77", "SC-50", "SC-24")
@pytest.mark.parametrize(
    "chosen",
    [
        *({"num_players": n} for n in COUNTS),
        {"num_players": 3, "scoring": "introductory", "most_tie": "none", "floor_penalty": True, "rounds": 5},
        {"num_players": 2, "rounds": 5, "most_tie": "exact_cancels", "reward": "points"},
        *SMALL,
    ],
    ids=lambda chosen: "-".join(map(str, chosen.values())),
)
def test_content_of_observations(chosen: dict[str, Any]) -> None:
    """All that the table "Content of an observation" names, and nothing else, in every phase, for every seat."""
    table = Table.dealt(1, **chosen)
    phases = set()
    names = {field.name for field in GAME.observation.fields}
    for number, now in enumerate(table.states(random.Random(1))):
        if number % few(7, 19) and number > 2 and not now.done:
            continue
        position = now.now
        phases.add(now.phase)
        for seat in range(now.n):
            see = now.see(seat)
            wanted = expected(position, seat)
            assert set(wanted) == names
            for name, content in wanted.items():
                assert see(name).tolist() == content, (name, seat, number)
    assert phases >= {PREDICT, END}


@pytest.mark.rule("SC-102")
def test_seats_forget_nothing_of_a_round() -> None:
    """Suits that a hand lacks add up over tricks, cards stay with the seat that played them, for all to see."""
    table = Table.at("phase=play trick=5 hands=G1B1R1/R2R3R4/G3B3R5/G4B4R6 predictions=Y1Y2/Y3Y4/Y5Y6/Y7Y8")
    table.do("play G1", "play R2", "play G3", "play G4", "claim G4")
    assert table.seat == 1
    table.do("play R3", "play R5", "play R6", "play R1", "claim R6", "play B4", "play B1", "play R4", "play B3")
    for seat in range(4):
        voids = table.see(seat)("voids")
        assert voids[(1 - seat) % 4].tolist() == [0, 0, 1, 1]
        assert voids.sum() == 2
        played = table.see(seat)("played")
        assert played.sum(axis=1).tolist() == [3, 3, 3, 3, 0]
        assert np.flatnonzero(played[(1 - seat) % 4]).tolist() == [2, 3, 4]


@pytest.mark.rule("SC-103")
@pytest.mark.parametrize("n", COUNTS)
def test_private_events_are_the_own_hand_and_picks(n: int) -> None:
    """A seat's observation changes with its own hand and picks, and not with those of others of the same number."""
    table = Table.dealt(2, num_players=n)
    chooser = random.Random(n)
    table.play(chooser, lambda table: table.phase == PLAY and table.trick_no == 2)
    now = table.now
    for seat in range(n):
        for other in range(n):
            hands, predictions = now.hands.copy(), now.predictions.copy()
            owned = sorted(hands[other] | predictions[other])
            hands[other], predictions[other] = set(owned[: len(hands[other])]), set(owned[len(hands[other]) :])
            if predictions[other] == now.predictions[other]:
                continue
            changed = table.changed(hands=hands, predictions=predictions)
            assert (changed.observation(seat) != table.observation(seat)) == (other == seat)


@pytest.mark.rule("SC-104")
@pytest.mark.parametrize("n", COUNTS)
def test_legal_actions_are_for_the_seat_to_move(n: int) -> None:
    env = TableEnv(GAME, n)
    env.reset(seed=3)
    for number, agent in enumerate(env.agent_iter()):
        if env.terminations[agent] or number > few(80, 30):
            break
        shown = {other: env.observe(other)["action_mask"] for other in env.agents}
        assert [other for other in env.agents if shown[other].any()] == [agent]
        env.step(int(shown[agent].argmax()))


@pytest.mark.rule("SC-105", "SC-120")
@pytest.mark.parametrize("chosen", SMALL, ids=lambda chosen: str(chosen["num_players"]))
def test_one_information_set_one_observation(chosen: dict[str, Any]) -> None:
    """Every world that a seat cannot rule out, found by enumeration, shows it the same, and the same legal actions."""
    compared = 0
    for seed in range(20):
        table = Table.dealt(seed, **chosen)
        for now in table.states(random.Random(seed)):
            position = now.now
            for seat in range(now.n):
                worlds = oracle.count_worlds(position, seat) // oracle.same_worlds(position, seat)
                if now.done or worlds > 150 or compared > few(1000, 200):
                    continue
                seen, actions = now.observation(seat), now.actions
                for hands, predictions, extra, reserve in oracle.worlds(position, seat):
                    world = now.changed(
                        hands=[set(own) for own in hands],
                        predictions=[set(own) for own in predictions],
                        extra=position.extra[: now.trick_no] + list(extra),
                        reserve=[set(own) for own in reserve],
                        seed=position.seed ^ 5,
                    )
                    assert world.observation(seat) == seen
                    if seat == now.seat:
                        assert world.actions == actions
                    compared += 1
        if compared > few(1000, 200):
            return
    raise AssertionError("too few worlds were compared")


@pytest.mark.rule("SC-107")
@pytest.mark.parametrize("n", COUNTS)
def test_what_no_observation_contains(n: int) -> None:
    """Foreign hands and predictions, reserve stacks, extra cards to come, the seed: exchanged, nothing shows."""
    for until in (PREDICT, PLAY, CLAIM):
        table = Table.dealt(4, num_players=n)
        chooser = random.Random(n)
        table.play(chooser, lambda table, until=until: table.phase == until and table.trick_no in (0, 3))
        now = table.now
        for seat in range(n):
            foreign = [other for other in range(n) if other != seat]
            pool = sorted(set().union(*(now.hands[other] | now.predictions[other] for other in foreign)))
            pool += [card for own in now.reserve for card in sorted(own)] + now.extra[table.trick_no :]
            chooser.shuffle(pool)
            hands, predictions = now.hands.copy(), now.predictions.copy()
            for other in foreign:
                hands[other] = {pool.pop() for _ in now.hands[other]}
                predictions[other] = {pool.pop() for _ in now.predictions[other]}
            reserve = [{pool.pop() for _ in own} for own in now.reserve]
            extra = now.extra[: table.trick_no] + [pool.pop() for _ in now.extra[table.trick_no :]]
            assert not pool
            changed = table.changed(
                hands=hands, predictions=predictions, reserve=reserve, extra=extra, seed=now.seed + 1
            )
            assert changed.observation(seat) == table.observation(seat)
