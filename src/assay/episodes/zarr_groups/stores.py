"""Where the files of a Zarr group are: in a folder, or in a zip file."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from assay.episodes.faults import check_file, shown
from assay.episodes.paths import inside
from assay.errors import EpisodeError, InputError

__all__ = ["MOST_BYTES", "Store", "ZipStore", "open_store"]

MOST_BYTES = 1 << 28  # of one chunk, stored or unpacked


class Store(Protocol):
    """Files by name, such as "data/action/0.0"."""

    def get(self, name: str) -> bytes | None:
        """Return the content of a file, None when there is none."""
        ...

    def names(self, folder: str) -> list[str]:
        """Return the names right below `folder`, sorted."""
        ...


@dataclass(frozen=True, slots=True)
class _FolderStore:
    """A folder; nothing outside it is read."""

    root: Path

    def get(self, name: str) -> bytes | None:
        path = inside(self.root, name, file=self.root)
        if not path.exists():
            return None
        check_file(path)
        if path.stat().st_size > MOST_BYTES:
            raise EpisodeError(f"{path} has more than {MOST_BYTES} bytes.", "invalid_value")
        return path.read_bytes()

    def names(self, folder: str) -> list[str]:
        path = inside(self.root, folder, file=self.root)
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []


class ZipStore:
    """A zip file. Sizes are checked before anything is unpacked; nothing is written anywhere.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        check_file(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise InputError(f"is no zip file that can be read ({error}).", path) from error
        self._below: dict[str, list[str]] | None = None

    def get(self, name: str) -> bytes | None:
        """Return the content of a member, None when there is none."""
        try:
            about = self._zip.getinfo(name)
        except KeyError:
            return None
        if about.file_size > MOST_BYTES:
            words = f"its member {shown(name)!r} has more than {MOST_BYTES} bytes"
            raise EpisodeError(f"{self._path}: {words}.", "invalid_value")
        try:
            with self._zip.open(about) as member:
                # No more than was promised, whatever the compressed data would give.
                return member.read(about.file_size)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as e:
            words = f"its member {shown(name)!r} can't be unpacked ({e})"
            raise EpisodeError(f"{self._path}: {words}.", "invalid_value") from e

    def names(self, folder: str) -> list[str]:
        """Return the names right below `folder`, sorted."""
        if self._below is None:
            self._below = {}
            for above, name in _parts(self._zip.namelist()):
                self._below.setdefault(above, []).append(name)
        return sorted(set(self._below.get(folder, [])))


def _parts(members: list[str]) -> Iterator[tuple[str, str]]:
    """Yield every folder of the members with a name in it."""
    for member in members:
        parts = PurePosixPath(member).parts
        for depth in range(1, len(parts) + 1):
            yield "/".join(parts[: depth - 1]), parts[depth - 1]


def open_store(path: Path) -> Store:
    """Return the store at `path`, a folder or a zip file."""
    return _FolderStore(path) if path.is_dir() else ZipStore(path)
