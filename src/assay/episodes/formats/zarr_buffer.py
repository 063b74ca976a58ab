"""Zarr replay buffers, as Diffusion Policy and UMI store demonstrations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["ZarrBuffer"]


class ZarrBuffer:
    """Read Zarr replay buffers (a folder or a zip file): data/ and meta/episode_ends."""

    reads: ClassVar[str] = (
        "a Zarr replay buffer: a .zarr folder or .zarr.zip file with data/ and meta/episode_ends"
    )

    def sniff(self, path: Path) -> bool:
        """Claim `.zarr.zip` files, and folders with a Zarr group named data and one named meta."""
        if path.is_file():
            return path.name.endswith(".zarr.zip")
        return any(
            all((path / name / kind).is_file() for name in ("data", "meta"))
            for kind in (".zgroup", "zarr.json")
        )

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes in the order of the buffer; pictures are read when asked for."""
        from assay.episodes.zarr_groups.reader import read_zarr

        return read_zarr(path)
