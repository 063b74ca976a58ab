"""An unstable camera: it does not stay where it was put."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cameras import moved
from assay.benchmarks.glitches.injecting.injectors._kinds import OfAnyScene
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["CameraDrifting"]

_FAR_M = (0.11, 0.16, 0.22)  # how far it gets; the cameras are about 1 m from the table
_ROLL_RAD = (0.04, 0.06, 0.09)
_DEPTH = 0.5  # how much of the way may lead to the table or away from it, of that to the side
_BEGINS = (0.15, 0.4)  # of the clip


@dataclass(frozen=True)
class CameraDrifting(OfAnyScene):
    """Move the camera of the scene slowly away and turn it, one way only, up to the end."""

    type: ClassVar[str] = "camera_instability"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw the rest of the clip by a camera that gives way."""
        take = clip.attempt
        if clip.moves:
            raise EpisodeError("a camera that goes along with the robot is no unstable one")
        start, stop = int(rng.uniform(*_BEGINS) * len(clip)), len(clip)
        angle = rng.uniform(0.0, 2 * np.pi)
        way = np.array([np.cos(angle), np.sin(angle), _DEPTH * rng.uniform(-1.0, 1.0)])
        way *= _FAR_M[level] / np.linalg.norm(way)
        roll = float(rng.choice((-1.0, 1.0))) * _ROLL_RAD[level]
        camera = int(take.model.camera(take.view).id)

        def drifted(number: int, _: Image) -> Image:
            share = (number - start + 1) / (stop - start)
            with take.scene() as model:
                place, turn = model.cam_pos[camera], model.cam_quat[camera]
                place[:], turn[:] = moved(place, turn, share * way, share * roll)
                return take.draw(number)

        said = (
            "The view wanders off slowly and tilts, table and walls with it, near things further "
            "than far ones, and does not come back, as of a camera whose clamp gives way."
        )
        return Injected(edited(clip, start, stop, drifted), start, stop, said)
