"""The arm: published kinematics, and motors that hold it."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from assay.worlds.robots.panda import Panda


@pytest.fixture(scope="module")
def arm():
    model = mujoco.MjModel.from_xml_path(str(Panda().path))
    return model, mujoco.MjData(model)


def flange(arm, joints):
    model, data = arm
    data.qpos[:7] = joints
    mujoco.mj_kinematics(model, data)
    return data.site("flange").xpos.copy(), data.site("flange").xmat.reshape(3, 3).copy()


def test_at_zero_the_flange_is_where_the_published_lengths_put_it(arm):
    # d1 + d3 + d5 - df = 0.333 + 0.316 + 0.384 - 0.107 = 0.926 up, a7 = 0.088 forward; a4 and a5
    # (+-0.0825) cancel.
    position, turned = flange(arm, np.zeros(7))
    np.testing.assert_allclose(position, [0.088, 0.0, 0.926], atol=1e-9)
    np.testing.assert_allclose(turned[:, 2], [0, 0, -1], atol=1e-9)


def test_with_elbow_and_wrist_at_a_right_angle(arm):
    # Elbow at (0.0825, 0.649); the forearm then runs forward 0.384, 0.0825 higher; the hand is
    # 0.088 further and 0.107 down: x = 0.5545, z = 0.6245.
    position, _ = flange(arm, [0, 0, 0, -np.pi / 2, 0, np.pi / 2, 0])
    np.testing.assert_allclose(position, [0.5545, 0.0, 0.6245], atol=1e-9)


def test_the_first_joint_turns_the_arm_about_the_vertical(arm):
    position, _ = flange(arm, [np.pi / 2, 0, 0, -np.pi / 2, 0, np.pi / 2, 0])
    np.testing.assert_allclose(position, [0.0, 0.5545, 0.6245], atol=1e-9)


def test_the_tool_is_between_the_finger_tips_and_points_down_at_home(arm):
    _, turned = flange(arm, Panda().home)
    np.testing.assert_allclose(turned[:, 2], [0, 0, -1], atol=0.06)
    _, data = arm
    # The hand is 0.107 - 0.107 behind the flange, the finger tips 0.1034 in front of it.
    gap = data.site("tool").xpos - data.site("flange").xpos
    np.testing.assert_allclose(gap, 0.1034 * turned[:, 2], atol=1e-9)


def test_joint_limits_are_the_published_ones(arm):
    model, _ = arm
    assert model.joint("joint4").range.tolist() == [-3.0718, -0.0698]
    assert model.joint("joint6").range.tolist() == [-0.0175, 3.7525]
    for name in ("joint1", "joint3", "joint5", "joint7"):
        assert model.joint(name).range.tolist() == [-2.8973, 2.8973]


def test_motors_hold_the_home_pose_against_gravity():
    model = mujoco.MjModel.from_xml_path(str(Panda().path))
    data = mujoco.MjData(model)
    data.qpos[:7] = data.ctrl[:7] = Panda().home
    mujoco.mj_step(model, data, 1000)
    np.testing.assert_allclose(data.qpos[:7], Panda().home, atol=1e-3)


def test_the_gripper_opens_and_closes_both_fingers_alike():
    model = mujoco.MjModel.from_xml_path(str(Panda().path))
    data = mujoco.MjData(model)
    data.qpos[:7] = data.ctrl[:7] = Panda().home
    for opening in (0.04, 0.01):
        data.ctrl[7] = opening
        mujoco.mj_step(model, data, 1000)
        fingers = [data.joint(name).qpos[0] for name in Panda().fingers]
        np.testing.assert_allclose(fingers, [opening, opening], atol=5e-4)
