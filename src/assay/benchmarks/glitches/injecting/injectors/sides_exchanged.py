"""Left and right arm change places: exchanged in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import joints_of
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image
from assay.worlds.tasks.base import Task, hands_of

__all__ = ["SidesExchanged"]

_LASTS_S = ((0.5, 0.8), (0.9, 1.4), (1.5, 2.2))


@dataclass(frozen=True)
class SidesExchanged(OfScene):
    """Give each of two arms the posture of the other one."""

    type: ClassVar[str] = "left_right_robot_identity_confusion"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def suits(self, task: Task) -> bool:
        """Say yes if there are two arms to mix up."""
        return hands_of(task) == 2

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the postures exchanged."""
        take = clip.attempt
        start, stop = stretch(clip, rng, *_LASTS_S[level])
        left, right = (joints_of(take, arm.side) for arm in take.world.robot.arms)

        def exchanged(number: int, _: Image) -> Image:
            pose = take.poses[number].copy()
            pose[left], pose[right] = take.poses[number][right], take.poses[number][left]
            return take.draw(number, pose)

        said = (
            "From one frame to the next the left arm does what the right one did and the right "
            "one what the left one did, as of a generator that mixes the arms up."
        )
        return Injected(edited(clip, start, stop, exchanged), start, stop, said)
