"""A rigid thing stretches: its shape is changed in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import at_rest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["DistortionStretched"]

_SWING = (0.3, 0.5, 0.8)
_HERTZ = 1.6


@dataclass(frozen=True)
class DistortionStretched(OfScene):
    """Let a thing grow tall and thin, then low and wide, again and again."""

    type: ClassVar[str] = "object_distortion"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the thing in other proportions."""
        take = clip.attempt
        name, start, stop = at_rest(clip, rng, 0.9, 1.9)
        geoms, half = take.geoms_of(name), take.thing(name).size[0]

        def stretched(number: int, _: Image) -> Image:
            wave = np.sin(2 * np.pi * _HERTZ * (number - start + 1) / clip.fps)
            tall, wide = 1.0 + _SWING[level] * wave, 1.0 - 0.7 * _SWING[level] * wave
            pose = take.poses[number].copy()
            pose[take.place(name)][2] += (tall - 1.0) * half
            with take.scene() as model:
                for geom in geoms:
                    model.geom_size[geom] *= _proportions(model, geom, tall, wide)
                    model.geom_pos[geom] *= (wide, 1.0, tall)
                return take.draw(number, pose)

        said = (
            f"The rigid {take.words(name)} stretches and flattens like rubber while nothing "
            "touches it, as of a generator that does not keep its shape."
        )
        return Injected(edited(clip, start, stop, stretched), start, stop, said)


def _proportions(model: Any, geom: int, tall: float, wide: float) -> tuple[float, float, float]:  # noqa: ANN401 - mujoco.MjModel
    """Return by what the sizes of a geom are multiplied: of a cylinder, radius and height."""
    import mujoco

    box = int(model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_BOX)
    return (wide, 1.0, tall) if box else (wide, tall, 1.0)
