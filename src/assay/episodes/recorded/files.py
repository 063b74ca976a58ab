"""Files of recorded curves, csv and JSON lines, as one stream of `Recorded`."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from assay.episodes import jsonlines, tables
from assay.episodes.recorded import fields
from assay.episodes.recorded.clocks import clock_fault, suspects
from assay.episodes.recorded.columns import Columns, Text, read_csv
from assay.episodes.recorded.curves import Recorded, gather
from assay.episodes.recorded.segments import read_segments
from assay.errors import InputError, nearest
from assay.records import Floats, Series

__all__ = ["read_recorded"]

_NUMBERS = ("t", "progress")
_TEXT = ("episode", *fields.FIELDS, "success")
_JsonRow: TypeAlias = tuple[int, dict[str, Any]]


def read_recorded(path: Path, required: Iterable[str] = ()) -> Iterator[Recorded]:
    """Yield the curves of a file, in the order in which their episodes first appear.

    Args:
        path: A `.jsonl` file, else a csv table.
        required: Columns that must be there besides `episode`, `t` and `progress`.
    """
    needed = ["episode", *required, *_NUMBERS]
    if path.suffix.lower() == ".jsonl":
        return _read_jsonl(path, needed)
    _, columns = tables.header_of(path)
    if not columns:
        raise InputError("has no rows.", path)
    tables.check_required(path, columns, needed)
    _warn_of_typing_errors(path, columns)
    return gather(read_csv(path, _TEXT, _NUMBERS))


def _warn_of_typing_errors(path: Path, found: Iterable[str]) -> None:
    """Say that a column is left out when its name looks like one that would be read."""
    for name in found:
        missing = [known for known in _TEXT if known not in found]
        close = [] if name in (*_TEXT, *_NUMBERS) else nearest(name, missing, count=1)
        if close:
            logging.getLogger("assay").warning(
                "%s: the column %r is not read; did you mean %r?", path, name, close[0]
            )


def _read_jsonl(path: Path, needed: list[str]) -> Iterator[Recorded]:
    """Read one row or one episode per line; the first line tells which of the two."""
    rows = jsonlines.iterate(path)
    first = next(rows, None)
    if first is None:
        raise InputError("has no rows.", path)
    every = chain([first], rows)
    if isinstance(first[1].get("t"), list):
        return _whole_episodes(path, needed, every)
    return gather(_flat_rows(path, needed, every))


def _flat_rows(path: Path, needed: list[str], rows: Iterable[_JsonRow]) -> Columns:
    """Gather JSON rows into columns."""
    lines = array("q")
    numbers = {name: array("d") for name in _NUMBERS}
    codes = {name: array("q") for name in _TEXT}
    values: dict[str, dict[str, int]] = {name: {} for name in _TEXT}
    for line, row in rows:
        if any(name not in row for name in needed):
            tables.check_required(path, row, needed, line)
        lines.append(line)
        for name, column in numbers.items():
            column.append(jsonlines.number(row[name], name, path, line))
        for name, known in values.items():
            cell = row.get(name, "")
            code = known.get(cell) if type(cell) is str else None
            if code is None:  # a new value, or one that is not yet text
                cell = jsonlines.text(cell, name, path, line)
                code = known.setdefault(cell, len(known))
            codes[name].append(code)
    return Columns(
        path,
        {name: Text(np.array(codes[name]), tuple(values[name])) for name in _TEXT},
        {name: np.array(column) for name, column in numbers.items()},
        lambda wanted: [lines[row] for row in wanted],
    )


def _whole_episodes(path: Path, needed: list[str], rows: Iterable[_JsonRow]) -> Iterator[Recorded]:
    seen: dict[str, int] = {}
    for line, row in rows:
        tables.check_required(path, row, needed, line)
        name = jsonlines.text(row["episode"], "episode", path, line)
        if not name:
            raise InputError("the episode has no id.", path, line)
        if name in seen:
            raise InputError(
                f"the episode {name!r} stands in row {seen[name]} already; "
                "one id must stand for one episode.",
                path,
                line,
            )
        seen[name] = line
        yield _whole_episode(path, line, name, row)


def _whole_episode(path: Path, line: int, name: str, row: dict[str, Any]) -> Recorded:
    times, progress = (_numbers(row[key], key, path, line) for key in _NUMBERS)
    labels = row.get("success")
    flags = [_flag(v, path, line) for v in (labels if isinstance(labels, list) else [labels])]
    fault = _fault(times, len(progress), len(flags) if isinstance(labels, list) else None)
    signals = {"progress": Series(times, progress)}
    outcome = next((flag for flag in reversed(flags) if flag is not None), None)
    if isinstance(labels, list) and not fault and outcome is not None:
        known = np.array([flag is not None for flag in flags])
        signals["success"] = Series(times[known], np.array(flags)[known].astype(np.bool_))
    return Recorded(
        name,
        path,
        lambda: line,
        _fields(row, path, line),
        signals,
        outcome,
        read_segments(row.get("segments"), path, line),
        f"{path}, row {line}: {fault}" if fault else "",
    )


def _fault(times: Floats, progress: int, success: int | None) -> str:
    """Word what is wrong with the lists of an episode; empty when nothing is."""
    for name, length in (("progress", progress), ("success", success)):
        if length not in (None, len(times)):
            return f"t has {len(times)} entries and {name} has {length}."
    if not len(times):
        return "the episode has no moments."
    marked = suspects(times)
    if not marked.any():
        return ""
    at = int(np.argmax(marked))
    before = float(times[at - 1]) if at else None
    return f"entry {at + 1}: {clock_fault(float(times[at]), before)}"


def _numbers(value: object, name: str, path: Path, line: int) -> Floats:
    if not isinstance(value, list):
        raise InputError(f"{name} must be a list, as in the first row.", path, line)
    return np.array([jsonlines.number(v, name, path, line) for v in value], dtype=np.float64)


def _flag(value: object, path: Path, line: int) -> bool | None:
    cell = jsonlines.text(value, "success", path, line)
    if cell and cell.casefold() not in tables.FLAGS:
        raise InputError(tables.bad_flag("success", value), path, line)
    return tables.FLAGS.get(cell.casefold())


def _fields(row: dict[str, Any], path: Path, line: int) -> dict[str, Any]:
    cells = {name: jsonlines.text(row.get(name), name, path, line) for name in fields.FIELDS}
    return fields.from_cells(cells, path, line)
