"""Pickled values in `.npy` and `.npz` files: opened only for those who say so, and only plain ones.

A pickle is a program. The one that is run here may make lists, dicts, numbers, texts and numpy
arrays, and nothing else: whatever else it names is refused before it is looked up.
"""

from __future__ import annotations

import pickle
import tokenize
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from assay.episodes.faults import PARSING, check_file, worded
from assay.errors import EpisodeError

__all__ = ["load_npy", "unpickled"]

_MOST_BYTES = 1 << 29
# What numpy writes for an array or a number, by the names of its versions 1 and 2.
_ARRAYS = (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
_ALLOWED = {
    *((f"numpy.{core}.{file}", name) for core in ("core", "_core") for file, name in _ARRAYS),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
}
_FAULTS = (
    *PARSING,
    *(pickle.UnpicklingError, EOFError, AttributeError, MemoryError, ImportError),
    *(SyntaxError, tokenize.TokenError),  # a header is written like Python
)


class _Plain(pickle.Unpickler):
    """An unpickler that makes plain values alone."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - as in the base class
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not opened")
        return super().find_class(module, name)


def unpickled(stream: IO[bytes]) -> Any:  # noqa: ANN401 - whatever was stored
    """Return the plain value that is pickled in `stream`.

    Raises:
        ValueError: It is none, or asks for anything else.
    """
    try:
        return _Plain(stream).load()
    except _FAULTS as error:
        raise ValueError(str(error) or f"a pickle is damaged ({worded(error)})") from error


def load_npy(path: Path) -> Any:  # noqa: ANN401 - whatever was stored
    """Return the one value that numpy's `save` put into `path`: an array, or a pickled value."""
    check_file(path)
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise EpisodeError(f"{path}: has {size} bytes, which is too large to read.")
    try:
        with path.open("rb") as file:
            version = npy.read_magic(file)
            header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, _, dtype = header(file)
            if not dtype.hasobject:
                file.seek(0)
                return npy.read_array(file, allow_pickle=False)
            found = _Plain(file).load()
    except _FAULTS as error:
        raise EpisodeError(f"{path}: can't be used ({worded(error)}).", "invalid_value") from error
    return found.item() if isinstance(found, np.ndarray) and shape == () == found.shape else found
