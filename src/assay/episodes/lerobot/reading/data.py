"""The data files of a LeRobot dataset: one episode's columns at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from assay.errors import EpisodeError, InputError

__all__ = ["DataFiles", "Rows", "check_kind", "to_numpy"]

_AHEAD = 512  # rows of small groups that are read at once


@dataclass(frozen=True, slots=True)
class Rows:
    """One episode's rows: `table` holds the light columns of rows `start` to `stop` of `file`.

    Columns of pictures are in `schema` but not in `table`; they are read when looked at.
    """

    file: Path
    start: int
    stop: int
    table: pa.Table
    schema: pa.Schema


class DataFiles:
    """Reads episodes out of data files; keeps one file open and a few row groups in memory.

    Writers put one episode in a row group, or all in one: either way no group is read twice for
    episodes that follow each other.

    Args:
        heavy: The columns of pictures, which are not read.
    """

    def __init__(self, heavy: frozenset[str]) -> None:
        self._heavy = heavy
        self._path: Path | None = None
        self._first, self._held = 0, pa.table({})  # rows in memory, and the number of the first

    def rows(self, path: Path, episode_index: int) -> Rows:
        """Return the rows of one episode; `EpisodeError` when the file or the rows are missing."""
        try:
            self._open(path)
            start, stop = self._span(episode_index)
            table = self._read(start, stop)
        except (OSError, pa.ArrowException) as error:
            self.close()
            raise EpisodeError(f"{path}: this is not a readable parquet file ({error}).") from error
        return Rows(path, start, stop, table, self._schema)

    def close(self) -> None:
        """Close the open file, if any."""
        if self._path is not None:
            self._file.close()
        self._path, self._first, self._held = None, 0, pa.table({})

    def _open(self, path: Path) -> None:
        if path == self._path:
            return
        self.close()
        if not path.is_file() or path.stat().st_size == 0:
            raise EpisodeError(f"{path}: the data file is missing or empty.")
        self._file = pq.ParquetFile(path)
        self._path = path
        self._schema = self._file.schema_arrow
        names = self._schema.names
        meta = self._file.metadata
        self._ends = np.cumsum([meta.row_group(i).num_rows for i in range(meta.num_row_groups)])
        self._light = [name for name in names if name not in self._heavy]
        self._spans = None
        if "episode_index" in names:
            # The whole column is small (8 bytes a frame) and spares trust in statistics.
            column = self._file.read(columns=["episode_index"], use_threads=False)
            self._check_index(column["episode_index"])
            self._spans = _spans(column["episode_index"].to_numpy())

    def _check_index(self, column: pa.ChunkedArray[Any]) -> None:
        number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        if number and not column.null_count:
            return
        path = self._path
        self.close()  # the next episode must not take this file for one that was read
        raise EpisodeError(
            f"{path}: the column 'episode_index' holds {column.type} with {column.null_count} "
            "empty cells; a number in each row is needed.",
            "invalid_value",
        )

    def _span(self, episode_index: int) -> tuple[int, int]:
        """Return the first row and the row after the last of an episode in the open file."""
        if self._spans is None:  # one file an episode: all rows are its own
            span = [(0, self._file.metadata.num_rows)]
        else:
            span = self._spans.get(episode_index, [])
        if not span or span == [(0, 0)]:
            raise EpisodeError(f"{self._path}: no row has episode_index {episode_index}.")
        if len(span) > 1:
            raise EpisodeError(
                f"{self._path}: the rows of episode_index {episode_index} are not in one piece.",
                "invalid_value",
            )
        return span[0]

    def _read(self, start: int, stop: int) -> pa.Table:
        """Return the rows `start` to `stop` of the open file."""
        end = self._first + self._held.num_rows
        if start < self._first or stop > end:
            kept = [self._held.slice(start - self._first)] if self._first <= start < end else []
            group = int(np.searchsorted(self._ends, end if kept else start, side="right"))
            self._held = pa.concat_tables([*kept, self._groups(group, stop)])
            self._first = start if kept else (int(self._ends[group - 1]) if group else 0)
        return self._held.slice(start - self._first, stop - start)

    def _groups(self, first: int, stop: int) -> pa.Table:
        """Read the row groups from `first` to the one that holds the row before `stop`.

        Small ones after them are read along with them: thousands of short episodes would cost
        more to ask for than to read.
        """
        begin = int(self._ends[first - 1]) if first else 0
        last = int(np.searchsorted(self._ends, stop - 1, side="right")) + 1
        enough = int(np.searchsorted(self._ends, begin + _AHEAD, side="right"))
        # One thread: several would hold on to what they have read before.
        read = partial(self._file.read_row_groups, columns=self._light, use_threads=False)
        try:
            return read(list(range(first, max(last, enough))))
        except (OSError, pa.ArrowException):  # maybe in a group that was not asked for
            return read(list(range(first, last)))


def _spans(index: npt.NDArray[Any]) -> dict[int, list[tuple[int, int]]]:
    """Return where each value of `index` stands: the first row of each run and the row after it."""
    bounds = [0, *(np.flatnonzero(np.diff(index)) + 1).tolist(), len(index)]
    found: dict[int, list[tuple[int, int]]] = {}
    for start, stop in pairwise(bounds):
        if start < stop:
            found.setdefault(int(index[start]), []).append((start, stop))
    return found


def to_numpy(column: pa.ChunkedArray[Any], name: str, file: Path) -> npt.NDArray[Any] | None:
    """Return a column of numbers, booleans or strings as an array of shape (T, ...).

    Lists of lists become more axes. Types that are none of these give None; lists of unequal
    length and missing values inside lists are an `EpisodeError`.
    """
    array: Any = column.combine_chunks()
    axes = [len(array)]
    while _is_list(array.type):
        array, width = _peel(array, name, file)
        axes.append(width)
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return np.array([text or "" for text in array.to_pylist()], dtype=np.str_).reshape(axes)
    if pa.types.is_boolean(kind) and array.null_count:
        raise EpisodeError(f"{file}: the column {name!r} has empty cells.", "invalid_value")
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False).reshape(axes)
        return values
    return None


def _is_list(kind: pa.DataType) -> bool:
    return (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _peel(array: Any, name: str, file: Path) -> tuple[Any, int]:  # noqa: ANN401 - any list array
    """Return the values of lists of one length, and that length."""
    import pyarrow.compute as pc

    lengths = pc.unique(pc.list_value_length(array)).to_pylist()
    if len(lengths) > 1 or None in lengths:
        raise EpisodeError(
            f"{file}: the lists in the column {name!r} have lengths "
            f"{', '.join(sorted(map(str, lengths)))}; one length is needed.",
            "invalid_value",
        )
    return array.flatten(), lengths[0] if lengths else 0


def check_kind(column: pa.Field[Any], declared: str, file: Path) -> None:
    """Refuse a column whose kind is not the declared one: text for numbers or numbers for text."""
    kind = column.type
    while _is_list(kind):
        kind = kind.value_type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    number = pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if pa.types.is_dictionary(kind) or pa.types.is_null(kind):
        return
    if (declared == "string" and not text) or (declared != "string" and not number):
        raise InputError(
            f"the column {column.name!r} holds {kind}, and meta/info.json says {declared!r}.", file
        )
