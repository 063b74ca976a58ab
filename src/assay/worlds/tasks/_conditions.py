"""Conditions, distances and subgoals that several tasks share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.worlds.state import GRIPPER, State
from assay.worlds.tasks.base import Subgoal

__all__ = [
    "BLOCK",
    "Delivery",
    "bringing",
    "flat_distance",
    "grasping",
    "letting_go",
    "lifting",
    "released",
    "resting",
    "to_tool",
]

BLOCK = 0.025  # half the width of a block [m]
RESTING_M_S = 0.03
REACHED = 0.015  # between the tool and a thing's centre [m]
CLEAR = 0.10  # height of a thing's centre at which it passes over everything else [m]
_OVER = 0.02  # ... and over the spot, where that is high up [m]
FLUSH = 0.01  # how far a thing that lies right may be off in height [m]
STEEP = 0.5  # height counts half: it is gone through quickly, and the last stretch is across
LET_GO = 0.02  # opening the hand counts as much as this way [m]
_FINGER = 0.04  # opening of one finger [m]


def to_tool(state: State, name: str) -> float:
    """Return how far a thing's centre is from between the finger tips [m]."""
    return float(np.linalg.norm(state.position("tool") - state.position(name)))


def flat_distance(state: State, name: str, other: str) -> float:
    """Return how far apart two things are, seen from above [m]."""
    gap = state.position(name)[:2] - state.position(other)[:2]
    return float(np.linalg.norm(gap))


def released(state: State, name: str) -> bool:
    """Tell whether the gripper does not touch a thing."""
    return not state.touching(GRIPPER, name)


def resting(state: State, name: str, on: str = "") -> bool:
    """Tell whether a thing is let go and at rest, or moves along with what it is on."""
    moving = state.velocity(name) - (state.velocity(on) if on else 0.0)
    return released(state, name) and float(np.linalg.norm(moving[3:])) < RESTING_M_S


def grasping(
    name: str, words: str, until: str = "", width: float = BLOCK
) -> tuple[Subgoal, Subgoal]:
    """Return the subgoals reach and grasp of a thing, or of a part such as a handle.

    Args:
        name: What is grasped.
        words: What the subgoals call it, such as "red block".
        until: The later subgoal that proves that it was grasped.
        width: Half its width between the fingers [m].
    """
    grasp = f"grasp the {words}"
    return (
        Subgoal(
            f"reach the {words}",
            lambda state: to_tool(state, name) < REACHED,
            lambda state: to_tool(state, name),
            until=grasp,
        ),
        Subgoal(
            grasp,
            lambda state: state.in_hand(name),
            # How much wider than the thing the hand is, as a share of its opening.
            lambda state: max(state.opening - width / _FINGER, 0.0),
            until=until,
        ),
    )


def bringing(
    name: str, words: str, point: tuple[float, float, float], near: float, until: str = ""
) -> Subgoal:
    """Return the subgoal called `words`: a thing's centre is near a point in the air [m]."""

    def far(state: State) -> float:
        return float(np.linalg.norm(state.position(name) - point))

    return Subgoal(words, lambda state: far(state) < near, far, until=until)


def lifting(name: str, words: str, height: float, until: str = "") -> Subgoal:
    """Return the subgoal called `words`: a thing's centre is at a height or above [m]."""

    def low(state: State) -> float:
        return max(height - float(state.position(name)[2]), 0.0)

    return Subgoal(words, lambda state: low(state) == 0.0, low, until=until)


def letting_go(part: str, words: str, after: Callable[[State], bool]) -> Subgoal:
    """Return the subgoal let go of a part of a fixture, which begins when `after` holds."""

    def left(state: State) -> float:
        """Return how far the fingers must still open, 0..1; all the way before that."""
        return 1.0 - state.opening if after(state) else 1.0

    return Subgoal(f"let go of the {words}", lambda state: resting(state, part), left)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A thing, and the spot where it is to lie.

    Attributes:
        name: The thing.
        words: What the subgoals call it, such as "red block".
        goal: What they call the spot, such as "in the basket".
        spot: Where its centre is to come to rest: x, y, z [m].
        slack: How far from there, seen from above, it still lies right [m].
        near: How far from there, seen from above, it counts as carried there [m]. It is then on
            its way to the spot, in the hand or not: a block set down beside the basket has been
            carried there. Things must start further away.
        flush: How far off in height it still lies right [m].
        width: Half its width between the fingers [m].
        on: What it is to rest on, if that can move itself.
    """

    name: str
    words: str
    goal: str
    spot: Callable[[State], tuple[float, float, float]]
    slack: float
    near: float
    flush: float = FLUSH
    width: float = BLOCK
    on: str = ""

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry and put."""
        carry = f"carry the {self.words} over"
        return (
            *grasping(self.name, self.words, until=carry, width=self.width),
            Subgoal(carry, lambda state: self._across(state) <= self.near, self._way_left),
            Subgoal(f"put the {self.words} {self.goal}", self.done, self._last_way_left),
        )

    def done(self, state: State) -> bool:
        """Tell whether the thing lies where it should, at rest and let go."""
        return self.lies(state) and resting(state, self.name, self.on)

    def lies(self, state: State) -> bool:
        """Tell whether the thing is where it should lie, held or not."""
        return self._across(state) <= self.slack and abs(self._above(state)) <= self.flush

    def _across(self, state: State) -> float:
        """Return how far from the spot the thing is, seen from above [m]."""
        return float(np.linalg.norm(state.position(self.name)[:2] - self.spot(state)[:2]))

    def _above(self, state: State) -> float:
        """Return how far above the spot the thing is [m]."""
        return float(state.position(self.name)[2]) - self.spot(state)[2]

    def _clear(self, state: State) -> float:
        """Return the height at which its centre passes over everything, the spot included [m]."""
        return max(CLEAR, self.spot(state)[2] + _OVER)

    def _way_left(self, state: State) -> float:
        """Return the way left until it is carried there: up, then across [m]."""
        up = max(self._clear(state) - float(state.position(self.name)[2]), 0.0)
        return max(self._across(state) - self.near, 0.0) + up

    def _last_way_left(self, state: State) -> float:
        """Return the way left from there on: across, down, and the opening of the hand [m].

        It is never more than what is left when the thing comes near at carrying height, so that
        progress goes on from 0 there, wherever the thing had started.
        """
        down = abs(self._clear(state) - self.spot(state)[2])
        most = self.near - self.slack + STEEP * down + LET_GO
        across = max(self._across(state) - self.slack, 0.0)
        hand = 0.0 if released(state, self.name) else LET_GO
        return min(across + STEEP * abs(self._above(state)) + hand, most)
