"""Pictures stored in an array of an HDF5 file: as pixels, or as PNG or JPEG bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.episodes.faults import worded
from assay.episodes.hdf5.nodes import Node, opened
from assay.errors import EpisodeError
from assay.records import Image

if TYPE_CHECKING:
    import h5py

__all__ = ["StoredPictures", "check_pictures"]

_MOST_BLOCK = 1 << 26  # of frames held at once, in bytes, when chunks hold many of them


@dataclass(frozen=True, slots=True)
class StoredPictures:
    """The pictures of one view in an HDF5 file, opened when asked for.

    Attributes:
        path: The file.
        dataset: The array's place in it.
        upside_down: Whether row 0 is the lowest one, as OpenGL counts.
        start: The number of the first picture in the array.
    """

    path: str
    dataset: str
    upside_down: bool = False
    start: int = 0

    def key(self) -> str:
        """Return the file, the array and how it is read."""
        flip = ", flipped" if self.upside_down else ""
        return f"{self.path}::{self.dataset}[{self.start}:]{flip}"

    def read(self, numbers: Sequence[int]) -> Iterator[bytes | Image]:
        """Yield the pictures of these increasing numbers; what a chunk holds is unpacked once."""
        with opened(Path(self.path)) as root:
            kind = check_pictures(root, self.dataset)
            stored = root.dataset(self.dataset)
            for number in _blocks(root, self.dataset, stored, [self.start + n for n in numbers]):
                yield self._pixels(number) if kind == "pixels" else _encoded(number)

    def _pixels(self, stored: Any) -> Image:  # noqa: ANN401 - a row of the array
        image = np.asarray(stored)
        return np.ascontiguousarray(image[::-1] if self.upside_down else image)


def check_pictures(root: Node, key: str) -> Literal["pixels", "encoded"]:
    """Tell how the array at `key` holds pictures, or refuse it."""
    import h5py

    found = root.dataset(key)
    shape = tuple(found.shape)
    if found.dtype == np.uint8 and len(shape) == 4 and shape[3] == 3:
        return "pixels"
    if found.dtype == np.uint8 and len(shape) == 2:  # JPEG bytes, padded with zeros
        return "encoded"
    # Lists of any length, opaque values or byte texts, one a picture.
    if len(shape) == 1 and (
        h5py.check_vlen_dtype(found.dtype) == np.uint8
        or found.dtype.kind in "SV"
        or h5py.check_string_dtype(found.dtype) is not None
    ):
        return "encoded"
    raise root.fault(
        key,
        f"has the shape {shape} of {found.dtype}; pictures are (T, H, W, 3) of uint8, "
        "or PNG or JPEG bytes, one a row",
    )


def _encoded(stored: Any) -> bytes:  # noqa: ANN401 - bytes, an opaque value or a row of uint8
    found: bytes = stored if isinstance(stored, bytes) else np.asarray(stored).tobytes()
    return found.rstrip(b"\0")


def _blocks(root: Node, key: str, stored: h5py.Dataset, numbers: Sequence[int]) -> Iterator[Any]:
    """Yield the rows `numbers`, reading at once what shares a chunk and fits into memory."""
    one = max(math.prod(stored.shape[1:]) * stored.dtype.itemsize, 1)
    if one > _MOST_BLOCK:
        raise root.fault(key, f"has the shape {tuple(stored.shape)}, too large for pictures")
    size = min((stored.chunks or (1,))[0], max(_MOST_BLOCK // one, 1))
    start, block = -1, None
    for number in numbers:
        if not 0 <= number < len(stored):
            raise EpisodeError(f"{root.path}: '{key}' has no picture {number}.")
        if block is None or number // size != start:
            start = number // size
            try:
                block = stored[start * size : (start + 1) * size]
            except (OSError, ValueError, RuntimeError, TypeError) as error:
                words = f"{root.path}: '{key}', picture {number} can't be read ({worded(error)})."
                raise EpisodeError(words) from error
        yield block[number - start * size]
