"""A thing is somewhere else from one frame to the next: moved in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, free_spot, with_place
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["TeleportMoved"]

_FAR_M = (0.06, 0.11, 0.18)


@dataclass(frozen=True)
class TeleportMoved(OfScene):
    """Put a thing that lies untouched to another place on the table, and later back."""

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the thing at another place."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng)
        here = take.trace.positions[name][start]
        spot = free_spot(take, start, rng, here, _FAR_M[level])

        def elsewhere(number: int, _: Image) -> Image:
            height = take.trace.positions[name][number, 2]
            return take.draw(number, with_place(take, number, name, np.array([*spot, height])))

        far = round(100 * float(np.linalg.norm(spot - here[:2])))
        said = (
            f"The {take.words(name)} is suddenly {far} cm away from where it lay, and later back, "
            "though nothing touches it, as of a generator that loses track of it."
        )
        return Injected(edited(clip, start, stop, elsewhere), start, stop, said)
