"""Open a drawer, put the green block into it, and close it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.state import State
from assay.worlds.tasks._cabinet import CABINET, TOP, TRAVEL, TRAY_FLOOR, add_cabinet, stand
from assay.worlds.tasks._conditions import BLOCK, Delivery
from assay.worlds.tasks._drawers import SHUT, WIDE, opening, pull, pusher, shutting
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._skills import Spot, pick, put
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["PutInDrawer"]

DEEP = 0.055  # from a drawer's front to where the block is put [m]
# A block in the drawer can't get further from there than the back wall, 0.07 m, lets it.
SLACK = 0.08
NEAR = 0.12
ROOM = 0.85  # how far the hand opens between the walls


@dataclass(frozen=True)
class PutInDrawer:
    """Put the green block, not the other one, into the drawer with the red handle; close it."""

    name: str = "put-in-drawer"
    instruction: str = (
        "Open the drawer with the red handle, put the green block into it and close it."
    )
    paraphrases: tuple[str, str, str] = (
        "Store the green block in the drawer with the red handle: open it, put it in, close it.",
        "The green block belongs in the drawer with the red handle, which is to be shut again.",
        "Pull the red handle, lay the green block into that drawer and push the drawer shut.",
    )
    limit_s: float = 30.0
    things: tuple[Thing, ...] = (
        Thing("block", colour="green"),
        Thing("other", distractor=True),
    )
    fixtures: tuple[str, ...] = CABINET
    wrongs: tuple[Wrong, ...] = ("object", "target", "order")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return open the drawer, put the block in, push the drawer shut: in ten steps."""
        put_in = _delivery("block", "red").subgoals
        inside = put_in[-1].holds

        def closing(goal: Subgoal) -> Subgoal:
            """Return the subgoal that begins when the block is in: closed before does not count."""
            return replace(
                goal,
                holds=lambda state: inside(state) and goal.holds(state),
                distance=lambda state: goal.distance(state) if inside(state) else WIDE,
            )

        return (*opening(until=put_in[-1].name), *put_in, *map(closing, shutting()))

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the cabinet."""
        add_cabinet(worldbody)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Stand the cabinet at the left and scatter the rest where no drawer comes."""
        cabinet, drawers = stand(rng)
        names = [thing.name for thing in self.things]
        places = scatter(rng, names, (0.36, 0.60), (-0.24, -0.13), gap=0.12)
        return Layout({**places, "cabinet": cabinet}, drawers)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pull, put, push; a near miss does not shut the drawer, the wrong order shuts it early."""
        colour = "blue" if aim.wrong == "target" else "red"
        name = "other" if aim.wrong == "object" else "block"
        stop = SHUT - 0.005 + 0.03 * aim.miss
        pulled = pull(colour, TRAVEL - 0.006)
        shut = pusher(colour).moves(lambda s: s.slide(f"{colour}-drawer") <= stop)
        if aim.wrong == "order":
            return (*pulled, *shut, *_store(name, colour, TOP, always))
        return (*pulled, *_store(name, colour, TRAY_FLOOR, _delivery(name, colour).done), *shut)


def _store(name: str, colour: str, floor: float, lies: Callable[[State], bool]) -> tuple[Move, ...]:
    """Return the moves that put a block on the floor of a drawer, or on the cabinet over it."""
    place = put(
        name,
        _over_drawer(colour, floor),
        carry=0.18,
        along=lambda state: state.yaw("cabinet"),
        lies=lies,
        opening=ROOM,
    )
    return (*pick(name, lift=0.18), *place)


def _over_drawer(colour: str, floor: float) -> Spot:
    """Return where the centre of a block is that lies at this height, behind a drawer's front."""

    def spot(state: State) -> tuple[float, float, float]:
        drawer = f"{colour}-drawer"
        x, y, z = state.position(drawer) - DEEP * state.matrix(drawer)[:, 0]
        return float(x), float(y), float(z) + floor + BLOCK

    return spot


def _delivery(name: str, colour: str) -> Delivery:
    spot = _over_drawer(colour, TRAY_FLOOR)
    return Delivery(
        name, "green block", "into the drawer", spot, SLACK, NEAR, on=f"{colour}-drawer"
    )
