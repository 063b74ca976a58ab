"""Which of two attempts went better, asked in both orders."""

import numpy as np
import pytest

import episodes_made as make
from assay.errors import EpisodeError
from assay.judges import check_judge, make_judge
from assay.judges.base import Prefers
from assay.models.base import Reply
from assay.records import View
from models_told import MODEL, levels, listen, text_of


def judge_of(**options):
    return make_judge("vlm-prefer", {"model": MODEL, "most_frames": "2", **options})


def attempt(name, frames):
    return make.full_episode(id=name, views={"front": View(make.GreyFrames(frames))})


FAR, SHORT = attempt("far", 5), attempt("short", 3)


def brighter(request):
    """The model of the tests: the attempt with the brighter last frame is better."""
    _, first, _, second = levels(request)
    answer = "tie" if first == second else "A" if first > second else "B"
    return {"reason": f"{answer} ends brighter", "answer": answer}


def test_the_sign_follows_the_attempt_and_not_its_place(monkeypatch):
    told = listen(monkeypatch, brighter)
    judged = judge_of().prefer(FAR, SHORT)
    assert judged.value == (1, "A ends brighter")
    assert judged.calls == 2
    # frames 0 and 4 of the one, 0 and 2 of the other, in both orders
    assert sorted(levels(r) for r in told.requests) == [[0, 20, 0, 40], [0, 40, 0, 20]]
    assert judge_of().prefer(SHORT, FAR).value[0] == -1


@pytest.mark.parametrize("always", ["A", "B"])
def test_a_model_that_goes_by_the_place_says_nothing(monkeypatch, always):
    listen(monkeypatch, lambda _: {"reason": "it looks nicer", "answer": always})
    better, reason = judge_of().prefer(FAR, SHORT).value
    assert better == 0
    assert "the answer changes with the order: with far as A" in reason
    assert f"with short as A, {always} is better (it looks nicer)" in reason


def test_a_tie_in_both_orders_is_a_tie_with_its_reason(monkeypatch):
    listen(monkeypatch, brighter)
    assert judge_of().prefer(FAR, attempt("same", 5)).value == (0, "tie ends brighter")


def test_half_an_answer_is_none(monkeypatch):
    replies = iter([{"reason": "", "answer": "A"}, Reply(status="refused", detail="no")])
    listen(monkeypatch, lambda _: next(replies))
    judged = judge_of().prefer(FAR, SHORT)
    assert (judged.value, judged.status, judged.detail) == (None, "refused", "no")


def test_several_answers_vote(monkeypatch):
    def split(request):
        # sample 2 of the question with the far attempt first disagrees with the other two
        wrong = request.sample == 2 and levels(request)[1] == 40
        return {"reason": f"sample {request.sample}", "answer": "B"} if wrong else brighter(request)

    told = listen(monkeypatch, split)
    assert judge_of(samples="3").prefer(FAR, SHORT).value == (1, "A ends brighter")
    assert len(told.requests) == 6


def test_neither_the_policy_nor_the_outcome_is_told(monkeypatch):
    told = listen(monkeypatch, brighter)
    judge_of().prefer(make.full_episode(policy="pi", outcome=True), SHORT)
    said = text_of(told.requests[0])
    assert "lift the red block" in said
    assert "pi " not in said
    assert "full" not in said


def test_different_tasks_are_not_compared():
    with pytest.raises(EpisodeError, match="only attempts at the same task"):
        judge_of().prefer(FAR, make.full_episode(task="other"))


def test_it_keeps_the_contract(monkeypatch):
    listen(monkeypatch, brighter)
    judge = judge_of()
    assert isinstance(judge, Prefers)
    check_judge(judge, FAR, np.arange(2.0))
    judge.check()
