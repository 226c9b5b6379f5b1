"""What each seat knows and is shown: SG-107 to SG-117."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.notation import COUNTS, PHASE_NAMES, Position, from_state, to_state
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.table import Sight, Table, dealt, rest, table

BY_SEAT = (
    *("present", "actor", "to_move", "favour", "favour_bars", "majority", "marks", "shields", "target", "passed"),
    *("challenger", "bonus_target", "recipient", "blocked", "hand_sizes", "known", "known_bars", *COUNTS),
)
FOR_ALL = (
    *(
        "phase",
        "part",
        "plotted",
        "turn_no",
        "reserve",
        "reserve_bars",
        "reserve_tokens",
        "declared",
        "turned_up",
        "list_no",
        "step_no",
    ),
    *("step_op", "carried", "left", "aside_size", "deck_size", "pile_size", "pile_top", "copies", "agent"),
)
OWN = ("hand", "hand_bars", "table_card", "aside", "pile", "pile_unknown", "unseen", "unseen_bars")


def positions(n: int, games: int, **options: Any) -> Iterator[tuple[Table, int]]:
    """Plays random games; gives the table and the number of the action after every action."""
    for seed in range(games):
        state = dealt(seed, num_players=n, **options)
        number = 0
        while not state.row["done"]:
            yield state, number
            state.batch.step(state.batch.random_actions(seed, number))
            number += 1
        yield state, number


def few(number: int) -> int:
    return number if is_compiled() else 1


@pytest.mark.rule("SG-107", "SG-117")
@pytest.mark.parametrize("n", range(2, 7))
def test_all_seats_are_shown_the_same_of_what_is_public(n: int) -> None:
    for state, number in positions(n, few(3), max_turns=6 * n):
        if number % 3:
            continue
        sights = [state.sight(seat) for seat in range(n)]
        for name in FOR_ALL:
            shown = [sight[name].tolist() for sight in sights]
            assert all(one == shown[0] for one in shown), name
        for name in BY_SEAT:
            for seat, sight in enumerate(sights):
                absolute = np.roll(sight[name][:n], seat, axis=0)
                assert absolute.tolist() == sights[0][name][:n].tolist(), name
        check_public(sights[0], state.now)


def check_public(sight: Sight, now: Position) -> None:
    """Compares the public fields of the observation of seat 0 with the position."""
    n = now.options.num_players

    def one_hot(name: str) -> int | None:
        return int(sight[name].argmax()) if sight[name].any() else None

    over = now.phase == PHASE_NAMES.index("over")
    assert one_hot("phase") == now.phase
    assert one_hot("part") == (None if over else int(now.agents))
    assert bool(sight["plotted"]) == now.plotted
    assert int(sight["turn_no"]) == now.turn
    assert one_hot("actor") == (None if over else now.actor)
    assert one_hot("to_move") == (None if over else now.move)
    assert sight["favour"][:n].tolist() == now.favours
    assert sight["reserve"].tolist() == now.reserve
    assert int(sight["reserve_tokens"]) == now.reserve_tokens
    assert {seat for seat in range(n) if sight["shields"][seat]} == now.shields
    assert [{t for t in range(3) if row[t]} for row in sight["marks"][:n]] == now.marks
    assert one_hot("declared") == now.declared
    assert one_hot("target") == now.target
    assert one_hot("challenger") == now.challenger
    assert one_hot("bonus_target") == now.bonus_target
    assert one_hot("recipient") == now.recipient
    assert {seat for seat in range(n) if sight["passed"][seat]} == now.passed
    assert one_hot("turned_up") == (None if now.face_down else now.table)
    resolving = PHASE_NAMES.index("challenge") < now.phase < PHASE_NAMES.index("take")
    assert one_hot("list_no") == (int(now.bonus) if resolving else None)
    assert one_hot("step_no") == (now.step if resolving else None)
    assert bool(sight["carried"]) == now.carried
    assert int(sight["left"]) == now.left
    assert int(sight["aside_size"]) == len(now.aside)
    assert sight["hand_sizes"][:n].tolist() == [len(hand) for hand in now.hands]
    assert (int(sight["deck_size"]), int(sight["pile_size"])) == (len(now.deck), len(now.pile))
    assert one_hot("pile_top") == (now.pile[-1] if now.pile else None)
    for name in COUNTS:
        assert sight[name][:n].tolist() == getattr(now, name)


@pytest.mark.rule("SG-108", "SG-117")
@pytest.mark.parametrize("n", range(2, 7))
def test_each_seat_is_shown_its_own_cards_and_what_it_knows_of_the_pile(n: int) -> None:
    for state, number in positions(n, few(3), max_turns=6 * n):
        if number % 3:
            continue
        now = state.now
        deck = Counter(now.options.load_deck().kinds())
        for seat in range(n):
            sight = state.sight(seat)
            mine = seat == now.actor
            hand = Counter(now.hands[seat])
            table_card = Counter([now.table] if mine and now.face_down and now.table is not None else [])
            aside = Counter(now.aside if mine else [])
            pile = Counter(kind for kind, who in zip(now.pile, now.seen, strict=True) if seat in who)
            shown_up = Counter([now.table] if now.table is not None and not now.face_down else [])
            known = Counter(kind for other, kinds in enumerate(now.known) if other != seat for kind in kinds)
            unseen = deck - hand - table_card - aside - pile - shown_up - known
            for name, cards in (("hand", hand), ("table_card", table_card), ("aside", aside), ("pile", pile)):
                assert sight[name].tolist() == [cards[kind] for kind in range(12)], name
            assert sight["unseen"].tolist() == [unseen[kind] for kind in range(12)]
            assert int(sight["pile_unknown"]) == len(now.pile) - pile.total()
            assert sight["hand_bars"].sum(axis=0).tolist() == [min(2, hand[kind]) for kind in range(12)]
            assert sight["unseen_bars"].sum(axis=0).tolist() == [min(3, unseen[k]) for k in range(12)]
            everybody = [[kinds.count(kind) for kind in range(12)] for kinds in now.known]
            assert np.roll(sight["known"][:n], seat, axis=0).tolist() == everybody
        assert state.sight(0)["copies"].tolist() == [deck[kind] for kind in range(12)]


@pytest.mark.rule("SG-108")
def test_cards_set_aside_are_shown_to_their_owner_alone() -> None:
    words = "play AR, declare AR, pass, pass, leave, discard"
    states = [table(3, "A", "AR PO", pile="HE", top="SC").play(f"{words} {code}") for code in ("PO", "SC")]
    for seat in (1, 2):
        first, second = (state.batch.observe(np.array([seat])).tolist() for state in states)
        assert first == second
    assert np.flatnonzero(states[0].observed(0, "aside")).tolist() == [3]
    assert np.flatnonzero(states[1].observed(0, "aside")).tolist() == [5]


@pytest.mark.rule("SG-109")
def test_nobody_is_shown_the_order_of_the_deck() -> None:
    state = table(3, "P", "TC PO TS", pile="AR")
    other = state.now
    other.deck = other.deck[::-1]
    assert other.deck != state.now.deck
    turned = Table(other.text())
    for seat in range(3):
        assert (state.batch.observe(np.array([seat])) == turned.batch.observe(np.array([seat]))).all()


@pytest.mark.rule("SG-110")
def test_who_knows_a_card_of_the_pile() -> None:
    """Turned up: all. Buried discard: its discarder. After a look: the looker knows all of it."""
    state = table(3, "A", "AR PO", pile="HE GB", top="SC TC AR", words="seen=1/*")
    state.play("play AR, declare AR, pass, pass, leave, discard PO, discard SC")
    assert state.pile() == "HE GB PO SC AR"
    everybody = {0, 1, 2}
    assert state.now.seen == [{0, 1}, everybody, {0}, everybody, everybody]
    assert state.observed(0, "pile").sum() == 5
    assert [int(state.observed(seat, "pile_unknown")) for seat in range(3)] == [0, 1, 2]
    # The second Archivist lies in the hand of seat 1 or 2 or the deck: seat 1 bluffs, and looks all the same.
    state.play("play TC, declare TC, pass, pass, play PO, declare AR, pass, pass")
    assert all(1 in who for who in state.now.seen)


@pytest.mark.rule("SG-111")
def test_copies_cannot_be_told_apart() -> None:
    """Seats that did not know the copy taken lose the topmost one that they did know."""
    setup: dict[str, Any] = {"pile": "HE SC HE TS", "top": "SH"}
    words = "play AR, declare AR, pass, pass, pick HE"
    other_knows_the_lower = table(3, "A", "AR PO", **setup, words="seen=12/*/2/*").play(words)
    # Seat 1 knew the lower copy only; seat 2 knew both.
    assert other_knows_the_lower.pile() == "HE SC TS"
    assert other_knows_the_lower.now.seen == [{0, 2}, {0, 1, 2}, {0, 1, 2}]
    public_copy = table(3, "A", "AR PO", **setup, words="seen=*/*/*/*").play(words)
    assert public_copy.now.seen == [{0, 1, 2}] * 3
    nothing_else_known = table(3, "A", "AR PO", **setup, words="seen=0/*/0/*").play(words)
    assert nothing_else_known.now.seen[0] == {0}
    three = table(3, "A", "AR PO", pile="SH SH TS SH TC", top="SC", words="seen=1/12/*/-/*")
    three.play("play AR, declare AR, pass, pass, pick SH")
    assert (three.pile(), three.now.seen) == ("SH SH TS TC", [{0, 1}, {0}, {0, 1, 2}, {0, 1, 2}])
    unknown_stays = table(3, "A", "AR PO", pile="SH SH TS SH TC", top="SC", words="seen=12/-/*/-/*")
    unknown_stays.play("play AR, declare AR, pass, pass, pick SH")
    assert unknown_stays.now.seen == [{0}, {0}, {0, 1, 2}, {0, 1, 2}]


@pytest.mark.rule("SG-112")
def test_a_rebuilt_deck_is_unknown() -> None:
    hands = ["PP PO", "TC PO", "TC FS"]
    state = table(3, "A", "", hands=hands, pile=rest(*hands), top=None).play("skip")
    assert (state.now.pile, state.now.seen, state.known(0), state.known(1)) == ([], [], "", "")
    assert not state.observed(0, "pile").any()
    assert int(state.observed(0, "unseen").sum()) == 24 - 2
    assert state.row["seen"].tolist() == [0] * 64


@pytest.mark.rule("SG-113")
def test_a_card_taken_from_the_pile_is_known() -> None:
    state = table(3, "A", "AR HE", pile="HE TS", top="SH").play("play AR, declare AR, pass, pass, pick HE")
    assert (state.hand(0), state.known(0)) == ("SH HE HE", "HE")
    assert [state.observed(seat, "known")[(-seat) % 3].tolist()[7] for seat in range(3)] == [1, 1, 1]


@pytest.mark.rule("SG-114")
def test_a_known_card_is_struck_when_one_of_its_kind_is_turned_up() -> None:
    for known, left in (("aa", "TC"), ("a", ""), ("-", "")):
        state = table(2, "P", "TC TC TS", words=f"known={known}/-").play("play TC, declare PO")
        assert state.known(0) == known.replace("-", "").replace("a", "TC ").strip()  # not yet
        assert state.play("pass").known(0) == left
    other = table(2, "P", "TC PO TS", words="known=a/-").play("play PO, declare PO, pass")
    assert other.known(0) == "TC"


@pytest.mark.rule("SG-114", "SG-115")
@pytest.mark.parametrize(
    ("known", "order", "left"),
    [
        ("h", "HE SC", ""),  # buried and visible: both may be the known one
        ("h", "SC HE", ""),
        ("hh", "SC HE", ""),
        ("hh", "SC PO", "HE"),  # one card buried: one Heckler may be gone
        ("h", "SC PO", ""),
        ("dhh", "SC PO", "HE"),  # the visible PO strikes PO, the buried card one of each kind
    ],
)
def test_discards_strike_known_cards(known: str, order: str, left: str) -> None:
    first, last = order.split()
    state = table(3, "A", "", hands=["AR PO HE HE", "TC PO", "TC PO"], top="SC", words=f"known={known}/-/-")
    state.play(f"play AR, declare AR, pass, pass, discard {first}")
    assert state.known(0) == state.codes(["abcdefghij".index(letter) for letter in known])
    assert state.play(f"discard {last}").known(0) == left


@pytest.mark.rule("SG-115")
def test_a_single_visible_discard_buries_nothing() -> None:
    state = table(
        3,
        "A",
        "",
        hands=["AR HE", "TC PO", "TC PO"],
        top=None,
        pile=rest("AR HE", "TC PO", "TC PO"),
        words="known=h/-/-",
    )
    state.play("play AR, declare AR, pass, pass, leave")
    assert state.known(0) == "HE"
    assert state.phase == "discard"


@pytest.mark.rule("SG-116")
@pytest.mark.parametrize(
    ("seen", "known"), [("*", ("SC", "PO PO")), ("0", ("", "PO PO")), ("1", ("SC", "")), ("-", ("", ""))]
)
def test_with_two_seats_a_known_pile_gives_the_hands_away(seen: str, known: tuple[str, str]) -> None:
    """Seat 0 knows seat 1's hand if it knows the whole pile, and the other way round."""
    pile = rest("TS SC", "PO PO")
    who = "/".join([seen, *"*" * (len(pile.split()) - 1)])
    state = table(2, "A", "", hands=["TS SC", "PO PO"], pile=pile, top=None, words=f"seen={who} known=-/d")
    state.play("play TS, declare TS, pass")
    assert state.now.rebuilds == 1
    assert (state.known(0), state.known(1)) == (known[0], known[1] or "PO")


