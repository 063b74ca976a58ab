"""Open the drawer with the red handle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.look import COLOURS
from assay.worlds.moves import Move, Pose
from assay.worlds.state import State
from assay.worlds.tasks._conditions import resting, to_tool
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["OpenDrawer"]

HALF, WIDE = 0.05, 0.10  # how far a drawer is out when it is half open, and open [m]
TRAVEL = 0.15  # as far as it goes [m]
BAR = 0.012  # half the thickness of a handle [m]
GRIPPED = BAR / 0.04  # the gripper's opening when it has closed on a handle
SLIPPED = 0.02  # so far from the tool a handle is no longer in the hand [m]
ABOVE = 0.10  # how far over a handle the tool waits [m]

# The cabinet, seen from its front: half its width, its depth, its height [m].
_WIDTH, _DEPTH, _HEIGHT = 0.142, 0.17, 0.11
_SLOT = 0.068  # from the middle of the cabinet to the middle of a drawer
_BOARD = 0.004  # half the thickness of a board
_WOOD, _PALE = (0.62, 0.60, 0.56), (0.86, 0.84, 0.80)
# A drawer gives way only along its slide. On a hard handle the finger tips would bounce by
# micrometres and lose touch from one moment to the next; a soft one keeps both on it.
_RUBBER: Mapping[str, Any] = {
    "priority": 2,  # over the finger tips' own surface
    "solref": [0.02, 1],
    "solimp": [0.8, 0.9, 0.002, 0.5, 2],
    "friction": [1.6, 0.02, 0.002],
    "condim": 4,
}


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
    fixtures: tuple[str, ...] = (
        "cabinet",
        "red-drawer",
        "blue-drawer",
        "red-handle",
        "blue-handle",
    )
    wrongs: tuple[Wrong, ...] = ("object",)

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, open half-way, open wide, let go."""
        return (
            Subgoal(
                "reach the handle",
                lambda s: _to_handle(s) < 0.015,
                _to_handle,
                until="grasp the handle",
            ),
            Subgoal(
                "grasp the handle",
                lambda s: s.held("red-handle"),
                lambda s: max(s.opening - GRIPPED, 0.0),
                until="open the drawer half-way",
            ),
            Subgoal(
                "open the drawer half-way",
                lambda s: _left(s, HALF) == 0.0,
                lambda s: _left(s, HALF),
                until="open the drawer wide",
            ),
            Subgoal(
                "open the drawer wide",
                lambda s: _left(s, WIDE) == 0.0,
                lambda s: _left(s, WIDE),
            ),
            Subgoal("let go of the handle", lambda s: resting(s, "red-handle"), _to_let_go),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the cabinet; drawers come out along its x axis, from its front at the origin."""
        cabinet = _add_cabinet(worldbody)
        for colour, y in (("red", _SLOT), ("blue", -_SLOT)):
            _add_drawer(cabinet, colour, y)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Stand the cabinet at the left, facing right; scatter the rest where no drawer comes."""
        x, y, turn = rng.uniform((0.42, 0.15, -0.25), (0.48, 0.19, 0.25))
        side = float(rng.choice((-_SLOT, _SLOT)))
        names = [thing.name for thing in self.things]
        places = scatter(rng, names, (0.36, 0.60), (-0.24, -0.10), gap=0.12)
        places["cabinet"] = Place(float(x), float(y), yaw=float(turn - np.pi / 2))
        drawers = {"red-drawer": Place(0.0, side), "blue-drawer": Place(0.0, -side)}
        return Layout(places, drawers)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Grasp the handle from above and pull; a near miss stops before the drawer is wide open.

        A lost handle is grasped again.
        """
        colour = "blue" if aim.wrong else "red"
        handle = f"{colour}-handle"
        goal = WIDE + 0.012 - 0.024 * aim.miss

        def out(state: State) -> bool:
            return state.slide(f"{colour}-drawer") >= goal - 0.004

        def lost(state: State) -> bool:
            return to_tool(state, handle) > SLIPPED

        def here(state: State) -> Pose:
            return _at(state, handle)

        def above(state: State) -> Pose:
            return _at(state, handle, above=ABOVE)

        return (
            Move("above it", above, opening=1.0, speed=0.35, tolerance=0.015),
            Move("down to it", here, opening=1.0, speed=0.2),
            Move("close on it", here, opening=0.0, tolerance=0.03, hold_s=0.45),
            Move(
                "pull",
                lambda s: _at(s, handle, out=goal - s.slide(f"{colour}-drawer")),
                opening=0.0,
                speed=0.12,
                tolerance=0.02,
                done=out,
                lost=lost,
                retry="above it",
            ),
            Move("let go", here, opening=1.0, tolerance=0.03, hold_s=0.4),
            Move("leave", above, opening=1.0, tolerance=0.03),
        )


def _add_cabinet(worldbody: Any) -> Any:  # noqa: ANN401 - mujoco.MjsBody
    """Add the cabinet without drawers and return it."""
    cabinet = worldbody.add_body(name="cabinet")
    middle, half = _HEIGHT / 2, _DEPTH / 2
    for y in (-_WIDTH, 0.0, _WIDTH):
        _add_board(cabinet, (half, _BOARD, middle), (-half, y, middle), _WOOD)
    for z in (_BOARD, _HEIGHT - _BOARD):
        _add_board(cabinet, (half, _WIDTH + _BOARD, _BOARD), (-half, 0.0, z), _WOOD)
    _add_board(cabinet, (_BOARD, _WIDTH, middle), (-_DEPTH, 0.0, middle), _WOOD)
    return cabinet


def _add_drawer(cabinet: Any, colour: str, y: float) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add a tray with a front and a handle; damping and friction keep it where it is left."""
    import mujoco

    drawer = cabinet.add_body(name=f"{colour}-drawer", pos=[0.0, y, 0.0])
    drawer.add_joint(
        name=f"{colour}-drawer",
        type=int(mujoco.mjtJoint.mjJNT_SLIDE),
        axis=[1, 0, 0],
        limited=True,
        range=[0.0, TRAVEL],
        damping=[4.0, 0.0, 0.0],
        frictionloss=1.0,
    )
    width, length = 0.056, 0.075
    for side in (-width, width):
        _add_board(drawer, (length, 0.003, 0.03), (-length, side, 0.045), _PALE)
    _add_board(drawer, (length, width, 0.003), (-length, 0.0, 0.015), _PALE)
    _add_board(drawer, (0.003, width, 0.03), (-2 * length, 0.0, 0.045), _PALE)
    _add_board(drawer, (0.005, 0.062, 0.046), (0.006, 0.0, 0.055), _PALE)
    _add_handle(drawer, colour)


def _add_handle(drawer: Any, colour: str) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add an upright bar that the fingers take from above, a finger on each side."""
    handle = drawer.add_body(name=f"{colour}-handle", pos=[0.05, 0.0, 0.06])
    _add_board(handle, (BAR, 0.02, 0.0), (0.0, 0.0, 0.0), COLOURS[colour], "capsule", **_RUBBER)
    for z in (-0.022, 0.022):
        _add_board(handle, (0.02, 0.004, 0.004), (-0.02, 0.0, z), COLOURS[colour])


def _add_board(
    body: Any,  # noqa: ANN401 - mujoco.MjsBody
    size: Sequence[float],
    pos: Sequence[float],
    rgb: Sequence[float],
    shape: str = "box",
    **surface: Any,  # noqa: ANN401 - fields of mujoco.MjsGeom
) -> None:
    """Add a box, or a "capsule": its radius and half its length, along z [m]."""
    import mujoco

    body.add_geom(
        type=int(getattr(mujoco.mjtGeom, f"mjGEOM_{shape.upper()}")),
        size=size,
        pos=pos,
        rgba=[*rgb, 1.0],
        mass=0.05,
        # Hands and things collide with boards, boards not with each other: drawers never jam.
        contype=0,
        conaffinity=1,
        **surface,
    )


def _at(state: State, handle: str, above: float = 0.0, out: float = 0.0) -> Pose:
    """Return the pose so far above and in front of a handle [m], the fingers at its two sides."""
    x, y, z = state.position(handle) + out * state.matrix(handle)[:, 0]
    # Half a turn is the same grip; this half keeps the wrist far from its limits.
    return Pose(float(x), float(y), float(z + above), state.yaw(handle) % np.pi)


def _to_handle(state: State) -> float:
    return to_tool(state, "red-handle")


def _left(state: State, far: float) -> float:
    """Return how much farther the drawer must come out [m]."""
    return max(far - state.slide("red-drawer"), 0.0)


def _to_let_go(state: State) -> float:
    """Return how far the fingers must still open, 0..1; all the way until the drawer is open."""
    return 1.0 if _left(state, WIDE) > 0.0 else 1.0 - state.opening
