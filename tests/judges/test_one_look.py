"""Diagnosers that look once: what they show, what they read, and what several answers agree on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import episodes_made as make
from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges import check_judge, make_judge
from assay.judges._one_look import agreed, merged
from assay.judges.base import Diagnoses, Examines
from assay.models.base import Reply
from assay.records import Event, View
from models_told import MODEL, levels, listen, text_of

pytestmark = pytest.mark.hypothesis
NAMES = ("vanilla", "stepwise", "vanilla-3", "vanilla-taxonomy")


def judge_of(name="vanilla", **options):
    return make_judge(name, {"model": MODEL, **options})


def said(kind="blur", start=0.0, end=1.0, severity=3, **more):
    event = {"dimension": taxonomy().types.get(kind, "visual_quality"), "type": kind}
    event |= {"span_s": [start, end], "severity": severity, "description": "d", "evidence": "e"}
    return {**event, **more}


@pytest.mark.parametrize("name", NAMES)
def test_it_keeps_the_contract_and_reads_what_the_model_lists(monkeypatch, name):
    listen(monkeypatch, lambda _: {"events": [said("blur", 2, 3), said("object_floating", 0, 1)]})
    judge = judge_of(name)
    assert isinstance(judge, Diagnoses)
    assert isinstance(judge, Examines)
    check_judge(judge, make.full_episode(), np.arange(2.0))
    found = judge.diagnose(make.full_episode())
    assert [event.type for event in found.value] == ["object_floating", "blur"]  # by time
    assert found.calls == (3 if name == "vanilla-3" else 1)


def test_sixteen_frames_or_four_a_second_and_never_a_part(monkeypatch):
    told = listen(monkeypatch, lambda _: {"events": []})
    long = make.full_episode(views={"front": View(make.GreyFrames(25))})  # 0, 1 .. 24 s
    judge_of().diagnose(long)
    judge_of(regime="full").diagnose(long)
    uniform, full = map(levels, told.requests)
    assert len(uniform) == 16
    assert (uniform[0], uniform[-1]) == (0, 240)
    assert full == [10 * k for k in range(25)]  # 97 moments at 4 a second, thinned to 32
    judge_of().diagnose(make.full_episode())
    assert levels(told.requests[-1]) == [0, 10, 20, 30, 40]  # five frames are not shown 16 times


def test_every_view_is_named_and_one_that_moves_is_called_so(monkeypatch):
    told = listen(monkeypatch, lambda _: {"events": []})
    views = {"front": View(make.GreyFrames(3)), "wrist": View(make.GreyFrames(3), moves=True)}
    judge_of().diagnose(make.full_episode(views=views))
    assert "At 1.00 s: front: <picture> wrist (moves with the robot): <picture>" in text_of(
        told.requests[0]
    )


def test_what_the_prompt_tells_of_the_taxonomy(monkeypatch):
    told = listen(monkeypatch, lambda _: {"events": []})
    definition = taxonomy().dimensions["visual_quality"].types["blur"]
    for name in ("vanilla", "vanilla-taxonomy"):
        judge_of(name).diagnose(make.full_episode())
    names, defined = map(text_of, told.requests)
    assert "visual_quality: blur, occlusion" in names
    assert definition not in names
    assert definition in defined
    assert taxonomy().severity[4] in defined


def test_thoughts_are_no_part_of_the_report(monkeypatch):
    import json

    thought = '<think>{"events": [1]} is wrong</think>' + json.dumps({"events": [said()]})
    told = listen(monkeypatch, lambda _: thought)
    assert len(judge_of("stepwise").diagnose(make.full_episode()).value) == 1
    assert (
        told.requests[0].schema is None
    )  # a form that is kept to strictly leaves no room to think


BAD = [
    (said("flicker"), "unknown_type"),
    (said(start=3, end=1), "bad_span"),
    (said(start=0, end=99), "outside_clip"),
    (said(severity=7), "bad_severity"),
    (said(description=5), "malformed"),
]


@pytest.mark.parametrize(("event", "reason"), BAD)
def test_what_can_not_be_meant_is_told_to_the_model_and_else_kept_as_invalid(
    monkeypatch, event, reason
):
    told = listen(monkeypatch, lambda _: {"events": [said(), event]})
    found = judge_of().examine(make.full_episode())
    assert [bad.reason for bad in found.invalid] == [reason]
    assert len(found.judged.value) == 1
    assert found.judged.calls == len(told.requests) == 4  # one question and three more tries
    assert "An event can't be meant" in text_of(told.requests[1])


def test_a_model_that_puts_it_right_is_asked_once_more(monkeypatch):
    answers = iter([{"events": [said(severity=7)]}, {"events": [said(severity=5)]}])
    listen(monkeypatch, lambda _: next(answers))
    found = judge_of().examine(make.full_episode())
    assert found.judged.value[0].severity == 5
    assert (found.invalid, found.judged.calls) == ((), 2)


def test_no_answer_is_not_a_clean_clip(monkeypatch):
    listen(monkeypatch, lambda _: "all fine")
    found = judge_of().diagnose(make.full_episode())
    assert (found.value, found.status, found.calls) == (None, "unparsed", 4)
    listen(monkeypatch, lambda _: Reply(status="refused", detail="no"))
    assert judge_of("vanilla-3").diagnose(make.full_episode()).status == "refused"


def test_without_an_instruction_two_dimensions_are_not_looked_at(monkeypatch):
    told = listen(monkeypatch, lambda _: {"events": [said("wrong_object"), said("blur")]})
    found = judge_of().examine(make.full_episode(instruction=" "))
    assert found.unasked == ("task_progress", "instruction_consistency")
    assert "wrong_object" not in text_of(told.requests[0])
    assert [e.type for e in found.judged.value] == ["blur"]
    assert [bad.reason for bad in found.invalid] == ["unknown_dimension"]
    assert "column 'instruction'" in found.notes[0]


def test_a_type_of_a_dimension_that_was_not_asked_for_is_refused_under_any_name(monkeypatch):
    odd = {**said("task_incompletion"), "dimension": "visual_quality"}
    told = listen(monkeypatch, lambda _: {"events": [odd, said("blur")]})
    found = judge_of().examine(make.full_episode(instruction=""))
    assert [e.type for e in found.judged.value] == ["blur"]
    assert [bad.reason for bad in found.invalid] == ["unknown_dimension"]
    assert "task_incompletion is of task_progress, which was not asked for" in text_of(
        told.requests[1]
    )
    # With an instruction both are asked for: that the picture tells of it is the model's word.
    found = judge_of().examine(make.full_episode())
    assert len(found.judged.value) == 2


def test_a_clip_of_one_frame_is_one_moment(monkeypatch):
    told = listen(monkeypatch, lambda _: {"events": [said(start=0, end=0)]})
    one = make.full_episode(views={"front": View(make.GreyFrames(1))}, signals={})
    found = judge_of().examine(one)
    assert [(e.start_s, e.end_s) for e in found.judged.value] == [(0.0, 0.0)]
    assert len(levels(told.requests[0])) == 1


def event(kind="blur", start=0.0, end=3.0, severity=3.0):
    return Event(taxonomy().types[kind], kind, start, end, severity)


def test_two_of_three_answers_decide_with_the_union_of_their_spans():
    # IoU of [0, 3] and [0.5, 3.5] = 2.5 / 3.5 = 0.71; of [0, 3] and [2, 5] = 1 / 5
    first = [event("blur", 0, 3, 2), event("object_floating", 0, 3)]
    second = [event("blur", 0.5, 3.5, 4), event("object_floating", 2, 5)]
    third = [event("occlusion", 0, 3)]
    (kept,) = agreed([first, second, third])
    assert (kept.type, kept.start_s, kept.end_s) == ("blur", 0, 3.5)
    assert kept.severity == 3  # the median of 2 and 4
    assert kept.confidence == pytest.approx(2 / 3)


def test_one_answer_that_says_it_twice_has_one_vote():
    assert agreed([[event(), event()], [], []]) == ()


def test_three_samples_are_drawn_warm_and_each_is_another(monkeypatch):
    told = listen(monkeypatch, lambda _: {"events": []})
    judge_of("vanilla-3").diagnose(make.full_episode())
    assert sorted(request.sample for request in told.requests) == [0, 1, 2]
    assert {request.sampling.temperature for request in told.requests} == {0.7}
    judge_of().diagnose(make.full_episode())
    assert told.requests[-1].sampling.temperature == 0.0


spans = st.tuples(st.floats(0, 10), st.floats(0, 5))
kinds = st.sampled_from(["blur", "occlusion", "object_floating"])
events = st.lists(
    st.builds(
        lambda kind, span, severity: event(kind, span[0], sum(span), severity),
        kinds,
        spans,
        st.integers(1, 5).map(float),
    ),
    max_size=8,
)


@given(events)
def test_merging_twice_is_merging_once_and_loses_no_type(some):
    once = merged(some)
    assert {e.type for e in once} == {e.type for e in some}
    assert len(merged([replace(e) for e in once])) <= len(once) <= len(some)


@given(events)
def test_three_equal_answers_agree_on_all_they_say(some):
    copies = [[replace(e) for e in some] for _ in range(3)]
    assert len(agreed(copies)) == len(merged(some))
