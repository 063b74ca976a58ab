"""Carry out a conversion: write the episodes that are left, then what they share."""

from __future__ import annotations

import errno
import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assay.engine import Failure, Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.episodes import catalogue
from assay.episodes.catalogue import Source
from assay.episodes.glitches.marking import Marks
from assay.episodes.writers.base import Writer, Written
from assay.errors import AssayError, RunError
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.records import Episode, Unreadable

__all__ = ["Converting", "Reading"]

_LOG = logging.getLogger("assay")
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Reading:
    """What a conversion reads: the sources, how much of each, and events to put in."""

    sources: Sequence[Source]
    limit: int | None = None
    trust_pickles: bool = False
    marks: Marks | None = None

    def episodes(self) -> Iterator[tuple[int, Episode | Unreadable]]:
        """Yield the episodes with their numbers, one in memory at a time."""
        every = catalogue.read_all(self.sources, limit=self.limit, trust_pickles=self.trust_pickles)
        for number, (_, episode) in enumerate(every):
            yield number, episode if self.marks is None else self.marks.apply(episode)


@dataclass(frozen=True)
class Converting:
    """One conversion under way."""

    run: RunDirectory
    writer: Writer
    reading: Reading

    def do(self, jobs: int | None) -> dict[str, Any]:
        """Write what is left and return the document."""
        started = time.perf_counter()
        # The journal's lock is held while files are written, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            lost: dict[int, dict[str, str]] = {}
            self._write(journal, jobs, lost)
            totals = self._finish(journal, lost)
            document = {
                "schema": "assay.convert/1",
                **totals,
                "failures": [lost[number] for number in sorted(lost)],
                "settings": self.run.document["settings"],
            }
            write_file(self.run.result, dump_json(document))
        timing = {"seconds": time.perf_counter() - started, "episodes": totals["episodes"]}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        if not lost:  # what failed is tried again by the next run, which needs the rest
            self.run.finish()
        return document

    def _write(self, journal: Journal, jobs: int | None, lost: dict[int, dict[str, str]]) -> None:
        def units() -> Iterator[Unit]:
            for number, episode in self.reading.episodes():
                if isinstance(episode, Unreadable):
                    lost[number] = _failure(episode.id, episode.status, episode.detail)
                else:
                    yield Unit(_key(number, episode.id), (number, episode))

        with ProgressBar("converting") as bar:
            work = partial(partial, _write_one, self.writer, self.run.path.absolute())
            tally = run_units(work, units(), journal, jobs=jobs, on_tally=bar)
        for failure in tally.failures:
            _LOG.info("%s: %s\n%s", failure.key, failure.message, failure.traceback)
            if failure.type == RunError.__name__:
                raise RunError(failure.message)
            lost[int(failure.key.partition(" ")[0])] = _of(failure)

    def _finish(self, journal: Journal, lost: dict[int, dict[str, str]]) -> dict[str, Any]:
        """Write what the episodes share; they are read once more, one at a time."""
        # Counted here, not in `written`: a writer with nothing to share never goes through that.
        counts = [_note(data, self.run.path)["frames"] for _, data in journal.items()]
        totals = {"episodes": len(counts), "frames": sum(counts)}
        under_way: dict[int, Written] = {}

        def written() -> Iterator[Written]:
            items = journal.items()
            held = next(items, None)
            for number, episode in self.reading.episodes():
                if held is None:
                    return
                if isinstance(episode, Episode) and held[0] == _key(number, episode.id):
                    item = Written(number, episode, _note(held[1], self.run.path))
                    under_way[number] = item
                    yield item
                    under_way.pop(number, None)
                    held = next(items, None)

        if not journal.done():
            return totals
        notes = (_note(data, self.run.path) for _, data in journal.items())
        for refused in self.writer.finish(self.run.path, notes, written()):
            item = under_way[refused.number]
            lost[refused.number] = _failure(item.episode.id, "invalid_value", refused.detail)
            totals["episodes"] -= 1
            totals["frames"] -= item.note["frames"]
        return totals


def _write_one(writer: Writer, root: Path, task: tuple[int, Episode]) -> bytes:
    number, episode = task
    try:
        return json.dumps(writer.write(episode, root, number)).encode()
    except OSError as error:
        if error.errno in _FULL:
            raise RunError(
                f"The disk of {root} is full. What was finished is kept:"
                " free some space and run the same command again."
            ) from error
        raise


def _key(number: int, name: str) -> str:
    """Return the key of a unit; the journal gives its items back sorted by it."""
    return f"{number:09d} {name}"


def _note(data: bytes, root: Path) -> Mapping[str, Any]:
    try:
        note: Mapping[str, Any] = json.loads(data)
    except ValueError as error:
        raise RunError(
            f"The journal in {root} is damaged: move it away to start afresh."
        ) from error
    return note


def _failure(episode: str, status: str, detail: str) -> dict[str, str]:
    return {"episode": episode, "status": status, "detail": " ".join(detail.split())}


def _of(failure: Failure) -> dict[str, str]:
    """Return a unit that failed; an error of our own tells all by its sentence."""
    own = failure.type in {kind.__name__ for kind in _kinds(AssayError)}
    words = failure.message if own else f"{failure.type}: {failure.message}"
    return _failure(failure.key.partition(" ")[2], "invalid_value", words)


def _kinds(root: type[Exception]) -> Iterator[type[Exception]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)
