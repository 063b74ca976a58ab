"""The model of a robot: its arms from their files, each on its stand."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from assay.worlds.robots._completing import complete
from assay.worlds.robots._from_file import FileArm
from assay.worlds.robots.base import Arm, Robot, Stand

__all__ = ["arm_model", "robot_spec"]


@lru_cache(maxsize=8)
def arm_model(arm: Arm) -> Any:  # noqa: ANN401 - mujoco.MjModel; MuJoCo is imported late
    """Return the model of one arm alone, on its stand, with the names of its file."""
    return _arm_spec(arm).compile()


def robot_spec(robot: Robot) -> Any:  # noqa: ANN401 - mujoco.MjSpec
    """Return the model of a robot, to which a scene is added."""
    import mujoco

    if len(robot.arms) == 1:
        return _arm_spec(robot.arms[0])
    spec = mujoco.MjSpec()
    for arm in robot.arms:
        own = _arm_spec(arm)
        spec.option = own.option
        spec.attach(own, prefix=arm.part(""), frame=spec.worldbody.add_frame())
        spec.camera(arm.part("wrist")).name = arm.signal("wrist")
    return spec


def _arm_spec(arm: Arm) -> Any:  # noqa: ANN401 - mujoco.MjSpec
    import mujoco

    spec = mujoco.MjSpec.from_file(str(arm.path))
    if isinstance(arm, FileArm):
        complete(spec, arm)
    if arm.stand != Stand():
        _stand(spec.worldbody, arm.stand)
    return spec


def _stand(world: Any, stand: Stand) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Move all that stands in a model to where the arm stands."""
    import mujoco

    turn = np.array([math.cos(stand.yaw / 2), 0.0, 0.0, math.sin(stand.yaw / 2)])
    for part in (*world.bodies, *world.geoms):
        moved, turned = np.empty(3), np.empty(4)
        mujoco.mju_rotVecQuat(moved, np.array(part.pos), turn)
        mujoco.mju_mulQuat(turned, turn, np.array(part.quat))
        part.pos, part.quat = moved + np.array([stand.x, stand.y, stand.z]), turned
