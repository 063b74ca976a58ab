"""What a perturbation is: the same scene, changed in one named way."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from assay.worlds.tasks.base import Layout, Task

__all__ = ["Perturbation"]


class Perturbation(Protocol):
    """A frozen dataclass whose first field is its level; `--perturb name=level` sets it.

    Both methods draw only from the generator they get, which is made from the seed and the
    perturbation's name: the same seed without the perturbation is the matched control.
    """

    @property
    def label(self) -> str:
        """Return what episodes carry, such as "background-3": letters, digits, "-" and "."."""
        ...

    def arrange(self, task: Task, layout: Layout, rng: np.random.Generator) -> Layout:
        """Return the layout with things moved or added."""
        ...

    def dress(self, model: Any, rng: np.random.Generator) -> None:  # noqa: ANN401 - mujoco.MjModel; MuJoCo is imported late
        """Change how the model looks: only fields in `world.DRESS`, which a reset puts back."""
        ...
