"""Msgpack with arrays, byte by byte as openpi's servers and clients write it.

An array is a map of four entries with bytes as keys: `__ndarray__` is true, `data` holds the
elements in C order, `dtype` is numpy's text such as "<f4", `shape` a list. A numpy scalar is a map
of `__npgeneric__`, `data` and `dtype`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import MissingExtraError

__all__ = ["pack", "require_msgpack", "unpack"]

_KINDS = "biuf"  # yes and no, whole numbers, numbers: never objects
_DTYPE = re.compile(rf"[<>|=][{_KINDS}]\d{{1,2}}")


def require_msgpack() -> None:
    """Import the package, or raise what to install."""
    try:
        import msgpack  # noqa: F401 - for later
    except ImportError as error:
        raise MissingExtraError("The policy websocket", "msgpack", "serving") from error


def pack(message: Mapping[str, Any]) -> bytes:
    """Return a message of texts, numbers, lists, maps and arrays as bytes."""
    import msgpack

    packed: bytes = msgpack.packb(message, default=_entries)
    return packed


def unpack(data: bytes) -> Any:  # noqa: ANN401 - whatever a server sends
    """Return the message in `data`; arrays in it are read-only.

    Raises:
        ValueError: This is no msgpack, or an array in it is none.
    """
    import msgpack

    try:
        return msgpack.unpackb(data, object_hook=_restored)
    except (msgpack.UnpackException, TypeError, KeyError, OverflowError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _entries(value: object) -> dict[bytes, Any]:
    """Return the map that stands for an array or a numpy scalar."""
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in _KINDS:
        raise TypeError(f"{type(value).__name__} can't be packed.")
    if isinstance(value, np.generic):
        return {b"__npgeneric__": True, b"data": value.item(), b"dtype": value.dtype.str}
    return {
        b"__ndarray__": True,
        b"data": value.tobytes(),
        b"dtype": value.dtype.str,
        b"shape": value.shape,
    }


def _restored(entries: dict[Any, Any]) -> Any:  # noqa: ANN401 - an array, a scalar, or a plain map
    """Return what a map stands for."""
    if b"__ndarray__" in entries:
        flat = np.frombuffer(entries[b"data"], _kind(entries[b"dtype"]))
        return flat.reshape(entries[b"shape"])
    if b"__npgeneric__" in entries:
        return _kind(entries[b"dtype"]).type(entries[b"data"])
    return entries


def _kind(text: object) -> np.dtype[Any]:
    """Return the type of elements that `text` names; a server must not make objects here."""
    if not isinstance(text, str) or not _DTYPE.fullmatch(text):
        raise ValueError(f"an array of {text!r} is not read")
    return np.dtype(text)
