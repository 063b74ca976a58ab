"""Answers to multiple-choice questions."""

from dataclasses import replace

import numpy as np
import pytest

import episodes_made as make
from assay.errors import EpisodeError
from assay.judges import check_judge, make_judge
from assay.judges.base import Answers
from assay.records import Question, View
from models_told import MODEL, levels, listen, text_of

QUESTION = Question(
    id="q1",
    family="T1",
    text="What does the gripper do?",
    choices={"A": "push", "B": "lift", "C": "twist"},
    answer="B",
    episode="full",
    view="front",
    times=(1.0, 3.0),
)


def judge_of(**options):
    return make_judge("vlm-answer", {"model": MODEL, **options})


def test_the_model_sees_the_question_and_its_frames(monkeypatch):
    told = listen(monkeypatch, lambda _: {"answer": "C"})
    judged = judge_of().answer(QUESTION, make.full_episode())
    assert (judged.value, judged.status, judged.calls) == ("C", "ok", 1)
    assert levels(told.requests[0]) == [10, 30]
    said = text_of(told.requests[0])
    assert "Frame 1: <picture>\nFrame 2: <picture>\nWhat does the gripper do?" in said
    assert "A: push\nB: lift\nC: twist\n" in said
    assert said.rstrip().endswith("A, B, C.")


def test_frames_are_shown_in_the_order_of_the_question(monkeypatch):
    told = listen(monkeypatch, lambda _: {"answer": "A"})
    judge_of().answer(replace(QUESTION, times=(4.0, 0.0, 2.0, 4.0)), make.full_episode())
    assert levels(told.requests[0]) == [40, 0, 20, 40]


def test_the_view_of_the_question_counts(monkeypatch):
    told = listen(monkeypatch, lambda _: {"answer": "A"})
    views = {"front": View(make.GreyFrames()), "wrist": View(make.GreyFrames(), moves=True)}
    judge_of(view="front").answer(replace(QUESTION, view="wrist"), make.full_episode(views=views))
    assert len(told.requests[0].pictures) == 2
    with pytest.raises(EpisodeError, match="no view in full named 'top'"):
        judge_of().answer(replace(QUESTION, view="top"), make.full_episode())


@pytest.mark.parametrize(("said", "status"), [("D", "invalid_value"), ("Hard to say", "unparsed")])
def test_what_is_no_label_is_no_answer(monkeypatch, said, status):
    listen(monkeypatch, lambda _: said)
    judged = judge_of().answer(QUESTION, make.full_episode())
    assert (judged.value, judged.status, judged.calls) == (None, status, 4)


def test_several_answers_vote(monkeypatch):
    listen(monkeypatch, lambda request: {"answer": "ABB"[request.sample]})
    assert judge_of(samples="3").answer(QUESTION, make.full_episode()).value == "B"


def test_a_question_without_moments_is_refused():
    with pytest.raises(EpisodeError, match="q1 names no moment"):
        judge_of().answer(replace(QUESTION, times=()), make.full_episode())


def test_it_keeps_the_contract(monkeypatch):
    listen(monkeypatch, lambda _: {"answer": "A"})
    assert isinstance(judge_of(), Answers)
    check_judge(judge_of(), make.full_episode(), np.arange(2.0))
    judge_of().check()
