"""Turns and plays: SG-17 to SG-52."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from shadowenvs import rng
from shadowenvs.batch import Batch
from shadowenvs.games.shadow_games import GAME
from shadowenvs.games.shadow_games.spec import STREAM_POLL
from shadowenvs.jit import is_compiled
from tests.games.shadow_games.table import CODES, card_text, deck_file, rest, table

GAIN = '{ op = "gain", favour = "team" }'
PLOTS = [f"declare {code}" for code in CODES[:4]]
AGENTS = [f"declare {code}" for code in CODES[4:]]


@pytest.mark.rule("SG-17")
@pytest.mark.parametrize(("hand", "size"), [("TC PO", 3), ("TC", 3), ("TC PO SH", 3), ("TC PO SH FS", 4)])
def test_the_draw_at_the_start(hand: str, size: int) -> None:
    state = table(2, "A", "", hands=["PP AR", hand]).play("skip")
    assert len(state.now.hands[1]) == size


@pytest.mark.rule("SG-17", "SG-26")
def test_other_hand_sizes() -> None:
    state = table(2, "A", "", hands=["PP", "TC"], hand_keep=4, hand_draw=6).play("play PP, declare PP, challenge")
    assert [len(hand) for hand in state.play("favour Team").now.hands] == [4, 6]


@pytest.mark.rule("SG-18", "SG-30")
def test_each_phase_has_its_own_declarations() -> None:
    state = table(2, "P", "TS PO TC").play("play TS")
    assert (state.phase, state.legal()) == ("declare", PLOTS)
    state.play("declare PO, pass, play TC")
    assert (state.phase, state.legal()) == ("declare", AGENTS)


@pytest.mark.rule("SG-19")
def test_one_play_in_each_phase() -> None:
    state = table(3, "P", "TC PO TS", hands=["TC PO TS", "FS SH", "FS SH"])
    state.play("play TC, declare TC, pass, pass")
    assert state.now.agents
    state.play("play PO, declare AR, pass, pass")
    while state.phase != "play":
        state.batch.step(state.batch.random_actions(0, 0))
    assert (state.now.actor, state.now.agents) == (1, False)


@pytest.mark.rule("SG-20", "SG-21")
def test_what_may_be_skipped() -> None:
    assert "skip" in table(2, "P", "TC PO TS").legal()
    assert "skip" not in table(2, "P", "TC PO TS").play("skip").legal()
    assert "skip" in table(2, "A", "TC PO").legal()


@pytest.mark.rule("SG-22")
def test_an_exposed_bluff_counts_as_the_play() -> None:
    state = table(2, "P", "PO FS TS").play("play PO, declare TC, challenge, favour Team")
    assert state.now.agents
    assert "skip" in state.legal()


@pytest.mark.rule("SG-23")
def test_any_card_may_be_put_down_unless_it_must_fit() -> None:
    assert table(2, "P", "TS PO TC").legal() == ["play TC", "play PO", "play TS", "skip"]
    assert table(2, "A", "TS PO").legal() == ["play PO", "play TS", "skip"]
    fits = {"card_fits_phase": True}
    assert table(2, "P", "TS PO TC", **fits).legal() == ["play TC", "play PO", "skip"]
    assert table(2, "A", "TS PO", **fits).legal() == ["play TS", "skip"]


@pytest.mark.rule("SG-24")
@pytest.mark.parametrize(
    ("part", "hand", "words", "legal"),
    [
        ("P", "TC PO SH", "", "play TC, play SH, play PO"),
        ("P", "TC PO TS", "", "play TC, play PO, skip"),
        ("P", "TS PP SC", "", "skip"),
        ("A", "TC PO", "", "skip"),
        ("A", "TC PO", "part=agents", "skip"),
        ("A", "TC TS", "part=agents", "play TS"),
        ("A", "TC TS", "", "play TS, skip"),
    ],
)
def test_skips_when_the_card_must_fit(part: str, hand: str, words: str, legal: str) -> None:
    """With words given, no card was played in the Plotting phase."""
    if words:
        state = table(2, "P", hand, words=words, card_fits_phase=True)
    else:
        state = table(2, part, hand, card_fits_phase=True)
    assert ", ".join(state.legal()) == legal


@pytest.mark.rule("SG-25")
def test_an_empty_hand_passes_the_phase() -> None:
    state = table(2, "P", "TC").play("play TC, declare TC, pass")
    assert state.now.actor == 1  # the Agents phase was passed
    hands = ["", "PP PO"]
    without_cards = table(2, "A", "", hands=["PP", f"{rest('PP')}"], top=None).play("play PP, declare PP, pass")
    assert without_cards.now.actor == 1
    assert (len(without_cards.now.hands[0]), len(without_cards.now.hands[1])) == (1, 23)
    nothing = table(2, "A", "", hands=[rest(*hands), "PP PO"], top=None, words="actor=1 move=1")
    nothing.play("play PP, declare HE, challenge")
    assert hands[0] == ""


@pytest.mark.rule("SG-25")
def test_a_seat_without_cards_passes_both_phases() -> None:
    """All cards lie in one hand: the other seat's turns go by without a decision."""
    state = table(2, "A", "", hands=[rest(), ""], top=None).play("skip")
    assert (state.now.turn, state.now.actor, state.now.agents, state.phase) == (3, 0, False, "play")


