"""A learner's seat against opponents, against a plain model of one such table."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shadowenvs import IllegalActionError, get_game, rng
from shadowenvs.aec import TableEnv
from shadowenvs.batch import Batch
from shadowenvs.game import NO_ACTION, Game
from shadowenvs.learner import LearnerBatch
from shadowenvs.turn import Turn
from tests.conformance.playing import counts, few, heuristic_action, length, pick, played, rewards_of, same
from tests.conftest import games

SHOWN = ("observations", "masks", "seats", "learner_rewards", "dones")
FINALS = ("final_observations", "final_points", "final_winners", "final_seats", "final_lengths")


def first_legal(turn: Turn) -> NDArray[np.int64]:
    """A policy without chance."""
    return turn.masks.argmax(axis=1)


def last_legal(turn: Turn) -> NDArray[np.int64]:
    return turn.masks.shape[1] - 1 - turn.masks[:, ::-1].argmax(axis=1)


def drawn(turn: Turn) -> NDArray[np.int64]:
    """A policy with chance."""
    return turn.random_actions()


@dataclass
class Episode:
    """A finished game, as the model played it."""

    deal: np.recarray
    actions: list[int] = field(default_factory=list)
    learner: int = 0
    rewards: float = 0.0


class Model:
    """One table of a LearnerBatch in plain Python, for opponents without chance of their own."""

    def __init__(
        self, game: Game, b: int, seed: int, seat: int | str, opponents: list[tuple[Any, float]], **options: Any
    ) -> None:
        self.batch = Batch(game, 1, autoreset=False, **options)
        self.b, self.seed, self.seat, self.opponents = b, seed, seat, opponents
        self.game_no = 0
        self.episodes: list[Episode] = []
        self.batch.reset(np.array([seed], np.uint64))
        self.deal()
        self.pending = self.to_learner()

    def deal(self) -> None:
        n = self.batch.num_players
        self.learner = (self.b + self.game_no) % n if self.seat == "rotate" else int(self.seat)
        self.ply = self.decisions = 0
        self.players = [self.player(seat) for seat in range(n)]
        self.episode = Episode(self.batch.get_states(), learner=self.learner)

    def player(self, seat: int) -> Any:
        if seat == self.learner:
            return None
        share = int(rng.block(np.uint64(self.seed), rng.STREAM_OPPONENT, self.game_no, seat)[0]) / 2**32
        edges = np.cumsum(np.array([weight for _, weight in self.opponents]) / sum(w for _, w in self.opponents))
        return self.opponents[min(int(np.searchsorted(edges, share, "right")), len(edges) - 1)][0]

    def act(self, action: int) -> float:
        """Carries out an action; returns the learner's reward."""
        self.batch.step(np.array([action]))
        self.episode.actions.append(action)
        self.ply += 1
        return float(self.batch.rewards[0, self.learner])

    def to_learner(self) -> float:
        """Plays the opponents up to the learner's turn or the end of a game it has moved in; returns its rewards."""
        total = 0.0
        while True:
            if self.batch.get_states()["done"][0]:
                if self.decisions:
                    return total
                self.next_game()
                total = 0.0
                continue
            player = self.players[int(self.batch.seats[0])]
            if player is None:
                return total
            total += self.act(self.choose(player))

    def choose(self, player: Any) -> int:
        place = (np.uint64(self.seed), rng.STREAM_ACTION, self.game_no, self.ply)
        if player == "random":
            legal = np.flatnonzero(self.batch.masks[0])
            return int(legal[int(rng.block(*place)[0]) * len(legal) >> 32])
        if player == "heuristic":
            return heuristic_action(self.batch, int(rng.mix(*place)))
        return int(player(self.batch.turn(np.random.default_rng(0)))[0])

    def next_game(self) -> None:
        self.game_no += 1
        self.batch.deal_again()
        self.deal()

    def step(self, action: int) -> dict[str, Any]:
        """Carries out the learner's action; returns what the batch must show then."""
        self.decisions += 1
        reward = self.pending + self.act(action) + self.to_learner()
        self.pending = 0.0
        self.episode.rewards += reward
        shown: dict[str, Any] = {"learner_rewards": np.float32(reward), "dones": np.bool_(False)}
        if self.batch.get_states()["done"][0]:
            shown["dones"] = np.bool_(True)
            shown["final_observations"] = self.batch.observe(np.array([self.learner]))[0]
            shown["final_points"] = self.batch.points[0].copy()
            shown["final_winners"] = self.batch.get_states()["winners"][0]
            shown["final_seats"], shown["final_lengths"] = np.int8(self.learner), np.int64(self.decisions)
            self.episodes.append(self.episode)
            self.next_game()
            self.pending = self.to_learner()
        shown |= {name: getattr(self.batch, name)[0] for name in ("observations", "masks", "seats")}
        return shown