@pytest.mark.rule("SG-116")
def test_with_three_seats_it_does_not() -> None:
    hands = ["TS SC", "PO PO", "TC PO"]
    state = table(3, "A", "", hands=hands, pile=rest(*hands), top=None).play("play TS, declare TS, seat +1, pass, pass")
    assert state.now.rebuilds == 1
    assert [state.known(seat) for seat in range(3)] == [""] * 3


@pytest.mark.rule("SG-113", "SG-114", "SG-115", "SG-116", "SG-123")
@pytest.mark.parametrize("n", range(2, 7))
def test_known_cards_are_where_they_are_known_to_be(n: int) -> None:
    """In random games, and what all know of the pile is its visible top at least."""
    for state, _ in positions(n, few(12), hand_keep=4 if n < 5 else 2, hand_draw=6 if n < 5 else 3, max_turns=20 * n):
        now = state.now
        for seat in range(n):
            held = Counter(now.hands[seat])
            if seat == now.actor:
                held.update(now.aside)
                if now.face_down and now.table is not None:
                    held[now.table] += 1
            assert not Counter(now.known[seat]) - held
        if now.pile:
            assert now.seen[-1] == set(range(n))


@pytest.mark.rule("SG-117")
def test_options_are_shown() -> None:
    chosen: dict[str, Any] = {
        "num_players": 5,
        "protection": "until_turn",
        "victory_check": "held",
        "challenge_order": "random",
        "card_fits_phase": True,
        "max_turns": 1_234,
        "reward": "favours",
        "victory": 7,
        "hand_keep": 3,
        "hand_draw": 5,
    }
    state = dealt(**chosen)
    names = ("num_players", "until_turn", "random_order", "card_fits_phase", "max_turns", "favours_reward", "victory")
    assert [int(state.observed(2, name)) for name in names] == [5, 1, 1, 1, 1_234, 1, 7]
    assert state.observed(2, "victory_check").tolist() == [0, 1, 0]
    assert [int(state.observed(2, name)) for name in ("favour_types", "hand_keep", "hand_draw")] == [3, 3, 5]
    assert state.observed(2, "agent").tolist() == [0] * 4 + [1] * 6 + [0] * 2
    usual = dealt()
    assert [int(usual.observed(2, name)) for name in names] == [4, 0, 0, 0, 240, 0, 5]
    assert usual.observed(2, "present").tolist() == [1] * 4 + [0] * 2