@pytest.mark.rule("SG-26")
def test_the_draw_at_the_end() -> None:
    state = table(2, "A", "", hands=["PP", "TC PO"], top="SC AR HE")
    state.play("play PP, declare HE, challenge, favour Team")
    assert state.hand(0) == "SC AR"


@pytest.mark.rule("SG-27", "SG-28")
def test_a_deck_without_agents(tmp_path: Path) -> None:
    deck = deck_file(tmp_path, card_text("Alms", "plot", 12, GAIN), card_text("Gift", "plot", 12, GAIN))
    state = table(2, "P", "", hands=["a a b", "a b"], deck=deck)
    assert state.legal() == ["play Alms", "play Gift"]
    state.play("play Alms, declare Alms, pass")
    assert (state.now.actor, state.now.agents, state.phase) == (1, False, "play")


@pytest.mark.rule("SG-27")
def test_a_deck_without_plots(tmp_path: Path) -> None:
    deck = deck_file(tmp_path, card_text("Alms", "agent", 12, GAIN), card_text("Gift", "agent", 12, GAIN))
    state = table(2, "P", "", hands=["a a b", "a b"], deck=deck, words="part=agents")
    assert state.legal() == ["play Alms", "play Gift"]
    state.play("play Alms, declare Alms, pass")
    assert (state.now.actor, state.now.agents, state.legal()) == (1, True, ["play Alms", "play Gift"])


@pytest.mark.rule("SG-29")
def test_the_card_goes_face_down_to_the_table() -> None:
    states = [table(3, "P", "TC PO TS").play(f"play {code}") for code in ("TC", "PO")]
    assert [state.hand(0) for state in states] == ["PO TS", "TC TS"]
    assert [state.now.table for state in states] == [0, 3]
    for seat in (1, 2):
        first, second = (state.batch.observe(np.array([seat])).tolist() for state in states)
        assert first == second
    assert np.flatnonzero(states[1].observed(0, "table_card")).tolist() == [3]


@pytest.mark.rule("SG-30")
def test_a_kind_that_is_all_gone_may_be_declared() -> None:
    state = table(2, "P", "", hands=["TC TC TC", "PO FS"], pile="SH SH SH").play("play TC")
    assert state.legal() == PLOTS


@pytest.mark.rule("SG-31", "SG-33")
def test_only_effects_with_a_target_ask_for_one() -> None:
    for code in ("TC", "PO"):
        assert table(3, "P", "TC PO TS").play(f"play TC, declare {code}").phase == "challenge"
    for code, phase in (("TS", "target"), ("GB", "target"), ("HE", "target"), ("AR", "challenge")):
        state = table(3, "A", "TC PO").play(f"play TC, declare {code}")
        assert state.phase == phase
    state = table(3, "A", "TC PO").play("play TC, declare TS, seat +2")
    assert (state.now.target, state.now.declared, state.now.table, state.now.move) == (2, 4, 0, 1)
    assert np.flatnonzero(state.observed(1, "target")).tolist() == [1]


@pytest.mark.rule("SG-32")
def test_every_other_seat_is_a_legal_target() -> None:
    state = table(4, "A", "TS PO", favours={1: "0/0/0"}, shields="2").play("play TS, declare TS")
    assert state.legal() == ["seat +1", "seat +2", "seat +3"]


@pytest.mark.rule("SG-34")
@pytest.mark.parametrize(("card", "bluffs"), [("TC", 0), ("SH", 1), ("TS", 1)])
def test_a_bluff_is_another_kind(card: str, bluffs: int) -> None:
    state = table(2, "P", "TC SH TS").play(f"play {card}, declare TC, pass")
    assert (state.now.plays, state.now.bluffs) == ([1, 0], [bluffs, 0])
    hidden = table(2, "P", "TC SH TS").play(f"play {card}, declare TC")
    assert (hidden.now.plays, hidden.now.bluffs) == ([0, 0], [0, 0])


@pytest.mark.rule("SG-35")
def test_a_seat_without_favour_may_bluff() -> None:
    state = table(2, "P", "PO FS TS", favours={0: "0/0/0"})
    assert state.play("play PO").legal() == PLOTS


