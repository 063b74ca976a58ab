"""Left and right arm change places: the pixels of the robot are mirrored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import lifted_out
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image
from assay.worlds.rendering import ROBOT
from assay.worlds.tasks.base import Task, hands_of

__all__ = ["SidesMirrored"]

_LASTS_S = ((0.5, 0.8), (0.9, 1.4), (1.5, 2.2))


@dataclass(frozen=True)
class SidesMirrored(OfScene):
    """Mirror the pixels of both arms, and leave the rest of the picture as it is."""

    type: ClassVar[str] = "left_right_robot_identity_confusion"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def suits(self, task: Task) -> bool:
        """Say yes if there are two arms to mix up."""
        return hands_of(task) == 2

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Mirror the robot in a stretch of the clip."""
        take = clip.attempt
        start, stop = stretch(clip, rng, *_LASTS_S[level])
        geoms = take.geoms_of(ROBOT)

        def mirrored(number: int, picture: Image) -> Image:
            mask = take.mask(number, ROBOT)
            bare = lifted_out(picture, mask, take.without(number, geoms))
            return lifted_out(bare, mask[:, ::-1], picture[:, ::-1])

        said = (
            "The two arms jump to each other's side while the things stay where they are, as of "
            "a generator that takes left for right."
        )
        return Injected(edited(clip, start, stop, mirrored), start, stop, said)
