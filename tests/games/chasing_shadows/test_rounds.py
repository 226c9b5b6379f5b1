"""Cards, deal, tricks and scoring beyond the vectors: CS-01 to CS-60."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from shadowenvs import rng
from shadowenvs.batch import Batch
from shadowenvs.games.chasing_shadows import GAME
from shadowenvs.games.chasing_shadows.notation import Position
from shadowenvs.games.chasing_shadows.scoring import box_score
from tests.games.chasing_shadows.table import (
    COUNTS,
    END,
    PLAY,
    Table,
    before_scoring,
    box_of,
    deck,
    few,
    members,
    options,
    rank_of,
    suit_of,
    trick_so_far,
)


def places(position: Position) -> list[set[int]]:
    """Returns the cards of all places after a deal."""
    return [*position.hands, {position.spotlight or 0}, position.first, position.aside]


@pytest.mark.rule("CS-01", "CS-02")
def test_the_box() -> None:
    """Five seats use the whole box: one card of each suit and rank, and no other."""
    position = Table.dealt(1, num_players=5).now
    counted = Counter(card for place in places(position) for card in place)
    assert counted == Counter(suit * 15 + rank for suit in range(4) for rank in range(15))
    names = [GAME.format_action(options(num_players=5), card) for card in range(60)]
    assert names == [f"play {letter}{rank}" for letter in "BRYG" for rank in range(15)]
    assert [GAME.format_action(options(), 60 + suit)[8:] for suit in range(4)] == ["blue", "red", "yellow", "grey"]


@pytest.mark.rule("CS-03", "CS-10", "CS-11", "CS-12", "CS-13", "CS-14")
@pytest.mark.parametrize(("n", "ranks", "hand", "aside"), [(3, 11, 13, 2), (4, 14, 13, 0), (5, 15, 11, 0)])
def test_cards_of_a_deal(n: int, ranks: int, hand: int, aside: int) -> None:
    for seed in range(few(50, 5)):
        position = Table.dealt(seed, num_players=n).now
        whole = Counter(card for place in places(position) for card in place)
        assert whole == Counter(suit * 15 + rank for suit in range(4) for rank in range(ranks))
        assert [len(cards) for cards in position.hands] == [hand] * n
        assert (len(position.first), len(position.aside)) == (n - 1, aside)
        assert sorted(suit_of(card) for card in position.first) == position.follow


@pytest.mark.rule("CS-09", "CS-10", "CS-11", "CS-12", "CS-13", "CS-07", "CS-109")
@pytest.mark.parametrize("chosen", [{"num_players": n} for n in COUNTS] + [{"num_players": 3, "hand_size": 4}])
def test_how_a_deal_reads_the_shuffle(chosen: dict[str, Any]) -> None:
    """Hands by seat, the spotlight card, the first follow cards, the cards set aside; anew in every round."""
    table = Table.dealt(3, **chosen)
    n, h = table.n, table.options.hand_size or 0
    seed = np.uint64(table.row["seed"])
    assert table.now.starter == rng.below(seed, rng.GAME_STREAMS + 1, 0, 0, n)
    found = []
    for number in (1, 2, 3):
        table.run(random.Random(number), until=lambda now, number=number: now.now.round_no == number)
        array = np.array(sorted(deck(table.options)), np.int8)
        rng.shuffle(seed, rng.GAME_STREAMS, number, array)
        order = [int(card) for card in array]
        position = table.now
        assert position.hands == [set(order[seat * h : (seat + 1) * h]) for seat in range(n)]
        assert position.spotlight == order[n * h]
        assert position.first == set(order[n * h + 1 : n * h + n])
        assert position.aside == set(order[n * h + n :])
        assert position.taken == [set()] * n
        found.append(order)
    assert found[0] != found[1] != found[2] != found[0]


@pytest.mark.rule("CS-09")
@pytest.mark.parametrize("n", COUNTS)
def test_every_card_is_dealt_everywhere(n: int) -> None:
    """The frequency of each card in each place is right within five standard deviations."""
    number = few(4000, 300)
    batch = Batch(GAME, number, num_players=n)
    batch.reset(1)
    states = batch.get_states()
    whole = sorted(deck(batch.options))  # type: ignore[arg-type]
    groups = [states["hand"][:, seat] for seat in range(n)] + [states["first"], states["aside"]]
    for group in groups:
        bits = group[:, None] >> np.array(whole, np.uint64) & np.uint64(1)
        share = int(bits[0].sum()) / len(whole)
        deviation = (bits.sum(axis=0) - number * share) / max(1e-9, (number * share * (1 - share)) ** 0.5)
        assert np.abs(deviation).max() < 5
    spotlight = Counter(states["spotlight"].tolist())
    assert set(spotlight) == set(whole) or number < 2000


@pytest.mark.rule("CS-07")
@pytest.mark.parametrize("n", COUNTS)
def test_the_first_starter_is_drawn(n: int) -> None:
    number = few(6000, 300)
    batch = Batch(GAME, number, num_players=n)
    batch.reset(5)
    counts = np.bincount(batch.get_states()["starter"], minlength=n)
    assert len(counts) == n
    assert (np.abs(counts - number / n) < 5 * (number / n) ** 0.5).all()


@pytest.mark.rule("CS-05", "CS-19", "CS-26")
@pytest.mark.parametrize("n", COUNTS)
def test_a_trick_goes_round(n: int) -> None:
    """Every seat plays one card, clockwise from the leader; each later seat's play costs one follow card."""
    table = Table.dealt(4, num_players=n)
    chooser = random.Random(4)
    for _ in range(5):
        lead, number = table.now.lead, table.now.trick_no
        order = []
        while table.now.trick_no == number:
            before = table.now
            seat = table.seat
            table.act(chooser.choice(table.actions))
            after = table.now
            if before.phase == PLAY:
                order.append(seat)
                assert [len(hand) for hand in after.hands] == [
                    len(hand) - (other == seat) for other, hand in enumerate(before.hands)
                ]
                (played,) = before.hands[seat] - after.hands[seat]
                assert after.trick_no != number or after.table[seat] == played
            if after.trick_no == number:
                acted = seat != lead and after.phase == PLAY
                assert len(after.follow) == len(before.follow) - acted
                assert after.move == (seat if after.phase != PLAY else (seat + 1) % n)
        assert order == [(lead + place) % n for place in range(n)]


