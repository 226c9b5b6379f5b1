"""The oracle of Shadow Games against the test vectors of the rule file (section 7) and against itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.games.shadow_games import notation
from shadowenvs.games.shadow_games.notation import Position
from shadowenvs.games.shadow_games.spec import ShadowGamesOptions
from tests.oracles import shadow_games as oracle
from tests.oracles.shadow_games import (
    BONUS_TARGET,
    CHALLENGE,
    DECLARE,
    DISCARD,
    FAVOUR,
    OVER,
    PICK,
    PLAY,
    RECIPIENT,
    TAKE,
    TARGET,
    Oracle,
)

CODES = ("TC", "SH", "FS", "PO", "TS", "SC", "PP", "HE", "GB", "AR")
COPIES = (3, 3, 3, 3, 2, 2, 2, 2, 2, 2)
TYPES = ("Team", "Union", "Guild")
PHASES = (
    *("play", "declare", "target", "challenge", "favour", "bonus_target", "recipient", "pick", "discard", "take"),
    "over",
)
FACE_DOWN = (DECLARE, TARGET, CHALLENGE)

Chooser = Callable[[Oracle], int]


def kind(code: str) -> int:
    return CODES.index(code)


def kinds(text: str) -> list[int]:
    """Returns the kinds of a text like "TC PO"; none for "-"."""
    return [kind(word) for word in text.split() if word != "-"]


def action(text: str) -> int:
    """Returns the number of an action like "play TC", by the ranges of section 3; "play #3" names a kind by number."""
    word, _, rest = text.strip().partition(" ")
    if word in ("skip", "pass", "challenge", "leave") and not rest:
        return {"skip": 12, "pass": 30, "challenge": 31, "leave": 47}[word]
    if word == "seat":
        return 24 + int(rest)
    if word == "favour":
        return 32 + TYPES.index(rest)
    number = int(rest[1:]) if rest.startswith("#") else kind(rest)
    return {"play": 0, "declare": 13, "pick": 35, "discard": 48}[word] + number


def actions(text: str) -> set[int]:
    return {action(word) for word in text.split(",")}


def pool(text: str) -> list[int]:
    return [int(word) for word in text.split("/")]


def options(**chosen: Any) -> ShadowGamesOptions:
    return ShadowGamesOptions.make(**chosen)


def new_game(seed: int, **chosen: Any) -> Oracle:
    game = Oracle(options(**chosen))
    game.deal(seed)
    return game


class Watched(Oracle):
    """A game that notes the types in which a seat has had no majority, be it in the middle of an action."""

    low: list[set[int]]

    def _transfer(self, t: int, giver: int | None, taker: int | None) -> None:
        super()._transfer(t, giver, taker)
        if giver is not None and self.favours[giver][t] < self.options.victory:
            self.low[giver].add(t)


def watched_game(seed: int, **chosen: Any) -> Watched:
    game = Watched(options(**chosen))
    game.deal(seed)
    return game


def over(game: Oracle) -> bool:
    return game.done


def copy_of(game: Oracle) -> Oracle:
    return Oracle.from_position(game.position())


def do(game: Oracle, text: str) -> Oracle:
    """Carries out actions like "play TC, pass"."""
    for word in text.split(","):
        if word.strip() not in ("", "-"):
            game.step(action(word))
    return game


def at_random(seed: int | str) -> Chooser:
    chooser = random.Random(seed)
    return lambda game: chooser.choice(sorted(game.legal()))


def float32(value: str | Fraction) -> float:
    """Returns the float32 value nearest to a quotient."""
    return float(np.float32(float(Fraction(value))))


# ------------------------------------------------------------------------------------------------------ the 52 vectors


def set_up(n: int, part: str, hand: str, state: str = "-") -> Oracle:
    """Returns a game at PLAY.

    Args:
        n: Number of seats.
        part: "P" for the Plotting phase, "A" for the Agents phase after a play in the Plotting phase.
        hand: Cards of seat 0, whose turn it is.
        state: What differs from the usual, words separated by ";": ``f1 0/2/1`` favours, ``f`` those of all seats,
            ``token 1``, ``mark0 Team``, ``hand1 TS TS``, ``pile TS HE``, ``top SC`` of the deck, ``key=value`` options.
    """
    chosen: dict[str, Any] = {"num_players": n}
    hands = [kinds(hand), *(kinds("SH FS" if seat == 3 else "TC PO") for seat in range(1, n))]
    favours = [[1, 1, 1] for _ in range(n)]
    marks: list[set[int]] = [set() for _ in range(n)]
    shields: set[int] = set()
    pile: list[int] = []
    top: list[int] = []
    for word in state.split(";"):
        key, _, value = word.strip().partition(" ")
        if "=" in key:
            name, _, text = key.partition("=")
            chosen[name] = True if text == "True" else int(text) if text.isdigit() else text
        elif key == "f":
            favours = [pool(value) for _ in range(n)]
        elif key.startswith("f"):
            favours[int(key[1:])] = pool(value)
        elif key == "token":
            shields |= {int(digit) for digit in value.split()}
        elif key.startswith("mark"):
            marks[int(key[4:])] = {TYPES.index(name) for name in value.split()}
        elif key.startswith("hand"):
            hands[int(key[4:])] = kinds(value)
        elif key == "pile":
            pile = kinds(value)
        elif key == "top":
            top = kinds(value)
        else:
            assert key == "-", word
    left = Counter(dict(enumerate(COPIES)))
    left.subtract([*pile, *top, *(k for group in hands for k in group)])
    assert min(left.values()) >= 0
    position = Position(
        options(**chosen),
        agents=part == "A",
        plotted=part == "A",
        hands=[sorted(group) for group in hands],
        known=[[] for _ in range(n)],
        deck=[*top, *sorted(left.elements())],
        pile=pile,
        seen=[set(range(n)) for _ in pile],
        favours=favours,
        shields=shields,
        marks=marks,
        rewards=[0.0] * n,
    )
    for name in notation.COUNTS:
        setattr(position, name, [0] * n)
    # The line of the position means the same.
    assert notation.parse(position.text()) == position
    return Oracle.from_position(position)


def check(game: Oracle, result: str) -> None:
    """Compares a game with words like ``f0 2/1/1; reserve 3/4/4``."""
    position = game.position()
    for word in result.split(";"):
        key, _, value = word.strip().partition(" ")
        if key == "reserve":
            assert game.reserve == pool(value) == position.reserve, word
        elif key == "ask":  # seat, phase, part
            seat, phase, *part = value.split()
            assert (game.to_move, PHASES[game.phase]) == (int(seat), phase) and not game.done, word
            assert part in ([], ["agents" if position.agents else "plotting"]), word
            if phase == "play":
                assert game.actor == game.to_move
        elif key == "legal":
            assert game.legal() == actions(value), word
        elif key == "tokens":
            assert game.reserve_tokens == int(value) == position.reserve_tokens, word
        elif key == "held":
            assert game.shields == {int(digit) for digit in value.split() if digit != "-"}, word
        elif key == "top":
            assert game.pile[-1] == kind(value) and game.seen[-1] == set(range(game.n)), word
        elif key == "pile":
            assert game.pile == kinds(value), word
        elif key == "seen":
            everybody = set(range(game.n))
            assert game.seen == [everybody if who == "*" else set(map(int, who)) for who in value.split()], word
        elif key == "sizes":
            assert [len(hand) for hand in game.hands] == [int(size) for size in value.split()], word
        elif key == "deck":
            assert len(game.deck) == int(value), word
        elif key == "winners":
            assert game.done and game.winners == {int(seat) for seat in value.split()}, word
            assert game.phase == OVER and game.legal() == set(), word
        elif key == "rewards":
            assert game.rewards == [float32(number) for number in value.split()], word
        elif key == "turn":
            assert game.turn == int(value), word
        elif key.startswith("f"):
            assert game.favours[int(key[1:])] == pool(value), word
        elif key.startswith("hand"):
            assert sorted(game.hands[int(key[4:])]) == sorted(kinds(value)), word
        elif key.startswith("holds"):
            assert not Counter(kinds(value)) - Counter(game.hands[int(key[5:])]), word
        elif key.startswith("known"):
            assert sorted(game.known[int(key[5:])]) == sorted(kinds(value)), word
        elif key.startswith("mark"):
            assert game.marks[int(key[4:])] == {TYPES.index(name) for name in value.split() if name != "-"}, word
        else:
            raise AssertionError(word)


LONG_GAME = "skip, skip, play TS, declare TS, pass, skip, play PP, declare TS, pass"
EVERYTHING_ELSE = "TC TC TC SH SH SH FS FS FS PO TS SC PP PP HE HE GB GB AR AR"

# Number | seats, phase, hand of seat 0 | state | actions | result
VECTORS = f"""
1 | 2 P TC PO TS | - | play TC, declare TC, pass | f0 2/1/1; f1 1/1/1; reserve 3/4/4; top TC; ask 0 play agents
2 | 2 P PO FS TS | - | play FS, declare TC, pass | f0 2/1/1; f1 0/1/1; reserve 4/4/4; top FS; ask 0 play agents
3 | 2 P TC PO TS | - | play TC, declare TC, challenge, favour Union | f0 2/2/1; f1 1/0/1; reserve 3/4/4; top TC
4 | 2 P PO FS TS | - | play PO, declare TC, challenge, favour Guild | f0 1/1/0; f1 1/1/2; reserve 4/4/4; top PO
5 | 2 A TS PO | f1 1/0/0 | play TS, declare TS, challenge, favour Guild | f0 2/1/2; f1 0/0/0; reserve 4/5/4
6 | 2 P PO FS TS | f0 0/0/0 | play PO, declare TC, challenge, favour Team | f0 0/0/0; f1 2/1/1; reserve 4/5/5
7 | 2 P PO FS TS | f0 0/0/0; f1 6/0/6 | play PO, declare TC, challenge | \
    f0 0/0/0; f1 6/1/6; reserve 0/5/0; top PO; ask 0 play agents
