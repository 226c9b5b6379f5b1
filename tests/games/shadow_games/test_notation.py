"""Actions and positions as text."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games import deck as decks
from shadowenvs.games.shadow_games.notation import Position, from_state, parse, to_state
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.table import table

OPTIONS: list[dict[str, Any]] = [
    {"num_players": 2},
    {"num_players": 6, "max_turns": 30},
    {"num_players": 3, "protection": "until_turn", "victory_check": "held", "challenge_order": "random"},
    {"num_players": 5, "card_fits_phase": True, "reward": "favours", "victory": 3, "victory_check": "turn_start"},
    {"num_players": 4, "tokens": 1, "hand_keep": 3, "hand_draw": 5, "first_seat": 2},
]


@pytest.mark.parametrize("chosen", OPTIONS)
def test_random_positions_survive(chosen: dict[str, Any]) -> None:
    batch = Batch(GAME, 4 if is_compiled() else 1, autoreset=False, **chosen)
    batch.reset(5)
    phases = set()
    for number in range(300):
        states = batch.get_states()
        for b in range(batch.num_tables):
            state = states[b : b + 1]
            line = GAME.format_position(batch.options, state)
            options, again = GAME.parse_position(line)
            assert options == batch.options
            assert again.tobytes() == state.tobytes(), line
            position = from_state(options, state)
            assert parse(line) == position
            assert to_state(position).tobytes() == state.tobytes()
            phases.add(int(state[0]["phase"]))
        batch.step(batch.random_actions(1, number))
    assert len(phases) >= 5


def test_what_a_line_may_leave_out() -> None:
    position = parse("num_players=3")
    assert position.hands == [[0, 0, 0], [1, 1], [1, 2]]
    assert position.deck[:3] == [2, 2, 3]
    assert position.favours == [[1, 1, 1]] * 3
    assert position.reserve == [6, 6, 6]
    assert (position.actor, position.move, position.turn, position.agents) == (0, 0, 1, False)
    assert parse("num_players=3 hands=a/b/c pile=def").seen == [{0, 1, 2}] * 3
    assert parse("num_players=2 phase=over").hands == [[0, 0], [0, 1]]
    discarding = parse("num_players=2 phase=discard table=j declared=j aside=d left=1 step=effect:2 carried=1")
    assert (discarding.hands[0], discarding.carried, discarding.step) == ([0], True, 2)


def test_a_whole_line() -> None:
    line = (
        "num_players=3 victory_check=held seed=5 phase=favour turn=4 actor=2 move=2 hands=ae/d/bc "
        "stock=abbccddeffgghhij "
        "favours=2.0.1/1.1.3/0.1.1 part=agents plotted=1 known=e/-/- pile=aj seen=2/* shields=1 marks=-/G/T table=i "
        "declared=h target=0 passed=01 step=bonus:0 bonus_target=1 blocked=0 rebuilds=1 plays=2/1/1 polls=3/4/1 "
        "rewards=0.5/0.0/-0.5"
    )
    position = parse(line)
    assert position.text() == line
    assert position == Position(
        options=GAME.options.make(num_players=3, victory_check="held"),
        seed=5, phase=4, turn=4, actor=2, move=2, agents=True, plotted=True,
        hands=[[0, 4], [3], [1, 2]], known=[[4], [], []],
        deck=[0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7, 7, 8, 9], pile=[0, 9], seen=[{2}, {0, 1, 2}],
        favours=[[2, 0, 1], [1, 1, 3], [0, 1, 1]], shields={1}, marks=[set(), {2}, {0}],
        table=8, declared=7, target=0, passed={0, 1}, bonus=True, bonus_target=1, blocked={0}, rebuilds=1,
        plays=[2, 1, 1], bluffs=[0] * 3, polls=[3, 4, 1], challenges=[0] * 3, challenges_won=[0] * 3,
        rewards=[0.5, 0.0, -0.5],
    )  # fmt: skip
    assert position.points == [2, 3, 1]
    assert (position.reserve, position.reserve_tokens, position.face_down) == ([6, 7, 4], 2, False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("num_players=2 hands=z/a", "hands: 'z' is not a list of cards; the kinds of this deck are abcdefghij"),
        ("num_players=2 hands=k/a", "hands: 'k' is not a list of cards"),
        ("hands=a/b", "hands must list 4 seats separated by '/', not 2"),
        ("num_players=2 hands=aaaa/b", "card a (Terrace Chant) stands 4 times in the position, but the deck has 3"),
        (
            "num_players=2 hands=a/b stock=-",
            "card a (Terrace Chant) stands 1 times in the position, but the deck has 3",
        ),
        ("num_players=2 known=d/- hands=a/b", "known: seat 0 does not hold d"),
        ("num_players=2 pile=ab seen=1", "seen must list 2 pile cards separated by '/', not 1"),
        ("num_players=2 pile=a seen=2", "seen: '2' is not a list of seats; seats are 01"),
        ("num_players=2 favours=7.0.0/0.0.0", "favours must be between 0 and 6, not 7"),
        ("num_players=2 favours=6.0.0/1.0.0", "favours: the game has 6 of each type, fewer than the seats hold"),
        ("num_players=2 favours=1.1/1.1.1", "favours: '1.1' is not Team.Union.Guild"),
        ("num_players=2 tokens=1 shields=01", "shields: the game has 1 tokens, fewer than 2"),
        ("num_players=2 marks=X/-", "marks: 'X' is not a list of types; types are TUG"),
        ("num_players=2 step=first", "step must be 'effect' or 'bonus' and a number 0 to 3, as 'bonus:1', not 'first'"),
        ("num_players=2 step=effect:4", "not 'effect:4'"),
        ("num_players=2 phase=declare", "table: in phase declare there is a card there"),
        ("num_players=2 table=a", "table: in phase play there is no card there"),
        ("num_players=2 phase=take table=ab", "table must be one card, not 'ab'"),
        ("num_players=2 phase=discard table=j aside=aabb", "aside must be at most 3 cards, not 4"),
        ("num_players=2 rewards=x/0", "rewards: 'x' is not a number"),
        ("num_players=2 part=first", "part must be one of plotting, agents, not 'first'"),
        ("num_players=2 turn=121", "turn must be between 1 and 120, not 121"),
        ("deck=nothing.toml", "nothing.toml: the file cannot be read"),
    ],
)
def test_wrong_lines_name_the_word(line: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(line)
    assert message in str(caught.value)


def test_the_path_of_a_deck_may_hold_anything(tmp_path: Path) -> None:
    path = tmp_path / "my decks" / "100% größer = besser.toml"
    path.parent.mkdir()
    shutil.copy(Path(decks.__file__).with_name("deck.toml"), path)
    options = GAME.options.make(deck=str(path))
    batch = Batch(GAME, 1, deck=str(path))
    batch.reset(1)
    line = GAME.format_position(options, batch.get_states())
    again, state = GAME.parse_position(line)
    assert again == options
    assert state.tobytes() == batch.get_states().tobytes()
    assert len(line.split("deck=")) == 2


def test_actions_by_name() -> None:
    options = GAME.options.make()
    for word, action in (
        ("play Pay'em Off", 3),
        ("DECLARE founders' supper", 15),
        ("seat +2", 26),
        ("favour union", 33),
    ):
        assert GAME.parse_action(options, word) == action
    assert GAME.format_action(options, 10) == "play #10"
    assert GAME.parse_action(options, "discard #11") == 59
    for wrong in ("play", "play Nobody", "seat 1", "seat +6", "favour red", "pass now", "skip it", "", "leave Heckler"):
        with pytest.raises(ValueError, match="is not a"):
            GAME.parse_action(options, wrong)


def test_a_forfeited_game_survives() -> None:
    state = table(2, "P", "TC PO TS")
    batch = Batch(GAME, 1, illegal_actions="terminate", autoreset=False, num_players=2)
    batch.set_states(state.batch.get_states())
    batch.step(np.array([59]))
    line = GAME.format_position(batch.options, batch.get_states())
    assert line.endswith("rewards=-1.0/0.0 forfeit=1")
    assert GAME.parse_position(line)[1].tobytes() == batch.get_states().tobytes()


def test_a_state_is_small_and_has_no_gaps() -> None:
    """Equal states are equal bytes, whichever way they were copied."""
    assert GAME.state.itemsize == 480
    assert sum(size_of(GAME.state.fields[name][0]) for name in GAME.state.names) == 480


def size_of(dtype: np.dtype[Any]) -> int:
    return sum(size_of(field[0]) for field in dtype.fields.values()) if dtype.fields else dtype.itemsize
