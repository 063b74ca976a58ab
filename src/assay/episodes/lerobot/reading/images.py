"""Pictures stored in the rows of a LeRobot data file (dtype "image")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.episodes.paths import inside
from assay.errors import EpisodeError

__all__ = ["RowImages"]


@dataclass(frozen=True, slots=True)
class RowImages:
    """PNG or JPEG pictures in rows `start` to `stop` of a parquet file, opened when asked for.

    Attributes:
        root: The dataset's folder, for pictures stored as a path.
        file: The parquet file.
        column: The column, a struct of `bytes` and `path`, or bytes alone.
        start: The first row.
        stop: The row after the last.
    """

    root: str
    file: str
    column: str
    start: int
    stop: int

    def key(self) -> str:
        """Return the file, the column and the rows in one text."""
        return f"{self.file}[{self.column}][{self.start}:{self.stop}]"

    def read(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Yield the wanted pictures, reading each row group once."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.file) as table:
            meta = table.metadata
            ends = np.cumsum([meta.row_group(i).num_rows for i in range(meta.num_row_groups)])
            rows = np.array(numbers, np.int64) + self.start
            groups = np.searchsorted(ends, rows, side="right")
            for number in np.unique(groups).tolist():
                cells = table.read_row_group(number, columns=[self.column])[self.column]
                before = int(ends[number]) - len(cells)
                for row in rows[groups == number].tolist():
                    yield self._blob(cells[row - before].as_py(), row - self.start)

    def _blob(self, cell: object, number: int) -> bytes:
        where = f"{self.file}, picture {number} of {self.column!r}"
        blob = cell.get("bytes") if isinstance(cell, dict) else cell
        if blob is None and isinstance(cell, dict) and cell.get("path"):
            path = inside(Path(self.root), cell["path"], file=self.file)
            if not path.is_file():
                raise EpisodeError(f"{where}: the file {path} is missing.")
            blob = path.read_bytes()
        if not isinstance(blob, bytes) or not blob:
            raise EpisodeError(f"{where}: the cell holds no picture.")
        return blob
