"""Red and blue exchanged in the background."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.records import Image
from assay.worlds._textures import MATERIALS, VARIANTS, texels
from assay.worlds.tasks.base import Layout, Task

__all__ = ["Colour"]

ALLOWED = (0.0, 0.33, 0.66, 1.0)


@dataclass(frozen=True, slots=True)
class Colour:
    """Mix the background's colours with their mirror: C' = (1-a) [R, G, B] + a [B, G, R].

    The surfaces are mixed, not the picture. Plain light is grey, so both are the same; under
    light with a tint (`lighting`) the surfaces change and the tint stays.

    Attributes:
        amount: a, one of 0 (the control), 0.33, 0.66 and 1.
    """

    amount: float = 0.33

    def __post_init__(self) -> None:
        if self.amount not in ALLOWED:
            known = ", ".join(f"{a:g}" for a in ALLOWED)
            raise UsageError(f"colour can be {known}, not {self.amount:g}.")

    @property
    def label(self) -> str:
        """Return "colour-" and the amount."""
        return f"colour-{self.amount:g}"

    def arrange(self, task: Task, layout: Layout, rng: np.random.Generator) -> Layout:  # noqa: ARG002 - the contract's
        """Leave everything in its place."""
        return layout

    def dress(self, model: Any, rng: np.random.Generator) -> None:  # noqa: ANN401, ARG002 - mujoco.MjModel; the contract's
        """Mix all textures of the background, so that `background` may come before or after."""
        for material in MATERIALS:
            for number in range(VARIANTS + 1):
                shown = texels(model, material, number)
                shown[:] = _mixed(shown, self.amount)


def _mixed(colours: Image, amount: float) -> Image:
    """Return (1-a) [R, G, B] + a [B, G, R], rounded, of the same shape (..., 3)."""
    mix = (1.0 - amount) * colours + amount * colours[..., ::-1]
    return np.asarray(np.round(mix), dtype=np.uint8)
