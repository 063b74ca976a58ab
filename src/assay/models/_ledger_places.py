"""Where a ledger lies, and which way of keeping it safe works there."""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from pathlib import Path

from assay.engine.journal import make_durable
from assay.errors import UsageError

__all__ = ["default_path", "file_system", "is_networked", "journal_mode", "settle"]

_VARIABLE = "ASSAY_LEDGER"
_OCTAL = re.compile(r"\\([0-7]{3})")  # how the list of mounts writes spaces and their like
_NETWORKED = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "gfs2", "glusterfs", "gpfs"),
        *("lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "smb3"),
        *("smbfs", "vboxsf", "virtiofs", "vmhgfs", "wekafs"),
    }
)


def default_path() -> Path:
    """Return where the ledger is: `$ASSAY_LEDGER`, else in the user's cache folder.

    Raises:
        UsageError: There is no home folder either.
    """
    given = os.environ.get(_VARIABLE)
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = Path(cache) if cache else Path.home() / ".cache"
    except RuntimeError as error:
        raise UsageError(
            f"There is no home folder for the ledger of answers: set {_VARIABLE} to a file."
        ) from error
    return folder / "assay" / "ledger.sqlite"


def settle(db: sqlite3.Connection, path: Path) -> None:
    """Choose how writes are kept safe: a write-ahead log, or a rollback journal.

    A write-ahead log needs memory that all its users share. On a network file system it may seem
    to work, as long as one machine alone writes; so there it is never used.
    """
    if is_networked(path):
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("PRAGMA synchronous=EXTRA")
    else:
        make_durable(db)


def journal_mode(path: Path) -> str:
    """Return the way that a ledger at `path` would be kept, "wal" or "delete"; leaves no file.

    Raises:
        OSError: The folder can't be written.
    """
    folder = _standing(path.parent)
    with tempfile.TemporaryDirectory(dir=folder) as probe:
        db = sqlite3.connect(Path(probe) / "probe.sqlite")
        try:
            settle(db, Path(probe))
            (mode,) = db.execute("PRAGMA journal_mode").fetchone()
        finally:
            db.close()
    return str(mode)


def is_networked(path: Path) -> bool:
    """Tell whether other machines may reach the same file."""
    kind = file_system(path)
    # Of file systems in user space few are local; a rollback journal is as safe, only slower.
    return kind in _NETWORKED or kind.startswith("fuse.")


def file_system(path: Path) -> str:
    """Return the kind of file system that `path` lies on, such as "ext4"; empty if unknown."""
    place = _standing(path.absolute()).resolve()
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):  # not Linux
        return ""
    best, kind = -1, ""
    for line in lines:
        about, _, source = line.partition(" - ")
        point = Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), about.split()[4]))
        # The last of equals counts: it lies on top of the others.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), source.split()[0]
    return kind


def _standing(folder: Path) -> Path:
    """Return the nearest folder above, or `folder` itself, that is there."""
    return next((p for p in (folder, *folder.absolute().parents) if p.exists()), Path("/"))
