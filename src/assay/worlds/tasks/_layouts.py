"""Draw places on the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import UsageError
from assay.worlds.tasks.base import Place

__all__ = ["scatter"]

_ROUNDS = 200
_TRIES = 50


def scatter(
    rng: np.random.Generator,
    names: Sequence[str],
    x: tuple[float, float],
    y: tuple[float, float],
    gap: float,
    taken: Sequence[tuple[float, float, float]] = (),
) -> dict[str, Place]:
    """Return a place for every name, drawn from a rectangle, none near another.

    Places are drawn one after the other; when one finds no room, all are drawn anew. All are turned
    by up to an eighth of a turn, to either side.

    Args:
        rng: Where chance comes from.
        names: What is to be placed.
        x: Range along x [m].
        y: Range along y [m].
        gap: Least distance between any two centres [m].
        taken: Spots to stay off: x, y and the distance to keep [m].

    Raises:
        UsageError: They don't fit, or hardly ever.
    """
    for _ in range(_ROUNDS):
        kept = list(taken)
        for _name in names:
            spot = _room(rng, x, y, kept)
            if spot is None:
                break
            kept.append((*spot, gap))
        else:
            yaws = rng.uniform(-np.pi / 4, np.pi / 4, len(names))
            spots = kept[len(taken) :]
            return {
                name: Place(px, py, yaw=float(yaw))
                for name, (px, py, _), yaw in zip(names, spots, yaws, strict=True)
            }
    raise UsageError(
        f"There is no room for {', '.join(names)} between x {x[0]:g} and {x[1]:g} m and y {y[0]:g} "
        f"and {y[1]:g} m, {gap:g} m apart and off the {len(taken)} spots that are taken."
    )


def _room(
    rng: np.random.Generator,
    x: tuple[float, float],
    y: tuple[float, float],
    taken: Sequence[tuple[float, float, float]],
) -> tuple[float, float] | None:
    """Return a spot that keeps its distance from all that is taken, or None if none was found."""
    for _ in range(_TRIES):
        px, py = float(rng.uniform(*x)), float(rng.uniform(*y))
        if all(np.hypot(px - cx, py - cy) >= keep for cx, cy, keep in taken):
            return px, py
    return None
