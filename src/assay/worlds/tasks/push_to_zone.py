"""Push the blue puck into the green zone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.records import Floats
from assay.worlds.look import COLOURS
from assay.worlds.moves import Move, Pose, tool_pose
from assay.worlds.state import GRIPPER, State
from assay.worlds.tasks._conditions import flat_distance, resting, to_tool
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["PushToZone"]

ZONE, PUCK = 0.065, 0.03  # radii [m]
EDGE = ZONE + PUCK  # from centre to centre, when the puck gets over the edge [m]
INSIDE = ZONE - PUCK  # ... and when all of it is inside
TIP = 0.0105  # half the width of the closed fingers [m]
STEEL = 0.7  # mass of a puck [kg]: a light one hops along in front of the fingers
LOW = 0.016  # height of the tool while it pushes [m]
HIGH = 0.10  # ... and on the way, above everything that stands on the table
BEHIND = PUCK + TIP + 0.02  # from the puck's centre to where a push begins [m]
TOUCH = 0.008  # a gap below this counts as touching: a pushed puck runs ahead at times [m]
CLEAR = 0.015  # across this gap the hand has left the puck [m]
LEAD = 0.02  # how far ahead of the finger tips the tool is led: more is faster, and less straight


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
        return (
            Subgoal("get behind the puck", _is_behind, _to_behind, until="touch the puck"),
            Subgoal("touch the puck", _touched, _to_touch, until="push the puck to the edge"),
            Subgoal(
                "push the puck to the edge",
                lambda s: _left(s, EDGE) == 0.0,
                lambda s: _left(s, EDGE),
                until="push the puck into the zone",
            ),
            Subgoal(
                "push the puck into the zone",
                lambda s: _left(s, INSIDE) == 0.0,
                lambda s: _left(s, INSIDE),
            ),
            Subgoal("leave the puck", lambda s: _to_leave(s) == 0.0 and _rests(s), _to_leave),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the zone: paint on the table, which nothing collides with."""
        import mujoco

        worldbody.add_body(name="zone").add_geom(
            type=int(mujoco.mjtGeom.mjGEOM_CYLINDER),
            size=[ZONE, 0.0005, 0],
            rgba=[*COLOURS["green"], 1.0],
            contype=0,
            conaffinity=0,
        )

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
        ways = [(*(zone + d * _heading(a)), 0.09) for a in (first, second) for d in _along()]
        places = scatter(rng, ["block"], (0.36, 0.60), (-0.24, 0.24), gap=0.0, taken=ways)
        for name, (x, y) in zip(("zone", "puck", "other"), (zone, *spots), strict=True):
            places[name] = Place(float(x), float(y))
        return Layout(places)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Push from behind, steering all the way; a near miss stops before the puck is inside."""
        name = "other" if aim.wrong else "puck"
        stop = INSIDE - 0.012 + 0.034 * aim.miss

        def slipped(state: State) -> bool:
            return _astray(state, name)

        def there(state: State) -> bool:
            return flat_distance(state, name, "zone") <= stop

        return (
            Move("rise", _rise, opening=0.0, tolerance=0.02),
            Move(
                "above the far side",
                lambda s: _behind(s, name, BEHIND, HIGH),
                opening=0.0,
                speed=0.35,
                tolerance=0.015,
            ),
            Move(
                "down behind it",
                lambda s: _behind(s, name, BEHIND, LOW),
                opening=0.0,
                speed=0.25,
                tolerance=0.008,
            ),
            Move(
                "push",
                lambda s: _behind(s, name, PUCK + TIP - LEAD, LOW),
                opening=0.0,
                speed=0.12,
                tolerance=1.0,  # not the tool but the puck must get there
                done=there,
                lost=slipped,
                retry="rise",
            ),
            Move(
                "back off",
                lambda s: _behind(s, name, PUCK + TIP + CLEAR + 0.012, LOW),
                opening=0.0,
                tolerance=0.008,
                patience_s=2.0,
            ),
            Move("leave", _rise, opening=0.0, tolerance=0.02),
        )


def _heading(angle: float) -> Floats:
    return np.array([np.cos(angle), np.sin(angle)])


def _along() -> Floats:
    """Return distances from the zone's centre to beyond where a push begins [m]."""
    return np.linspace(0.0, 0.32, 9)


def _reachable(zone: Floats, spot: Floats) -> bool:
    """Tell whether the arm gets behind a puck at `spot` to push it to `zone`."""
    away = (spot - zone) / np.linalg.norm(spot - zone)
    x, y = spot + BEHIND * away
    return bool(0.33 <= x <= 0.66 and abs(y) <= 0.28 and abs(spot[1]) <= 0.24)


def _way(state: State, name: str) -> Floats:
    """Return the direction from a puck to the zone, of shape (2,); any when it is there."""
    gap = (state.position("zone") - state.position(name))[:2]
    far = float(np.linalg.norm(gap))
    return gap / far if far > 0.0 else np.array([1.0, 0.0])


def _behind(state: State, name: str, far: float, height: float) -> Pose:
    """Return the pose so far behind a puck, on the line from the zone through it."""
    way = _way(state, name)
    x, y = state.position(name)[:2] - far * way
    # The closed fingers are square: the least turn that points one of their faces at the puck.
    quarter, now = np.pi / 2, state.yaw("tool")
    turn = (np.arctan2(way[1], way[0]) - now + quarter / 2) % quarter - quarter / 2
    return Pose(float(x), float(y), height, float(now + turn))


def _rise(state: State) -> Pose:
    now = tool_pose(state)
    return replace(now, z=max(now.z, HIGH))


def _astray(state: State, name: str) -> bool:
    """Tell whether the tool is no longer behind the puck: more than 50 degrees off, or ahead."""
    back = (state.position("tool") - state.position(name))[:2]
    return bool(-(back @ _way(state, name)) < np.cos(np.radians(50)) * np.linalg.norm(back))


def _to_behind(state: State) -> float:
    """Return how far the tool is from the stretch between where a push begins and the puck [m]."""
    back = (state.position("puck") - state.position("tool"))[:2] @ _way(state, "puck")
    spot = _behind(state, "puck", float(np.clip(back, PUCK + TIP, BEHIND)), LOW)
    return float(np.linalg.norm(state.position("tool") - (spot.x, spot.y, spot.z)))


def _is_behind(state: State) -> bool:
    return _to_behind(state) < 0.012


def _to_touch(state: State) -> float:
    """Return the gap between finger tips and puck, as if both were balls [m]."""
    return max(to_tool(state, "puck") - PUCK - TIP, 0.0)


def _touched(state: State) -> bool:
    near = state.touching(GRIPPER, "puck") or _to_touch(state) < TOUCH
    return near and not _astray(state, "puck")


def _left(state: State, radius: float) -> float:
    """Return how far the puck's centre is outside a circle around the zone's [m]."""
    return max(flat_distance(state, "puck", "zone") - radius, 0.0)


def _to_leave(state: State) -> float:
    """Return how much farther the hand must go from the puck [m]; all of it until it is inside."""
    if _left(state, INSIDE) > 0.0:
        return CLEAR
    return max(CLEAR - _to_touch(state), 0.0)


def _rests(state: State) -> bool:
    return resting(state, "puck")
