"""An unstable camera: somebody knocks against its stand, and it rings until it rests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfAnyScene
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["CameraKnocked"]

_SWING_RAD = (0.03, 0.054, 0.095)  # of the first swing; the cameras see about 0.7 rad
_ROLL = 0.4  # how far it also turns about its axis, of that
_HERTZ = (2.2, 3.6)  # of a light camera on a stand; 15 pictures a second show it
_DECAY = 1.4  # the last swing is exp(-1.4) = 0.25 of the first: friction ends it while it is seen


@dataclass(frozen=True)
class CameraKnocked(OfAnyScene):
    """Turn the camera of the scene with a jolt, and let it swing back and forth ever less."""

    type: ClassVar[str] = "camera_instability"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch of the clip by a camera that was knocked."""
        take = clip.attempt
        if clip.moves:
            raise EpisodeError("a camera that goes along with the robot is no unstable one")
        start, stop = stretch(clip, rng, 0.9, 1.6)
        angle, roll = rng.uniform(0.0, 2 * np.pi), _ROLL * rng.uniform(-1.0, 1.0)
        axis = _SWING_RAD[level] * np.array([np.cos(angle), np.sin(angle), roll])
        hertz, camera = rng.uniform(*_HERTZ), int(take.model.camera(take.view).id)

        def knocked(number: int, _: Image) -> Image:
            share = (number - start) / (stop - start)
            swing = np.exp(-_DECAY * share) * np.cos(
                2 * np.pi * hertz * (number - start) / clip.fps
            )
            with take.scene() as model:
                model.cam_quat[camera] = _turned(model.cam_quat[camera], swing * axis)
                return take.draw(number)

        said = (
            "The view is jolted aside and swings to and fro, ever less, table and walls with it, "
            "as of somebody who knocks against the camera's stand."
        )
        return Injected(edited(clip, start, stop, knocked), start, stop, said)


def _turned(rotation: Floats, by: Floats) -> Floats:
    """Return a unit quaternion w, x, y, z that is turned further about its own axes [rad]."""
    import mujoco

    turn, made = np.zeros(4), np.zeros(4)
    angle = float(np.linalg.norm(by))
    mujoco.mju_axisAngle2Quat(turn, by / max(angle, 1e-12), angle)
    mujoco.mju_mulQuat(made, rotation, turn)
    return made
