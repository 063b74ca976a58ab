"""A part that the robot does not have: a limb drawn into the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._pixels import mixed
from assay.benchmarks.glitches.injecting.injectors._robots import bodies_of, part_in_sight, place_of
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Floats, Image

__all__ = ["ExtraDrawn"]

_LONG = (0.14, 0.2, 0.28)  # in sides of the picture
_WIDE = 0.045


@dataclass(frozen=True)
class ExtraDrawn(OfScene):
    """Draw a jointed limb that begins at the wrist and points away from the arm."""

    type: ClassVar[str] = "hallucinated_robot_part"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw the limb into a stretch of the clip; it goes along with the arm."""
        take = clip.attempt
        side, _, start, stop = part_in_sight(clip, rng, ("forearm",))
        body = bodies_of(take, side, "forearm")[-1]
        angle = rng.uniform(-0.2, 1.2) * np.pi
        towards = np.array([np.sin(angle), np.cos(angle)])

        def grown(number: int, picture: Image) -> Image:
            column, row = take.pixel(place_of(take, number, body)[0])
            first = np.array([row, column])
            last = first + _LONG[level] * clip.size * towards
            return _limb(picture, first, last, _WIDE * clip.size)

        said = (
            "A further limb with a dark joint at its end grows out of the robot's wrist, which "
            "this robot does not have, as of a generator that adds a part of the body."
        )
        return Injected(edited(clip, start, stop, grown), start, stop, said)


def _limb(picture: Image, first: Floats, last: Floats, wide: float) -> Image:
    """Return a picture with a light bar from one point to another, row and column, and a joint."""
    points = np.moveaxis(np.indices(picture.shape[:2]), 0, -1) - first
    along = last - first
    share = np.clip(points @ along / float(along @ along), 0.0, 1.0)
    off = np.linalg.norm(points - share[..., None] * along, axis=-1) / (wide / 2)
    light = 235.0 - 90.0 * np.clip(off, 0.0, 1.0) ** 2
    made = mixed(picture, np.repeat(light[..., None], 3, axis=-1), (off < 1.0).astype(np.float64))
    joint = np.linalg.norm(points - along, axis=-1) < 0.7 * wide
    return mixed(made, np.array([52.0, 56.0, 66.0]), joint.astype(np.float64))
