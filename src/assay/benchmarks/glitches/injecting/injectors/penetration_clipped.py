"""A thing goes into the table: its pixels are shifted and cut off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import cut, lifted_out
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._pixels import shifted
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, rising
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["PenetrationClipped"]

_DEEP = (0.4, 0.55, 0.7)  # of the thing is in the table
_SINK_S = 0.25


@dataclass(frozen=True)
class PenetrationClipped(OfScene):
    """Shift the pixels of a thing down and cut off what leaves its outline."""

    type: ClassVar[str] = "object_penetration"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Let the thing end at the line where it stands, in a stretch of the clip."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, 0.9, 1.9)
        rows = np.flatnonzero(take.mask(start, name).any(axis=1))
        tall, slope = int(rows[-1] - rows[0]) + 1, round(_SINK_S * clip.fps)

        def sunk(number: int, picture: Image) -> Image:
            down = round(_DEEP[level] * tall * rising(number, start, stop, slope))
            mask, behind = cut(take, number, name)
            moved = np.zeros_like(mask)
            moved[down:] = mask[: len(mask) - down]
            bare = lifted_out(picture, mask, behind)
            return np.where((moved & mask)[..., None], shifted(picture, down, 0), bare)

        said = (
            f"The lower part of the {take.words(name)} goes down through the table top, which "
            "stays whole, as of a generator that knows no solid things."
        )
        return Injected(edited(clip, start, stop, sunk), start, stop, said)
