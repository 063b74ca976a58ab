"""A 6-joint desk arm with WidowX-250's kinematics and a parallel gripper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from assay.worlds.robots.base import Arm, Stand

__all__ = ["DeskArm"]

_MODEL = Path(__file__).with_name("desk_arm.xml")
# It reaches half as far as Panda: it stands nearer, on a stand that its model draws.
_STAND = Stand(x=0.23, z=0.12)


@dataclass(frozen=True)
class DeskArm(Arm):
    """A 6-joint arm with the kinematics and limits that Trossen publishes for WidowX-250 6DOF."""

    name: str = "desk-arm"
    path: Path = _MODEL
    joints: tuple[str, ...] = (
        "waist",
        "shoulder",
        "elbow",
        "forearm-roll",
        "wrist-angle",
        "wrist-rotate",
    )
    fingers: tuple[str, str] = ("left-finger", "right-finger")
    pads: tuple[str, str] = ("left-pad", "right-pad")
    home: tuple[float, ...] = (0.0, -0.31, 0.41, 0.0, math.pi / 2 - 0.1, 0.0)
    finger_range: float = 0.04
    speed_limits: tuple[float, ...] = (math.pi,) * 6
    stand: Stand = _STAND
