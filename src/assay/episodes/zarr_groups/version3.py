"""What `zarr.json` of Zarr format 3 says of an array, in the words of format 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["in_words_of_2"]

_COMPRESSORS = ("blosc", "gzip", "zstd")
_TYPES = ("bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
          "float16", "float32", "float64")  # fmt: skip
_ORDERS = {"little": "<", "big": ">"}


def in_words_of_2(about: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the content of `.zarray` that means the same; `prefix` begins the names of chunks.

    Raises:
        ValueError: The array has a coding or a grid that is not read.
    """
    if about.get("node_type") != "array":
        raise ValueError(f"{name} is no array")
    kind = about.get("data_type")
    if kind not in _TYPES:
        raise ValueError(f"{name} holds {str(kind)[:40]!r}, not numbers")
    order, compressor = _codecs(about, name)
    naming, keys = _part(about, "chunk_key_encoding", name)
    grid, sizes = _part(about, "chunk_grid", name)
    if grid != "regular" or naming not in ("default", "v2"):
        raise ValueError(f"{name} has chunks {grid!r} named {naming!r}; regular ones are read")
    separator = keys.get("separator", "/" if naming == "default" else ".")
    return {
        "zarr_format": 2,
        "shape": about.get("shape"),
        "chunks": sizes.get("chunk_shape"),
        "dtype": f"{order}{_short(str(kind))}",
        "compressor": compressor,
        "fill_value": about.get("fill_value"),
        "dimension_separator": separator,
        "prefix": f"c{separator}" if naming == "default" else "",
    }


def _short(kind: str) -> str:
    """Return the name of a type as numpy writes it: float32 is f4."""
    if kind == "bool":
        return "b1"
    word = kind.rstrip("0123456789")
    return f"{word[0]}{int(kind[len(word) :]) // 8}"


def _codecs(about: Mapping[str, Any], name: str) -> tuple[str, dict[str, str] | None]:
    """Return the order of bytes, and the compressor: numbers as bytes, then at most one of them."""
    listed = about.get("codecs")
    parts = [_named(part, name, "codecs") for part in listed] if isinstance(listed, list) else []
    names = [codec for codec, _ in parts]
    if not names or names[0] != "bytes" or len(names) > 2 or not set(names[1:]) <= {*_COMPRESSORS}:
        known = ", ".join(_COMPRESSORS)
        told = ", ".join(names) or "none"
        raise ValueError(f"{name} has the codings {told[:80]}; bytes, then one of {known} is read")
    order = _ORDERS.get(str(parts[0][1].get("endian", "little")), "<")
    return order, {"id": names[1]} if len(names) == 2 else None


def _part(about: Mapping[str, Any], key: str, name: str) -> tuple[str, Mapping[str, Any]]:
    return _named(about.get(key), name, key)


def _named(part: object, name: str, key: str) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the settings of a part of the description."""
    if not isinstance(part, dict):
        raise TypeError(f"{key!r} of {name} is no object")
    settings = part.get("configuration", {})
    return str(part.get("name")), settings if isinstance(settings, dict) else {}
