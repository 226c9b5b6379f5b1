"""Scoring, the end of the game, ranks and rewards (SM-47 to SM-63, SM-68, SM-83)."""

from __future__ import annotations

import numpy as np
import pytest

from shadowenvs.aec import TableEnv
from shadowenvs.games.shadow_master import GAME
from shadowenvs.games.shadow_master.notation import parse, to_state, winners
from shadowenvs.games.shadow_master.scoring import gain_of, rank_key
from shadowenvs.jit import for_kernels
from tests.games.shadow_master.table import Table, few, finished, scored

EVERYTHING_USED = "used=" + ",".join(map(str, range(42)))


@pytest.mark.rule("SM-47")
def test_the_round_becomes_public() -> None:
    table = scored(4, "047", "047/01/-/8", "3/0/0/0")
    for seat in range(4):
        assert table.observed(seat, "last_targets") == [1, 0, 0, 0, 1, 0, 0, 1, 0]
        cubes = table.observed(seat, "last_cubes")
        for place in range(4):
            shown = {dot for dot in range(9) if cubes[place][dot]}
            assert shown == [{0, 4, 7}, {0, 1}, set(), {8}][(seat + place) % 4]
        assert table.observed(seat, "last_points") == [[6, 1, 0, 0][(seat + place) % 4] for place in range(4)] + [0, 0]
        assert table.observed(seat, "last_coins") == [[3, 0, 0, 0][(seat + place) % 4] for place in range(4)] + [0, 0]
    fresh = Table.dealt(1)
    for name in ("last_targets", "last_coins", "last_points"):
        assert not any(fresh.observed(0, name))


@pytest.mark.rule("SM-48", "SM-49")
@pytest.mark.parametrize("hits", range(4))
def test_hits_count_and_misses_cost_nothing(hits: int) -> None:
    cubes = "012"[:hits] + "678"[hits:]
    assert scored(4, "012", f"{cubes}/-/-/-", "0/0/0/0").points == [hits, 0, 0, 0]


@pytest.mark.rule("SM-50", "SM-51")
@pytest.mark.parametrize("coin", [2, 3, 4, 5])
def test_a_coin_counts_if_all_is_right(coin: int) -> None:
    n = coin + 1
    others = "/-" * (n - 1)
    coins = f"{coin}" + "/0" * (n - 1)
    assert scored(n, "0123", "0123" + others, coins).points[0] == 4 + coin
    assert scored(n, "0123", "0124" + others, coins).points[0] == 3


@pytest.mark.rule("SM-52")
def test_points_without_a_coin() -> None:
    for cubes, points in (("012", 3), ("018", 2), ("-", 0)):
        assert scored(3, "012", f"{cubes}/-/-", "0/0/0").points[0] == points
        assert scored(3, "012", f"{cubes}/-/-", "0/0/0", "coinless=nothing").points[0] == 0
    assert scored(3, "012", "012/-/-", "2/0/0", "coinless=nothing").points[0] == 5
    assert scored(3, "012", "018/-/-", "2/0/0", "coinless=nothing").points[0] == 2
    assert gain_of(7, 7, 0, 0) == 3 and gain_of(7, 7, 0, 1) == 0


@pytest.mark.rule("SM-53")
def test_all_seats_without_a_coin_score_alike() -> None:
    assert scored(5, "012", "012/01/0/28/345", "0/0/0/0/4").points == [3, 2, 1, 1, 0]
    assert scored(5, "012", "012/01/0/28/345", "0/0/0/0/4", "coinless=nothing").points == [0, 0, 0, 0, 0]


@pytest.mark.rule("SM-54")
def test_tokens_move_at_once_and_beyond_the_end() -> None:
    table = scored(6, "01234", "01234/01234/0/-/-/-", "5/0/0/0/0/0", "positions=39/39/5/0/0/0")
    assert table.now.positions == [49, 44, 6, 0, 0, 0]
    assert table.batch.points[0].tolist() == [49, 44, 6, 0, 0, 0]


@pytest.mark.rule("SM-55", "SM-56")
def test_a_used_card_does_not_come_back() -> None:
    """A whole game through the deck: every card once."""
    table = Table.dealt(3, "tick_cap=1")
    cards = []
    for _ in range(42):
        assert not table.now.done
        cards.append(table.now.card)
        table.wait(4)
        now = table.now
        assert now.coins == [0] * 4 and now.cubes == [set()] * 4
    assert table.now.done and sorted(cards) == list(range(42))


@pytest.mark.rule("SM-57")
@pytest.mark.parametrize("position", [36, 37, 38, 41])
def test_the_game_ends_on_the_last_field_or_beyond(position: int) -> None:
    table = scored(3, "012", "012/-/-", "0/0/0", f"positions={position}/2/1")
    assert table.now.done == (position + 3 >= 40)
    if table.now.done:
        assert table.legal() == set() and table.winners == {0} and table.now.tick == 0


