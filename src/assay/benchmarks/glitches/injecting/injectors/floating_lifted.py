"""A thing hangs in the air: lifted in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, rising, with_place
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["FloatingLifted"]

_HIGH_M = (0.045, 0.09, 0.15)
_RISE_S = 0.25


@dataclass(frozen=True)
class FloatingLifted(OfScene):
    """Let a thing that lies untouched rise, hang in the air, and sink back."""

    type: ClassVar[str] = "object_floating"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the thing above its place."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, 0.9, 1.9)
        slope = round(_RISE_S * clip.fps)

        def aloft(number: int, _: Image) -> Image:
            place = take.trace.positions[name][number].copy()
            place[2] += _HIGH_M[level] * rising(number, start, stop, slope)
            return take.draw(number, with_place(take, number, name, place))

        said = (
            f"The {take.words(name)} rises and hangs in the air with nothing below it and no hand "
            "on it, as of a generator that knows no weight."
        )
        return Injected(edited(clip, start, stop, aloft), start, stop, said)
