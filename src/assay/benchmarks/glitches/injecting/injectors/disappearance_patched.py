"""A small thing of a recorded clip is gone: painted over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._blobs import spot_of, where
from assay.benchmarks.glitches.injecting.injectors._kinds import OfRecorded
from assay.benchmarks.glitches.injecting.injectors._things import filled
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["DisappearancePatched"]

_LASTS_S = ((0.5, 0.8), (0.9, 1.3), (1.4, 2.2))


@dataclass(frozen=True)
class DisappearancePatched(OfRecorded):
    """Paint over a small thing that lies still in a recorded clip."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Fill the spot with the colours around it in a stretch of the clip."""
        start, stop = stretch(clip, rng, *_LASTS_S[level])
        spot = spot_of(clip.frames[start - 1 : stop + 1], rng)

        def painted(_: int, picture: Image) -> Image:
            return filled(picture, spot)

        said = (
            f"A small thing in {where(spot)} of the picture is gone for a while, though nothing "
            "took it or hides it, as of a generator that forgets it."
        )
        return Injected(edited(clip, start, stop, painted), start, stop, said)
