"""Large tables as typed columns: csv through arrow, JSON lines row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.episodes import tables
from assay.errors import InputError
from assay.records import Floats

__all__ = ["Columns", "Text", "read_csv"]

_Integers: TypeAlias = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A text column: row i holds `values[codes[i]]`; `codes` is of shape (N,)."""

    codes: _Integers
    values: Sequence[str]

    def code_of(self, value: str) -> int:
        """Return the code of `value`, or -1 when no row holds it."""
        return self.values.index(value) if value in self.values else -1


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A table by column.

    Attributes:
        path: The file.
        text: The text columns, each of N rows; an empty cell is "".
        numbers: The number columns, each of shape (N,); an empty cell is NaN.
        lines: Maps row numbers, counted from 0, to lines of the file, counted from 1. It may read
            the file again, so it is called once and only for a message.
    """

    path: Path
    text: Mapping[str, Text]
    numbers: Mapping[str, Floats]
    lines: Callable[[Sequence[int]], list[int]]

    def line(self, row: int) -> int:
        """Return the line of one row."""
        return self.lines([row])[0]


def read_csv(path: Path, text: Sequence[str], numbers: Sequence[str]) -> Columns:
    """Read those of the named columns that the table has; other columns are left alone.

    Arrow reads four million rows in about two seconds, but it names no row in its faults. So a
    table that it refuses is gone through once more, row by row, for a message with the row.
    """
    import pyarrow as pa
    from pyarrow import csv

    header_line, columns = tables.header_of(path)
    types: dict[str, pa.DataType] = {name: pa.float64() for name in numbers}
    types |= {name: pa.dictionary(pa.int32(), pa.string()) for name in text}
    wanted = [name for name in columns if name in types]
    try:
        table = csv.read_csv(
            path,
            csv.ReadOptions(column_names=columns, skip_rows=header_line),
            csv.ParseOptions(delimiter=_delimiter(path), newlines_in_values=True),
            csv.ConvertOptions(column_types=types, include_columns=wanted, null_values=[""]),
        )
    except pa.ArrowInvalid as error:
        raise _explain(path, [name for name in wanted if name in numbers], error) from error
    if not table.num_rows:
        raise InputError("has no rows.", path)
    return Columns(
        path,
        {name: _text(table[name]) for name in wanted if name in text},
        {name: _floats(table[name]) for name in wanted if name in numbers},
        lambda rows: _csv_lines(path, rows),
    )


def _delimiter(path: Path) -> str:
    with path.open(encoding="utf-8-sig") as file:
        return tables.delimiter_of(next((line for line in file if line.strip()), ""))


def _text(column: Any) -> Text:  # noqa: ANN401 - a pyarrow.ChunkedArray, which is imported late
    """Return the column with the blanks around its values taken off."""
    array = column.unify_dictionaries().combine_chunks()
    lookup: dict[str, int] = {}
    stripped = [lookup.setdefault(v.strip(), len(lookup)) for v in array.dictionary.to_pylist()]
    codes = array.indices.to_numpy()
    return Text(np.asarray(stripped, dtype=np.int32)[codes], tuple(lookup))


def _floats(column: Any) -> Floats:  # noqa: ANN401 - as above
    filled: Floats = column.fill_null(float("nan")).to_numpy()
    return filled


def _csv_lines(path: Path, rows: Sequence[int]) -> list[int]:
    """Return the lines of the given rows; the header is not a row."""
    wanted, found, last = set(rows), {}, max(rows)
    for row, (line, _) in enumerate(tables.iterate(path), start=-1):
        if row in wanted:
            found[row] = line
        if row >= last:
            break
    return [found[row] for row in rows]


def _explain(path: Path, numbers: Sequence[str], cause: Exception) -> InputError:
    """Find the first faulty row of a table that arrow refused and word its fault."""
    _, columns = tables.header_of(path)
    places = [(name, columns.index(name)) for name in numbers]
    count = 0
    for count, (line, cells) in enumerate(tables.iterate(path, blanks=" \t")):  # as arrow
        if count == 0:
            continue
        if len(cells) != len(columns):
            return InputError(tables.wrong_width(cells, columns), path, line)
        for name, place in places:
            if cells[place] and not _is_number(cells[place]):
                return InputError(f"{name} is {cells[place]!r}, which is not a number.", path, line)
    return InputError(f"is not a csv table: {cause}." if count else "has no rows.", path)


def _is_number(cell: str) -> bool:
    """Tell whether arrow reads the cell: Python alone knows 1_000 and digits of other scripts."""
    try:
        float(cell)
    except ValueError:
        return False
    return cell.isascii() and "_" not in cell
