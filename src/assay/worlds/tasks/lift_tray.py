"""Lift the blue tray with both arms and keep it level."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from assay.worlds.moves import Move, Pose
from assay.worlds.robots.base import Side
from assay.worlds.state import State
from assay.worlds.tasks._built import add_loose, tray_boxes
from assay.worlds.tasks._grips import Grasp, near_end
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._two_hands import holding, take, together
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["LiftTray"]

HIGH = 0.10  # how far the tray is lifted [m]
TILT = np.radians(10)  # it is level up to here
EAR = 0.135  # from the tray's middle to where a hand takes it [m]
BAR = 0.011  # half the thickness of an ear [m]
FLOOR = 0.005  # half the thickness of the tray's floor [m]
LOW = -0.008  # the floor's middle, counted from that of the ears [m]
REST = FLOOR - LOW  # height of the tray's origin when it lies on the table [m]
EARS = Grasp("tray", near_end("tray", EAR, 0.006), BAR / 0.04)
ON = 2 * FLOOR  # how high over the table the can stands [m]


@dataclass(frozen=True)
class LiftTray:
    """Lift the blue tray with the can on it, one arm at each end, and keep it level."""

    name: str = "lift-tray"
    instruction: str = "Lift the blue tray with both arms and keep it level."
    paraphrases: tuple[str, str, str] = (
        "With both arms, raise the blue tray evenly, so that the can stays on it.",
        "Take the blue tray at both ends and lift it without tilting it.",
        "Pick up the blue tray with two hands and hold it level in the air.",
    )
    limit_s: float = 12.0
    things: tuple[Thing, ...] = (
        Thing("tray", "own", (REST, 0.06), colour="blue", mass=0.25),
        Thing("can", "cylinder", (0.025, 0.018), colour="yellow", mass=0.04),
        Thing("block", size=(0.018, 0.018), distractor=True),
    )
    fixtures: tuple[str, ...] = ()
    wrongs: tuple[Wrong, ...] = ("constraint",)
    hands: int = 2

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach both ends, grasp with both hands, lift, hold it level."""
        reach, grasp = "reach both ends of the tray", "grasp the tray with both arms"
        off = partial(_left, high=0.03)
        return (
            *EARS.together(reach, grasp),
            Subgoal("lift the tray off the table", lambda s: off(s) == 0.0, off),
            Subgoal("hold the tray up, level", _up, lambda s: _left(s, HIGH) + _sloping(s)),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the tray: a floor, a rim, and an ear at each end along its x axis."""
        ears = (((x, 0.0, 0.004), (0.035, BAR, 0.012)) for x in (-EAR, EAR))
        boxes = (*tray_boxes((0.10, 0.055), FLOOR, LOW, rim=0.012), *ears)
        add_loose(worldbody, "tray", boxes, self.things[0].mass)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Lay the tray across the middle, the can on it and the block off it."""
        x, y, turn = rng.uniform((0.45, -0.025, -0.2), (0.51, 0.025, 0.2))
        tray = Place(float(x), float(y), yaw=float(np.pi / 2 + turn))
        dx, dy = rng.uniform(-0.015, 0.015, 2)
        side = float(rng.choice((0.34, 0.65)))
        away = scatter(rng, ["block"], (side - 0.005, side + 0.005), (-0.06, 0.06), gap=0.0)
        return Layout({"tray": tray, "can": Place(tray.x + dx, tray.y + dy, ON), **away})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Take both ears at once and lift; a near miss lifts it not high enough.

        Who ignores the constraint hardly lifts the left end.
        """
        high = HIGH + 0.02 - 0.035 * aim.miss
        askew = 0.10 if aim.wrong == "constraint" else 0.0
        return together(_lift("left", high - askew), _lift("right", high))


def _lift(hand: Side, high: float) -> tuple[Move, ...]:
    """Return the moves that take one end of the tray to a height above its rest [m]."""

    def up(state: State) -> Pose:
        return replace(EARS.grip(state), z=REST + 0.006 + high)

    move = Move("lift tray", up, opening=0.0, speed=0.10, tolerance=0.012, hold_s=0.6)
    return (*take(hand, "tray", EARS.grip), holding(hand, "tray", move, EARS.around))


def _left(state: State, high: float) -> float:
    """Return how much higher the tray must go [m]."""
    return max(high - (float(state.position("tray")[2]) - REST), 0.0)


def _sloping(state: State) -> float:
    """Return by how much the tray is steeper than allowed, as a height at its end [m]."""
    return EAR * max(float(np.arccos(min(state.matrix("tray")[2, 2], 1.0))) - float(TILT), 0.0)


def _up(state: State) -> bool:
    can = state.matrix("tray").T @ (state.position("can") - state.position("tray"))
    return _left(state, HIGH) == 0.0 and _sloping(state) == 0.0 and abs(can[0]) < 0.1 and can[2] > 0
