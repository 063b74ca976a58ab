"""Values of shuffled frames, from a model that reads the grey level of each."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import episodes_made as make
import pictures_made
from assay.errors import EpisodeError, UsageError
from assay.judges import check_judge, make_judge
from assay.judges.gvl import _deal
from assay.models.base import Reply
from assay.records import View
from models_told import MODEL, levels, listen, text_of


def judge_of(**options):
    return make_judge("gvl", {"model": MODEL, **options})


def episode_of(count):
    return make.full_episode(views={"front": View(make.GreyFrames(count))})


def valued(request):
    """The model of the tests: the brighter, the further; the frame of level 40 is the goal."""
    return {"scores": [min(2.5 * level, 100) for level in levels(request)[1:]]}


def test_every_frame_gets_its_value_whatever_its_place(monkeypatch):
    told = listen(monkeypatch, valued)
    curve = judge_of().progress(episode_of(5), np.arange(5.0))
    assert curve.values.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    # the start first and the other four in some order, three times
    assert [sorted(levels(request)) for request in told.requests] == [[0, 10, 20, 30, 40]] * 3
    assert all(levels(request)[0] == 0 for request in told.requests)
    assert len({tuple(levels(request)) for request in told.requests}) > 1


def test_frames_are_numbered_and_the_start_is_not_among_them(monkeypatch):
    told = listen(monkeypatch, valued)
    judge_of(permutations="1").progress(episode_of(3), np.arange(3.0))
    said = text_of(told.requests[0])
    assert "lift the red block" in said
    assert "0 % of the task is done.\n<picture>\n" in said
    assert "Frame 1: <picture>\nFrame 2: <picture>\nFor every frame" in said
    assert "list of 2 numbers" in said


def test_a_start_that_is_not_among_the_moments_is_shown_all_the_same(monkeypatch):
    told = listen(monkeypatch, valued)
    curve = judge_of(permutations="1").progress(episode_of(5), np.array([2.0, 4.0]))
    assert curve.values.tolist() == [0.5, 1.0]
    assert levels(told.requests[0])[0] == 0
    assert len(levels(told.requests[0])) == 3


def test_values_are_averaged_by_frame(monkeypatch):
    given = iter([40, 60, 80])  # one frame, three shuffles: the mean is 60 %
    listen(monkeypatch, lambda _: {"scores": [next(given)]})
    curve = judge_of().progress(episode_of(2), np.arange(2.0))
    assert curve.values == pytest.approx([0.0, 0.6])


def test_a_shuffle_without_an_answer_leaves_the_others(monkeypatch):
    replies = iter([Reply(status="refused", detail="no"), {"scores": [40]}, {"scores": [60]}])
    listen(monkeypatch, lambda _: next(replies))
    curve = judge_of().progress(episode_of(2), np.arange(2.0))
    assert curve.values == pytest.approx([0.0, 0.5])
    assert curve.detail == "1 of 3 calls gave no values: no"


def test_a_frame_without_any_value_has_none(monkeypatch):
    listen(monkeypatch, lambda _: Reply(status="refused", detail="the model declined"))
    curve = judge_of().progress(episode_of(3), np.arange(3.0))
    assert curve.status.tolist() == ["ok", "refused", "refused"]
    assert np.isnan(curve.values[1:]).all()
    assert curve.detail == "t = 1 s: the model declined"


def test_too_few_values_are_asked_for_again_and_then_not_taken(monkeypatch):
    told = listen(monkeypatch, lambda _: {"scores": [50]})
    curve = judge_of(permutations="1").progress(episode_of(3), np.arange(3.0))
    assert curve.status.tolist() == ["ok", "unparsed", "unparsed"]
    assert len(told.requests) == 4  # once, and three times more


def test_sixty_frames_take_six_calls_that_show_each_frame_thrice(monkeypatch):
    # 59 frames beside the start: ceil(59 / 30) = 2 calls, in each of 3 shuffles
    told = listen(monkeypatch, lambda r: {"scores": [50] * (len(r.pictures) - 1)})
    shades = [pictures_made.grey(4 * k, side=8) for k in range(60)]
    episode = pictures_made.episode(shades, instruction="push the block")
    judge_of().progress(episode, np.arange(60.0))
    assert len(told.requests) == 6
    assert sum(len(request.pictures) for request in told.requests) == 3 * 59 + 6
    assert max(len(request.pictures) for request in told.requests) <= 31


@given(count=st.integers(0, 200), most=st.integers(1, 40), seed=st.integers(0, 5))
def test_dealing_shows_every_frame_once_and_calls_grow_no_faster_than_frames(count, most, seed):
    calls = _deal(count, most, np.random.default_rng(seed))
    assert sorted(np.concatenate([*calls, []]).tolist()) == list(range(count))
    assert len(calls) == math.ceil(count / most)
    assert all(len(call) <= most for call in calls)


def test_every_call_sees_the_whole_episode():
    # 2 calls for 60 frames: of every two neighbours each call has one
    for call in _deal(60, 30, np.random.default_rng(0)):
        assert np.diff(np.sort(call)).max() <= 3


def test_the_seed_decides_the_shuffles(monkeypatch):
    told = listen(monkeypatch, valued)
    for seed in ("0", "0", "1"):
        judge = judge_of(permutations="1", seed=seed)
        judge.progress(episode_of(12), np.arange(12.0))
    first, again, other = (request.pictures for request in told.requests)
    assert first == again
    assert first != other


def test_it_keeps_the_contract(monkeypatch):
    told = listen(monkeypatch, valued)
    check_judge(judge_of(), episode_of(5), np.array([0.0, 1.0, 2.0, 4.0]))
    asked = len(told.requests)
    judge_of().check()
    assert len(told.requests) == asked > 0  # looked at, and checked for nothing


def test_more_frames_than_the_model_takes_are_refused_before_the_first_call(monkeypatch):
    told = listen(monkeypatch, valued, pictures=20)
    with pytest.raises(UsageError, match=r"gvl would show 31 frames at once and .* takes 20"):
        judge_of().check()
    judge_of(most_frames="19").check()
    assert told.requests == []


def test_what_it_cannot_do_is_said_in_one_sentence(monkeypatch):
    with pytest.raises(UsageError, match="gvl asks a model and was given none"):
        make_judge("gvl").check()
    with pytest.raises(UsageError, match="most_frames of gvl must be from 1 to 1000, not 0"):
        judge_of(most_frames="0")
    with pytest.raises(EpisodeError, match="full has no instruction") as caught:
        judge_of().progress(make.full_episode(instruction=" "), np.arange(2.0))
    assert caught.value.status == "no_reference"


def test_an_answer_that_leaves_no_room_for_a_question_is_refused_before_asking(monkeypatch):
    told = listen(monkeypatch, valued, tokens=512)
    room = "takes 512 tokens, question and answer together, and gvl lets an answer have"
    for longest in (1024, 512):
        with pytest.raises(UsageError, match=f"{room} {longest}: lower --set max_tokens"):
            judge_of(max_tokens=str(longest)).check()
    judge_of(max_tokens="511").check()
    assert told.requests == []
