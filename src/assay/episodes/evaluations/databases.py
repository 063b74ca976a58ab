"""Open a SQLite file of others: read-only, and with limits on what it may cost."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from assay.episodes.faults import check_file
from assay.errors import InputError

__all__ = ["opened", "tables_of"]

_MOST_BYTES = 1 << 26  # of one cell
_STEPS = 10_000  # of SQLite's machine, after each of which we are asked
_MOST_STEPS = 500_000  # times so many: some minutes; a forged index can make a query endless


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database at `path`; nothing is written, not even beside it.

    Every fault of the database is an `InputError`.
    """
    check_file(path)
    for suffix in ("-journal", "-wal"):
        beside = path.with_name(path.name + suffix)
        if beside.exists() and beside.stat().st_size:
            raise InputError(
                f"is being written ({beside.name} is there); wait until it is not.", path
            )
    url = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(url, uri=True)) as base:
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
            base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            base.execute("PRAGMA trusted_schema=OFF")
            base.execute("PRAGMA cell_size_check=ON")
            steps = itertools.count()
            base.set_progress_handler(lambda: next(steps) > _MOST_STEPS, _STEPS)
            yield base
    except (sqlite3.Error, ValueError, OverflowError) as error:  # names that are no text too
        raise InputError(f"can't be read as a SQLite database ({error}).", path) from error


def tables_of(path: Path) -> dict[str, set[str]]:
    """Return the columns of every table; views, which could hide anything, are no tables."""
    with opened(path) as base:
        names = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            str(name): {
                str(column)
                for (column,) in base.execute("SELECT name FROM pragma_table_info(?)", (name,))
            }
            for (name,) in names
        }
