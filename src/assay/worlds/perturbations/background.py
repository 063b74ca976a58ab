"""Other surfaces around the same scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.worlds._textures import MATERIALS, VARIANTS, texels
from assay.worlds.tasks.base import Layout, Task

__all__ = ["Background"]


@dataclass(frozen=True, slots=True)
class Background:
    """Replace the surfaces of table, floor and walls; robot and objects stay as they are.

    Attributes:
        variant: 1 to 5; 0 is the plain background, the control.
    """

    variant: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.variant <= VARIANTS:
            raise UsageError(f"background can be 0 (plain) to {VARIANTS}, not {self.variant}.")

    @property
    def label(self) -> str:
        """Return "background-" and the variant."""
        return f"background-{self.variant}"

    def arrange(self, task: Task, layout: Layout, rng: np.random.Generator) -> Layout:  # noqa: ARG002 - the contract's
        """Leave everything in its place."""
        return layout

    def dress(self, model: Any, rng: np.random.Generator) -> None:  # noqa: ANN401, ARG002 - mujoco.MjModel; the contract's
        """Copy the variant's textures over the ones that are shown."""
        for material in MATERIALS:
            texels(model, material, 0)[:] = texels(model, material, self.variant)