@pytest.mark.rule("SG-36", "SG-40")
def test_each_other_seat_is_polled_once() -> None:
    state = table(5, "P", "", hands=["TC SH AR", *["FS", "PP", "PO", "TS"]]).play("play TC, declare TC")
    asked = []
    while state.phase == "challenge":
        asked.append(state.now.move)
        before = sum(1 << seat for seat in state.now.passed)
        for seat in range(5):
            shown = state.observed(seat, "passed")
            assert sum(int(shown[(other - seat) % 5]) << other for other in range(5)) == before
        state.play("pass")
    assert asked == [1, 2, 3, 4]
    assert state.now.polls == [0, 1, 1, 1, 1]


@pytest.mark.rule("SG-37")
def test_the_first_challenge_ends_the_poll() -> None:
    state = table(5, "P", "", hands=["TC SH AR", *["FS", "PP", "PO", "TS"]]).play(
        "play TC, declare TC, pass, challenge"
    )
    assert state.now.challenges == [0, 0, 1, 0, 0]
    assert state.now.challenger == 2
    assert state.phase == "take"


@pytest.mark.rule("SG-38")
def test_tokens_do_not_make_a_challenger() -> None:
    state = table(4, "P", "TC SH TS", favours={1: "0/0/0", 3: "0/0/0"}, shields="1").play("play TC, declare TC")
    assert state.now.move == 2
    assert state.play("pass").phase == "play"


@pytest.mark.rule("SG-39")
def test_the_poll_runs_clockwise_from_the_actor() -> None:
    state = table(4, "A", "PP PO", words="actor=2 move=2", hands=["SH FS", "TC PO", "PP PO", "TC PO"])
    state.play("play PP, declare AR")
    asked = []
    while state.phase == "challenge":
        asked.append(state.now.move)
        state.play("pass")
    assert asked == [3, 0, 1]


@pytest.mark.rule("SG-39", "SG-132")
def test_a_random_order_is_uniform_for_each_play() -> None:
    number = 3_000 if is_compiled() else 300
    line = table(4, "A", "PP PO", challenge_order="random").now.text()
    states = [GAME.parse_position(line.replace("seed=0", f"seed={seed}"))[1] for seed in range(number)]
    batch = Batch(GAME, number, autoreset=False, **GAME.parse_position(line)[0].as_dict())
    batch.set_states(np.concatenate(states).view(np.recarray))
    for word in ("play Pickpocket", "declare Archivist"):
        batch.step(np.full(number, GAME.parse_action(batch.options, word)))
    orders = []
    for _ in range(3):
        assert (batch.get_states()["phase"] == 3).all()
        orders.append(batch.seats.copy())
        batch.step(np.full(number, GAME.parse_action(batch.options, "pass")))
    counts = Counter(zip(*map(np.ndarray.tolist, orders), strict=True))
    assert len(counts) == 6
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.rule("SG-39")
def test_a_random_order_depends_on_the_play_alone() -> None:
    state = table(4, "A", "PP PO", challenge_order="random", words="plays=3/1/0/2 seed=9", favours={2: "0/0/0"})
    state.play("play PP, declare AR")
    candidates = [1, 3]
    first = rng.below(np.uint64(9), STREAM_POLL, 6, 0, 2)
    assert state.now.move == candidates[first]
    assert state.play("pass").now.move == candidates[1 - first]


@pytest.mark.rule("SG-41")
@pytest.mark.parametrize(("answer", "card"), [("pass", "TC"), ("pass", "FS"), ("challenge", "TC"), ("challenge", "FS")])
def test_the_card_is_turned_up_in_any_case(answer: str, card: str) -> None:
    state = table(3, "P", "TC FS TS").play(f"play {card}, declare TC")
    for seat in (1, 2):
        assert not state.observed(seat, "turned_up").any()
    state.play("pass, pass" if answer == "pass" else answer)
    turned = [np.flatnonzero(state.observed(seat, "turned_up")).tolist() for seat in range(3)]
    kind = CODES.index(card)
    assert turned == [[kind]] * 3 or state.now.pile == [kind]


@pytest.mark.rule("SG-42", "SG-43")
def test_no_bonus_for_an_honest_play() -> None:
    honest = table(2, "P", "TC FS TS").play("play TC, declare TC, pass")
    assert (honest.favours(0), honest.favours(1)) == ("2/1/1", "1/1/1")
    bluff = table(2, "P", "TC FS TS").play("play FS, declare TC, pass")
    assert (bluff.favours(0), bluff.favours(1)) == ("2/1/1", "0/1/1")


