"""Cameras that someone has knocked against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.worlds.look import VIEWS
from assay.worlds.tasks.base import Layout, Task

__all__ = ["CameraJitter"]

MOST = 5.0
FIXED = tuple(view for view in VIEWS if view != "wrist")


@dataclass(frozen=True, slots=True)
class CameraJitter:
    """Move and turn the fixed cameras a little, each its own way, drawn by the seed.

    Every camera moves by up to `strength` centimetres and turns by up to `strength` degrees, in
    a direction and about an axis drawn evenly. The wrist camera is part of the robot and stays.
    The draw is the same at all strengths of a seed: twice the strength is twice the way.

    Attributes:
        strength: Bound of the move [cm] and of the turn [deg], 0 (the control) to 5.
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.strength <= MOST:
            raise UsageError(f"camera can be 0 to {MOST:g} (cm and deg), not {self.strength:g}.")

    @property
    def label(self) -> str:
        """Return "camera-" and the strength."""
        return f"camera-{self.strength:g}"

    def arrange(self, task: Task, layout: Layout, rng: np.random.Generator) -> Layout:  # noqa: ARG002 - the contract's
        """Leave everything in its place."""
        return layout

    def dress(self, model: Any, rng: np.random.Generator) -> None:  # noqa: ANN401 - mujoco.MjModel
        """Move and turn every fixed camera."""
        import mujoco

        if self.strength == 0.0:
            return
        for view in FIXED:
            camera = model.camera(view)
            way, axis = rng.normal(size=(2, 3))
            far, turn = rng.uniform(0.0, self.strength, 2)
            camera.pos[:] += 0.01 * far * way / np.linalg.norm(way)
            quat, turned = np.empty(4), np.empty(4)
            mujoco.mju_axisAngle2Quat(quat, axis / np.linalg.norm(axis), np.deg2rad(turn))
            mujoco.mju_mulQuat(turned, quat, camera.quat)
            camera.quat[:] = turned
