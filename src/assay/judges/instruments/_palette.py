"""Foreign colours: how much of a picture shows colours that the clip else does not have."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.judges.instruments import _limits as limits
from assay.records import Floats, Image

__all__ = ["Palette", "by_colour", "by_hue"]

_LEVELS = 8  # of each colour
_HUES = 25  # steps from one end of a hue to the other
_HUE = 0.05  # width of a step, in parts of the whole light

Bins = npt.NDArray[np.int32]


class Palette:
    """The colours of a clip, counted in each frame.

    Args:
        bins: Which colour each pixel has, int of shape (T, s, s).
        count: How many colours there are.
    """

    def __init__(self, bins: Bins, count: int) -> None:
        self._bins = bins
        found = [np.bincount(one.reshape(-1), minlength=count) for one in self._bins]
        counts = np.stack(found) / self._bins[0].size
        # What is there in most frames is the scene and the robot, at whatever place.
        usual = np.quantile(counts, limits.FOREIGN_USUAL, axis=0)
        over = np.maximum(counts - limits.FOREIGN_TIMES * usual - limits.FOREIGN_FLOOR, 0.0)
        self.share: Floats = over.sum(axis=1)
        self._counts = counts
        self._foreign = over / np.maximum(counts, 1e-9)

    def where(self, frame: int) -> npt.NDArray[np.bool_]:
        """Return which pixels of a frame have foreign colours, of shape (s, s)."""
        return np.asarray(self._foreign[frame][self._bins[frame]] > 0.5)

    def before(self, frame: int, first: int) -> float:
        """Return the largest share of a frame before `first` that has the foreign colours of one.

        Args:
            frame: Whose foreign colours.
            first: The frames before it are looked at.
        """
        own = self._counts[:first, self._foreign[frame] > 0.5]
        return float(own.sum(axis=1).max(initial=0.0))


def by_colour(pictures: Image) -> Palette:
    """Return the palette of pictures, uint8 of shape (T, s, s, 3)."""
    return Palette(np.stack([_binned(picture) for picture in pictures]), _LEVELS**3)


def by_hue(hues: npt.NDArray[np.float32]) -> Palette:
    """Return the palette of hues, of shape (T, s, s, 2), whatever their lightness.

    A robot of metal, its shadow and folds in cloth have many colours and few hues.
    """
    steps = np.clip(np.rint(hues / _HUE) + _HUES // 2, 0, _HUES - 1).astype(np.int32)
    return Palette(steps[..., 0] * _HUES + steps[..., 1], _HUES**2)


def _binned(picture: Image) -> Bins:
    level = (picture // (256 // _LEVELS)).astype(np.int32)
    return (level[..., 0] * _LEVELS + level[..., 1]) * _LEVELS + level[..., 2]
