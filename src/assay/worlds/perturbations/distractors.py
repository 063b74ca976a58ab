"""Further things that have nothing to do with the task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.records import Floats
from assay.worlds.scene import EXTRAS
from assay.worlds.tasks.base import Layout, Place, Task, hands_of

__all__ = ["Distractors"]

# Two strips beside the space that tasks use: nothing there is in the way of a push or a drawer,
# and the front view still shows it.
# Two arms stand there, too, further from the room's wall.
X = {1: (0.18, 0.50), 2: (0.18, 0.36)}
ASIDE = (0.28, 0.35)
# Between centres, at least [m]: things are small, a fixture may reach far behind its origin.
FROM_THINGS, FROM_FIXTURES = 0.08, 0.30
FROM_SMALL = 0.20  # where several fixtures leave no room: they are small then
TRIES = 10000


@dataclass(frozen=True, slots=True)
class Distractors:
    """Put one to three further things on free spots at both sides of the table.

    They are a can, a small block and a ball, in colours that no thing of the task has.

    Attributes:
        count: 1 to 3; 0 is the control.
    """

    count: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.count <= len(EXTRAS):
            raise UsageError(f"distractors can be 0 to {len(EXTRAS)}, not {self.count}.")

    @property
    def label(self) -> str:
        """Return "distractors-" and the count."""
        return f"distractors-{self.count}"

    def arrange(self, task: Task, layout: Layout, rng: np.random.Generator) -> Layout:
        """Return the layout with the first `count` extras on free spots."""
        things = {thing.name for thing in task.things}
        taken = [(p.x, p.y) for p in layout.places.values()]
        keep = [FROM_THINGS if name in things else FROM_FIXTURES for name in layout.places]
        # All are drawn whatever the count is: two distractors are the one and another.
        strip = X[hands_of(task)]
        spots = _free_spots(np.array(taken), np.array(keep), len(EXTRAS), strip, rng)
        chosen = {extra.name: spots[number] for number, extra in enumerate(EXTRAS[: self.count])}
        return replace(layout, places={**layout.places, **chosen})

    def dress(self, model: Any, rng: np.random.Generator) -> None:  # noqa: ANN401 - mujoco.MjModel
        """Leave the look as it is: the world paints things that have no colour."""


def _free_spots(
    taken: Floats,
    keep: Floats,
    count: int,
    strip: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[Place, ...]:
    """Return spots in the strips, off each other and off all that is taken.

    Args:
        taken: Where something is, of shape (N, 2) [m].
        keep: How far to stay off it, of shape (N,) [m].
        count: How many spots.
        strip: From where to where along x they may lie [m].
        rng: Where chance comes from.
    """
    for off in [keep] * TRIES + [np.minimum(keep, FROM_SMALL)] * TRIES:
        side = rng.choice((-1.0, 1.0), count)
        spots = np.column_stack([rng.uniform(*strip, count), side * rng.uniform(*ASIDE, count)])
        gaps = np.linalg.norm(spots[:, None] - spots[None], axis=-1)[np.triu_indices(count, 1)]
        clear = np.linalg.norm(spots[:, None] - taken[None], axis=-1) >= off
        if np.all(gaps >= FROM_THINGS) and np.all(clear):
            yaws = rng.uniform(-np.pi / 4, np.pi / 4, count)
            rows = np.column_stack([spots, yaws]).tolist()
            return tuple(Place(x, y, yaw=yaw) for x, y, yaw in rows)
    raise UsageError("distractors found no free spot at the sides of the table.")