8 | 2 P TC PO TS | f 3/1/1 | play TC, declare TC, pass | f0 3/1/1; f1 3/1/1; reserve 0/4/4; top TC
9 | 3 P TC PO TS | f1 0/0/0 | play TC, declare TC | ask 2 challenge plotting; legal pass, challenge
10 | 2 P PO SH TS | f1 0/0/0 | play SH, declare TC | f0 2/1/1; f1 0/0/0; reserve 4/5/5; top SH; ask 0 play agents
11 | 4 P PO FS TS | - | play PO, declare TC, pass, challenge | ask 2 take; legal favour Team, favour Union, favour Guild
12 | 3 A TS PO | f2 0/2/1 | play TS, declare TS, seat 2, pass, pass | \
    f0 1/1/1; f2 0/2/1; reserve 7/5/6; turn 2; ask 1 play plotting
13 | 2 P PO FS TS | - | play PO, declare PO, pass | held 0; tokens 1; top PO
14 | 2 P PO FS TS | token 0 | play PO, declare PO, pass | held 0; tokens 1; top PO
15 | 2 P PO FS TS | tokens=1; token 1 | play PO, declare PO, pass | held 1; tokens 0; top PO
16 | 2 A TS PO | token 1 | play TS, declare TS, pass | f0 1/1/1; f1 1/1/1; held -; tokens 2
17 | 2 A SC PO | token 1 | play SC, declare TS, pass | f0 1/1/1; f1 1/1/1; held -; tokens 2; reserve 4/4/4; top SC
18 | 3 A SC PO | token 2 | play SC, declare TS, seat 1, pass, pass, seat 2 | \
    f0 2/1/1; f1 0/1/1; f2 1/1/1; held -; tokens 3; reserve 6/6/6
19 | 2 A TS PO | f1 0/2/1; token 1 | play TS, declare TS, pass | f0 1/1/1; f1 0/2/1; held 1; tokens 1
20 | 2 P TC PO TS | token 1 | play TC, declare SH, pass | f0 1/2/1; f1 1/0/1; held 1; tokens 1; top TC
21 | 2 A TS PO | token 1 | play TS, declare TS, challenge, favour Team | f0 2/1/1; f1 0/1/1; held -; tokens 2
22 | 2 A GB PO | f0 0/0/0 | play GB, declare GB, pass | f0 0/0/0; f1 1/1/1; top GB; turn 2; ask 1 play plotting
23 | 2 A GB PO | - | play GB, declare GB, pass, favour Guild, favour Team | f0 2/1/0; f1 0/1/2; reserve 4/4/4
24 | 2 A GB PO | token 1 | play GB, declare GB, pass, favour Guild | f0 1/1/0; f1 1/1/2; held -; tokens 2; turn 2
25 | 2 P HE FS TS | - | play HE, declare TC, pass, favour Union | f0 2/2/1; f1 1/0/1; reserve 3/4/4; top HE
26 | 2 P TC PO TS | - | skip | ask 0 play agents; legal play TC, play PO, play TS
27 | 2 P TC PO TS | - | play TC, declare TC, pass, skip | turn 2; ask 1 play plotting; sizes 2 3
28 | 2 P TC PO TS | - | play TC, declare TC, pass, play TS, declare TS, pass | \
    f0 3/1/1; f1 0/1/1; sizes 2 3; holds0 PO; ask 1 play plotting; pile TC TS
29 | 2 P TC PO TS | - | play PO, declare TC, challenge, favour Team | \
    hand0 TC TS; ask 0 play agents; f0 0/1/1; f1 2/1/1; legal play TC, play TS, skip
30 | 2 A AR PO | pile TS HE; top SC | play AR, declare AR, pass, pick HE | \
    ask 0 discard agents; hand0 HE PO SC; pile TS; seen *; known0 HE; legal discard HE, discard PO, discard SC
31 | 2 A AR PO | pile TS HE; top SC | play AR, declare AR, pass, pick HE, discard PO, discard SC | \
    pile TS PO SC AR; seen * 0 * *; sizes 2 3; holds0 HE; known0 -
32 | 3 A AR PO | pile TS HE; top SC | play AR, declare AR, pass, pass, leave, discard PO, discard SC | \
    pile TS HE PO SC AR; seen * * 0 * *; ask 1 play plotting
33 | 2 P AR PO FS | top SC | skip, play AR, declare AR, pass | ask 0 discard agents; hand0 PO FS SC; pile -
34 | 2 A TS SC | hand1 PO PO; pile {EVERYTHING_ELSE} | play TS, declare TS, pass | \
    deck 19; pile -; sizes 2 3; holds0 SC; holds1 PO PO
35 | 2 A TS SC | hand1 PO PO; pile {EVERYTHING_ELSE} | play TS, declare TS, pass | known0 SC; known1 PO PO
36 | 2 A PP PO | f0 5/1/1; mark0 Team | skip | winners 0; rewards 1 -1
37 | 2 A PP PO | f0 4/5/1; mark0 Team | skip | mark0 Union; ask 1 play plotting; turn 2
38 | 2 P TC PO TS | f0 4/1/1 | play TC, declare TC, pass, skip | f0 5/1/1; mark0 Team; ask 1 play plotting
39 | 2 A PP PO | f0 5/1/1; hand1 TS TS; top SC | {LONG_GAME} | winners 0; rewards 1 -1; turn 3
40 | 2 A PP PO | f0 5/1/1; hand1 TS TS; top SC; victory_check=held | {LONG_GAME} | \
    mark0 Team; ask 1 play plotting; turn 4; f0 5/1/1; f1 0/1/1
41 | 2 A PP PO | f0 5/1/1; hand1 TS TS; top SC; victory_check=turn_start | skip, skip, play SC, declare SC, pass | \
    f0 5/0/1; winners 0; rewards 1 -1; turn 3
42 | 2 A PP PO | f1 5/1/1; mark1 Team | skip | mark1 Team; ask 1 play plotting; turn 2
43 | 2 P TC PO TS | f 2/1/1; max_turns=1 | play PO, declare PO, pass, skip | winners 0 1; rewards 0 0; turn 1
44 | 2 P TC PO TS | max_turns=1 | play TC, declare TC, pass, skip | winners 0; rewards 1 -1; turn 1
45 | 2 P TC PO SH | card_fits_phase=True | - | legal play TC, play PO, play SH
46 | 2 P TS PP SC | card_fits_phase=True | - | ask 0 play plotting; legal skip
47 | 3 A TS PO | token 1; protection=until_turn | play TS, declare TS, seat 1, pass, pass | \
    f1 1/1/1; f0 1/1/1; turn 2; ask 1 play plotting; held -; tokens 3
48 | 3 A TS PO | token 2; protection=until_turn | play TS, declare TS, seat 2, pass, pass | \
    f2 1/1/1; f0 1/1/1; ask 1 play plotting; held 2; tokens 2
49 | 4 A TS PO | - | play TS, declare TS | ask 0 target agents; legal seat 1, seat 2, seat 3
50 | 2 P PO FS TS | f 3/3/1 | play PO, declare TC, pass | f0 3/3/2; f1 3/3/1; reserve 0/0/3; top PO
51 | 3 A HE PO | f1 1/0/1 | play HE, declare HE, seat 1, challenge, favour Team | \
    f0 1/1/2; f1 0/0/0; reserve 7/7/6; ask 1 play plotting
