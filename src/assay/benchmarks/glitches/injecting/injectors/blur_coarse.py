"""Blur of a stream that lost its resolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["BlurCoarse"]

_KEPT = (0.22, 0.145, 0.09)  # pixels that are sent, of those along a side
_LEAST = 8  # pixels along a side: fewer show nothing at all


@dataclass(frozen=True)
class BlurCoarse(OfFrames):
    """Send far fewer pixels and draw them large again, as a stream over a weak line does."""

    type: ClassVar[str] = "blur"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Take the detail out of a stretch of the clip."""
        start, stop = stretch(clip, rng)
        kept = _KEPT[level] * rng.uniform(0.9, 1.1)

        def coarse(_: int, picture: Image) -> Image:
            return _resampled(picture, kept)

        said = (
            "All detail is lost at once and edges turn to mush, later the picture is sharp again, "
            "as of a stream that falls back to a low resolution."
        )
        return Injected(edited(clip, start, stop, coarse), start, stop, said)


def _resampled(picture: Image, kept: float) -> Image:
    """Return a picture that was made small and then large again."""
    import av

    height, width = picture.shape[:2]
    tall, wide = (max(round(kept * side), _LEAST) for side in (height, width))
    whole = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
    small = whole.reformat(wide, tall, "rgb24", interpolation="AREA", threads=1)
    # Smooth on the way back: players do so, and hard squares would be another fault.
    large = small.reformat(width, height, "rgb24", interpolation="BICUBIC", threads=1)
    return np.asarray(large.to_ndarray(), dtype=np.uint8)
