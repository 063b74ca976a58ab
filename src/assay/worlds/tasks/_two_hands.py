"""Stretches of script for two hands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.worlds.moves import Move, Pose, by, tool_pose
from assay.worlds.robots.base import Side
from assay.worlds.state import State
from assay.worlds.tasks._grips import Grip, raised

__all__ = ["hand_over", "holding", "lift", "other", "take", "together"]

_ABOVE = 0.09  # how far over a grip the tool waits before going down [m]
_REST = 0.17  # from the base to where a hand waits [m]


def other(side: Side) -> Side:
    """Return the other hand."""
    return "right" if side == "left" else "left"


def together(one: Sequence[Move], two: Sequence[Move]) -> tuple[Move, ...]:
    """Return the moves of two hands done at the same time, one by one."""
    return tuple(replace(move, also=also) for move, also in zip(one, two, strict=True))


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


def lift(hand: Side, name: str, grip: Grip, height: float) -> tuple[Move, ...]:
    """Return the moves that take a thing and bring it straight up to a height of its middle [m]."""

    def up(state: State) -> Pose:
        now = grip(state)
        return replace(now, z=now.z + height - float(state.position(name)[2]))

    move = Move(f"lift {name}", up, opening=0.0, speed=0.15, tolerance=0.012)
    return (*take(hand, name, grip), holding(hand, name, move))


def hand_over(
    giver: Side, name: str, grip: Grip, where: Callable[[State], Pose]
) -> tuple[Move, ...]:
    """Return the moves that pass a thing, which the giver holds, to the other hand.

    Args:
        giver: Who has it.
        name: What is handed over.
        grip: Where each hand takes it.
        where: Where the giver's tool brings it, while the other hand waits out of the way.
    """
    taker = other(giver)
    bring = Move(f"bring {name}", where, opening=0.0, tolerance=0.012)
    wait = Move("wait", _rest, opening=1.0, speed=0.35, tolerance=0.05)
    check = Move(f"check {name}", tool_pose, opening=0.0, tolerance=0.05)
    return (
        *together((holding(giver, name, bring),), by(taker, (wait,))),
        *take(taker, name, grip),
        holding(taker, name, check),
        *_leave(giver, name),
    )


def holding(hand: Side, name: str, move: Move, has: Callable[[State], bool] | None = None) -> Move:
    """Return a move with something in the hand; when it is lost, it is taken anew.

    Args:
        hand: Whose move it is.
        name: What is in the hand; an earlier move is called `<hand> above <name>`.
        move: What to do with it.
        has: Whether the hand has it; without, both finger tips must press on it.
    """
    held = has or (lambda state: state.held(name))
    kept = replace(move, lost=lambda state: not held(state), retry=f"above {name}")
    return by(hand, (kept,))[0]


def _leave(hand: Side, name: str) -> tuple[Move, ...]:
    """Return the moves that open a hand and take it back to where it is in nobody's way."""
    return by(
        hand,
        (
            Move(f"let go of {name}", tool_pose, opening=1.0, tolerance=0.05, hold_s=0.35),
            Move(f"leave {name}", _rest, opening=1.0, speed=0.35, tolerance=0.05),
        ),
    )


def _rest(state: State) -> Pose:
    """Return a pose high in front of the arm's own base."""
    stand = state.arm.stand
    x, y = stand.x + _REST * math.cos(stand.yaw), stand.y + _REST * math.sin(stand.yaw)
    return Pose(x, y, 0.28, stand.yaw)
