"""Something flat and opaque before the lens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import busiest, mixed
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["OcclusionCard"]

_SIDES = (0.26, 0.42, 0.66)  # of the card, in sides of the picture


@dataclass(frozen=True)
class OcclusionCard(OfFrames):
    """Hold an opaque card with straight edges over what happens."""

    type: ClassVar[str] = "occlusion"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Lay a tilted rectangle of one colour over the busiest part of a stretch."""
        start, stop = stretch(clip, rng)
        row, column = busiest(clip.frames[start:stop])
        half = _SIDES[level] * clip.size / 2
        turn, tall = rng.uniform(-0.5, 0.5), rng.uniform(0.7, 1.0)
        rows, columns = np.indices(clip.frames.shape[1:3])
        across = (columns - column) * np.cos(turn) + (rows - row) * np.sin(turn)
        down = (rows - row) * np.cos(turn) - (columns - column) * np.sin(turn)
        inside = ((np.abs(across) < half) & (np.abs(down) < tall * half)).astype(np.float64)
        colour = rng.uniform(15, 110, 3) + 25.0 * (down / half)[..., None]

        def covered(_: int, picture: Image) -> Image:
            return mixed(picture, colour, inside)

        said = (
            "A dark card with straight edges covers the part of the picture where the robot "
            "works, as of something held before the lens."
        )
        return Injected(edited(clip, start, stop, covered), start, stop, said)
