"""A thing that was not there: added to the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import free_spot
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image
from assay.worlds.scene import EXTRAS, rest_height

__all__ = ["HallucinationExtra"]

_TIMES = (0.8, 1.1, 1.6)  # as large as the thing is made


@dataclass(frozen=True)
class HallucinationExtra(OfScene):
    """Stand a further thing on the table for a stretch, with its shadow."""

    type: ClassVar[str] = "object_hallucination"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch with one of the things that wait under the floor."""
        take = clip.attempt
        start, stop = stretch(clip, rng, 0.8, 1.8)
        thing = EXTRAS[int(rng.integers(len(EXTRAS)))]
        spot = free_spot(take, (start + stop) // 2, rng)
        height = rest_height(thing) * _TIMES[level]

        def added(number: int, _: Image) -> Image:
            pose = take.poses[number].copy()
            pose[take.place(thing.name)] = (*spot, height, 1.0, 0.0, 0.0, 0.0)
            with take.scene() as model:
                model.geom_size[take.geoms_of(thing.name)] *= _TIMES[level]
                return take.draw(number, pose)

        said = (
            f"A {take.words(thing.name)} stands on the table that was not there, and later is "
            "gone again; nothing brought it, as of a generator that makes things up."
        )
        return Injected(edited(clip, start, stop, added), start, stop, said)
