"""Build the model of a task: room, table, cameras, robot, fixtures and things."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.worlds._textures import add_textures
from assay.worlds.robots._models import robot_spec
from assay.worlds.robots.base import Robot
from assay.worlds.state import TABLE
from assay.worlds.tasks.base import Task, Thing

__all__ = ["EXTRAS", "KNOB", "LIGHT_DISTANCE", "LIT_CENTRE", "build", "rest_height"]

TABLE_SIZE = (0.45, 0.60)
TABLE_CENTRE = (0.42, 0.0)

EXTRAS = (
    Thing("extra-1", "cylinder", (0.03, 0.018), distractor=True),
    Thing("extra-2", "block", (0.016, 0.016), distractor=True),
    Thing("extra-3", "ball", (0.02, 0.02), distractor=True),
)
"""Further things, in every model; they wait below the floor until a perturbation needs them."""

RIM = 0.011  # how wide the rim of a ring is [m]
RING_PARTS = 8  # boxes that make a ring
LID = 0.008  # how thick the plate of a lid is [m]
KNOB = 0.014  # half the width of its knob [m]

# The shadow map covers a square of 2 x 0.9 m across the sun's rays around this point.
LIT_CENTRE = (0.30, 0.05, 0.30)
LIGHT_DISTANCE = 2.0
# where it shines, diffuse, ambient, specular, whether it casts shadows
_LIGHTS = {
    "sun": ((-0.30, 0.25, -1.0), 0.46, 0.0, 0.12, True),
    "fill": ((-0.35, -0.75, -0.60), 0.22, 0.40, 0.0, False),
}
# By the number of arms: position, point looked at, vertical field of view [deg]. Two arms stand at
# both sides: the pictures are wider, and the side view is from a corner, where neither hides the
# other.
_CAMERAS = {
    1: {
        "front": ((1.28, 0.0, 0.68), (0.42, 0.0, 0.165), 39.0),
        "side": ((0.46, -1.18, 0.53), (0.41, 0.0, 0.185), 39.0),
        "overhead": ((0.44, 0.0, 1.30), (0.44, 0.0, 0.0), 36.0),
    },
    2: {
        "front": ((1.28, 0.0, 0.68), (0.42, 0.0, 0.18), 53.0),
        "side": ((1.18, -0.78, 0.72), (0.44, 0.0, 0.16), 46.0),
        "overhead": ((0.45, 0.0, 1.30), (0.45, 0.0, 0.0), 42.0),
    },
}


def build(task: Task, robot: Robot) -> Any:  # noqa: ANN401 - mujoco.MjModel; MuJoCo is imported late
    """Return the compiled model of a task; the same for every seed.

    Raises:
        UsageError: What the task's `furnish` has added does not go together with the rest.
    """
    spec = robot_spec(robot)
    spec.modelname = task.name
    spec.visual.global_.offwidth = spec.visual.global_.offheight = 1024
    spec.visual.headlight.active = 0
    # Rounder shapes cost more than all pixels: with these a frame with shadows takes half as long.
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 20, 10
    spec.visual.quality.numquads = 1
    spec.stat.extent = 1.0  # MuJoCo measures the planes below in extents of the scene
    spec.visual.map.shadowclip = 0.9  # half the width of the shadow map [extents]
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 8.0
    add_textures(spec)
    _add_room(spec.worldbody)
    _add_lights(spec.worldbody)
    _add_cameras(spec.worldbody, len(robot.arms))
    try:
        task.furnish(spec.worldbody)
        for thing in (*task.things, *EXTRAS):
            if thing.shape != "own":
                _add_thing(spec.worldbody, thing)
        return spec.compile()
    except ValueError as error:
        what = " ".join(str(error).removeprefix("Error: ").split())
        raise UsageError(
            f"The task {task.name!r} makes no model with {robot.name}: {what}."
        ) from error


def rest_height(thing: Thing) -> float:
    """Return how high above its lowest point a thing's centre is [m]."""
    return thing.size[0]


