"""Push something with closed fingers: where to stand, when it is touched, the moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from assay.records import Floats
from assay.worlds.moves import Move, Pose, tool_pose
from assay.worlds.state import GRIPPER, State
from assay.worlds.tasks._conditions import resting, to_tool
from assay.worlds.tasks.base import Subgoal

__all__ = ["CLEAR", "TIP", "Push"]

TIP: Final = 0.0105  # half the width of the closed fingers [m]
CLEAR: Final = 0.015  # across this gap the hand has left what it pushed [m]
_TOUCH = 0.008  # a gap below this counts as touching: what is pushed runs ahead at times [m]
_RUN = 0.02  # from the finger tips to what they are going to push, when a push begins [m]
_LEAD = 0.02  # how far ahead of the tips the tool is led: more is faster, and less straight [m]


@dataclass(frozen=True, slots=True)
class Push:
    """Something that is pushed from behind, with the fingers closed and pointing down.

    Attributes:
        name: What is pushed.
        way: The direction it is to go in this state, a unit vector of shape (2,).
        radius: From its centre to where the fingers touch it [m].
        low: Height of the tool while it pushes [m].
        high: Height of the tool on the way, above everything that is in it [m].
    """

    name: str
    way: Callable[[State], Floats]
    radius: float
    low: float
    high: float

    def reaching(self, behind: str, touch: str, until: str) -> tuple[Subgoal, Subgoal]:
        """Return the subgoals that come before the push, by their names and what proves them."""
        return (
            Subgoal(behind, lambda s: self._to_behind(s) < 0.012, self._to_behind, until=touch),
            Subgoal(touch, self._touched, self._to_touch, until=until),
        )

    def leaving(self, name: str, pushed: Callable[[State], bool]) -> Subgoal:
        """Return the subgoal of taking the hand away; it begins when it has been pushed."""

        def left(state: State) -> float:
            return max(CLEAR - self._to_touch(state), 0.0) if pushed(state) else CLEAR

        return Subgoal(name, lambda s: left(s) == 0.0 and resting(s, self.name), left)

    def moves(self, there: Callable[[State], bool], start: str = "rise") -> tuple[Move, ...]:
        """Return the moves that push it until it is `there`; the first one is called `start`."""

        def behind(far: float, height: float) -> Callable[[State], Pose]:
            return lambda state: self.behind(state, far, height)

        begin, end = self.radius + TIP + _RUN, self.radius + TIP + CLEAR + 0.012
        above, down = behind(begin, self.high), behind(begin, self.low)
        return (
            Move(start, self._rise, opening=0.0, tolerance=0.02),
            Move("above the far side", above, opening=0.0, speed=0.35, tolerance=0.015),
            Move("down behind it", down, opening=0.0, speed=0.25, tolerance=0.008),
            Move(
                "push",
                behind(self.radius + TIP - _LEAD, self.low),
                opening=0.0,
                speed=0.12,
                tolerance=1.0,  # not the tool but what is pushed must get there
                done=there,
                lost=self.astray,
                retry=start,
            ),
            Move(
                "back off",
                behind(end, self.low),
                opening=0.0,
                tolerance=0.008,
                patience_s=2.0,
            ),
            Move("leave", self._rise, opening=0.0, tolerance=0.02),
        )

    def behind(self, state: State, far: float, height: float) -> Pose:
        """Return the pose so far behind it, on the line that it is to go."""
        way = self.way(state)
        x, y = state.position(self.name)[:2] - far * way
        # The closed fingers are square: the least turn that points one of their faces at it.
        quarter, now = np.pi / 2, state.yaw("tool")
        turn = (np.arctan2(way[1], way[0]) - now + quarter / 2) % quarter - quarter / 2
        return Pose(float(x), float(y), height, float(now + turn))

    def astray(self, state: State) -> bool:
        """Tell whether the tool is no longer behind it: more than 50 degrees off, or ahead."""
        back = (state.position("tool") - state.position(self.name))[:2]
        return bool(-(back @ self.way(state)) < np.cos(np.radians(50)) * np.linalg.norm(back))

    def _rise(self, state: State) -> Pose:
        now = tool_pose(state)
        return replace(now, z=max(now.z, self.high))

    def _to_behind(self, state: State) -> float:
        """Return how far the tool is from the stretch between where a push begins and it [m]."""
        back = (state.position(self.name) - state.position("tool"))[:2] @ self.way(state)
        near = self.radius + TIP
        spot = self.behind(state, float(np.clip(back, near, near + _RUN)), self.low)
        return float(np.linalg.norm(state.position("tool") - (spot.x, spot.y, spot.z)))

    def _to_touch(self, state: State) -> float:
        """Return the gap between finger tips and it, as if both were balls [m]."""
        return max(to_tool(state, self.name) - self.radius - TIP, 0.0)

    def _touched(self, state: State) -> bool:
        near = state.touching(GRIPPER, self.name) or self._to_touch(state) < _TOUCH
        return near and not self.astray(state)
