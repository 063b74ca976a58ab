"""Pickled values in `.npy` and `.npz` files: opened only for those who say so, and only plain ones.

A pickle is a program. The one that is run here may make lists, dicts, numbers, texts and numpy
arrays, and nothing else: whatever else it names is refused before it is looked up. Arrays are made
by functions of our own, since those of numpy trust what a pickle says of their memory.
"""

from __future__ import annotations

import pickle
import re
import tokenize
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from assay.episodes.faults import PARSING, check_file, worded
from assay.errors import EpisodeError

__all__ = ["load_npy", "unpickled"]

_MOST_BYTES = 1 << 29
_KINDS = re.compile(r"[|<>=]?(b|[iufSU]\d+|O8?)[1-8]?")
_FAULTS = (
    *PARSING,
    *(pickle.UnpicklingError, EOFError, AttributeError, MemoryError, ImportError, SystemError),
    *(SyntaxError, tokenize.TokenError),  # a header is written like Python
)


class _Kind:
    """Stands for numpy's dtype: of numbers, texts or objects, without fields."""

    def __init__(self, name: object, *_: object) -> None:
        if not isinstance(name, str) or not _KINDS.fullmatch(name):
            raise pickle.UnpicklingError(f"it asks for the type {str(name)[:40]!r}")
        self.real = np.dtype(name)

    def __setstate__(self, state: Any) -> None:  # noqa: ANN401 - whatever was stored
        _, order, *structure = state
        if structure[:3] != [None, None, None]:
            raise pickle.UnpicklingError("it asks for a type with fields")
        self.real = self.real.newbyteorder(order)


class _Cells:
    """Stands for numpy's ndarray, which `array` is in the end."""

    def __init__(self, *_: object) -> None:
        self.array: npt.NDArray[Any] = np.empty(0)

    def __setstate__(self, state: Any) -> None:  # noqa: ANN401 - whatever was stored
        _, shape, kind, fortran, data = state
        if kind.real.hasobject:
            flat = np.empty(len(data), object)
            flat[:] = data
        else:
            flat = np.frombuffer(data, kind.real)
        self.array = flat.reshape(shape, order="F" if fortran else "C")


def _from_buffer(data: bytes, kind: _Kind, shape: Any, order: str) -> _Cells:  # noqa: ANN401
    made = _Cells()
    made.__setstate__((1, shape, kind, order == "F", bytes(data)))
    return made


def _scalar(kind: _Kind, data: bytes = b"") -> Any:  # noqa: ANN401 - any number or text
    if kind.real.hasobject:
        raise pickle.UnpicklingError("it asks for an object in place of a number")
    return np.frombuffer(data, kind.real)[0]


def _bytes(text: str, _coding: str = "latin1") -> bytes:
    """Return bytes as pickles of old hold them."""
    return text.encode("latin1")


def _no_bytes() -> bytes:
    """Return empty bytes, which pickles of old ask for."""
    return b""


# What numpy writes for an array or a number, by the names of its versions 1 and 2.
_MAKERS = {
    ("multiarray", "_reconstruct"): _Cells,
    ("multiarray", "scalar"): _scalar,
    ("numeric", "_frombuffer"): _from_buffer,
}
_ALLOWED: dict[tuple[str, str], Any] = {
    **{
        (f"numpy.{core}.{file}", name): make
        for core in ("core", "_core")
        for (file, name), make in _MAKERS.items()
    },
    ("numpy", "ndarray"): _Cells,
    ("numpy", "dtype"): _Kind,
    ("_codecs", "encode"): _bytes,
    ("__builtin__", "bytes"): _no_bytes,
    ("builtins", "bytes"): _no_bytes,
}


class _Plain(pickle.Unpickler):
    """An unpickler that makes plain values alone."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - as in the base class
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not opened")
        return _ALLOWED[module, name]


def _loaded(stream: IO[bytes]) -> Any:  # noqa: ANN401 - whatever was stored
    """Return the value that is pickled in `stream`, with arrays of numpy in it."""
    return _real(_Plain(stream).load())


def _real(value: Any) -> Any:  # noqa: ANN401 - whatever was stored
    """Return a value with arrays in place of what stands for them."""
    if isinstance(value, _Cells):
        if value.array.dtype.hasobject:
            for place, inner in enumerate(value.array.flat):
                value.array.flat[place] = _real(inner)
        return value.array
    if isinstance(value, dict):
        return {_real(key): _real(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_real(inner) for inner in value)
    if isinstance(value, type | _Kind) or callable(value):
        raise pickle.UnpicklingError("it holds a type or a function")
    return value


def unpickled(stream: IO[bytes]) -> Any:  # noqa: ANN401 - whatever was stored
    """Return the plain value that is pickled in `stream`.

    Raises:
        ValueError: It is none, or asks for anything else.
    """
    try:
        return _loaded(stream)
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
            found = _loaded(file)
    except _FAULTS as error:
        raise EpisodeError(f"{path}: can't be used ({worded(error)}).", "invalid_value") from error
    return found.item() if isinstance(found, np.ndarray) and shape == () == found.shape else found
