"""Stretches of script and subgoals for two hands."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.worlds.moves import Move, Pose, by, tool_pose
from assay.worlds.robots.base import Side
from assay.worlds.state import State
from assay.worlds.tasks.base import Subgoal

__all__ = ["Grip", "at", "leave", "other", "raised", "rest", "seen_by", "take", "to_grip"]

Grip = Callable[[State], Pose]
"""Where a hand takes something in this state."""

_ABOVE = 0.09  # how far over a grip the tool waits before going down [m]
_REST = 0.17  # from the base to where a hand waits [m]


def other(side: Side) -> Side:
    """Return the other hand."""
    return "right" if side == "left" else "left"


def at(
    name: str, along: tuple[float, float, float] = (0.0, 0.0, 0.0), turn: float = math.pi
) -> Grip:
    """Return the grip at a point of a thing, the hand's x axis along the thing's.

    Args:
        name: The thing.
        along: Where on it, in its own frame [m].
        turn: After this turn the grip is the same: the one nearest to straight ahead is taken.
    """

    def where(state: State) -> Pose:
        turned = state.matrix(name)
        x, y, z = (float(v) for v in state.position(name) + turned @ along)
        return Pose(x, y, z, _straight(state, float(np.arctan2(turned[1, 0], turned[0, 0])), turn))

    return where


def raised(grip: Grip, height: float) -> Grip:
    """Return the pose so far above a grip [m]."""

    def where(state: State) -> Pose:
        pose = grip(state)
        return replace(pose, z=pose.z + height)

    return where


def to_grip(state: State, grip: Grip) -> float:
    """Return how far the tool is from a grip [m]."""
    pose = grip(state)
    return float(np.linalg.norm(state.position("tool") - (pose.x, pose.y, pose.z)))


def take(hand: Side, name: str, grip: Grip) -> tuple[Move, ...]:
    """Return the moves that close a hand on something; the first is `<hand> above <name>`."""
    above = raised(grip, _ABOVE)
    return by(
        hand,
        (
            Move(f"above {name}", above, opening=1.0, speed=0.35, tolerance=0.015),
            Move(f"down to {name}", grip, opening=1.0, speed=0.18, tolerance=0.007),
            Move(f"close on {name}", grip, opening=0.0, tolerance=0.03, hold_s=0.4),
        ),
    )


def leave(hand: Side, name: str) -> tuple[Move, ...]:
    """Return the moves that open a hand and take it back to where it is in nobody's way."""
    return by(
        hand,
        (
            Move(f"let go of {name}", tool_pose, opening=1.0, tolerance=0.05, hold_s=0.35),
            Move(f"leave {name}", rest, opening=1.0, speed=0.35, tolerance=0.05),
        ),
    )


def rest(state: State) -> Pose:
    """Return a pose high in front of the arm's own base."""
    stand = state.arm.stand
    x, y = stand.x + _REST * math.cos(stand.yaw), stand.y + _REST * math.sin(stand.yaw)
    return Pose(x, y, 0.28, stand.yaw)


def seen_by(hand: Side, *subgoals: Subgoal) -> tuple[Subgoal, ...]:
    """Return subgoals that are written for one hand as those of the left or right one."""
    return tuple(_seen_by(hand, subgoal) for subgoal in subgoals)


def _seen_by(hand: Side, own: Subgoal) -> Subgoal:
    return replace(
        own,
        holds=lambda state: own.holds(state.hand(hand)),
        distance=lambda state: own.distance(state.hand(hand)),
    )


def _straight(state: State, angle: float, turn: float) -> float:
    """Return the angle that differs by whole turns and is nearest to where the arm faces."""
    facing = state.arm.stand.yaw
    return facing + (angle - facing + turn / 2) % turn - turn / 2
