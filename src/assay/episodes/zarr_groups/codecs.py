"""Unpack the chunks of Zarr arrays, never to more bytes than the array's shape allows."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import MissingExtraError

__all__ = ["CODECS", "check_codec", "unpack"]

CODECS = ("blosc", "gzip", "imagecodecs_jpegxl", "lz4", "zlib", "zstd")
_BY_NUMCODECS = {"blosc": "Blosc", "lz4": "LZ4", "zstd": "Zstd"}


def check_codec(compressor: Mapping[str, Any] | None) -> None:
    """Refuse a coding whose package is not installed.

    Raises:
        MissingExtraError: The package is missing.
        ValueError: The coding is not known.
    """
    name = None if compressor is None else str(compressor.get("id"))
    if name in _BY_NUMCODECS:
        _import("numcodecs", "Reading this Zarr group", "zarr")
    elif name == "imagecodecs_jpegxl":
        _import("imagecodecs", "Reading pictures in JPEG-XL, as UMI stores them,", "umi")
    elif name is not None and name not in CODECS:
        raise ValueError(f"the coding {name!r} is not known; known: {', '.join(CODECS)}")


def unpack(data: bytes, compressor: Mapping[str, Any] | None, size: int) -> bytes:
    """Return the `size` bytes of a chunk.

    Raises:
        ValueError: The data is damaged, or gives another number of bytes.
    """
    name = None if compressor is None else str(compressor.get("id"))
    if name is None:
        found = data
    elif name in ("zlib", "gzip"):
        found = _inflated(data, size)
    elif name in _BY_NUMCODECS:
        found = _decoded(data, _BY_NUMCODECS[name], size)
    elif name == "imagecodecs_jpegxl":
        found = _pictures(data, size)
    else:
        raise ValueError(f"the coding {name!r} is not known")
    if len(found) != size:
        raise ValueError(f"a chunk has {len(found)} bytes where {size} are due")
    return found


def _inflated(data: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj(32 + zlib.MAX_WBITS).decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError(f"a chunk can't be unpacked ({error})") from error


def _decoded(data: bytes, name: str, size: int) -> bytes:
    import numcodecs

    if name == "Blosc" and (len(data) < 16 or int.from_bytes(data[12:16], "little") > len(data)):
        raise ValueError("a chunk is cut off")  # Blosc trusts the length in its header
    room = np.empty(size, np.uint8)
    try:
        # It is told how much room there is, and refuses to give more.
        getattr(numcodecs, name)().decode(data, out=room)
    except RuntimeError as error:
        raise ValueError(f"a chunk can't be unpacked ({error})") from error
    return room.tobytes()


def _pictures(data: bytes, size: int) -> bytes:
    """Return the picture of a chunk in JPEG-XL."""
    import imagecodecs

    try:
        picture: np.ndarray[Any, Any] = imagecodecs.jpegxl_decode(data)
    except RuntimeError as error:
        raise ValueError(f"a picture can't be decoded ({error})") from error
    if picture.nbytes != size:
        raise ValueError(f"a picture has {picture.nbytes} bytes where {size} are due")
    return picture.tobytes()


def _import(package: str, feature: str, extra: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingExtraError(feature, package, extra)
