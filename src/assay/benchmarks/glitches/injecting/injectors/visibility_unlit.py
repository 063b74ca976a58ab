"""Hard to see: the lamps of the room go out, and the camera makes the most of what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfAnyScene
from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["VisibilityUnlit"]

_LEFT = (0.7, 0.42, 0.22)  # of the soft light that fills the shadows; the sun is gone
_COLD = (0.82, 0.96, 1.16)  # what is left comes from a screen or the sky
_GAIN = 0.5  # by so much a camera brightens what it sees in the end
_GAIN_S = 0.4  # until it has done most of it
_GRAIN = (3.0, 4.5, 6.0)  # what that adds [grey levels]


@dataclass(frozen=True)
class VisibilityUnlit(OfAnyScene):
    """Switch the sun of the scene off and dim the rest; the camera adds some gain, and grain."""

    type: ClassVar[str] = "low_visibility"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip in the light that is left."""
        take = clip.attempt
        start, stop = stretch(clip, rng, 0.9, 1.9)
        sun, fill = (int(take.model.light(name).id) for name in ("sun", "fill"))

        def unlit(number: int, _: Image) -> Image:
            with take.scene() as model:
                model.light_diffuse[sun], model.light_specular[sun] = 0.0, 0.0
                model.light_diffuse[fill] *= _LEFT[level] * np.array(_COLD)
                model.light_ambient[fill] *= _LEFT[level] * np.array(_COLD)
                dim = take.draw(number)
            gain = 1.0 + _GAIN * (1.0 - np.exp(-(number - start) / clip.fps / _GAIN_S))
            return as_picture(gain * (dim + rng.normal(0.0, _GRAIN[level] / 1.5, dim.shape)))

        said = (
            "The light goes out and with it the shadows; what is left is dark, bluish and grainy, "
            "and things are hard to tell, as of lamps that were switched off."
        )
        return Injected(edited(clip, start, stop, unlit), start, stop, said)
