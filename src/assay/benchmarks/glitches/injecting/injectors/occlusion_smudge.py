"""Dirt on the lens, or a finger before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import busiest, disc, mixed, texture
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["OcclusionSmudge"]

_RADIUS = (0.14, 0.22, 0.36)  # in sides of the picture
_DRIFT = 0.10  # how far it moves in the stretch, in sides


@dataclass(frozen=True)
class OcclusionSmudge(OfFrames):
    """Let a soft, mottled spot drift over what happens, as of a finger close to the lens."""

    type: ClassVar[str] = "occlusion"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Lay a blob with a soft rim over the busiest part of a stretch."""
        start, stop = stretch(clip, rng)
        shape, side = clip.frames.shape[1:3], clip.size
        row, column = busiest(clip.frames[start:stop])
        radius, angle = _RADIUS[level] * side, rng.uniform(0.0, 2 * np.pi)
        skin = np.array([[[205.0, 150.0, 125.0]]]) * rng.uniform(0.5, 1.1)
        look = skin * (0.7 + 0.5 * texture(rng, (shape[0], shape[1]), 12)[..., None])

        def covered(number: int, picture: Image) -> Image:
            gone = _DRIFT * side * ((number - start) / max(stop - start, 1) - 0.5)
            spot = disc(
                (shape[0], shape[1]),
                row + gone * np.sin(angle),
                column + gone * np.cos(angle),
                radius,
                0.08 * side,
            )
            return mixed(picture, look, 0.96 * spot)

        said = (
            "A large soft spot drifts before the place where the robot works and hides it, as of "
            "a finger or dirt on the lens."
        )
        return Injected(edited(clip, start, stop, covered), start, stop, said)
