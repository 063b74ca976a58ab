"""robomimic and LIBERO datasets: demonstrations of robosuite in HDF5 files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["Robomimic"]


class Robomimic:
    """Read robomimic and LIBERO files, `data/demo_*` in HDF5, one demonstration at a time."""

    reads: ClassVar[str] = (
        "an HDF5 file with data/demo_* of robomimic or LIBERO, or a folder of them"
    )

    def sniff(self, path: Path) -> bool:
        """Tell whether `path` is such a file, or a folder whose first HDF5 file is one."""
        from assay.episodes.hdf5.files import looks

        return looks(path, lambda root: root.has("data") and bool(root.at("data").groups("demo_")))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the demonstrations, file by file and by their numbers.

        A demonstration with a missing or misshapen array is `Unreadable`; a file that can't be
        opened, or whose attributes are no JSON, is an error.
        """
        from assay.episodes.robomimic.reader import read_robomimic

        return read_robomimic(path)
