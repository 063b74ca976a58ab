"""Two desk arms that face each other across the table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from assay.worlds.robots.base import Arm, Stand
from assay.worlds.robots.desk_arm import DeskArm

__all__ = ["Bimanual"]

_X, _ASIDE, _HIGH = 0.45, 0.36, 0.12  # [m]


def _arms() -> tuple[Arm, ...]:
    """Return both arms; the front camera looks towards -x, so its left is at negative y."""
    return (
        DeskArm(stand=Stand(_X, -_ASIDE, _HIGH, math.pi / 2), side="left"),
        DeskArm(stand=Stand(_X, _ASIDE, _HIGH, -math.pi / 2), side="right"),
    )


@dataclass(frozen=True)
class Bimanual:
    """Two desk arms, left and right as the front camera sees them, facing each other."""

    name: str = "bimanual"
    arms: tuple[Arm, ...] = field(default_factory=_arms)
