"""What a robot is: a model file and the names of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

__all__ = ["Robot"]


class Robot(Protocol):
    """A robot that stands at the world's origin, z up. The scripted policies know one: Panda.

    The model file has one position actuator for each joint, in order, then one for the gripper
    that takes the opening of one finger [m]; a site `tool` between the finger tips whose z axis
    points out of the hand; sensors `force` and `torque` at the site `flange`; a camera `wrist`; and
    elliptic friction cones, whose first row is the normal force.
    """

    @property
    def name(self) -> str:
        """Return what episodes call it."""
        ...

    @property
    def path(self) -> Path:
        """Return the MJCF file."""
        ...

    @property
    def joints(self) -> tuple[str, ...]:
        """Return the names of the arm's joints, in order."""
        ...

    @property
    def fingers(self) -> tuple[str, str]:
        """Return the names of the finger joints."""
        ...

    @property
    def pads(self) -> tuple[str, str]:
        """Return the names of the geoms that touch what is grasped; nothing else collides."""
        ...

    @property
    def home(self) -> tuple[float, ...]:
        """Return the joint angles at the start of an episode [rad]."""
        ...

    @property
    def finger_range(self) -> float:
        """Return the opening of one finger when the gripper is fully open [m]."""
        ...

    @property
    def speed_limits(self) -> tuple[float, ...]:
        """Return the greatest joint speeds [rad/s]."""
        ...
