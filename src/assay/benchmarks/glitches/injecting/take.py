"""A simulated attempt that can be drawn again with something changed in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.records import Floats, Image
from assay.worlds.look import COLOURS
from assay.worlds.rendering import Renderer
from assay.worlds.scene import EXTRAS
from assay.worlds.tasks.base import Thing
from assay.worlds.world import World

__all__ = ["Take", "Trace", "camera_noise"]

_EDITED: Final = (
    *("geom_rgba", "geom_size", "geom_pos", "geom_quat"),
    *("body_pos", "body_quat", "cam_pos", "cam_quat"),
    *("light_diffuse", "light_ambient", "light_specular"),
)
_NOUNS: Final = {"cylinder": "can", "own": ""}
_NOISE: Final = 1.6  # standard deviation of the camera's noise [grey levels]
_TILE: Final = 64  # noise is shifted by up to so much from frame to frame [pixels]


@dataclass(frozen=True, eq=False)
class Trace:
    """What the simulator knows of every frame of a take.

    Attributes:
        positions: Where things and fixtures are, by name, each of shape (T, 3) [m].
        held: Whether a hand holds the thing, by name, each of shape (T,).
        touched: Whether a hand touches it, by name, each of shape (T,).
        touched_by: The same for each gripper and thing.
        tools: Where each tool is, by side, of shape (T, 3) [m].
        opening: How far each gripper is open, by side, of shape (T,), 0..1.
        moves: The move of the script that was under way, of shape (T,).
        done: How many subgoals hold, of shape (T,).
        progress: Phi*, of shape (T,).
        success: Whether the attempt ended with success.
    """

    positions: Mapping[str, Floats]
    held: Mapping[str, npt.NDArray[np.bool_]]
    touched: Mapping[str, npt.NDArray[np.bool_]]
    touched_by: Mapping[tuple[str, str], npt.NDArray[np.bool_]]
    tools: Mapping[str, Floats]
    opening: Mapping[str, Floats]
    moves: npt.NDArray[np.str_]
    done: npt.NDArray[np.int64]
    progress: Floats
    success: bool


@dataclass(frozen=True, eq=False)
class Take:
    """An attempt, seen by one camera.

    Attributes:
        world: Whose scene it is; it must not be reset while the take is in use.
        renderer: Draws it.
        view: The camera.
        poses: The joint positions of everything, of shape (T, nq).
        trace: What is known of every frame.
        noise: What the camera adds, int16 of shape (H + 64, W + 64, 3).
        shifts: Where in `noise` each frame begins, of shape (T, 2).
    """

    world: World
    renderer: Renderer
    view: str
    poses: Floats
    trace: Trace
    noise: npt.NDArray[np.int16]
    shifts: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.poses)

    @property
    def model(self) -> Any:  # noqa: ANN401 - mujoco.MjModel
        """Return the model, to be edited inside `scene` only."""
        return self.world.model

    @contextmanager
    def scene(self) -> Iterator[Any]:
        """Lend the model for edits of the look; what was there is put back."""
        kept = {name: np.array(getattr(self.model, name)) for name in _EDITED}
        try:
            yield self.model
        finally:
            for name, values in kept.items():
                getattr(self.model, name)[:] = values

    def film(self) -> Image:
        """Return all frames as they are, of shape (T, H, W, 3)."""
        return np.stack([self.draw(number) for number in range(len(self))])

    def draw(self, number: int, pose: Floats | None = None) -> Image:
        """Return frame `number`, (H, W, 3), of its own pose or another one, with its noise."""
        self.renderer.follow(self.poses[number] if pose is None else pose)
        return self.noisy(number, self.renderer.rgb(self.view))

    def noisy(self, number: int, picture: Image) -> Image:
        """Return a picture with the noise of frame `number`."""
        y, x = self.shifts[number]
        height, width = picture.shape[:2]
        grain = self.noise[y : y + height, x : x + width]
        shown: Image = np.clip(picture + grain, 0, 255).astype(np.uint8)
        return shown

    def geoms(self, number: int, pose: Floats | None = None) -> npt.NDArray[np.int32]:
        """Return the geom that each pixel of a frame shows, -1 for none, (H, W)."""
        self.renderer.follow(self.poses[number] if pose is None else pose)
        return self.renderer.geoms(self.view)

    def mask(self, number: int, name: str, pose: Floats | None = None) -> npt.NDArray[np.bool_]:
        """Return where a frame shows a thing, fixture or the "robot", (H, W)."""
        owned = np.array([*(owner == name for owner in self.world.state.geom_owners()), False])
        found: npt.NDArray[np.bool_] = owned[self.geoms(number, pose)]
        return found

    def without(self, number: int, geoms: Sequence[int]) -> Image:
        """Return a frame in which some geoms are not there, nor their shadows."""
        with self.scene() as model:
            model.geom_rgba[list(geoms), 3] = 0.0
            return self.draw(number)

    def geoms_of(self, name: str) -> list[int]:
        """Return the geoms of a thing, a fixture or the "robot"."""
        owners = self.world.state.geom_owners()
        return [number for number, owner in enumerate(owners) if owner == name]

    def place(self, thing: str) -> slice:
        """Return where in a pose a thing's position (3) and rotation (4) stand."""
        first = int(self.model.joint(thing).qposadr[0])
        return slice(first, first + 7)

    @property
    def things(self) -> tuple[str, ...]:
        """Return the things that lie in the scene; those under the floor are not among them."""
        return tuple(
            name for name in self.world.state.things if self.trace.positions[name][0, 2] > -1.0
        )

    def pixel(self, point: Floats) -> tuple[float, float]:
        """Return where a point of the world is in the picture drawn last: column, row."""
        camera = self.renderer.camera(self.view)
        pose = camera.world_from_camera
        column, row, depth = camera.intrinsics @ (pose[:3, :3].T @ (point - pose[:3, 3]))
        return float(column / depth), float(row / depth)

    def words(self, thing: str) -> str:
        """Return how a person names a thing: by its colour and its kind."""
        found = self.thing(thing)
        rgb = self.model.geom_rgba[self.geoms_of(thing)[0], :3]
        colour = min(COLOURS, key=lambda name: float(np.abs(rgb - COLOURS[name]).sum()))
        noun = _NOUNS.get(found.shape, found.shape) or thing.removeprefix("other-")
        if thing == "peg" or thing.endswith("-peg") or thing == "puck":
            noun = thing.removeprefix("other-")
        return f"{colour} {noun}"

    def thing(self, name: str) -> Thing:
        """Return what is known of a thing: its shape and size."""
        return next(t for t in (*self.world.task.things, *EXTRAS) if t.name == name)


def camera_noise(
    rng: np.random.Generator, size: int, count: int
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int64]]:
    """Return a field of noise for pictures of `size`, and where each frame begins in it."""
    side = size + _TILE
    noise = np.rint(rng.normal(0.0, _NOISE, (side, side, 3))).astype(np.int16)
    return noise, rng.integers(0, _TILE, (count, 2))
