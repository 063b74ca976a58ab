"""A thing is somewhere else from one frame to the next: cut out and pasted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import cut, in_picture, laid, lifted_out
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, free_spot
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["TeleportPasted"]

_FAR_M = (0.06, 0.11, 0.18)


@dataclass(frozen=True)
class TeleportPasted(OfScene):
    """Cut the pixels of a thing out and paste them elsewhere; its shadow stays behind."""

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Paste the thing to another place in a stretch of the clip."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng)
        here = take.trace.positions[name][start]
        spot = free_spot(take, start, rng, here, _FAR_M[level])
        column, row = take.pixel(here)
        to_column, to_row = take.pixel(np.array([*spot, here[2]]))
        rows, columns = round(to_row - row), round(to_column - column)
        if not in_picture(take.mask(start, name), rows, columns):
            raise EpisodeError("the other place is not in the picture")

        def elsewhere(number: int, picture: Image) -> Image:
            mask, behind = cut(take, number, name)
            bare = lifted_out(picture, mask, behind)
            return laid(bare, picture, mask, rows, columns, take.mask(number, "robot"))

        said = (
            f"The {take.words(name)} jumps to another place within one frame and later back, "
            "though nothing touches it, as of a generator that draws it where it was never put."
        )
        return Injected(edited(clip, start, stop, elsewhere), start, stop, said)
