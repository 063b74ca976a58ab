"""Training a policy: what it learns from, what it refuses, and that a stopped one ends the same."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._policy_lessons import demos_of
from assay.jobs.rollout import RolloutSettings, rollout
from assay.jobs.show import load
from assay.jobs.train_policy import PolicyTrainSettings, train_policy
from assay.models.checkpoint import Checkpoint
from assay.models.graphs import open_graph, write_graph
from assay.records import Episode, Series, Unreadable
from assay.worlds.policies._cloned.fitting import Recipe, fit, told
from assay.worlds.policies._cloned.inputs import numbers, recorded, seen, things_of
from assay.worlds.policies._cloned.lessons import CHUNK, Lesson, chunks
from assay.worlds.policies.expert import Expert
from assay.worlds.recording import record
from assay.worlds.session import Session
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

TINY = Recipe(steps=30, batch=16, every=10, patience=0)


def episode(number=0, joints=7, rate=10, **changes) -> Episode:
    """Return a made demonstration of 2 s: the arm follows its targets, the hand closes half-way."""
    times = np.arange(2 * rate) / rate
    angles = 0.1 * number + np.outer(times, np.linspace(0.1, 0.3, joints))
    opening = (times < 1).astype(float)
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1))
    signals = {
        "joint_position": angles,
        "gripper_opening": opening,
        "ee_position": angles[:, :3],
        "ee_rotation": turned,
        "object.block.position": angles[:, :3] + 0.1,
        "object.block.rotation": turned,
        "action": np.column_stack([angles + 0.02, opening]),
    }
    made = Episode(
        f"e{number}",
        "lift",
        signals={name: Series(times, values) for name, values in signals.items()},
        outcome=True,
    )
    return replace(made, **changes)


def without(*names, number=0):
    made = episode(number)
    return replace(made, signals={n: s for n, s in made.signals.items() if n not in names})


def lessons(count, views=0, moments=20) -> list[Lesson]:
    """Return lessons whose chunks follow from the numbers, and places from the pictures."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(count):
        shown = {str(v): rng.integers(0, 255, (moments, 64, 64, 3), np.uint8) for v in range(views)}
        own = rng.normal(size=(moments, 5)).astype(np.float32)
        way = np.repeat(own[:, None, :2], CHUNK, 1)
        grip = np.repeat((own[:, None, 2:3] > 0).astype(np.float32), CHUNK, 1)
        places = own[:, :3] if views else own[:, :0]
        made.append(Lesson(f"e{number}", own, np.concatenate([way, grip], 2), shown, places))
    return made


@given(
    hnp.arrays(np.float64, (12, 4), elements=st.floats(-3, 3)),
    hnp.arrays(np.int64, (5,), elements=st.integers(0, 11)),
)
def test_a_chunk_is_the_actions_that_follow_counted_from_the_joints(actions, places):
    joints = actions[places, :-1] / 2
    found = chunks(actions, joints, places)
    for row, place in enumerate(places):
        for step in range(CHUNK):
            action = actions[min(place + step, 11)]
            assert np.allclose(found[row, step, :-1] + joints[row], action[:-1])
            assert found[row, step, -1] == action[-1]


def test_what_is_looked_at_by_hand():
    # A thing at (1, 2, 3), turned by a quarter about z: x axis (0, 1, 0), y axis (-1, 0, 0), yaw
    # pi/2; cos and sin of 1, 2 and 4 times that are 0, 1, -1, 0, 1, 0.
    half = np.sqrt(0.5)
    made = episode()
    times = made.signals["action"].times[:1]
    signals = {
        **made.signals,
        "object.block.position": Series(times, np.array([[1.0, 2.0, 3.0]])),
        "object.block.rotation": Series(times, np.array([[half, 0.0, 0.0, half]])),
        "ee_position": Series(times, np.array([[0.5, 0.5, 0.5]])),
    }
    [row] = numbers(recorded(replace(made, signals=signals), times, ("block",)))
    assert row[:8] == pytest.approx([0] * 7 + [1])
    assert row[8:17] == pytest.approx([0.5, 0.5, 0.5, 1, 0, 0, 0, 1, 0])
    assert row[17:23] == pytest.approx([1, 2, 3, 0.5, 1.5, 2.5])
    assert row[23:29] == pytest.approx([0, 1, 0, -1, 0, 0])
    assert row[29:] == pytest.approx([0, 1, -1, 0, 1, 0], abs=1e-9)


def test_the_same_is_seen_in_a_recording_and_while_acting():
    world = World(LiftBlock())
    session = Session(world, Expert().actor(world.task, 3))
    session.reset(3)
    rows = []
    things = ("block", "can", "other")
    made = record(session, 5, "expert", lambda: rows.append(numbers(seen(world.observe(), things))))
    assert things_of(made) == things
    times = made.signals["action"].times
    assert np.allclose(numbers(recorded(made, times, things)), np.concatenate(rows), atol=1e-6)


@pytest.mark.parametrize("views", [0, 2])
def test_it_learns_and_its_graph_says_the_same(tmp_path, views):
    train, valid = lessons(6, views), lessons(7, views)[6:]
    recipe = replace(TINY, steps=20 if views else 100, every=20 if views else 25)
    fitted = fit(train, valid, recipe, Checkpoint(None, ""))
    losses = [look["loss"] for look in fitted.history]
    assert views or losses[-1] < losses[0] / 1.5
    assert np.isfinite(losses).all()
    shown = [torch.zeros(2, 64, 64, 3, dtype=torch.uint8)] * views
    write_graph(fitted.network, (torch.zeros(2, 5), *shown), tmp_path / "policy.onnx")
    assert (tmp_path / "policy.onnx").stat().st_size <= 1_000_000
    given_ = {"in0": valid[0].numbers}
    given_ |= {f"in{n}": own for n, own in enumerate(valid[0].pictures.values(), 1)}
    [chunk] = open_graph(tmp_path / "policy.onnx", "A test").run(None, given_)
    assert np.abs(chunk - told(fitted.network, valid[0])).max() < 1e-4


