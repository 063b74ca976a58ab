"""Which steps of the plan are done, from a model that reads the grey level."""

import numpy as np
import pytest

import episodes_made as make
from assay.errors import EpisodeError
from assay.judges import check_judge, make_judge
from models_told import MODEL, levels, listen, text_of

TIMES = np.arange(5.0)


def judge_of(**options):
    return make_judge("subgoal", {"model": MODEL, **options})


def two_steps(request):
    """The model of the tests: step 1 holds from frame 1 on, step 2 from frame 3 on."""
    level = levels(request)[-1]
    return {"done": ["yes" if level >= 10 else "no", "yes" if level >= 30 else "no"]}


def test_the_share_of_the_marked_steps(monkeypatch):
    told = listen(monkeypatch, two_steps)
    curve = judge_of().progress(make.full_episode(), TIMES)
    assert curve.values.tolist() == [0.0, 0.5, 0.5, 1.0, 1.0]
    assert len(told.requests) == 5
    assert "in this order:\n1. reach\n2. lift\n" in text_of(told.requests[0])


def test_the_plan_of_the_task_goes_before_what_one_episode_shows(monkeypatch):
    told = listen(monkeypatch, lambda _: {"done": ["yes", "no", "no"]})
    episode = make.full_episode(plan=("reach", "grasp", "lift"))
    assert judge_of().progress(episode, TIMES[:1]).values == pytest.approx([1 / 3])
    assert "2. grasp\n3. lift" in text_of(told.requests[0])


def test_steps_can_be_given(monkeypatch):
    told = listen(monkeypatch, lambda _: {"done": ["yes", "yes", "yes", "no"]})
    judge = judge_of(subgoals="open the drawer; take the cup ;close it;go home;")
    assert judge.progress(make.full_episode(), TIMES[:1]).values.tolist() == [0.75]
    assert "1. open the drawer\n2. take the cup\n3. close it\n4. go home" in text_of(
        told.requests[0]
    )


def test_a_step_that_is_undone_takes_those_after_it_along(monkeypatch):
    listen(monkeypatch, lambda _: {"done": ["no", "yes"]})
    assert judge_of().progress(make.full_episode(), TIMES[:1]).values.tolist() == [0.0]


@pytest.mark.parametrize(
    "said",
    [
        '{"done": [true, false]}',
        '["yes", "no"]',
        "1: yes\n2: no",
        'So step 1 holds.\n{"done": ["Yes", "No"]}',
    ],
)
def test_answers_of_other_shapes_are_read(monkeypatch, said):
    listen(monkeypatch, lambda _: said)
    assert judge_of().progress(make.full_episode(), TIMES[:1]).values.tolist() == [0.5]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ('{"done": ["yes"]}', "unparsed"),
        ('{"done": 2}', "unparsed"),
        ("most of them", "unparsed"),
        ('{"done": ["yes", "perhaps"]}', "invalid_value"),
    ],
)
def test_other_answers_are_no_value(monkeypatch, said, status):
    told = listen(monkeypatch, lambda _: said)
    curve = judge_of().progress(make.full_episode(), TIMES[:1])
    assert curve.status.tolist() == [status]
    assert len(told.requests) == 4


def test_without_steps_it_says_what_to_pass():
    with pytest.raises(EpisodeError, match="pass --set subgoals='first;second;third'") as caught:
        judge_of().progress(make.full_episode(segments=()), TIMES)
    assert caught.value.status == "no_reference"


def test_it_keeps_the_contract(monkeypatch):
    told = listen(monkeypatch, two_steps)
    check_judge(judge_of(), make.full_episode(), TIMES)
    asked = len(told.requests)
    judge_of().check()
    assert len(told.requests) == asked > 0  # looked at, and checked for nothing
