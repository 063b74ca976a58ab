"""Arrays of a Zarr group of format 2 or 3: rows of them, chunk by chunk."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.zarr_groups.codecs import check_codec, unpack
from assay.episodes.zarr_groups.stores import MOST_BYTES, Store
from assay.episodes.zarr_groups.version3 import in_words_of_2

__all__ = ["Array", "load_array"]

_MOST_CHUNKS = 1 << 20  # of one stretch of rows
_DEEPEST = 8
_NUMBERS = re.compile(r"[<>|=]?[biuf]\d{1,2}")


@dataclass(frozen=True, slots=True)
class Array:
    """What `.zarray` or `zarr.json` says of one array, and where its chunks are."""

    store: Store
    name: str
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    compressor: dict[str, Any] | None
    fill: object
    order: str
    separator: str
    prefix: str = ""

    def rows(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Return the rows `start` to `stop`, of shape (stop - start, ...).

        Raises:
            ValueError: A chunk is damaged, or the stretch is too long to be held.
        """
        if not 0 <= start <= stop <= self.shape[0]:
            raise ValueError(f"{self.name} has {self.shape[0]} rows, not {stop}")
        shape = (stop - start, *self.shape[1:])
        if math.prod(shape) * self.dtype.itemsize > MOST_BYTES:
            raise ValueError(f"{self.name}: rows {start} to {stop} have over {MOST_BYTES} bytes")
        found = np.empty(shape, self.dtype)
        first, last = start // self.chunks[0], -(-stop // self.chunks[0])
        others = [
            range(-(-size // step))
            for size, step in zip(self.shape[1:], self.chunks[1:], strict=True)
        ]
        if (last - first) * math.prod(map(len, others)) > _MOST_CHUNKS:
            raise ValueError(f"{self.name}: rows {start} to {stop} lie in too many chunks")
        for index in itertools.product(range(first, last), *others):
            chunk = self._chunk(index)
            into, taken = [], []
            for axis, (place, step) in enumerate(zip(index, self.chunks, strict=True)):
                low, high = (start, stop) if axis == 0 else (0, self.shape[axis])
                begin, end = max(place * step, low), min((place + 1) * step, high)
                into.append(slice(begin - low, end - low))
                taken.append(slice(begin - place * step, end - place * step))
            found[tuple(into)] = chunk[tuple(taken)]
        return found

    def _chunk(self, index: tuple[int, ...]) -> npt.NDArray[Any]:
        """Return one chunk; one that is not stored is full of the fill value."""
        name = f"{self.name}/{self.prefix}{self.separator.join(map(str, index))}"
        data = self.store.get(name)
        if data is None:
            return np.full(self.chunks, 0 if self.fill is None else self.fill, self.dtype)
        size = math.prod(self.chunks) * self.dtype.itemsize
        values = np.frombuffer(unpack(data, self.compressor, size), self.dtype)
        return values.reshape(self.chunks, order="F" if self.order == "F" else "C")


def load_array(store: Store, name: str) -> Array:
    """Return the array `name`.

    Raises:
        ValueError, TypeError: There is none, or it is of a kind that is not read.
        MissingExtraError: A package is needed to unpack it.
    """
    about = _about(store, name)
    if about.get("filters"):
        raise ValueError(f"{name} has filters, which are not read")
    compressor = about.get("compressor")
    if compressor is not None and not isinstance(compressor, dict):
        raise ValueError(f"{name} has the compressor {compressor!r}")
    check_codec(compressor)
    shape, chunks = (_sizes(about.get(key), name, key) for key in ("shape", "chunks"))
    dtype = about.get("dtype")
    if not isinstance(dtype, str) or not _NUMBERS.fullmatch(dtype):
        raise ValueError(f"{name} holds {str(dtype)[:40]!r}, not numbers")
    if len(shape) != len(chunks) or not shape or len(shape) > _DEEPEST or 0 in chunks:
        raise ValueError(f"{name} has the shape {shape} in chunks of {chunks}")
    if math.prod(chunks) * np.dtype(dtype).itemsize > MOST_BYTES:
        raise ValueError(f"{name} has chunks of more than {MOST_BYTES} bytes")
    fill = about.get("fill_value")
    fill = float(fill) if isinstance(fill, str) else fill  # "NaN" and "Infinity"
    order, separator = str(about.get("order", "C")), str(about.get("dimension_separator", "."))
    if separator not in (".", "/"):
        raise ValueError(f"{name} has the separator {separator!r}")
    return Array(
        store, name, shape, chunks, np.dtype(dtype), compressor, fill, order, separator,
        prefix=about["prefix"],
    )  # fmt: skip


def _about(store: Store, name: str) -> dict[str, Any]:
    """Return what is said of an array, in the words of format 2."""
    for file, version in ((".zarray", 2), ("zarr.json", 3)):
        text = store.get(f"{name}/{file}")
        if text is None:
            continue
        about = json.loads(text)
        if not isinstance(about, dict):
            raise TypeError(f"{name}/{file} holds no object")
        if about.get("zarr_format") != version:
            told = about.get("zarr_format")
            raise ValueError(f"{name}/{file} is of Zarr format {told!r}; {version} is due")
        return about | {"prefix": ""} if version == 2 else in_words_of_2(about, name)
    raise ValueError(f"there is no array {name!r}")


def _sizes(value: object, name: str, key: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(
        isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 40 for n in value
    ):
        raise ValueError(f"'{key}' of {name} is {str(value)[:80]}")
    return tuple(value)