def test_a_training_that_was_stopped_ends_as_if_it_had_not(tmp_path):
    train, valid = lessons(4), lessons(5)[4:]

    def stop(step):
        if step == 17:
            raise KeyboardInterrupt

    kept = Checkpoint(tmp_path / "training.pt", "mine")
    with pytest.raises(KeyboardInterrupt):
        fit(train, valid, TINY, kept, stop)
    steps = []
    again = fit(train, valid, TINY, kept, steps.append)
    assert steps[0] == 11  # from the look at step 10 on
    whole = fit(train, valid, TINY, Checkpoint(None, ""))
    assert again.history == whole.history
    for name, value in whole.network.state_dict().items():
        assert torch.equal(again.network.state_dict()[name], value)


def test_it_stops_when_held_out_demonstrations_get_no_better():
    train, odd = lessons(4), lessons(1)
    wrong = [replace(odd[0], chunks=-100 * odd[0].chunks)]  # the better it learns, the worse
    fitted = fit(train, wrong, replace(TINY, every=5, patience=2), Checkpoint(None, ""))
    assert fitted.history[-1]["step"] < TINY.steps


FIVE = [episode(n) for n in range(5)]


@pytest.mark.parametrize(
    ("found", "inputs", "words"),
    [
        (FIVE[:3], "state", "3 of at least 5 demonstrations"),
        ([without("action")], "state", "e0: has no signal 'action'"),
        ([without("ee_position")], "state", "e0: has no signal 'ee_position'"),
        ([*FIVE, episode(6, task="push")], "state", "of 2 tasks (lift, push)"),
        ([*FIVE, episode(6, joints=6)], "state", "several robots (6 joints, 7 joints)"),
        ([*FIVE, episode(6, rate=5)], "state", "have 5, 10 actions a second"),
        ([episode(rate=7)], "state", "come 7 times a second, and a rate that divides 20"),
        ([replace(e, outcome=False) for e in FIVE], "state", "all 5 demonstrations failed"),
        ([Unreadable("bad", "is broken")], "state", "bad: is broken"),
        (FIVE, "pixels", "e0: has no video, and --inputs pixels learns from pictures"),
        (
            [without("object.block.position", number=n) for n in range(5)],
            "state",
            "tell no object's pose",
        ),
    ],
)
def test_what_can_not_be_learnt_from_is_refused_kindly(found, inputs, words):
    with pytest.raises(InputError) as refused:
        demos_of(found, inputs, 0.2)
    assert words in str(refused.value)


def test_actions_that_are_no_joint_targets_are_refused():
    made = episode()
    far = Series(made.signals["action"].times, made.signals["action"].values + 2.0)
    with pytest.raises(InputError, match="they are no joint targets"):
        demos_of([replace(made, signals={**made.signals, "action": far})], "state", 0.0)
    short = Series(made.signals["action"].times, made.signals["action"].values[:, :7])
    with pytest.raises(InputError, match="one for the gripper are needed"):
        demos_of([replace(made, signals={**made.signals, "action": short})], "state", 0.0)


def test_failures_are_left_out_and_counted():
    demos = demos_of([*FIVE, episode(6, outcome=False)], "state", 0.2)
    assert demos.failed == 1
    assert demos.things == ("block",)
    assert demos.rate == 10


def test_settings_that_can_not_be_meant_are_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="kind of inputs named 'pixel'"):
        PolicyTrainSettings(tmp_path, inputs="pixel")
    with pytest.raises(UsageError, match="--steps must be above 0"):
        PolicyTrainSettings(tmp_path, steps=0)
    with pytest.raises(UsageError, match="seeds"):
        PolicyTrainSettings(tmp_path, tried="many")


@cache
def demos(base):
    out = base / "demos"
    settings = RolloutSettings(
        *(out, "lift-block", ("expert",), "0:5"), views=("wrist",), size=64, quality="fast", jobs=1
    )
    rollout(settings)
    return out


@pytest.fixture
def demonstrations(tmp_path_factory):
    return demos(tmp_path_factory.getbasetemp())


def test_a_policy_of_pixels_is_written_and_a_finished_run_is_only_read(tmp_path, demonstrations):
    settings = PolicyTrainSettings(tmp_path / "mine", inputs="pixels", steps=4, jobs=1)
    done = train_policy([demonstrations], settings)
    told_of = json.loads((done.out / "card.json").read_text())
    assert told_of["views"] == ["wrist"]
    assert told_of["things"] == []
    assert (told_of["task"], told_of["robot"], told_of["rate_hz"]) == ("lift-block", "panda", 10)
    assert told_of["episodes"] == 4
    assert told_of["held_out"] == len(told_of["about"]["seeds"]["held_out"]) == 1
    assert told_of["figures"]["cloned"]["joints_rad"]["n"] == 1
    assert (done.out / "policy.onnx").stat().st_size <= 1_000_000
    assert not (done.out / "work").exists()
    before = {p: p.stat().st_mtime_ns for p in done.out.rglob("*.json")}
    again = train_policy([demonstrations], settings)
    assert again.document == json.loads(again.text) == load(done.out).document
    assert {p: p.stat().st_mtime_ns for p in done.out.rglob("*.json") if p.name != "run.json"} == {
        p: t for p, t in before.items() if p.name != "run.json"
    }
