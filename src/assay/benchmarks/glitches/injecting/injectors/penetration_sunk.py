"""A thing goes into the table: sunk in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, rising, with_place
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image
from assay.worlds.scene import rest_height

__all__ = ["PenetrationSunk"]

_DEEP = (0.5, 0.68, 0.85)  # of the thing is in the table
_SINK_S = 0.25


@dataclass(frozen=True)
class PenetrationSunk(OfScene):
    """Let a thing that lies untouched sink into the table, and come out again."""

    type: ClassVar[str] = "object_penetration"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with a part of the thing below the table top."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, 0.9, 1.9)
        tall = 2 * rest_height(take.thing(name))
        slope = round(_SINK_S * clip.fps)

        def sunk(number: int, _: Image) -> Image:
            place = take.trace.positions[name][number].copy()
            place[2] -= _DEEP[level] * tall * rising(number, start, stop, slope)
            return take.draw(number, with_place(take, number, name, place))

        said = (
            f"The {take.words(name)} sinks into the solid table top and comes out again, as of a "
            "generator that takes the table for water."
        )
        return Injected(edited(clip, start, stop, sunk), start, stop, said)
