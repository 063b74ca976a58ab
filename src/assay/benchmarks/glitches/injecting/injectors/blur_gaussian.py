"""Blur as of a lens out of focus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["BlurGaussian"]

_WIDTH = (0.008, 0.014, 0.026)  # standard deviation, in sides of the picture


@dataclass(frozen=True)
class BlurGaussian(OfFrames):
    """Spread every pixel over its neighbours, as a lens out of focus does."""

    type: ClassVar[str] = "blur"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Blur a stretch of the clip evenly."""
        from scipy.ndimage import gaussian_filter

        start, stop = stretch(clip, rng)
        sigma = _WIDTH[level] * clip.size

        def soft(_: int, picture: Image) -> Image:
            return as_picture(gaussian_filter(picture.astype(np.float32), (sigma, sigma, 0)))

        said = "The whole picture turns soft and edges are lost, as of a lens that lost its focus."
        return Injected(edited(clip, start, stop, soft), start, stop, said)
