"""A thing hangs in the air: cut out and pasted higher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import cut, laid, lifted_out
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, rising
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["FloatingPasted"]

_HIGH_M = (0.045, 0.09, 0.15)
_RISE_S = 0.25


@dataclass(frozen=True)
class FloatingPasted(OfScene):
    """Cut the pixels of a thing out and paste them higher; its shadow stays on the table."""

    type: ClassVar[str] = "object_floating"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Paste the thing above its place in a stretch of the clip."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, 0.9, 1.9)
        here = take.trace.positions[name][start]
        column, row = take.pixel(here)
        over_column, over_row = take.pixel(here + np.array([0.0, 0.0, _HIGH_M[level]]))
        slope = round(_RISE_S * clip.fps)

        def aloft(number: int, picture: Image) -> Image:
            share = rising(number, start, stop, slope)
            mask, behind = cut(take, number, name)
            rows, columns = round(share * (over_row - row)), round(share * (over_column - column))
            bare = lifted_out(picture, mask, behind)
            return laid(bare, picture, mask, rows, columns, take.mask(number, "robot"))

        said = (
            f"The {take.words(name)} leaves the table and hovers over its own shadow with nothing "
            "that holds it, as of a generator that draws it apart from the scene."
        )
        return Injected(edited(clip, start, stop, aloft), start, stop, said)
