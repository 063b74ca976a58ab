"""What the signals of an episode say, in words."""

import numpy as np

from assay.judges._states import history_words, object_words, robot_words
from assay.records import Episode, Series


def episode(**signals):
    """An episode whose signals, given by name with dots as two underscores, tick once a second."""
    made = {
        name.replace("__", "."): Series(np.arange(float(len(values))), np.array(values))
        for name, values in signals.items()
    }
    return Episode(id="e", task="t", signals=made)


def test_the_robot_is_told_at_the_moment_that_is_asked():
    one = episode(
        ee_position=[[0.0, 0.0, 0.5], [0.1, 0.2, 0.3]],
        gripper_opening=[1.0, 0.25],
        joint_position=[[0.0, 0.5], [1.0, -1.5]],
        action=[[1.0], [2.0]],
    )
    assert robot_words(one, 1.0) == (
        "the gripper is at (0.100, 0.200, 0.300) m\n"
        "the gripper is 25 % open\n"
        "joint angles [rad] 1.00, -1.50"
    )


def test_two_arms_are_told_apart():
    one = episode(gripper_opening__left=[1.0], gripper_opening__right=[0.0])
    assert robot_words(one, 0.0) == "the left gripper is 100 % open\nthe right gripper is 0 % open"


def test_many_joints_are_cut_short():
    words = robot_words(episode(joint_position=[np.zeros(30)]), 0.0)
    assert words.count("0.00") == 12
    assert words.endswith(", ...")


def test_objects_and_what_they_touch():
    one = episode(
        object__red_block__position=[[0.4, 0.0, 0.02], [0.4, 0.0, 0.2]],
        object__red_block__rotation=[[1, 0, 0, 0]] * 2,
        contact__gripper__red_block=[0.0, 3.0],
        contact__red_block__table=[2.0, 0.01],
    )
    assert object_words(one, 0.0) == (
        "red_block is at (0.400, 0.000, 0.020) m\nred_block touches table (2.0 N)"
    )
    assert "gripper touches red_block (3.0 N)" in object_words(one, 1.0)
    assert "table" not in object_words(one, 1.0)


def test_no_touch_is_said_and_no_record_of_touches_is_not():
    assert object_words(episode(contact__gripper__cup=[0.0]), 0.0) == "nothing touches anything"
    assert object_words(episode(object__cup__position=[[0, 0, 0]]), 0.0).count("touch") == 0
    assert object_words(episode(contact=[True]), 0.0) == "the gripper touches a movable object"
    assert object_words(episode(contact=[False]), 0.0) == "the gripper touches no movable object"


def test_the_history_goes_from_the_start_to_now_and_no_further():
    one = episode(action=[[k] for k in range(10)], progress=[0.0] * 10)
    lines = history_words(one, 4.0, steps=3).splitlines()
    assert lines == [
        "at 0.0 s: action sent 0.00",
        "at 2.0 s: action sent 2.00",
        "at 4.0 s: action sent 4.00",
    ]
    assert history_words(one, 0.0) == "at 0.0 s: action sent 0.00"


def test_what_would_give_the_answer_away_is_never_said():
    one = episode(progress=[0.0, 1.0], success=[False, True])
    assert robot_words(one, 1.0) == object_words(one, 1.0) == history_words(one, 1.0) == ""
