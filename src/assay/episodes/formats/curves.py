"""Recorded progress curves in csv or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.episodes.clips.manifest import MANIFESTS
from assay.episodes.recorded.files import read_recorded
from assay.records import Episode, Unreadable

__all__ = ["Curves"]


class Curves:
    """Progress values over time, one row per moment (csv, jsonl) or one episode per line (jsonl).

    Episodes come in the order in which they first appear in the file. An empty progress cell is
    NaN: not recorded. Values outside 0..1 are kept as they are for the judge to refuse.
    """

    reads: ClassVar[str] = "curves in csv or jsonl: episode, task, policy, t, progress[, success]"

    def sniff(self, path: Path) -> bool:
        """Claim `.csv`, `.tsv` and `.jsonl` files, except manifests of video folders."""
        known = path.suffix.lower() in (".csv", ".tsv", ".jsonl")
        return known and path.name not in MANIFESTS and path.is_file()

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes; one whose times don't increase is unreadable."""
        for recorded in read_recorded(path, required=("task",)):
            yield recorded.episode()
