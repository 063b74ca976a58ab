"""Blur along one direction, as of a camera that moved while it took the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture, shifted
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["BlurStreaks"]

_LENGTH = (0.035, 0.06, 0.11)  # of a streak, in sides of the picture


@dataclass(frozen=True)
class BlurStreaks(OfFrames):
    """Smear every pixel along one direction, as a long exposure of a moving camera does."""

    type: ClassVar[str] = "blur"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Average copies of each picture that are shifted along a line."""
        start, stop = stretch(clip, rng)
        length, angle = _LENGTH[level] * clip.size, rng.uniform(0.0, np.pi)
        steps = np.linspace(-0.5, 0.5, max(round(length), 3)) * length
        shifts = sorted({(round(s * np.sin(angle)), round(s * np.cos(angle))) for s in steps})

        def smeared(_: int, picture: Image) -> Image:
            total = np.zeros(picture.shape, dtype=np.float32)
            for rows, columns in shifts:
                total += shifted(picture, rows, columns)
            return as_picture(total / len(shifts))

        said = (
            "The whole picture is smeared along one direction, table and walls too, as of a long "
            "exposure with a moving camera."
        )
        return Injected(edited(clip, start, stop, smeared), start, stop, said)
