"""The tables of a LeRobot dataset's `meta` folder: tasks, subtasks, episodes, our own fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.episodes.lerobot.layout import OWN
from assay.episodes.lerobot.reading.info import Info
from assay.episodes.paths import inside
from assay.errors import InputError, nearest

__all__ = ["OwnFields", "episode_rows", "load_names", "load_own", "open_parquet"]


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a parquet file; a file that isn't one is an `InputError`."""
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"this is not a readable parquet file ({error}).", path) from error


def load_names(info: Info, what: str) -> dict[int, str]:
    """Return the texts of `meta/tasks` or `meta/subtasks` by index; empty without such a file.

    Args:
        info: The dataset.
        what: "task" or "subtask".
    """
    table = inside(info.root, f"meta/{what}s.parquet")
    if table.is_file():
        return _names_of_table(table, what)
    lines = inside(info.root, f"meta/{what}s.jsonl")
    if lines.is_file():
        return {
            _integer(row, f"{what}_index", lines, number): str(row.get(what, ""))
            for number, row in _json_lines(lines)
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
    elif lines.is_file():
        for number, row in _json_lines(lines):
            yield row | {"episode_index": _integer(row, "episode_index", lines, number)}
    else:
        raise InputError(
            "there is no episode table: neither meta/episodes/*/*.parquet nor meta/episodes.jsonl.",
            info.root,
        )


class OwnFields:
    """The fields Assay keeps for each episode in `meta/assay_episodes.parquet`.

    Attributes:
        file: The file, for messages.
        layout: What the writer noted of its columns: "state" and "signals"; empty without a file.
    """

    def __init__(self, file: Path, table: pa.Table | None) -> None:
        self.file = file
        self.layout: Mapping[str, Any] = {}
        self._table = table
        self._row_of: dict[int, int] = {}
        if table is not None:
            self._row_of = {
                int(index): row for row, index in enumerate(table["episode_index"].to_numpy())
            }
            self.layout = json.loads((table.schema.metadata or {}).get(b"assay", b"{}"))

    def of(self, episode_index: int) -> Mapping[str, Any]:
        """Return the fields of one episode, empty when there are none."""
        row = self._row_of.get(episode_index)
        if row is None or self._table is None:
            return {}
        return self._table.slice(row, 1).to_pylist()[0]


def load_own(info: Info) -> OwnFields:
    """Read our own per-episode fields, if the dataset has them."""
    file = inside(info.root, OWN)
    if not file.is_file():
        return OwnFields(file, None)
    table = open_parquet(file).read()
    _require(table.column_names, "episode_index", file)
    return OwnFields(file, table)


def _parquet_rows(file: Path) -> Iterator[Mapping[str, Any]]:
    table = open_parquet(file)
    names = table.schema_arrow.names
    _require(names, "episode_index", file)
    kept = [name for name in names if not name.startswith("stats/")]
    for batch in table.iter_batches(batch_size=256, columns=kept):
        yield from batch.to_pylist()


def _names_of_table(file: Path, what: str) -> dict[int, str]:
    table = open_parquet(file).read()
    texts = table[_text_column(table, what, file)].to_pylist()
    column = f"{what}_index"
    indexes = table[column].to_numpy() if column in table.column_names else range(len(texts))
    return {int(i): str(text) for i, text in zip(indexes, texts, strict=True)}


def _text_column(table: pa.Table, what: str, file: Path) -> str:
    """Find the column of texts: the pandas index, the one named for it, or any of strings."""
    strings = [
        field.name
        for field in table.schema
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
    ]
    pandas = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
    wanted = [*pandas.get("index_columns", []), "__index_level_0__", what]
    for name in wanted:
        if name in strings:  # a range index is an object, not a name
            return str(name)
    if strings:
        return strings[0]
    raise InputError(f"no column holds the text of the {what}s.", file)


def _json_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row from 1, object) for the lines that are not blank."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise InputError(f"this line is not JSON ({error}).", file, number) from error
            if not isinstance(row, dict):
                raise InputError("this line must hold a JSON object.", file, number)
            yield number, row


def _integer(row: Mapping[str, Any], key: str, file: Path, number: int) -> int:
    value = row.get(key)
    if not isinstance(value, int):
        raise InputError(f"{key!r} must be a whole number, found {value!r}.", file, number)
    return value


def _require(names: list[str], wanted: str, file: Path) -> None:
    if wanted not in names:
        close = nearest(wanted, names)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"there is no column {wanted!r}.{hint}", file)