@pytest.mark.rule("SM-58")
def test_the_farthest_token_wins() -> None:
    for seat in range(4):
        positions = [41, 41, 41, 41]
        positions[seat] = 44
        assert finished("/".join(map(str, positions)), "0/0/0/0").winners == {seat}
    assert finished("41/43/40/39", "0/2/1/3").winners == {1}
    assert finished("41/43/40/39", "0/2/1/3", "finish=coin").winners == {1}
    assert finished("41/43/40/39", "3/2/1/0", "finish=coin").winners == {0}
    assert finished("41/43/43/39", "0/0/0/3", "finish=coin").winners == {1, 2}


@pytest.mark.rule("SM-59")
def test_the_last_coin_breaks_ties() -> None:
    """It need not have scored: all cubes of these rounds are wrong."""
    assert finished("42/42/42/3", "0/2/1/3").winners == {1}
    assert finished("42/42/42/3", "3/2/1/0").winners == {0}
    assert finished("42/41/41/3", "0/2/1/3").winners == {0}


@pytest.mark.rule("SM-60")
def test_shared_victory() -> None:
    assert finished("42/42/40/42", "0/0/0/0").winners == {0, 1, 3}
    assert finished("42/42/40/42", "0/0/3/0").winners == {0, 1, 3}


@pytest.mark.rule("SM-61")
def test_the_end_of_the_deck() -> None:
    assert scored(3, "012", "0/-/-", "0/0/0", EVERYTHING_USED).now.done
    almost = "used=" + ",".join(map(str, range(41)))
    table = scored(3, "012", "0/-/-", "0/0/0", almost)
    assert not table.now.done and table.now.card == 41
    again = scored(3, "012", "0/-/-", "0/0/0", f"{EVERYTHING_USED} deck_end=reshuffle").now
    assert not again.done and again.pass_no == 1 and again.used == {again.card}
    # Nobody has reached the end of the board: the farthest wins, whatever 'finish' says.
    assert finished("12/15/15", "2/0/1", f"{EVERYTHING_USED} finish=coin").winners == {2}


@pytest.mark.rule("SM-62")
def test_ranks_of_the_losers() -> None:
    table = finished("44/20/20/30/20", "0/2/1/4/3")
    state = for_kernels(table.batch.get_states())[0]
    keys = [rank_key(state, seat) for seat in range(5)]
    assert sorted(range(5), key=lambda seat: -keys[seat]) == [0, 3, 4, 1, 2]
    table = finished("44/20/20/30/20", "0/0/0/0/0")
    state = for_kernels(table.batch.get_states())[0]
    assert len({rank_key(state, seat) for seat in (1, 2, 4)}) == 1
    env = TableEnv(GAME, 5)
    env.set_state(finished("44/20/20/30/20", "0/2/1/4/3").batch.get_states())
    assert [env.infos[agent]["rank"] for agent in env.possible_agents] == [1, 4, 5, 2, 3]


@pytest.mark.rule("SM-63")
def test_everybody_plays_to_the_end() -> None:
    """However far behind, every seat without a coin is asked in every tick."""
    table = Table("num_players=5 positions=39/0/0/0/0 tick=39")
    seats = []
    for _ in range(10):
        seats.append(table.now.move)
        table.wait()
    assert seats == [0, 1, 2, 3, 4] * 2
    assert list(table.now.positions) == [39, 0, 0, 0, 0]


@pytest.mark.rule("SM-68")
def test_rewards() -> None:
    table = Table("num_players=3 targets=012 cubes=012/01/- positions=39/0/0 tick=40")
    assert table.rewards == [0, 0, 0]
    table.wait(2)
    assert table.rewards == [0, 0, 0]
    table.wait()
    assert table.rewards == [1.0, -0.5, -0.5] and table.now.done
    table = Table("num_players=3 targets=012 cubes=012/01/- positions=39/0/0 tick=40 reward=points").wait(3)
    assert table.rewards == pytest.approx([0.3, 0.2, 0])
    table = Table("num_players=3 targets=012 cubes=012/01/- tick=39 reward=points").wait(3)
    assert table.rewards == [0, 0, 0]


@pytest.mark.rule("SM-83")
def test_rounds_are_limited_with_reshuffled_decks() -> None:
    line = "deck_end=reshuffle max_rounds=9"
    assert not scored(3, "012", "0/-/-", "0/0/0", f"{line} round=8").now.done
    assert scored(3, "012", "0/-/-", "0/0/0", f"{line} round=9").now.done
    assert not scored(3, "012", "0/-/-", "0/0/0", "max_rounds=9 round=9").now.done


def test_winners_in_kernels_and_in_notation_agree() -> None:
    generator = np.random.default_rng(4)
    for _ in range(few(300, 100)):
        n = int(generator.integers(3, 7))
        positions = "/".join(map(str, generator.integers(38, 43, n)))
        coins = [0] * n
        for coin, seat in zip(range(n - 1, int(generator.integers(0, n)), -1), generator.permutation(n), strict=False):
            coins[int(seat)] = coin
        finish = generator.choice(["farthest", "coin"])
        if max(map(int, positions.split("/"))) < 40 or coins.count(0) == 1:
            continue
        table = finished(positions, "/".join(map(str, coins)), f"finish={finish}")
        assert winners(table.now) == table.winners
        again = to_state(parse(GAME.format_position(table.options, table.batch.get_states())))
        assert again.tobytes() == table.batch.get_states().tobytes()
