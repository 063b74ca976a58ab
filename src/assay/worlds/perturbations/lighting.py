"""Another light on the same scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.records import Floats
from assay.worlds.scene import LIGHT_DISTANCE, LIT_CENTRE
from assay.worlds.tasks.base import Layout, Task

__all__ = ["Lighting"]

LEVELS = 3
TURN_DEG = 12.0  # of each light's direction, at most, a level
DIMMER, BRIGHTER = 0.16, 0.03  # lower and upper bound of the change of brightness, a level
TINT = 0.07  # of red against blue, at most, a level


@dataclass(frozen=True, slots=True)
class Lighting:
    """Change direction, brightness and colour temperature of all lights, drawn by the seed.

    The bounds grow with the level: directions turn by up to 12 degrees a level, brightness is
    multiplied by 1 - 0.16 to 1 + 0.03 a level, and red against blue moves by up to 7 % a level,
    to warm or to cold. The draw itself is the same at all levels of a seed.

    Attributes:
        level: 1 to 3; 0 is the plain light, the control.
    """

    level: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.level <= LEVELS:
            raise UsageError(f"lighting can be 0 (plain) to {LEVELS}, not {self.level}.")

    @property
    def label(self) -> str:
        """Return "lighting-" and the level."""
        return f"lighting-{self.level}"

    def arrange(self, task: Task, layout: Layout, rng: np.random.Generator) -> Layout:  # noqa: ARG002 - the contract's
        """Leave everything in its place."""
        return layout

    def dress(self, model: Any, rng: np.random.Generator) -> None:  # noqa: ANN401 - mujoco.MjModel
        """Turn the lights about the table and scale their colours."""
        if self.level == 0:
            return
        brightness = 1.0 + self.level * rng.uniform(-DIMMER, BRIGHTER)
        tint = self.level * rng.uniform(-TINT, TINT)
        colour = brightness * np.array([1.0 + tint, 1.0, 1.0 - tint])
        for field in (model.light_diffuse, model.light_ambient, model.light_specular):
            field[:] = field * colour
        for light in range(int(model.nlight)):
            turn = self.level * np.deg2rad(rng.uniform(0.0, TURN_DEG))
            turned = _turned(np.array(model.light_dir[light]), turn, rng.uniform(0.0, 2 * np.pi))
            model.light_dir[light] = turned
            # The shadow map hangs on the light's place: the rays must still meet the table.
            model.light_pos[light] = np.array(LIT_CENTRE) - LIGHT_DISTANCE * turned


def _turned(direction: Floats, angle: float, towards: float) -> Floats:
    """Return a unit vector turned by `angle` to the side that `towards` names [rad]."""
    across = np.cross(direction, [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    along = np.cross(direction, across)
    side = np.cos(towards) * across + np.sin(towards) * along
    return np.asarray(np.cos(angle) * direction + np.sin(angle) * side)
