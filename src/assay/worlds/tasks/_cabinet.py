"""A cabinet with two drawers, one with a red and one with a blue handle."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from assay.worlds.look import COLOURS
from assay.worlds.tasks._parts import PALE, RUBBER, WOOD, add_part
from assay.worlds.tasks.base import Place

__all__ = ["BAR", "CABINET", "TOP", "TRAVEL", "TRAY_FLOOR", "add_cabinet", "stand"]

CABINET: Final = ("cabinet", "red-drawer", "blue-drawer", "red-handle", "blue-handle")
"""The bodies: a task's `fixtures`."""

TRAVEL: Final = 0.15  # as far as a drawer goes [m]
BAR: Final = 0.012  # half the thickness of a handle [m]
TRAY_FLOOR: Final = 0.018  # how high the inside of a drawer begins [m]
TOP: Final = 0.11  # how high the cabinet is [m]

# The cabinet, seen from its front: half its width, and its depth [m].
_WIDTH, _DEPTH = 0.142, 0.17
_SLOT = 0.068  # from the middle of the cabinet to the middle of a drawer
_BOARD = 0.004  # half the thickness of a board


def stand(rng: np.random.Generator) -> tuple[Place, dict[str, Place]]:
    """Draw where the cabinet stands, at the left and facing right, and each drawer's side."""
    x, y, turn = rng.uniform((0.42, 0.15, -0.25), (0.48, 0.19, 0.25))
    side = float(rng.choice((-_SLOT, _SLOT)))
    drawers = {"red-drawer": Place(0.0, side), "blue-drawer": Place(0.0, -side)}
    return Place(float(x), float(y), yaw=float(turn - np.pi / 2)), drawers


def add_cabinet(worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add the cabinet; drawers come out along its x axis, from its front at the origin."""
    cabinet = worldbody.add_body(name="cabinet")
    middle, half = TOP / 2, _DEPTH / 2
    for y in (-_WIDTH, 0.0, _WIDTH):
        add_part(cabinet, (half, _BOARD, middle), (-half, y, middle), WOOD)
    for z in (_BOARD, TOP - _BOARD):
        add_part(cabinet, (half, _WIDTH + _BOARD, _BOARD), (-half, 0.0, z), WOOD)
    add_part(cabinet, (_BOARD, _WIDTH, middle), (-_DEPTH, 0.0, middle), WOOD)
    for colour, y in (("red", _SLOT), ("blue", -_SLOT)):
        _add_drawer(cabinet, colour, y)


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
        add_part(drawer, (length, 0.003, 0.03), (-length, side, 0.045), PALE)
    add_part(drawer, (length, width, 0.003), (-length, 0.0, 0.015), PALE)
    add_part(drawer, (0.003, width, 0.03), (-2 * length, 0.0, 0.045), PALE)
    add_part(drawer, (0.005, 0.062, 0.046), (0.006, 0.0, 0.055), PALE)
    _add_handle(drawer, colour)


def _add_handle(drawer: Any, colour: str) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add an upright bar that the fingers take from above, a finger on each side."""
    handle = drawer.add_body(name=f"{colour}-handle", pos=[0.05, 0.0, 0.06])
    add_part(handle, (BAR, 0.02, 0.0), (0.0, 0.0, 0.0), COLOURS[colour], "capsule", **RUBBER)
    for z in (-0.022, 0.022):
        add_part(handle, (0.02, 0.004, 0.004), (-0.02, 0.0, z), COLOURS[colour])
