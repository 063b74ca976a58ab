"""A rigid link bends: turned and swollen in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._robots import bodies_of, geoms_of, part_in_sight
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Floats, Image

__all__ = ["DeformBent"]

_BEND = (0.13, 0.24, 0.4)  # rad
_SWELL = (1.15, 1.35, 1.6)
_HERTZ = 1.2


@dataclass(frozen=True)
class DeformBent(OfScene):
    """Bend the forearm where it has no joint, and let it swell."""

    type: ClassVar[str] = "robot_body_deformation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip with the links turned against each other."""
        take = clip.attempt
        side, _, start, stop = part_in_sight(clip, rng, ("forearm",))
        bodies = bodies_of(take, side, "forearm")
        geoms, axis = geoms_of(take, bodies), int(rng.integers(1, 3))

        def bent(number: int, _: Image) -> Image:
            wave = np.sin(2 * np.pi * _HERTZ * (number - start + 1) / clip.fps)
            turn = np.zeros(4)
            turn[0], turn[axis] = np.cos(_BEND[level] * wave / 2), np.sin(_BEND[level] * wave / 2)
            with take.scene() as model:
                for body in bodies:
                    model.body_quat[body] = _product(np.array(model.body_quat[body]), turn)
                model.geom_size[geoms, 0] *= 1.0 + (_SWELL[level] - 1.0) * abs(wave)
                return take.draw(number)

        said = (
            "The robot's rigid forearm bends where it has no joint and swells, as of a generator "
            "that takes it for rubber."
        )
        return Injected(edited(clip, start, stop, bent), start, stop, said)


def _product(one: Floats, other: Floats) -> Floats:
    """Return the product of two quaternions."""
    import mujoco

    made = np.empty(4)
    mujoco.mju_mulQuat(made, one / np.linalg.norm(one), other)
    return made
