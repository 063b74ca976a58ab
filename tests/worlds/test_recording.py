"""A recorded attempt: which signals it has, when they were taken, and that they are true."""

from __future__ import annotations

import numpy as np
import pytest

import policies_made as made
from assay.errors import UsageError
from assay.metrics.success import success_flags
from assay.worlds.policies.expert import Expert
from assay.worlds.policies.frozen import Frozen
from assay.worlds.policies.hesitant import Hesitant
from assay.worlds.recording import contact_pairs, most_samples, record, stride_of
from assay.worlds.session import Session
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

PLAIN = {
    "joint_position": (7,),
    "joint_velocity": (7,),
    "joint_torque": (7,),
    "ee_position": (3,),
    "ee_rotation": (4,),
    "gripper_opening": (),
    "force": (3,),
    "torque": (3,),
    "contact": (),
    "action": (8,),
    "phase": (),
    "primitive": (),
    "progress": (),
    "success": (),
}


@pytest.fixture(scope="module")
def world():
    return World(LiftBlock())


def recorded(world, fps, seed=0, actor=None, name="expert"):
    session = Session(world, actor or Expert().actor(world.task, seed), name)
    session.reset(seed)
    taken = []
    episode = record(session, fps, name, lambda: taken.append(session.time))
    return episode, taken


def test_an_episode_has_every_signal_and_the_same_columns_each_time(world):
    episode, _ = recorded(world, 10)
    things = {f"object.{name}" for name in ("block", "other", "can")}
    pairs = {f"contact.{one}.{other}" for one, other in contact_pairs(world)}
    expected = {
        *PLAIN,
        *pairs,
        *(f"{t}.{what}" for t in things for what in ("position", "rotation")),
    }
    assert set(episode.signals) == expected
    for name, shape in PLAIN.items():
        assert episode.signals[name].values.shape[1:] == shape, name
    other, _ = recorded(world, 10, 1, made.Still(), "still")
    assert set(other.signals) == expected


def test_pairs_are_the_gripper_with_all_and_things_with_each_other(world):
    # Three things, no fixture: 4 with the gripper (table too), 3 with each other, 3 on the table.
    pairs = contact_pairs(world)
    assert len(pairs) == len(set(pairs)) == 4 + 3 + 3
    assert ("gripper", "table") in pairs
    assert ("block", "other") in pairs


def test_samples_are_even_from_the_start_to_the_end(world):
    episode, taken = recorded(world, 10)
    times = episode.signals["progress"].times
    assert times[0] == 0.0
    np.testing.assert_array_equal(times, np.arange(len(times)) / 10)
    np.testing.assert_allclose(taken, times)
    assert all(np.array_equal(s.times, times) for s in episode.signals.values())
    assert len(times) <= most_samples(world.task.limit_s, 10)


@pytest.mark.parametrize("fps", [4, 10, 20])
def test_a_success_is_one_that_held_at_any_rate(world, fps):
    episode, _ = recorded(world, fps)
    success = episode.signals["success"]
    assert episode.outcome is True
    assert success_flags(success.times, success.values) == (True, True, True)


def test_the_recorded_actions_lead_to_the_recorded_states(world):
    episode, _ = recorded(world, 20, 3)
    actions = episode.signals["action"].values
    world.reset(3)
    for number, action in enumerate(actions[:-1]):
        joints = episode.signals["joint_position"].values[number]
        assert np.array_equal(world.state.joint_position, joints)
        assert world.progress() == episode.signals["progress"].values[number]
        world.step(action)
    assert world.progress() == episode.signals["progress"].values[-1] == 1.0
    assert np.array_equal(actions[-1], actions[-2])


def test_a_lower_rate_takes_some_of_the_same_samples(world):
    full, _ = recorded(world, 20, 2)
    half, _ = recorded(world, 10, 2)
    count = len(half.signals["progress"].values)
    for name, series in half.signals.items():
        same = full.signals[name].values[::2][:count]
        # The last action of a recording repeats the one before.
        assert np.array_equal(series.values[: len(same) - 1], same[:-1]), name


