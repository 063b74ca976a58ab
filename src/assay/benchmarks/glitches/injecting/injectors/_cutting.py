"""Cut a thing out of a picture and lay it down somewhere else in it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.take import Take
from assay.records import Image

__all__ = ["cut", "in_picture", "laid", "lifted_out", "waved"]


def cut(take: Take, number: int, name: str) -> tuple[npt.NDArray[np.bool_], Image]:
    """Return where a frame shows a thing, and the frame as it would be without that thing."""
    return take.mask(number, name), take.without(number, take.geoms_of(name))


def lifted_out(picture: Image, mask: npt.NDArray[np.bool_], behind: Image) -> Image:
    """Return a picture with what is behind the mask; a shadow stays where it is."""
    return np.where(mask[..., None], behind, picture)


def laid(
    picture: Image,
    source: Image,
    mask: npt.NDArray[np.bool_],
    rows: int,
    columns: int,
    behind: npt.NDArray[np.bool_] | None = None,
) -> Image:
    """Return a picture with the masked part of `source` laid on it, so far down and to the right.

    Args:
        picture: What it is laid on.
        source: Where the part comes from.
        mask: Which part.
        rows: How far down [pixels].
        columns: How far to the right [pixels].
        behind: Where something stands before it, such as the robot.
    """
    height, width = mask.shape
    y, x = np.nonzero(mask)
    down, right = y + rows, x + columns
    inside = (down >= 0) & (down < height) & (right >= 0) & (right < width)
    y, x, down, right = y[inside], x[inside], down[inside], right[inside]
    if behind is not None:
        free = ~behind[down, right]
        y, x, down, right = y[free], x[free], down[free], right[free]
    made = picture.copy()
    made[down, right] = source[y, x]
    return made


def in_picture(mask: npt.NDArray[np.bool_], rows: int, columns: int) -> bool:
    """Tell whether a mask that is moved so far stays inside the picture."""
    y, x = np.nonzero(mask)
    height, width = mask.shape
    return bool(
        len(y)
        and y.min() + rows >= 0
        and y.max() + rows < height
        and x.min() + columns >= 0
        and x.max() + columns < width
    )


def waved(
    picture: Image,
    mask: npt.NDArray[np.bool_],
    behind: Image,
    swing: float,
    length: float,
    phase: float,
) -> Image:
    """Return a picture whose masked part is shifted sideways, row by row, along a wave.

    Args:
        picture: The picture.
        mask: Which part.
        behind: What is seen where the part goes away from.
        swing: How far it goes to each side [pixels].
        length: Of the wave [pixels].
        phase: Where the wave begins [rad].
    """
    y, x = np.nonzero(mask)
    moved = x + np.rint(swing * np.sin(2 * np.pi * y / length + phase)).astype(int)
    inside = (moved >= 0) & (moved < mask.shape[1])
    made = lifted_out(picture, mask, behind)
    made[y[inside], moved[inside]] = picture[y[inside], x[inside]]
    return made
