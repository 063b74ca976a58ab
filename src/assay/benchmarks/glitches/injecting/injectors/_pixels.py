"""Pictures: shifting, mixing, breaking off, wearing away, and where in them something happens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.records import Floats, Image

__all__ = [
    "as_picture",
    "broken_off",
    "busiest",
    "disc",
    "mixed",
    "shifted",
    "texture",
    "worn_down",
]

_RAGGED = 0.5  # of a mask's depth by which its rim is ahead here and behind there


def as_picture(values: npt.NDArray[np.floating]) -> Image:
    """Return numbers as a picture, cut off at black and white."""
    whole: Image = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return whole


def shifted(picture: Image, rows: int, columns: int) -> Image:
    """Return a picture moved by whole pixels; what comes in repeats the edge."""
    height, width = picture.shape[:2]
    down = np.clip(np.arange(height) - rows, 0, height - 1)
    across = np.clip(np.arange(width) - columns, 0, width - 1)
    return picture[down][:, across]


def mixed(picture: Image, over: npt.NDArray[np.floating] | Image, share: Floats) -> Image:
    """Return `over` laid on a picture; `share`, of shape (H, W), 1 where it covers all."""
    part = share[..., None]
    return as_picture(picture * (1.0 - part) + np.asarray(over, np.float64) * part)


def busiest(frames: Image) -> tuple[float, float]:
    """Return where most happens in some frames: row and column, as the middle of all change."""
    few = frames[:: max(len(frames) // 12, 1), ::4, ::4].astype(np.int16)
    change = np.abs(np.diff(few, axis=0)).max(axis=-1).sum(axis=0).astype(np.float64)
    change[change < 0.25 * change.max()] = 0.0
    if not change.any():
        return frames.shape[1] / 2, frames.shape[2] / 2
    rows, columns = np.indices(change.shape)
    whole = change.sum()
    return float((rows * change).sum() / whole * 4), float((columns * change).sum() / whole * 4)


def disc(shape: tuple[int, int], row: float, column: float, radius: float, soft: float) -> Floats:
    """Return 1 inside a disc, 0 outside, and a slope of width `soft` between [pixels]."""
    rows, columns = np.indices(shape)
    far = np.hypot(rows - row, columns - column)
    return np.asarray(np.clip((radius - far) / max(soft, 1e-6) + 0.5, 0.0, 1.0))


def texture(rng: np.random.Generator, shape: tuple[int, int], grain: int) -> Floats:
    """Return smooth noise in 0..1, of shape `shape`, with spots about `grain` pixels wide."""
    from scipy.ndimage import zoom

    coarse = rng.random((shape[0] // grain + 3, shape[1] // grain + 3))
    smooth = zoom(coarse, grain, order=1)[: shape[0], : shape[1]]
    return np.asarray(smooth)


def broken_off(picture: Image, share: float, block: int, empty: tuple[int, int, int]) -> Image:
    """Return a picture of which only the first blocks have come.

    Args:
        picture: All of it.
        share: Of its blocks, row by row, that have come.
        block: Width and height of a block [pixels].
        empty: What is shown in place of the others.
    """
    height, width = picture.shape[:2]
    tall, wide = -(-height // block), -(-width // block)
    missing = np.arange(tall * wide) >= round(share * tall * wide)
    large = np.kron(missing.reshape(tall, wide), np.ones((block, block), dtype=bool))
    return np.where(large[:height, :width, None], np.array(empty, dtype=np.uint8), picture)


def worn_down(mask: npt.NDArray[np.bool_], notches: Floats, share: float) -> npt.NDArray[np.bool_]:
    """Return what is left of a mask that wears away from its rim inwards.

    Args:
        mask: All of it, of shape (H, W).
        notches: Where it goes sooner and where later, of shape (H, W), 0..1.
        share: Of its depth that has gone; of 1, nothing is left where notches are 0.5.
    """
    from scipy.ndimage import distance_transform_edt

    deep = np.asarray(distance_transform_edt(mask))
    ragged = deep / max(float(deep.max()), 1.0) + _RAGGED * (notches - 0.5)
    return np.asarray(mask & (ragged > share))
