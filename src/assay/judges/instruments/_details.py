"""Details of a scene: what its tiles show beside their mean and slope of lightness."""

from __future__ import annotations

from typing import Final

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Greys
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._tiles import shrunk
from assay.records import Floats

__all__ = ["SIDE", "compared", "details"]

_TILES, _TILE = 7, 8  # tiles a side, and the side of a tile
SIDE: Final = _TILES * _TILE
"""Pixels a side to which pictures are made small before they are compared."""


def details(pictures: Greys) -> tuple[Floats, Floats]:
    """Return the tiles of pictures without mean and slope, (T, tiles, pixels), and their means."""
    small = np.stack([shrunk(picture, SIDE) for picture in pictures]).astype(np.float64)
    parts = small.reshape(len(small), _TILES, _TILE, _TILES, _TILE).swapaxes(2, 3)
    flat = parts.reshape(len(small), _TILES**2, _TILE**2)
    down, right = np.indices((_TILE, _TILE)).reshape(2, -1) - (_TILE - 1) / 2
    plane = np.stack([np.ones(_TILE**2), down, right], axis=1)
    return flat - flat @ (plane @ np.linalg.pinv(plane)).T, flat.mean(axis=2)


def compared(detail: Floats, usual: Floats) -> tuple[Floats, Floats, Flags]:
    """Return contrast and likeness of tiles beside the usual ones, and which tiles have details.

    Args:
        detail: Of shape (T, tiles, pixels).
        usual: Of shape (tiles, pixels).

    Returns:
        With h a tile and u the usual one, h u / u u and their correlation, both of shape (T,
        tiles), and of shape (tiles,) where u is more than noise.
    """
    power = (usual**2).sum(axis=-1)
    shared = (detail * usual).sum(axis=-1)
    left = shared / np.maximum(power, 1e-6)
    alike = shared / np.sqrt(np.maximum((detail**2).sum(axis=-1) * power, 1e-6))
    return left, alike, np.asarray(power > limits.DETAIL_LEVEL * _TILE**2)
