"""Give a part of a picture another colour and keep its light and shade."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture
from assay.records import Image

__all__ = ["recoloured"]


def recoloured(
    picture: Image, mask: npt.NDArray[np.bool_], colour: tuple[float, float, float]
) -> Image:
    """Return a picture whose masked part has another colour, 0..1, as bright as it was."""
    part = picture[mask].astype(np.float64)
    if not len(part):
        return picture
    light = part.max(axis=1, keepdims=True)
    hue = np.array(colour) / max(colour)
    made = picture.copy()
    made[mask] = as_picture(light * hue)
    return made
