"""Tricks and claims: SC-29 to SC-53."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.games.shadow_cards.table import (
    CLAIM,
    COUNTS,
    PLAY,
    PREDICT,
    Table,
    cards,
    few,
    words,
)

TRICKS_OF_A_ROUND = {2: 12, 3: 13, 4: 13, 5: 10}


def winner(table: list[int | None], lead: int) -> int:
    """Returns the seat with the highest red card, else with the highest card of the led suit."""
    led = table[lead]
    assert led is not None
    played = {card: seat for seat, card in enumerate(table) if card is not None}
    reds = [card for card in played if card < 15]
    return played[max(reds or [card for card in played if card // 15 == led // 15])]


def in_a_trick(table: Table, trick: int) -> bool:
    return table.phase == PLAY and table.trick_no == trick


@pytest.mark.rule("SC-29", "SC-54")
@pytest.mark.parametrize("n", COUNTS)
def test_number_of_tricks(n: int) -> None:
    """h - k of them; the round ends with the claim of the last one, when no hand holds a card."""
    table = Table.dealt(1, num_players=n)
    assert table.options.num_tricks == TRICKS_OF_A_ROUND[n]
    for round_no in (1, 2):
        table.play(random.Random(n), lambda table: table.ends_round)
        assert table.trick_no == TRICKS_OF_A_ROUND[n] and table.round_no == round_no
        assert not table.row["hand"].any() and len(table.now.results) == round_no - 1
        assert sum(map(len, table.now.claimed)) == TRICKS_OF_A_ROUND[n] - 1
        table.act(table.actions[0])
        assert table.phase == PREDICT and table.round_no == round_no + 1 and len(table.now.results) == round_no


@pytest.mark.rule("SC-30")
@pytest.mark.parametrize("n", COUNTS)
def test_the_round_leader_leads_the_first_trick(n: int) -> None:
    for seed in range(5):
        table = Table.dealt(seed, num_players=n)
        for round_no in (1, 2):
            table.play(
                random.Random(seed), lambda table, number=round_no: table.round_no == number and in_a_trick(table, 1)
            )
            now = table.now
            assert table.seat == now.leader == now.lead
            hand = now.hands[now.leader]
            assert table.legal() == {"play": hand}  # nothing has been led


@pytest.mark.rule("SC-31")
@pytest.mark.parametrize("n", COUNTS)
def test_the_winner_leads_the_next_trick(n: int) -> None:
    table = Table.dealt(2, num_players=n)
    claims = 0
    chooser = random.Random(n)
    while claims < 9:
        if table.phase == CLAIM and not table.ends_round:
            won = table.seat
            table.act(chooser.choice(table.actions))
            assert (table.phase, table.seat, table.now.lead) == (PLAY, won, won)
            claims += 1
        else:
            table.act(chooser.choice(table.actions))


@pytest.mark.rule("SC-32")
@pytest.mark.parametrize("n", COUNTS)
def test_every_seat_plays_one_card_clockwise(n: int) -> None:
    """From its hand, face up, beginning with the trick leader; hands differ by one card at most."""
    table = Table.dealt(3, num_players=n, rounds=1)
    chooser = random.Random(n)
    table.play(chooser, lambda table: table.phase == PLAY)
    for _ in range(TRICKS_OF_A_ROUND[n]):
        lead = table.seat
        for place in range(n):
            seat = (lead + place) % n
            assert (table.phase, table.seat) == (PLAY, seat)
            action = chooser.choice(table.actions)
            before = table.now
            table.act(action)
            after = table.now
            assert before.hands[seat] - after.hands[seat] == {action - 60}
            assert after.table[seat] == action - 60 and before.table[seat] is None
            assert action - 60 in after.played[seat]
            assert [card is not None for card in after.table].count(True) == place + 1
            sizes = [len(hand) for hand in after.hands]
            assert max(sizes) - min(sizes) <= 1
            for other in range(n):
                shown = table.see(other)
                row = (seat - other) % n
                assert shown("trick_rank")[row] == (action - 60) % 15
                assert shown("trick_suit")[row].tolist() == [int(s == (action - 60) // 15) for s in range(4)]
        assert table.phase == CLAIM
        table.act(table.actions[0])


@pytest.mark.rule("SC-33")
@pytest.mark.parametrize("n", COUNTS)
def test_the_leader_may_play_any_card(n: int) -> None:
    table = Table.dealt(4, num_players=n)
    leads = 0
    for now in table.states(random.Random(n)):
        row = now.row
        if now.phase == PLAY and (row["trick"][:n] == -1).all():
            held = {card for card in range(60) if int(row["hand"][now.seat]) >> card & 1}
            assert now.legal() == {"play": held}
            leads += 1
    assert leads == TRICKS_OF_A_ROUND[n] * (table.options.rounds or 0)


@pytest.mark.rule("SC-34")
def test_the_led_suit_is_that_of_the_leader() -> None:
    """Not that of the round's leader, of the last card or of a trump played since."""
    table = Table.at("phase=play trick=4 leader=0 lead=2 move=1 hands=-/R7Y1G1B2/-/- table=Y5/-/G5/R2")
    assert table.legal() == {"play": cards("G1")}
    assert table.see(1)("led_suit").tolist() == [0, 0, 1, 0]
    table = Table.at("phase=play trick=4 leader=2 lead=3 move=0 hands=R7Y1G1B2/-/-/- table=-/-/-/B5")
    assert table.legal() == {"play": cards("B2")}


