"""The ledger: every answer of a model, kept for good, so that none is paid for twice."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from assay.engine.closing import Closing
from assay.errors import UsageError
from assay.models._ledger_entries import Entry, Row, entry_of, reply_of, reply_text
from assay.models._ledger_files import check_row, read_pins, read_rows, write_rows
from assay.models._ledger_keys import key_from, key_of, model_of, question_of
from assay.models._ledger_places import default_path
from assay.models._ledger_results import Held, Info, Merged
from assay.models._ledger_store import damaged, in_words, open_database, transaction
from assay.models._ledger_together import Together
from assay.models.base import Address, Reply, Request
from assay.records import Status

__all__ = ["Entry", "Held", "Info", "Ledger", "Merged", "default_path", "key_of"]

_COLUMNS = "key, usable, model, revision, question, reply"
_FIND = f"SELECT {_COLUMNS} FROM entries WHERE key = ?"  # noqa: S608 - no word of others
_TOLD = "SELECT revision, reply FROM entries WHERE key = ? AND usable = ?"
_ALL = f"SELECT {_COLUMNS} FROM entries WHERE usable ORDER BY key"  # noqa: S608 - as above
# An answer is never overwritten: the first one is the one that runs have used.
_STORE = """
INSERT INTO entries (key, usable, model, revision, question, reply) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET usable = excluded.usable, reply = excluded.reply WHERE NOT usable
"""
_PIN = "INSERT OR IGNORE INTO pins (model, revision) VALUES (?, ?)"
_HELD = """
SELECT model, revision, sum(usable), sum(NOT usable),
    sum(json_extract(reply, '$.input_tokens')), sum(json_extract(reply, '$.output_tokens')),
    sum(json_extract(reply, '$.cost')), model || char(0) || revision IN
    (SELECT model || char(0) || revision FROM pins)
