"""Read the journal of a run that another process is still writing."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assay.errors import RunError

__all__ = ["Entries", "read_entries"]

_TRIES = 5
_PAUSE_S = 0.2
_MODE_AT = 18  # the byte of the header that tells how the file is written
_WRITE_AHEAD = 2


@dataclass(frozen=True)
class Entries:
    """What a journal holds from some place on.

    Attributes:
        found: Keys and results, in the order in which they were stored.
        last: The number of the last one that was ever read.
        mark: Tells this journal from one that was begun anew.
    """

    found: tuple[tuple[str, bytes], ...]
    last: int
    mark: str


def read_entries(path: Path, after: int) -> Entries | None:
    """Return the results that were stored after number `after`; None without a journal.

    Nothing is written and no writer has to wait. A result that is being stored is not seen yet.

    Args:
        path: The journal.
        after: The number of the last result that is known; 0 reads all.

    Raises:
        RunError: It can't be read, however often that is tried.
    """
    for tried in range(_TRIES):
        try:
            return _read(path, after)
        except FileNotFoundError:
            return None
        except (OSError, sqlite3.Error) as error:  # a writer is just beginning or ending
            if not path.exists():
                return None
            if tried == _TRIES - 1:
                raise RunError(f"{path} can't be read ({error}).") from error
            time.sleep(_PAUSE_S)
    return None


def _read(path: Path, after: int) -> Entries:
    with closing(sqlite3.connect(_address(path), uri=True, isolation_level=None)) as base:
        (tables,) = base.execute(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('run', 'results')"
        ).fetchone()
        if tables < 2:  # just begun
            return Entries((), 0, "")
        (mark,) = base.execute("SELECT fingerprint FROM run").fetchone() or ("",)
        (top,) = base.execute("SELECT coalesce(max(id), 0) FROM results").fetchone()
        start = after if top >= after else 0  # someone threw the journal away, and it grows anew
        rows = base.execute(
            "SELECT id, key, value FROM results WHERE id > ? ORDER BY id", (start,)
        ).fetchall()
    last = rows[-1][0] if rows else start
    return Entries(tuple((key, value) for _, key, value in rows), last, mark)


def _address(path: Path) -> str:
    """Return how to open the file without leaving anything beside it.

    While someone writes, the log and its index are there and are shared. Without them a reader
    would make them anew; but then nobody writes, and the file may be taken as it stands.
    """
    with path.open("rb") as file:
        head = file.read(_MODE_AT + 1)
    is_ahead = len(head) > _MODE_AT and head[_MODE_AT] == _WRITE_AHEAD
    is_still = is_ahead and not path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_still else ''}"