def opponents_by_name() -> dict[str, Any]:
    return {
        "random": "random",
        "heuristic": "heuristic",
        "policy": first_legal,
        "mixed": [("random", 1.0), ("heuristic", 2.0), (first_legal, 1.0), (last_legal, 0.5), ("random", 0.0)],
    }


@pytest.mark.parametrize("reward", ["first", "last"])
@pytest.mark.parametrize("opponents", opponents_by_name())
@pytest.mark.parametrize(("name", "n"), counts())
def test_tables_play_as_the_model(name: str, n: int, opponents: str, reward: str) -> None:
    """Everything shown is what a plain model shows; the rewards of a game add up to the agent's AEC return."""
    game = get_game(name)
    chosen = opponents_by_name()[opponents]
    pairs = chosen if isinstance(chosen, list) else [(chosen, 1.0)]
    options = {"num_players": n, "reward": rewards_of(game)[0 if reward == "first" else -1]}
    seat = "rotate" if reward == "first" else n - 1
    seeds = np.array([3, 2**64 - 1, 0], np.uint64)
    batch = LearnerBatch(game, 3, opponents=chosen, seat=seat, num_threads=1 + (n % 2), **options)
    batch.reset(seeds)
    models = [Model(game, b, int(seeds[b]), seat, pairs, **options) for b in range(3)]
    for b, model in enumerate(models):
        assert same(batch.observations[b], model.batch.observations[0]) and same(batch.masks[b], model.batch.masks[0])
    for number in range(few(4 * length(name, n), 12)):
        actions = np.array([pick(mask, number) for mask in batch.masks])
        batch.step(actions)
        for b, model in enumerate(models):
            expected = model.step(int(actions[b]))
            for key, value in expected.items():
                shown = getattr(batch, key)[b]
                if key == "learner_rewards":  # added up in another order
                    assert shown == pytest.approx(value, abs=1e-6), (key, b, number)
                else:
                    assert np.array_equal(shown, value), (key, b, number)
        if all(len(model.episodes) >= 2 for model in models):
            break
    finished = [episode for model in models for episode in model.episodes]
    assert len(finished) >= few(6, 0)
    for episode in finished:
        env = TableEnv(game, **options)
        env.set_state(episode.deal)
        total = dict.fromkeys(env.possible_agents, 0.0)
        for action in episode.actions:
            env.step(action)
            for agent, value in env.rewards.items():
                total[agent] += value
        assert all(env.terminations.values())
        assert episode.rewards == pytest.approx(total[f"seat_{episode.learner}"], abs=1e-5)


@pytest.mark.parametrize("opponents", ["random", "heuristic", "policy", "mixed"])
@pytest.mark.parametrize("name", games())
def test_seats_rotate(name: str, opponents: str) -> None:
    """Table b sits at seat b + g in its g-th game, so that every seat is learnt; a fixed seat stays."""
    game = get_game(name)
    n = min(game.seats)
    batch = LearnerBatch(game, n + 1, opponents=opponents_by_name()[opponents], num_players=n)
    fixed = LearnerBatch(game, 2, opponents=opponents_by_name()[opponents], seat=1, num_players=n)
    for tables in (batch, fixed):
        tables.reset(1)
        for number in range(n + 1):
            expected = [(b + number) % n if tables is batch else 1 for b in range(tables.num_tables)]
            assert tables.seats.tolist() == expected
            tables.deal_again()


