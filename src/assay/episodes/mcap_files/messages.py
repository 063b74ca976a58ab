"""What the messages hold that are read: pictures, video and joints, of Foxglove and ROS 2; JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Container, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.mcap_files.cdr import Cdr
from assay.episodes.mcap_files.raw import LAYOUTS, foxglove_raw, raw_picture, ros_raw
from assay.episodes.wire import FIXED64, LENGTH, blobs, fields
from assay.records import Image

__all__ = [
    "JOINTS",
    "PICTURES",
    "VIDEO",
    "Joints",
    "is_keyframe",
    "unread_form",
    "value_of",
    "video_data",
]

VIDEO = ("protobuf", "foxglove.CompressedVideo")
"""The kind whose messages are pictures of one video."""

Joints = tuple[list[str], dict[str, npt.NDArray[np.float64]]]
_IDR = 5  # the unit of H.264 that begins anew; 1 to 4 are other slices
_PARTS = ("position", "velocity", "effort")


def _foxglove_picture(data: bytes) -> bytes:
    """Return the data of a foxglove.CompressedImage."""
    for start, stop in blobs(data, 0, len(data), 2):
        return data[start:stop]
    raise ValueError("the message holds no picture")


def _ros_picture(data: bytes) -> bytes:
    """Return the data of a sensor_msgs/msg/CompressedImage."""
    cdr = Cdr(data)
    cdr.header()
    cdr.text()  # the coding, which the bytes tell too
    return cdr.take(cdr.number("I"))


def _ros_joints(data: bytes) -> Joints:
    """Return names, positions, velocities and efforts of a sensor_msgs/msg/JointState."""
    cdr = Cdr(data)
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


def video_data(message: bytes) -> bytes:
    """Return the coded picture of a foxglove.CompressedVideo."""
    for start, stop in blobs(message, 0, len(message), 3):
        return message[start:stop]
    raise ValueError("the message holds no picture")


def _video_form(data: bytes) -> str:
    """Return the format of a foxglove.CompressedVideo."""
    return "".join(data[a:b].decode("utf-8") for a, b in blobs(data, 0, len(data), 4))


_FORMS: dict[tuple[str, str], tuple[Callable[[bytes], str], Container[str]]] = {
    VIDEO: (_video_form, ("h264",)),
    ("protobuf", "foxglove.RawImage"): (lambda data: foxglove_raw(data).encoding, LAYOUTS),
    ("cdr", "sensor_msgs/msg/Image"): (lambda data: ros_raw(data).encoding, LAYOUTS),
}
# How to tell the form of a message, and which forms are read; kinds of one form are not here.


def unread_form(kind: tuple[str, str], data: bytes) -> str:
    """Return the form of a message if it is one that is not read, such as "h265", else ""."""
    if kind not in _FORMS:
        return ""
    tell, known = _FORMS[kind]
    form = tell(data)
    return "" if form in known else form[:20] or "no form"


def is_keyframe(message: bytes) -> bool:
    """Tell whether a message of video in H.264 needs none before it: its first slice is IDR."""
    data = video_data(message)
    at = data.find(b"\0\0\1")
    while 0 <= at < len(data) - 3:
        unit = data[at + 3] & 31
        if 1 <= unit <= _IDR:
            return unit == _IDR
        at = data.find(b"\0\0\1", at + 3)
    return False


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


PICTURES: dict[tuple[str, str], Callable[[bytes], bytes | Image]] = {
    ("protobuf", "foxglove.CompressedImage"): _foxglove_picture,
    ("cdr", "sensor_msgs/msg/CompressedImage"): _ros_picture,
    ("protobuf", "foxglove.RawImage"): lambda data: raw_picture(foxglove_raw(data)),
    ("cdr", "sensor_msgs/msg/Image"): lambda data: raw_picture(ros_raw(data)),
}
"""How to get at the picture, coded or raw, by message encoding and name of the schema."""

JOINTS: dict[tuple[str, str], Callable[[bytes], Joints]] = {
    ("protobuf", "foxglove.JointStates"): _foxglove_joints,
    ("cdr", "sensor_msgs/msg/JointState"): _ros_joints,
}
"""How to get at the joints, likewise."""
