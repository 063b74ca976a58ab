"""A thing goes along with the hand beside its open fingers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import carried, with_place
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["GraspApart"]

_APART_M = (0.035, 0.055, 0.08)


@dataclass(frozen=True)
class GraspApart(OfScene):
    """Draw a carried thing beside the fingers, and the fingers open."""

    type: ClassVar[str] = "grasp_without_visible_support"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Shift the thing and open the hand while it is carried."""
        take = clip.attempt
        name, start, stop = carried(clip, rng, 0.5)
        angle = rng.uniform(0.0, 2 * np.pi)
        gap = _APART_M[level] * np.array([np.cos(angle), np.sin(angle), -0.4])
        fingers = [
            (int(take.model.joint(arm.part(finger)).qposadr[0]), arm.finger_range)
            for arm in take.world.robot.arms
            for finger in arm.fingers
        ]

        def apart(number: int, _: Image) -> Image:
            place = take.trace.positions[name][number] + gap
            pose = with_place(take, number, name, place)
            for at, wide in fingers:
                pose[at] = wide
            return take.draw(number, pose)

        said = (
            f"The {take.words(name)} goes along beside the hand, whose fingers are open and do "
            "not touch it, as of a generator that knows no grip."
        )
        return Injected(edited(clip, start, stop, apart), start, stop, said)
