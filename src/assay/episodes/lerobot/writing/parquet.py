"""The parquet files of a written LeRobot dataset."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from assay.records import Episode

__all__ = ["RollingParquet", "own_row", "to_arrow", "write_names", "write_own"]

_MATRIX = pa.list_(pa.float64())
_SEGMENT = pa.struct(
    [
        pa.field("name", pa.string()),
        pa.field("start_s", pa.float64()),
        pa.field("end_s", pa.float64()),
        pa.field("kind", pa.string()),
    ]
)
_VIEW = pa.struct(
    [
        pa.field("name", pa.string()),
        pa.field("moves", pa.bool_()),
        pa.field("intrinsics", _MATRIX),
        pa.field("world_from_camera", _MATRIX),
    ]
)
_TEXTS = ("id", "task", "instruction", "policy", "world", "scene", "perturbation")
_FIELDS: dict[str, pa.DataType] = {
    "episode_index": pa.int64(),
    "length": pa.int64(),
    **dict.fromkeys(_TEXTS, pa.string()),
    "seed": pa.int64(),
    "outcome": pa.bool_(),
    "segments": pa.list_(_SEGMENT),
    "views": pa.list_(_VIEW),
}


class RollingParquet:
    """Parquet files that follow each other; each takes tables until `limit` bytes are passed.

    Args:
        path_of: Returns the path of a file by its number.
        limit: Size of a file's tables in memory [bytes].
    """

    def __init__(self, path_of: Callable[[int], Path], limit: int) -> None:
        self._path_of = path_of
        self._limit = limit
        self._writer: pq.ParquetWriter | None = None
        self._bytes = 0
        self.file = -1

    def place(self, size: int) -> int:
        """Return the number of the file that a table of `size` bytes will go to."""
        if self.file < 0 or (self._bytes and self._bytes + size > self._limit):
            self.close()
            self.file += 1
            self._bytes = 0
        return self.file

    def write(self, table: pa.Table) -> None:
        """Write the table as one row group into the current file."""
        if self._writer is None:
            path = self._path_of(self.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(path, table.schema, compression="snappy")
        self._bytes += table.nbytes
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def close(self) -> None:
        """Finish the current file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def to_arrow(values: npt.NDArray[Any]) -> pa.Array[Any]:
    """Return a column: scalars for (T,) and (T, 1), lists of fixed size for (T, D)."""
    if values.ndim == 1 or values.shape[1] == 1:
        flat = values.reshape(len(values))
        return pa.array(flat.tolist(), pa.string()) if flat.dtype.kind == "U" else pa.array(flat)
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def write_names(path: Path, what: str, names: list[str]) -> None:
    """Write `meta/tasks.parquet` or `meta/subtasks.parquet`.

    LeRobot reads the texts as the index of a pandas frame; the note that makes them so is written
    by hand, which spares the dependency.
    """
    index = "__index_level_0__"
    note = {
        "index_columns": [index],
        "column_indexes": [],
        "columns": [
            {
                "name": f"{what}_index",
                "field_name": f"{what}_index",
                "pandas_type": "int64",
                "numpy_type": "int64",
                "metadata": None,
            },
            {
                "name": None,
                "field_name": index,
                "pandas_type": "unicode",
                "numpy_type": "object",
                "metadata": None,
            },
        ],
    }
    fields: dict[str, pa.DataType] = {f"{what}_index": pa.int64(), index: pa.string()}
    schema = pa.schema(fields).with_metadata({b"pandas": json.dumps(note).encode()})
    columns: dict[str, list[Any]] = {f"{what}_index": list(range(len(names))), index: names}
    table = pa.Table.from_pydict(columns, schema=schema)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def own_row(episode: Episode, index: int, length: int) -> dict[str, Any]:
    """Return the fields of an episode that LeRobot has no place for."""
    return {
        "episode_index": index,
        "length": length,
        **{name: getattr(episode, name) for name in (*_TEXTS, "seed", "outcome")},
        "segments": [
            {"name": s.name, "start_s": s.start_s, "end_s": s.end_s, "kind": s.kind}
            for s in episode.segments
        ],
        "views": [
            {
                "name": name,
                "moves": view.moves,
                "intrinsics": view.camera and view.camera.intrinsics.ravel().tolist(),
                "world_from_camera": view.camera and view.camera.world_from_camera.ravel().tolist(),
            }
            for name, view in sorted(episode.views.items())
        ],
    }


def write_own(path: Path, rows: list[dict[str, Any]], layout: Mapping[str, Any]) -> None:
    """Write `meta/assay_episodes.parquet`, which LeRobot ignores."""
    note = {b"assay": json.dumps(layout, sort_keys=True).encode()}
    schema = pa.schema(_FIELDS).with_metadata(note)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
