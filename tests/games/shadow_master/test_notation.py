"""Text forms: positions that leave things out, and those that cannot be."""

from __future__ import annotations

import pytest

from shadowenvs.games.shadow_master import GAME
from shadowenvs.games.shadow_master.notation import from_state, parse, to_state
from tests.games.shadow_master.table import POCKET, Table


def test_what_a_line_leaves_out() -> None:
    position = parse("positions=7/4/7/2 coins=0/3/0/0 move=2")
    assert (position.round_no, position.tick, position.number, position.colour) == (1, 1, 3, 1)
    assert position.targets == {0, 1, 2} and position.used == {0} and position.grab_ticks == [0, 1, 0, 0]
    assert position.commits == [19, None, None, None]
    assert position.visibility == [0.5] * 9 and position.objects == list(range(9))
    assert parse("targets=1458").number == 4 and parse("number=2").targets == {0, 1}
    assert parse("coins=3/0/0/0").move == 1
    assert parse("card=9").used == {9}
    pocket = parse(POCKET)
    assert pocket.number == 2 and pocket.used == set() and pocket.visibility == [0.0] * 9
    end = parse("phase=end positions=40/1/2/3")
    assert (end.tick, end.number, end.targets) == (0, 0, set())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("targets=019", "targets: '019' is not a set of dots"),
        ("targets=00", "targets: '00' is not a set of dots"),
        ("targets=012 number=2", "targets are 3, but number is 2"),
        ("cubes=0123/-/-/-", "cubes: seat 0 has 4, but number is 3"),
        ("cubes=0/-/-", "cubes must list 4 seats"),
        ("coins=1/0/0/0", r"coins: \[1\] are taken, but the highest coin, 3, goes first"),
        ("coins=3/3/0/0", "goes first"),
        ("coins=4/0/0/0", "coins must be between 0 and 3"),
        ("coins=3/0/0/0 move=0", "move: seat 0 has a coin"),
        ("commits=wait/-/-/-", "commits: exactly the seats without a coin before seat 0"),
        ("move=1 commits=-/-/-/-", "commits: exactly the seats without a coin before seat 1"),
        ("commits=jump/-/-/-", "is not an action"),
        ("visibility=1,2", "visibility must list 9 numbers"),
        ("visibility=a,b", "visibility: 'a,b' is not a list of numbers"),
        ("evidence=inf,0,0,0,0,0,0,0,0/0/0/0", "evidence: .* not finite"),
        ("objects=01234567", "objects must be the digits"),
        ("colour=red", "colour must be one of white, blue, yellow"),
        ("last=012:-/-/-/-", "last must be targets:cubes:coins:points"),
        ("grain=1:2", "grain must be seat:seed:stop"),
        ("rewards=a/0/0/0", "rewards: 'a' is not a number"),
        ("phase=end number=2", "number and tick must be 0 at the end"),
        ("tick=0", "number and tick must be 0"),
        ("card=300", "card must be between 0 and 254"),
        (f"{POCKET} targets=05", "targets and cubes lie on dots 0 to 3"),
        ("tick=41", "tick must be between 0 and 40"),
    ],
)
def test_bad_lines_name_the_word(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        POCKET,
        "deck=5 field_colours=wybwb last_field=4",
        "num_players=6 mode=pixels detail=grains grain_rate=0.1 grain=2:18446744073709551615:3",
        "evidence=0.1,-0.3,1e-7,16777216,0,0,0,0,0/0/0/0 looks=1,2,3,4,5,6,7,8,120/0/0/0 rewards=0.5/0/0/-0.5",
        "phase=end positions=44/44/10/9 last=3:-/-/-/3:0/0/0/3:0/0/0/4",
        "used=0,63,64,127,128,254 card=254 pass=3 round=999 deck_end=reshuffle max_rounds=1000",
    ],
)
def test_lines_survive(line: str) -> None:
    position = parse(line)
    assert parse(position.text()) == position
    state = to_state(position)
    assert from_state(position.options, state) == position
    options, again = GAME.parse_position(GAME.format_position(position.options, state))
    assert options == position.options and again.tobytes() == state.tobytes()


def test_states_of_a_game_survive() -> None:
    table = Table.dealt(3)
    for number in range(60):
        legal = sorted(table.legal())
        table.play(GAME.format_action(table.options, legal[number * 7 % len(legal)]))
        state = table.batch.get_states()
        again = GAME.parse_position(GAME.format_position(table.options, state))[1]
        assert again.tobytes() == state.tobytes()


def test_states_have_no_padding() -> None:
    """They are compared and copied as bytes."""
    assert GAME.state.itemsize == 504
    assert sum(GAME.state[name].itemsize for name in GAME.state.names or ()) == GAME.state.itemsize
