"""Convert datasets from any format that is read into any that is written."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import plugins
from assay.episodes import catalogue
from assay.episodes.catalogue import Source
from assay.episodes.glitches.marking import Marks, read_marks
from assay.episodes.writers.base import Writer
from assay.errors import InputError, UsageError
from assay.jobs._convert_run import Converting, Reading
from assay.jobs._fingerprint import fingerprint
from assay.jobs._log import logged
from assay.jobs._rundir import RunDirectory, disk_faults, read_document
from assay.records import Episode

__all__ = ["ConvertResult", "ConvertSettings", "convert"]

WRITERS = "assay.episodes.writers"


@dataclass(frozen=True)
class ConvertSettings:
    """What to write and where.

    Attributes:
        out: The folder for the dataset.
        to: A name of `assay list writers`.
        options: Options of the writer; text is converted.
        events: A file of reports (jsonl) whose events are written as labels too, or None.
        limit: How many episodes to take from each source, or None for all.
        trust_pickles: Whether pickles of the sources may be opened; no part of what is recorded.
        jobs: Workers; None takes one a core.
    """

    out: Path
    to: str
    options: Mapping[str, Any] = field(default_factory=dict)
    events: Path | None = None
    limit: int | None = None
    trust_pickles: bool = False
    jobs: int | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        for name in ("limit", "jobs"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name} must be at least 1, not {value}.")


@dataclass(frozen=True)
class ConvertResult:
    """A finished conversion: where it is, and what `convert.json` holds."""

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `convert.json` to the letter."""
        return (self.out / "convert.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every episode was written."""
        return not self.document["failures"]

    def problems(self) -> list[str]:
        """Return a sentence on the episodes that were not written, and the first of them."""
        failures = self.document["failures"]
        if not failures:
            return []
        total = self.document["episodes"] + len(failures)
        first = failures[0]
        counted = f"Not written: {len(failures)} of {total} episodes"
        return [f"{counted}, the first {first['episode']}: {first['detail']}"]


def convert(sources: Sequence[str | Source], settings: ConvertSettings) -> ConvertResult:
    """Write the episodes of all `sources` as one dataset.

    Takes up an unfinished conversion in the same folder: episodes that are written are not written
    again, and those that failed are tried again. Does nothing if it is finished.
    """
    parsed = [Source.parse(s) if isinstance(s, str) else s for s in sources]
    writer: Writer = plugins.configure(plugins.find(WRITERS, settings.to), settings.options)
    out = Path(settings.out)
    for source in parsed:
        _check_apart(source.path, out)
        catalogue.format_of(source.path)
    marks = None
    if settings.events is not None:
        marks = _marks(settings.events, parsed, trust_pickles=settings.trust_pickles)
    writer = writer.begun(_first(parsed, trust_pickles=settings.trust_pickles))
    record = {
        "to": settings.to,
        "options": dataclasses.asdict(writer),  # type: ignore[call-overload]  # writers are dataclasses
        "sources": [str(source) for source in parsed],
        "limit": settings.limit,
        **({"events": str(marks.path)} if marks else {}),
    }
    read = [source.path for source in parsed] + ([marks.path] if marks else [])
    document = {
        "verb": "convert",
        "seed": None,
        "settings": record,
        "fingerprints": {str(path): fingerprint(path) for path in read},
    }
    with logged() as log:
        run = RunDirectory.open(out, document, frozenset(record))
        if run.finished:
            found = read_document(run.result)
            if not found.get("failures"):
                return ConvertResult(run.path, found)
        with disk_faults(run.path):
            log.open(run.path)
            reading = Reading(parsed, settings.limit, settings.trust_pickles, marks)
            return ConvertResult(run.path, Converting(run, writer, reading).do(settings.jobs))


def _marks(path: Path, sources: Sequence[Source], *, trust_pickles: bool) -> Marks:
    """Return the events to write; each belongs to an episode, whether or not it is taken."""
    marks = read_marks(path)
    every = catalogue.read_all(sources, trust_pickles=trust_pickles)
    marks.check(episode.id for _, episode in every)
    return marks


def _check_apart(source: Path, out: Path) -> None:
    """Refuse to write into what is read: it would change under the reader."""
    inner, outer = out.resolve(), source.resolve()
    if inner == outer or inner.is_relative_to(outer):
        raise UsageError(f"--out {out} lies in the source {source}; give a folder elsewhere.")


def _first(sources: Sequence[Source], *, trust_pickles: bool) -> Episode:
    """Return the first episode that can be read."""
    for _, episode in catalogue.read_all(sources, trust_pickles=trust_pickles):
        if isinstance(episode, Episode):
            return episode
    raise InputError("no episode of it can be read.", ", ".join(map(str, sources)))
