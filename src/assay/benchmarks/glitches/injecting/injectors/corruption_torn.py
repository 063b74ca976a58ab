"""Torn rows and colours that part, as of a transfer out of step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["CorruptionTorn"]

_BANDS = (2, 4, 8)
_SHIFT = (0.06, 0.12, 0.3)  # in sides of the picture


@dataclass(frozen=True)
class CorruptionTorn(OfFrames):
    """Shift bands of rows sideways, others in every picture, and part their colours."""

    type: ClassVar[str] = "frame_corruption"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Tear every picture of a stretch."""
        start, stop = stretch(clip, rng, 0.6, 1.5)
        most = _SHIFT[level] * clip.size

        def torn(_: int, picture: Image) -> Image:
            made = picture.copy()
            cuts = np.sort(rng.integers(0, picture.shape[0], 2 * _BANDS[level]))
            for first, last in cuts.reshape(-1, 2):
                gone = round(float(rng.choice((-1.0, 1.0)) * rng.uniform(0.4, 1.0) * most))
                for colour in range(3):
                    own = gone + round(0.15 * gone * (colour - 1))
                    made[first:last, :, colour] = np.roll(picture[first:last, :, colour], own, 1)
            return made

        said = (
            "Bands of rows jump sideways and their colours part, others in every frame, as of a "
            "transfer that is out of step."
        )
        return Injected(edited(clip, start, stop, torn), start, stop, said)
