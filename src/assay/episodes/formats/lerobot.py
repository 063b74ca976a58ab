"""LeRobot datasets: v2.0, v2.1 and v3.0."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["LeRobot"]


class LeRobot:
    """Read LeRobot datasets (parquet and mp4, v2.0 to v3.0), one episode at a time."""

    reads: ClassVar[str] = "a folder with meta/info.json, data/ and videos/ (v2.0, v2.1, v3.0)"

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is the root folder of a LeRobot dataset."""
        return (path / "meta" / "info.json").is_file()

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes in the order of the dataset's episode table.

        Only one episode's columns are in memory at a time; pictures are opened when asked for. An
        episode with a missing or empty file, or with values that can't be used, is `Unreadable`.
        """
        from assay.episodes.lerobot.reader import read_lerobot

        return read_lerobot(path)
