"""Open the drawer with the red handle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move
from assay.worlds.tasks._cabinet import CABINET, add_cabinet, stand
from assay.worlds.tasks._conditions import letting_go
from assay.worlds.tasks._drawers import WIDE, opening, pull
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["OpenDrawer"]


@dataclass(frozen=True)
class OpenDrawer:
    """Open the drawer with the red handle, not the one beside it; the sides change by the seed."""

    name: str = "open-drawer"
    instruction: str = "Open the drawer with the red handle."
    paraphrases: tuple[str, str, str] = (
        "Pull out the drawer that has the red handle.",
        "Take the red handle and open its drawer.",
        "Slide the red-handled drawer open.",
    )
    limit_s: float = 8.0
    things: tuple[Thing, ...] = (
        Thing("block", distractor=True),
        Thing("can", "cylinder", (0.03, 0.02), distractor=True),
    )
    fixtures: tuple[str, ...] = CABINET
    wrongs: tuple[Wrong, ...] = ("object",)

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, open half-way, open wide, let go."""
        goals = opening()
        return (*goals, letting_go("red-handle", "handle", after=goals[-1].holds))

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the cabinet."""
        add_cabinet(worldbody)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Stand the cabinet at the left and scatter the rest where no drawer comes."""
        cabinet, drawers = stand(rng)
        names = [thing.name for thing in self.things]
        places = scatter(rng, names, (0.36, 0.60), (-0.24, -0.10), gap=0.12)
        return Layout({**places, "cabinet": cabinet}, drawers)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Take the handle and pull; a near miss stops before the drawer is wide open."""
        return pull("blue" if aim.wrong else "red", WIDE + 0.012 - 0.024 * aim.miss)
