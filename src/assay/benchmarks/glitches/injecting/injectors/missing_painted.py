"""A part of the robot is gone: painted over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import (
    bodies_of,
    geoms_of,
    part_in_sight,
    part_mask,
)
from assay.benchmarks.glitches.injecting.injectors._things import filled
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["MissingPainted"]

_PARTS = (("hand",), ("hand", "forearm"), ("arm",))


@dataclass(frozen=True)
class MissingPainted(OfScene):
    """Paint the hand, the forearm or the whole arm over with the colours around it."""

    type: ClassVar[str] = "missing_robot_part"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Paint the part over in a stretch of the clip; its shadow stays."""
        take = clip.attempt
        side, part, start, stop = part_in_sight(clip, rng, _PARTS[level])
        geoms = geoms_of(take, bodies_of(take, side, part))
        words = f"{side} {part}".strip()

        def painted(number: int, picture: Image) -> Image:
            return filled(picture, part_mask(take, number, geoms))

        said = (
            f"Where the robot's {words} should be there is only a smear, though nothing hides it, "
            "as of a generator that paints the room over the robot."
        )
        return Injected(edited(clip, start, stop, painted), start, stop, said)
