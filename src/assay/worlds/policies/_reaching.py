"""Turn a pose of the tool into joint angles: differential inverse kinematics by mink."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from assay.records import Floats
from assay.worlds.moves import Pose
from assay.worlds.robots.base import Robot
from assay.worlds.world import CONTROL_HZ

__all__ = ["Reach", "joint_ranges"]


@lru_cache(maxsize=4)
def _arm(path: Path) -> Any:  # noqa: ANN401 - mujoco.MjModel; MuJoCo is imported late
    """Return the model of the robot alone: solving in it costs the same in every scene."""
    import mujoco

    return mujoco.MjModel.from_xml_path(str(path))


def joint_ranges(robot: Robot) -> Floats:
    """Return the least and the greatest angle of every arm joint, of shape (J, 2) [rad]."""
    model = _arm(robot.path)
    return np.array([model.joint(name).range for name in robot.joints])


class Reach:
    """Follow poses of the tool with joint angles, within the robot's limits.

    Its whole memory is `joints`, the angles it last gave.

    Args:
        robot: Whose joints.
    """

    def __init__(self, robot: Robot) -> None:
        import mink

        self._mink, self._robot = mink, robot
        model = _arm(robot.path)
        self._configuration = mink.Configuration(model)
        self._tool = mink.FrameTask("tool", "site", position_cost=1.0, orientation_cost=0.3)
        self._posture = mink.PostureTask(model, cost=1e-3)
        self._posture.set_target(self._full(np.array(robot.home)))
        speeds = dict(zip(robot.joints, robot.speed_limits, strict=True))
        self._limits = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, speeds)]
        self.joints: Floats = np.array(robot.home)

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
        self.joints = np.array(self._configuration.q[: len(self.joints)])
        return self.joints

    def _full(self, joints: Floats) -> Floats:
        """Return the configuration with the fingers open, of shape (J + 2,)."""
        return np.concatenate([joints, np.full(len(self._robot.fingers), self._robot.finger_range)])


def _rotation(pose: Pose) -> Floats:
    """Return the tool's quaternion: half a turn about x points z down, then it is turned by yaw."""
    return np.array([0.0, np.cos(pose.yaw / 2), np.sin(pose.yaw / 2), 0.0])
