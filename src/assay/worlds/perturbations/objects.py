"""The things of a scene trade places."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.worlds.tasks.base import Layout, Task

__all__ = ["Objects"]

_UNDER = 0.05  # so near to where something stands above the table a thing carries it [m]


@dataclass(frozen=True, slots=True)
class Objects:
    """Permute the places of the loose things: thing i comes to where thing pi(i) was.

    With N things there are N! permutations, numbered in the order of a dictionary over the task's
    own order of things; 0 leaves all as it is. What trades is the spot, its height and the turn;
    how tall a thing is stays its own.

    Attributes:
        number: Which permutation, 0 to N! - 1.
    """

    number: int = 1

    def __post_init__(self) -> None:
        if self.number < 0:
            raise UsageError(f"objects can be 0 or more, not {self.number}.")

    @staticmethod
    def orders(task: Task) -> int:
        """Return N!, in how many orders the loose things of a task can be."""
        return math.factorial(len(_loose(task, task.arrange(np.random.default_rng(0)))))

    @property
    def label(self) -> str:
        """Return "objects-" and the number."""
        return f"objects-{self.number}"

    def arrange(self, task: Task, layout: Layout, rng: np.random.Generator) -> Layout:  # noqa: ARG002 - the contract's
        """Return the layout with the places permuted."""
        names = _loose(task, layout)
        most = math.factorial(len(names)) - 1
        if self.number > most:
            raise UsageError(
                f"objects can be 0 to {most} for {task.name}, which has {len(names)} loose "
                f"things, not {self.number}."
            )
        order = _permutation(self.number, len(names))
        moved = {name: layout.places[names[k]] for name, k in zip(names, order, strict=True)}
        return replace(layout, places={**layout.places, **moved})

    def dress(self, model: Any, rng: np.random.Generator) -> None:  # noqa: ANN401 - mujoco.MjModel
        """Leave the look as it is."""


def _loose(task: Task, layout: Layout) -> list[str]:
    """Return the things that can trade: none that stands on another, nor what is under that."""
    placed = {t.name: layout.places[t.name] for t in task.things if t.name in layout.places}
    above = [place for place in placed.values() if place.z > 0.0]
    return [
        name
        for name, place in placed.items()
        if all(math.hypot(place.x - on.x, place.y - on.y) > _UNDER for on in above)
    ]


def _permutation(number: int, count: int) -> list[int]:
    """Return permutation `number` of 0..count-1 in the order of a dictionary."""
    left = list(range(count))
    chosen = []
    for rest in range(count - 1, -1, -1):
        index, number = divmod(number, math.factorial(rest))
        chosen.append(left.pop(index))
    return chosen