@pytest.mark.rule("SG-43")
def test_the_effect_comes_before_the_bonus() -> None:
    """A stolen favour is gone when the bonus looks for it."""
    state = table(2, "A", "TS PO", favours={1: "1/0/0"}).play("play PO, declare TS, pass")
    assert state.favours(1) == "0/0/0"
    state = table(2, "A", "PP PO", favours={1: "1/0/0"}).play("play PP, declare TS, pass")
    assert (state.favours(0), state.favours(1), state.stored_reserve()) == ("2/1/1", "0/0/0", "4/5/5")


@pytest.mark.rule("SG-44")
def test_a_wrong_challenge_costs_after_the_effect() -> None:
    state = table(2, "A", "TS PO", favours={1: "2/0/1"}).play("play TS, declare TS, challenge")
    assert (state.favours(0), state.favours(1), state.phase, state.now.move) == ("2/1/1", "1/0/1", "take", 0)
    assert state.legal() == ["favour Team", "favour Guild"]


@pytest.mark.rule("SG-45")
def test_an_exposed_bluff_has_neither_effect_nor_bonus() -> None:
    state = table(3, "A", "SC PO").play("play SC, declare TS, seat +1, pass, challenge")
    assert [state.favours(seat) for seat in range(3)] == ["1/1/1"] * 3
    assert (state.phase, state.now.move) == ("take", 2)
    state.play("favour Union")
    assert [state.favours(seat) for seat in range(3)] == ["1/0/1", "1/1/1", "1/2/1"]
    assert state.now.challenges_won == [0, 0, 1]


@pytest.mark.rule("SG-46")
def test_the_bonus_comes_in_either_phase() -> None:
    plot_as_agent = table(2, "A", "FS PO").play("play FS, declare TS, pass")
    assert (plot_as_agent.favours(0), plot_as_agent.favours(1)) == ("2/1/1", "0/1/1")
    agent_as_plot = table(2, "P", "TS PO SC").play("play TS, declare TC, pass")
    assert (agent_as_plot.favours(0), agent_as_plot.favours(1)) == ("2/1/1", "1/0/1")


@pytest.mark.rule("SG-47")
def test_the_taker_chooses_among_what_the_payer_holds() -> None:
    state = table(2, "P", "PO FS TS", favours={0: "0/2/1"}).play("play PO, declare TC, challenge")
    assert (state.now.move, state.legal()) == (1, ["favour Union", "favour Guild"])
    state.play("favour Guild")
    assert (state.favours(0), state.favours(1)) == ("0/2/0", "1/1/2")


@pytest.mark.rule("SG-48", "SG-49")
def test_the_reserve_pays_for_those_who_have_nothing() -> None:
    state = table(2, "P", "PO FS TS", favours={0: "0/0/0", 1: "5/6/5"}).play("play PO, declare TC, challenge")
    assert (state.phase, state.now.move, state.legal()) == ("take", 1, ["favour Team", "favour Guild"])
    state.play("favour Guild")
    assert (state.favours(0), state.favours(1), state.stored_reserve()) == ("0/0/0", "5/6/6", "1/0/0")
    nothing = table(2, "P", "PO FS TS", favours={0: "0/0/0", 1: "6/6/6"}).play("play PO, declare TC, challenge")
    assert (nothing.favours(1), nothing.phase, nothing.pile()) == ("6/6/6", "play", "PO")


@pytest.mark.rule("SG-50")
def test_a_token_does_not_help_against_what_a_challenge_costs() -> None:
    bluffer = table(2, "A", "PO FS", shields="0").play("play PO, declare TS, challenge, favour Team")
    assert (bluffer.favours(0), bluffer.now.shields) == ("0/1/1", {0})
    challenger = table(2, "P", "TC FS TS", shields="1").play("play TC, declare TC, challenge, favour Team")
    assert (challenger.favours(1), challenger.now.shields) == ("0/1/1", {1})


@pytest.mark.rule("SG-51")
@pytest.mark.parametrize("words", ["play TC, declare TC, pass", "play TC, declare PO, challenge, favour Team"])
def test_the_card_ends_as_the_new_top_for_all_to_see(words: str) -> None:
    state = table(2, "P", "TC PO TS", pile="AR").play(words)
    assert state.pile() == "AR TC"
    assert state.now.seen == [{0, 1}, {0, 1}]
    assert (state.now.table, state.now.declared, state.now.passed, state.now.challenger) == (None, None, set(), None)
    assert (state.phase, state.now.agents) == ("play", True)


@pytest.mark.rule("SG-52")
@pytest.mark.parametrize("words", ["play TC, declare TC, pass", "play PO, declare TC, challenge, favour Team"])
def test_a_played_card_is_not_replaced_at_once(words: str) -> None:
    state = table(2, "P", "TC PO TS").play(words)
    assert len(state.now.hands[0]) == 2
    assert state.now.agents
