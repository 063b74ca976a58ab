"""Parts that fixtures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["DARK", "PALE", "RUBBER", "WOOD", "add_part", "add_walls"]

WOOD: Final = (0.62, 0.60, 0.56)
PALE: Final = (0.86, 0.84, 0.80)
DARK: Final = (0.36, 0.40, 0.46)
# What is fixed to a joint gives way only along it. On a hard handle the finger tips would bounce by
# micrometres and lose touch from one moment to the next; a soft one keeps both on it.
RUBBER: Final[Mapping[str, Any]] = {
    "priority": 2,  # over the finger tips' own surface
    "solref": [0.02, 1],
    "solimp": [0.8, 0.9, 0.002, 0.5, 2],
    "friction": [1.6, 0.02, 0.002],
    "condim": 4,
}


def add_part(
    body: Any,  # noqa: ANN401 - mujoco.MjsBody
    size: Sequence[float],
    pos: Sequence[float],
    rgb: Sequence[float],
    shape: str = "box",
    **surface: Any,  # noqa: ANN401 - fields of mujoco.MjsGeom
) -> None:
    """Add a box, or a "capsule" or "cylinder": its radius and half its length, along z [m].

    Hands and things collide with parts, parts not with each other: drawers never jam.
    """
    import mujoco

    body.add_geom(
        type=int(getattr(mujoco.mjtGeom, f"mjGEOM_{shape.upper()}")),
        size=size,
        pos=pos,
        rgba=[*rgb, 1.0],
        **{"mass": 0.05, "contype": 0, "conaffinity": 1, **surface},
    )


def add_walls(
    worldbody: Any,  # noqa: ANN401 - mujoco.MjsBody
    name: str,
    inside: float,
    wall: float,
    rim: float,
    rgb: Sequence[float] = DARK,
) -> None:
    """Add a square basket: a floor and four walls.

    Args:
        worldbody: Where to.
        name: What it is called.
        inside: Half its width between the walls [m].
        wall: How thick walls and floor are [m].
        rim: How high the walls are [m].
        rgb: Its colour.
    """
    import mujoco

    basket = worldbody.add_body(name=name)
    across, half = inside + wall / 2, rim / 2
    parts = {
        "floor": ((0.0, 0.0, wall / 2), (inside, inside, wall / 2)),
        "back": ((-across, 0.0, half), (wall / 2, inside + wall, half)),
        "front": ((across, 0.0, half), (wall / 2, inside + wall, half)),
        "left": ((0.0, -across, half), (inside, wall / 2, half)),
        "right": ((0.0, across, half), (inside, wall / 2, half)),
    }
    for part, (pos, size) in parts.items():
        basket.add_geom(
            name=f"{name}-{part}",
            type=int(mujoco.mjtGeom.mjGEOM_BOX),
            pos=pos,
            size=size,
            friction=[0.9, 0.01, 0.001],
            condim=4,
            rgba=[*rgb, 1.0],
        )
