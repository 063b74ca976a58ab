"""A camera that sways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["CameraSway"]

_SWING = (0.03, 0.055, 0.09)  # how far the picture goes to each side, in sides
_TILT = (0.02, 0.04, 0.07)  # rad
_ZOOM = (0.01, 0.02, 0.04)


@dataclass(frozen=True)
class CameraSway(OfFrames):
    """Let the picture swing, tilt and zoom smoothly, as of a camera on a soft stand."""

    type: ClassVar[str] = "camera_instability"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Swing a stretch of a clip whose camera stands still."""
        from scipy.ndimage import affine_transform

        if clip.moves:
            raise EpisodeError("a camera that goes along with the robot is no unstable one")
        start, stop = stretch(clip, rng, 1.0, 2.2)
        hertz, phases = rng.uniform(1.0, 2.2, 4), rng.uniform(0.0, 2 * np.pi, 4)
        middle = (np.array(clip.frames.shape[1:3]) - 1) / 2

        def swung(number: int, picture: Image) -> Image:
            time = (number - start + 1) / clip.fps
            waves = np.sin(2 * np.pi * hertz * time + phases)
            turn, zoom = _TILT[level] * waves[2], 1.0 - _ZOOM[level] * (1.0 + waves[3])
            matrix = zoom * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            offset = middle - matrix @ (middle + _SWING[level] * clip.size * waves[:2])
            planes = [
                affine_transform(picture[..., colour], matrix, offset, order=1, mode="nearest")
                for colour in range(3)
            ]
            return np.stack(planes, axis=-1)

        said = (
            "The whole picture swings, tilts and zooms to and fro, table and walls with it, as "
            "of a camera on a stand that gives way."
        )
        return Injected(edited(clip, start, stop, swung), start, stop, said)
