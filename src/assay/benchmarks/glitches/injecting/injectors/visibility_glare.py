"""Hard to see: light falls into the lens from one side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture, busiest
from assay.benchmarks.glitches.injecting.injectors._things import rising
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["VisibilityGlare"]

_REACH = (0.62, 0.85, 1.15)  # how far the glare goes from the rim, in widths of the picture
_LEFT = (0.7, 0.5, 0.34)  # of the light that the camera, blinded, lets in from the rest
_LIGHT = (255.0, 246.0, 226.0)
_COMES_S = 0.27  # as a door or a blind that opens
_WAVERS = 0.07  # of the glare comes and goes
_SIDE = 0.6  # rad: how far its side may be from straight behind what happens


@dataclass(frozen=True)
class VisibilityGlare(OfFrames):
    """Let a bright glare grow from one side, and the camera darken the rest because of it."""

    type: ClassVar[str] = "low_visibility"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Blind a stretch of the clip from the side where most happens."""
        start, stop = stretch(clip, rng, 0.9, 1.9)
        height, width = clip.frames.shape[1:3]
        row, column = busiest(clip.frames[start:stop])
        angle = np.arctan2(row - height / 2, column - width / 2) + rng.uniform(-_SIDE, _SIDE)
        rows, columns = np.indices((height, width))
        towards = (rows / height - 0.5) * np.sin(angle) + (columns / width - 0.5) * np.cos(angle)
        # 0 at the rim that the light comes from, 1 at the other.
        depth = (towards.max() - towards) / np.ptp(towards)
        veil = np.exp(-((depth / _REACH[level]) ** 2))[..., None]
        slope = round(_COMES_S * clip.fps)

        def blinded(number: int, picture: Image) -> Image:
            come = rising(number, start, stop, slope)
            wave = 1.0 - _WAVERS * (1.0 + np.sin(2 * np.pi * 1.3 * (number - start) / clip.fps))
            share = come * wave * veil
            rest = picture * (1.0 - come * (1.0 - _LEFT[level]))
            return as_picture(rest * (1.0 - share) + np.array(_LIGHT) * share)

        said = (
            "A glare grows from one side over what the robot does and the rest of the picture "
            "turns dark, as of low sun or a lamp that shines into the lens."
        )
        return Injected(edited(clip, start, stop, blinded), start, stop, said)
