"""The tables of a LeRobot dataset's `meta` folder: tasks, subtasks and episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from assay.episodes import jsonlines
from assay.episodes.faults import reading, shown
from assay.episodes.lerobot.reading.info import Info
from assay.episodes.lerobot.reading.parquet import (
    check_numbers,
    open_parquet,
    require,
    whole_numbers,
)
from assay.episodes.paths import inside
from assay.errors import InputError

__all__ = ["episode_rows", "load_names"]

_NUMBERS = ("/chunk_index", "/file_index", "/from_timestamp", "/to_timestamp")
_ENDLESS = 2**63  # what the columns of a data file can't hold


def load_names(info: Info, what: str) -> dict[int, str]:
    """Return the texts of `meta/tasks` or `meta/subtasks` by index; empty without such a file.

    Args:
        info: The dataset.
        what: "task" or "subtask".
    """
    table = inside(info.root, f"meta/{what}s.parquet")
    if table.exists():
        return _names_of_table(table, what)
    lines = inside(info.root, f"meta/{what}s.jsonl")
    if lines.exists():
        return {
            _integer(row, f"{what}_index", lines, number): str(row.get(what, ""))
            for number, row in jsonlines.iterate(lines)
        }
    return {}


def episode_rows(info: Info) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of the episode table, in order, without their statistics.

    The table is `meta/episodes/*/*.parquet` or `meta/episodes.jsonl`, whichever exists: datasets
    tagged v3.0 with files of v2.1 are about.
    """
    folder = inside(info.root, "meta/episodes")
    files = sorted(folder.glob("*/*.parquet")) or sorted(folder.glob("*.parquet"))
    lines = inside(info.root, "meta/episodes.jsonl")
    if files:
        for file in files:
            yield from _parquet_rows(inside(info.root, file, file=info.file))
    elif lines.exists():
        for number, row in jsonlines.iterate(lines):
            yield row | {"episode_index": _integer(row, "episode_index", lines, number)}
    else:
        raise InputError(
            "there is no episode table: neither meta/episodes/*/*.parquet nor meta/episodes.jsonl.",
            info.root,
        )


def _parquet_rows(file: Path) -> Iterator[Mapping[str, Any]]:
    with reading(file):
        table = open_parquet(file)
        names = table.schema_arrow.names
        require(names, "episode_index", file)
        check_numbers(table.schema_arrow, _NUMBERS, file)
        kept = [name for name in names if not name.startswith("stats/")]
        before = 0
        for batch in table.iter_batches(batch_size=256, columns=kept):
            whole_numbers(batch["episode_index"], "episode_index", file, before)
            before += len(batch)
            yield from batch.to_pylist()


def _names_of_table(file: Path, what: str) -> dict[int, str]:
    with reading(file):
        table = open_parquet(file).read()
        texts = table[_text_column(table, what, file)].to_pylist()
        column = f"{what}_index"
        indexes: Iterable[int] = range(len(texts))
        if column in table.column_names:
            indexes = whole_numbers(table[column], column, file)
        return {i: str(text) for i, text in zip(indexes, texts, strict=True)}


def _text_column(table: pa.Table, what: str, file: Path) -> str:
    """Find the column of texts: the pandas index, the one named for it, or any of strings."""
    strings = [
        field.name
        for field in table.schema
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
    ]
    pandas = jsonlines.parse((table.schema.metadata or {}).get(b"pandas", b"{}").decode(), file)
    index = pandas.get("index_columns") if isinstance(pandas, dict) else None
    wanted = [*(index if isinstance(index, list) else []), "__index_level_0__", what]
    for name in wanted:
        if name in strings:  # a range index is an object, not a name
            return str(name)
    if strings:
        return strings[0]
    raise InputError(f"no column holds the text of the {what}s.", file)


def _integer(row: Mapping[str, Any], key: str, file: Path, number: int) -> int:
    value = row.get(key)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 0 <= cast("int", value) < _ENDLESS:
        raise InputError(
            f"{key!r} must be a whole number from 0 on, found {shown(repr(value))}.", file, number
        )
    return cast("int", value)
