"""A camera that trembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import shifted
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["CameraJitter"]

_SWING = (0.011, 0.02, 0.04)  # standard deviation of the shift, in sides of the picture


@dataclass(frozen=True)
class CameraJitter(OfFrames):
    """Shift every picture by another random amount."""

    type: ClassVar[str] = "camera_instability"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Shake a stretch of a clip whose camera stands still."""
        if clip.moves:
            raise EpisodeError("a camera that goes along with the robot is no unstable one")
        start, stop = stretch(clip, rng, 0.9, 2.0)
        swing = max(_SWING[level] * clip.size, 1.0)

        def shaken(_: int, picture: Image) -> Image:
            rows, columns = rng.normal(0.0, swing, 2)
            return shifted(picture, round(rows), round(columns))

        said = (
            "The whole picture jumps about from frame to frame, table and walls with it, as of a "
            "loose or knocked camera."
        )
        return Injected(edited(clip, start, stop, shaken), start, stop, said)
