"""Recorded answers: `item,answer` in csv, jsonl or parquet."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from assay.benchmarks.pulse.scores import INVALID
from assay.episodes import jsonlines, tables
from assay.errors import InputError

__all__ = ["read_answers"]

_COLUMNS = ("item", "answer")
_MEANT = {"1": 1, "+1": 1, "1.0": 1, "-1": -1, "-1.0": -1, "0": 0, "0.0": 0}


def read_answers(path: Path, items: Collection[str]) -> dict[str, int]:
    """Return 1, -1, 0 or `INVALID` by item; what is no such number can't be parsed.

    Raises:
        InputError: A row names an item that is not there, or one for the second time.
    """
    known = frozenset(items)
    found: dict[str, int] = {}
    for row, item, answer in _rows(path):
        if item not in known:
            raise InputError(tables.no_such("item", [item], known), path, row)
        if item in found:
            raise InputError(f"the item {item!r} is answered twice.", path, row)
        found[item] = _MEANT.get(answer.strip(), INVALID)
    return found


def _rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield row, item and answer."""
    if path.suffix == ".parquet":
        yield from _parquet(path)
    elif path.suffix == ".jsonl":
        for line, row in jsonlines.iterate(path):
            tables.check_required(path, row, _COLUMNS, line)
            item, answer = (jsonlines.text(row[name], name, path, line) for name in _COLUMNS)
            yield line, item, answer
    else:
        columns, rows = tables.read_rows(path)
        tables.check_required(path, columns, _COLUMNS)
        for one in rows:
            yield one.line, one.cells.get("item", ""), one.cells.get("answer", "")


def _parquet(path: Path) -> Iterator[tuple[int, str, str]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"can't be read as parquet ({error}).", path) from error
    tables.check_required(path, table.column_names, _COLUMNS)
    for number, row in enumerate(table.select(list(_COLUMNS)).to_pylist(), start=1):
        item, answer = (jsonlines.text(row[name], name, path, number) for name in _COLUMNS)
        yield number, item, answer
