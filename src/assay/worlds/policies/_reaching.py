"""Turn a pose of the tool into joint angles: differential inverse kinematics by mink."""

from __future__ import annotations

import numpy as np

from assay.records import Floats
from assay.worlds.moves import Pose
from assay.worlds.robots._models import arm_model
from assay.worlds.robots.base import Arm
from assay.worlds.world import CONTROL_HZ

__all__ = ["Reach", "joint_ranges"]


def joint_ranges(arm: Arm) -> Floats:
    """Return the least and the greatest angle of every joint, of shape (J, 2) [rad]."""
    model = arm_model(arm)
    return np.array([model.joint(name).range for name in arm.joints])


class Reach:
    """Follow poses of the tool with joint angles, within the arm's limits.

    It solves in a model of the arm alone, which costs the same in every scene. Its whole memory is
    `joints`, the angles it last gave.

    Args:
        arm: Whose joints.
    """

    def __init__(self, arm: Arm) -> None:
        import mink

        self._mink = mink
        model = arm_model(arm)
        self._configuration = mink.Configuration(model)
        self._tool = mink.FrameTask("tool", "site", position_cost=1.0, orientation_cost=0.3)
        self._posture = mink.PostureTask(model, cost=1e-3)
        self._addresses = [int(model.joint(name).qposadr[0]) for name in arm.joints]
        self._open = np.array(model.qpos0)
        for finger in arm.fingers:
            self._open[int(model.joint(finger).qposadr[0])] = arm.finger_range
        self._posture.set_target(self._full(np.array(arm.home)))
        speeds = dict(zip(arm.joints, arm.speed_limits, strict=True))
        self._limits = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, speeds)]
        self.joints: Floats = np.array(arm.home)

    def towards(self, pose: Pose) -> Floats:
        """Return joint angles of shape (J,) one control step nearer to `pose` [rad]."""
        mink = self._mink
        self._tool.set_target(mink.SE3(np.array([*_rotation(pose), pose.x, pose.y, pose.z])))
        self._configuration.update(self._full(self.joints))
        dt = 1.0 / CONTROL_HZ
        # One solve leaves 0.2 mm of a moving target, and the next step takes that too.
        velocity = mink.solve_ik(
            self._configuration,
            [self._tool, self._posture],
            dt,
            solver="daqp",
            damping=1e-6,
            limits=self._limits,
        )
        self._configuration.integrate_inplace(velocity, dt)
        self.joints = np.array(self._configuration.q[self._addresses])
        return self.joints

    def off(self) -> float:
        """Return how far the tool is from the pose it was led to last: metres plus radians."""
        error = self._tool.compute_error(self._configuration)
        return float(np.linalg.norm(error[:3]) + np.linalg.norm(error[3:]))

    def _full(self, joints: Floats) -> Floats:
        """Return the configuration with the fingers open, of shape (J + 2,)."""
        whole = np.array(self._open)
        whole[self._addresses] = joints
        return whole


def _rotation(pose: Pose) -> Floats:
    """Return the tool's quaternion: half a turn about x points z down, then it is turned by yaw."""
    return np.array([0.0, np.cos(pose.yaw / 2), np.sin(pose.yaw / 2), 0.0])
