"""Push the blue puck into the green zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.records import Floats
from assay.worlds.look import COLOURS
from assay.worlds.moves import Move
from assay.worlds.state import State
from assay.worlds.tasks._conditions import flat_distance
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._parts import add_part
from assay.worlds.tasks._pushing import TIP, Push
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["PushToZone"]

ZONE, PUCK = 0.065, 0.03  # radii [m]
EDGE = ZONE + PUCK  # from centre to centre, when the puck gets over the edge [m]
INSIDE = ZONE - PUCK  # ... and when all of it is inside
STEEL = 0.7  # mass of a puck [kg]: a light one hops along in front of the fingers
BEHIND = PUCK + TIP + 0.02  # from the puck's centre to where a push begins [m]


@dataclass(frozen=True)
class PushToZone:
    """Push the blue puck, not the one of another colour, into the green zone."""

    name: str = "push-to-zone"
    instruction: str = "Push the blue puck into the green zone."
    paraphrases: tuple[str, str, str] = (
        "Slide the blue puck across the table onto the green circle.",
        "Move the blue puck into the green area without picking it up.",
        "Use the closed fingers to shove the blue puck onto the green spot.",
    )
    limit_s: float = 10.0
    things: tuple[Thing, ...] = (
        Thing("puck", "cylinder", (0.016, PUCK), colour="blue", mass=STEEL),
        Thing("other", "cylinder", (0.016, PUCK), mass=STEEL, distractor=True),
        Thing("block", distractor=True),
    )
    fixtures: tuple[str, ...] = ("zone",)
    wrongs: tuple[Wrong, ...] = ("object",)

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return get behind it, touch it, push it to the edge, push it inside, leave it there."""
        edge, inside = "push the puck to the edge", "push the puck into the zone"
        push = _push("puck")
        return (
            *push.reaching("get behind the puck", "touch the puck", until=edge),
            Subgoal(edge, lambda s: _left(s, EDGE) == 0.0, lambda s: _left(s, EDGE), until=inside),
            Subgoal(inside, lambda s: _left(s, INSIDE) == 0.0, lambda s: _left(s, INSIDE)),
            push.leaving("leave the puck", lambda s: _left(s, INSIDE) == 0.0),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the zone: paint on the table, which nothing collides with."""
        zone, paint = worldbody.add_body(name="zone"), COLOURS["green"]
        add_part(zone, (ZONE, 0.0005, 0.0), (0.0, 0.0, 0.0), paint, "cylinder", conaffinity=0)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Place both pucks around the zone, at least 70 degrees apart so that each way is free."""
        while True:
            zone = rng.uniform((0.42, -0.10), (0.54, 0.10))
            first = rng.uniform(-np.pi, np.pi)
            second = first + rng.uniform(np.radians(70), np.radians(290))
            far = rng.uniform(0.16, 0.23, 2)
            spots = [zone + d * _heading(a) for d, a in zip(far, (first, second), strict=True)]
            if all(_reachable(zone, spot) for spot in spots):
                break
        along = np.linspace(0.0, 0.32, 9)  # from the zone to beyond where a push begins [m]
        ways = [(*(zone + d * _heading(a)), 0.09) for a in (first, second) for d in along]
        places = scatter(rng, ["block"], (0.36, 0.60), (-0.24, 0.24), gap=0.0, taken=ways)
        for name, (x, y) in zip(("zone", "puck", "other"), (zone, *spots), strict=True):
            places[name] = Place(float(x), float(y))
        return Layout(places)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Push from behind, steering all the way; a near miss stops before the puck is inside."""
        name = "other" if aim.wrong else "puck"
        stop = INSIDE - 0.012 + 0.034 * aim.miss
        return _push(name).moves(lambda state: flat_distance(state, name, "zone") <= stop)


def _heading(angle: float) -> Floats:
    return np.array([np.cos(angle), np.sin(angle)])


def _reachable(zone: Floats, spot: Floats) -> bool:
    """Tell whether the arm gets behind a puck at `spot` to push it to `zone`."""
    away = (spot - zone) / np.linalg.norm(spot - zone)
    x, y = spot + BEHIND * away
    return bool(0.33 <= x <= 0.66 and abs(y) <= 0.28 and abs(spot[1]) <= 0.24)


def _push(name: str) -> Push:
    """Return a puck on its way to the zone; any way when it is there."""

    def way(state: State) -> Floats:
        gap = (state.position("zone") - state.position(name))[:2]
        far = float(np.linalg.norm(gap))
        return gap / far if far > 0.0 else np.array([1.0, 0.0])

    return Push(name, way, PUCK, low=0.016, high=0.10)


def _left(state: State, radius: float) -> float:
    """Return how far the puck's centre is outside a circle around the zone's [m]."""
    return max(flat_distance(state, "puck", "zone") - radius, 0.0)