def test_a_grasp_is_a_contact_of_the_gripper(world):
    episode, _ = recorded(world, 20)
    contact = episode.signals["contact"].values
    pressed = episode.signals["contact.gripper.block"].values > 0
    assert contact.dtype == np.bool_
    assert not contact[0]
    assert contact[-1]
    assert np.array_equal(contact, pressed)
    # In the air nothing of the block's weight is left on the table.
    assert episode.signals["contact.block.table"].values[0] == pytest.approx(0.5886, rel=1e-2)
    assert episode.signals["contact.block.table"].values[-1] == 0.0


def test_subtasks_follow_each_other_and_end_where_progress_passes_them(world):
    episode, _ = recorded(world, 20)
    names = tuple(subgoal.name for subgoal in world.task.subgoals)
    assert tuple(s.name for s in episode.segments) == episode.plan == names
    ends = [s.end_s for s in episode.segments]
    assert [s.start_s for s in episode.segments] == [0.0, *ends[:-1]]
    progress = episode.signals["progress"]
    for k, end in enumerate(ends, start=1):
        first = progress.times[np.argmax(progress.values >= k / 3)]
        assert first == pytest.approx(end)


def test_an_attempt_that_fails_has_no_subtask_it_did_not_do(world):
    episode, _ = recorded(world, 4, 1, made.Still(), "still")
    assert [s for s in episode.segments if s.kind == "subtask"] == []
    assert episode.outcome is False
    assert episode.plan == tuple(subgoal.name for subgoal in world.task.subgoals)
    assert episode.duration() == world.task.limit_s


def test_an_episode_says_where_it_comes_from(world):
    episode, _ = recorded(world, 4, 7)
    assert episode.id == "expert/lift-block-0007"
    assert (episode.task, episode.policy, episode.world) == ("lift-block", "expert", "tabletop")
    assert (episode.scene, episode.seed) == ("tabletop/lift-block/7/plain", 7)
    assert episode.perturbation == "none"
    assert episode.instruction == world.task.instruction


def test_an_attempt_that_runs_past_an_uneven_limit_has_room():
    # 2.05 s at 10 Hz: samples at 0, 0.1, .., 2.1.
    assert most_samples(2.05, 10) == 22
    assert most_samples(8.0, 10) == 81


@pytest.mark.parametrize("fps", [0, -5, 3, 40])
def test_a_rate_that_does_not_divide_control_is_refused(fps):
    with pytest.raises(UsageError, match=f"one of 1, 2, 4, 5, 10, 20, not {fps}"):
        stride_of(fps)


def test_what_does_not_move_is_marked_as_still(world):
    episode, _ = recorded(world, 10, 4, Frozen().actor(world.task, 4), "frozen")
    stills = [segment for segment in episode.segments if segment.kind == "still"]
    # It stands at home from the first moment to the end of its time.
    assert [(s.start_s, s.end_s) for s in stills] == [(0.0, episode.duration())]
    assert np.std(episode.signals["progress"].values) < 1e-4


def test_an_expert_on_its_way_is_not_still(world):
    episode, _ = recorded(world, 10, 4)
    grasp = next(s.end_s for s in episode.segments if "grasp" in s.name)
    assert all(s.start_s >= grasp for s in episode.segments if s.kind == "still")


def test_progress_hardly_trembles_in_a_still_stretch(world):
    episode, _ = recorded(world, 10, 300, Hesitant().actor(world.task, 300), "hesitant")
    progress = episode.signals["progress"]
    stills = [s for s in episode.segments if s.kind == "still"]
    assert stills
    for still in stills:
        within = (progress.times >= still.start_s) & (progress.times <= still.end_s)
        assert np.ptp(progress.values[within]) < 1e-3
