"""Options, states and ranks: what every game is declared with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from shadowenvs.game import (
    Options,
    boolean,
    choice,
    few_points,
    free,
    integer,
    many_points,
    number,
    ranks,
    reward_option,
    state_dtype,
)
from shadowenvs.jit import for_kernels


@dataclass(frozen=True)
class SomeOptions(Options):
    num_players: int = integer(4, 2, 6, "seats at the table")
    rounds: int | None = integer(None, 1, 9, "rounds; as many as seats")
    target: int | str = integer(
        "never", 10, None, "points that end the game", dtype="i2", words={"never": -1, "soon": 5}
    )
    noise: float = number(0.5, 0.0, 1.5, "how blurred pictures are")
    tie: str = choice("all", "all", "none", meaning="who wins a tie")
    strict: bool = boolean(False, "whether misplays are punished")
    deck: str = free("standard", "file of the deck")
    reward: str = reward_option("score")

    def defaults(self) -> Mapping[str, Any]:
        return {"rounds": self.num_players}

    def check(self) -> None:
        if self.strict and self.tie == "none":
            raise ValueError("strict: needs tie 'all'")


def test_defaults_and_computed_ones() -> None:
    options = SomeOptions.make()
    assert options.as_dict() == {
        "num_players": 4,
        "rounds": 4,
        "target": "never",
        "noise": 0.5,
        "tie": "all",
        "strict": False,
        "deck": "standard",
        "reward": "win_share",
    }
    assert SomeOptions.make(num_players=6).rounds == 6 and SomeOptions.make(num_players=6, rounds=2).rounds == 2
    assert SomeOptions.make(rounds=None) == options
    assert SomeOptions.make(target=np.int64(12), noise=1).target == 12


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"num_players": 1}, "num_players must be between 2 and 6, not 1"),
        ({"num_players": True}, "num_players must be an integer, not True"),
        ({"num_players": 2.0}, "num_players must be an integer, not 2.0"),
        ({"target": 9}, "target must be at least 10, not 9"),
        ({"target": "late"}, "target must be an integer or 'never' or 'soon', not 'late'"),
        ({"noise": 1.6}, "noise must be between 0 and 1.5, not 1.6"),
        ({"noise": "much"}, "noise must be a number, not 'much'"),
        ({"noise": False}, "noise must be a number, not False"),
        ({"tie": "some"}, "unknown tie 'some'; choose one of 'all', 'none'"),
        ({"strict": 1}, "strict must be a bool, not 1"),
        ({"strict": True, "tie": "none"}, "strict: needs tie 'all'"),
        ({"reward": "points"}, "unknown reward 'points'; choose one of 'win_share', 'score'"),
        ({"colour": 1}, "unknown option 'colour'; the options are num_players, rounds, target, noise, tie, strict"),
    ],
)
def test_wrong_options(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        SomeOptions.make(**chosen)


@pytest.mark.parametrize(
    "chosen", [{}, {"target": "soon", "tie": "none"}, {"target": 300, "strict": True, "noise": 0.25, "reward": "score"}]
)
def test_packing(chosen: dict[str, Any]) -> None:
    options = SomeOptions.make(**chosen)
    assert SomeOptions.dtype().names == ("num_players", "rounds", "target", "noise", "tie", "strict", "reward")
    assert SomeOptions.unpack(options.pack()) == options
    assert SomeOptions.make(**options.as_dict()) == options
    assert SomeOptions.unpack(SomeOptions.make(deck="my.toml", **chosen).pack()) == options


def test_table_for_documents() -> None:
    assert SomeOptions.table()[:5] == [
        ("num_players", "2 to 6", "4", "seats at the table"),
        ("rounds", "1 to 9", "computed", "rounds; as many as seats"),
        ("target", "'never' or 'soon' or 10 and more", "'never'", "points that end the game"),
        ("noise", "0 to 1.5", "0.5", "how blurred pictures are"),
        ("tie", "'all', 'none'", "'all'", "who wins a tie"),
    ]


def test_states_begin_alike() -> None:
    dtype = state_dtype(SomeOptions, 6, [("phase", np.int8, (6,)), ("hand", np.uint64, (6,))])
    assert dtype.names == ("seed", "rewards", "points", "to_move", "done", "winners", "options", "phase", "hand")
    assert dtype["rewards"].shape == dtype["points"].shape == (6,) and dtype.isalignedstruct
    for name in ("round", "size", "data", "T"):
        with pytest.raises(ValueError, match=f"state field {name} would hide an attribute of NumPy arrays"):
            state_dtype(SomeOptions, 6, [(name, np.int8)])
    with pytest.raises(ValueError, match="state field hand leaves 5 bytes free before it"):
        state_dtype(SomeOptions, 6, [("phase", np.int8), ("hand", np.uint64, (6,))])
    with pytest.raises(ValueError, match="the state leaves 6 bytes free at its end"):
        state_dtype(SomeOptions, 6, [])


@pytest.mark.parametrize(
    ("keys", "winners", "expected"),
    [
        ([5, 9, 7], 0b010, [3, 1, 2]),
        ([5, 9, 9], 0b110, [3, 1, 1]),
        ([-5, -9, -7], 0b001, [1, 3, 2]),
        ([9, 9, 7, 7], 0b0001, [1, 2, 3, 3]),  # a tie that something else broke
        ([5, 9, 7], 0, [3, 1, 2]),  # broken off: nobody has won
    ],
)
def test_ranks(keys: list[int], winners: int, expected: list[int]) -> None:
    assert ranks(np.array(keys), winners) == expected


def test_points_as_keys() -> None:
    state = for_kernels(np.zeros(1, state_dtype(SomeOptions, 6, [("filler", np.int8, (6,))])))
    state["points"][0, :2] = 7, -3
    record = state[0]
    assert [many_points(record, 0), many_points(record, 1)] == [7, -3]
    assert [few_points(record, 0), few_points(record, 1)] == [-7, 3]


def test_numbers_are_what_a_state_holds() -> None:
    exact = SomeOptions.make(noise=0.1234567890123)
    assert exact.noise == 0.12345679 and np.float32(exact.noise) == exact.pack()["noise"]
    assert SomeOptions.make(noise=exact.pack()["noise"].item()) == exact
