"""A thing moves by itself: led in a circle in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest, with_place
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["MotionCircling"]

_WIDE_M = (0.02, 0.035, 0.055)  # radius of the circle


@dataclass(frozen=True)
class MotionCircling(OfScene):
    """Let a thing that nobody touches run in a circle on the table."""

    type: ClassVar[str] = "impossible_motion"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the thing on its way round."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, 1.0, 2.0)
        rounds = max(round((stop - start) / clip.fps * rng.uniform(0.9, 1.5)), 1)
        turn, away = rng.choice((-1.0, 1.0)), rng.uniform(0.0, 2 * np.pi)

        def running(number: int, _: Image) -> Image:
            angle = 2 * np.pi * turn * rounds * (number - start + 1) / (stop - start + 1)
            gone = np.array(
                [np.cos(away + angle) - np.cos(away), np.sin(away + angle) - np.sin(away), 0]
            )
            place = take.trace.positions[name][number] + _WIDE_M[level] * gone
            return take.draw(number, with_place(take, number, name, place))

        said = (
            f"The {take.words(name)} runs in a circle on the table by itself, though no hand "
            "touches it, as of a generator that moves things without a cause."
        )
        return Injected(edited(clip, start, stop, running), start, stop, said)