52 | 4 A PP PO | f0 2/1/1; max_turns=1 | skip | winners 0; rewards 1 -1/3 -1/3 -1/3
52 | 4 A PP PO | f0 1/2/1; f3 1/1/2; max_turns=1 | skip | winners 0 3; rewards 1/3 -1/3 -1/3 1/3
""".strip().splitlines()


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row.split()[0])
def test_vector(row: str) -> None:
    _, start, state, moves, result = (part.strip() for part in row.split("|"))
    n, part, hand = start.split(maxsplit=2)
    game = do(set_up(int(n), part, hand, state), moves)
    check(game, result)
    check_sums(game)
    if not game.done:
        assert game.rewards == [0.0] * game.n and game.winners == set()


def test_vectors_are_all_here() -> None:
    assert [int(row.split()[0]) for row in VECTORS] == [*range(1, 53), 52]


def test_poll_of_vector_11() -> None:
    game = do(set_up(4, "P", "PO FS TS"), "play PO, declare TC")
    for seat in (1, 2):
        assert (game.to_move, game.phase) == (seat, CHALLENGE)
        game.step(action("pass" if seat == 1 else "challenge"))
    assert (game.polls, game.challenges, game.challenges_won) == ([0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0])
    assert (game.plays, game.bluffs) == ([1, 0, 0, 0], [1, 0, 0, 0])


# ----------------------------------------------------------------------------------------- clauses that no vector shows


def check_sums(game: Oracle) -> None:
    """Checks what never changes, and what is known to all or to one seat."""
    n, everybody = game.n, set(range(game.n))
    chosen = game.options
    for t in range(3):  # SG-04
        total = n * (chosen.start_favour + chosen.reserve_per_seat) if t < chosen.favour_types else 0
        assert game.reserve[t] + sum(group[t] for group in game.favours) == total
        assert game.reserve[t] >= 0 and min(group[t] for group in game.favours) >= 0
    assert game.reserve_tokens + len(game.shields) == chosen.tokens and game.reserve_tokens >= 0  # SG-05
    assert game.shields <= everybody
    cards = Counter([*game.deck, *game.pile, *game.aside, *(k for hand in game.hands for k in hand)])
    if game.table is not None:
        cards[game.table] += 1
    assert cards == Counter({k: card.copies for k, card in enumerate(chosen.load_deck().cards)})  # SG-06
    assert len(game.seen) == len(game.pile)
    if game.pile:
        assert game.seen[-1] == everybody  # SG-15
    for seat in range(n):  # SG-113
        held = Counter(game.hands[seat])
        if seat == game.actor:
            held.update(game.aside)
            if game.phase in FACE_DOWN and game.table is not None:
                held[game.table] += 1
        assert not Counter(game.known[seat]) - held
    assert game.points == [max(group) for group in game.favours]  # SG-133
    assert (game.left > 0) == (game.phase in (PICK, DISCARD))
    if game.recipient is not None:
        assert game.table is not None and game.declared is not None and game.phase == FAVOUR
        listed = game.cards.cards[game.table].bonus if game.bonus else game.cards.cards[game.declared].effect
        assert (listed[game.step_no].op, listed[game.step_no].who) == (4, 0)
    assert not game.carried or game.step_no > 0
    if game.phase in (DECLARE, TARGET, CHALLENGE, TAKE):
        assert (game.bonus, game.step_no, game.bonus_target, game.blocked & {game.actor}) == (False, 0, None, set())
    if game.phase in (PLAY, OVER):
        idle = Position(chosen)
        for name in ("table", "declared", "target", "passed", "challenger", "bonus", "step", "carried", "left"):
            assert getattr(game.position(), name) == getattr(idle, name)
        assert (game.bonus_target, game.recipient, game.blocked, game.aside) == (None, None, set(), [])


def test_action_layout() -> None:  # section 3
    numbers = (oracle.SKIP, oracle.PASS, oracle.CALL, oracle.LEAVE, oracle.SEAT_FIRST)
    assert numbers == (12, 30, 31, 47, 25)
    firsts = (oracle.PLAY_FIRST, oracle.DECLARE_FIRST, oracle.FAVOUR_FIRST, oracle.PICK_FIRST, oracle.DISCARD_FIRST)
    assert firsts == (0, 13, 32, 35, 48)


def test_illegal_actions_change_nothing() -> None:
    game = set_up(3, "P", "TC PO AR", "pile HE")
    for move in ("skip", "play AR", "declare AR", "pass", "pass", "pick HE", "discard PO", "discard TC"):
        before = game.position()
        for other in set(range(-3, 64)) - game.legal():
            with pytest.raises(ValueError, match="not a legal action"):
                game.step(other)
            assert game.position() == before
        game.step(action(move))
    assert game.actor == 1


@pytest.mark.parametrize("n", range(2, 7))
def test_deals_follow_the_generator(n: int) -> None:  # SG-06, SG-08, SG-11
    everything = [k for k, copies in enumerate(COPIES) for _ in range(copies)]
    starters = set()
    for seed in [*range(40), 2**64 - 1]:
        game = new_game(seed, num_players=n)
        order = np.array(everything, dtype=np.int8)
        rng.shuffle(np.uint64(seed), rng.GAME_STREAMS + 1, 0, order)
        first = rng.below(np.uint64(seed), rng.GAME_STREAMS, 0, 0, n)
        starters.add(int(first))
        hands = [order[2 * seat : 2 * seat + 2].tolist() for seat in range(n)]
        hands[first].append(order[2 * n])  # SG-17
        assert game.hands == hands and game.deck == order[2 * n + 1 :].tolist() and game.pile == []
        assert (game.actor, game.to_move, game.turn, game.phase) == (first, first, 1, PLAY)
        assert game.favours == [[1] * 3] * n and game.reserve == [2 * n] * 3 and game.shields == set()
        assert game.reserve_tokens == n and game.marks == [set()] * n
    assert starters == set(range(n))
    assert new_game(3, num_players=n, first_seat=n - 1).actor == n - 1
    assert new_game(3, num_players=n, tokens=0).reserve_tokens == 0


def test_rebuilt_decks_follow_the_generator() -> None:  # SG-11 to SG-13
    game = set_up(2, "A", "TS SC", f"hand1 PO PO; pile {EVERYTHING_ELSE}")
    game.seed, game.rebuilds = 77, 4
    do(game, "play TS, declare TS, pass")
    order = np.array([*kinds(EVERYTHING_ELSE), kind("TS")], dtype=np.int8)
    rng.shuffle(np.uint64(77), rng.GAME_STREAMS + 1, 5, order)
    assert game.deck == order[2:].tolist() and game.rebuilds == 5
    assert [sorted(hand) for hand in game.hands] == [sorted([kind("SC"), order[0]]), sorted([3, 3, order[1]])]


def test_the_last_card_does_not_rebuild_the_deck() -> None:  # SG-12, SG-13
    piled = "TC TC TC SH SH SH FS FS FS PO TS SC PP PP HE HE GB GB"
    game = set_up(2, "P", "AR PO", f"hand1 PO SC; pile {piled}; top AR TS")
    do(game, "play AR, declare TC, pass")  # gains Team, then the bonus of the Archivist: gain any
    do(game, "favour Guild, play PO, declare TS, pass, favour Team")
    assert game.pile == [] and game.rebuilds == 1  # three cards are drawn; the deck held two
    assert sorted(game.hands[0]) == sorted(kinds("AR TS"))
    game = set_up(2, "A", "AR PO", "hand1 PO SC; pile TC; top TC")
    game.pile, game.deck = [*game.pile, *game.deck[1:]], game.deck[:1]
    game.seen = [{0, 1} for _ in game.pile]
    do(game, "play AR, declare AR, pass, leave")  # the Archivist's draw takes the last card
    assert game.deck == [] and game.rebuilds == 0 and game.phase == DISCARD and game.table == kind("AR")


def test_a_draw_by_an_effect_leaves_the_card_on_the_table() -> None:  # SG-13
    game = set_up(2, "A", "AR PO", "hand1 PO SC; pile TC")
    game.pile, game.deck = [*game.pile, *game.deck], []
    game.seen = [{0, 1} for _ in game.pile]
    do(game, "play AR, declare AR, pass, leave")
    assert game.rebuilds == 1 and game.pile == [] and len(game.deck) == 19 and game.table == kind("AR")
    assert game.known[0] == kinds("PO") and sorted(game.known[1]) == kinds("PO SC")  # SG-116, before the draw
    assert sorted(game.hands[1]) == kinds("PO SC")


@pytest.mark.parametrize("n", [2, 3])
def test_known_hands_after_a_rebuilding(n: int) -> None:  # SG-116
    everything = Counter(dict(enumerate(COPIES)))
    hands = [kinds("TS SC"), *[kinds("TC PO")] * (n - 1)]
    everything.subtract(k for hand in hands for k in hand)
    for unseen in (None, 0, 1):
        game = set_up(n, "A", "TS SC")
        game.pile, game.deck = sorted(everything.elements()), []
        game.seen = [set(range(n)) for _ in game.pile]
        if unseen is not None:
            game.seen[3] -= {unseen}
        do(game, "play TS, declare TS, " + ("pass" if n == 2 else "seat 1, pass, pass"))
        assert game.rebuilds == 1
        # A seat's hand is known if the opponent knew the whole pile.
        assert game.known[0] == (kinds("SC") if n == 2 and unseen != 1 else [])
        assert sorted(game.known[1]) == (kinds("TC PO") if n == 2 and unseen != 0 else [])


@pytest.mark.parametrize(
    ("part", "hand", "legal"),
    [
        ("P", "TC PO SH", "play TC, play PO, play SH"),
        ("P", "TC TS SC", "play TC, skip"),
        ("P", "TS SC", "skip"),
        ("A", "TC PO", "skip"),
        ("A", "TC TS", "play TS, skip"),
        ("a", "TC PO", "skip"),  # the Plotting phase skipped
        ("a", "TC TS", "play TS"),
    ],
)
def test_cards_that_fit(part: str, hand: str, legal: str) -> None:  # SG-23, SG-24
    game = set_up(2, part.upper(), hand, "card_fits_phase=True")
    game.plotted = part == "A"
    assert game.legal() == actions(legal)
    game = set_up(2, part.upper(), hand)
    game.plotted = part == "A"
    freely = set(kinds(hand))
    assert game.legal() == freely | ({action("skip")} if part != "a" else set())


def test_a_kind_of_which_all_copies_are_visible_may_be_declared() -> None:  # SG-30, SG-32
    game = do(set_up(3, "A", "TS SC", "hand1 SC TC; pile TS; f1 0/0/0; token 2"), "play TS")
    assert game.legal() == {13 + k for k in range(4, 10)}
    check(do(game, "declare SC"), "legal seat 1, seat 2")
    game = do(set_up(2, "P", "TC TC TC", "hand1 SH PO"), "play TC")
    assert game.legal() == {13 + k for k in range(4)}


def test_an_empty_hand_passes_a_phase() -> None:  # SG-25
    game = set_up(3, "P", "AR")
    do(game, "play AR, declare TC, pass, pass")
    check(game, "ask 0 favour; legal favour Team, favour Union, favour Guild")
    check(do(game, "favour Guild"), "f0 2/1/2; ask 1 play plotting; sizes 2 3 2")


def test_payments_from_nothing() -> None:  # SG-48, SG-49
    game = set_up(2, "A", "HE PO", "f0 6/6/5; f1 0/0/1")
    check(do(game, "play HE, declare HE, challenge"), "f0 6/6/6; f1 0/0/0; reserve 0/0/0; ask 1 play plotting")
    game = set_up(2, "P", "PO TC TS", "f0 0/0/0; f1 6/6/6")
    check(do(game, "play PO, declare TC, challenge"), "f0 0/0/0; f1 6/6/6; ask 0 play agents; top PO")
    game = set_up(3, "A", "SC PO", "f1 0/1/0; f2 3/1/1; token 1")
    # The steal is blocked; the taking is not, and it goes to the reserve only if the payer has none.
    check(do(game, "play SC, declare SC, seat 1, challenge"), "f0 1/2/1; f1 0/0/0; held -; tokens 3")


def test_a_token_protects_once_a_play_and_owner() -> None:  # SG-82
    game = set_up(2, "A", "GB GB", "token 1")
    # Bribe, blocked steal; the bonus of the other Go-Between would steal too.
    check(do(game, "play GB, declare HE, pass"), "f0 1/1/1; f1 1/1/1; held -; tokens 2; turn 2; top GB")
    game = set_up(2, "A", "HE HE", "token 1; protection=until_turn")
    check(do(game, "play HE, declare TS, pass"), "f0 1/1/1; f1 1/1/1; turn 2; held -; tokens 2")
    game = set_up(3, "A", "HE HE", "token 2; protection=until_turn")
    do(game, "play HE, declare TS, seat 2, pass, pass, seat 2")
    check(game, "f0 1/1/1; f2 1/1/1; held 2; tokens 2; ask 1 play plotting")
    # SG-76: the phase of the play counts, not the card that was turned up.
    game = set_up(2, "A", "TC PO", "token 1")
    check(do(game, "play TC, declare HE, pass"), "f0 1/1/1; f1 1/1/1; held -")
    game = set_up(2, "P", "HE PO TC", "token 1")
    check(do(game, "play HE, declare PO, pass, favour Guild"), "f0 1/1/2; f1 1/1/0; held 0 1; tokens 0")


def test_blocked_seats_while_a_choice_waits() -> None:
    game = do(set_up(3, "A", "HE PO", "token 1"), "play HE, declare SC, seat 1, pass, pass")
    assert (game.phase, game.blocked, game.bonus, game.step_no) == (BONUS_TARGET, {1}, True, 0)
    assert (game.target, game.bonus_target, game.table, game.declared) == (1, None, kind("HE"), kind("SC"))
    again = copy_of(game)
    check(do(again, "seat 1"), "f0 1/1/1; f1 1/1/1; ask 1 play plotting; tokens 3")
    do(game, "seat 2")
    assert (game.phase, game.blocked, game.bonus_target) == (FAVOUR, {1}, 2)
    check(do(game, "favour Union"), "f0 1/2/1; f2 1/0/1; ask 1 play plotting; tokens 3")


def test_marks() -> None:  # SG-88 to SG-97
    game = set_up(2, "P", "PO SH TS", "f0 5/5/1; mark0 Team")
    game = do(game, "play PO, declare TC, challenge, favour Team")
    check(game, "mark0 Team; f0 4/5/1")  # a mark stays until the check
    check(do(game, "skip"), "mark0 Union; turn 2")
    game = set_up(2, "P", "PO SH TS", "f0 5/5/1; mark0 Team Union; victory_check=held")
    check(do(game, "play PO, declare TC, challenge, favour Team"), "mark0 Union")  # SG-94
    check(do(game, "skip"), "winners 0")
    game = set_up(2, "P", "PO SH TS", "f0 6/1/1; f1 0/1/1; mark0 Team; victory_check=held")
    check(do(game, "play PO, declare TC, challenge, favour Team"), "mark0 Team")
    game = set_up(2, "P", "PO SH TS", "f0 5/1/1; mark0 Team; victory_check=turn_start")
    do(game, "play PO, declare PO, pass, skip")
    check(game, "mark0 Team; turn 2; ask 1 play plotting; held 0")  # SG-95: not at the end
    check(do(game, "skip, play TC, declare SC, challenge, favour Guild"), "winners 0; turn 3; f0 5/1/2")
    assert game.actor == 0 and game.to_move == 0 and len(game.hands[0]) == 2
    game = set_up(2, "P", "PO SH TS", "f0 4/1/1; mark0 Team; victory_check=turn_start")
    check(do(game, "play PO, declare PO, pass, skip"), "mark0 -; turn 2")  # SG-96


def test_a_token_is_kept_when_the_turn_starts_with_a_win() -> None:  # SG-95
    game = set_up(2, "A", "PP PO", "f1 5/1/1; mark1 Team; token 1; protection=until_turn; victory_check=turn_start")
    check(do(game, "skip"), "winners 1; rewards -1 1; held 1; sizes 2 2; turn 2")
    assert game.actor == 1 and game.to_move == 0 and not game.position().agents and not game.plotted


def test_the_cap() -> None:  # SG-99, SG-100
    game = set_up(3, "A", "PP PO", "f0 3/1/0; f1 0/0/3; f2 3/0/1; max_turns=1")
    check(do(game, "skip"), "winners 0 2; rewards 1/4 -1/2 1/4")
    game = set_up(3, "A", "PP PO", "f0 5/1/1; f1 1/7/0; mark0 Team; max_turns=1")
    check(do(game, "skip"), "winners 0; rewards 1 -1/2 -1/2")
    game = set_up(2, "A", "PP PO", "f0 6/0/0; f1 0/5/4; max_turns=1")
    check(do(game, "skip"), "winners 0; mark0 Team")  # not cut at victory
    game = set_up(2, "A", "PP PO", "f0 1/5/1; f1 5/0/5; mark1 Team; max_turns=2; victory_check=turn_start")
    check(do(copy_of(game), "skip"), "winners 1; turn 2")
    game.turn, game.marks = 2, [{1}, set()]
    check(do(game, "skip"), "winners 1; turn 2")


def test_random_polls_follow_the_generator() -> None:  # SG-39
    different = 0
    for seed in range(40):
        game = set_up(5, "P", "TC PO TS", "f2 0/0/0; challenge_order=random; hand4 SH FS")
        game.seed, game.plays = seed, [3, 1, 0, 2, 0]
        do(game, "play TC, declare TC")
        left = [1, 3, 4]
        asked = []
        for number in range(3):
            place = rng.below(np.uint64(seed), rng.GAME_STREAMS + 2, 6, number, len(left))
            asked.append(left.pop(place))
            assert (game.phase, game.to_move) == (CHALLENGE, asked[-1])
            game.step(action("pass"))
        assert (game.phase, game.plays) == (PLAY, [4, 1, 0, 2, 0])
        different += asked != [1, 3, 4]
    assert 20 < different < 40


def test_taking_from_the_pile() -> None:  # SG-71 to SG-73, SG-110, SG-111, SG-113
    game = set_up(3, "A", "AR PO", "pile TS HE TS HE GB")
    game.seen = [{0, 1}, {1, 2}, {2}, {0, 2}, {0, 1, 2}]
    do(game, "play AR, declare AR, pass, pass")
    check(game, "ask 0 pick agents; legal pick TS, pick HE, pick GB, leave; seen 01 012 02 02 *")
    assert game.left == 1
    check(do(copy_of(game), "leave"), "seen 01 012 02 02 *; ask 0 discard; known0 -")
    # The topmost copy goes. Seat 1 knew the other one: now it cannot tell.
    check(do(copy_of(game), "pick TS"), "pile TS HE HE GB; seen 0 012 02 *; known0 TS; holds0 TS")
    check(do(copy_of(game), "pick HE"), "pile TS HE TS GB; seen 01 02 02 *; known0 HE")
    check(do(copy_of(game), "pick GB"), "pile TS HE TS HE; seen 01 012 02 *; known0 GB")
    game.seen = [{0, 1}, {1, 2}, {2}, {0, 2}, {0, 1, 2}]
    do(game, "leave, discard PO, discard TC")
    check(game, "pile TS HE TS HE GB PO TC AR; seen 01 12 2 02 * 0 * *")


def test_the_copy_that_becomes_unknown_is_the_topmost() -> None:  # SG-111 and its convention
    game = set_up(3, "A", "AR HE", "hand1 SH TS; hand2 SH SH; pile TC TC PO TC PO")
    game.seen = [{0, 1, 2}, {0, 1}, {0, 1, 2}, {0}, {0, 1, 2}]
    do(game, "play AR, declare AR, pass, pass, pick TC")
    check(game, "pile TC TC PO PO; seen 01 0 * *")
    game = set_up(2, "A", "AR HE", "pile TC FS")
    game.seen = [{0}, {0, 1}]
    check(do(game, "play AR, declare AR, pass, pick TC"), "pile FS; seen *; known0 TC")


def test_known_cards() -> None:  # SG-113 to SG-115
    def start(known: str) -> Oracle:
        game = set_up(2, "A", "AR HE HE PO", "top SC")
        game.known[0] = kinds(known)
        return do(game, "play AR, declare AR, pass")

    check(do(start("HE HE PO"), "discard HE"), "known0 HE HE PO; hand0 HE PO SC")
    check(do(start("HE HE PO"), "discard HE, discard HE"), "known0 -")
    check(do(start("HE HE PO"), "discard SC, discard PO"), "known0 HE")
    check(do(start("HE HE"), "discard SC, discard PO"), "known0 HE")
    check(do(start("AR"), "discard SC, discard PO"), "known0 -")
    assert start("AR HE").known[0] == kinds("HE")  # turned up
    game = set_up(2, "A", "AR HE HE PO", "top SC")
    game.known[0] = kinds("AR HE HE")
    do(game, "play AR, declare HE")
    check(game, "known0 AR HE HE")  # face down
    check(do(game, "challenge, favour Team"), "known0 HE HE")


def test_one_discard_buries_nothing() -> None:  # SG-74, SG-75, SG-115
    game = set_up(2, "P", "AR HE", "top SC")
    game.hands[0] = kinds("AR")
    game.deck.append(kind("HE"))
    game.known[0] = kinds("AR")
    game.part = oracle.AGENT
    do(game, "play AR, declare AR, pass")
    assert (game.phase, game.left) == (DISCARD, 1)
    check(do(game, "discard SC"), "pile SC AR; seen * *; turn 2")


# --------------------------------------------------------------------------------------------------------- other decks


def other_game(name: str, n: int, hand: Sequence[int], pile: Sequence[int] = (), **chosen: Any) -> Oracle:
    """Returns a game at the Plotting phase of seat 0 with one of the oracle's own decks."""
    deck = oracle.deck_file(name)
    game_options = options(num_players=n, deck=deck, **chosen)
    left = Counter(game_options.load_deck().kinds())
    left.subtract([*hand, *pile])
    rest = sorted(left.elements())
    keep = game_options.hand_keep
    hands = [list(hand), *(rest[keep * seat : keep * seat + keep] for seat in range(n - 1))]
    position = Position(game_options, hands=hands, deck=rest[keep * (n - 1) :], pile=list(pile))
    return Oracle.from_position(position)


