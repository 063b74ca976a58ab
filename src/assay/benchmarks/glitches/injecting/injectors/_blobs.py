"""Small things in pictures of which nothing else is known: spots unlike what is around them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["calm", "free_offset", "spot_of", "where"]

Mask = npt.NDArray[np.bool_]

_STILL = 16  # grey levels: pixels that change less in a stretch are at rest
_STANDS_OUT = 34.0  # grey levels from the colour around it
_AROUND = 0.08  # how far "around" reaches, in sides of the picture
_AREA = (0.002, 0.035)  # of the picture
_FULL = 0.45  # of the box around it is the thing, or it is no compact one
_EVEN = 20.0  # standard deviation of what is around it [grey levels]
_TRIES = 150


def calm(frames: Image) -> Mask:
    """Return where nothing changes in some frames, (H, W)."""
    few = frames[:: max(len(frames) // 8, 1)]
    change = few.max(axis=0).astype(np.int16) - few.min(axis=0)
    return np.asarray(change.max(axis=-1) < _STILL)


def spot_of(frames: Image, rng: np.random.Generator) -> Mask:
    """Return a compact spot that lies still in some frames and stands out from what is around it.

    Raises:
        EpisodeError: There is none.
    """
    from scipy.ndimage import binary_closing, binary_opening, label

    height, width = frames.shape[1:3]
    away = _contrast(frames[len(frames) // 2])
    found = binary_closing(binary_opening(away > _STANDS_OUT, iterations=1), iterations=2)
    numbers, count = label(found)
    resting = calm(frames)
    fit: list[Mask] = []
    for number in range(1, count + 1):
        mask: Mask = numbers == number
        if _is_thing(mask, resting, frames[len(frames) // 2], height * width):
            fit.append(mask)
    if not fit:
        raise EpisodeError("no small thing lies still and apart in the picture")
    return fit[int(rng.integers(len(fit)))]


def free_offset(mask: Mask, frames: Image, rng: np.random.Generator, far: float) -> tuple[int, int]:
    """Return by how many rows and columns a spot can be moved onto something even and still.

    Raises:
        EpisodeError: There is no such place about `far` pixels away.
    """
    rows, columns = np.nonzero(mask)
    plain = calm(frames) & (_contrast(frames[len(frames) // 2]) < _STANDS_OUT / 2)
    height, width = mask.shape
    for _ in range(_TRIES):
        angle, length = rng.uniform(0.0, 2 * np.pi), far * rng.uniform(1.0, 1.6)
        down, right = round(length * np.sin(angle)), round(length * np.cos(angle))
        y, x = rows + down, columns + right
        if y.min() < 0 or x.min() < 0 or y.max() >= height or x.max() >= width:
            continue
        if plain[y, x].mean() > 0.9 and not mask[y, x].any():
            return down, right
    raise EpisodeError("there is no even place for it in the picture")


def where(mask: Mask) -> str:
    """Return in words in which part of the picture a spot is."""
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    row, column = float(rows.mean()) / height, float(columns.mean()) / width
    level = "upper" if row < 0.4 else "lower" if row > 0.6 else "middle"
    side = "left" if column < 0.4 else "right" if column > 0.6 else "middle"
    return f"the {level} {side}" if level != side else "the middle"


def _contrast(picture: Image) -> npt.NDArray[np.float32]:
    """Return by how many grey levels each pixel differs from what is around it, (H, W)."""
    from scipy.ndimage import gaussian_filter

    sigma = _AROUND * min(picture.shape[:2])
    plain = picture.astype(np.float32)
    return np.asarray(np.abs(plain - gaussian_filter(plain, (sigma, sigma, 0))).max(axis=-1))


def _is_thing(mask: Mask, resting: Mask, picture: Image, pixels: int) -> bool:
    """Tell whether a spot is as large, compact, still and apart as a small thing on a table."""
    from scipy.ndimage import binary_dilation

    rows, columns = np.nonzero(mask)
    tall, wide = np.ptp(rows) + 1, np.ptp(columns) + 1
    inside = min(rows.min(), columns.min()) > 2 and (
        rows.max() < mask.shape[0] - 3 and columns.max() < mask.shape[1] - 3
    )
    if not inside or not _AREA[0] <= len(rows) / pixels <= _AREA[1]:
        return False
    if len(rows) < _FULL * tall * wide or resting[mask].mean() < 0.95:
        return False
    ring = binary_dilation(mask, iterations=5) & ~binary_dilation(mask, iterations=2)
    return bool(picture[ring].astype(np.float32).std(axis=0).max() < _EVEN)
