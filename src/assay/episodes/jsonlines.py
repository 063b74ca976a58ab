"""Files with one JSON object per line, and the words for every fault in them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.episodes import tables
from assay.episodes.faults import check_file
from assay.errors import InputError

__all__ = ["iterate", "number", "parse", "read_object", "text"]


def iterate(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line, counted from 1, and the object of each line; skip blank lines."""
    check_file(path)
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line, raw in enumerate(file, start=1):
                if not raw.strip():
                    continue
                row = parse(raw, path, line)
                if not isinstance(row, dict):
                    raise InputError("the line is not a JSON object.", path, line)
                yield line, row
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}.", path) from error
    except UnicodeDecodeError:
        tables.read_text(path)  # words the fault with its row
        raise


def parse(raw: str, path: object, row: int | None = None) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a JSON text."""
    try:
        return json.loads(raw)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if row is None else ""
        where = f"{line}column {error.colno}"
        raise InputError(f"is not JSON: {error.msg} at {where}.", path, row) from error
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond Python's limits
        raise InputError("is JSON with a number too long or lists too deep.", path, row) from error


def read_object(path: Path) -> dict[str, Any]:
    """Return the one JSON object that the file at `path` holds."""
    found = parse(tables.read_text(path), path)
    if not isinstance(found, dict):
        raise InputError("the file must hold one JSON object.", path)
    return found


def text(value: object, name: str, path: object, row: int | None) -> str:
    """Return a JSON value as a cell: null is "", numbers and booleans are written out."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and not value.isascii():
        _check_text(value, name, path, row)
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise InputError(f"{name} is {_shown(value)}; text is needed.", path, row)


def _check_text(value: str, name: str, path: object, row: int | None) -> None:
    """Refuse halves of characters, which JSON can spell and no text file can hold."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is {value!a}, which is not text.", path, row) from error


def number(value: object, name: str, path: object, row: int | None) -> float:
    """Return a JSON value as a number; null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name} is {_shown(value)}, which is not a number.", path, row)
    try:
        return float(value)
    except OverflowError as error:
        raise InputError(f"{name} is too large for a number.", path, row) from error


def _shown(value: object) -> str:
    kinds = {list: "a list", dict: "a JSON object", bool: str(value).lower()}
    return kinds.get(type(value), repr(value))