@pytest.mark.parametrize("name", games())
def test_a_policy_plays_as_the_heuristic_that_it_calls(name: str) -> None:
    """Where the heuristic draws nothing, the games are the same."""
    game = get_game(name)
    called, built_in = (LearnerBatch(game, 4, opponents=who) for who in (Turn.heuristic_actions, "heuristic"))
    probe = Batch(game, few(64, 4))
    probe.reset(1)
    choices = [probe.turn(np.random.default_rng(seed)).heuristic_actions() for seed in range(4)]
    is_deterministic = all(same(choices[0], other) for other in choices)
    called.reset(5)
    built_in.reset(5)
    for number in range(few(200, 20)):
        actions = np.array([pick(mask, number) for mask in built_in.masks])
        built_in.step(actions)
        if is_deterministic:
            called.step(actions)
            for array in SHOWN + FINALS:
                assert same(getattr(called, array), getattr(built_in, array)), (array, number)
        else:
            called.step(np.array([pick(mask, number) for mask in called.masks]))


@pytest.mark.parametrize("name", games())
def test_random_players_are_uniform(name: str) -> None:
    """The built-in one and the one of a Turn: every legal action of one state is as frequent as the others."""
    record = played(name, str(max(get_game(name).seats)))
    place = int(record.masks.sum(axis=1).argmax())
    batch = Batch(record.game, few(4000, 1000), autoreset=False, **record.options)
    batch.set_states(np.repeat(record.states[place : place + 1], batch.num_tables))
    legal = np.flatnonzero(record.masks[place])
    for actions in (batch.random_actions(1, 0), batch.turn(np.random.default_rng(1)).random_actions()):
        seen = np.bincount(actions, minlength=record.game.num_actions)[legal]
        assert seen.sum() == batch.num_tables
        expected = batch.num_tables / len(legal)
        # Mean and deviation of chi-square with f degrees of freedom are f and sqrt(2 f).
        freedom = len(legal) - 1
        assert ((seen - expected) ** 2 / expected).sum() < freedom + 5 * (2 * freedom) ** 0.5


class Recorder:
    """An opponent with a memory."""

    def __init__(self) -> None:
        self.dealt: list[list[int]] = []
        self.asked: list[Turn] = []

    def reset(self, tables: NDArray[np.int64]) -> None:
        self.dealt.append(tables.tolist())

    def act(self, turn: Turn) -> NDArray[np.int64]:
        self.asked.append(turn)
        return turn.random_actions()


@pytest.mark.parametrize("name", games())
def test_a_policy_object_is_told_of_new_games(name: str) -> None:
    game = get_game(name)
    recorder = Recorder()
    batch = LearnerBatch(game, 3, opponents=[(recorder, 1.0)])
    batch.reset(2)
    assert recorder.dealt == [[0, 1, 2]]
    ended = 0
    for number in range(few(2 * length(name, batch.num_players), 30)):
        before = len(recorder.dealt)
        batch.step(np.array([pick(mask, number) for mask in batch.masks]))
        ended += int(batch.dones.sum())
        if batch.dones.any():
            assert set(np.flatnonzero(batch.dones)) <= {b for dealt in recorder.dealt[before:] for b in dealt}
    assert sum(map(len, recorder.dealt)) >= 3 + ended
    for turn in recorder.asked:
        assert turn.masks.any(axis=1).all() and turn.game is game and len(turn.tables) == len(turn.seats)


def ways() -> list[Callable[[Any], Any]]:
    return [LearnerBatch.copy, copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))]


