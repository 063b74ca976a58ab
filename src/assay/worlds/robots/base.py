"""What a robot is: one arm or two, each a model file and the names of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

__all__ = ["Arm", "Robot", "Side", "Stand", "grippers", "width"]

Side: TypeAlias = Literal["", "left", "right"]
"""Which arm; empty for the only one. Left is what the front camera has on its left."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Where an arm's base stands in the world [m], turned by `yaw` about the vertical [rad]."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0


@dataclass(frozen=True)
class Arm:
    """One arm with a parallel gripper; by itself it is a robot with one arm.

    The model file has a body `base`; one position actuator for each joint, named after it, and one
    named `gripper` that takes the opening of one finger [m]; a site `tool` between the finger tips
    whose z axis points out of the hand and whose y axis lies along the fingers' way; sensors
    `force` and `torque` at the site `flange`; and a camera `wrist`.

    Attributes:
        name: What episodes call it.
        path: The model file.
        joints: The names of the arm's joints, in order.
        fingers: The names of the finger joints, 0 when closed.
        pads: The names of the geoms that touch what is grasped; nothing else collides.
        home: The joint angles at the start of an episode [rad].
        finger_range: The opening of one finger when the gripper is fully open [m].
        speed_limits: The greatest joint speeds [rad/s].
        stand: Where its base stands.
        side: Which arm of its robot it is.
    """

    name: str
    path: Path
    joints: tuple[str, ...]
    fingers: tuple[str, str]
    pads: tuple[str, str]
    home: tuple[float, ...]
    finger_range: float
    speed_limits: tuple[float, ...]
    stand: Stand = Stand()
    side: Side = ""

    @property
    def arms(self) -> tuple[Arm, ...]:
        """Return the arms of this robot: itself."""
        return (self,)

    def part(self, name: str) -> str:
        """Return what a world calls a part of the model file: "left/tool" of two arms."""
        return f"{self.side}/{name}" if self.side else name

    def signal(self, name: str) -> str:
        """Return what episodes call a signal or a view of this arm: "contact.left" of two."""
        return f"{name}.{self.side}" if self.side else name


class Robot(Protocol):
    """One arm, or two that are called left and right."""

    @property
    def name(self) -> str:
        """Return what episodes call it."""
        ...

    @property
    def arms(self) -> tuple[Arm, ...]:
        """Return its arms, the left one first."""
        ...


def width(robot: Robot) -> int:
    """Return how many numbers an action has: for each arm its joints, then its gripper."""
    return sum(len(arm.joints) + 1 for arm in robot.arms)


def grippers(robot: Robot) -> list[int]:
    """Return which numbers of an action are the grippers'; the others are joints."""
    return [width - 1 for width in accumulate(len(arm.joints) + 1 for arm in robot.arms)]
