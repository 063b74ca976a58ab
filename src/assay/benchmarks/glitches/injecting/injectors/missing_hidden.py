"""A part of the robot is gone: left out of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import bodies_of, geoms_of, part_in_sight
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["MissingHidden"]

_PARTS = (("hand",), ("hand", "forearm"), ("arm",))


@dataclass(frozen=True)
class MissingHidden(OfScene):
    """Draw a stretch without the hand, the forearm or the whole arm."""

    type: ClassVar[str] = "missing_robot_part"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Leave the part and its shadow out."""
        take = clip.attempt
        side, part, start, stop = part_in_sight(clip, rng, _PARTS[level])
        geoms = geoms_of(take, bodies_of(take, side, part))
        words = f"{side} {part}".strip()

        def bare(number: int, _: Image) -> Image:
            return take.without(number, geoms)

        said = (
            f"The robot's {words} is gone while the rest of it is there, and nothing hides it, as "
            "of a generator that forgets a part of the body."
        )
        return Injected(edited(clip, start, stop, bare), start, stop, said)
