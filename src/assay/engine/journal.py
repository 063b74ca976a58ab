"""The journal: results by key in one SQLite file that outlives `kill -9`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.engine.closing import Closing
from assay.engine.lock import Lock
from assay.errors import RunError, UsageError

__all__ = ["Journal", "make_durable"]

APPLICATION_ID = 0x41535359  # "ASSY", in the file's header: tells our journals from other databases
SCHEMA_VERSION = 1
SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE run (fingerprint TEXT NOT NULL);
CREATE TABLE results (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);
"""


class Journal(Closing):
    """Keep the results of one run, by key. Opens the file, or creates it.

    One process at a time: the file is locked from here to `close`, and the lock goes with the
    process. What `put` has returned from survives `kill -9` of the process, and the loss of power
    too where the disk keeps its word on fsync: SQLite runs with synchronous=EXTRA.

    Args:
        path: The file, in a directory that exists.
        fingerprint: Stands for all that decides the results. A journal with another one is
            refused.

    Raises:
        RunError: The directory is in use or holds another run, or the file is no sound journal.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self._lock = Lock(path.with_name(path.name + ".lock"))
        try:
            with self._in_words():
                self._db = sqlite3.connect(path, isolation_level=None)
        except BaseException:
            self._lock.release()
            raise
        try:
            with self._in_words():
                self._prepare(fingerprint)
        except BaseException:
            self.close()
            raise

    def done(self) -> frozenset[str]:
        """Return the keys that have a result."""
        with self._in_words():
            return frozenset(key for (key,) in self._db.execute("SELECT key FROM results"))

    def put(self, results: Sequence[tuple[str, bytes]]) -> None:
        """Store results in one transaction: after it returns, all of them are safe.

        Raises:
            UsageError: A key has a result already; nothing was stored.
            RunError: The disk is full or broken; nothing of `results` was stored.
        """
        with self._in_words():
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT INTO results (key, value) VALUES (?, ?)", results)
                self._db.execute("COMMIT")
            except sqlite3.IntegrityError as error:
                raise UsageError(f"{self.path}: a key was given a second result.") from error
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Yield keys and results, sorted by key, one row in memory at a time."""
        with self._in_words():
            yield from self._db.execute("SELECT key, value FROM results ORDER BY key")

    def close(self) -> None:
        """Close the file and give up the lock; a second call does nothing."""
        self._db.close()
        self._lock.release()

    def _prepare(self, fingerprint: str) -> None:
        """Check a journal that exists, or lay out a new one."""
        if self._is_new():
            make_durable(self._db)
            # The header fields belong to the transaction: a kill leaves all of this or none.
            self._db.executescript(
                f"{SCHEMA} PRAGMA application_id={APPLICATION_ID};"
                f"PRAGMA user_version={SCHEMA_VERSION};"
            )
            self._db.execute("INSERT INTO run VALUES (?)", (fingerprint,))
            self._db.execute("COMMIT")
            return
        # The check reads the whole file, once a resume: damage is told now, not after hours of work
        (verdict,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise RunError(_damaged(self.path))
        make_durable(self._db)
        found = self._db.execute("SELECT fingerprint FROM run").fetchone()
        if found is None:
            raise RunError(_damaged(self.path))
        if found != (fingerprint,):
            raise RunError(
                f"{self.path.parent} holds another run, with other inputs or settings. "
                f"Choose another directory, or delete {self.path.name} to start afresh."
            )

    def _is_new(self) -> bool:
        """Tell an empty database from a journal; refuse what is neither."""
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (application, version) == (APPLICATION_ID, SCHEMA_VERSION):
            return False
        if application == APPLICATION_ID:
            raise RunError(
                f"{self.path} is a journal of version {version}; "
                f"this version of Assay reads version {SCHEMA_VERSION}."
            )
        if application or tables:
            raise RunError(f"{self.path} is a database, but not the journal of a run.")
        return True

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Turn SQLite's errors into sentences."""
        try:
            yield
        except sqlite3.Error as error:
            raise RunError(_sentence(error, self.path)) from error


def make_durable(db: sqlite3.Connection) -> None:
    """Choose write-ahead logging, or a rollback journal where shared memory can't be had.

    Network file systems are such a place: there SQLite either refuses or keeps the old mode.
    """
    try:
        db.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError as error:
        if _code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY):
            raise
        db.execute("PRAGMA journal_mode=DELETE")
    # EXTRA is FULL for a write-ahead log: one fsync a commit. For a rollback journal it also syncs
    # the directory, without which a power cut can bring the deleted journal back.
    db.execute("PRAGMA synchronous=EXTRA")


def _code(error: sqlite3.Error) -> int:
    """Return the primary result code; 0 for errors of Python's own module."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _sentence(error: sqlite3.Error, path: Path) -> str:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _no_space(path)):
        return (
            f"No space is left for {path}. Every result journalled so far is kept: "
            "free some space and run the same command again."
        )
    if code == sqlite3.SQLITE_NOTADB:
        return f"{path} is not the journal of a run; move it away to start afresh."
    if code == sqlite3.SQLITE_CORRUPT:
        return _damaged(path)
    return (
        f"{path} can't be read or written ({error}). Every result journalled so far is kept: "
        "run the same command again when this is mended."
    )


def _damaged(path: Path) -> str:
    return f"{path} is damaged and can't be resumed; move it away to start afresh."


def _no_space(path: Path) -> bool:
    room = os.statvfs(path.parent)
    return room.f_bavail == 0
