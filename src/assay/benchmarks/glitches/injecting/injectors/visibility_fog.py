"""Too bright, or too flat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["VisibilityFog"]

_VEIL = (0.55, 0.75, 0.9)  # of the picture is fog
_GAIN = (1.9, 2.8, 4.5)


@dataclass(frozen=True)
class VisibilityFog(OfFrames):
    """Lay a bright fog over the picture, or expose it far too long."""

    type: ClassVar[str] = "low_visibility"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Veil or overexpose a stretch of the clip."""
        start, stop = stretch(clip, rng)
        grey = np.arange(256.0)
        if rng.random() < 0.5:
            veil = _VEIL[level]
            table = as_picture((1.0 - veil) * grey + veil * rng.uniform(190.0, 225.0))
            said = "A bright fog takes all contrast from the picture, as of steam on the lens."
        else:
            table = as_picture(_GAIN[level] * grey + 20.0)
            said = "The picture is washed out to white, as of a camera that exposes far too long."

        def pale(_: int, picture: Image) -> Image:
            return table[picture]

        return Injected(edited(clip, start, stop, pale), start, stop, said)
