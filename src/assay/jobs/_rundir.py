"""A run directory: what was asked, what came out, and whether it may be resumed."""

from __future__ import annotations

import errno
import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from assay.errors import InputError, RunError

__all__ = ["RunDirectory", "disk_faults", "dump_json", "read_document", "write_file"]

_REFUSED = (
    errno.EACCES,
    errno.EEXIST,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
)
_PACKAGES = ("assay", "numpy", "scipy", "pyarrow", "av")


@dataclass(frozen=True)
class RunDirectory:
    """One run of one verb.

    Attributes:
        path: The directory.
        document: What `run.json` holds.
        judging: The settings that decide what is judged and how. Runs that differ in others only
            are one run, reported in another way.
    """

    path: Path
    document: Mapping[str, Any]
    judging: frozenset[str]

    @property
    def verb(self) -> str:
        """Return the verb that made the run."""
        return str(self.document["verb"])

    @property
    def fingerprint(self) -> str:
        """Return the hash of everything that decides the judging."""
        return hashlib.sha256(
            dump_json(_identity(self.document, self.judging)).encode()
        ).hexdigest()

    @property
    def result(self) -> Path:
        """Return where the result stands; it is written last."""
        return self.path / f"{self.verb}.json"

    @property
    def finished(self) -> bool:
        """Tell whether the result is there and nothing is left to do."""
        return self.result.is_file() and not self.journal.exists()

    @property
    def journal(self) -> Path:
        """Return where finished units are kept while the run goes on."""
        return self.path / "journal.sqlite"

    @classmethod
    def open(cls, path: Path, document: Mapping[str, Any], judging: frozenset[str]) -> RunDirectory:
        """Create the directory, or take it up again if it holds the same run.

        Args:
            path: The directory.
            document: `verb`, `seed`, `settings` and `fingerprints` of the run.
            judging: The settings that decide the judging.

        Raises:
            RunError: The directory holds something else; nothing in it was touched.
        """
        whole = {"schema": "assay.run/1", **document, "versions": _versions()}
        run = cls(path, json.loads(dump_json(whole)), judging)
        with disk_faults(path):
            path.mkdir(parents=True, exist_ok=True)
            record = path / "run.json"
            if not record.exists():
                _refuse_foreign(path)
            elif (known := read_document(record)) != run.document:
                _refuse_another(run, known)
                run.result.unlink(missing_ok=True)  # the same judging, to be reported anew
            write_file(record, dump_json(run.document))
        return run

    def finish(self) -> None:
        """Remove the journal: from here on the files are the result."""
        for leftover in sorted(self.path.glob("journal.sqlite?*")):
            leftover.unlink()
        self.journal.unlink(missing_ok=True)


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def _identity(document: Mapping[str, Any], judging: frozenset[str]) -> dict[str, Any]:
    """Return the part of a run's record that decides the judging."""
    settings = document.get("settings") or {}
    return {
        "verb": document.get("verb"),
        "settings": {name: settings.get(name) for name in sorted(judging)},
        "fingerprints": document.get("fingerprints"),
        "versions": document.get("versions"),
    }


def _refuse_another(run: RunDirectory, known: Mapping[str, Any]) -> None:
    """Raise unless `known` is the record of the same judging."""
    before, now = _identity(known, run.judging), _identity(run.document, run.judging)
    for part, value in now.items():
        if before[part] == value:
            continue
        if isinstance(value, dict) and isinstance(before[part], dict):
            names = {**before[part], **value}
            differing = [n for n in sorted(names) if before[part].get(n) != value.get(n)]
            what = f"{part} differ in {', '.join(differing)}"
        else:
            what = f"{part}: {before[part]!r} there, {value!r} now"
        raise RunError(
            f"{run.path} holds another run ({what}). Choose another --out, or remove the folder."
        )


def _refuse_foreign(path: Path) -> None:
    """Raise when the folder holds files that no run of ours put there."""
    strangers = sorted(p.name for p in path.iterdir())
    if strangers:
        raise RunError(
            f"{path} is not empty and holds no run (it has {strangers[0]!r})."
            " Choose an empty or new folder for --out."
        )


@contextmanager
def disk_faults(path: Path) -> Iterator[None]:
    """Word the faults of a disk: full, read-only, not permitted."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RunError(
                f"The disk of {path} is full. What was finished is kept:"
                " free some space and run the same command again."
            ) from error
        if error.errno in _REFUSED:
            raise RunError(f"{path} can't be written: {error.strerror}.") from error
        raise


def write_file(path: Path, content: str | bytes | Callable[[Path], None]) -> None:
    """Write a file whole or not at all: a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    try:
        if callable(content):
            content(partial)
        else:
            partial.write_bytes(content.encode() if isinstance(content, str) else content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def dump_json(document: Mapping[str, Any] | Sequence[Any], *, in_order: bool = False) -> str:
    """Return JSON with sorted keys; NaN is refused, since no reader of JSON agrees on it.

    Args:
        document: What is written.
        in_order: Whether keys stand in the document's own order instead, where a reader is
            promised what comes first.
    """
    by_name = not in_order
    return (
        json.dumps(document, indent=1, sort_keys=by_name, allow_nan=False, ensure_ascii=False)
        + "\n"
    )


def read_document(path: Path) -> dict[str, Any]:
    """Return the JSON object in `path`."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"can't be read as JSON ({error}).", path) from error
    if not isinstance(document, dict):
        raise InputError("holds no JSON object.", path)
    return document


def _refuse_constant(name: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"it holds {name}")
