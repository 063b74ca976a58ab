"""Pictures stored in the rows of a LeRobot data file (dtype "image")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.episodes.paths import inside
from assay.errors import EpisodeError
from assay.records import Floats, Image

if TYPE_CHECKING:
    from av.video.codeccontext import VideoCodecContext

__all__ = ["RowImages", "decode"]

_SLACK_S = 1e-6  # a moment this little before a frame counts as that frame's


@dataclass(frozen=True, slots=True, eq=False)
class RowImages:
    """PNG or JPEG pictures in rows `start` to `stop` of a parquet file, opened when asked for.

    Attributes:
        root: The dataset's folder, for pictures stored as a path.
        file: The parquet file.
        column: The column, a struct of `bytes` and `path`, or bytes alone.
        start: The first row.
        times: The time of each picture [s], of shape (stop - start,).
    """

    root: str
    file: str
    column: str
    start: int
    times: Floats

    def key(self) -> str:
        """Return the file, the column and the rows in one text."""
        return f"{self.file}[{self.column}][{self.start}:{self.start + len(self.times)}]"

    def clock(self) -> Floats:
        """Return the time of every picture [s]."""
        return self.times

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the picture shown at each of the increasing `times`; the first or last holds."""
        index = np.searchsorted(self.times, np.asarray(times) + _SLACK_S, side="right") - 1
        wanted = np.clip(index, 0, len(self.times) - 1)
        cells = self._cells(np.unique(wanted))
        last, picture = -1, None
        for number in wanted.tolist():
            if number != last:
                picture = self._picture(next(cells), number)
                last = number
            assert picture is not None  # noqa: S101 - `last` starts below every index
            yield picture

    def _cells(self, wanted: np.ndarray[Any, np.dtype[np.intp]]) -> Iterator[object]:
        """Yield the cells of the wanted pictures, reading each row group once."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.file) as table:
            meta = table.metadata
            ends = np.cumsum([meta.row_group(i).num_rows for i in range(meta.num_row_groups)])
            rows = wanted + self.start
            groups = np.searchsorted(ends, rows, side="right")
            for number in np.unique(groups).tolist():
                cells = table.read_row_group(number, columns=[self.column])[self.column]
                before = int(ends[number]) - len(cells)
                for row in rows[groups == number].tolist():
                    yield cells[row - before].as_py()

    def _picture(self, cell: object, number: int) -> Image:
        where = f"{self.file}, picture {number} of {self.column!r}"
        blob = cell.get("bytes") if isinstance(cell, dict) else cell
        if blob is None and isinstance(cell, dict) and cell.get("path"):
            path = inside(Path(self.root), cell["path"], file=self.file)
            if not path.is_file():
                raise EpisodeError(f"{where}: the file {path} is missing.")
            blob = path.read_bytes()
        if not isinstance(blob, bytes) or not blob:
            raise EpisodeError(f"{where}: the cell holds no picture.")
        return decode(blob, where)


def decode(blob: bytes, where: str) -> Image:
    """Decode PNG or JPEG bytes to uint8 RGB of shape (H, W, 3)."""
    import av

    codec = (
        "png" if blob.startswith(b"\x89PNG") else "mjpeg" if blob.startswith(b"\xff\xd8") else ""
    )
    if not codec:
        raise EpisodeError(f"{where}: the bytes are neither PNG nor JPEG.")
    # FFmpeg paints what is missing of a cut JPEG grey. A whole one has its end mark after its last
    # scan, and the data of a scan can hold neither mark.
    if codec == "mjpeg" and blob.rfind(b"\xff\xd9") < blob.rfind(b"\xff\xda"):
        raise EpisodeError(f"{where}: the picture is cut off.")
    try:
        context = cast("VideoCodecContext", av.CodecContext.create(codec, "r"))
        frames = [*context.decode(av.Packet(blob)), *context.decode(None)]
    except av.FFmpegError as error:
        raise EpisodeError(f"{where}: the picture can't be decoded ({error}).") from error
    if not frames:
        raise EpisodeError(f"{where}: the picture can't be decoded.")
    return cast("Image", frames[0].to_ndarray(format="rgb24"))
