"""A 7-joint arm with Panda's kinematics and a parallel gripper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.worlds.robots.base import Arm

__all__ = ["Panda"]

_MODEL = Path(__file__).with_name("panda.xml")


@dataclass(frozen=True)
class Panda(Arm):
    """A 7-joint arm with the kinematics and limits that Franka publishes for Panda."""

    name: str = "panda"
    path: Path = _MODEL
    joints: tuple[str, ...] = (
        "joint1",
        "joint2",
        "joint3",
        "joint4",
        "joint5",
        "joint6",
        "joint7",
    )
    fingers: tuple[str, str] = ("left-finger", "right-finger")
    pads: tuple[str, str] = ("left-pad", "right-pad")
    home: tuple[float, ...] = (0.0, -0.35, 0.0, -2.3, 0.0, 1.95, 0.7853981633974483)
    finger_range: float = 0.04
    # Franka publishes 2.175 rad/s for the first four joints and 2.61 rad/s for the wrist.
    speed_limits: tuple[float, ...] = (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61)
