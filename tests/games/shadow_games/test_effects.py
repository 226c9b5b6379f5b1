"""Steps of effects and bonuses, and protection: SG-53 to SG-83."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.games.shadow_games.table import Table, card_text, deck_file, table

GAIN = '{ op = "gain", favour = "team" }'


def one_plot(folder: Path, effect: str, bonus: str = "", **setup: Any) -> Table:
    """Returns a table of three whose only plot has the effect: the deck is 12 x a (Trick), 12 x b (Other, an agent)."""
    other = card_text("Other", "agent", 12, GAIN, bonus)
    deck = deck_file(folder, card_text("Trick", "plot", 12, effect, bonus), other)
    n = setup.pop("n", 3)
    hands = setup.pop("hands", ["a a b", "a b", "a b", "a b"][:n])
    return table(n, setup.pop("part", "P"), "", hands=hands, deck=deck, **setup)


def steps(*words: str) -> str:
    """Returns steps from short words: "lose self any", "bribe choice any then"."""
    out = []
    for word in words:
        op, *more = word.split()
        keys = [f'op = "{op}"']
        for value in more:
            if value in ("self", "target") and op == "lose":
                keys.append(f'who = "{value}"')
            elif value in ("choice", "target"):
                keys.append(f'to = "{value}"')
            elif value.isdigit():
                keys.append(f"{'take' if op == 'look' else 'count'} = {value}")
            else:
                keys.append("then = true" if value == "then" else f'favour = "{value}"')
        out.append(f"{{ {', '.join(keys)} }}")
    return ", ".join(out)


@pytest.mark.rule("SG-53")
def test_steps_are_resolved_in_order(tmp_path: Path) -> None:
    """Gain first, then lose: a seat without Team favour ends where it was; the other way round it gains."""
    first = one_plot(tmp_path, steps("gain team", "lose self team"), favours={0: "0/1/1"})
    assert first.play("play Trick, pass, pass").favours(0) == "0/1/1"
    second = one_plot(tmp_path, steps("lose self team", "gain team"), favours={0: "0/1/1"})
    assert second.play("play Trick, pass, pass").favours(0) == "1/1/1"


@pytest.mark.rule("SG-53", "SG-54")
def test_up_to_four_steps_each_with_its_choice(tmp_path: Path) -> None:
    state = one_plot(tmp_path, steps("gain any", "gain any", "lose self any", "gain any")).play(
        "play Trick, pass, pass"
    )
    for number, choice in enumerate(("Team", "Union", "Team", "Guild")):
        assert (state.phase, state.now.move, state.now.step, state.now.bonus) == ("favour", 0, number, False)
        assert state.now.carried == (number > 0)
        assert state.observed(1, "step_no").argmax() == number
        state.play(f"favour {choice}")
    assert state.favours(0) == "1/2/2"


@pytest.mark.rule("SG-54")
def test_you_is_the_actor_even_when_another_seat_has_answered(tmp_path: Path) -> None:
    state = one_plot(tmp_path, steps("gain any"), words="actor=1 move=1", hands=["a b", "a a b", "a b"])
    state.play("play Trick, pass, pass")
    assert (state.phase, state.now.move) == ("favour", 1)
    assert state.play("favour Guild").favours(1) == "1/1/2"


@pytest.mark.rule("SG-55", "SG-56")
def test_then_needs_the_step_before(tmp_path: Path) -> None:
    effect = steps("lose self team", "gain union then", "gain guild then")
    assert one_plot(tmp_path, effect).play("play Trick, pass, pass").favours(0) == "0/2/2"
    assert one_plot(tmp_path, effect, favours={0: "0/1/1"}).play("play Trick, pass, pass").favours(0) == "0/1/1"
    plain = steps("lose self team", "gain union", "gain guild then")
    assert one_plot(tmp_path, plain, favours={0: "0/1/1"}).play("play Trick, pass, pass").favours(0) == "0/2/2"


@pytest.mark.rule("SG-56")
def test_then_in_a_bonus_looks_at_the_bonus_alone(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path,
        card_text("Trick", "plot", 12, steps("gain team")),
        card_text("Other", "plot", 12, steps("lose self guild"), steps("lose self union", "gain guild then")),
    )
    state = table(2, "P", "", hands=["a a b", "a b"], deck=deck, favours={0: "0/0/0"})
    state.play("play Other, declare Trick, pass")
    assert state.favours(0) == "1/0/0"


@pytest.mark.rule("SG-57")
def test_a_named_type_moves_one_favour_of_that_type() -> None:
    for code, favours in (("TC", "2/1/1"), ("SH", "1/2/1"), ("FS", "1/1/2")):
        assert table(2, "P", "TC SH FS").play(f"play {code}, declare {code}, pass").favours(0) == favours


@pytest.mark.rule("SG-58", "SG-59")
def test_the_type_is_chosen_among_possible_ones_when_the_step_comes() -> None:
    state = table(2, "A", "HE PO", favours={1: "2/0/1"}).play("play HE, declare HE")
    assert state.legal() == ["pass", "challenge"]  # no type is declared
    state.play("pass")
    assert (state.phase, state.now.move, state.legal()) == ("favour", 0, ["favour Team", "favour Guild"])
    assert state.play("favour Team").favours(1) == "1/0/1"


@pytest.mark.rule("SG-58")
def test_types_that_are_not_in_play_are_never_offered(tmp_path: Path) -> None:
    state = one_plot(tmp_path, steps("gain any"), favour_types=2, favours=dict.fromkeys(range(3), "1/1/0"))
    assert state.play("play Trick, pass, pass").legal() == ["favour Team", "favour Union"]


@pytest.mark.rule("SG-60")
@pytest.mark.parametrize(
    ("effect", "asks"),
    [
        ("steal team", True),
        ("lose target any", True),
        ("bribe target any", True),
        ("lose self team", False),
        ("bribe choice team", False),
        ("gain team", False),
        ("protect", False),
        ("draw 1", False),
        ("look 1", False),
        ("discard 1", False),
    ],
)
def test_which_steps_use_a_target(tmp_path: Path, effect: str, asks: bool) -> None:
    state = one_plot(tmp_path, steps("draw 1", effect)).play("play Trick")
    assert state.phase == ("target" if asks else "challenge")


@pytest.mark.rule("SG-61")
def test_one_target_for_all_steps_of_an_effect(tmp_path: Path) -> None:
    state = one_plot(tmp_path, steps("steal team", "lose target union", "bribe guild"))
    state.play("play Trick, seat +2, pass, pass")
    assert [state.favours(seat) for seat in range(3)] == ["2/1/0", "1/1/1", "0/0/2"]


@pytest.mark.rule("SG-62")
def test_a_bonus_has_a_target_of_its_own(tmp_path: Path) -> None:
    state = table(4, "A", "SC PO").play("play SC, declare TS, seat +2, pass, pass, pass")
    assert (state.phase, state.legal()) == ("bonus_target", ["seat +1", "seat +2", "seat +3"])
    assert (state.now.bonus, state.now.step, state.now.carried) == (True, 0, False)
    same = Table(state.now.text()).play("seat +2")
    assert same.favours(2) == "0/1/0"
    other = Table(state.now.text()).play("seat +3")
    assert (other.favours(2), other.favours(3)) == ("0/1/1", "1/1/0")


@pytest.mark.rule("SG-62")
def test_a_bonus_without_target_asks_for_none() -> None:
    state = table(3, "P", "PO FS TS").play("play PO, declare TC, pass, pass")
    assert (state.phase, state.now.bonus, state.now.bonus_target) == ("favour", True, None)


@pytest.mark.rule("SG-63")
def test_gain_takes_from_the_reserve() -> None:
    state = table(2, "P", "TC PO TS", favours={1: "4/1/1"}).play("play TC, declare TC, pass")
    assert (state.favours(0), state.stored_reserve()) == ("2/1/1", "0/4/4")


@pytest.mark.rule("SG-64")
@pytest.mark.parametrize(("before", "after", "reserve"), [("1/1/1", "0/1/1", 7), ("0/1/1", "0/1/1", 7)])
def test_losing_own_favour(tmp_path: Path, before: str, after: str, reserve: int) -> None:
    state = one_plot(tmp_path, steps("lose self team"), favours={0: before}).play("play Trick, pass, pass")
    assert (state.favours(0), state.now.reserve[0]) == (after, reserve)
    assert state.reserve() == state.stored_reserve()


@pytest.mark.rule("SG-65")
@pytest.mark.parametrize(("before", "after"), [("2/1/1", "1/1/1"), ("0/1/1", "0/1/1")])
def test_making_the_target_lose(tmp_path: Path, before: str, after: str) -> None:
    state = one_plot(tmp_path, steps("lose target team"), favours={2: before}).play("play Trick, seat +2, pass, pass")
    assert (state.favours(0), state.favours(2), state.now.reserve[0]) == ("1/1/1", after, 9 - 2 - int(after[0]))
    assert state.reserve() == state.stored_reserve()


@pytest.mark.rule("SG-66")
@pytest.mark.parametrize(("before", "own", "after"), [("2/1/1", "2/1/1", "1/1/1"), ("0/1/1", "1/1/1", "0/1/1")])
def test_stealing(before: str, own: str, after: str) -> None:
    state = table(3, "A", "TS PO", favours={2: before}).play("play TS, declare TS, seat +2, pass, pass")
    assert (state.favours(0), state.favours(2)) == (own, after)


@pytest.mark.rule("SG-67", "SG-68")
def test_a_bribe_to_a_chosen_seat(tmp_path: Path) -> None:
    state = one_plot(tmp_path, steps("bribe choice any")).play("play Trick, pass, pass")
    assert (state.phase, state.now.move, state.legal()) == ("recipient", 0, ["seat +1", "seat +2"])
    state.play("seat +2")
    assert (state.phase, state.now.recipient) == ("favour", 2)
    assert [state.observed(seat, "recipient").argmax() for seat in range(3)] == [2, 1, 0]
    state.play("favour Union")
    assert [state.favours(seat) for seat in range(3)] == ["1/0/1", "1/1/1", "1/2/1"]


@pytest.mark.rule("SG-67", "SG-68", "SG-101")
def test_a_bribe_is_ignored_without_the_favour_and_automatic_without_a_choice(tmp_path: Path) -> None:
    named = one_plot(tmp_path, steps("bribe choice team"), favours={0: "0/1/1"}).play("play Trick, pass, pass")
    assert [named.favours(seat) for seat in range(3)] == ["0/1/1", "1/1/1", "1/1/1"]
    to_target = one_plot(tmp_path, steps("bribe target team"), favours={0: "0/1/1"})
    assert to_target.play("play Trick, seat +1, pass, pass").favours(1) == "1/1/1"
    two = one_plot(tmp_path, steps("bribe choice team"), n=2).play("play Trick, pass")
    assert (two.favours(0), two.favours(1), two.now.recipient) == ("0/1/1", "2/1/1", None)
    single = one_plot(tmp_path, steps("bribe choice any"), favours={0: "0/0/2"}).play("play Trick, pass, pass, seat +1")
    assert (single.favours(0), single.favours(1), single.now.recipient) == ("0/0/1", "1/1/2", None)


@pytest.mark.rule("SG-69")
def test_protect_moves_a_token(tmp_path: Path) -> None:
    state = table(3, "P", "PO FS TS", shields="2").play("play PO, declare PO, pass, pass")
    assert (state.now.shields, state.now.reserve_tokens) == ({0, 2}, 1)
    effect = steps("protect", "gain team then")
    assert one_plot(tmp_path, effect).play("play Trick, pass, pass").favours(0) == "2/1/1"
    assert one_plot(tmp_path, effect, shields="0").play("play Trick, pass, pass").favours(0) == "1/1/1"
    gone = one_plot(tmp_path, effect, tokens=1, shields="1").play("play Trick, pass, pass")
    assert (gone.favours(0), gone.now.shields) == ("1/1/1", {1})


@pytest.mark.rule("SG-70")
def test_draw_counts_if_one_card_was_drawn(tmp_path: Path) -> None:
    effect = steps("draw 3", "gain team then")
    state = one_plot(tmp_path, effect, top="b b a b").play("play Trick, pass, pass")
    assert (state.hand(0), state.favours(0)) == ("a a b b b", "2/1/1")
    hands = ["a a b", "a a a a a a a a a a", "b b b b b b b b b b b"]
    nothing = one_plot(tmp_path, effect, hands=hands, top=None).play("play Trick, pass, pass")
    assert (nothing.hand(0), nothing.favours(0)) == ("a b", "1/1/1")
    hands[2] = hands[2][2:]
    one = one_plot(tmp_path, effect, hands=hands, top="b").play("play Trick, pass, pass")
    assert (one.hand(0), one.favours(0)) == ("a b b", "2/1/1")


@pytest.mark.rule("SG-71", "SG-104")
def test_look_shows_the_pile_and_lets_take(tmp_path: Path) -> None:
    effect = steps("look 2", "gain team then")
    state = one_plot(tmp_path, effect, pile="a b b", words="seen=1/-/*").play("play Trick, pass, pass")
    assert (state.phase, state.now.left, state.legal()) == ("pick", 2, ["pick Trick", "pick Other", "leave"])
    assert state.now.seen == [{0, 1}, {0}, {0, 1, 2}]
    state.play("pick Trick")
    assert (state.now.left, state.legal()) == (1, ["pick Other", "leave"])
    state.play("pick Other")
    assert (state.hand(0), state.pile(), state.favours(0)) == ("a a b b", "b a", "2/1/1")
    left = one_plot(tmp_path, effect, pile="a b b").play("play Trick, pass, pass, leave")
    assert (left.pile(), left.favours(0)) == ("a b b a", "2/1/1")
    all_taken = one_plot(tmp_path, effect, pile="b").play("play Trick, pass, pass, pick Other")
    assert (all_taken.pile(), all_taken.favours(0), all_taken.phase) == ("a", "2/1/1", "play")
    empty = one_plot(tmp_path, effect).play("play Trick, pass, pass")
    assert (empty.pile(), empty.favours(0)) == ("a", "1/1/1")
    only_seen = one_plot(tmp_path, steps("look"), pile="a b", words="seen=-/*").play("play Trick, pass, pass")
    assert only_seen.now.seen == [{0}, {0, 1, 2}, {0, 1, 2}]


@pytest.mark.rule("SG-72")
def test_the_topmost_copy_is_taken_and_shown() -> None:
    state = table(3, "A", "AR PO", pile="HE TS HE SC", top="SH", words="seen=*/*/0/*")
    state.play("play AR, declare AR, pass, pass, pick HE")
    assert (state.pile(), state.now.seen[0], state.known(0)) == ("HE TS SC", {0}, "HE")
    for seat in (1, 2):
        assert state.observed(seat, "known")[3 - seat].tolist()[7] == 1


@pytest.mark.rule("SG-73")
def test_the_card_below_becomes_the_public_top() -> None:
    state = table(3, "A", "AR PO", pile="SC TS HE", top="SH", words="seen=*/-/*")
    state.play("play AR, declare AR, pass, pass, pick HE")
    assert (state.pile(), state.now.seen) == ("SC TS", [{0, 1, 2}, {0, 1, 2}])
    assert [state.observed(seat, "pile_top").argmax() for seat in range(3)] == [4, 4, 4]


@pytest.mark.rule("SG-74", "SG-104")
def test_discarding_several_or_all(tmp_path: Path) -> None:
    effect = steps("discard 3", "gain team then")
    state = one_plot(tmp_path, effect, hands=["a a a a b", "a b", "a b"]).play("play Trick, pass, pass")
    assert (state.phase, state.now.left, state.legal()) == ("discard", 3, ["discard Trick", "discard Other"])
    state.play("discard Trick, discard Other")
    assert (state.now.left, state.codes(state.now.aside), state.pile()) == (1, "a b", "")
    assert [state.observed(seat, "aside_size").tolist() for seat in range(3)] == [2, 2, 2]
    state.play("discard Trick")
    assert (state.hand(0), state.pile(), state.favours(0), state.now.aside) == ("a", "a b a a", "2/1/1", [])
    fewer = one_plot(tmp_path, effect, hands=["a b", "a b", "a b"]).play("play Trick, pass, pass, discard Other")
    assert (fewer.pile(), fewer.favours(0)) == ("b a", "2/1/1")
    none = one_plot(tmp_path, effect, hands=["a", "a b", "a b"]).play("play Trick, pass, pass")
    assert (none.pile(), none.favours(0)) == ("a", "1/1/1")


@pytest.mark.rule("SG-75")
def test_only_the_last_discard_is_seen() -> None:
    for order, buried, top in (("discard PO, discard SC", "PO", "SC"), ("discard SC, discard PO", "SC", "PO")):
        state = table(3, "A", "AR PO", pile="HE", top="SC").play(f"play AR, declare AR, pass, pass, leave, {order}")
        assert state.pile() == f"HE {buried} {top} AR"
        assert state.now.seen[1] == {0}
        assert [state.observed(seat, "pile_unknown").tolist() for seat in range(3)] == [0, 1, 1]


# ------------------------------------------------------------------------------------------------------- protection


@pytest.mark.rule("SG-76")
@pytest.mark.parametrize(("effect", "word"), [("steal any", "Other"), ("lose target any", "Other")])
def test_a_token_blocks_in_the_agents_phase(tmp_path: Path, effect: str, word: str) -> None:
    deck = deck_file(
        tmp_path, card_text("Trick", "plot", 12, steps(effect)), card_text("Other", "agent", 12, steps(effect))
    )
    hands = ["a a b", "a b", "a b"]
    agents = table(3, "A", "", hands=hands, deck=deck, shields="1").play(f"play {word}, seat +1, pass, pass")
    assert (agents.favours(1), agents.now.shields, agents.phase) == ("1/1/1", set(), "play")
    free = table(3, "A", "", hands=hands, deck=deck, shields="1").play(f"play {word}, seat +2, pass, pass, favour Team")
    assert (free.favours(2), free.now.shields) == ("0/1/1", {1})


@pytest.mark.rule("SG-76", "SG-79")
def test_it_is_the_phase_that_counts_not_the_card() -> None:
    agent_in_plotting = table(2, "P", "TS PO SC", shields="1").play("play TS, declare TC, pass")
    assert (agent_in_plotting.favours(1), agent_in_plotting.now.shields) == ("1/0/1", {1})
    plot_in_agents = table(2, "A", "TC PO", shields="1", top="SC")
    plot_in_agents.play("play TC, declare AR, pass, discard PO, discard SC")
    assert (plot_in_agents.favours(1), plot_in_agents.now.shields) == ("1/1/1", set())


@pytest.mark.rule("SG-77")
def test_a_blocked_step_was_not_carried_out(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path,
        card_text("Trick", "plot", 12, GAIN),
        card_text("Other", "agent", 12, steps("steal any", "gain guild then", "gain union")),
    )
    state = table(3, "A", "", hands=["a a b", "a b", "a b"], deck=deck, shields="1")
    state.play("play Other, seat +1, pass, pass")
    assert (state.favours(0), state.favours(1), state.phase) == ("1/2/1", "1/1/1", "play")


@pytest.mark.rule("SG-78")
def test_nothing_to_take_spends_nothing(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path, card_text("Trick", "plot", 12, GAIN), card_text("Other", "agent", 12, steps("steal any"))
    )
    state = table(2, "A", "", hands=["a b", "a b"], deck=deck, shields="1", favours={1: "0/0/0"}).play("play Other")
    assert (state.now.shields, state.now.actor) == ({1}, 1)


@pytest.mark.rule("SG-80")
def test_a_bribe_is_not_blocked() -> None:
    state = table(3, "A", "GB PO", shields="2").play("play GB, declare GB, seat +2, pass, pass, favour Team")
    assert (state.favours(0), state.favours(2)) == ("0/1/1", "2/1/1")


@pytest.mark.rule("SG-81")
def test_own_losses_are_not_blocked(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path, card_text("Trick", "plot", 12, GAIN), card_text("Other", "agent", 12, steps("lose self team"))
    )
    state = table(2, "A", "", hands=["a b", "a b"], deck=deck, shields="0").play("play Other, pass")
    assert (state.favours(0), state.now.shields) == ("0/1/1", {0})


@pytest.mark.rule("SG-82")
def test_one_token_blocks_the_rest_of_the_play_and_no_other(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path,
        card_text("Trick", "plot", 12, GAIN, steps("lose target union")),
        card_text("Other", "agent", 12, steps("steal any", "lose target team")),
    )
    hands = ["a a b", "a b", "a b"]
    state = table(3, "A", "", hands=hands, deck=deck, shields="1").play("play Trick, seat +1, pass, pass")
    assert (state.phase, state.now.blocked, state.now.shields) == ("bonus_target", {1}, set())
    assert [state.observed(seat, "blocked").tolist()[:3] for seat in (0, 1)] == [[0, 1, 0], [1, 0, 0]]
    assert Table(state.now.text()).play("seat +1").favours(1) == "1/1/1"
    assert Table(state.now.text()).play("seat +2").favours(2) == "1/0/1"
    after = state.play("seat +1")
    assert after.now.blocked == set()
    # The next play finds no token.
    again = Table(after.now.text().replace("actor=1", "actor=2").replace("move=1", "move=2") + " part=agents plotted=1")
    again.play("play Other, seat +2, pass, pass, favour Team")
    assert again.favours(1) == "0/1/1"


@pytest.mark.rule("SG-83")
def test_until_turn_blocks_without_spending(tmp_path: Path) -> None:
    deck = deck_file(
        tmp_path,
        card_text("Trick", "plot", 12, GAIN),
        card_text("Other", "agent", 12, steps("steal any", "steal team")),
    )
    setup: dict[str, Any] = {"deck": deck, "hands": ["a b", "a b", "a b"], "protection": "until_turn", "shields": "12"}
    state = table(3, "A", "", **setup).play("play Other, seat +2, pass, pass")
    assert (state.favours(2), state.now.shields, state.now.blocked) == ("1/1/1", {2}, set())
    state.play("skip, play Other, seat +1, pass, pass")
    assert (state.favours(2), state.now.shields, state.now.actor) == ("1/1/1", set(), 2)
    single = table(3, "A", "", **{**setup, "protection": "single"}).play("skip")
    assert single.now.shields == {1, 2}


@pytest.mark.rule("SG-83")
def test_until_turn_comes_before_the_draw_and_after_the_check() -> None:
    state = table(
        2,
        "A",
        "PP PO",
        shields="1",
        protection="until_turn",
        victory_check="turn_start",
        favours={1: "5/1/1"},
        marks={1: "T"},
    ).play("skip")
    assert (state.phase, state.now.shields) == ("over", {1})