def _add_room(world: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
    import mujoco

    box, plane = int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_PLANE)
    # MuJoCo's shadow map is a texel off near its rim, so what casts there shadows itself in dots.
    # The room has nothing to throw a shadow on but itself: it only receives.
    solid = {"friction": [0.9, 0.01, 0.001], "condim": 4, "castshadow": False}
    thin = {"contype": 0, "conaffinity": 0, "castshadow": False}
    world.add_geom(
        name=TABLE,
        type=box,
        size=[*TABLE_SIZE, 0.03],
        pos=[*TABLE_CENTRE, -0.03],
        material=TABLE,
        **solid,
    )
    world.add_geom(
        name="floor",
        type=plane,
        size=[4, 4, 0.1],
        pos=[0, 0, -0.75],
        material="floor",
        castshadow=False,
    )
    for name, pos, size in (
        ("wall-back", (-1.6, 0.0, 0.6), (0.02, 2.6, 1.4)),
        ("wall-left", (0.4, 2.2, 0.6), (2.2, 0.02, 1.4)),
        ("wall-right", (0.4, -2.2, 0.6), (2.2, 0.02, 1.4)),
    ):
        world.add_geom(name=name, type=box, size=size, pos=pos, material="wall", **thin)


def _add_lights(world: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add a sun that casts shadows and a soft light from the other side that fills them.

    All light is grey and its sum on the table stays under 1: no picture is overexposed, and
    mixing channels on the surfaces is the same as mixing them in the picture.
    """
    import mujoco

    directional = int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    for name, (towards, diffuse, ambient, specular, shadow) in _LIGHTS.items():
        direction = np.array(towards) / np.linalg.norm(towards)
        world.add_light(
            name=name,
            type=directional,
            pos=np.array(LIT_CENTRE) - LIGHT_DISTANCE * direction,
            dir=direction,
            diffuse=[diffuse] * 3,
            ambient=[ambient] * 3,
            specular=[specular] * 3,
            castshadow=shadow,
        )


def _add_cameras(world: Any, arms: int) -> None:  # noqa: ANN401 - mujoco.MjsBody
    for name, (position, target, fovy) in _CAMERAS[arms].items():
        back = np.subtract(position, target)
        back = back / np.linalg.norm(back)
        # Straight down there is no "up" along z: the picture's top is then towards the robot.
        up = np.array([0.0, 0.0, 1.0]) if abs(back[2]) < 0.99 else np.array([-1.0, 0.0, 0.0])
        right = np.cross(up, back)
        right = right / np.linalg.norm(right)
        axes = [*right, *np.cross(back, right)]
        world.add_camera(name=name, pos=position, xyaxes=axes, fovy=fovy)


def _add_thing(world: Any, thing: Thing) -> None:  # noqa: ANN401 - mujoco.MjsBody
    body = world.add_body(name=thing.name)
    body.add_freejoint(name=thing.name)
    for number, (share, part) in enumerate(_geoms(thing)):
        body.add_geom(
            name=f"{thing.name}-{number}" if number else thing.name,
            mass=thing.mass * share,
            friction=[0.9, 0.01, 0.002],
            condim=4,
            solref=[0.006, 1],
            material="thing",
            **part,
        )


def _geoms(thing: Thing) -> list[tuple[float, dict[str, Any]]]:
    """Return what a thing is made of: each part's share of the mass, and its shape and place."""
    import mujoco

    kinds = mujoco.mjtGeom
    height, width = thing.size
    box = int(kinds.mjGEOM_BOX)
    if thing.shape == "ring":
        return [(1 / RING_PARTS, {"type": box, **part}) for part in _around(height, width)]
    if thing.shape == "lid":
        plate = {"size": [width, width, LID / 2], "pos": [0.0, 0.0, LID / 2 - height]}
        knob = {"size": [KNOB, KNOB, height - LID]}
        return [(0.8, {"type": box, **plate}), (0.2, {"type": box, **knob})]
    shapes = {
        "block": (kinds.mjGEOM_BOX, [width, width, height]),
        "cylinder": (kinds.mjGEOM_CYLINDER, [width, height, 0]),
        "ball": (kinds.mjGEOM_SPHERE, [width, 0, 0]),
    }
    kind, size = shapes[thing.shape]
    return [(1.0, {"type": int(kind), "size": size})]


def _around(height: float, radius: float) -> Iterator[dict[str, Any]]:
    """Yield the size, place and turn of the boxes that make a ring."""
    middle = radius - RIM / 2
    length = radius * np.tan(np.pi / RING_PARTS)
    for angle in 2 * np.pi * np.arange(RING_PARTS) / RING_PARTS:
        yield {
            "size": [RIM / 2, length, height],
            "pos": [middle * np.cos(angle), middle * np.sin(angle), 0.0],
            "quat": [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)],
        }
