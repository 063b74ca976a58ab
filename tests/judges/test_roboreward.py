"""Grades from 1 to 5, from a model that reads the grey level of the last frame."""

import numpy as np
import pytest

import episodes_made as make
from assay.errors import UsageError
from assay.judges import check_judge, make_judge
from models_told import MODEL, levels, listen, text_of

TIMES = np.arange(5.0)


def judge_of(**options):
    return make_judge("roboreward", {"model": MODEL, **options})


def graded(request):
    """The model of the tests: grade k + 1 when the last frame is frame k."""
    return {"score": 1 + levels(request)[-1] // 10}


def test_every_moment_is_graded_as_if_it_were_the_end(monkeypatch):
    told = listen(monkeypatch, graded)
    curve = judge_of(most_frames="3").progress(make.full_episode(), TIMES)
    # grades 1 to 5, the lowest less, as quarters
    assert curve.values.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    shown = sorted((levels(request) for request in told.requests), key=lambda found: found[-1])
    assert shown == [[0], [0, 10], [0, 10, 20], [0, 20, 30], [0, 20, 40]]


def test_the_end_alone_takes_one_call_and_shows_the_way_there(monkeypatch):
    told = listen(monkeypatch, graded)
    judge = judge_of(scope="end", most_frames="5")
    times = judge.clock(make.full_episode(), None)
    assert times.tolist() == [4.0]
    assert judge.progress(make.full_episode(), times).values.tolist() == [1.0]
    assert [levels(request) for request in told.requests] == [[0, 10, 20, 30, 40]]


def test_with_the_end_alone_no_other_moment_has_a_value(monkeypatch):
    told = listen(monkeypatch, graded)
    curve = judge_of(scope="end").progress(make.full_episode(), TIMES)
    assert curve.status.tolist() == ["no_reference"] * 4 + ["ok"]
    assert np.isnan(curve.values[:4]).all()
    assert curve.detail == "t = 0 s: with scope=end only the end is graded"
    assert len(told.requests) == 1


@pytest.mark.parametrize(("said", "status"), [("0", "invalid_value"), ("good", "unparsed")])
def test_what_is_no_grade_is_no_value(monkeypatch, said, status):
    listen(monkeypatch, lambda _: said)
    curve = judge_of().progress(make.full_episode(), TIMES[:2])
    assert set(curve.status) == {status}


def test_a_checkpoint_may_bring_its_own_prompt(monkeypatch, tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("{frames}\nTask: {instruction}\nGrade:")
    told = listen(monkeypatch, lambda _: "ANSWER: 3")
    judge = judge_of(prompt=path, scope="end", most_frames="1")
    judge.check()
    assert judge.progress(make.full_episode(), TIMES[-1:]).values.tolist() == [0.5]
    expected = "Frame 1: <picture>\nTask: lift the red block\nGrade:"
    assert text_of(told.requests[0]) == expected


def test_it_keeps_the_contract(monkeypatch):
    listen(monkeypatch, graded)
    check_judge(judge_of(), make.full_episode(), TIMES)
    with pytest.raises(UsageError, match="Option scope of RoboReward can't be 'start'"):
        judge_of(scope="start")
