"""Rigid links wobble: the pixels of the arm are shifted row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import waved
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import (
    bodies_of,
    geoms_of,
    part_in_sight,
    part_mask,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["DeformWarped"]

_SWING = (0.02, 0.035, 0.06)  # in sides of the picture
_LENGTH = 0.22
_HERTZ = 1.5


@dataclass(frozen=True)
class DeformWarped(OfScene):
    """Shift the rows of pixels of the arm along a wave that runs through it."""

    type: ClassVar[str] = "robot_body_deformation"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Warp the arm in a stretch of the clip."""
        take = clip.attempt
        side, _, start, stop = part_in_sight(clip, rng, ("arm",))
        geoms = geoms_of(take, bodies_of(take, side, "arm"))

        def wobbling(number: int, picture: Image) -> Image:
            mask, behind = part_mask(take, number, geoms), take.without(number, geoms)
            phase = 2 * np.pi * _HERTZ * (number - start) / clip.fps
            return waved(
                picture, mask, behind, _SWING[level] * clip.size, _LENGTH * clip.size, phase
            )

        said = (
            "The robot's rigid arm wobbles like a hose from its shoulder to its hand, as of a "
            "generator that melts its outline."
        )
        return Injected(edited(clip, start, stop, wobbling), start, stop, said)
