"""What a lens makes of points that are out of its focus."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture
from assay.records import Floats, Image

__all__ = ["circles", "spread"]

_LAYERS: Final = 6  # radii that are worked out; those between are mixed of two


def circles(depth: npt.NDArray[np.floating], near: float, far: float) -> Floats:
    """Return the radius of each point's disc, (H, W), 1 at `near` and 0 at the focus `far` [m].

    A thin lens that is focused at f spreads a point at z over a disc as wide as |1/z - 1/f|.
    """
    return np.asarray(np.abs(1.0 / depth - 1.0 / far) / (1.0 / near - 1.0 / far), dtype=np.float64)


def spread(picture: Image, radii: Floats) -> Image:
    """Return a picture whose points are discs of these radii, (H, W) [pixels]."""
    from scipy.ndimage import maximum_filter, uniform_filter

    most = float(radii.max())
    reach = 2 * int(np.ceil(most)) + 1
    # What is blurred reaches over the rim of what is sharp behind it.
    wide = uniform_filter(maximum_filter(radii, reach), reach)
    place = wide / max(most, 1e-9) * (_LAYERS - 1)
    made = np.zeros(picture.shape)
    for number, radius in enumerate(np.linspace(0.0, most, _LAYERS)):
        share = np.clip(1.0 - np.abs(place - number), 0.0, 1.0)
        if share.any():
            made += share[..., None] * _blurred(picture, float(radius))
    return as_picture(made)


def _blurred(picture: Image, radius: float) -> Floats:
    """Return a picture all of whose points are discs of one radius [pixels]."""
    from scipy.signal import fftconvolve

    kernel = _disc(radius)
    room = len(kernel) // 2
    wide = np.pad(picture.astype(np.float64), ((room, room), (room, room), (0, 0)), mode="edge")
    return np.asarray(fftconvolve(wide, kernel[..., None], mode="valid", axes=(0, 1)))


def _disc(radius: float) -> Floats:
    """Return what becomes of one point: an even disc with a rim of one pixel, its sum 1."""
    room = int(np.ceil(radius))
    rows, columns = np.indices((2 * room + 1, 2 * room + 1)) - room
    inside = np.clip(radius + 0.5 - np.hypot(rows, columns), 0.0, 1.0)
    return np.asarray(inside / inside.sum())
