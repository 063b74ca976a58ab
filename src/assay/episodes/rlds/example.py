"""The few messages of a `tf.train.Example`, read without protobuf.

An Example holds one Features, that holds entries of a key and a Feature, and a Feature holds one
of three lists: bytes (field 1), floats (field 2) or whole numbers (field 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.wire import FIXED32, LENGTH, VARINT, blobs, fields, varint

__all__ = ["Feature", "features"]

_KINDS = {1: "bytes", 2: "floats", 3: "integers"}


@dataclass(frozen=True, slots=True)
class Feature:
    """A list of an example: its kind, and where its bytes are in the record."""

    kind: str
    start: int
    stop: int

    def numbers(self, record: bytes) -> npt.NDArray[Any]:
        """Return the numbers, float32 or int64, of shape (N,).

        Raises:
            ValueError: The bytes are no such list.
        """
        if self.kind == "bytes":
            raise ValueError("it holds bytes where numbers are due")
        parts = [
            _packed(self.kind, record[start:stop])
            if wire == LENGTH
            else _single(self.kind, wire, record[start:stop])
            for field, wire, start, stop in fields(record, self.start, self.stop)
            if field == 1
        ]
        empty = np.empty(0, np.float32 if self.kind == "floats" else np.int64)
        return np.concatenate(parts) if parts else empty

    def texts(self, record: bytes) -> list[bytes]:
        """Return the entries of a list of bytes."""
        if self.kind != "bytes":
            raise ValueError("it holds numbers where bytes are due")
        return [record[a:b] for a, b in blobs(record, self.start, self.stop)]


def features(record: bytes) -> dict[str, Feature]:
    """Return the lists of an example by key; nothing of them is copied.

    Raises:
        ValueError: The bytes are no example.
    """
    found: dict[str, Feature] = {}
    for start, stop in blobs(record, 0, len(record)):
        for begin, end in blobs(record, start, stop):
            key, value = "", None
            for field, wire, a, b in fields(record, begin, end):
                if field == 1 and wire == LENGTH:
                    key = record[a:b].decode("utf-8")
                elif field == 2 and wire == LENGTH:
                    value = _feature(record, a, b)
            if value is not None:
                found[key] = value
    return found


def _feature(record: bytes, start: int, stop: int) -> Feature | None:
    for field, wire, a, b in fields(record, start, stop):
        if field in _KINDS and wire == LENGTH:
            return Feature(_KINDS[field], a, b)
    return None  # an empty list may be left out


def _packed(kind: str, data: bytes) -> npt.NDArray[Any]:
    if kind == "floats":
        return np.frombuffer(data, "<f4")
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at, len(data))
        values.append(_signed(value))
    return np.array(values, np.int64)


def _single(kind: str, wire: int, data: bytes) -> npt.NDArray[Any]:
    if kind == "floats" and wire == FIXED32:
        return np.frombuffer(data, "<f4")
    if kind == "integers" and wire == VARINT:
        return np.array([_signed(varint(data, 0, len(data))[0])], np.int64)
    raise ValueError("a list of numbers holds something else")


def _signed(value: int) -> int:
    """Return the 64 bits of `value` as a signed number."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value
