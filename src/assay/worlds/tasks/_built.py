"""Add loose things that are built of several boxes, such as a tray or a cup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

__all__ = ["Box", "add_loose", "add_mark"]

Box: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Centre, counted from the middle of the thing, and half the edges [m]."""


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
