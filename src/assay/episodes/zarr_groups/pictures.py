"""Pictures of one view in a Zarr array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.faults import PARSING, worded
from assay.episodes.zarr_groups.arrays import Array, load_array
from assay.episodes.zarr_groups.stores import open_store
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["ArrayPictures", "as_picture", "is_pictures"]


def is_pictures(array: Array) -> bool:
    """Tell whether an array holds RGB pictures: (N, H, W, 3) or (N, 3, H, W), 0 to 255.

    Numbers with a point may stand for 0 to 255 or for 0 to 1; only the former are pictures here,
    which the first one decides.
    """
    if len(array.shape) != 4 or 3 not in (array.shape[1], array.shape[3]) or not array.shape[0]:
        return False
    if array.dtype.kind == "f":
        return bool(np.nan_to_num(array.rows(0, 1)).max(initial=0) > 1)
    return array.dtype == np.uint8


def as_picture(stored: npt.NDArray[Any]) -> Image:
    """Return one stored picture as uint8 RGB (H, W, 3); numbers with a point are rounded."""
    turned = stored if stored.shape[-1] == 3 else np.moveaxis(stored, 0, -1)
    if turned.dtype != np.uint8:
        turned = np.clip(np.rint(np.nan_to_num(turned)), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(turned)


@dataclass(frozen=True, slots=True)
class ArrayPictures:
    """The rows `start` to `stop` of the array `name` of the group at `path`."""

    path: str
    name: str
    start: int
    stop: int

    def key(self) -> str:
        """Return the group, the array and the rows in one text."""
        return f"{self.path}[{self.name}][{self.start}:{self.stop}]"

    def read(self, numbers: Sequence[int]) -> Iterator[Image]:
        """Yield the wanted pictures, unpacking each chunk once."""
        try:
            array = load_array(open_store(Path(self.path)), self.name)
            for _, group in groupby(numbers, lambda n: (n + self.start) // array.chunks[0]):
                rows = [number + self.start for number in group]
                values = array.rows(rows[0], rows[-1] + 1)
                yield from (as_picture(values[row - rows[0]]) for row in rows)
        except PARSING as error:
            raise EpisodeError(f"{self.key()} can't be read ({worded(error)}).") from error