@pytest.mark.rule("SC-35", "SC-36", "SC-37")
@pytest.mark.parametrize("n", COUNTS)
def test_suit_is_followed_if_possible(n: int) -> None:
    """With cards of the led suit these alone, red being followed like any other; without them every card."""
    kinds = set()
    for seed in range(few(6, 2)):
        table = Table.dealt(seed, num_players=n)
        for now in table.states(random.Random(seed)):
            row = now.row
            led = int(row["trick"][row["trick_leader"]])
            if now.phase != PLAY or led < 0:
                continue
            hand = {card for card in range(60) if int(row["hand"][now.seat]) >> card & 1}
            following = {card for card in hand if card // 15 == led // 15}
            assert now.legal() == {"play": following or hand}
            kinds.add((led < 15, bool(following), any(card < 15 for card in hand)))
    # Led trump or not, able to follow or not, holding trump or not: all that can be.
    assert kinds >= {(True, True, True), (True, False, False), (False, True, True), (False, False, True)}


@pytest.mark.rule("SC-36")
def test_nobody_must_trump() -> None:
    table = Table.at("phase=play trick=4 lead=0 move=1 hands=-/R4R9Y1B9/-/- table=G2/-/-/-")
    assert table.legal() == {"play": cards("R4 R9 Y1 B9")}


@pytest.mark.rule("SC-37")
def test_trump_is_followed() -> None:
    table = Table.at("phase=play trick=4 lead=0 move=1 hands=-/R0R9Y14B9/-/- table=R2/-/-/-")
    assert table.legal() == {"play": cards("R0 R9")}


@pytest.mark.rule("SC-38", "SC-39", "SC-40")
@pytest.mark.parametrize("n", COUNTS)
def test_the_trick_is_won_by_one_seat(n: int) -> None:
    """The highest red card, else the highest card of the led suit; by the kernel's winner so far, too."""
    by_trump = 0
    for seed in range(few(6, 1)):
        table = Table.dealt(seed, num_players=n)
        for now in table.states(random.Random(seed)):
            if now.phase not in (PLAY, CLAIM):
                continue
            position = [int(card) if card >= 0 else None for card in now.row["trick"][:n]]
            lead = int(now.row["trick_leader"])
            if position[lead] is None:
                assert not now.see(0)("winning").any()
                continue
            won = winner(position, lead)
            assert now.see(0)("winning").tolist() == [int(place == won) for place in range(5)]
            if now.phase == CLAIM:
                assert now.seat == won and None not in position
                by_trump += position[won] < 15 <= position[lead]
    assert by_trump > 0


def three(line: str) -> Table:
    return Table.at(f"num_players=3 {line}")


@pytest.mark.rule("SC-41")
def test_an_extra_card_is_turned_before_the_lead() -> None:
    """For everybody, one for each trick, in the order of the stack; none while predictions are made."""
    table = Table.dealt(5, num_players=3, rounds=2)
    extra: list[int] = []
    for now in table.states(random.Random(5)):
        row = now.row
        if now.phase == PREDICT:
            extra = [int(card) for card in row["extra"][:13]]
        for seat in range(3):
            see = now.see(seat)
            shown = set(np.flatnonzero(see("turned")).tolist())
            assert shown == set(extra[: now.trick_no])
            if now.phase in (PLAY, CLAIM):
                card = extra[now.trick_no - 1]
                assert see("extra_rank") == card % 15
                assert see("extra_suit").tolist() == [int(suit == card // 15) for suit in range(4)]
            else:
                assert see("extra_rank") == -1 and not see("extra_suit").any()


@pytest.mark.rule("SC-42")
def test_an_extra_card_is_not_followed() -> None:
    table = three("phase=play trick=2 hands=R4Y1G9/-/- extra=R1G14")
    assert table.legal() == {"play": cards("R4 Y1 G9")}
    table = three("phase=play trick=2 lead=2 move=0 hands=R4Y1G9/-/- table=-/-/Y5 extra=R1G14")
    assert table.legal() == {"play": cards("Y1")}
    assert table.see(0)("led_suit").tolist() == [0, 1, 0, 0]


@pytest.mark.rule("SC-43")
@pytest.mark.parametrize("extra", ["R14", "Y14", "B14"])
def test_an_extra_card_never_wins(extra: str) -> None:
    for lead in range(3):
        hands = ["Y4", "R1", "Y13"]
        hands = [hands[(seat - lead) % 3] for seat in range(3)]
        table = three(f"phase=play trick=1 lead={lead} hands={'/'.join(hands)} extra={extra}")
        for place in range(3):
            table.do(f"play {hands[(lead + place) % 3]}")
        assert (table.phase, table.seat) == (CLAIM, (lead + 1) % 3)


@pytest.mark.rule("SC-44")
def test_two_extra_cards_are_never_shown() -> None:
    table = Table.dealt(6, num_players=3, rounds=1)
    hands = table.now.hands
    shown: set[int] = set()
    for now in table.states(random.Random(6)):
        for seat in range(3):
            see = now.see(seat)
            shown |= set(np.flatnonzero(see("turned")).tolist())
            assert see("unturned") == 15 - now.trick_no
    assert len(shown) == 13
    hidden = set(range(60)) - set().union(*hands) - shown
    assert len(hidden) == 2


@pytest.mark.rule("SC-45", "SC-46", "SC-48", "SC-49")
@pytest.mark.parametrize("n", COUNTS)
def test_the_winner_claims_one_card_at_once(n: int) -> None:
    """Right after the last card, before the next extra card and lead; any card of the trick, the own and the extra
    included, and nothing else.
    """
    claims, playing = 0, 0
    table = Table.dealt(7, num_players=n)
    chooser = random.Random(n)
    for now in table.states(chooser):
        row = now.row
        assert (now.phase == CLAIM) == ((row["trick"][:n] >= 0).all() and now.phase != PREDICT)
        if now.phase != CLAIM:
            playing = now.trick_no
            continue
        assert now.trick_no == playing
        trick = {int(card) for card in row["trick"][:n]}
        assert len(trick) == n
        if n == 3:
            trick.add(int(row["extra"][now.trick_no - 1]))
        assert now.legal() == {"claim": trick}
        assert now.see(0)("extra_rank") == (int(row["extra"][now.trick_no - 1]) % 15 if n == 3 else -1)
        held, claimed = now.now.hands, [len(own) for own in now.now.claimed]
        for action in now.actions:
            after = now.copy()
            after.act(action)
            if not now.ends_round:
                assert after.now.claimed[now.seat] - now.now.claimed[now.seat] == {action - 120}
                gained = [len(own) for own in after.now.claimed]
                assert gained == [size + (seat == now.seat) for seat, size in enumerate(claimed)]
                assert after.now.hands == held and after.trick_no == now.trick_no + 1
        claims += 1
        if claims == few(20, 6):
            return


@pytest.mark.rule("SC-45")
def test_the_own_card_may_be_claimed() -> None:
    table = Table.at("phase=play trick=2 hands=R14B1/Y2B2/Y3B3/Y4B4").do("play R14", "play Y2", "play Y3", "play Y4")
    assert table.seat == 0
    assert table.do("claim R14").now.claimed[0] == cards("R14")


@pytest.mark.rule("SC-46")
def test_the_extra_card_may_be_claimed() -> None:
    table = three("phase=play trick=1 hands=R14B1/Y2B2/Y3B3 extra=G0G1").do("play R14", "play Y2", "play Y3")
    assert table.legal() == {"claim": cards("R14 Y2 Y3 G0")}
    assert table.do("claim G0").now.claimed[0] == cards("G0")
    assert table.see(0)("turned").nonzero()[0].tolist() == sorted(cards("G0 G1"))


@pytest.mark.rule("SC-47", "SC-55")
@pytest.mark.parametrize("n", COUNTS)
def test_trick_points_are_the_values_claimed(n: int) -> None:
    """Trick by trick, and T is their sum, 0 without a trick."""
    table = Table.dealt(8, num_players=n, rounds=2)
    chooser = random.Random(n)
    values = [0] * n
    results = []
    for now in table.states(chooser):
        if now.phase == PREDICT and any(values):
            results.append(values)
            values = [0] * n
        if now.phase == CLAIM and not now.ends_round:
            shown = now.see(now.seat)
            assert shown("trick_points").tolist()[:n] == [values[(now.seat + place) % n] for place in range(n)]
            action = chooser.choice(now.actions)
            seat = now.seat
            now.act(action)
            values[seat] += action % 15
        elif now.phase == CLAIM:
            values[now.seat] += now.actions[0] % 15
            now.act(now.actions[0])
            assert [t for _, t, _ in now.now.results[-1]] == values
            if now.done:
                return


@pytest.mark.rule("SC-50")
@pytest.mark.parametrize("n", COUNTS)
def test_claimed_values_stay_visible(n: int) -> None:
    """To all seats until the round ends, and not longer."""
    table = Table.dealt(9, num_players=n)
    for number, now in enumerate(table.states(random.Random(n))):
        if number % 5:
            continue
        if now.round_no == 3:
            break
        claimed = now.now.claimed
        for seat in range(n):
            shown = now.see(seat)("claimed")
            for place in range(n):
                own = [card % 15 for card in claimed[(seat + place) % n]]
                assert shown[place].tolist() == [own.count(rank) for rank in range(15)]
            assert not shown[n:].any()


@pytest.mark.rule("SC-51")
@pytest.mark.parametrize("n", COUNTS)
def test_a_claim_is_final(n: int) -> None:
    table = Table.dealt(10, num_players=n)
    before = [0] * n
    for now in table.states(random.Random(n)):
        if now.phase == PREDICT and now.round_no > 1:
            break
        claimed = [int(cards_claimed) for cards_claimed in now.row["claimed"][:n]]
        assert all(early & late == early for early, late in zip(before, claimed, strict=True))
        before = claimed
    assert sum(cards_claimed.bit_count() for cards_claimed in before) == TRICKS_OF_A_ROUND[n] - 1


@pytest.mark.rule("SC-52")
def test_equal_values_are_separate_claims_of_one_effect() -> None:
    line = "phase=play trick=2 lead=0 hands=Y7B1/G7B2/B7B3/R7B4"
    table = Table.at(line).do("play Y7", "play G7", "play B7", "play R7")
    assert table.legal() == {"claim": cards("Y7 G7 B7 R7")}
    shown = []
    for action in table.actions:
        after = table.copy()
        after.act(action)
        see = after.see(0)
        shown.append([see(name).tolist() for name in ("claimed", "trick_points", "totals", "results")])
    assert all(view == shown[0] for view in shown)
    last = Table.at(
        "phase=claim trick=13 lead=3 move=3 predictions=R1R2/R3R4/R5R6/R7R9 claimed=Y7/-/Y9/- table=Y8/G8/B3/R8"
    )
    ends = [last.copy().do(f"claim {card}") for card in ("Y8", "G8", "R8")]
    assert all(end.now.results == ends[0].now.results and end.points == ends[0].points for end in ends)
    assert ends[0].now.results[0][3] == (16, 8, 8)


@pytest.mark.rule("SC-53")
@pytest.mark.parametrize("n", COUNTS)
def test_unclaimed_cards_are_out_of_play(n: int) -> None:
    """Played and turned cards come back with the next shuffle at the earliest: in no hand, and never legal again."""
    table = Table.dealt(11, num_players=n)
    gone: set[int] = set()
    shuffles = {(number, PREDICT) for number in (1, 3)} if n == 2 else {(number, PREDICT) for number in (1, 2, 3)}
    before = (0, -1)
    for now in table.states(random.Random(n)):
        if now.done:
            break
        row = now.row
        stage = (now.round_no, now.phase)
        if stage != before and stage in shuffles:
            gone = set()
        before = stage
        held = {card for card in range(60) for seat in range(n) if int(row["hand"][seat]) >> card & 1}
        assert not held & gone, words(held & gone)
        gone |= {int(card) for card in row["trick"][:n] if card >= 0}
        if n == 3 and now.phase == PLAY:
            gone.add(int(row["extra"][now.trick_no - 1]))
        if now.phase != CLAIM:
            assert not {action % 60 for action in now.actions} & gone


@pytest.mark.rule("SC-53")
def test_the_table_is_cleared() -> None:
    table = three("phase=play trick=1 hands=R14B1/Y2B2/Y3B3 extra=G0G1").do("play R14", "play Y2", "play Y3")
    table.do("claim Y2")
    now = table.now
    assert now.table == [None] * 3 and now.hands == [cards("B1"), cards("B2"), cards("B3")]
    table.do("play B1", "play B2", "play B3")
    assert table.legal() == {"claim": cards("B1 B2 B3 G1")}
