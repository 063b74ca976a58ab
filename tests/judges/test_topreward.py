"""The probability of True, from a model that finds it likelier the brighter the last frame."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import episodes_made as make
from assay.errors import UsageError
from assay.judges import check_judge, make_judge
from assay.judges.topreward import _share
from assay.models.base import Reply
from assay.models.recording import recorded
from model_server import in_turn, say
from models_loopback import loopback
from models_told import MODEL, levels, listen

TIMES = np.arange(5.0)


def judge_of(**options):
    return make_judge("topreward", {"model": MODEL, **options})


def likely(request):
    """The model of the tests: p(True) = level / 50, p(False) twice what is left of 0.5."""
    done = levels(request)[-1] / 50 / 2
    found = {"False": math.log(0.5 - done)} | ({"True": math.log(done)} if done else {})
    return Reply(text="True", logprobs={"True": -50.0, **found})


def test_progress_is_the_share_of_true(monkeypatch):
    told = listen(monkeypatch, likely)
    curve = judge_of().progress(make.full_episode(), TIMES)
    # p(True) / (p(True) + p(False)) = (level / 100) / 0.5
    assert curve.values == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8])
    assert [request.options for request in told.requests] == [("True", "False")] * 5
    assert all(request.schema is None for request in told.requests)


def test_no_log_probabilities_stop_after_one_call(monkeypatch):
    told = listen(monkeypatch, lambda _: "True")
    curve = judge_of().progress(make.full_episode(), TIMES)
    assert set(curve.status) == {"unparsed"}
    assert "gives no log-probabilities, and topreward is made of them" in curve.detail
    assert len(told.requests) == 1


def test_a_provider_known_to_have_none_is_refused_before_the_first_call(monkeypatch):
    told = listen(monkeypatch, likely, options=0)
    with pytest.raises(UsageError, match=r"told@http.* gives no log-probabilities"):
        judge_of().check()
    assert told.requests == []


def test_an_answer_that_was_cut_after_the_first_word_counts(tmp_path):
    likely = {"True": math.log(0.3), "False": math.log(0.1)}
    with loopback(tmp_path, lambda _: say("True", finish="length", logprobs=likely)) as (model, _):
        curve = judge_of(model=model).progress(make.full_episode(), TIMES[:1])
    assert curve.values == pytest.approx([0.75])


NO_CHOICE = {"Perhaps": math.log(0.6), "True": math.log(0.3)}  # a share in 0.3..1: too wide


@pytest.mark.parametrize(
    ("useless", "words"),
    [
        (say("Perhaps", logprobs=NO_CHOICE), "Neither True nor False is among its likely first"),
        (say("True"), "gives no log-probabilities"),
    ],
)
def test_what_could_not_be_used_is_asked_for_again_by_the_next_run(tmp_path, useless, words):
    likely = {"True": math.log(0.3), "False": math.log(0.1)}
    with loopback(tmp_path, in_turn(useless, say("True", logprobs=likely))) as (model, server):
        judge, episode = judge_of(model=model), make.full_episode()
        with recorded() as record:
            first = judge.progress(episode, TIMES[:1])
        again = judge.progress(episode, TIMES[:1])
        assert server.count == 2
    assert first.status.tolist() == ["unparsed"]
    assert words in first.detail
    assert [call.status for call in record.calls()] == ["unparsed"]
    assert again.values == pytest.approx([0.75])


def test_an_answer_that_was_cut_without_probabilities_is_truncated(monkeypatch):
    listen(monkeypatch, lambda _: Reply(status="truncated", detail="it was cut off"))
    curve = judge_of().progress(make.full_episode(), TIMES[:2])
    assert curve.status.tolist() == ["truncated", "truncated"]


def test_a_failed_call_is_no_value(monkeypatch):
    listen(monkeypatch, lambda _: Reply(status="transport", detail="the connection was cut"))
    curve = judge_of().progress(make.full_episode(), TIMES[:2])
    assert curve.status.tolist() == ["transport", "transport"]
    assert curve.detail == "t = 0 s: the connection was cut"


def test_an_option_that_is_not_listed_is_bounded_by_the_other():
    # p(False) <= 0.02, so the share is in 0.98..1; p(True) <= 0.04, so it is in 0..0.04
    assert _share({"True": math.log(0.98)}) == pytest.approx(0.99)
    assert _share({"False": math.log(0.96)}) == pytest.approx(0.02)
    assert _share({"True": math.log(0.5)}) is None
    assert _share({}) is None


@given(st.floats(-40, 0), st.floats(-40, 0))
def test_the_share_is_a_share_and_swaps(yes, no):
    share = _share({"True": yes, "False": no})
    assert 0 <= share <= 1
    assert share + _share({"True": no, "False": yes}) == pytest.approx(1)


def test_it_keeps_the_contract(monkeypatch):
    told = listen(monkeypatch, likely)
    check_judge(judge_of(), make.full_episode(), TIMES)
    asked = len(told.requests)
    judge_of().check()
    assert len(told.requests) == asked > 0  # looked at, and checked for nothing