def test_a_position_may_leave_lists_out() -> None:
    game = other_game("every-op", 3, [0, 1, 2])
    check(game, "f0 1/1/1; f2 1/1/1; reserve 6/6/6; tokens 3")
    check_sums(game)
    assert game.seen == [] and game.marks == [set()] * 3 and game.plays == [0] * 3


def test_a_bribe_to_a_chosen_seat() -> None:  # SG-67, SG-68, SG-32, SG-56
    game = do(other_game("every-op", 3, [0, 0, 0]), "play #0, declare #0, pass, pass")
    assert (game.phase, game.recipient, game.target) == (RECIPIENT, None, None)
    check(game, "legal seat 1, seat 2")
    do(game, "seat 2")
    assert (game.phase, game.recipient) == (FAVOUR, 2)
    do(game, "favour Union")
    check(game, "f0 1/0/1; f2 1/2/1; held 0; ask 0 play agents; sizes 5 2 2")
    # One type left: no choice. None: no seat is asked either, and the following steps fall away.
    game = other_game("every-op", 3, [0, 0, 0])
    game.favours[0], game.reserve = [0, 1, 0], [7, 6, 7]
    do(game, "play #0, declare #0, pass, pass, seat 1")
    check(game, "f0 0/0/0; f1 1/2/1; held 0; ask 0 play agents; sizes 5 2 2")
    game = other_game("every-op", 3, [0, 0, 0])
    game.favours[0], game.reserve = [0, 0, 0], [7, 7, 7]
    do(game, "play #0, declare #0, pass, pass")
    check(game, "f0 0/0/0; held -; ask 0 play agents; sizes 2 2 2")
    game = other_game("every-op", 3, [4, 4])
    game.part, game.plotted = oracle.AGENT, True
    do(game, "play #4, declare #4, seat 1, pass, pass, seat 2")
    assert (game.phase, game.step_no, game.target, game.recipient) == (FAVOUR, 1, 1, None)
    check(do(game, "favour Union"), "f0 1/2/0; f1 0/0/1; f2 1/1/2; ask 1 play plotting")
    # Two seats: the seat is automatic, also with a named type.
    game = do(other_game("every-op", 2, [0, 0, 0]), "play #0, declare #0, pass")
    assert (game.phase, game.recipient) == (FAVOUR, 1)
    game = do(other_game("every-op", 2, [0, 0, 4]), "skip, play #0, declare #7, pass")
    # Effect: a bribe of Team, then gain any; bonus: a bribe of Team, but there is none left unless it was gained.
    assert (game.phase, game.bonus, game.step_no, game.carried) == (FAVOUR, False, 1, True)
    assert (game.target, game.bonus_target) == (1, None)
    again = do(copy_of(game), "favour Guild")
    check(again, "f0 0/1/2; f1 2/1/1; ask 1 play plotting")
    do(game, "favour Team")
    assert (game.phase, game.bonus, game.step_no, game.carried) == (FAVOUR, True, 1, True)
    check(do(game, "favour Team"), "f0 1/1/1; f1 3/1/1; ask 1 play plotting")


