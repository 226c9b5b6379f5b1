"""Matches of the heuristic against random players and against itself with another way to challenge.

``python -m tests.games.shadow_games.matches [deals]`` prints the table.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, NamedTuple

import numpy as np

from shadowenvs import rng
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.spec import CHALLENGE_0, PASS_0
from shadowenvs.jit import for_kernels, specialise

HEURISTIC, ALWAYS, NEVER, RANDOM = range(4)
PLAYERS = ("heuristic", "always challenges", "never challenges", "random")


def deal(table: Any, state: Any, seed: Any) -> None: ...
def legal(table: Any, state: Any, seat: Any, mask: Any) -> None: ...
def step(table: Any, state: Any, action: Any) -> None: ...
def observe(table: Any, state: Any, seat: Any, obs: Any) -> None: ...
def heuristic(table: Any, obs: Any, mask: Any, seed: Any) -> Any: ...


def play_matches(
    tables: Any, states: Any, records: Any, masks: Any, players: Any, deals: int, seed: Any, shares: Any, counts: Any
) -> None:
    """Plays deals, each once in every rotation of the seats.

    Args:
        tables: The tables, recarray [1].
        states: A state to play in, [1].
        records: An observation to write to, [1].
        masks: A mask to write to, int8 [1, A].
        players: Player of each seat, int64 [n].
        deals: How many.
        seed: Of all of them.
        shares: Victories by player, float64 [4], added to.
        counts: Plays, bluffs, polls, challenges, challenges won, turns by player, int64 [4, 6], added to.
    """
    table, state, record, mask = tables[0], states[0], records[0], masks[0]
    n = len(players)
    for number in range(deals * n):
        deal(table, state, rng.mix(seed, rng.STREAM_TABLE, number // n, 0))
        decision = 0
        while not state.done:
            seat = int(state.to_move)
            player = players[(seat + number) % n]
            legal(table, state, seat, mask)
            drawn = rng.mix(seed, rng.STREAM_OPPONENT, number, decision)
            decision += 1
            action = -1
            if player == RANDOM:
                chosen = rng.below(drawn, rng.STREAM_ACTION, 0, 0, np.int64(mask.sum()))
                for other in range(len(mask)):
                    chosen -= mask[other]
                    if chosen < 0:
                        action = other
                        break
            elif player != HEURISTIC and mask[CHALLENGE_0]:
                action = CHALLENGE_0 if player == ALWAYS else PASS_0
            else:
                observe(table, state, seat, record)
                action = heuristic(table, record, mask, drawn)
            step(table, state, action)
        num_winners = 0
        for seat in range(n):
            num_winners += (np.int64(state.winners) >> seat) & 1
        for seat in range(n):
            player = players[(seat + number) % n]
            shares[player] += ((np.int64(state.winners) >> seat) & 1) / num_winners
            counts[player, 0] += state.plays[seat]
            counts[player, 1] += state.bluffs[seat]
            counts[player, 2] += state.polls[seat]
            counts[player, 3] += state.challenges[seat]
            counts[player, 4] += state.challenges_won[seat]
            counts[player, 5] += state.turn_no


class Result(NamedTuple):
    """What one player got among others.

    Attributes:
        share: Its share of the victories times n: 1 is fair.
        counts: Plays, bluffs, polls, challenges, challenges won, turns by player, int64 [4, 6].
    """

    share: float
    counts: np.ndarray


@functools.cache
def loop() -> Any:
    kernels = {name: getattr(GAME, name) for name in ("deal", "legal", "step", "observe", "heuristic")}
    return specialise(play_matches, GAME.id, **kernels)


def match(n: int, one: int, others: int, deals: int, seed: int = 1, **options: Any) -> Result:
    """Plays one player against n - 1 of another kind, ``deals`` games, with equal deals in all rotations."""
    chosen = GAME.options.make(num_players=n, **options)
    states = np.zeros(1, GAME.state)
    states["options"] = chosen.pack()
    records = GAME.observation.records(np.zeros((1, GAME.observation.size), np.int8))
    masks = np.zeros((1, GAME.num_actions), np.int8)
    players = np.array([one] + [others] * (n - 1))
    shares, counts = np.zeros(4), np.zeros((4, 6), np.int64)
    rounds = -(-deals // n)
    tables = GAME.tables(chosen)
    loop()(tables, for_kernels(states), records, masks, players, rounds, np.uint64(seed), shares, counts)
    return Result(float(shares[one] / rounds) if one != others else 1.0, counts)


def main(deals: int) -> None:
    """Prints the share of victories times n of every pairing, and how the heuristic plays among its own kind."""
    pairings = [(HEURISTIC, RANDOM), (HEURISTIC, ALWAYS), (ALWAYS, HEURISTIC), (HEURISTIC, NEVER), (NEVER, HEURISTIC)]
    heads = [f"{PLAYERS[one]} : n-1 x {PLAYERS[others]}" for one, others in pairings]
    print("| n | " + " | ".join(heads) + " | bluffs | challenges | won | turns per seat |")
    for n in GAME.seats:
        shares = [match(n, one, others, deals).share for one, others in pairings]
        plays, bluffs, polls, challenges, won, turns = match(n, HEURISTIC, HEURISTIC, deals).counts[HEURISTIC].tolist()
        rates = [f"{part / whole:.0%}" for part, whole in ((bluffs, plays), (challenges, polls), (won, challenges))]
        length = turns / n / n / -(-deals // n) / n
        print(
            f"| {n} | " + " | ".join(f"{s:.2f}" for s in shares) + f" | {' | '.join(rates)} | {length:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3_000)
