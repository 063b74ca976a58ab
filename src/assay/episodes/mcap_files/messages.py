"""What the messages hold that are read: pictures and joints, of Foxglove and of ROS 2; our JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.wire import FIXED64, LENGTH, blobs, fields

__all__ = ["JOINTS", "PICTURES", "Joints", "value_of"]

Joints = tuple[list[str], dict[str, npt.NDArray[np.float64]]]
_PARTS = ("position", "velocity", "effort")
_DEEPEST = 1_000_000  # entries of a list


def _foxglove_picture(data: bytes) -> bytes:
    """Return the data of a foxglove.CompressedImage."""
    for start, stop in blobs(data, 0, len(data), 2):
        return data[start:stop]
    raise ValueError("the message holds no picture")


def _ros_picture(data: bytes) -> bytes:
    """Return the data of a sensor_msgs/msg/CompressedImage."""
    cdr = _Cdr(data)
    cdr.header()
    cdr.text()  # the coding, which the bytes tell too
    return cdr.take(cdr.number("I"))


def _ros_joints(data: bytes) -> Joints:
    """Return names, positions, velocities and efforts of a sensor_msgs/msg/JointState."""
    cdr = _Cdr(data)
    cdr.header()
    names = [cdr.text() for _ in range(cdr.count())]
    return names, {part: cdr.doubles() for part in _PARTS}


def _foxglove_joints(data: bytes) -> Joints:
    """Return the same of a foxglove.JointStates."""
    names: list[str] = []
    found: dict[str, list[float]] = {part: [] for part in _PARTS}
    for start, stop in blobs(data, 0, len(data), 2):
        name = ""
        for field, wire, a, b in fields(data, start, stop):
            if field == 1 and wire == LENGTH:
                name = data[a:b].decode("utf-8")
            elif 2 <= field <= 4 and wire == FIXED64:
                found[_PARTS[field - 2]].append(struct.unpack_from("<d", data, a)[0])
        names.append(name)
    return names, {part: np.array(values) for part, values in found.items()}


def value_of(data: bytes) -> npt.NDArray[Any] | str | None:
    """Return what stands under "value" in a message of JSON: numbers, flags or a text.

    None for anything else: the channel then tells something that is not read.
    """
    found = json.loads(data)
    value = found.get("value") if isinstance(found, Mapping) else None
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float) or (isinstance(value, list) and value):
        array = np.array(value)
        return array if array.dtype.kind in "biuf" and array.ndim <= 1 else None
    return None


PICTURES: dict[tuple[str, str], Callable[[bytes], bytes]] = {
    ("protobuf", "foxglove.CompressedImage"): _foxglove_picture,
    ("cdr", "sensor_msgs/msg/CompressedImage"): _ros_picture,
}
"""How to get at the coded picture, by message encoding and name of the schema."""

JOINTS: dict[tuple[str, str], Callable[[bytes], Joints]] = {
    ("protobuf", "foxglove.JointStates"): _foxglove_joints,
    ("cdr", "sensor_msgs/msg/JointState"): _ros_joints,
}
"""How to get at the joints, likewise."""


class _Cdr:
    """Read a message of ROS 2: numbers are aligned to their size, counted after four bytes."""

    def __init__(self, data: bytes) -> None:
        if len(data) < 4 or data[1] not in (0, 1):
            raise ValueError("the message is not in plain CDR")
        self._data, self._at = data, 4
        self._order = "<" if data[1] == 1 else ">"

    def header(self) -> None:
        """Pass over a std_msgs/Header."""
        self.number("i")
        self.number("I")
        self.text()

    def number(self, kind: str) -> int:
        """Return one number, as `struct` names its kind."""
        form = struct.Struct(self._order + kind)
        self._align(form.size)
        return int(form.unpack(self.take(form.size))[0])

    def count(self) -> int:
        """Return the length of a list."""
        count = self.number("I")
        if count > min(_DEEPEST, len(self._data)):
            raise ValueError("a list is longer than its message")
        return count

    def text(self) -> str:
        """Return a text; its length counts the null at its end."""
        return self.take(self.number("I")).rstrip(b"\0").decode("utf-8")

    def doubles(self) -> npt.NDArray[np.float64]:
        """Return a list of numbers with a point."""
        count = self.count()
        if count:
            self._align(8)
        return np.frombuffer(self.take(8 * count), f"{self._order}f8").astype(np.float64)

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        end = self._at + size
        if end > len(self._data):
            raise ValueError("a part of the message is longer than the message")
        part = self._data[self._at : end]
        self._at = end
        return part

    def _align(self, size: int) -> None:
        self._at += -(self._at - 4) % size
