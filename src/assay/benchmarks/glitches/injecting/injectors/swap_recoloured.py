"""A thing turns into another one: its pixels get another colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._colouring import recoloured
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image
from assay.worlds.look import COLOURS

__all__ = ["SwapRecoloured"]

_LASTS_S = ((0.4, 0.7), (0.8, 1.2), (1.3, 2.0))


@dataclass(frozen=True)
class SwapRecoloured(OfScene):
    """Give the pixels of a thing the colour of another one at once."""

    type: ClassVar[str] = "object_identity_swap"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Recolour the thing in a stretch of the clip."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, *_LASTS_S[level])
        was = take.words(name)
        colour = str(rng.choice([c for c in COLOURS if c != was.split()[0]]))

        def turned(number: int, picture: Image) -> Image:
            return recoloured(picture, take.mask(number, name), COLOURS[colour])

        said = (
            f"The {was} is a {colour} one from one frame to the next, and later itself again, as "
            "of a generator that takes it for another thing."
        )
        return Injected(edited(clip, start, stop, turned), start, stop, said)
