"""The ledger's SQLite file: opened, laid out, and its errors in words."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from assay.errors import InputError, RunError, UsageError
from assay.models._ledger_places import settle

__all__ = ["damaged", "in_words", "open_database", "transaction"]

APPLICATION_ID = 0x4153534C  # "ASSL", in the file's header: tells ledgers from other databases
SCHEMA_VERSION = 1
# The question stands last: it may be long, and a look-up has no need to read over it.
SCHEMA = f"""
CREATE TABLE entries (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, usable INTEGER NOT NULL,
    model TEXT NOT NULL, revision TEXT NOT NULL, reply TEXT NOT NULL, question TEXT NOT NULL
);
CREATE TABLE pins (model TEXT PRIMARY KEY, revision TEXT NOT NULL);
PRAGMA application_id={APPLICATION_ID};
PRAGMA user_version={SCHEMA_VERSION};
"""
_PAUSE_S = 0.02
_FILE_REFUSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)


def open_database(
    path: Path, *, writable: bool, patience_s: float, traceless: bool = False
) -> sqlite3.Connection:
    """Open the ledger at `path`; a writable one is made if it is not there.

    Args:
        path: The file.
        writable: Whether it is written to.
        patience_s: How long to wait for other processes [s].
        traceless: Whether reading leaves no file behind, not even those that SQLite puts beside a
            ledger while it is read; one that is not there is then empty.

    Raises:
        InputError: The file is no sound ledger, or there is none to read.
        RunError: The place can't be written, is full, or is in use for too long.
    """
    with in_words(path):
        if traceless and _nothing_at(path):
            return _empty()
        if not writable:
            return _open_to_read(path, patience_s, traceless=traceless)
        path.parent.mkdir(parents=True, exist_ok=True)
        return _open_to_write(path, patience_s)


def _open_to_write(path: Path, patience_s: float) -> sqlite3.Connection:
    """Open and lay out, again and again while others do the same.

    SQLite does not wait by itself while a file's journal mode is changed.
    """
    end = time.monotonic() + patience_s
    while True:
        db = _connect(path.absolute().as_posix(), patience_s)
        try:
            _prepare(db, path)
        except BaseException as error:
            db.close()
            if not _is_busy(error) or time.monotonic() >= end:
                raise
            time.sleep(_PAUSE_S)
        else:
            return db


def _nothing_at(path: Path) -> bool:
    return not path.exists() or (path.is_file() and not path.stat().st_size)


def _empty() -> sqlite3.Connection:
    """Return a ledger without answers, in memory."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.executescript(SCHEMA)
    return db


def _open_to_read(path: Path, patience_s: float, *, traceless: bool) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError("there is no ledger.", path)
    name = f"file:{quote(path.absolute().as_posix())}?mode=ro"
    # Who else uses it has put files beside it. Without them it stays as it is while it is read, or
    # as good as: whoever begins to write now writes to a file beside it first.
    beside = (path.with_name(path.name + end) for end in ("-wal", "-journal"))
    alone = traceless and not any(file.exists() for file in beside)
    db = _connect(f"{name}&immutable=1" if alone else name, patience_s)
    try:
        _check(db, path)
    except sqlite3.OperationalError as error:
        db.close()
        if _code(error) not in _FILE_REFUSED:
            raise
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise InputError(
                "this ledger was not closed, and its folder can't be written:"
                f" copy it together with {log.name} to a folder of yours.",
                path,
            ) from error
        # Nobody can be writing there; without this SQLite wants to make files beside it.
        db = _connect(f"{name}&immutable=1", patience_s)
        _check(db, path)
    except BaseException:
        db.close()
        raise
    return db


def _connect(name: str, patience_s: float) -> sqlite3.Connection:
    """Return a connection that any thread may use, one at a time."""
    return sqlite3.connect(
        name,
        timeout=patience_s,
        isolation_level=None,
        check_same_thread=False,
        uri=name.startswith("file:"),
    )


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Check a ledger that exists, or lay out a new one."""
    is_new = _is_new(db, path)
    settle(db, path)
    if is_new:
        with transaction(db):
            if _is_new(db, path):  # another process may have been quicker
                for statement in filter(str.strip, SCHEMA.split(";")):
                    db.execute(statement)


def _check(db: sqlite3.Connection, path: Path) -> None:
    if _is_new(db, path):
        raise InputError("this is an empty file, not a ledger.", path)


def _is_new(db: sqlite3.Connection, path: Path) -> bool:
    """Tell an empty database from a ledger; refuse what is neither."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if (application, version) == (APPLICATION_ID, SCHEMA_VERSION):
        return False
    if application == APPLICATION_ID:
        raise InputError(
            f"this is a ledger of version {version}; this version of Assay reads version"
            f" {SCHEMA_VERSION}. Use the Assay that made it, or name another ledger.",
            path,
        )
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application or tables:
        raise InputError("this is a database, but not a ledger of answers.", path)
    return True


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Make all writes inside one: after it returns, all of them are safe; else none is there."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite and of the disk into sentences about the ledger at `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise _worded(error, path) from error
    except UnicodeEncodeError as error:
        raise UsageError(f"A model's name or revision is no text: {error.object!r}.") from error
    except OSError as error:
        raise RunError(_elsewhere(path, str(error.strerror))) from error


def _worded(error: sqlite3.Error, path: Path) -> InputError | RunError:
    code = _code(error)
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return damaged(path)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _no_space(path)):
        return RunError(
            f"No space is left for the ledger {path}. Every answer stored so far is kept:"
            " free some space and run the same command again."
        )
    if _is_busy(error):
        return RunError(
            f"The ledger {path} is in use by other processes and did not become free."
            " Every answer stored so far is kept: run the same command again."
        )
    if code in _FILE_REFUSED:
        return RunError(_elsewhere(path, str(error)))
    return RunError(f"The ledger {path} can't be read or written ({error}).")


def damaged(path: Path) -> InputError:
    """Return the error of a file that is not whole."""
    return InputError(
        "this ledger is damaged or no ledger at all; move it away to begin a new one.", path
    )


def _elsewhere(path: Path, why: str) -> str:
    return (
        f"The ledger {path} can't be written ({why}):"
        " set ASSAY_LEDGER to a file in a folder of yours."
    )


def _is_busy(error: BaseException) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: BaseException) -> int:
    """Return SQLite's primary result code; 0 for errors of Python's own."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _no_space(path: Path) -> bool:
    try:
        return os.statvfs(path.parent).f_bavail == 0
    except OSError:
        return False
