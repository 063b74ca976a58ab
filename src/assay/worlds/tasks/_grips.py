"""Where a hand takes a thing that is no block, and the subgoals of getting there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.worlds.moves import Pose
from assay.worlds.robots.base import Side
from assay.worlds.state import State
from assay.worlds.tasks._conditions import released
from assay.worlds.tasks.base import Subgoal

__all__ = ["Grasp", "Grip", "at", "both", "near_end", "raised", "seen_by", "to_grip"]

Grip = Callable[[State], Pose]
"""Where a hand takes something in this state."""

_REACHED = 0.02  # so near to its grip a hand has reached it [m]
_AROUND = 0.03  # so near to its grip, with the fingers as wide as the thing, a hand has it [m]
_SNUG = 0.05  # how far off the opening may be then


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


def near_end(name: str, far: float, up: float = 0.0) -> Grip:
    """Return the grip at the end of a long thing that is nearer to the arm's own base.

    Args:
        name: The thing; it is long along its x axis, and lies across the table.
        far: From its middle to where a hand takes it [m].
        up: How far above its middle [m].
    """

    def where(state: State) -> Pose:
        own = math.copysign(1.0, state.arm.stand.y) * math.copysign(1.0, state.matrix(name)[1, 0])
        return at(name, (own * far, 0.0, up))(state)

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


def both(state: State) -> tuple[State, State]:
    """Return the state as the left hand sees it, and as the right one does."""
    return state.hand("left"), state.hand("right")


def seen_by(hand: Side, *subgoals: Subgoal) -> tuple[Subgoal, ...]:
    """Return subgoals that are written for one hand as those of the left or right one."""
    return tuple(_seen_by(hand, subgoal) for subgoal in subgoals)


@dataclass(frozen=True, slots=True)
class Grasp:
    """A grip, and how wide the fingers are on it.

    Attributes:
        name: The thing.
        grip: Where it is taken.
        opening: How far a hand is open that has it, 0..1.
    """

    name: str
    grip: Grip
    opening: float

    def subgoals(self, reach: str, grasp: str, until: str = "") -> tuple[Subgoal, Subgoal]:
        """Return reach and grasp for one hand, by their names and what proves the second."""
        return (
            Subgoal(reach, lambda s: self._far(s) < _REACHED, self._far, until=grasp),
            Subgoal(grasp, lambda s: s.in_hand(self.name), self._to_close, until=until),
        )

    def together(self, reach: str, grasp: str) -> tuple[Subgoal, Subgoal]:
        """Return reach and grasp for both hands at once, each at its own grip."""

        def far(state: State) -> float:
            return max(self._far(hand) for hand in both(state))

        def to_close(state: State) -> float:
            return sum(self._to_close(hand) for hand in both(state))

        return (
            Subgoal(reach, lambda s: far(s) < _AROUND, far, until=grasp),
            Subgoal(grasp, lambda s: all(self.around(hand) for hand in both(s)), to_close),
        )

    def passing(self, giver: Side, take: str, give: str, until: str) -> tuple[Subgoal, Subgoal]:
        """Return the subgoals of who takes the thing over: have it, then have it alone."""

        def alone(state: State) -> bool:
            return state.in_hand(self.name) and released(state.hand(giver), self.name)

        def to_give(state: State) -> float:
            """Return how far the giver must still open, 0..1; all the way until it is taken."""
            return 1.0 - state.hand(giver).opening if state.in_hand(self.name) else 1.0

        def to_take(state: State) -> float:
            return self._far(state) + 0.05 * state.opening

        return (
            Subgoal(take, lambda s: s.in_hand(self.name), to_take, until=give),
            Subgoal(give, alone, to_give, until=until),
        )

    def around(self, state: State) -> bool:
        """Tell whether a hand is closed around the grip.

        That is not whether both finger tips press on it: when two arms shake a stiff thing, one tip
        or the other loses touch every now and then, and the thing stays in the hand.
        """
        return self._far(state) < _AROUND and abs(state.opening - self.opening) < _SNUG

    def _far(self, state: State) -> float:
        return to_grip(state, self.grip)

    def _to_close(self, state: State) -> float:
        """Return how much wider than the thing the hand is, as a share of its opening."""
        return max(state.opening - self.opening, 0.0)


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
