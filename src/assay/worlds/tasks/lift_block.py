"""Lift the red block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move
from assay.worlds.state import State
from assay.worlds.tasks._conditions import grasping
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._skills import pick
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["LiftBlock"]

HEIGHT = 0.12  # of the block's centre [m]


@dataclass(frozen=True)
class LiftBlock:
    """Lift the red block, not the cylinder nor the block of another colour."""

    name: str = "lift-block"
    instruction: str = "Lift the red block off the table."
    paraphrases: tuple[str, str, str] = (
        "Pick up the red block and hold it in the air.",
        "Raise the red block above the table.",
        "Take the red block and lift it up.",
    )
    limit_s: float = 8.0
    things: tuple[Thing, ...] = (
        Thing("block", colour="red"),
        Thing("other", distractor=True),
        Thing("can", "cylinder", (0.03, 0.02), distractor=True),
    )
    fixtures: tuple[str, ...] = ()
    wrongs: tuple[Wrong, ...] = ("object",)

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, lift."""
        return (
            *grasping("block", "red block"),
            Subgoal("lift the red block", _lifted, lambda s: max(HEIGHT - _height(s), 0.0)),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add nothing: the things are all there is."""

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Scatter the things over the middle of the table."""
        names = [thing.name for thing in self.things]
        return Layout(scatter(rng, names, (0.36, 0.60), (-0.22, 0.22), gap=0.12))

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pick it up; a near miss lifts it not high enough."""
        name = "other" if aim.wrong else "block"
        return pick(name, lift=HEIGHT + 0.03 - 0.06 * aim.miss)


def _height(state: State) -> float:
    return float(state.position("block")[2])


def _lifted(state: State) -> bool:
    return _height(state) >= HEIGHT and state.in_hand("block")
