"""Draw places on the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.worlds.tasks.base import Place

__all__ = ["scatter"]

_TRIES = 2000


def scatter(
    rng: np.random.Generator,
    names: Sequence[str],
    x: tuple[float, float],
    y: tuple[float, float],
    gap: float,
    taken: Sequence[tuple[float, float, float]] = (),
) -> dict[str, Place]:
    """Return a place for every name, drawn evenly from a rectangle, none near another.

    Args:
        rng: Where chance comes from.
        names: What is to be placed.
        x: Range along x [m].
        y: Range along y [m].
        gap: Least distance between any two centres [m].
        taken: Spots to stay off: x, y and the distance to keep [m].
    """
    for _ in range(_TRIES):
        spots = rng.uniform((x[0], y[0]), (x[1], y[1]), (len(names), 2))
        apart = np.linalg.norm(spots[:, None] - spots[None], axis=-1) + gap * np.eye(len(names))
        clear = all(
            np.all(np.hypot(spots[:, 0] - cx, spots[:, 1] - cy) >= keep) for cx, cy, keep in taken
        )
        if clear and np.all(apart >= gap):
            yaws = rng.uniform(-np.pi / 4, np.pi / 4, len(names))
            return {
                name: Place(float(px), float(py), yaw=float(yaw))
                for name, (px, py), yaw in zip(names, spots, yaws, strict=True)
            }
    raise ValueError(f"{len(names)} things don't fit on {x} x {y} m, {gap} m apart.")
