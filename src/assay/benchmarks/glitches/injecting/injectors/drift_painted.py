"""A thing slowly takes on another colour: its pixels are tinted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._colouring import recoloured
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._pixels import mixed
from assay.benchmarks.glitches.injecting.injectors._things import in_sight
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image
from assay.worlds.look import COLOURS

__all__ = ["DriftPainted"]

_SHARE = (0.45, 0.7, 1.0)  # of the way to the other colour


@dataclass(frozen=True)
class DriftPainted(OfScene):
    """Tint the pixels of a thing little by little, up to the end of the clip."""

    type: ClassVar[str] = "object_color_or_shape_drift"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Mix the picture with one in which the thing has another colour."""
        take = clip.attempt
        name, start, stop = in_sight(clip, rng)
        was = take.words(name)
        colour = str(rng.choice([c for c in COLOURS if c != was.split()[0]]))

        def tinted(number: int, picture: Image) -> Image:
            share = _SHARE[level] * min((number - start + 1) / (stop - start) * 1.3, 1.0)
            mask = take.mask(number, name)
            return mixed(
                picture, recoloured(picture, mask, COLOURS[colour]), share * mask.astype(float)
            )

        said = (
            f"The {was} takes on more and more {colour}, though the light stays the same, as of a "
            "generator whose colours run."
        )
        return Injected(edited(clip, start, stop, tinted), start, stop, said)
