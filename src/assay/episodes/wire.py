"""The wire format of protobuf messages: fields, and where they are. Nothing is copied.

A message is a row of fields: a tag (number and wire type), then a number, four or eight bytes, or a
length and so many bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["FIXED32", "FIXED64", "LENGTH", "VARINT", "blobs", "fields", "varint"]

VARINT = 0
FIXED64 = 1
LENGTH = 2
FIXED32 = 5


def fields(data: bytes, start: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, wire type, begin and end of each field of the message at `start` to `stop`.

    Raises:
        ValueError: The bytes are no message; no field may leave it.
    """
    at = start
    while at < stop:
        tag, at = varint(data, at, stop)
        field, wire = tag >> 3, tag & 7
        if wire == LENGTH:
            length, at = varint(data, at, stop)
            end = at + length
        elif wire == VARINT:
            _, end = varint(data, at, stop)
        elif wire == FIXED32:
            end = at + 4
        elif wire == FIXED64:
            end = at + 8
        else:
            raise ValueError(f"a field has the unknown wire type {wire}")
        if end > stop:
            raise ValueError("a field is longer than its message")
        yield field, wire, at, end
        at = end


def blobs(data: bytes, start: int, stop: int, number: int = 1) -> Iterator[tuple[int, int]]:
    """Yield where each entry of the field `number` that has a length begins and ends."""
    for field, wire, a, b in fields(data, start, stop):
        if field == number and wire == LENGTH:
            yield a, b


def varint(data: bytes, at: int, stop: int) -> tuple[int, int]:
    """Return the number at `at`, and where it ends."""
    value = shift = 0
    while at < stop and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError("a number of the message does not end")