def test_own_losses_are_not_blocked() -> None:  # SG-64, SG-81
    game = other_game("every-op", 2, [7, 7, 2])
    game.shields, game.reserve_tokens = {0, 1}, 0
    game.part, game.plotted = oracle.AGENT, True
    do(game, "play #7, declare #5, pass, discard #2, discard #7, favour Union")  # discard 2, gain any
    check(game, "f0 1/2/1; ask 0 favour; legal favour Team, favour Union, favour Guild")  # bonus: lose any
    check(do(game, "favour Guild"), "f0 1/2/0; held 0 1; turn 2")
    game = other_game("every-op", 2, [7, 2, 2])
    game.shields, game.reserve_tokens = {0, 1}, 0
    game.part, game.plotted = oracle.AGENT, True
    do(game, "play #2, declare #7, pass")  # a bribe of Team, then gain any; bonus: lose Union, draw
    assert game.carried and game.step_no == 1
    check(do(game, "favour Guild"), "f0 0/0/2; f1 2/1/1; held 0 1; turn 2")
    assert len(game.hands[0]) == 3


def test_lists_go_on_after_steps_that_fail() -> None:  # SG-53 to SG-56
    game = other_game("every-op", 2, [2, 2, 2][:2])
    game.favours[0], game.reserve = [0, 0, 0], [5, 5, 5]
    do(game, "play #2, declare #2, pass")
    check(game, "f0 0/1/0; ask 0 play agents")  # nothing lost, so no Guild; the last step stands alone
    game = other_game("every-op", 2, [2, 2])
    do(game, "play #2, declare #2, pass, favour Team")
    check(game, "f0 0/2/2; ask 0 play agents")
    game = other_game("every-op", 2, [6, 6])
    game.part, game.plotted = oracle.AGENT, True
    game.shields, game.reserve_tokens = {1}, 1
    game.favours[1], game.reserve = [1, 3, 1], [4, 2, 4]
    do(game, "play #6, declare #6, pass")  # protect, steal Union, steal Union
    check(game, "f0 1/1/1; f1 1/3/1; held 0; tokens 1")
    game = other_game("every-op", 3, [6, 6])
    game.part, game.plotted = oracle.AGENT, True
    game.favours[1], game.reserve = [1, 3, 1], [6, 4, 6]
    do(game, "play #6, declare #6, seat 1, pass, pass")
    check(game, "f0 1/3/1; f1 1/1/1; held 0; tokens 2")


