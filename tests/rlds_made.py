"""RLDS datasets made by hand, byte for byte, with nothing of the code that reads them."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

__all__ = ["crc32c", "declared", "example", "framed", "masked", "write_rlds"]


def crc32c(data):
    """Return the checksum bit by bit, as RFC 3720 writes it down."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF)


def framed(payload):
    """Return a record of a tfrecord file."""
    length = struct.pack("<Q", len(payload))
    return length + masked(length) + payload + masked(payload)


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def feature(values):
    """Return the Feature of a list of bytes, of floats or of whole numbers."""
    if isinstance(values, list):
        return field(1, b"".join(field(1, v) for v in values))
    flat = np.asarray(values).ravel()
    if flat.dtype.kind == "f":
        return field(2, field(1, flat.astype("<f4").tobytes()))
    return field(3, field(1, b"".join(varint(int(v)) for v in flat)))


def example(features):
    """Return the bytes of a tf.train.Example."""
    entries = [field(1, key.encode()) + field(2, feature(v)) for key, v in features.items()]
    return field(1, b"".join(field(1, entry) for entry in entries))


def leaf(kind):
    """Return how TFDS describes one feature: an image, a text, or a dtype and a shape."""
    if kind == "text":
        return {"pythonClassName": "text_feature.Text", "text": {}}
    if isinstance(kind, str):
        return {"image": {"dtype": kind, "encodingFormat": "png", "shape": {"dimensions": ["4"]}}}
    dtype, *shape = kind
    dimensions = {"dimensions": [str(size) for size in shape]} if shape else {}
    return {"tensor": {"dtype": dtype, "encoding": "none", "shape": dimensions}}


def declared(features):
    """Return the text of features.json for features by key, such as "steps/action"."""
    tree = {}
    for key, kind in features.items():
        *folders, name = key.split("/")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[name] = kind

    def described(node):
        if not isinstance(node, dict):
            return leaf(node)
        return {"featuresDict": {"features": {k: described(v) for k, v in node.items()}}}

    whole = described(tree)
    inner = whole["featuresDict"]["features"]
    inner["steps"] = {"sequence": {"feature": inner["steps"]}}
    return json.dumps(whole)


def write_rlds(root, layout, episodes, *, name="demo", split="train"):
    """Write a dataset of `episodes`, lists by key; return its folder."""
    folder = Path(root)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "features.json").write_text(declared(layout))
    (folder / "dataset_info.json").write_text(json.dumps({"name": name}))
    data = b"".join(framed(example(episode)) for episode in episodes)
    (folder / f"{name}-{split}.tfrecord-00000-of-00001").write_bytes(data)
    return folder
