"""Stretches of script that several tasks share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.worlds.moves import Move, Pose, always, tool_pose
from assay.worlds.state import State
from assay.worlds.tasks._conditions import BLOCK

__all__ = [
    "ABOVE",
    "Spot",
    "at",
    "beside",
    "grip_yaw",
    "let_go",
    "on_top",
    "over",
    "pick",
    "put",
    "seize",
    "shifted",
]

Spot = Callable[[State], tuple[float, float, float]]
"""Where a thing's centre should come to rest in this state: x, y, z [m]."""

ABOVE = 0.10  # how far over a thing the tool waits before going down [m]
_QUARTER = math.pi / 2  # blocks look the same after a quarter turn
_TURNED = math.radians(60)  # the wrist turns further only at the edge of its range
_ALIGNED = math.radians(5)


def grip_yaw(state: State, name: str) -> float:
    """Return the yaw at which the fingers meet two faces of a block, the nearest to straight."""
    return _least(_face_yaw(state, name))


def over(name: str, height: float) -> Callable[[State], Pose]:
    """Return a target so far above a thing, turned to grip it."""

    def where(state: State) -> Pose:
        x, y, z = (float(v) for v in state.position(name))
        return Pose(x, y, z + height, grip_yaw(state, name))

    return where


def beside(spot: Spot, shift: float, drop: float = 0.0) -> Spot:
    """Return the spot `shift` further across the fingers and `drop` lower [m].

    Across the fingers, so that they don't touch what stands at the spot itself.
    """

    def where(state: State) -> tuple[float, float, float]:
        x, y, z = spot(state)
        yaw = state.yaw("tool")
        return x + shift * float(np.cos(yaw)), y + shift * float(np.sin(yaw)), z - drop

    return where


def shifted(spot: Spot, x: float = 0.0, y: float = 0.0) -> Spot:
    """Return the spot so much further along the axes of the table [m]."""

    def where(state: State) -> tuple[float, float, float]:
        from_x, from_y, z = spot(state)
        return from_x + x, from_y + y, z

    return where


def on_top(base: str, height: float = 2 * BLOCK) -> Spot:
    """Return where the centre of a thing on top of another is: so far over the other's [m]."""

    def spot(state: State) -> tuple[float, float, float]:
        x, y, z = (float(v) for v in state.position(base))
        return x, y, z + height

    return spot


def at(state: State, part: str, above: float = 0.0, out: float = 0.0) -> Pose:
    """Return the pose so far above and in front of a part [m], the fingers at its two sides."""
    x, y, z = state.position(part) + out * state.matrix(part)[:, 0]
    # Half a turn is the same grip; this half keeps the wrist far from its limits.
    return Pose(float(x), float(y), float(z + above), state.yaw(part) % np.pi)


def seize(part: str, where: Callable[..., Pose] = at) -> tuple[Move, ...]:
    """Return the moves that take a part of a fixture from above, such as a handle."""

    def here(state: State) -> Pose:
        return where(state, part)

    def above(state: State) -> Pose:
        return where(state, part, above=ABOVE)

    return (
        Move(f"above {part}", above, opening=1.0, speed=0.35, tolerance=0.015),
        Move(f"down to {part}", here, opening=1.0, speed=0.2),
        Move(f"close on {part}", here, opening=0.0, tolerance=0.03, hold_s=0.45),
    )


def let_go(part: str, where: Callable[..., Pose] = at) -> tuple[Move, Move]:
    """Return the moves that let go of a part of a fixture and take the hand up."""

    def here(state: State) -> Pose:
        return where(state, part)

    def above(state: State) -> Pose:
        return where(state, part, above=ABOVE)

    return (
        Move(f"let go of {part}", here, opening=1.0, tolerance=0.03, hold_s=0.4),
        Move(f"leave {part}", above, opening=1.0, tolerance=0.03),
    )


def pick(name: str, lift: float = 0.14) -> tuple[Move, ...]:
    """Return the moves that end with the thing in the hand, its centre at height `lift` [m]."""

    def up(state: State) -> Pose:
        now = tool_pose(state)
        return replace(now, z=now.z + lift - float(state.position(name)[2]))

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
    name: str,
    spot: Spot,
    carry: float = 0.14,
    along: Callable[[State], float] | None = None,
    lies: Callable[[State], bool] = always,
    close: float = 0.012,
    opening: float = 1.0,
) -> tuple[Move, ...]:
    """Return the moves that carry a held thing over `spot`, set it down and let go.

    Args:
        name: What is in the hand.
        spot: Where its centre should come to rest.
        carry: Height of its centre on the way [m].
        along: The yaw that its faces should line up with [rad]; None: as it was picked up.
        lies: Whether it has come to lie where it should; if not, it is picked up again.
        close: How near to the spot, seen from above, it is brought before it is lowered [m].
        opening: How far the hand opens to let go; less than 1 where there is little room.
    """

    def yaw(state: State) -> float:
        return state.yaw("tool") if along is None else _line_up(state, name, along(state))

    def led(state: State, height: float | None) -> Pose:
        """Return the tool's target that brings the thing's centre over the spot."""
        x, y, z = spot(state)
        grip = state.position("tool") - state.position(name)
        z = z if height is None else max(height, z)
        return Pose(x + grip[0], y + grip[1], z + grip[2], yaw(state))

    def away(state: State) -> Pose:
        return replace(tool_pose(state), z=spot(state)[2] + ABOVE)

    def dropped(state: State) -> bool:
        return not state.held(name)

    def aligned(state: State) -> bool:
        return abs(_least(yaw(state) - state.yaw("tool"))) < _ALIGNED

    first = f"above {name}"
    return (
        Move(
            f"carry {name}",
            lambda state: led(state, carry),
            opening=0.0,
            speed=0.3,
            tolerance=close,
            done=aligned,
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
        Move(f"let go of {name}", tool_pose, opening=opening, tolerance=0.05, hold_s=0.4),
        Move(f"leave {name}", away, opening=opening, speed=0.3, tolerance=0.03),
        Move(
            f"look at {name}",
            tool_pose,
            opening=1.0,
            tolerance=0.05,
            lost=lambda state: not lies(state),
            retry=first,
        ),
    )


def _face_yaw(state: State, name: str) -> float:
    """Return the yaw of a block's flattest axis: one that lies on its side is as good to grip."""
    turned = state.matrix(name)
    axis = turned[:, int(np.argmin(np.abs(turned[2])))]
    return float(np.arctan2(axis[1], axis[0]))


def _least(angle: float) -> float:
    """Return the angle that differs by quarter turns and is nearest to 0."""
    return float((angle + _QUARTER / 2) % _QUARTER - _QUARTER / 2)


def _line_up(state: State, name: str, along: float) -> float:
    """Return the tool's yaw that lines a held thing up, by the least turn the wrist allows."""
    now = state.yaw("tool")
    turned = now + _least(along - _face_yaw(state, name))
    options = (turned, turned - _QUARTER, turned + _QUARTER)
    return min(options, key=lambda yaw: (abs(yaw) > _TURNED, abs(yaw - now)))