@pytest.mark.parametrize("way", ways(), ids=["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("opponents", ["random", "heuristic", "drawn"])
@pytest.mark.parametrize("name", games())
def test_copies_continue_alike(name: str, opponents: str, way: Callable[[LearnerBatch], LearnerBatch]) -> None:
    batch = LearnerBatch(get_game(name), 3, opponents=drawn if opponents == "drawn" else opponents)
    batch.reset(4)

    def play(tables: LearnerBatch) -> Iterator[bytes]:
        for number in range(few(90, 8)):
            tables.step(np.array([pick(mask, number) for mask in tables.masks]))
            yield b"".join(getattr(tables, array).tobytes() for array in SHOWN + FINALS)

    list(play(batch))
    twin = way(batch)
    before = batch.get_states()
    history = list(play(twin))
    assert same(batch.get_states(), before)
    assert list(play(batch)) == history


@pytest.mark.parametrize("name", games())
def test_weights_decide_who_sits_down(name: str) -> None:
    """By chance of the seed alone, for each seat of each game."""
    game = get_game(name)
    n = max(game.seats)
    size = few(3000, 150)
    batch, again = (
        LearnerBatch(game, size, opponents=[("random", 3.0), ("heuristic", 1.0)], num_players=n) for _ in range(2)
    )
    for tables in (batch, again):
        tables.reset(6)
    assert same(batch._controllers, again._controllers)
    counted = np.bincount(-batch._controllers.ravel(), minlength=4)
    assert counted[1] == size and counted[2] / (counted[2] + counted[3]) == pytest.approx(0.75, abs=few(2, 9) / 100)
    before = batch._controllers.copy()
    batch.deal_again()
    assert not same(batch._controllers, before)


@pytest.mark.parametrize("name", games())
def test_an_illegal_action_is_refused_or_ends_the_game(name: str) -> None:
    game = get_game(name)
    batch = LearnerBatch(game, 2)
    batch.reset(1)
    before = batch.get_states()
    for action in (int(batch.masks[1].argmin()), game.num_actions, -2, -3, -4, 2**40):
        with pytest.raises(IllegalActionError) as caught:
            batch.step(np.array([NO_ACTION, action]))
        assert (caught.value.seat, caught.value.action) == (batch.seats[1], action)
        assert same(batch.get_states(), before)
    for action in (int(batch.masks[1].argmin()), game.num_actions, -2, -3, -4, 2**40):
        lenient = LearnerBatch(game, 2, illegal_actions="terminate", reward=rewards_of(game)[-1])
        lenient.reset(1)
        legal = int(lenient.masks[0].argmax())
        lenient.step(np.array([legal, action]))
        assert lenient.dones.tolist() == [False, True] and lenient.learner_rewards[1] == -1
        assert lenient.final_winners[1] == 0 and lenient.final_lengths[1] == 1
        assert lenient.masks.any(axis=1).all() and not lenient.get_states()["done"].any()


@pytest.mark.parametrize("action", [NO_ACTION, -2, -3, 10**6, "illegal"])
@pytest.mark.parametrize("name", games())
def test_an_illegal_action_of_a_policy_is_refused(name: str, action: int | str) -> None:
    def wrong(turn: Turn) -> NDArray[np.int64]:
        return turn.masks.argmin(axis=1) if action == "illegal" else np.full(len(turn), action)

    def reset_often(batch: LearnerBatch) -> None:
        for seed in range(20):
            batch.reset(seed)

    game = get_game(name)
    last = game.options.make().num_players - 1  # in a simultaneous game the others are asked first
    with pytest.raises(IllegalActionError):
        reset_often(LearnerBatch(game, 2, opponents=wrong, seat=last))


@pytest.mark.parametrize("name", games())
def test_wrong_arguments_are_refused(name: str) -> None:
    game = get_game(name)
    n = game.options.make().num_players
    for seat in (-1, n, True, "first"):
        with pytest.raises(ValueError, match=f"seat must be 'rotate' or 0 to {n - 1}, not {seat!r}"):
            LearnerBatch(game, 1, seat=seat)
    with pytest.raises(ValueError, match="unknown opponent 'strong'; choose one of 'random', 'heuristic'"):
        LearnerBatch(game, 1, opponents="strong")
    with pytest.raises(ValueError, match="an opponent must be a name or a policy, not 3"):
        LearnerBatch(game, 1, opponents=3)
    for opponents in ([], ["random"], [("random", 1.0, 2)]):
        with pytest.raises(ValueError, match=r"a list of opponents must hold pairs \(opponent, weight\)"):
            LearnerBatch(game, 1, opponents=opponents)
    for weights in ([-1.0, 2.0], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]):
        with pytest.raises(ValueError, match="weights of opponents must be at least 0 and not all 0"):
            LearnerBatch(game, 1, opponents=[("random", weight) for weight in weights])
    batch = LearnerBatch(game, 1)
    batch.reset(1)
    with pytest.raises(NotImplementedError, match="set_states needs a Batch"):
        batch.set_states(batch.get_states())


@pytest.mark.parametrize("name", games())
def test_deal_again_leaves_other_tables_alone(name: str) -> None:
    batch = LearnerBatch(get_game(name), 3, opponents=drawn)
    batch.reset(1)
    before = batch.get_states()
    batch.deal_again(np.array([False, True, False]))
    after = batch.get_states()
    assert same(after[[0, 2]], before[[0, 2]]) and after["seed"][1] != before["seed"][1]
    assert not batch.dones.any() and not batch.learner_rewards.any()
