"""MCAP recordings of Foxglove and ROS 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["Mcap"]


class Mcap:
    """Read MCAP files, one episode each: compressed pictures and joints of Foxglove and ROS 2."""

    reads: ClassVar[str] = "an .mcap file, or a folder of such files, one episode each"

    def sniff(self, path: Path) -> bool:
        """Claim `.mcap` files and folders with one right in them."""
        if path.is_file():
            return path.suffix == ".mcap"
        return path.is_dir() and any(path.glob("*.mcap"))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield one episode a file, sorted by name; pictures are read when asked for.

        Times are those at which messages were logged, from the first one on.
        """
        from assay.episodes.mcap_files.reader import read_mcap

        return read_mcap(path)
