"""A gripper is there twice: its pixels are copied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import laid
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import (
    bodies_of,
    geoms_of,
    part_in_sight,
    part_mask,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["DuplicateCopied"]

_APART = (0.16, 0.22, 0.3)  # in sides of the picture


@dataclass(frozen=True)
class DuplicateCopied(OfScene):
    """Copy the pixels of the hand to another place in the picture."""

    type: ClassVar[str] = "duplicated_arm_or_gripper"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Lay the copy beside the arm in a stretch of the clip."""
        take = clip.attempt
        side, _, start, stop = part_in_sight(clip, rng, ("hand",))
        geoms = geoms_of(take, bodies_of(take, side, "hand"))
        columns = round(float(rng.choice((-1.0, 1.0))) * _APART[level] * clip.size)
        rows = round(rng.uniform(-0.1, 0.1) * clip.size)

        def twice(number: int, picture: Image) -> Image:
            mask = part_mask(take, number, geoms)
            return laid(picture, picture, mask, rows, columns)

        said = (
            "A second gripper hangs in the picture beside the first one and does all that it "
            "does, as of a generator that draws it twice."
        )
        return Injected(edited(clip, start, stop, twice), start, stop, said)