def test_looks_and_discards_of_several_cards() -> None:  # SG-71, SG-74, SG-75, SG-104
    game = do(other_game("every-op", 2, [1, 3, 4], pile=[2, 5, 5]), "play #1, declare #1, pass")
    assert (game.phase, game.left, game.carried) == (PICK, 2, False)
    assert game.legal() == {35 + 2, 35 + 5, 47}
    do(game, "pick #5")
    assert (game.phase, game.left, game.known[0], game.pile) == (PICK, 1, [5], [2, 5])
    again = do(copy_of(game), "leave")
    assert (again.phase, again.left, again.step_no, again.carried) == (DISCARD, 3, 1, True)
    do(game, "pick #2")
    assert (game.phase, game.left, sorted(game.known[0]), game.pile) == (DISCARD, 3, [2, 5], [5])
    do(game, "discard #3")
    assert (game.phase, game.left, game.aside, game.pile) == (DISCARD, 2, [3], [5])
    do(game, "discard #4, discard #2")
    assert (game.pile, game.seen) == ([5, 3, 4, 2, 1], [{0, 1}, {0}, {0}, {0, 1}, {0, 1}])
    assert game.hands[0] == [5] and game.known[0] == [] and game.phase == PLAY
    # SG-115: two buried cards may have been two of those known.
    game = other_game("every-op", 2, [1, 3, 3, 4, 6, 6, 6], pile=[2])
    game.known[0] = [4, 6, 6, 6]
    do(game, "play #1, declare #1, pass, leave, discard #3, discard #3")
    assert sorted(game.known[0]) == [4, 6, 6, 6] and game.aside == [3, 3]
    do(game, "discard #4")
    assert game.known[0] == [6]
    # The pile runs out: no further question. An empty pile: the discards do not follow.
    game = do(other_game("every-op", 2, [1, 3, 4], pile=[2]), "play #1, declare #1, pass, pick #2")
    assert (game.phase, game.step_no) == (DISCARD, 1)
    game = do(other_game("every-op", 2, [1, 3, 4]), "play #1, declare #1, pass")
    check(game, "ask 0 play agents; sizes 2 2")
    # A look without taking asks nothing; a bonus may have no step.
    game = other_game("every-op", 3, [1, 3, 4], pile=[2, 2])
    game.seen[0] = set()
    do(game, "skip, play #1, declare #5, pass, pass")
    assert (game.phase, game.left, game.step_no, game.seen) == (DISCARD, 2, 2, [{0}, {0, 1, 2}])
    do(game, "discard #3, discard #4, favour Team")
    check(game, "f0 2/1/2; ask 1 play plotting")
    assert game.pile == [2, 2, 3, 4, 1] and game.seen == [{0}, {0, 1, 2}, {0}, {0, 1, 2}, {0, 1, 2}]


def test_nothing_left_to_draw() -> None:  # SG-14, SG-17, SG-70, SG-25
    game = other_game("scarce", 2, [0, 1, 2], victory=9)
    game.hands = [[0, 0, 0, 1, 1, 1, 2, 2], [2]]
    game.deck = []
    do(game, "play #0, pass")
    check(game, "f0 1/1/1; ask 0 play agents; sizes 7 1; pile TC")  # nothing drawn, so no Team
    do(game, "play #0, declare #1, pass, discard #0, discard #1, discard #2, pick #1, pick #2")
    assert game.turn == 2 and game.pile == [] and game.deck == [0] and game.rebuilds == 1
    assert sorted(game.known[0]) == [1, 1, 1, 2, 2] and game.known[1] == [2] and len(game.hands[1]) == 3
    assert game.favours == [[1, 1, 2], [1, 1, 1]]


def test_one_card_left_to_draw() -> None:  # SG-70
    game = other_game("scarce", 2, [0, 1, 2], victory=9)
    game.hands, game.deck = [[0, 0, 0, 1, 1, 1, 2], [2]], [2]
    do(game, "play #0, pass")
    check(game, "f0 2/1/1; ask 0 play agents; sizes 7 1; pile TC; deck 0")


def test_one_kind_to_declare() -> None:  # SG-27, SG-101
    game = other_game("one-kind", 2, [0, 0, 0])
    game = new_game(0, num_players=2, deck=oracle.deck_file("one-kind"), first_seat=0)
    check(game, "ask 0 play agents")
    assert game.legal() == {0}
    do(game, "play #0")
    assert (game.phase, game.to_move, game.declared, game.target) == (CHALLENGE, 1, 0, 1)
    do(game, "pass, favour Guild, favour Team")
    check(game, "f0 2/1/2; f1 1/1/0; ask 1 play agents; turn 2")
    game = new_game(0, num_players=3, deck=oracle.deck_file("one-kind"), first_seat=0)
    do(game, "play #0")
    check(game, "ask 0 target agents")


def test_the_small_variant() -> None:  # SG-27, SG-28; section 9
    game = new_game(0, **oracle.small_variant(2))
    assert game.legal() == set(game.hands[0]) and game.actor == 0 and [len(hand) for hand in game.hands] == [2, 1]
    assert len(game.deck) == 3 and game.reserve == [4, 4, 0] and game.favours == [[1, 1, 0]] * 2
    game.start([0, 0, 1, 1, 2, 2], 0)
    do(game, "play #0, declare #2, pass")
    assert game.phase == FAVOUR and game.legal() == {32, 33}
    do(game, "favour Union")
    check(game, "f0 1/3/0; f1 1/0/0; ask 1 play plotting; sizes 1 2; turn 2")


# ------------------------------------------------------------------------------------------------------------- rewards


@pytest.mark.parametrize("victory", [2, 5])
@pytest.mark.parametrize("n", range(2, 7))
def test_favours_rewards(n: int, victory: int) -> None:  # SG-126, SG-127
    for seed in range(3):
        game = new_game(seed, num_players=n, reward="favours", max_turns=9, victory=victory)
        choose = at_random(seed)
        total = [0.0] * n

        def lead(game: Oracle, seat: int) -> Fraction:
            b = [Fraction(min(victory, max(group)), victory) for group in game.favours]
            return b[seat] - sum((b[p] for p in range(n) if p != seat), Fraction(0)) / (n - 1)

        while not over(game):
            before = [lead(game, seat) for seat in range(n)]
            game.step(choose(game))
            shares = [Fraction(0)] * n
            if game.done:
                w = len(game.winners)
                shares = [Fraction(n - w, w * (n - 1)) if p in game.winners else Fraction(-1, n - 1) for p in range(n)]
            for seat in range(n):
                after = Fraction(0) if game.done else lead(game, seat)
                exact = shares[seat] + (after - before[seat]) / 4
                assert abs(game.rewards[seat] - exact) < 2e-7
                assert game.rewards[seat] == np.float32(game.rewards[seat])
                if not game.done:
                    assert game.rewards[seat] == float32(exact)
            assert sum(game.rewards) == pytest.approx(0, abs=1e-6)
            total = [so_far + reward for so_far, reward in zip(total, game.rewards, strict=True)]
        assert total == pytest.approx([float(share) for share in shares], abs=1e-5)


