"""Open the parquet tables of a LeRobot dataset and check what their columns hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from assay.episodes.faults import check_file
from assay.errors import InputError, nearest

__all__ = ["check_numbers", "open_parquet", "require", "whole_numbers"]


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a parquet file; a file that isn't one is an `InputError`."""
    check_file(path)
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"this is not a readable parquet file ({error}).", path) from error


def require(names: list[str], wanted: str, file: Path) -> None:
    """Refuse a table that lacks the column `wanted`."""
    if wanted not in names:
        close = nearest(wanted, names)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"there is no column {wanted!r}.{hint}", file)


def whole_numbers(column: Any, name: str, file: Path, before: int = 0) -> list[int]:  # noqa: ANN401 - an array, chunked or not
    """Return a column of whole numbers from 0 on, one in each row.

    Args:
        column: The column.
        name: Its name, for messages.
        file: Its file, for messages.
        before: How many rows of the file stand before it.
    """
    if not pa.types.is_integer(column.type):
        raise InputError(
            f"the column {name!r} holds {column.type}; whole numbers are needed.", file, before + 1
        )
    missing = np.asarray(column.is_null())
    values = np.asarray(column.fill_null(-1))
    wrong = np.flatnonzero(missing | (values < 0))
    if len(wrong):
        row = int(wrong[0])
        found = "nothing" if missing[row] else values[row]
        raise InputError(
            f"the column {name!r} holds {found}; a whole number from 0 on is needed.",
            file,
            before + row + 1,
        )
    return [int(value) for value in values]


def check_numbers(schema: pa.Schema, endings: tuple[str, ...], file: Path) -> None:
    """Refuse columns that hold no numbers although their names end in one of `endings`."""
    for field in schema:
        kind = field.type
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)
        if field.name.endswith(endings) and not number:
            raise InputError(f"the column {field.name!r} holds {kind}; numbers are needed.", file)
