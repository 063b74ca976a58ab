"""An arm or a gripper is there twice: drawn in another pose too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import (
    bodies_of,
    geoms_of,
    joints_of,
    nearer,
    part_in_sight,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["DuplicateDrawn"]

_PARTS = ("hand", "arm", "arm")
_TURN = (0.35, 0.4, 0.6)  # of the base joint [rad]


@dataclass(frozen=True)
class DuplicateDrawn(OfScene):
    """Draw the arm a second time, turned about its base."""

    type: ClassVar[str] = "duplicated_arm_or_gripper"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Add the second arm, or its hand alone, to a stretch of the clip."""
        take = clip.attempt
        part = _PARTS[level]
        word = "gripper" if part == "hand" else "arm"
        side, _, start, stop = part_in_sight(clip, rng, (part,))
        geoms, base = geoms_of(take, bodies_of(take, side, part)), joints_of(take, side)[0]
        turn = float(rng.choice((-1.0, 1.0))) * _TURN[level]

        def twice(number: int, picture: Image) -> Image:
            pose = take.poses[number].copy()
            pose[base] += turn
            return nearer(take, number, pose, picture, geoms)

        said = (
            f"A second {word} moves beside the first one and just like it, though the robot has "
            "no such, as of a generator that draws it twice."
        )
        return Injected(edited(clip, start, stop, twice), start, stop, said)
