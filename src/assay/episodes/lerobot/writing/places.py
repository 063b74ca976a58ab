"""Where the numbered files of a written LeRobot dataset go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Limits", "Places"]


@dataclass(frozen=True, slots=True)
class Limits:
    """When a new file is begun: sizes [MB] of data and video files, files in a chunk's folder."""

    data_mb: float = 100
    video_mb: float = 200
    chunk_files: int = 1000


@dataclass(frozen=True, slots=True)
class Places:
    """The dataset's folder and its habit of `chunk_files` files a folder."""

    root: Path
    chunk_files: int

    def path_of(self, template: str, **fields: str) -> Callable[[int], Path]:
        """Return a function from a file's number to its path."""

        def path(number: int) -> Path:
            chunk, file = divmod(number, self.chunk_files)
            return self.root / template.format(chunk_index=chunk, file_index=file, **fields)

        return path

    def columns(self, group: str, number: int) -> dict[str, int]:
        """Return the two columns of the episode table that name a file."""
        chunk, file = divmod(number, self.chunk_files)
        return {f"{group}/chunk_index": chunk, f"{group}/file_index": file}
