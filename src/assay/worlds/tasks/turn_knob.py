"""Turn the red knob by a quarter turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.worlds.moves import Move, Pose
from assay.worlds.state import State
from assay.worlds.tasks._conditions import grasping, letting_go, to_tool
from assay.worlds.tasks._knobs import BAR, KNOBS, add_knobs, sides
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._skills import let_go, seize
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["TurnKnob"]

HALF, QUARTER = math.radians(45), math.radians(80)  # turned so far it counts as a quarter turn
MOST = math.radians(60)  # how far it is turned to the wrong side: the wrist has no more room


@dataclass(frozen=True)
class TurnKnob:
    """Turn the red knob, not the blue one, to the left by a quarter turn."""

    name: str = "turn-knob"
    instruction: str = "Turn the red knob to the left by a quarter turn."
    paraphrases: tuple[str, str, str] = (
        "Take the red knob and twist it counter-clockwise by a quarter turn.",
        "Give the red knob a quarter turn to the left.",
        "Rotate the red knob to the left by ninety degrees.",
    )
    limit_s: float = 8.0
    things: tuple[Thing, ...] = (
        Thing("block", distractor=True),
        Thing("can", "cylinder", (0.03, 0.02), distractor=True),
    )
    fixtures: tuple[str, ...] = KNOBS
    wrongs: tuple[Wrong, ...] = ("object", "target")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, turn half the way, turn all the way, let go."""
        half, whole = "turn the knob half the way", "turn the knob all the way"
        turned = Subgoal(whole, lambda s: _left(s, QUARTER) == 0.0, lambda s: _left(s, QUARTER))
        return (
            *grasping("red-knob", "knob", until=half, width=BAR),
            Subgoal(half, lambda s: _left(s, HALF) == 0.0, lambda s: _left(s, HALF), until=whole),
            turned,
            letting_go("red-knob", "knob", after=turned.holds),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add a board with two knobs."""
        add_knobs(worldbody)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Lay the board in the middle, the red knob on either side; scatter the rest around."""
        x, y, yaw = (float(v) for v in rng.uniform((0.42, -0.08, -0.15), (0.52, 0.08, 0.15)))
        knobs, taken = sides(rng), ((x, y, 0.18),)
        names = [thing.name for thing in self.things]
        places = scatter(rng, names, (0.36, 0.60), (-0.26, 0.26), gap=0.12, taken=taken)
        return Layout({**places, "board": Place(x, y, yaw=yaw)}, knobs)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Take the knob from above and turn the wrist; a near miss does not turn far enough."""
        knob = "blue-knob" if aim.wrong == "object" else "red-knob"
        goal = -MOST if aim.wrong == "target" else QUARTER + 0.06 - 0.18 * aim.miss

        def turned(state: State) -> Pose:
            here = _at(state, knob)
            return replace(here, yaw=here.yaw + goal - state.slide(knob))

        return (
            *seize(knob, _at),
            Move(
                "turn",
                turned,
                opening=0.0,
                tolerance=0.02,
                done=lambda s: abs(goal - s.slide(knob)) < math.radians(1.5),
                lost=lambda s: to_tool(s, knob) > 0.02,
                retry=f"above {knob}",
                patience_s=3.0,
            ),
            *let_go(knob, _at),
        )


def _at(state: State, knob: str, above: float = 0.0) -> Pose:
    """Return the pose so far above a knob [m], the fingers at its sides, by the least turn."""
    x, y, z = (float(v) for v in state.position(knob))
    now = state.yaw("tool")
    turn = (state.yaw(knob) - now + math.pi / 2) % math.pi - math.pi / 2
    return Pose(x, y, z + above, now + turn)


def _left(state: State, far: float) -> float:
    """Return how much farther the red knob must be turned [rad]."""
    return max(far - state.slide("red-knob"), 0.0)
