"""Small text tables, and the words for every fault in a header or a cell.

A table is a csv file in UTF-8, with or without a byte order mark, separated by commas, semicolons
or tabs. Column names are read without regard to case. Rows are numbered as an editor numbers
lines: the header is row 1.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.episodes.faults import check_file
from assay.errors import InputError, nearest

__all__ = [
    "FLAGS",
    "Row",
    "bad_flag",
    "check_known",
    "check_required",
    "delimiter_of",
    "header_of",
    "iterate",
    "no_such",
    "quoted",
    "read_rows",
    "read_text",
    "wrong_width",
]

FLAGS: Mapping[str, bool] = {
    **dict.fromkeys(("1", "1.0", "true", "yes"), True),
    **dict.fromkeys(("0", "0.0", "false", "no"), False),
}
"""How yes and no are written in a cell, in lower case."""


_MOST_COLUMNS = 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a small table: its `line` in the file and its non-empty `cells` by column."""

    line: int
    cells: Mapping[str, str]


def read_text(path: Path) -> str:
    """Return the whole text of `path`, which must be UTF-8."""
    check_file(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}.", path) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8 text; save it as UTF-8.", path, row) from error


def delimiter_of(header: str) -> str:
    """Return the separator that cuts `header` into the most cells: comma, semicolon or tab."""
    return max(",;\t", key=header.count)


def iterate(path: Path, blanks: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the stripped cells of each row, the header first; skip blank lines.

    Args:
        path: The table.
        blanks: The characters to strip; by default all that Unicode calls blank.
    """
    check_file(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = delimiter_of(next((line for line in file if line.strip()), ""))
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter)
            line = 1
            for cells in reader:
                if cells:
                    yield line, [cell.strip(blanks) for cell in cells]
                line = reader.line_num + 1
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}.", path) from error
    except UnicodeDecodeError:
        read_text(path)  # words the fault with its row
        raise
    except csv.Error as error:
        raise InputError(f"is not a csv table: {error}.", path, reader.line_num) from error


def header_of(path: Path) -> tuple[int, list[str]]:
    """Return the header's line and its column names in lower case; each name stands once."""
    line, cells = next(iterate(path), (1, []))
    if len(cells) > _MOST_COLUMNS:
        raise InputError(
            f"the header has {len(cells)} columns; at most {_MOST_COLUMNS} are read.", path, line
        )
    columns = [cell.casefold() for cell in cells]
    twice = next((name for name, count in Counter(columns).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"the column {twice!r} stands twice in the header.", path, line)
    return line, columns


def read_rows(path: Path) -> tuple[list[str], list[Row]]:
    """Return the column names and the rows of a small table; a table without rows is refused."""
    _, columns = header_of(path)
    rows = []
    for number, (line, cells) in enumerate(iterate(path)):
        if number == 0:
            continue
        if len(cells) != len(columns):
            raise InputError(wrong_width(cells, columns), path, line)
        filled = {name: cell for name, cell in zip(columns, cells, strict=True) if cell}
        rows.append(Row(line, filled))
    if not rows:
        raise InputError("has no rows.", path)
    return columns, rows


def wrong_width(cells: Sequence[str], columns: Sequence[str]) -> str:
    """Word a row whose number of cells is not the header's."""
    count = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
    return f"the row has {count}, the header has {len(columns)}."


def check_required(
    path: Path, found: Iterable[str], required: Iterable[str], row: int | None = None
) -> None:
    """Refuse a table, or one JSON row of it, that lacks one of the `required` columns."""
    have, needed = list(found), list(required)
    for name in needed:
        if name not in have:
            close = [other for other in nearest(name, have) if other not in needed]
            hint = f" Nearest: {quoted(close)}." if close else ""
            listed = ", ".join(have) if have else "none"
            raise InputError(
                f"the column {name!r} is missing.{hint} Columns found: {listed}.", path, row
            )


def check_known(path: Path, found: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a table with a column that is not `known`."""
    for name in found:
        if name not in known:
            close = nearest(name, known)
            hint = f" Nearest: {quoted(close)}." if close else ""
            raise InputError(
                f"the column {name!r} is not known.{hint} Allowed: {', '.join(known)}.", path
            )


def no_such(kind: str, missing: Sequence[str], known: Iterable[str]) -> str:
    """Word rows that belong to nothing: the first of the `missing` names, and what is near it."""
    close = nearest(missing[0], known, count=3)
    hint = f"; nearest: {quoted(close)}" if close else ""
    more = len(missing) - 1
    also = f" {more} more row{'s' * (more > 1)} match{'es' * (more == 1)} nothing." if more else ""
    return f"no {kind} {missing[0]!r}{hint}.{also}"


def bad_flag(column: str, text: object) -> str:
    """Word a cell that should hold yes or no and holds something else."""
    return f"{column} is {text!r}; allowed: 1, 0, true, false, yes, no, or an empty cell."


def quoted(names: Iterable[str]) -> str:
    """Return the names in quotes, joined by commas."""
    return ", ".join(repr(name) for name in names)
