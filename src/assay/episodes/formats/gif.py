"""Animated GIFs, as papers and web pages show rollouts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.episodes.clips.episodes import episode_of, grouped
from assay.episodes.clips.files import find_files
from assay.episodes.clips.manifest import MANIFESTS, Item
from assay.records import Episode, Unreadable

__all__ = ["Gif"]


class Gif:
    """Read animated GIFs: each is an episode, with the delays that it was saved with."""

    reads: ClassVar[str] = "an animated .gif, or a folder with such files and no videos"
    last_resort: ClassVar[bool] = True

    def sniff(self, path: Path) -> bool:
        """Claim a GIF, or a folder with one somewhere in it and neither videos nor a manifest."""
        if path.is_file():
            return _is_gif(path.name)
        if not path.is_dir() or any((path / name).is_file() for name in MANIFESTS):
            return False
        return any(find_files(path, _is_gif)) and not any(find_files(path))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes, sorted by folder and file name."""
        root = path if path.is_dir() else path.parent
        files = [path.name] if path.is_file() else list(find_files(root, _is_gif))
        for name, items in grouped([Item(file) for file in files]).items():
            yield episode_of(root, name, items)


def _is_gif(name: str) -> bool:
    return name.lower().endswith(".gif")
