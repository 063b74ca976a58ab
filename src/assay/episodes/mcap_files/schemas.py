"""Descriptions of the messages that we write, as MCAP files carry them."""

from __future__ import annotations

import json

__all__ = ["IMAGE", "PICTURE", "VALUE", "VALUE_SCHEMA", "picture_message", "picture_schema"]

PICTURE = "foxglove.CompressedImage"
VALUE = "assay_value"
VALUE_SCHEMA = json.dumps(
    {"title": VALUE, "type": "object", "properties": {"value": {}}, "required": ["value"]}
).encode()

# Field types of protobuf's descriptor.proto.
_TYPES = {"int64": 3, "int32": 5, "string": 9, "message": 11, "bytes": 12}
_TIMESTAMP = ".google.protobuf.Timestamp"
IMAGE = {"timestamp": (1, "message"), "frame_id": (4, "string"), "data": (2, "bytes"),
         "format": (3, "string")}  # fmt: skip
"""The fields of a picture: their numbers and types."""


def picture_schema() -> bytes:
    """Return the FileDescriptorSet of foxglove.CompressedImage and of the time in it."""
    time = _file(
        "google/protobuf/timestamp.proto", "google.protobuf", "Timestamp",
        {"seconds": (1, "int64"), "nanos": (2, "int32")},
    )  # fmt: skip
    image = _file(
        "foxglove/CompressedImage.proto", "foxglove", "CompressedImage", IMAGE,
        dependency="google/protobuf/timestamp.proto",
    )  # fmt: skip
    return _field(1, time) + _field(1, image)


def picture_message(nanoseconds: int, frame: str, data: bytes, form: str = "jpeg") -> bytes:
    """Return a foxglove.CompressedImage."""
    seconds, nanos = divmod(nanoseconds, 10**9)
    stamp = b"\x08" + _varint(seconds) + b"\x10" + _varint(nanos)
    parts = {"timestamp": stamp, "frame_id": frame.encode(), "data": data, "format": form.encode()}
    return b"".join(_field(IMAGE[name][0], part) for name, part in parts.items())


def _file(
    path: str, package: str, name: str, fields: dict[str, tuple[int, str]], dependency: str = ""
) -> bytes:
    """Return a FileDescriptorProto with one message."""
    described = b"".join(_field(2, _described(key, *about)) for key, about in fields.items())
    content = _field(1, path.encode()) + _field(2, package.encode())
    if dependency:
        content += _field(3, dependency.encode())
    return content + _field(4, _field(1, name.encode()) + described) + _field(12, b"proto3")


def _described(name: str, number: int, kind: str) -> bytes:
    """Return a FieldDescriptorProto: name, number, label "optional", type and, if any, its name."""
    content = _field(1, name.encode()) + b"\x18" + _varint(number) + b"\x20\x01"
    content += b"\x28" + _varint(_TYPES[kind])
    return content + (_field(6, _TIMESTAMP.encode()) if kind == "message" else b"")


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
