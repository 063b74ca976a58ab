"""A part that the robot does not have: a rod in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import bodies_of, part_in_sight, place_of
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Floats, Image

__all__ = ["ExtraRod"]

_THING = "extra-1"  # a cylinder that waits under the floor
_LONG_M = (0.06, 0.09, 0.13)  # half its length
_WIDE_M = 0.02
_WHITE = (0.93, 0.93, 0.95, 1.0)


@dataclass(frozen=True)
class ExtraRod(OfScene):
    """Let a rod in the colour of the robot stick out of its forearm."""

    type: ClassVar[str] = "hallucinated_robot_part"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the rod, which goes along with the arm."""
        take = clip.attempt
        side, _, start, stop = part_in_sight(clip, rng, ("forearm",))
        body, angle = bodies_of(take, side, "forearm")[-1], rng.uniform(0.0, 2 * np.pi)
        lean = np.array([0.75 * np.cos(angle), 0.75 * np.sin(angle), 0.66])

        def grown(number: int, _: Image) -> Image:
            place, _rotation = place_of(take, number, body)
            pose = take.poses[number].copy()
            pose[take.place(_THING)] = (*(place + _LONG_M[level] * lean), *_upright_to(lean))
            geoms = take.geoms_of(_THING)
            with take.scene() as model:
                model.geom_size[geoms, 0], model.geom_size[geoms, 1] = _WIDE_M, _LONG_M[level]
                model.geom_rgba[geoms] = _WHITE
                return take.draw(number, pose)

        said = (
            "A white rod sticks out of the robot's forearm and goes along with it, which this "
            "robot does not have, as of a generator that adds a limb."
        )
        return Injected(edited(clip, start, stop, grown), start, stop, said)


def _upright_to(axis: Floats) -> tuple[float, float, float, float]:
    """Return the rotation that turns the vertical to an axis of length 1: a quaternion."""
    x, y, z = (float(value) for value in axis / np.linalg.norm(axis))
    norm = float(np.sqrt(2.0 * (1.0 + z)))
    return norm / 2, -y / norm, x / norm, 0.0
