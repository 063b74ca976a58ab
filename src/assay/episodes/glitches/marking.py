"""Events of a report put into episodes as segments of kind "event"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from assay.episodes import tables
from assay.episodes.glitches.reports import ClipReport, read_reports
from assay.errors import InputError
from assay.records import Episode, Segment, Unreadable

__all__ = ["Marks", "read_marks"]


@dataclass(frozen=True, slots=True)
class Marks:
    """The events of a report by episode id."""

    path: Path
    reports: Mapping[str, ClipReport]

    def apply(self, episode: Episode | Unreadable) -> Episode | Unreadable:
        """Return the episode with its events after its own segments, in order of time."""
        report = self.reports.get(episode.id)
        if report is None or isinstance(episode, Unreadable):
            return episode
        marked = sorted(report.events, key=lambda event: (event.start_s, event.end_s))
        segments = (Segment(event.type, event.start_s, event.end_s, "event") for event in marked)
        return replace(episode, segments=(*episode.segments, *segments))

    def check(self, ids: Iterable[str]) -> None:
        """Refuse a report on a clip that is not among the episodes."""
        known = set(ids)
        missing = [clip for clip in self.reports if clip not in known]
        if missing:
            raise InputError(tables.no_such("episode", missing, sorted(known)), self.path)


def read_marks(path: Path) -> Marks:
    """Return the events of a file of reports; one that can't be meant is an error of the file."""
    return Marks(path, read_reports(path, truth=True))
