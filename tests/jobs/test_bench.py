"""What one judge says of one episode: hops, differences, and nothing at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from assay.errors import EpisodeError, InputError, UsageError
from assay.jobs._pulse_answers import read_answers
from assay.jobs._pulse_units import Ask, decode, is_lost, is_settled, worker
from assay.jobs.bench import BenchSettings, bench
from assay.judges.oracle import Oracle
from assay.judges.ramp import Ramp
from assay.records import Curve, Episode, Judged
from clips import number_of
from lerobot_sets import made_episode

PAIRS = {"gain": (0.1, 0.8), "back": (0.8, 0.1)}


@dataclass(frozen=True)
class Counts:
    """A judge of pairs alone: it reads the number that a picture shows."""

    bound: ClassVar[str] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def hop(self, task, before, after, start, goal):
        assert goal is None
        assert set(start) == set(before) == set(after) == {"front"}  # the wrist's camera moves
        assert number_of(start["front"]) == 0
        if task == "refuse":
            return Judged(None, "refused", "no")
        if task == "overdo" and number_of(after["front"]) == 8:
            return Judged(7.0)
        return Judged((number_of(after["front"]) - number_of(before["front"])) / 10)


@dataclass(frozen=True)
class Aims(Counts):
    """A judge of both kinds that may have a goal, and that has not seen the end before."""

    goal: str | None = None

    def hop(self, task, before, after, start, goal):
        return Judged(0.0)

    def clock(self, episode, fps):
        return np.array([0.0])

    def progress(self, episode, times):
        status = np.full(len(times), "ok")
        return Curve(times, times.copy(), status, novel=times > 0.5)


@dataclass(frozen=True)
class Breaks:
    """A judge of progress that can't."""

    bound: ClassVar[str] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset()
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return np.array([0.0])

    def progress(self, episode, times):
        raise EpisodeError("the frames are gone", "missing_frame")


@dataclass(frozen=True)
class Unready(Breaks):
    """A judge without its weights."""

    def check(self):
        raise InputError("the weights are gone", "weights")


def said(judge, episode, noise=0.0):
    """Ask as a worker process does."""
    return decode(worker((judge,), 0)()(Ask(0, noise, episode, PAIRS)))


def test_a_judge_of_pairs_sees_both_pictures_and_the_start():
    found = said(Counts(), made_episode(instruction="count"))
    assert found.values == {"gain": 0.7, "back": -0.7}
    assert found.whole() is None


def test_a_refusal_is_no_answer():
    found = said(Counts(), made_episode(instruction="refuse"))
    assert found.values == dict.fromkeys(PAIRS)
    assert found.trouble == ("refused", "no")


def test_a_hop_out_of_range_is_no_answer_to_that_pair():
    found = said(Counts(), made_episode(instruction="overdo"))
    assert found.values == {"gain": None, "back": -0.7}
    assert found.trouble == ("invalid_value", "a hop must be in -1..1, not 7.0")


def test_a_judge_with_its_own_goal_answers_by_its_curve():
    # The hops of `Aims` say 0; its curve, which knows the goal, is time, and half of it is new.
    free, bound = (said(Aims(goal), made_episode()) for goal in (None, "picture.png"))
    assert free.values == {"gain": 0.0, "back": 0.0}
    assert bound.values == pytest.approx({"gain": 0.7, "back": -0.7})
    assert free.novel == bound.novel == pytest.approx(3 / 7)  # .6, .8 and .9 of 7 moments


def test_judges_with_and_without_a_goal_are_asked_the_same_on_request():
    ask = Ask(0, 0.0, made_episode(), PAIRS)
    found = [decode(worker((Aims(g),), 0, by_curve=True)()(ask)) for g in (None, "picture.png")]
    assert found[0].values == found[1].values == pytest.approx({"gain": 0.7, "back": -0.7})
    # a judge that has no curve is asked about pairs all the same
    counted = Ask(0, 0.0, made_episode(instruction="count"), PAIRS)
    assert decode(worker((Counts(),), 0, by_curve=True)()(counted)).values["gain"] == 0.7


def test_an_answer_that_never_came_goes_before_one_of_no_use():
    @dataclass(frozen=True)
    class Loses(Counts):
        def hop(self, task, before, after, start, goal):
            status = "refused" if number_of(after["front"]) == 8 else "transport"
            return Judged(None, status, status)

    data = worker((Loses(),), 0)()(Ask(0, 0.0, made_episode(), PAIRS))
    assert decode(data).trouble == ("transport", "transport")  # though it is the second
    assert is_lost(data)
    assert not is_settled(data)
    refused = worker((Counts(),), 0)()(Ask(0, 0.0, made_episode(instruction="refuse"), PAIRS))
    assert not is_lost(refused)
    assert not is_settled(refused)


def test_a_judge_of_pairs_without_pictures_says_why_not():
    found = said(Counts(), Episode(id="e", task="t"))
    assert found.values == dict.fromkeys(PAIRS)
    assert found.trouble == ("missing_frame", "the episode has no views to look at")


def test_progress_is_judged_whole_without_noise_and_at_the_pairs_with_it():
    # Ten samples at 10 a second: the grid at 5 a second has 0, .2, .4, .6, .9; pairs add .1, .8.
    whole = said(Oracle(), made_episode()).whole()
    assert whole is not None
    assert whole[0].tolist() == [0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9]
    noisy = said(Ramp(), made_episode(), noise=0.1)
    assert list(noisy.times) == [0.0, 0.1, 0.8, 0.9]
    assert noisy.values["gain"] == pytest.approx(0.7 / 0.9)
    assert noisy.values["back"] == -noisy.values["gain"]


def test_a_judge_that_fails_gives_no_answer_and_the_reason():
    found = said(Breaks(), made_episode())
    assert found.values == dict.fromkeys(PAIRS)
    assert found.trouble == ("missing_frame", "the frames are gone")


def test_answers_from_lines_of_json(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [{"item": "a", "answer": 1}, {"item": "b", "answer": "-1"}, {"item": "c", "answer": "?"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert read_answers(path, ["a", "b", "c", "d"]) == {"a": 1, "b": -1, "c": 9}
    path.write_text('{"item": "a", "anser": 1}')
    with pytest.raises(InputError, match=r"row 1: the column 'answer' is missing"):
        read_answers(path, ["a"])


def test_a_judge_of_neither_kind_can_not_answer(tmp_path):
    @dataclass(frozen=True)
    class Mute:
        bound: ClassVar[str] = "cpu"
        needs: ClassVar[frozenset[str]] = frozenset()
        noise: ClassVar[None] = None

    with pytest.raises(UsageError, match="neither progress nor hops"):
        bench(tmp_path, BenchSettings(tmp_path / "out", judges=[Mute()]))


def test_what_would_stop_every_episode_is_told_at_once(tmp_path):
    with pytest.raises(InputError, match="the weights are gone"):
        bench(tmp_path, BenchSettings(tmp_path / "out", judges={"mine": Unready()}))


def test_no_other_judge_takes_the_place_of_a_null_judge(tmp_path):
    with pytest.raises(UsageError, match="ramp is the name of a null judge: give another LABEL="):
        bench(tmp_path, BenchSettings(tmp_path / "out", judges={"ramp": Oracle()}))
