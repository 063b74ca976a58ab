"""Pictures that are stored as they are, of Foxglove and of ROS 2: rows of bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from assay.episodes.mcap_files.cdr import Cdr
from assay.episodes.wire import FIXED32, LENGTH, fields
from assay.records import Image

__all__ = ["LAYOUTS", "RawPicture", "foxglove_raw", "raw_picture", "ros_raw"]

LAYOUTS: dict[str, tuple[int, tuple[int, int, int]]] = {
    "bgr8": (3, (2, 1, 0)),
    "mono8": (1, (0, 0, 0)),
    "rgb8": (3, (0, 1, 2)),
}
"""Bytes a pixel, and which of them are red, green and blue, by encoding."""

_MOST_PIXELS = 64_000_000


@dataclass(frozen=True, slots=True)
class RawPicture:
    """A picture as it stands in a message: `step` bytes a row, `data` from the top left on."""

    width: int
    height: int
    encoding: str
    step: int
    data: bytes


def foxglove_raw(message: bytes) -> RawPicture:
    """Return what a foxglove.RawImage holds."""
    sizes = {2: 0, 3: 0, 5: 0}  # width, height, step
    encoding, data = "", b""
    for field, wire, start, stop in fields(message, 0, len(message)):
        if field in sizes and wire == FIXED32:
            sizes[field] = struct.unpack_from("<I", message, start)[0]
        elif field == 4 and wire == LENGTH:
            encoding = message[start:stop].decode("utf-8")
        elif field == 6 and wire == LENGTH:
            data = message[start:stop]
    return RawPicture(sizes[2], sizes[3], encoding, sizes[5], data)


def ros_raw(message: bytes) -> RawPicture:
    """Return what a sensor_msgs/msg/Image holds."""
    cdr = Cdr(message)
    cdr.header()
    height, width = cdr.number("I"), cdr.number("I")
    encoding = cdr.text()
    cdr.number("B")  # the order of bytes, of which a pixel has one a colour
    step = cdr.number("I")
    return RawPicture(width, height, encoding, step, cdr.take(cdr.number("I")))


def raw_picture(found: RawPicture) -> Image:
    """Return the picture as uint8 RGB of shape (H, W, 3).

    Raises:
        ValueError: The encoding is not read, or the sizes can't be true.
    """
    if found.encoding not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise ValueError(f"pixels in {found.encoding[:20]!r} are not read; {known} are")
    bytes_each, colours = LAYOUTS[found.encoding]
    used = found.width * bytes_each
    if not 0 < found.width * found.height <= _MOST_PIXELS or found.step < used:
        raise ValueError(
            f"a picture of {found.width} x {found.height} pixels has rows of {found.step} bytes"
        )
    due = found.step * (found.height - 1) + used  # the last row need not be padded
    if len(found.data) < due:
        raise ValueError(f"a picture has {len(found.data)} bytes where {due} are due")
    padded = found.data[:due].ljust(found.step * found.height, b"\0")
    rows = np.frombuffer(padded, np.uint8).reshape(found.height, found.step)[:, :used]
    pixels = rows.reshape(found.height, found.width, bytes_each)
    return np.ascontiguousarray(pixels[:, :, list(colours)])
