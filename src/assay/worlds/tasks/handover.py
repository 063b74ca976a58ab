"""Hand the red bar from the left arm to the right one, which puts it on the pad."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, Pose, always, by
from assay.worlds.state import State
from assay.worlds.tasks._built import add_loose, add_mark
from assay.worlds.tasks._conditions import Delivery, bringing
from assay.worlds.tasks._grips import Grasp, near_end, seen_by
from assay.worlds.tasks._skills import on_top, put, shifted
from assay.worlds.tasks._two_hands import hand_over, take
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["Handover"]

LONG, THICK = 0.07, 0.0125  # half a bar [m]
HELD = 0.045  # from its middle to where a hand holds it [m]
MIDDLE = (0.45, 0.0, 0.17)  # where it changes hands [m]
MET = 0.03  # so near to the middle it is brought there [m]
PAD = (0.045, 0.085)  # half its edges [m]
SLACK, NEAR = 0.03, 0.08
ON_PAD = on_top("pad", THICK)
SHORT = (MIDDLE[0], 0.04, THICK)  # as far as the left arm gets a bar, which is not the pad [m]
BESIDE = PAD[0] + THICK + 0.015


@dataclass(frozen=True)
class Handover:
    """Hand the red bar, not the other one, to the right arm; only that one reaches the pad."""

    name: str = "handover"
    instruction: str = (
        "Take the red bar with the left arm, hand it to the right arm and put it on the pad."
    )
    paraphrases: tuple[str, str, str] = (
        "Pass the red bar from the left arm to the right arm, which puts it down on the pad.",
        "Left arm: pick up the red bar and give it to the right arm; right arm: set it on the pad.",
        "Bring the red bar to the pad: the left arm hands it over to the right arm.",
    )
    limit_s: float = 20.0
    things: tuple[Thing, ...] = (
        Thing("bar", "own", (THICK, THICK), colour="red", mass=0.05),
        Thing("other-bar", "own", (THICK, THICK), mass=0.05, distractor=True),
    )
    fixtures: tuple[str, ...] = ("pad",)
    wrongs: tuple[Wrong, ...] = ("object", "effector")
    hands: int = 2

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, bring it to the middle, take it over, let go, carry, put."""
        reach, grasp = "reach the red bar", "grasp the red bar with the left arm"
        over = "take it with the right arm"
        bar, (*_, carry, down) = _grasp("bar"), _delivery("bar").subgoals
        grasped = bar.subgoals(reach, grasp, until=over)
        brought = bringing("bar", "bring it to the middle", MIDDLE, MET, until=over)
        passed = bar.passing("left", over, "hand it over", until=carry.name)
        return (*seen_by("left", *grasped, brought), *seen_by("right", *passed, carry, down))

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add two bars, and the pad."""
        for bar in self.things:
            add_loose(worldbody, bar.name, [((0, 0, 0), (LONG, THICK, THICK))], bar.mass)
        add_mark(worldbody, "pad", PAD)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Lay both bars on the left, side by side, and the pad on the right."""
        sides = rng.permutation((-1.0, 1.0))
        spots = rng.uniform((0.07, -0.20), (0.10, -0.17), (2, 2))
        yaws = math.pi / 2 + rng.uniform(-0.25, 0.25, 2)
        places = {
            bar.name: Place(MIDDLE[0] + float(side * x), float(y), yaw=float(yaw))
            for bar, side, (x, y), yaw in zip(self.things, sides, spots, yaws, strict=True)
        }
        x, y = rng.uniform((0.39, 0.18), (0.51, 0.21))
        return Layout({**places, "pad": Place(float(x), float(y))})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Bring it to the middle, take it over, put it down; a near miss puts it beside the pad.

        Of the wrong effector the left arm does it alone, and does not reach.
        """
        name = "other-bar" if aim.wrong == "object" else "bar"
        grip = _grasp(name).grip
        taken = take("left", name, grip)
        if aim.wrong == "effector":
            return (*taken, *by("left", put(name, lambda _: SHORT)))
        lies = always if aim.miss else _delivery(name).done
        placed = by("right", put(name, shifted(ON_PAD, x=BESIDE * aim.miss), lies=lies))
        return (*taken, *hand_over("left", name, grip, _middle), *placed)


def _grasp(name: str) -> Grasp:
    return Grasp(name, near_end(name, HELD), THICK / 0.04)


def _middle(state: State) -> Pose:
    """Return where the tool brings its end of the bar to when it changes hands."""
    x, y, z = MIDDLE
    return Pose(x, y + math.copysign(HELD, state.arm.stand.y), z, state.arm.stand.yaw)


def _delivery(name: str) -> Delivery:
    return Delivery(name, "red bar", "on the pad", ON_PAD, SLACK, NEAR)
