"""Stretches of script that several tasks share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.worlds.moves import Move, Pose
from assay.worlds.state import State

__all__ = ["ABOVE", "grip_yaw", "pick", "put"]

ABOVE = 0.10  # how far over a thing the tool waits before going down [m]


def grip_yaw(state: State, name: str) -> float:
    """Return the yaw at which the fingers meet two faces of a block, the nearest to straight."""
    quarter = np.pi / 2
    return float((state.yaw(name) + quarter / 2) % quarter - quarter / 2)


def over(name: str, height: float) -> Callable[[State], Pose]:
    """Return a target so far above a thing, turned to grip it."""

    def where(state: State) -> Pose:
        x, y, z = (float(v) for v in state.position(name))
        return Pose(x, y, z + height, grip_yaw(state, name))

    return where


def pick(name: str, lift: float = 0.14) -> tuple[Move, ...]:
    """Return the moves that end with the thing in the hand, its centre at height `lift` [m]."""

    def up(state: State) -> Pose:
        x, y, z = (float(v) for v in state.position("tool"))
        return Pose(x, y, z + (lift - float(state.position(name)[2])), state.yaw("tool"))

    def dropped(state: State) -> bool:
        return not state.held(name)

    return (
        Move(f"above {name}", over(name, ABOVE), opening=1.0, speed=0.35, tolerance=0.015),
        Move(f"down to {name}", over(name, 0.0), opening=1.0, speed=0.2, tolerance=0.007),
        Move(f"close on {name}", over(name, 0.0), opening=0.0, tolerance=0.03, hold_s=0.4),
        Move(
            f"lift {name}",
            up,
            opening=0.0,
            speed=0.25,
            tolerance=0.012,
            lost=dropped,
            retry=f"above {name}",
        ),
    )


def put(
    name: str, spot: Callable[[State], tuple[float, float, float]], carry: float = 0.14
) -> tuple[Move, ...]:
    """Return the moves that carry a held thing over `spot`, set it down and let go.

    Args:
        name: What is in the hand.
        spot: Where its centre should come to rest, x, y, z [m].
        carry: Height of its centre on the way [m].
    """

    def led(state: State, height: float | None) -> Pose:
        """Return the tool's target that brings the thing's centre over the spot."""
        x, y, z = spot(state)
        grip = state.position("tool") - state.position(name)
        z = z if height is None else max(height, z)
        return Pose(x + grip[0], y + grip[1], z + grip[2], state.yaw("tool"))

    def away(state: State) -> Pose:
        _x, _y, z = spot(state)
        tool = state.position("tool")
        return Pose(float(tool[0]), float(tool[1]), z + ABOVE, state.yaw("tool"))

    def dropped(state: State) -> bool:
        return not state.held(name)

    first = f"above {name}"
    return (
        Move(
            f"carry {name}",
            lambda state: led(state, carry),
            opening=0.0,
            speed=0.3,
            tolerance=0.012,
            lost=dropped,
            retry=first,
        ),
        Move(
            f"lower {name}",
            lambda state: led(state, None),
            opening=0.0,
            speed=0.15,
            tolerance=0.006,
            lost=dropped,
            retry=first,
            patience_s=2.5,
        ),
        Move(f"let go of {name}", _stay, opening=1.0, tolerance=0.05, hold_s=0.4),
        Move(f"leave {name}", away, opening=1.0, speed=0.3, tolerance=0.03),
    )


def _stay(state: State) -> Pose:
    x, y, z = (float(v) for v in state.position("tool"))
    return Pose(x, y, z, state.yaw("tool"))
