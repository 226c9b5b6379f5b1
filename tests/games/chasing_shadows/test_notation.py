"""Cards, actions and positions of Chasing Shadows as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.chasing_shadows import GAME
from shadowenvs.games.chasing_shadows.notation import from_state, parse, to_state
from tests.games.chasing_shadows.table import DISCARD, END, PLAY, Table, few, options

OPTIONS: list[dict[str, Any]] = [
    {"num_players": 3, "reward": "points"},
    {"num_players": 4},
    {"num_players": 5, "num_ranks": 9},
    {"num_players": 3, "num_suits": 3, "num_ranks": 3},
    {"num_players": 4, "num_suits": 2, "num_ranks": 15, "hand_size": 3, "rounds": 1, "reward": "points"},
]


@pytest.mark.parametrize("chosen", OPTIONS, ids=lambda chosen: "-".join(map(str, chosen.values())))
def test_positions_survive(chosen: dict[str, Any]) -> None:
    batch = Batch(GAME, 3, **chosen)
    batch.reset(5)
    phases = set()
    for number in range(few(500, 90)):
        states = np.concatenate([batch.get_states()])
        for b in range(3):
            state = states[b : b + 1].view(np.recarray)
            line = GAME.format_position(batch.options, state)
            read, again = GAME.parse_position(line)
            assert read == batch.options
            assert again.tobytes() == state.tobytes(), line
            assert parse(line) == from_state(read, state)
            phases.add(int(state[0]["phase"]))
        batch.step(batch.random_actions(1, number))
    assert PLAY in phases


@pytest.mark.parametrize("reward", ["win_share", "points"])
def test_ends_survive(reward: str) -> None:
    table = Table.dealt(3, num_players=3, reward=reward).run()
    line = GAME.format_position(table.options, table.batch.get_states())
    assert "phase=end" in line
    assert "rewards=" in line
    assert GAME.parse_position(line)[1].tobytes() == table.batch.get_states().tobytes()
    assert Table.at(line).winners == table.winners


def test_a_whole_line() -> None:
    line = (
        "num_players=3 reward=points hand_size=4 seed=77 phase=discard round=2 trick=2 starter=1 lead=2 move=0 "
        "spotlight=Y8 follow=BG hands=R3R5/B1B2G7/B9G10 taken=-/Y1/- table=R4/-/R10 first=B5G5 aside=Y0Y2 "
        "boxes=12,-,0,3/-,1,2,-/15,-,-,- rewards=-0.25/0.0/1.0"
    )
    position = parse(line)
    assert position.text() == line
    assert (position.phase, position.move, position.follow) == (DISCARD, 0, [0, 3])
    assert position.boxes == [[[12, None, 0, 3], [None, 1, 2, None], [15, None, None, None]]]
    assert to_state(position)[0]["points"].tolist() == [15, 3, 15, 0, 0]
    assert to_state(position)[0]["standing"][1].tolist() == [-1, -1, 1, -1]


def test_what_a_line_may_leave_out() -> None:
    position = parse("num_players=4 spotlight=Y8 follow=GBB")
    assert (position.phase, position.round_no, position.trick_no, position.move) == (PLAY, 1, 1, 0)
    assert position.follow == [0, 0, 3]
    assert position.hands == position.taken == [set()] * 4
    assert position.table == [None] * 4
    assert position.rewards == [0.0] * 4
    sheets = "1,1,1,1/-,-,-,2/1,1,1,1/3,3,3,3"
    assert parse(f"num_players=4 spotlight=Y8 follow=BRG boxes={sheets};{sheets}").round_no == 3
    assert parse("num_players=4 spotlight=Y8 follow=BR lead=2 table=-/-/R1/R2").move == 0
    assert parse("num_players=4 spotlight=Y8 follow=BR lead=2 table=R3/-/R1/R2 phase=discard").move == 0
    assert parse("num_players=4 spotlight=Y8 follow=RBG starter=3").lead == 3
    over = parse("phase=end")
    assert (over.phase, over.round_no, over.move, over.spotlight) == (END, 3, 0, None)
    assert to_state(over)[0]["winners"] == 0b1111
    assert parse("num_players=3 reward=points rounds=2 phase=end").options == options(
        num_players=3, reward="points", rounds=2
    )


SHEETS = "-,-,-,-/1,-,-,-/-,2,-,-/-,-,-,3"
BAD = {
    "spotlight": "spotlight is missing",
    "spotlight=Y8": "follow must list 3 suits, not 0",
    "spotlight=Y8 follow=BRGY": "follow must list 3 suits, not 4",
    "spotlight=Y8 follow=BRX": "follow: 'BRX' is not a list of suits; suits are BRYG",
    "num_players=3 num_suits=2 spotlight=B1 follow=BG": "follow: no grey cards are in a deck of this size",
    "phase=end follow=BRYG": "follow has 4 suits, at most 3",
    "phase=end first=B1B2B3B4": "first has 4 cards, at most 3",
    "phase=maybe": "phase must be one of play, discard, end, not 'maybe'",
    "phase=end spotlight=X8": "'X8' is not a card; cards are a letter of BRYG and a rank 0 to 14, as R8",
    "phase=end spotlight=B15": "'B15' is not a card",
    "phase=end hands=B1/B2/B1/-": "card B1 lies in two places",
    "phase=end hands=B1B1/-/-/-": "hands: 'B1B1' lists a card twice",
    "phase=end hands=B1,B2/-/-/-": "'B1,B2' is not a list of cards like R4Y1",
    "phase=end hands=B14/-/-/-": "card B14 is not in a deck of this size",
    "phase=end hands=B1/-/-": "hands must list 4 seats separated by '/', not 3",
    "phase=end hand_size=2 hands=B1B2B3/-/-/-": "hands: B1B2B3 has 3 cards, at most 2",
    "phase=end boxes=1,2,3/-,-,-,-/-,-,-,-/-,-,-,-": "boxes: '1,2,3' must list 4 boxes separated by ','",
    "phase=end boxes=1,2,3,999/-,-,-,-/-,-,-,-/-,-,-,-": "boxes must be between 0 and 105, not 999",
    f"phase=end round=1 boxes={SHEETS};{SHEETS}": "boxes has 2 rounds, but 1 are finished",
    "phase=end rewards=1/2/3/x": "rewards: 'x' is not a number",
    "phase=end trick=13": "trick must be between 1 and 12, not 13",
    "phase=end round=4": "round must be between 1 and 3, not 4",
    "phase=end move=4": "move must be between 0 and 3, not 4",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_lines_name_the_word(line: str) -> None:
    with pytest.raises(ValueError, match=BAD[line].replace("(", r"\(")) as caught:
        GAME.parse_position("" if line == "spotlight" else line)
    assert BAD[line] in str(caught.value)


def test_actions() -> None:
    chosen = options()
    assert GAME.parse_action(chosen, " Play  r8 ") == 23
    assert GAME.parse_action(chosen, "discard y") == GAME.parse_action(chosen, "DISCARD yellow") == 62
    for bad, message in {
        "play": "'' is not a card",
        "play R15": "'r15' is not a card",
        "discard": "'' is not a suit; suits are blue, red, yellow, grey",
        "discard pink": "'pink' is not a suit",
        "predict R4": "'predict R4' is not an action; actions are like 'play R8' and 'discard blue'",
        "": "'' is not an action",
    }.items():
        with pytest.raises(ValueError, match=message):
            GAME.parse_action(chosen, bad)
    for number in (-1, 64):
        with pytest.raises(ValueError, match=f"{number} is not an action; actions are 0 to 63"):
            GAME.format_action(chosen, number)
