"""Progress against the start, with what the signals tell in words."""

import numpy as np
import pytest

import episodes_made as make
from assay.errors import EpisodeError
from assay.judges import check_judge, make_judge
from assay.records import Series
from models_told import MODEL, levels, listen, text_of

TIMES = np.arange(5.0)


def judge_of(**options):
    return make_judge("arena-progress", {"model": MODEL, **options})


def scored(request):
    """The model of the tests: the last picture's level, of 40."""
    return {"reflection": "It went up from 0.", "score": 2.5 * levels(request)[-1], "sentence": "."}


def with_states(**changes):
    """The fixture's episode with a robot and an object that rise by 10 cm a second."""
    height = np.stack([0 * TIMES, 0 * TIMES, TIMES / 10], axis=1)
    signals = {
        "ee_position": Series(TIMES, height),
        "action": Series(TIMES, TIMES[:, None]),
        "object.block.position": Series(TIMES, height + 1),
        "contact.gripper.block": Series(TIMES, TIMES),
        "progress": Series(TIMES, TIMES / 4),
        **changes,
    }
    return make.full_episode(signals=signals)


def asked_last(told):
    return max((text_of(request) for request in told.requests), key=lambda text: ".400" in text)


def test_each_moment_is_compared_with_the_start(monkeypatch):
    told = listen(monkeypatch, scored)
    curve = judge_of().progress(make.full_episode(), TIMES)
    assert curve.values.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert sorted(levels(request) for request in told.requests) == [[0, 10 * k] for k in range(5)]


def test_pictures_alone_say_nothing_of_states(monkeypatch):
    told = listen(monkeypatch, scored)
    judge_of(inputs="images").progress(with_states(), TIMES)
    for request in told.requests:
        said = text_of(request)
        assert "which counts as 0:\n<picture>\nHow it is now:\n<picture>\nRules" in said
        assert "What the robot has done" not in said


@pytest.mark.parametrize(
    ("inputs", "robot", "things"),
    [("robot", True, False), ("object", False, True), ("both", True, True)],
)
def test_what_is_told_beside_the_pictures_can_be_chosen(monkeypatch, inputs, robot, things):
    told = listen(monkeypatch, scored)
    judge_of(inputs=inputs).progress(with_states(), TIMES)
    said = asked_last(told)
    assert ("the gripper is at (0.000, 0.000, 0.400) m" in said) is robot
    assert ("What the robot has done since:\nat 0.0 s: " in said) is robot
    assert ("block is at (1.000, 1.000, 1.400) m" in said) is things
    assert ("gripper touches block (4.0 N)" in said) is things
    assert said.count("<picture>") == 2
    assert "0.75" not in said  # nothing of the recorded progress


def test_states_can_be_judged_without_pictures(monkeypatch):
    told = listen(monkeypatch, lambda _: {"reflection": "", "score": 50, "sentence": ""})
    judge_of(inputs="both", pictures="false").progress(with_states(), TIMES)
    assert [request.pictures for request in told.requests] == [()] * 5


@pytest.mark.parametrize(
    ("inputs", "lacking"),
    [("robot", "does not record the robot's state"), ("object", "where objects are")],
)
def test_states_that_were_not_recorded_are_named(inputs, lacking):
    with pytest.raises(EpisodeError, match=lacking) as caught:
        judge_of(inputs=inputs).progress(make.full_episode(), TIMES)
    assert caught.value.status == "no_reference"
    assert "its signals: progress, success" in str(caught.value)


def test_reflection_comes_first_and_the_sentence_last(monkeypatch):
    told = listen(monkeypatch, scored)
    judge_of().progress(make.full_episode(), TIMES[:1])
    schema = told.requests[0].schema
    assert list(schema["properties"]) == schema["required"] == ["reflection", "score", "sentence"]


@pytest.mark.parametrize(
    "said",
    [
        "## Reflection\nThe block was lifted.\n## Progress Score\n85",
        "Reflection: 1 of 2 steps.\nProgress Score (0-100): 85",
        '{"reflection": "2 steps", "score": 85, "sentence": "Nearly."}',
    ],
)
def test_answers_in_words_are_read(monkeypatch, said):
    listen(monkeypatch, lambda _: said)
    curve = judge_of().progress(make.full_episode(), TIMES[:1])
    assert curve.values == pytest.approx([0.85])


def test_a_number_outside_is_no_value(monkeypatch):
    listen(monkeypatch, lambda _: {"reflection": "", "score": 120, "sentence": ""})
    curve = judge_of().progress(make.full_episode(), TIMES[:1])
    assert curve.status.tolist() == ["invalid_value"]


def test_several_answers_are_averaged(monkeypatch):
    given = iter([40, 80])
    listen(monkeypatch, lambda _: {"reflection": "", "score": next(given), "sentence": ""})
    curve = judge_of(samples="2").progress(make.full_episode(), TIMES[:1])
    assert curve.values == pytest.approx([0.6])


def test_it_keeps_the_contract(monkeypatch):
    told = listen(monkeypatch, scored)
    check_judge(judge_of(inputs="both"), with_states(), TIMES)
    asked = len(told.requests)
    judge_of().check()
    assert len(told.requests) == asked > 0  # looked at, and checked for nothing
