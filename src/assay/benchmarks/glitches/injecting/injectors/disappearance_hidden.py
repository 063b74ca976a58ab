"""A thing is gone: left out of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["DisappearanceHidden"]

_LASTS_S = ((0.4, 0.7), (0.8, 1.3), (1.4, 2.2))


@dataclass(frozen=True)
class DisappearanceHidden(OfScene):
    """Draw a stretch without a thing and without its shadow."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Leave a thing out that lies in sight and untouched."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, *_LASTS_S[level])

        def bare(number: int, _: Image) -> Image:
            return take.without(number, take.geoms_of(name))

        said = (
            f"The {take.words(name)} is gone from the table for a while, though nothing took it "
            "or hides it, as of a generator that forgets it."
        )
        return Injected(edited(clip, start, stop, bare), start, stop, said)
