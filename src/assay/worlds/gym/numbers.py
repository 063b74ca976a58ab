"""Observations and actions of any space as plain rows of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.records import Floats

if TYPE_CHECKING:
    from gymnasium import Space

__all__ = ["MOST_NUMBERS", "numbers_of", "width_of"]

MOST_NUMBERS = 512
"""An observation of more numbers is a picture or a cloud of points, and is not recorded."""


def width_of(space: Space[Any]) -> int | None:
    """Return how many numbers a value of `space` is, or None when that is not fixed."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        return 1
    return spaces.flatdim(space) if space.is_np_flattenable else None


def numbers_of(space: Space[Any], value: Any) -> Floats:  # noqa: ANN401 - whatever the space holds
    """Return a value of `space` as its numbers, of shape (N,)."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        return np.array([float(value)])
    flat: Floats = np.asarray(spaces.flatten(space, value), dtype=np.float64).reshape(-1)
    return flat
