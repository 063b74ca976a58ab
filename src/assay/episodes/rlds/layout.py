"""What `features.json` of a TFDS dataset says about the lists of its examples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.episodes import jsonlines, tables
from assay.episodes.faults import shown
from assay.errors import InputError

__all__ = ["Declared", "load_layout"]

_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Declared:
    """One feature: what it holds and, for numbers, the shape of one entry."""

    kind: Literal["numbers", "text", "image", "other"]
    shape: tuple[int, ...] = ()
    dtype: str = ""

    @property
    def size(self) -> int:
        """Return how many numbers one entry has."""
        return math.prod(self.shape)


def load_layout(file: Path) -> dict[str, Declared]:
    """Return the features by the key of their list, such as "steps/observation/state"."""
    root = jsonlines.parse(tables.read_text(file), file)
    found = dict(_walk(root, "", file))
    if not any(key.startswith("steps/") for key in found):
        raise InputError("declares no steps, so this is no RLDS dataset.", file)
    return found


def _walk(node: object, key: str, file: Path, depth: int = 0) -> Iterator[tuple[str, Declared]]:
    if not isinstance(node, dict) or depth > _DEEPEST:
        raise InputError(f"the feature {shown(key)!r} is not described by an object.", file)
    if "featuresDict" in node:
        inner = _get(_get(node, "featuresDict", key, file), "features", key, file)
        for name, child in inner.items():
            yield from _walk(child, f"{key}/{name}" if key else str(name), file, depth + 1)
    elif key == "steps" and "sequence" in node:
        yield from _walk(_get(node, "sequence", key, file).get("feature"), key, file, depth + 1)
    elif "image" in node:
        about = _get(node, "image", key, file)
        yield key, Declared("image", _shape(about, key, file), str(about.get("dtype", "uint8")))
    elif "text" in node:
        yield key, Declared("text")
    elif "tensor" in node:
        yield key, _tensor(_get(node, "tensor", key, file), key, file)
    else:
        yield key, Declared("other")  # sequences in steps, videos and what is yet to come


def _tensor(about: Mapping[str, Any], key: str, file: Path) -> Declared:
    dtype = str(about.get("dtype", ""))
    if dtype == "string":
        return Declared("text")
    if about.get("encoding", "none") not in ("none", "ENCODING_UNSPECIFIED"):
        return Declared("other")
    shape = _shape(about, key, file)
    if any(size < 1 for size in shape):  # a shape that differs from step to step
        return Declared("other")
    return Declared("numbers", shape, dtype)


def _shape(about: Mapping[str, Any], key: str, file: Path) -> tuple[int, ...]:
    """Return the shape; TFDS writes its numbers as text, and none at all for a scalar."""
    sizes = _get(about, "shape", key, file).get("dimensions", []) if "shape" in about else []
    try:
        shape = tuple(int(size) for size in sizes)
    except (TypeError, ValueError):
        shape = (-2,)
    if not all(-1 <= size < 1 << 31 for size in shape):
        raise InputError(f"the feature {shown(key)!r} has the shape {shown(sizes)}.", file)
    return shape


def _get(node: Mapping[str, Any], name: str, key: str, file: Path) -> dict[str, Any]:
    found = node.get(name)
    if not isinstance(found, dict):
        raise InputError(f"{name!r} of the feature {shown(key)!r} must be an object.", file)
    return found
