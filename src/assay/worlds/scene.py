"""Build the model of a task: room, table, cameras, robot, fixtures and things."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.worlds._textures import add_textures
from assay.worlds.robots.base import Robot
from assay.worlds.state import TABLE
from assay.worlds.tasks.base import Task, Thing

__all__ = ["BACKGROUND", "EXTRAS", "TABLE_SIZE", "build", "rest_height"]

TABLE_SIZE = (0.45, 0.60)
TABLE_CENTRE = (0.42, 0.0)
BACKGROUND = (TABLE, "floor", "wall-back", "wall-left", "wall-right")
"""The geoms that are neither robot nor object."""

EXTRAS = (
    Thing("extra-1", "cylinder", (0.03, 0.018), distractor=True),
    Thing("extra-2", "block", (0.016, 0.016), distractor=True),
    Thing("extra-3", "ball", (0.02, 0.02), distractor=True),
)
"""Further things, in every model; they wait below the floor until a perturbation needs them."""

# position, point looked at, vertical field of view [deg]
_CAMERAS = {
    "front": ((1.30, 0.0, 0.68), (0.42, 0.0, 0.12), 38.0),
    "side": ((0.46, -1.16, 0.55), (0.44, 0.0, 0.15), 38.0),
    "overhead": ((0.48, 0.0, 1.30), (0.48, 0.0, 0.0), 36.0),
}


def build(task: Task, robot: Robot) -> Any:  # noqa: ANN401 - mujoco.MjModel; MuJoCo is imported late
    """Return the compiled model of a task; the same for every seed."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(robot.path))
    spec.modelname = task.name
    spec.visual.global_.offwidth = spec.visual.global_.offheight = 1024
    spec.visual.headlight.ambient = [0.32, 0.32, 0.32]
    spec.visual.headlight.diffuse = [0.25, 0.25, 0.25]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    spec.stat.extent = 1.0  # MuJoCo measures the planes below in extents of the scene
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 8.0
    add_textures(spec)
    _add_room(spec.worldbody)
    _add_cameras(spec.worldbody)
    task.furnish(spec.worldbody)
    for thing in (*task.things, *EXTRAS):
        _add_thing(spec.worldbody, thing)
    return spec.compile()


def rest_height(thing: Thing) -> float:
    """Return how high above its lowest point a thing's centre is [m]."""
    return thing.size[0]


def _add_room(world: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
    import mujoco

    box, plane = int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_PLANE)
    solid = {"friction": [0.9, 0.01, 0.001], "condim": 4}
    thin = {"contype": 0, "conaffinity": 0}
    world.add_geom(
        name=TABLE,
        type=box,
        size=[*TABLE_SIZE, 0.03],
        pos=[*TABLE_CENTRE, -0.03],
        material=TABLE,
        **solid,
    )
    world.add_geom(name="floor", type=plane, size=[4, 4, 0.1], pos=[0, 0, -0.75], material="floor")
    for name, pos, size in (
        ("wall-back", (-1.6, 0.0, 0.6), (0.02, 2.6, 1.4)),
        ("wall-left", (0.4, 2.2, 0.6), (2.2, 0.02, 1.4)),
        ("wall-right", (0.4, -2.2, 0.6), (2.2, 0.02, 1.4)),
    ):
        world.add_geom(name=name, type=box, size=size, pos=pos, material="wall", **thin)
    world.add_light(
        name="sun",
        pos=[0.9, -0.6, 2.2],
        dir=[-0.25, 0.3, -1.0],
        diffuse=[0.55, 0.55, 0.55],
        specular=[0.15, 0.15, 0.15],
        castshadow=True,
    )
    world.add_light(
        name="fill",
        pos=[-0.4, 1.0, 2.0],
        dir=[0.4, -0.45, -1.0],
        diffuse=[0.25, 0.25, 0.25],
        specular=[0.0, 0.0, 0.0],
        castshadow=False,
    )


def _add_cameras(world: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
    for name, (position, target, fovy) in _CAMERAS.items():
        back = np.subtract(position, target)
        back = back / np.linalg.norm(back)
        # Straight down there is no "up" along z: the picture's top is then towards the robot.
        up = np.array([0.0, 0.0, 1.0]) if abs(back[2]) < 0.99 else np.array([-1.0, 0.0, 0.0])
        right = np.cross(up, back)
        right = right / np.linalg.norm(right)
        axes = [*right, *np.cross(back, right)]
        world.add_camera(name=name, pos=position, xyaxes=axes, fovy=fovy)


def _add_thing(world: Any, thing: Thing) -> None:  # noqa: ANN401 - mujoco.MjsBody
    import mujoco

    height, width = thing.size
    shapes = {
        "block": (mujoco.mjtGeom.mjGEOM_BOX, [width, width, height]),
        "cylinder": (mujoco.mjtGeom.mjGEOM_CYLINDER, [width, height, 0]),
        "ball": (mujoco.mjtGeom.mjGEOM_SPHERE, [width, 0, 0]),
    }
    kind, size = shapes[thing.shape]
    body = world.add_body(name=thing.name)
    body.add_freejoint(name=thing.name)
    body.add_geom(
        name=thing.name,
        type=int(kind),
        size=size,
        mass=thing.mass,
        friction=[0.9, 0.01, 0.002],
        condim=4,
        solref=[0.006, 1],
        material="thing",
    )
