"""Add loose things that are built of several boxes, such as a tray or a cup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

__all__ = ["Box", "add_loose", "add_mark", "cup_boxes", "tray_boxes"]

Box: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Centre, counted from the middle of the thing, and half the edges [m]."""


def cup_boxes(inside: float, wall: float, deep: float) -> tuple[Box, ...]:
    """Return the floor and the four walls of a square cup.

    Args:
        inside: Half its width between the walls [m].
        wall: Half the thickness of walls and floor [m].
        deep: Half its height [m].
    """
    middle, side = inside + wall, inside + 2 * wall
    return (
        ((0.0, 0.0, wall - deep), (side, side, wall)),
        *(((x, 0.0, wall), (wall, side, deep - wall)) for x in (-middle, middle)),
        *(((0.0, y, wall), (inside, wall, deep - wall)) for y in (-middle, middle)),
    )


def tray_boxes(half: tuple[float, float], floor: float, low: float, rim: float) -> tuple[Box, ...]:
    """Return the floor and the rims of a tray.

    Args:
        half: Half its edges along x and y [m].
        floor: Half the thickness of its floor [m].
        low: The floor's middle, counted from that of the thing [m].
        rim: Half the height of the rims [m].
    """
    long, wide = half
    up = low + floor + rim
    return (
        ((0.0, 0.0, low), (long, wide, floor)),
        *(((0.0, y, up), (long, 0.003, rim)) for y in (-wide, wide)),
        *(((x, 0.0, up), (0.003, wide, rim)) for x in (-long, long)),
    )


def add_loose(worldbody: Any, name: str, boxes: Sequence[Box], mass: float) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add a body that can be moved; the world paints all of it.

    Args:
        worldbody: Where to.
        name: The thing's name; its shape is "own".
        boxes: What it is built of.
        mass: Of all together, spread by volume [kg].
    """
    import mujoco

    body = worldbody.add_body(name=name)
    body.add_freejoint(name=name)
    volumes = [x * y * z for _, (x, y, z) in boxes]
    for number, ((pos, size), volume) in enumerate(zip(boxes, volumes, strict=True)):
        body.add_geom(
            name=f"{name}-{number}" if number else name,
            type=int(mujoco.mjtGeom.mjGEOM_BOX),
            pos=pos,
            size=size,
            mass=mass * volume / sum(volumes),
            friction=[0.9, 0.01, 0.002],
            condim=4,
            solref=[0.006, 1],
            material="thing",
        )


def add_mark(worldbody: Any, name: str, half: tuple[float, float]) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add a flat pale mark on the table that nothing bumps into; `half` its edges [m]."""
    import mujoco

    worldbody.add_body(name=name).add_geom(
        name=name,
        type=int(mujoco.mjtGeom.mjGEOM_BOX),
        pos=[0.0, 0.0, 0.001],
        size=[*half, 0.001],
        contype=0,
        conaffinity=0,
        rgba=[0.93, 0.93, 0.90, 1.0],
    )
