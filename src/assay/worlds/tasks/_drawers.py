"""Open and shut a drawer of the cabinet: subgoals and moves."""

from __future__ import annotations

from typing import Final

from assay.records import Floats
from assay.worlds.moves import Move
from assay.worlds.state import State
from assay.worlds.tasks._cabinet import BAR
from assay.worlds.tasks._conditions import grasping, to_tool
from assay.worlds.tasks._pushing import Push
from assay.worlds.tasks._skills import at, let_go, seize
from assay.worlds.tasks.base import Subgoal

__all__ = ["HALF", "SHUT", "WIDE", "opening", "pull", "pusher", "shutting"]

HALF: Final = 0.05  # how far a drawer is out when it is half open [m]
WIDE: Final = 0.10  # ... and open
SHUT: Final = 0.008  # ... and as good as closed
_SLIPPED = 0.02  # so far from the tool a handle is no longer in the hand [m]


def opening(until: str = "") -> tuple[Subgoal, ...]:
    """Return reach, grasp, open half-way and open wide; `until` proves the last one."""
    half, wide = "open the drawer half-way", "open the drawer wide"
    return (
        *grasping("red-handle", "handle", until=half, width=BAR),
        Subgoal(half, lambda s: _to_open(s, HALF) == 0.0, lambda s: _to_open(s, HALF), until=wide),
        Subgoal(wide, lambda s: _to_open(s, WIDE) == 0.0, lambda s: _to_open(s, WIDE), until=until),
    )


def shutting() -> tuple[Subgoal, Subgoal]:
    """Return push half-way in and push shut."""
    half, shut = "push the drawer half-way in", "push the drawer shut"

    def left(state: State, far: float) -> float:
        return max(state.slide("red-drawer") - far, 0.0)

    return (
        Subgoal(half, lambda s: left(s, HALF) == 0.0, lambda s: left(s, HALF), until=shut),
        Subgoal(shut, lambda s: left(s, SHUT) == 0.0, lambda s: left(s, SHUT)),
    )


def pull(colour: str, goal: float) -> tuple[Move, ...]:
    """Return the moves that take the handle from above and pull until the drawer is `goal` out [m].

    A lost handle is grasped again.
    """
    drawer, handle = f"{colour}-drawer", f"{colour}-handle"
    return (
        *seize(handle),
        Move(
            "pull",
            lambda s: at(s, handle, out=goal - s.slide(drawer)),
            opening=0.0,
            speed=0.12,
            tolerance=0.02,
            done=lambda s: s.slide(drawer) >= goal - 0.004,
            lost=lambda s: to_tool(s, handle) > _SLIPPED,
            retry=f"above {handle}",
        ),
        *let_go(handle),
    )


def pusher(colour: str) -> Push:
    """Return the handle as what is pushed, so that its drawer goes in."""
    handle = f"{colour}-handle"

    def inwards(state: State) -> Floats:
        way: Floats = -state.matrix(handle)[:2, 0]
        return way

    return Push(handle, inwards, BAR, low=0.06, high=0.16)


def _to_open(state: State, far: float) -> float:
    """Return how much farther the drawer with the red handle must come out [m]."""
    return max(far - state.slide("red-drawer"), 0.0)
