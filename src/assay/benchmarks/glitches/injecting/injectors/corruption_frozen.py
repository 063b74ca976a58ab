"""A picture that stands still while the robot goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["CorruptionFrozen"]

_LASTS_S = ((0.5, 0.7), (0.8, 1.1), (1.2, 1.8))
_MOVING = 0.002  # of the pixels change from one picture to the next, else nothing happens there


@dataclass(frozen=True)
class CorruptionFrozen(OfFrames):
    """Repeat one picture, then jump on to where the robot is by then."""

    type: ClassVar[str] = "frame_corruption"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Hold the picture before a stretch in which the robot moves all the time."""
        start, stop = stretch(clip, rng, *_LASTS_S[level])
        held: Image = clip.frames[start - 1]
        steps = np.abs(np.diff(clip.frames[start - 1 : stop + 1].astype(np.int16), axis=0))
        if ((steps.max(axis=-1) > 20).mean(axis=(1, 2)) < _MOVING).any():
            raise EpisodeError("the robot rests where the picture was to stand still")

        def same(_: int, picture: Image) -> Image:  # noqa: ARG001 - whatever was there
            return held

        said = (
            "The same frame is shown again and again while the robot should go on, then the "
            "picture jumps, as of frames lost from the recording."
        )
        return Injected(edited(clip, start, stop, same), start, stop, said)
