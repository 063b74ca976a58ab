"""Recordings of vla-eval, a harness that evaluates VLA models: a SQLite file and videos."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.episodes.paths import inside
from assay.errors import UnsafePathError
from assay.records import Episode, Unreadable

__all__ = ["VlaEval"]

_SQLITE = b"SQLite format 3\0"


class VlaEval:
    """Read recordings of vla-eval: results, traces of steps, and videos beside the database."""

    reads: ClassVar[str] = "a recording-*.sqlite file of vla-eval, or a folder with one"

    def sniff(self, path: Path) -> bool:
        """Claim a SQLite file named like a recording, and a folder with one right in it."""
        try:
            return _recording(path) is not None
        except UnsafePathError:  # which reading it says
            return True

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes; one that the harness could not carry out is unreadable."""
        from assay.episodes.evaluations.vla_eval import read_vla_eval

        return read_vla_eval(_recording(path) or path)


def _recording(path: Path) -> Path | None:
    if path.is_dir():
        found = sorted(path.glob("recording-*.sqlite"))
        if len(found) != 1:
            return None
        file = inside(path, found[0].name, file=path)
        return file if _is_sqlite(file) else None
    named = path.name.startswith("recording") and path.suffix in (".sqlite", ".db")
    return path if named and _is_sqlite(path) else None


def _is_sqlite(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
