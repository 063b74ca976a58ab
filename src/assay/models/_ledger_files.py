"""Answers in a file to be sent: JSON lines, gzipped, each checked when it is read.

The first line says what the file is and which revisions are pinned. Then comes one line an answer,
sorted by key. The last line holds the number of answers and a hash of all lines before it, so that
a file that was cut short is known as such.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError, RunError, UsageError
from assay.models._ledger_entries import Row, entry_of
from assay.models._ledger_keys import KEY_VERSION, key_from

__all__ = ["check_row", "read_pins", "read_rows", "write_rows"]

_SCHEMA = "assay.ledger/1"
_LONGEST = 1 << 26  # bytes in a line: more is no answer of a model


def write_rows(path: Path, pins: Mapping[str, str], rows: Iterator[Row]) -> int:
    """Write a file whole or not at all, and return the number of answers in it.

    The same answers give the same bytes: the file holds no clock and not its own name.

    Raises:
        UsageError: The file is there already.
        RunError: It can't be written.
    """
    if path.exists():
        raise UsageError(f"{path} is there already: choose another name for the export.")
    partial = path.with_name(f".{path.name}.partial")
    count, digest = 0, hashlib.sha256()

    def line(document: Mapping[str, Any]) -> bytes:
        text = json.dumps(document, sort_keys=True, separators=(",", ":")).encode() + b"\n"
        digest.update(text)
        return text

    try:
        with partial.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            file.write(line({"schema": _SCHEMA, "key_version": KEY_VERSION, "pins": dict(pins)}))
            for count, row in enumerate(rows, start=1):  # noqa: B007 - counted on purpose
                question, reply = json.loads(row.question), json.loads(row.reply)
                file.write(line({**row._asdict(), "question": question, "reply": reply}))
            end = {"end": count, "sha256": digest.hexdigest()}
            file.write(line(end))
        partial.replace(path)
    except OSError as error:
        raise RunError(f"{path} can't be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def read_pins(path: Path) -> dict[str, str]:
    """Return the pinned revisions in an exported file, by model.

    Raises:
        InputError: It is no such file, or of another version.
    """
    _, head = next(_lines(path), (b"", {}))
    schema = head.get("schema")
    if schema != _SCHEMA or head.get("key_version") != KEY_VERSION:
        known = isinstance(schema, str) and schema.startswith("assay.ledger/")
        raise InputError(
            f"these are answers of another version of Assay ({schema}, this one reads {_SCHEMA})."
            if known
            else "this is no exported ledger.",
            path,
        )
    pins = head.get("pins")
    return {str(k): str(v) for k, v in pins.items()} if isinstance(pins, dict) else {}


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the answers of an exported file, each checked; the end of the file is checked last.

    Raises:
        InputError: The file is damaged, cut short, or holds an answer that is not its key's.
    """
    count, digest = 0, hashlib.sha256()
    for number, (raw, document) in enumerate(_lines(path), start=1):
        if "end" in document:
            if (document["end"], document.get("sha256")) != (count, digest.hexdigest()):
                raise InputError("the file is damaged: its hash is not that of its lines.", path)
            return
        digest.update(raw)
        if number > 1:
            yield check_row(_row(document, path, number), path, number)
            count += 1
    raise InputError("the file is cut short: it has no last line.", path)


def check_row(row: Row, path: Path, number: int | None = None) -> Row:
    """Return the row if its key is that of its question and its reply can be read.

    Raises:
        InputError: It is not.
    """
    if key_from(row.model, row.revision, row.question) != row.key:
        raise InputError("the key of an answer is not that of its question.", path, number)
    if not row.usable or entry_of(row).reply.status != "ok":
        raise InputError("holds a failure in place of an answer.", path, number)
    return row


def _row(document: Mapping[str, Any], path: Path, number: int) -> Row:
    """Return a line as a row: its JSON is canonical again once it is dumped."""
    try:
        question, reply = (
            json.dumps(document[name], sort_keys=True, separators=(",", ":"), allow_nan=False)
            for name in ("question", "reply")
        )
        return Row(
            key=str(document["key"]),
            usable=int(document["usable"]),
            model=str(document["model"]),
            revision=str(document["revision"]),
            question=question,
            reply=reply,
        )
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"this line is no answer ({error!r}).", path, number) from error


def _lines(path: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the lines, as they stand and as objects."""
    try:
        with gzip.open(path, "rb") as file:
            number = 0
            while raw := file.readline(_LONGEST):
                number += 1
                document = json.loads(raw)
                if not isinstance(document, dict):
                    raise InputError("this line is no JSON object.", path, number)
                yield raw, document
    except FileNotFoundError as error:
        raise InputError("there is no such file.", path) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"can't be read as a gzipped file ({error}).", path) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"holds what is no JSON ({error}).", path) from error