# --------------------------------------------------------------------------------------------------------- random games


def play_through(game: Watched, choose: Chooser) -> Counter[int]:
    """Plays to the end, checking every step; returns how often each phase was asked."""
    n, chosen = game.n, game.options
    asked: Counter[int] = Counter()
    streaks: list[set[int]] = [set() for _ in range(n)]  # the majorities at the own last check
    game.low = [set() for _ in range(n)]
    in_turn = plays = 0
    while not over(game):
        legal = game.legal()
        assert legal and min(legal) >= 0 and max(legal) < 60
        asked[game.phase] += 1
        if game.phase in (DECLARE, TARGET, BONUS_TARGET, RECIPIENT, FAVOUR, TAKE, CHALLENGE):
            assert len(legal) > 1  # SG-101, SG-103
        before = game.position()
        actor, turn = game.actor, game.turn
        if game.phase == PLAY:
            assert game.to_move == actor
        if game.phase == CHALLENGE:
            assert sum(game.favours[game.to_move]) > 0 and game.to_move not in {actor, *game.passed}  # SG-38
        move = choose(game)
        played = before.phase == PLAY and move != 12
        in_turn, plays = in_turn + played, plays + played
        game.step(move)
        check_sums(game)
        if game.turn != turn or game.done:
            ended = turn if game.done and game.turn == turn else game.turn - 1
            won_at_start = game.done and game.turn != turn
            assert game.turn in (turn, turn + 1)
            assert in_turn == 1 or (in_turn == 2 and before.agents) or chosen.card_fits_phase
            in_turn = 0
            majorities = {t for t in range(3) if game.favours[actor][t] >= chosen.victory}
            streak = streaks[actor] - (game.low[actor] if chosen.victory_check == "held" else set())
            wins = chosen.victory_check != "turn_start" and bool(majorities & streak)
            if wins:
                assert game.done and game.winners == {actor} and game.actor == actor
                break
            streaks[actor], game.low[actor] = majorities, set()
            assert game.marks[actor] == majorities
            if won_at_start:
                assert chosen.victory_check == "turn_start" and game.actor == (actor + 1) % n
                now = {t for t in range(3) if game.favours[game.actor][t] >= chosen.victory}
                assert now & streaks[game.actor] and game.winners == {game.actor}
                break
            assert (ended == chosen.max_turns) == game.done
            if not game.done:
                assert game.actor == (actor + 1) % n
                if chosen.victory_check == "turn_start":
                    now = {t for t in range(3) if game.favours[game.actor][t] >= chosen.victory}
                    assert not now & streaks[game.actor]
                sizes = [len(hand) for hand in game.hands]
                if game.deck or game.pile:
                    assert sizes[actor] >= chosen.hand_keep and sizes[game.actor] >= chosen.hand_draw
                if chosen.protection == "until_turn":
                    assert game.actor not in game.shields  # SG-83
            else:
                top = max(map(max, game.favours))
                first = [p for p in range(n) if max(game.favours[p]) == top]
                most = max(sum(game.favours[p]) for p in first)
                assert game.winners == {p for p in first if sum(game.favours[p]) == most}
    assert game.turn <= chosen.max_turns and game.to_move == 0
    assert sum(game.rewards) == pytest.approx(0, abs=1e-6)
    for seat in range(n):
        assert game.polls[seat] >= game.challenges[seat] >= game.challenges_won[seat]
    assert sum(game.plays) == plays >= sum(game.bluffs) >= sum(game.challenges_won)
    assert sum(game.polls) == asked[CHALLENGE]
    return asked


@pytest.mark.parametrize("n", range(2, 7))
def test_invariants(n: int) -> None:
    total: Counter[int] = Counter()
    for seed in range(12):
        game = watched_game(seed, num_players=n)
        asked = play_through(game, at_random(seed))
        total += asked
        assert asked.total() <= 2 * (n + 8) * 60 * n and game.turn <= 60 * n
        assert len(game.winners) == 1  # SG-98
    assert {PLAY, DECLARE, CHALLENGE, FAVOUR, PICK, DISCARD, TAKE} <= set(total)
    assert ({TARGET, BONUS_TARGET} <= set(total)) == (n > 2)


@pytest.mark.parametrize("number", range(len(oracle.option_sets())))
def test_option_sets(number: int) -> None:
    """A game set up again from its position after every action goes on as the game itself."""
    chosen = oracle.option_sets()[number]
    play_through(watched_game(number, **chosen), at_random(number))
    game, choose = new_game(5, **chosen), at_random(number)
    for _ in range(150):
        if game.done:
            break
        again = copy_of(game)
        assert again.position() == game.position() and again.legal() == game.legal()
        assert notation.parse(game.position().text()).text() == game.position().text()
        move = choose(game)
        game.step(move)
        again.step(move)
        assert again.position() == game.position() and again.position().text() == game.position().text()
        assert (again.points, again.winners, again.done) == (game.points, game.winners, game.done)
        assert (again.reserve, again.reserve_tokens) == (game.reserve, game.reserve_tokens)


def test_option_sets_are_many() -> None:
    sets = [options(**chosen) for chosen in oracle.option_sets()]
    assert len(set(sets)) == len(sets)
    for n in range(2, 7):
        of_n = [entry for entry in sets if entry.num_players == n]
        wanted: dict[str, set[Any]] = {
            "protection": {"single", "until_turn"},
            "victory_check": {"turn_end", "held", "turn_start"},
            "challenge_order": {"clockwise", "random"},
            "card_fits_phase": {False, True},
            "reward": {"win_share", "favours"},
            "first_seat": {"random", 0, n - 1},
            "tokens": {0, 1, n},
        }
        for name, values in wanted.items():
            assert {getattr(entry, name) for entry in of_n} >= values
    small = [entry for entry in sets if Path(entry.deck).name == "small_deck.toml"]
    assert {entry.max_turns for entry in small} >= {2, 3, 4}


# --------------------------------------------------------------------------------------------------------------- worlds


def view(position: Position, seat: int) -> tuple[object, ...]:
    """Returns what a seat sees of a position (SG-107 to SG-110, SG-113)."""
    face_down = position.phase in FACE_DOWN
    own = seat == position.actor
    return (
        (position.phase, position.turn, position.actor, position.move, position.agents, position.plotted),
        (position.favours, position.shields, position.marks, position.declared, position.target, position.passed),
        (position.challenger, position.bonus, position.step, position.carried, position.left, position.bonus_target),
        (position.recipient, position.blocked, position.rebuilds, position.plays, position.bluffs, position.polls),
        (position.known, position.rewards, position.winners, len(position.deck), len(position.pile)),
        [len(hand) for hand in position.hands],
        sorted(position.hands[seat]),
        position.aside if own else len(position.aside),
        position.table if own or not face_down else position.table is None,
        [k if seat in who else None for k, who in zip(position.pile, position.seen, strict=True)],
    )


WORLD_GAMES: dict[str, dict[str, Any]] = {
    "small": oracle.small_variant(4),
    "small-long": {**oracle.small_variant(30), "first_seat": "random"},
    "scarce": {"num_players": 2, "deck": oracle.deck_file("scarce"), "victory": 6},
    "scarce-fits": {"num_players": 2, "deck": oracle.deck_file("scarce"), "victory": 6, "card_fits_phase": True},
    "scarce-3": {"num_players": 3, "deck": oracle.deck_file("scarce"), "victory": 7},
    "scarce-3-fits": {"num_players": 3, "deck": oracle.deck_file("scarce"), "victory": 7, "card_fits_phase": True},
}


