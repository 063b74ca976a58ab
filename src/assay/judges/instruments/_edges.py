"""Edges of pictures: how strong they are, and how sharp."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.records import Floats

__all__ = ["edge_sharpness"]

_GRID = 4  # tiles a side
_WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))  # across, down and along both diagonals
_FAR = 4  # the longer of two distances over which pixels are compared [px]


def edge_sharpness(pictures: npt.NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return how sharp the edges are, and how strong, by direction and tile.

    Strength is the mean square of the differences between pixels that are 4 apart. Sharpness is
    that of neighbours over it: 1/4 for a step from one pixel to the next, whatever its contrast,
    and 1/16 for an edge that is much wider than 4 pixels; for noise alone it is 1.

    Args:
        pictures: Of shape (T, S, S).

    Returns:
        Sharpness and strength, each of shape (T, 4, tiles): across, down, along both diagonals.
    """
    near = np.empty((len(pictures), len(_WAYS), _GRID * _GRID))
    far = np.empty_like(near)
    for k, picture in enumerate(pictures):
        for way, (down, right) in enumerate(_WAYS):
            near[k, way] = _strength(picture, down, right)
            far[k, way] = _strength(picture, down * _FAR, right * _FAR)
    return near / np.maximum(far, 1e-3), far


def _strength(picture: npt.NDArray[np.float32], down: int, right: int) -> Floats:
    """Return the mean square difference to the pixel so far away, of shape (tiles,)."""
    height, width = picture.shape
    left = max(-right, 0)
    here = picture[: height - down, left : width - max(right, 0)]
    there = picture[down:, left + right : width - max(right, 0) + right]
    apart = there - here
    side = min(apart.shape) // _GRID
    parts = apart[: side * _GRID, : side * _GRID].reshape(_GRID, side, _GRID, side)
    means: Floats = np.einsum("aibj,aibj->ab", parts, parts).astype(np.float64) / side**2
    return means.reshape(-1)
