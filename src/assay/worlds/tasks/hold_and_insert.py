"""Hold the cup with the left arm while the right arm puts the green peg into it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.worlds.moves import Move, Pose, always, by
from assay.worlds.robots.base import Side
from assay.worlds.state import State
from assay.worlds.tasks._built import Box, add_loose
from assay.worlds.tasks._conditions import Delivery
from assay.worlds.tasks._skills import put
from assay.worlds.tasks._two_hands import Grip, at, other, seen_by, take, to_grip
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["HoldAndInsert"]

PEG, TALL = 0.0125, 0.04  # half a peg's width and height [m]
INSIDE, WALL, DEEP = 0.022, 0.005, 0.03  # the cup: half its hole, its walls, half its height [m]
HANDLE = 0.085  # from the cup's middle to where a hand takes it [m]
UP = 0.05  # how far the cup is lifted [m]
GRIP = 0.024  # from a peg's middle up to where a hand takes it [m]
SEATED = TALL - DEEP + 2 * WALL  # a peg's middle above the cup's when it stands on its floor [m]
SLACK, NEAR = 0.016, 0.07
BESIDE = INSIDE + 2 * WALL + PEG + 0.02


@dataclass(frozen=True)
class HoldAndInsert:
    """Hold the cup up by its handle with the left arm and put the green peg into it."""

    name: str = "hold-and-insert"
    instruction: str = (
        "Hold up the purple cup with the left arm and put the green peg into it with the right arm."
    )
    paraphrases: tuple[str, str, str] = (
        "The left arm lifts the purple cup; the right arm drops the green peg into the cup.",
        "While the left arm holds the purple cup in the air, insert the green peg with the right.",
        "Right arm: put the green peg into the cup that the left arm holds up.",
    )
    limit_s: float = 16.0
    things: tuple[Thing, ...] = (
        Thing("cup", "own", (DEEP, INSIDE + 2 * WALL), colour="purple", mass=0.10),
        Thing("peg", "block", (TALL, PEG), colour="green", mass=0.03),
        Thing("other-peg", "block", (TALL, PEG), mass=0.03, distractor=True),
    )
    fixtures: tuple[str, ...] = ()
    wrongs: tuple[Wrong, ...] = ("object", "effector")
    hands: int = 2

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp and lift of the cup, then reach, grasp, lift, carry and insert."""
        grasp, take_it = "grasp the cup with the left arm", "grasp the green peg"
        lift = "lift the green peg"
        *_, carry, down = _delivery("peg").subgoals
        left = seen_by(
            "left",
            Subgoal("reach the cup", lambda s: to_grip(s, _handle) < 0.02, _to_cup, until=grasp),
            Subgoal(grasp, lambda s: s.held("cup"), lambda s: max(s.opening - 0.275, 0.0)),
            Subgoal("hold the cup up", lambda s: _to_lift(s) == 0.0, _to_lift),
        )
        right = seen_by(
            "right",
            Subgoal("reach the green peg", lambda s: _to_peg(s) < 0.02, _to_peg, until=take_it),
            Subgoal(
                take_it,
                lambda s: s.held("peg"),
                lambda s: max(s.opening - PEG / 0.04, 0.0),
                until=lift,
            ),
            Subgoal(lift, lambda s: _low(s) == 0.0, _low, until=carry.name),
            carry,
            down,
        )
        return (*left, *right)

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the cup: a floor, four walls, and a handle along its x axis."""
        add_loose(worldbody, "cup", _boxes(), self.things[0].mass)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Stand the cup in the middle, its handle to the left, and a peg on either side."""
        x, y, turn = rng.uniform((0.44, 0.0, -0.2), (0.47, 0.02, 0.2))
        far = rng.permutation((-0.095, 0.095))
        places = {"cup": Place(float(x), float(y), yaw=float(turn - math.pi / 2))}
        for name, dx in zip(("peg", "other-peg"), far, strict=True):
            px, py, yaw = rng.uniform((x + dx - 0.01, 0.06, -0.4), (x + dx + 0.01, 0.10, 0.4))
            places[name] = Place(float(px), float(py), yaw=float(yaw))
        return Layout(places)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Hold the cup up, put the peg in; a near miss sets it down beside the cup.

        Of the wrong effector the right arm holds the cup and the left one has the peg.
        """
        name = "other-peg" if aim.wrong == "object" else "peg"
        holder: Side = "right" if aim.wrong == "effector" else "left"
        doer = other(holder)

        def spot(state: State) -> tuple[float, float, float]:
            x, y, z = _seat(state)
            return x, y + BESIDE * aim.miss, z + 0.004 - (z - TALL) * round(aim.miss)

        lies = always if aim.miss else _delivery(name).done
        return (
            *take(holder, "cup", _handle),
            _lift(holder, "cup", _handle, DEEP + UP),
            *take(doer, name, _top(name)),
            _lift(doer, name, _top(name), 0.18),
            *by(doer, put(name, spot, carry=0.18, lies=lies)),
        )


def _boxes() -> tuple[Box, ...]:
    wall, side = INSIDE + WALL, INSIDE + 2 * WALL
    end = HANDLE + 0.025
    return (
        ((0.0, 0.0, WALL - DEEP), (side, side, WALL)),
        *(((x, 0.0, WALL), (WALL, side, DEEP - WALL)) for x in (-wall, wall)),
        *(((0.0, y, WALL), (INSIDE, WALL, DEEP - WALL)) for y in (-wall, wall)),
        (((side + end) / 2, 0.0, 0.0), ((end - side) / 2, 0.011, 0.014)),
    )


_handle = at("cup", (HANDLE, 0.0, 0.0))


def _top(name: str) -> Grip:
    return at(name, (0.0, 0.0, GRIP), turn=math.pi / 2)


def _lift(hand: Side, name: str, grip: Grip, height: float) -> Move:
    """Return the move that takes a thing straight up until its middle is at a height [m]."""

    def up(state: State) -> Pose:
        now = grip(state)
        return replace(now, z=now.z + height - float(state.position(name)[2]))

    return Move(
        f"{hand} lift {name}",
        up,
        opening=0.0,
        speed=0.15,
        tolerance=0.012,
        lost=lambda s: not s.held(name),
        retry=f"{hand} above {name}",
        hand=hand,
    )


def _to_cup(state: State) -> float:
    return to_grip(state, _handle)


def _to_peg(state: State) -> float:
    return to_grip(state, _top("peg"))


def _to_lift(state: State) -> float:
    """Return how much higher the cup must be held [m]."""
    return max(DEEP + 0.03 - float(state.position("cup")[2]), 0.0)


def _low(state: State) -> float:
    """Return how much higher the peg must be lifted [m]."""
    return max(0.12 - float(state.position("peg")[2]), 0.0)


def _seat(state: State) -> tuple[float, float, float]:
    """Return where the middle of a peg in the cup is."""
    x, y, z = state.position("cup") + SEATED * state.matrix("cup")[:, 2]
    return float(x), float(y), float(z)


def _delivery(name: str) -> Delivery:
    return Delivery(name, "green peg", "into the cup", _seat, SLACK, NEAR)
