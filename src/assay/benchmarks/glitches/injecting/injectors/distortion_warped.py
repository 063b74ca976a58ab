"""A rigid thing wobbles: its pixels are shifted row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import cut, waved
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["DistortionWarped"]

_SWING = (0.018, 0.028, 0.045)  # in sides of the picture
_HERTZ = 2.0


@dataclass(frozen=True)
class DistortionWarped(OfScene):
    """Shift the rows of pixels of a thing along a wave that runs through it."""

    type: ClassVar[str] = "object_distortion"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Warp the thing in a stretch of the clip."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, 0.9, 1.9)
        rows = np.flatnonzero(take.mask(start, name).any(axis=1))
        length = max(float(len(rows)), 4.0)

        def wobbling(number: int, picture: Image) -> Image:
            mask, behind = cut(take, number, name)
            phase = 2 * np.pi * _HERTZ * (number - start) / clip.fps
            return waved(picture, mask, behind, _SWING[level] * clip.size, length, phase)

        said = (
            f"The rigid {take.words(name)} wobbles and bends as if it were made of jelly, as of a "
            "generator that melts its outline."
        )
        return Injected(edited(clip, start, stop, wobbling), start, stop, said)