FROM entries GROUP BY model, revision ORDER BY model, revision
"""
_SQLITE = b"SQLite format 3\0"
_CHUNK = 1000


class Ledger(Closing):
    """Keep answers of models, by key. Opens the file, or creates it.

    Any number of threads and processes may share it. What `put` has returned from survives
    `kill -9`, and the loss of power too where the disk keeps its word on fsync.

    Args:
        path: The file; its folder is made if need be.
        writable: False reads alone, and so needs no place that can be written.
        patience_s: How long to wait for other processes [s].
        traceless: Whether it also leaves no file behind; one that is not there is then empty.

    Raises:
        InputError: The file is no sound ledger, or of a newer version.
        RunError: The place can't be written, is full, or is in use for too long.
    """

    def __init__(
        self,
        path: Path,
        *,
        writable: bool = True,
        patience_s: float = 60.0,
        traceless: bool = False,
    ) -> None:
        self.path = path
        self._writable = writable and not traceless
        self._traceless = traceless
        self._patience_s = patience_s
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._together = Together(self._store)
        self._open()

    def get(self, key: str) -> Reply | None:
        """Return the answer under `key`, None if there is none; a failure is no answer."""
        return self._told(key, usable=True)

    def failed(self, key: str) -> Reply | None:
        """Return how the last try of `key` failed, None if it did not; for a run told again."""
        return self._told(key, usable=False)

    def entry(self, key: str) -> Entry | None:
        """Return what was asked and answered under `key`, failures too; None if nothing was."""
        with in_words(self.path), self._reading:
            row = _select(self._reader, key)
        return None if row is None else entry_of(row)

    def put(self, key: str, address: Address, request: Request, reply: Reply) -> None:
        """Store a reply; after it returns, it is safe.

        An ok reply is an answer from here on, and the first answer of a model pins its revision.
        Any other is kept to be read, and never given as an answer. An answer that is there
        already stays. A reply that comes from a ledger is not stored again.

        Args:
            key: `key_of(address, reply.revision, request)`.
            address: The model.
            request: What was asked.
            reply: What came back.

        Raises:
            UsageError: The key is another one.
            RunError: The disk is full or broken, or others hold the file; nothing was stored.
        """
        if reply.cached:
            return
        model, revision, question = model_of(address), reply.revision, question_of(request)
        if key != key_from(model, revision, question):
            raise UsageError(f"The key {key} is not that of the question and of its revision.")
        usable = int(reply.status == "ok")
        self._together.put(Row(key, usable, model, revision, question, reply_text(reply)))

    def reject(self, reply: Reply, status: Status, detail: str) -> None:
        """Take back an answer that can't be read: it is asked again when it is next wanted.

        Args:
            reply: The answer, as the ledger or the model gave it, with its key.
            status: What is wrong, such as "unparsed".
            detail: The same in a sentence.
        """
        with in_words(self.path), self._writing, transaction(self._writer):
            row = _select(self._writer, reply.key)
            if row is None or not row.usable:
                return
            stored = reply_of(row.key, row.revision, row.reply)
            if stored.text == reply.text:  # else another process has a new answer
                told = reply_text(replace(stored, detail=f"{status}: {detail}"))
                self._writer.execute(
                    "UPDATE entries SET usable = 0, reply = ? WHERE key = ?", (told, reply.key)
                )

    def revision(self, address: Address) -> str | None:
        """Return the revision to look up: the one asked for, else the pinned one, else None."""
        if address.revision:
            return address.revision
        return self._pinned(model_of(address))

    def pin(self, address: Address, revision: str, *, change: bool = False) -> None:
        """Pin the revision of a model, or see that it is still the same.

        Args:
            address: The model.
            revision: What answers there now.
            change: Whether another revision takes the place of the pinned one.

        Raises:
            UsageError: Another revision is pinned or was asked for: answers of the two in one
                table would look like one model's.
        """
        model = model_of(address)
        with in_words(self.path), self._writing, transaction(self._writer):
            if change:
                self._writer.execute("DELETE FROM pins WHERE model = ?", (model,))
            self._writer.execute(_PIN, (model, revision))
        if address.revision and address.revision != revision:
            raise UsageError(
                f"{model} answers as {revision!r}, but {address.revision!r} was asked for."
            )
        if not address.revision and (known := self._pinned(model)) != revision:
            raise UsageError(
                f"{model} answers as {revision!r} now, and its answers in {self.path} are of"
                f" {known!r}; the two are never mixed. To begin anew with {revision!r} (old"
                f" answers stay): assay ledger pin {model} {revision}"
            )

    def pins(self) -> dict[str, str]:
        """Return the pinned revisions of all models, by `provider:name[@url]`."""
        with in_words(self.path), self._reading:
            return dict(self._reader.execute("SELECT model, revision FROM pins ORDER BY model"))

    def info(self) -> Info:
        """Return what the ledger holds, after a check of the whole file.

        Raises:
            InputError: The file is damaged.
        """
        with in_words(self.path), self._reading:
            (verdict,) = self._reader.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise damaged(self.path)
            (mode,) = self._reader.execute("PRAGMA journal_mode").fetchone()
            rows = self._reader.execute(_HELD).fetchall()
            size = self.path.stat().st_size
        return Info(self.path, str(mode), size, tuple(map(_held, rows)))

    def export(self, path: Path) -> int:
        """Write all answers to a file that `merge` takes, and return how many there are.

        Raises:
            UsageError: The file is there already.
            RunError: It can't be written.
        """
        return write_rows(path, self.pins(), self._rows())

    def merge(self, path: Path) -> Merged:
        """Take in an exported file or another ledger; what is here stays as it is.

        The other file is checked to its end before anything of it is stored.

        Raises:
            InputError: The other file is damaged, cut short, or of another version.
            RunError: The disk is full or broken; every answer stored so far is kept.
        """
        if _is_sqlite(path):
            if self.path.exists() and path.samefile(self.path):
                raise UsageError(f"{path} is the ledger itself: name another one to take in.")
            with Ledger(path, writable=False) as other:
                return self._merge(other.pins(), lambda: _sound(other._rows(), path))
        return self._merge(read_pins(path), lambda: read_rows(path))

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._together.close()
        with self._reading, self._writing:
            self._reader.close()
            self._writer.close()

    def _open(self) -> None:
        """Open two connections: a look-up never waits for a write to reach the disk."""
        self._writer = self._connected()
        self._reader = self._connected()

    def _connected(self) -> sqlite3.Connection:
        return open_database(
            self.path,
            writable=self._writable,
            patience_s=self._patience_s,
            traceless=self._traceless,
        )

    def _told(self, key: str, *, usable: bool) -> Reply | None:
        with in_words(self.path), self._reading:
            found = self._reader.execute(_TOLD, (key, usable)).fetchone()
        return None if found is None else reply_of(key, *found)

    def _store(self, rows: Sequence[Row]) -> None:
        """Store rows in one transaction; the first answer of a model pins its revision."""
        with in_words(self.path), self._writing, transaction(self._writer):
            self._writer.executemany(_STORE, rows)
            self._writer.executemany(_PIN, [(r.model, r.revision) for r in rows if r.usable])

    def _pinned(self, model: str) -> str | None:
        with in_words(self.path), self._reading:
            query = "SELECT revision FROM pins WHERE model = ?"
            found = self._reader.execute(query, (model,)).fetchone()
        return None if found is None else str(found[0])

    def _rows(self) -> Iterator[Row]:
        """Yield the answers sorted by key, as they are at this moment."""
        db = self._connected()  # its own: look-ups go on meanwhile
        try:
            with in_words(self.path):
                yield from map(Row._make, db.execute(_ALL))
        finally:
            db.close()

    def _merge(self, pins: Mapping[str, str], rows: Callable[[], Iterator[Row]]) -> Merged:
        """Take in what `rows` gives, which it checks; it is called twice."""
        deque(rows(), maxlen=0)  # to the end, before anything is stored
        counts: Counter[str] = Counter()
        for chunk in _batches(rows()):
            with in_words(self.path), self._writing, transaction(self._writer):
                counts.update(self._take(row) for row in chunk)
        with in_words(self.path), self._writing, transaction(self._writer):
            self._writer.executemany(_PIN, pins.items())
        mine = self.pins()
        other = tuple(model for model, revision in pins.items() if mine[model] != revision)
        return Merged(counts["added"], counts["known"], counts["differing"], other)

    def _take(self, row: Row) -> str:
        """Store a row unless there is an answer; say what came of it."""
        mine = _select(self._writer, row.key)
        if mine is None or not mine.usable:
            self._writer.execute(_STORE, row)
            return "added"
        return "known" if mine.reply == row.reply else "differing"


def _select(db: sqlite3.Connection, key: str) -> Row | None:
    found = db.execute(_FIND, (key,)).fetchone()
    return None if found is None else Row(*found)


def _held(found: Sequence[Any]) -> Held:
    model, revision, answers, failures, read, said, cost, pinned = found
    return Held(model, revision, answers, failures, read or 0, said or 0, cost or 0.0, bool(pinned))


def _sound(rows: Iterator[Row], path: Path) -> Iterator[Row]:
    return (check_row(row, path) for row in rows)


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(islice(rows, _CHUNK)):
        yield batch


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # the reader of exported files says what is wrong
