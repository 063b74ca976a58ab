"""RLDS datasets in tfrecord files: Bridge, DROID and others of Open X-Embodiment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["Rlds"]


class Rlds:
    """Read RLDS datasets (TFDS tfrecord files) without TensorFlow, one episode at a time."""

    reads: ClassVar[str] = "a folder with features.json and *.tfrecord files (RLDS)"

    def sniff(self, path: Path) -> bool:
        """Claim the folder of a dataset, of its only version, or one of its tfrecord files."""
        from assay.episodes.rlds.reader import root_of

        return root_of(path) is not None

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes split by split; one record is in memory at a time.

        An episode whose record is cut or damaged, or whose lists differ in length, is unreadable.
        """
        from assay.episodes.rlds.reader import read_rlds

        return read_rlds(path)
