"""Too dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["VisibilityDark"]

_GAMMA = (1.8, 2.4, 3.2)
_GAIN = (0.65, 0.45, 0.3)


@dataclass(frozen=True)
class VisibilityDark(OfFrames):
    """Take most of the light away, the shadows' first."""

    type: ClassVar[str] = "low_visibility"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Darken a stretch of the clip."""
        start, stop = stretch(clip, rng)
        table = as_picture(255.0 * _GAIN[level] * (np.arange(256) / 255.0) ** _GAMMA[level])

        def dark(_: int, picture: Image) -> Image:
            return table[picture]

        said = "The picture turns so dark that things are hard to tell, as of a light that failed."
        return Injected(edited(clip, start, stop, dark), start, stop, said)
