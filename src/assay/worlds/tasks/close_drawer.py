"""Close the drawer with the red handle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move
from assay.worlds.tasks._cabinet import CABINET, add_cabinet, stand
from assay.worlds.tasks._drawers import SHUT, pusher, shutting
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["CloseDrawer"]

OUT = (0.10, 0.135)  # how far the drawers are out at the start [m]


@dataclass(frozen=True)
class CloseDrawer:
    """Close the drawer with the red handle; the one beside it is open, too, and stays so."""

    name: str = "close-drawer"
    instruction: str = "Close the drawer with the red handle."
    paraphrases: tuple[str, str, str] = (
        "Push in the drawer that has the red handle.",
        "Shut the drawer at its red handle.",
        "Slide the drawer with the red handle closed.",
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
        """Return get in front of it, touch it, push half-way, push shut, leave it."""
        push, (half, shut) = pusher("red"), shutting()
        return (
            *push.reaching("get in front of the handle", "touch the handle", until=half.name),
            half,
            shut,
            push.leaving("leave the handle", shut.holds),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the cabinet."""
        add_cabinet(worldbody)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Stand the cabinet at the left, both drawers open; scatter the rest out of the way."""
        cabinet, drawers = stand(rng)
        names = [thing.name for thing in self.things]
        places = scatter(rng, names, (0.36, 0.60), (-0.26, -0.17), gap=0.12)
        out = {drawer: float(rng.uniform(*OUT)) for drawer in drawers}
        return Layout({**places, "cabinet": cabinet}, drawers, out)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Push the handle from the front; a near miss stops before the drawer is shut."""
        colour = "blue" if aim.wrong else "red"
        stop = SHUT - 0.005 + 0.02 * aim.miss
        return pusher(colour).moves(lambda state: state.slide(f"{colour}-drawer") <= stop)
