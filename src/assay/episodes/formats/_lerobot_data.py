"""The data files of a LeRobot dataset: one episode's columns at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from assay.errors import EpisodeError, InputError

__all__ = ["DataFiles", "Rows", "check_kind", "to_numpy"]


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
    """Reads episodes out of data files; keeps one file open and one row group in memory.

    Writers put one episode in a row group, or all in one: either way no group is read twice for
    episodes that follow each other.
    """

    def __init__(self, heavy: frozenset[str]) -> None:
        self._heavy = heavy
        self._path: Path | None = None
        self._group: tuple[int, pa.Table] | None = None

    def rows(self, path: Path, episode_index: int) -> Rows:
        """Return the rows of one episode; `EpisodeError` when the file or the rows are missing."""
        try:
            self._open(path)
            start, stop = self._span(episode_index)
            pieces = [
                self._read_group(number).slice(
                    max(start - first, 0), min(stop, last) - max(start, first)
                )
                for number, first, last in self._groups()
                if first < stop and last > start
            ]
        except (OSError, pa.ArrowException) as error:
            self.close()
            raise EpisodeError(f"{path}: this is not a readable parquet file ({error}).") from error
        return Rows(path, start, stop, pa.concat_tables(pieces), self._file.schema_arrow)

    def close(self) -> None:
        """Close the open file, if any."""
        if self._path is not None:
            self._file.close()
        self._path, self._group = None, None

    def _open(self, path: Path) -> None:
        if path == self._path:
            return
        self.close()
        if not path.is_file() or path.stat().st_size == 0:
            raise EpisodeError(f"{path}: the data file is missing or empty.")
        self._file = pq.ParquetFile(path)
        self._path = path
        names = self._file.schema_arrow.names
        self._light = [name for name in names if name not in self._heavy]
        # The whole column is small (8 bytes a frame) and spares trust in row-group statistics.
        self._index = (
            self._file.read(columns=["episode_index"])["episode_index"].to_numpy()
            if "episode_index" in names
            else None
        )

    def _span(self, episode_index: int) -> tuple[int, int]:
        """Return the first row and the row after the last of an episode in the open file."""
        if self._index is None:  # one file an episode: all rows are its own
            return 0, self._file.metadata.num_rows
        found = np.flatnonzero(self._index == episode_index)
        if len(found) == 0:
            raise EpisodeError(f"{self._path}: no row has episode_index {episode_index}.")
        start, stop = int(found[0]), int(found[-1]) + 1
        if stop - start != len(found):
            raise EpisodeError(
                f"{self._path}: the rows of episode_index {episode_index} are not in one piece.",
                "invalid_value",
            )
        return start, stop

    def _groups(self) -> list[tuple[int, int, int]]:
        """Return (number, first row, row after the last) of every row group."""
        meta = self._file.metadata
        ends = np.cumsum([meta.row_group(i).num_rows for i in range(meta.num_row_groups)]).tolist()
        return list(zip(range(len(ends)), [0, *ends], ends, strict=False))

    def _read_group(self, number: int) -> pa.Table:
        if self._group is None or self._group[0] != number:
            self._group = (number, self._file.read_row_group(number, columns=self._light))
        return self._group[1]


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


def _peel(array: Any, name: str, file: Path) -> tuple[Any, int]:  # noqa: ANN401  any list array
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
