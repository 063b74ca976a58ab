"""Hold the cup with the left arm while the right arm puts the green peg into it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always, by
from assay.worlds.robots.base import Side
from assay.worlds.state import State
from assay.worlds.tasks._built import add_loose, cup_boxes
from assay.worlds.tasks._conditions import Delivery, lifting
from assay.worlds.tasks._grips import Grasp, at, seen_by
from assay.worlds.tasks._skills import put
from assay.worlds.tasks._two_hands import lift, other
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["HoldAndInsert"]

PEG, TALL = 0.0125, 0.04  # half a peg's width and height [m]
INSIDE, WALL, DEEP = 0.022, 0.005, 0.03  # the cup: half its hole, its walls, half its height [m]
HANDLE = 0.085  # from the cup's middle to where a hand takes it [m]
UP = 0.05  # how far the cup is lifted [m]
GRIP = 0.024  # from a peg's middle up to where a hand takes it [m]
SEATED = TALL - DEEP + 2 * WALL  # a peg's middle above the cup's when it stands on its floor [m]
CUP = Grasp("cup", at("cup", (HANDLE, 0.0, 0.0)), 0.275)
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
        *_, carry, down = _delivery("peg").subgoals
        held = CUP.subgoals("reach the cup", "grasp the cup with the left arm")
        high = lifting("cup", "hold the cup up", DEEP + 0.03)
        up = lifting("peg", "lift the green peg", 0.12, until=carry.name)
        peg = _peg("peg").subgoals("reach the green peg", "grasp the green peg", until=up.name)
        return (*seen_by("left", *held, high), *seen_by("right", *peg, up, carry, down))

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the cup: a floor, four walls, and a handle along its x axis."""
        side, end = INSIDE + 2 * WALL, HANDLE + 0.025
        handle = (((side + end) / 2, 0.0, 0.0), ((end - side) / 2, 0.011, 0.014))
        add_loose(worldbody, "cup", [*cup_boxes(INSIDE, WALL, DEEP), handle], self.things[0].mass)

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
            *lift(holder, "cup", CUP.grip, DEEP + UP),
            *lift(doer, name, _peg(name).grip, 0.18),
            *by(doer, put(name, spot, carry=0.18, lies=lies)),
        )


def _peg(name: str) -> Grasp:
    return Grasp(name, at(name, (0.0, 0.0, GRIP), turn=math.pi / 2), PEG / 0.04)


def _seat(state: State) -> tuple[float, float, float]:
    """Return where the middle of a peg in the cup is."""
    x, y, z = state.position("cup") + SEATED * state.matrix("cup")[:, 2]
    return float(x), float(y), float(z)


def _delivery(name: str) -> Delivery:
    return Delivery(name, "green peg", "into the cup", _seat, SLACK, NEAR)