@pytest.mark.rule("CS-05")
@pytest.mark.parametrize("n", [2, 6, 0])
def test_numbers_of_seats(n: int) -> None:
    assert GAME.seats == range(3, 6)
    with pytest.raises(ValueError, match="num_players must be between 3 and 5"):
        options(num_players=n)


@pytest.mark.rule("CS-30")
def test_which_of_equal_follow_cards_is_not_asked() -> None:
    """Two blue follow cards: one of them goes, by one and the same action."""
    table = trick_so_far(5, "Y14", "G1", "R3 R4", "B B R Y").do("play R3")
    assert table.now.follow == [0, 0, 2]
    table = trick_so_far(5, "Y14", "G1", "G3 G4", "B B R Y").do("play G3")
    assert table.discards == [0, 1, 2]
    assert table.do("discard blue").now.follow == [0, 1, 2]


@pytest.mark.rule("CS-33")
@pytest.mark.parametrize("n", COUNTS)
def test_what_is_removed_stays_away(n: int) -> None:
    """Removed follow cards are never again in a hand, in the spotlight, taken, or follow cards."""
    table = Table.dealt(6, num_players=n)
    lying: set[int] = set()  # cards of the trick before that are follow cards now
    gone: set[int] = set()
    before = table.now
    for now in table.states(random.Random(6)):
        position = now.now
        if position.round_no == 2:
            break
        if position.trick_no > before.trick_no:
            gone |= lying
            played = {card for card in before.table if card is not None}
            played |= before.hands[before.move] - position.hands[before.move]
            lying = played - {position.spotlight}
            assert Counter(suit_of(card) for card in lying) == Counter(position.follow)
        assert not gone & set().union(*position.hands, *position.taken, {position.spotlight}, position.table)
        before = position
    assert len(gone) == (n - 1) * (table.options.num_tricks - 2)


