"""Find HDF5 files and tell what is in them, at a glance."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from assay.episodes.hdf5.nodes import Node, opened
from assay.episodes.paths import inside, listed
from assay.errors import EpisodeError, InputError

__all__ = ["SUFFIXES", "hdf5_files", "is_hdf5", "looks"]

SUFFIXES = (".h5", ".hdf5")
_MAGIC = b"\x89HDF\r\n\x1a\n"
_USER_BLOCKS = (0, 512, 1024, 2048)  # where the format's own header may begin


def is_hdf5(path: Path) -> bool:
    """Tell from its first bytes whether a file is an HDF5 file."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            start = file.read(_USER_BLOCKS[-1] + len(_MAGIC))
    except OSError:  # worded when the file is read
        return False
    return any(start.startswith(_MAGIC, place) for place in _USER_BLOCKS)


def looks(path: Path, told: Callable[[Node], bool]) -> bool:
    """Tell whether the HDF5 file at `path`, or the first one in the folder `path`, is as `told`.

    Only the folder itself and the folders in it are looked at. A file that can't be opened, or in
    which a link leads out, is as nobody told, and a warning says why. A file that is itself a link
    out of the folder is not opened.
    """
    file = path if path.is_file() else next(_found(path), None)
    if file is None or not _is_below(path, file) or not is_hdf5(file):
        return False
    try:
        with opened(file) as root:
            return told(root)
    except EpisodeError as error:
        _warn(str(error))
        return False


def _is_below(path: Path, file: Path) -> bool:
    return file == path or file.resolve().is_relative_to(path.resolve())


@cache  # one warning, however many formats look
def _warn(words: str) -> None:
    logging.getLogger("assay").warning(words)


def hdf5_files(path: Path) -> list[Path]:
    """Return the file `path`, or the HDF5 files of the folder `path` in the order of their names.

    Files in the folder itself come alone; only without any, those of the folders in it do.

    Raises:
        UnsafePathError: A file is a link that leads out of the folder.
    """
    if path.is_file():
        return [path]
    found = list(_found(path))
    for file in found:
        inside(path, file.relative_to(path), file=path)
    if not found:
        raise InputError(f"holds no file that ends in {' or '.join(SUFFIXES)}.", path)
    return found


def _found(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    here = listed(folder)
    files = [p for p in here if p.suffix.lower() in SUFFIXES and p.is_file()]
    yield from files
    if not files:
        for inner in (p for p in here if p.is_dir() and not p.is_symlink()):
            try:
                below = listed(inner)
            except OSError:  # worded by whoever reads what is in it
                continue
            yield from (p for p in below if p.suffix.lower() in SUFFIXES and p.is_file())
