"""Broken frames: the transfer of a picture ends too early, and its rest is never drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import broken_off
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["CorruptionTruncated"]

_LOST = ((0.15, 0.4), (0.35, 0.7), (0.6, 1.0))  # of a picture that breaks off
_HIT = (0.5, 0.7, 0.9)  # of the pictures do
# What decoders show in place of what they never got: all coefficients 0, or all samples 0.
_EMPTY = {"grey": (128, 128, 128), "green": (0, 135, 0)}


@dataclass(frozen=True)
class CorruptionTruncated(OfFrames):
    """Break pictures off at a block; below it they are empty, others whole in between."""

    type: ClassVar[str] = "frame_corruption"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Break pictures of a stretch off, the first and the last one at least."""
        start, stop = stretch(clip, rng, 0.6, 1.5)
        block = max(clip.size // 14, 4)
        name = str(rng.choice(list(_EMPTY)))

        def cut(number: int, picture: Image) -> Image:
            whole = rng.random() >= _HIT[level] and number not in (start, stop - 1)
            lost = rng.uniform(*_LOST[level])
            return picture if whole else broken_off(picture, 1.0 - lost, block, _EMPTY[name])

        said = (
            f"The lower part of frames is empty and {name}, from another block on each time, and "
            "frames in between are whole, as of pictures whose transfer broke off."
        )
        return Injected(edited(clip, start, stop, cut), start, stop, said)
