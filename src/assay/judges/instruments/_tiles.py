"""Parts of the picture, and how far each of them has moved."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from assay.judges.instruments._footage import Greys
from assay.records import Floats

__all__ = ["GRID", "displacements", "ends_of", "reference", "shrunk", "tiled", "usual_of"]

GRID = 4  # tiles a side
_SAMPLES = 25  # frames that make the reference
_ENDS_S = 0.5  # of a clip that are taken for its ends
_ENDS_FPS = 15.0  # of a clip whose pace is not known

_Pixel = TypeVar("_Pixel", bound=np.generic)


def tiled(pictures: Greys, down: int = GRID, right: int = GRID) -> Greys:
    """Cut pictures of shape (..., S, S) into `down` x `right` tiles: (..., tiles, height, width).

    Rows and columns that do not fill a tile are left out.
    """
    height, width = pictures.shape[-2] // down, pictures.shape[-1] // right
    cut = pictures[..., : height * down, : width * right]
    parts = cut.reshape(*cut.shape[:-2], down, height, right, width)
    return np.swapaxes(parts, -3, -2).reshape(*cut.shape[:-2], down * right, height, width)


def shrunk(pictures: Greys, side: int) -> Greys:
    """Return pictures of shape (..., S, S) with `side` pixels a side, each the mean of a part.

    Parts differ by a row or column where S is no multiple of `side`; S must not be less.
    """
    edges = np.arange(side) * pictures.shape[-1] // side
    counts = np.diff(np.append(edges, pictures.shape[-1])).astype(np.float32)
    rows = np.add.reduceat(pictures, edges, axis=-2)
    both = np.add.reduceat(rows, edges, axis=-1)
    made: Greys = both / (counts[:, None] * counts)
    return made


def ends_of(frames: int, fps: float) -> npt.NDArray[np.intp]:
    """Return the numbers of the first and the last frames of a clip: half a second, or a fifth.

    What is at fault for a while seldom touches both ends.
    """
    count = int(np.clip(round(_ENDS_S * fps), 1, max(frames // 5, 1)))
    return np.concatenate([np.arange(count), np.arange(frames - count, frames)])


def usual_of(pictures: npt.NDArray[_Pixel]) -> npt.NDArray[_Pixel]:
    """Return what pictures of shape (T, ...) show most of the time, pixel by pixel.

    The ends of the clip count as much as all the rest: a fault may take up most of a short clip.
    """
    every = max(len(pictures) // _SAMPLES, 1)
    evenly = np.arange(0, len(pictures), every)
    ends = ends_of(len(pictures), _ENDS_FPS)
    near = np.resize(ends, len(evenly))
    chosen = pictures[np.concatenate([evenly, near])]
    made: npt.NDArray[_Pixel] = np.median(chosen, axis=0).astype(pictures.dtype)
    return made


def reference(pictures: Greys) -> Greys:
    """Return what pictures of shape (T, S, S) show most of the time, of shape (S, S)."""
    return usual_of(pictures)


def displacements(
    pictures: Greys, usual: Greys, down: int = GRID, right: int = GRID
) -> tuple[Floats, Floats]:
    """Return how far each tile has moved from the usual picture, and how sure that is.

    By phase correlation: with F and R the spectra of a tile, the peak of the inverse transform of
    F R* / |F R*| stands where the shift is. Its height is 1 for an exact shift and near 0 for
    pictures that have nothing to do with each other.

    Args:
        pictures: Of shape (T, S, S).
        usual: The picture to compare with, of shape (S, S).
        down: Rows of tiles.
        right: Columns of tiles.

    Returns:
        Shifts of shape (T, tiles, 2), down and right [px], and heights of shape (T, tiles).
    """
    from scipy import fft

    height, width = usual.shape[-2] // down, usual.shape[-1] // right
    window = np.outer(np.hanning(height), np.hanning(width)).astype(np.float32)

    def spectra(picture: Greys) -> npt.NDArray[np.complex64]:
        parts = tiled(picture, down, right)
        parts = (parts - parts.mean(axis=(-2, -1), keepdims=True)) * window
        return fft.rfft2(parts)

    base = np.conj(spectra(usual))
    shifts = np.empty((len(pictures), down * right, 2))
    heights = np.empty((len(pictures), down * right))
    for k, picture in enumerate(pictures):
        crossed = spectra(picture) * base
        plane = fft.irfft2(crossed / (np.abs(crossed) + 1e-3), s=(height, width))
        shifts[k], heights[k] = _peaks(plane)
    return shifts, heights


def _peaks(planes: Greys) -> tuple[Floats, Floats]:
    """Return where each plane of shape (n, height, width) is highest, to a part of a pixel."""
    size = np.array(planes.shape[1:])
    each = np.arange(len(planes))
    rows, columns = np.unravel_index(planes.reshape(len(planes), -1).argmax(axis=1), tuple(size))
    top = planes[each, rows, columns]
    below, beside = (rows + 1) % size[0], (columns + 1) % size[1]
    down = _between(planes[each, rows - 1, columns], top, planes[each, below, columns])
    right = _between(planes[each, rows, columns - 1], top, planes[each, rows, beside])
    where = np.stack([rows + down, columns + right], axis=1)
    return (where + size / 2) % size - size / 2, top.astype(np.float64)


def _between(before: Greys, peak: Greys, after: Greys) -> Floats:
    """Return the top of the parabola through three neighbours, from the middle one [px]."""
    bend = before - 2 * peak + after
    return np.where(bend < 0, 0.5 * (before - after) / np.where(bend < 0, bend, 1), 0.0)