@pytest.mark.rule("SG-107")
def test_the_step_that_waits_is_shown() -> None:
    state = table(3, "A", "GB PO").play("play GB, declare GB, seat +1, pass, pass, favour Guild")
    assert np.flatnonzero(state.observed(1, "step_op")).tolist() == [2]  # steal
    assert (int(state.observed(1, "carried")), state.observed(1, "step_no").argmax()) == (1, 1)
    assert not table(3, "A", "GB PO").observed(0, "step_op").any()


def test_counts_stop_at_their_bound() -> None:
    state = table(2, "P", "TC PO TS", words="plays=12345/7 polls=20000/1")
    assert state.observed(0, "plays").tolist() == [9_999, 7, 0, 0, 0, 0]
    assert state.observed(1, "polls").tolist() == [1, 9_999, 0, 0, 0, 0]
    assert to_state(state.now).tobytes() == state.batch.get_states().tobytes()
    assert from_state(state.options, to_state(state.now)) == state.now


def test_all_fields_are_covered() -> None:
    options = {field.name for field in GAME.observation.fields} - {*BY_SEAT, *FOR_ALL, *OWN}
    assert options == {
        *(
            "num_players",
            "until_turn",
            "victory_check",
            "random_order",
            "card_fits_phase",
            "max_turns",
            "favours_reward",
        ),
        *("victory", "favour_types", "hand_keep", "hand_draw"),
    }
    assert Batch(GAME, 1).observations.shape[1] == GAME.observation.size