@pytest.mark.rule("CS-34")
def test_nobody_wins_before_the_last_card() -> None:
    """The best card so far may still be beaten by the last seat."""
    line = "num_players=3 spotlight=Y8 follow=RR hands=B6B1B2/R3R1R2/R7R9R10"
    table = Table.at(line).do("play B6", "play R3")
    assert table.now.taken == [set()] * 3
    assert table.see(0)("winning")[:3].tolist() == [1, 0, 0]
    table.do("play R7")
    assert table.now.lead == 2
    assert table.now.taken[2] == {38}


@pytest.mark.rule("CS-41", "CS-42")
@pytest.mark.parametrize("n", COUNTS)
def test_taken_cards_stay_in_sight(n: int) -> None:
    """A winner gets the spotlight card alone, and all seats see who has taken what until the scoring."""
    table = Table.dealt(8, num_players=n, rounds=2)
    before = table.now
    for now in table.states(random.Random(8)):
        position = now.now
        if position.trick_no > before.trick_no:
            gained = [position.taken[seat] - before.taken[seat] for seat in range(n)]
            assert gained == [{before.spotlight} if seat == position.lead else set() for seat in range(n)]
        if position.round_no == before.round_no:
            for seat in range(n):
                assert before.taken[seat] <= position.taken[seat]
        for seat in range(n) if position.table == [None] * n else ():
            rows = now.see(seat)("taken")
            for place in range(n):
                assert set(np.flatnonzero(rows[place]).tolist()) == position.taken[(seat + place) % n]
        before = position


@pytest.mark.rule("CS-46", "CS-47", "CS-48")
@pytest.mark.parametrize("n", COUNTS)
def test_tricks_of_a_round(n: int) -> None:
    """h - 1 tricks; the last one too is followed, won and replaced, then each seat scores its unplayed card."""
    chosen = options(num_players=n, rounds=1)
    h = chosen.hand_size or 0
    table = Table.dealt(9, num_players=n, rounds=1)
    tricks = 0
    before = table.now
    for now in table.states(random.Random(9)):
        position = now.now
        tricks += position.trick_no > before.trick_no
        if now.done:
            break
        before = position
    assert tricks + 1 == h - 1 == before.trick_no
    last = before.move
    unplayed = [before.hands[seat] & position.taken[seat] for seat in range(n)]
    assert all(len(cards) == 1 for cards in unplayed)
    played = (before.hands[last] - unplayed[last]).pop()
    trick = [card if card is not None else played for card in before.table]
    winner = position.lead
    assert before.spotlight in position.taken[winner]
    assert position.spotlight == trick[winner]
    others = sorted(suit_of(card) for seat, card in enumerate(trick) if seat != winner)
    assert position.follow == others
    assert sum(map(len, position.taken)) == sum(map(len, before.taken)) + 1 + n


@pytest.mark.rule("CS-48", "CS-49", "CS-50", "CS-55", "CS-58")
@pytest.mark.parametrize("n", COUNTS)
def test_what_is_scored(n: int) -> None:
    """Taken and unplayed cards and nothing else; at the end everybody has seen the unplayed cards."""
    for seed in range(few(20, 2)):
        table = Table.dealt(seed, num_players=n, rounds=1)
        before = table.now
        for now in table.states(random.Random(seed)):
            if not now.done:
                before = now.now
        after = table.now
        assert after.hands == [set()] * n
        for seat in range(n):
            cards = before.taken[seat] | (after.taken[seat] & before.hands[seat])
            cards |= {before.spotlight or 0} if seat == after.lead else set()
            assert after.taken[seat] == cards
            expected = [box_of(rank_of(card) for card in cards if suit_of(card) == suit) for suit in range(4)]
            assert after.boxes[0][seat] == expected
            seen = set(np.flatnonzero(table.see(seat)("seen")).tolist())
            assert seen == deck(table.options) - after.first - after.aside
            for other in range(n):
                assert set(np.flatnonzero(table.see(seat)("taken")[(other - seat) % n]).tolist()) == after.taken[other]


