"""A thing is gone: painted over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, filled
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["DisappearancePainted"]

_LASTS_S = ((0.4, 0.7), (0.8, 1.3), (1.4, 2.2))


@dataclass(frozen=True)
class DisappearancePainted(OfScene):
    """Paint a thing over with the colours around it; its shadow stays."""

    type: ClassVar[str] = "object_disappearance"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Paint over a thing that lies in sight and untouched."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, *_LASTS_S[level])

        def painted(number: int, picture: Image) -> Image:
            return filled(picture, take.mask(number, name))

        said = (
            f"The {take.words(name)} vanishes and only a smear is left in its place, though "
            "nothing took it, as of a generator that paints the table over it."
        )
        return Injected(edited(clip, start, stop, painted), start, stop, said)
