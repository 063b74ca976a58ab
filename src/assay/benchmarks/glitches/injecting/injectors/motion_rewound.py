"""Everything rushes to and fro: other moments of the attempt are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["MotionRewound"]

_SWING_S = (0.35, 0.6, 0.9)  # how far back the scene goes


@dataclass(frozen=True)
class MotionRewound(OfScene):
    """Play the scene backwards and forwards far faster than the robot can move."""

    type: ClassVar[str] = "impossible_motion"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip at moments that swing to and fro."""
        take = clip.attempt
        start, stop = stretch(clip, rng, 0.8, 1.6)
        swings = max(round((stop - start) / clip.fps * 2.0), 1)
        far = _SWING_S[level] * clip.fps

        def rushed(number: int, _: Image) -> Image:
            share = (number - start + 1) / (stop - start + 1)
            back = far * (0.5 - 0.5 * np.cos(2 * np.pi * swings * share))
            return take.draw(number, take.poses[max(round(number - back), 0)])

        said = (
            "The robot and all that it holds rush to and fro along their path, with jerks that "
            "no motor could make, as of a generator that loses the order of time."
        )
        return Injected(edited(clip, start, stop, rushed), start, stop, said)
