"""Parts of the picture, and how far each of them has moved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.judges.instruments._footage import Greys
from assay.records import Floats

__all__ = ["GRID", "displacements", "tiled"]

GRID = 4  # tiles a side


def tiled(pictures: Greys) -> Greys:
    """Cut pictures of shape (..., S, S) into a grid of tiles: (..., GRID * GRID, n, n).

    Rows and columns that do not fill a tile are left out.
    """
    side = pictures.shape[-1] // GRID
    cut = pictures[..., : side * GRID, : side * GRID]
    parts = cut.reshape(*cut.shape[:-2], GRID, side, GRID, side)
    return np.swapaxes(parts, -3, -2).reshape(*cut.shape[:-2], GRID * GRID, side, side)


def displacements(pictures: Greys, reference: Greys) -> tuple[Floats, Floats]:
    """Return how far each tile has moved from the reference, and how sure that is.

    By phase correlation: with F and R the spectra of a tile, the peak of the inverse transform of
    F R* / |F R*| stands where the shift is. Its height is 1 for an exact shift and near 0 for
    pictures that have nothing to do with each other.

    Args:
        pictures: Of shape (T, S, S).
        reference: Of shape (S, S).

    Returns:
        Shifts of shape (T, tiles, 2), down and right [px], and heights of shape (T, tiles).
    """
    from scipy import fft

    side = reference.shape[-1] // GRID
    window = np.outer(np.hanning(side), np.hanning(side)).astype(np.float32)

    def spectra(picture: Greys) -> npt.NDArray[np.complex64]:
        parts = tiled(picture)
        parts = (parts - parts.mean(axis=(-2, -1), keepdims=True)) * window
        return fft.rfft2(parts)

    base = np.conj(spectra(reference))
    shifts = np.empty((len(pictures), GRID * GRID, 2))
    heights = np.empty((len(pictures), GRID * GRID))
    for k, picture in enumerate(pictures):
        crossed = spectra(picture) * base
        plane = fft.irfft2(crossed / (np.abs(crossed) + 1e-3), s=(side, side))
        shifts[k], heights[k] = _peaks(plane)
    return shifts, heights


def _peaks(planes: Greys) -> tuple[Floats, Floats]:
    """Return where each plane of shape (n, side, side) is highest, to a part of a pixel."""
    n, side = len(planes), planes.shape[-1]
    flat = planes.reshape(n, -1).argmax(axis=1)
    rows, columns = np.unravel_index(flat, (side, side))
    each = np.arange(n)
    height = planes[each, rows, columns]
    down = _between(
        planes[each, rows - 1, columns], height, planes[each, (rows + 1) % side, columns]
    )
    right = _between(
        planes[each, rows, columns - 1], height, planes[each, rows, (columns + 1) % side]
    )
    where = np.stack([rows + down, columns + right], axis=1)
    return (where + side / 2) % side - side / 2, height.astype(np.float64)


def _between(before: Greys, peak: Greys, after: Greys) -> Floats:
    """Return the top of the parabola through three neighbours, from the middle one [px]."""
    bend = before - 2 * peak + after
    return np.where(bend < 0, 0.5 * (before - after) / np.where(bend < 0, bend, 1), 0.0)
