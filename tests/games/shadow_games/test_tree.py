"""The small variant for exact computations, counted by walking its whole tree (docs/rules/shadow_games.md)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.notation import KIND_LETTERS
from shadowenvs.games.shadow_games.spec import CHALLENGE, NONE, PLAY_0, SKIP_0
from shadowenvs.jit import is_compiled

SMALL_DECK = Path(__file__).parents[2] / "data" / "small_deck.toml"
SCALE: dict[str, Any] = {
    "num_players": 2,
    "victory": 3,
    "favour_types": 2,
    "start_favour": 1,
    "reserve_per_seat": 2,
    "hand_keep": 1,
    "hand_draw": 2,
    "tokens": 0,
    "first_seat": 0,
}

# What a decision node is reached by: public events, and each seat's own hands and table cards at its decisions.
History = tuple[tuple[int, ...], tuple[tuple[int, ...], tuple[int, ...]]]


def count_tree(options: dict[str, Any]) -> tuple[int, int, int, int]:
    """Returns information sets, decision nodes, ended games and the most decisions of a game."""
    states = first_states(options)
    histories: list[History] = [((), ((), ()))] * len(states)
    sets: set[tuple[int, tuple[int, ...], tuple[int, ...]]] = set()
    nodes = ends = longest = 0
    depth = 0
    while len(states):
        batch = Batch(GAME, len(states), autoreset=False, **options)
        batch.set_states(states)
        living = ~batch.get_states()["done"]
        ends += int((~living).sum())
        longest = depth if not living.all() else longest
        parents, actions = np.nonzero(batch.masks)
        nodes += int(living.sum())
        for node in np.flatnonzero(living):
            public, private = histories[node]
            seat = int(states[node]["to_move"])
            private = remember(private, seat, own_cards(states[node], seat))
            histories[node] = (public, private)
            sets.add((seat, public, private[seat]))
        following = Batch(GAME, max(1, len(parents)), autoreset=False, **options)
        if len(parents) == 0:
            break
        following.set_states(states[parents])
        following.step(actions)
        after = following.get_states()
        histories = [
            (histories[parent][0] + events(states[parent], int(action), after[child]), histories[parent][1])
            for child, (parent, action) in enumerate(zip(parents, actions, strict=True))
        ]
        states = after
        depth += 1
    return len(sets), nodes, ends, longest


def first_states(options: dict[str, Any]) -> np.recarray:
    """Returns the states after the deal for every order of the deck."""
    base = " ".join(f"{key}={value}" for key, value in options.items())
    orders = sorted(set(itertools.permutations([0, 0, 1, 1, 2, 2])))
    assert len(orders) == 90
    lines = []
    for order in orders:
        cards = [KIND_LETTERS[kind] for kind in order]
        hand = "".join(sorted(cards[0] + cards[2]))
        lines.append(f"{base} hands={hand}/{cards[1]} stock={''.join(cards[3:])}")
    return np.concatenate([GAME.parse_position(line)[1] for line in lines]).view(np.recarray)


def own_cards(state: Any, seat: int) -> tuple[int, ...]:
    """Returns a seat's hand as counts by kind, and its card on the table."""
    own = state["actor"] == seat and state["phase"] <= CHALLENGE
    return (*state["hand"][seat].tolist(), int(state["table_kind"]) if own else NONE)


def remember(private: Any, seat: int, cards: tuple[int, ...]) -> Any:
    first, second = private
    return (first + cards, second) if seat == 0 else (first, second + cards)


def events(before: Any, action: int, after: Any) -> tuple[int, ...]:
    """Returns what all see of an action: the action, that a card was put down, and the card if it was turned up."""
    public = (SKIP_0 + 1000,) if PLAY_0 <= action < SKIP_0 else (action,)
    if after["plays"].sum() > before["plays"].sum():
        turned = after["table_kind"] if after["table_kind"] != NONE else after["cards"][after["pile_size"] - 1]
        public += (-1 - int(turned),)
    return public


def small(max_turns: int) -> dict[str, Any]:
    return {**SCALE, "deck": str(SMALL_DECK), "max_turns": max_turns}


@pytest.mark.rule("SG-27", "SG-28", "SG-101", "SG-102", "SG-103", "SG-99")
@pytest.mark.skipif(not is_compiled(), reason="takes a minute uncompiled")
def test_two_turns() -> None:
    assert count_tree(small(2)) == (2_266, 25_710, 28_760, 9)


@pytest.mark.long
@pytest.mark.skipif(not is_compiled(), reason="takes too long uncompiled")
def test_three_turns() -> None:
    assert count_tree(small(3)) == (55_406, 394_292, 443_086, 14)
