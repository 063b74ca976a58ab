"""Hand the red bar from the left arm to the right one, which puts it on the pad."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, Pose, always, by, tool_pose
from assay.worlds.state import State
from assay.worlds.tasks._built import add_loose, add_mark
from assay.worlds.tasks._conditions import Delivery, released
from assay.worlds.tasks._skills import put
from assay.worlds.tasks._two_hands import Grip, at, leave, rest, seen_by, take, to_grip
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["Handover"]

LONG, THICK = 0.07, 0.0125  # half a bar [m]
HELD = 0.045  # from its middle to where a hand holds it [m]
MIDDLE = (0.45, 0.0, 0.17)  # where it changes hands [m]
MET = 0.03  # so near to the middle it is brought there [m]
PAD = (0.045, 0.085)  # half its edges [m]
SLACK, NEAR = 0.03, 0.08
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
        grasp, taken = "grasp the red bar with the left arm", "take it with the right arm"
        *_, carry, down = _delivery("bar").subgoals
        left = seen_by(
            "left",
            Subgoal("reach the red bar", lambda s: _far(s) < 0.02, _far, until=grasp),
            Subgoal(grasp, _holds, lambda s: max(s.opening - THICK / 0.04, 0.0), until=taken),
            Subgoal("bring it to the middle", lambda s: _off(s) < MET, _off, until=taken),
        )
        right = seen_by(
            "right",
            Subgoal(taken, _holds, lambda s: _far(s) + 0.05 * s.opening, until="hand it over"),
            Subgoal("hand it over", _only, _to_give, until=carry.name),
            carry,
            down,
        )
        return (*left, *right)

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
        grasp = take("left", name, _end(name))
        if aim.wrong == "effector":
            return (*grasp, *by("left", put(name, _short)))

        def spot(state: State) -> tuple[float, float, float]:
            x, y, z = _on_pad(state)
            return x + BESIDE * aim.miss, y, z

        lies = always if aim.miss else _delivery(name).done
        return (
            *grasp,
            _bring(name),
            *take("right", name, _end(name)),
            _check(name),
            *leave("left", name),
            *by("right", put(name, spot, lies=lies)),
        )


def _end(name: str) -> Grip:
    """Return the grip at the end of a bar that is nearer to the arm's own base."""

    def where(state: State) -> Pose:
        own = math.copysign(1.0, state.arm.stand.y) * math.copysign(1.0, state.matrix(name)[1, 0])
        return at(name, (own * HELD, 0.0, 0.0))(state)

    return where


def _bring(name: str) -> Move:
    """Return the move that brings the bar to the middle while the right hand waits there."""

    def middle(state: State) -> Pose:
        x, y, z = MIDDLE
        own = math.copysign(HELD, state.arm.stand.y)
        return Pose(x, y + own, z, state.arm.stand.yaw)

    return Move(
        f"bring {name}",
        middle,
        opening=0.0,
        tolerance=0.012,
        lost=lambda s: not s.held(name),
        retry=f"left above {name}",
        hand="left",
        also=Move("wait", rest, opening=1.0, speed=0.35, tolerance=0.05, hand="right"),
    )


def _short(state: State) -> tuple[float, float, float]:  # noqa: ARG001 - a spot takes the state
    """Return where the left arm gets a bar to, which is not the pad."""
    return MIDDLE[0], 0.04, THICK


def _check(name: str) -> Move:
    """Return the move that goes on only when the right hand has it."""
    return Move(
        f"check {name}",
        tool_pose,
        opening=0.0,
        tolerance=0.05,
        lost=lambda s: not s.held(name),
        retry=f"right above {name}",
        hand="right",
    )


def _far(state: State) -> float:
    return to_grip(state, _end("bar"))


def _off(state: State) -> float:
    """Return how far the bar is from where it changes hands [m]."""
    return float(np.linalg.norm(state.position("bar") - MIDDLE))


def _holds(state: State) -> bool:
    return state.held("bar")


def _only(state: State) -> bool:
    """Tell whether this hand holds the bar, and the left one does not touch it."""
    return state.held("bar") and released(state.hand("left"), "bar")


def _to_give(state: State) -> float:
    """Return how far the left hand must still open, 0..1; all the way until the right one holds."""
    return 1.0 - state.hand("left").opening if state.held("bar") else 1.0


def _on_pad(state: State) -> tuple[float, float, float]:
    x, y, _ = (float(v) for v in state.position("pad"))
    return x, y, THICK


def _delivery(name: str) -> Delivery:
    return Delivery(name, "red bar", "on the pad", _on_pad, SLACK, NEAR)