def dealt_worlds(position: Position, seat: int) -> dict[oracle.World, Fraction] | None:
    """Returns the chances of worlds by going through every order of the pool, card by card; None if it is too large.

    Follows SG-118 to SG-122 and SG-131 to the letter; a repeated shuffle counts for nothing.
    """
    game = Oracle.from_position(position)
    n, actor = game.n, game.actor
    face_down = game.phase in FACE_DOWN
    unseen = list(game.cards.kinds())
    known_to_seat = [*game.hands[seat], *(k for p in range(n) if p != seat for k in game.known[p])]
    if actor == seat:
        known_to_seat += game.aside
    if game.table is not None and not (face_down and actor != seat):
        known_to_seat.append(game.table)
    known_to_seat += [k for k, who in zip(game.pile, game.seen, strict=True) if seat in who]
    for k in known_to_seat:
        unseen.remove(k)
    if len(unseen) > 7:
        return None
    found: Counter[oracle.World] = Counter()
    weights: dict[oracle.World, Fraction] = {}
    for order in permutations(unseen):
        cards = list(order)
        groups: dict[int, list[int]] = {}
        for p in range(n):
            if p != seat:
                hidden = len(game.hands[p]) - len(game.known[p])
                if p == actor:
                    hidden += len(game.aside) + (1 if face_down else 0)
                groups[p] = game.known[p] + [cards.pop() for _ in range(hidden)]
        deck = tuple(cards.pop() for _ in game.deck)
        pile = tuple(k if seat in who else cards.pop() for k, who in zip(game.pile, game.seen, strict=True))
        assert not cards
        splits: list[tuple[int | None, tuple[int, ...], list[int]]] = []  # table, aside, the rest
        if actor == seat:
            splits = [(game.table, tuple(game.aside), [])]
        else:
            whole = groups[actor]
            if face_down:
                places = range(len(whole))
                if game.options.card_fits_phase:
                    places = [i for i in places if game.cards.cards[whole[i]].card_type == game.part]  # type: ignore[assignment]
                splits = [(whole[i], (), whole[:i] + whole[i + 1 :]) for i in places]
            else:
                for taken in permutations(range(len(whole)), len(game.aside)):
                    rest = [whole[i] for i in range(len(whole)) if i not in taken]
                    splits.append((game.table, tuple(whole[i] for i in taken), rest))
                skipped = game.options.card_fits_phase and game.phase == PLAY and game.part == 1 and not game.plotted
                if skipped and all(game.cards.cards[k].card_type == 0 for k in whole):
                    splits = []
        for table, aside, rest in splits:
            if actor != seat:
                groups[actor] = rest
            hands = tuple(tuple(sorted(groups.get(p, game.hands[seat]))) for p in range(n))
            world = (hands, table, aside, deck, pile)
            found[world] += 1
            weights[world] = weights.get(world, Fraction(0)) + Fraction(1, len(splits))
    total = sum(weights.values(), Fraction(0))
    return {world: weight / total for world, weight in weights.items()}


@pytest.mark.parametrize("name", WORLD_GAMES)
def test_worlds(name: str) -> None:
    compared = several = 0
    phases: set[int] = set()
    for seed in range(4):
        game, choose = new_game(seed, **WORLD_GAMES[name]), at_random(seed)
        chooser = random.Random(seed)
        for _ in range(120):
            position = game.position()
            for seat in range(game.n) if chooser.random() < (0.08 if "scarce" in name else 1) else []:
                expected = dealt_worlds(position, seat)
                if expected is None:
                    continue
                found = list(oracle.worlds(position, seat))
                assert len(found) == len(set(found))
                assert oracle.chances(position, seat) == expected
                assert set(found) == set(expected) and oracle.world_of(position) in expected  # SG-123
                compared, several = compared + 1, several + (len(found) > 1)
                phases.add(game.phase)
                for world in chooser.sample(found, min(3, len(found))):
                    other = oracle.with_world(position, world)
                    assert oracle.world_of(other) == world
                    assert view(other, seat) == view(position, seat)  # SG-120
                    check_sums(Oracle.from_position(other))
                    if seat == game.to_move:
                        assert Oracle.from_position(other).legal() == game.legal()
            if game.done:
                break
            game.step(choose(game))
    assert compared > 15 and several > 10 and {PLAY, CHALLENGE} <= phases


def test_worlds_of_a_hidden_card() -> None:  # SG-118 to SG-122 by hand
    game = new_game(0, **oracle.small_variant(4))
    game.start([0, 1, 2, 2, 1, 0], 0)  # seat 0 holds 0 2, seat 1 holds 1
    do(game, "play #2, declare #0")
    found = oracle.chances(game.position(), 1)
    # Two of 0 0 1 2 2 in the hand of seat 0 and on the table, the other three in the deck.
    assert len(found) == 5 * 4 * 3 * 2 // (2 * 2) and sum(found.values()) == 1  # each order of all five once
    assert set(found.values()) == {Fraction(1, 30)}
    game.known[0] = [2]
    found = oracle.chances(game.position(), 1)
    tables = {k: sum(p for world, p in found.items() if world[1] == k) for k in range(3)}
    assert tables == {0: Fraction(1, 4), 1: Fraction(1, 8), 2: Fraction(5, 8)}


@pytest.mark.parametrize("fits", [False, True])
def test_worlds_of_cards_that_fit(fits: bool) -> None:  # SG-122, SG-131 by hand
    game = other_game("one-type", 2, [0, 1], [0] * 5 + [1] * 4, favour_types=1, card_fits_phase=fits)
    game.hands[1], game.deck, game.part = [0, 1], [0], oracle.AGENT
    check_sums(game)  # seat 1 does not see two plots and one agent: the hand of seat 0 and the deck

    def hands(position: Position) -> dict[tuple[int, ...], Fraction]:
        found: dict[tuple[int, ...], Fraction] = {}
        for world, chance in oracle.chances(position, 1).items():
            found[world[0][0]] = found.get(world[0][0], Fraction(0)) + chance
        return found

    if fits:
        assert hands(game.position()) == {(0, 1): Fraction(1)}  # not skipped otherwise
    else:
        assert hands(game.position()) == {(0, 1): Fraction(2, 3), (0, 0): Fraction(1, 3)}
    again = copy_of(game)
    again.plotted = True
    assert hands(again.position()) == {(0, 1): Fraction(2, 3), (0, 0): Fraction(1, 3)}
    again = copy_of(game)
    again.part = oracle.PLOT
    assert hands(again.position()) == {(0, 1): Fraction(2, 3), (0, 0): Fraction(1, 3)}
    do(game, "play #1")
    assert game.phase == CHALLENGE
    found = oracle.chances(game.position(), 1)
    tables = {(world[0][0], world[1]): chance for world, chance in found.items()}
    if fits:
        assert tables == {((0,), 1): Fraction(1)}
    else:
        third = Fraction(1, 3)
        assert tables == {((0,), 1): third, ((1,), 0): third, ((0,), 0): third}


def all_orders(deck: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return iter(sorted(set(permutations(deck))))


@pytest.mark.parametrize("seed", range(6))
def test_worlds_are_those_that_can_have_happened(seed: int) -> None:
    """In the small variant nothing is forgotten: worlds are what remains of the 90 orders of the deck."""
    game, choose = new_game(seed, **oracle.small_variant(4)), at_random(seed)
    candidates = []
    for order in all_orders([0, 0, 1, 1, 2, 2]):
        other = Oracle(game.options)
        other.start(order, 0)
        candidates.append(other)
    assert len(candidates) == 90
    remaining = {seat: [c for c in candidates if c.hands[seat] == game.hands[seat]] for seat in (0, 1)}
    while True:
        position = game.position()
        for seat in (0, 1):
            possible = {oracle.world_of(candidate.position()) for candidate in remaining[seat]}
            assert set(oracle.worlds(position, seat)) == possible
        if game.done:
            break
        move, mover, down = choose(game), game.to_move, game.phase == PLAY
        game.step(move)
        for seat in (0, 1):
            after = []
            for candidate in remaining[seat]:
                # Another seat's card is face down: it may be any.
                tries = (
                    sorted(candidate.legal()) if down and mover != seat else [move] if move in candidate.legal() else []
                )
                for attempt in tries:
                    other = copy_of(candidate)
                    other.step(attempt)
                    if view(other.position(), seat) == view(game.position(), seat):
                        after.append(other)
            remaining[seat] = after


# ------------------------------------------------------------------------------------------------------ the small tree


def count_tree(max_turns: int) -> tuple[int, int, int, int]:
    """Walks all games of section 9; returns information sets, decision nodes, ended games, most decisions."""
    sets: set[tuple[object, ...]] = set()
    nodes = ended = longest = 0

    def walk(game: Oracle, public: tuple[object, ...], private: tuple[tuple[object, ...], ...], depth: int) -> None:
        nonlocal nodes, ended, longest
        if game.done:
            ended += 1
            longest = max(longest, depth)
            return
        nodes += 1
        seat = game.to_move
        down = game.table if seat == game.actor else None  # also right after PLAY: DECLARE follows
        own = (*private[seat], tuple(sorted(game.hands[seat])), down)
        sets.add((seat, public, own))
        position, table, phase = game.position(), game.table, game.phase
        remembered = (own, private[1]) if seat == 0 else (private[0], own)
        for move in game.legal():
            after = Oracle.from_position(position)
            after.step(move)
            seen: tuple[object, ...] = (*public, "down" if phase == PLAY else move)
            if after.plays != position.plays:
                seen = (*seen, ("up", move if table is None else table))
            walk(after, seen, remembered, depth + 1)

    chosen = options(**oracle.small_variant(max_turns))
    for order in all_orders([0, 0, 1, 1, 2, 2]):
        game = Oracle(chosen)
        game.start(order, 0)
        walk(game, (), ((), ()), 0)
    return len(sets), nodes, ended, longest


def test_counts_of_the_small_tree() -> None:
    assert count_tree(2) == (2266, 25710, 28760, 9)
