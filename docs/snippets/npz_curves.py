"""A format in one file: a folder of .npz files, each with `progress` and `rate_hz`."""

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from assay.records import Episode, Series, Unreadable

__all__ = ["NpzCurves"]


class NpzCurves:
    """Read progress curves from a folder of .npz files, one episode each."""

    reads: ClassVar[str] = "a folder of npz files with progress and rate_hz"

    def sniff(self, path: Path) -> bool:
        """Claim a folder that holds an .npz file."""
        return path.is_dir() and any(path.glob("*.npz"))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes, sorted by name; a broken file is one unreadable episode."""
        for file in sorted(path.glob("*.npz")):
            bare = Episode(file.stem, task=path.name, source=str(path))
            try:
                with np.load(file, allow_pickle=False) as data:
                    progress, rate = data["progress"], float(data["rate_hz"])
            except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
                yield Unreadable.of(bare, f"{file}: {error}")
                continue
            times = np.arange(len(progress)) / rate
            yield replace(bare, signals={"progress": Series(times, progress)})


if __name__ == "__main__":
    folder = Path("stack-cups")
    folder.mkdir()
    np.savez(folder / "first.npz", progress=np.linspace(0, 1, 20), rate_hz=10.0)
    (folder / "second.npz").write_bytes(b"not a zip file")
    for episode in NpzCurves().read(folder):
        print(type(episode).__name__, episode.id, episode.task)