@pytest.mark.rule("CS-57", "CS-113", "CS-55")
@pytest.mark.parametrize("ranks", [3, 11, 14])
def test_a_lone_zero_in_every_deck(ranks: int) -> None:
    """Taken, or unplayed."""
    chosen = options(num_players=3, num_ranks=ranks, hand_size=2)
    for unplayed in (0, 16):
        scored = [{0, 16}, {31}, {46}]
        table, play = before_scoring(chosen, scored, unplayed={0: unplayed})
        assert (0 in table.now.hands[0]) == (unplayed == 0)
        table.act(play)
        assert table.now.boxes[0][0] == [15, 1, None, None]


@pytest.mark.rule("CS-60")
@pytest.mark.parametrize("n", COUNTS)
def test_score_sheets_are_public(n: int) -> None:
    table = Table.dealt(10, num_players=n)
    for number in (2, 3):
        table.run(random.Random(number), until=lambda now, number=number: now.now.round_no == number)
        sheets = table.now.boxes
        for seat in range(n):
            seen = table.see(seat)("boxes")
            for place in range(n):
                for round_index in range(3):
                    own = sheets[round_index][(seat + place) % n] if round_index < len(sheets) else [None] * 4
                    assert seen[place][round_index].tolist() == [-1 if score is None else score for score in own]
            totals = table.see(seat)("totals")
            assert [int(totals[(other - seat) % n]) for other in range(n)] == table.points


@pytest.mark.rule("CS-63", "CS-65", "CS-06")
@pytest.mark.parametrize("n", COUNTS)
def test_points_are_struck_once_at_the_end(n: int) -> None:
    """Until then points are the sums of all boxes; round 3 ends the game."""
    for seed in range(few(10, 1)):
        table = Table.dealt(seed, num_players=n)
        for now in table.states(random.Random(seed)):
            position = now.now
            sums = [sum(score or 0 for sheet in position.boxes for score in sheet[seat]) for seat in range(n)]
            if not now.done:
                assert now.points == sums
                assert position.phase != END
        struck = []
        for seat in range(n):
            columns = [[sheet[seat][suit] for sheet in position.boxes] for suit in range(4)]
            filled = [[score for score in column if score is not None] for column in columns]
            struck.append(sum(column[0] for column in filled if len(column) == 2))
        assert table.points == [total - lost for total, lost in zip(sums, struck, strict=True)]
        assert (position.phase, position.round_no, len(position.boxes)) == (END, 3, 3)


@pytest.mark.rule("CS-04")
@pytest.mark.parametrize("n", COUNTS)
def test_backs_show_suits(n: int) -> None:
    """In hands, among the follow cards, first or not, and among the cards set aside."""
    table = Table.dealt(11, num_players=n, num_ranks=13, hand_size=7)
    for number, now in enumerate(table.states(random.Random(11))):
        if number % few(1, 7):
            continue
        position = now.now
        for seat in range(n):
            see = now.see(seat)

            def counts(cards: Any) -> list[int]:
                return [sum(suit_of(card) == suit for card in cards) for suit in range(4)]

            assert see("first_suits").tolist() == counts(position.first)
            assert see("aside_suits").tolist() == counts(position.aside)
            assert see("follow").tolist() == [position.follow.count(suit) for suit in range(4)]
            for place in range(n):
                assert see("hand_suits")[place].tolist() == counts(position.hands[(seat + place) % n])


@pytest.mark.rule("CS-52", "CS-53", "CS-54", "CS-56", "CS-58", "CS-59")
def test_every_set_of_ranks() -> None:
    """All sets of ranks of one suit, against a sum in other words."""
    for number in range(0, 1 << 15, few(1, 97)):
        ranks = members(number)
        score = box_of(ranks)
        assert box_score(np.uint64(number)) == (-1 if score is None else score)
