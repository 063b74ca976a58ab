"""What two annotators marked, as the lines of one file of references."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.benchmarks.glitches.laid_out import marked
from assay.episodes.glitches.reports import ClipReport, event_as_json, read_reports
from assay.metrics.glitches.adjudicating import adjudicate
from assay.records import Event

__all__ = ["adjudicated_file", "adjudication"]


def adjudication(annotators: Mapping[str, Mapping[str, ClipReport]]) -> dict[str, Any] | None:
    """Return what becomes of the marks of two annotators; None for another number of them.

    Returns:
        How many events both marked (`merged`) and one alone (`separate`), how many a third person
        has to rate again (`to_rate`), and under `clips` the lines of a file of references. An event
        that has to be rated has no severity there, so that the file is refused until it has one.
    """
    if len(annotators) != 2:
        return None
    one, other = annotators.values()
    clips = [clip for clip in one if clip in other]
    (first, ours), (second, theirs) = (
        marked(side[clip].events for clip in clips) for side in (one, other)
    )
    found = adjudicate(first, second)
    lines: dict[str, list[dict[str, Any]]] = {clip: [] for clip in clips}
    rows = zip(found.first, found.second, found.times, found.severities, strict=True)
    for a, b, (start, end), severity in rows:
        own = [events[k] for events, k in ((ours, a), (theirs, b)) if k >= 0]
        home = first.spans.clips[a] if a >= 0 else second.spans.clips[b]
        event = replace(_told(own), start_s=float(start), end_s=float(end))
        rated = None if math.isnan(severity) else float(severity)
        lines[clips[home]].append(
            {**event_as_json(event), "severity": rated, "severities": [e.severity for e in own]}
        )
    merged = int(found.merged.sum())
    return {
        "merged": merged,
        "separate": len(found.first) - merged,
        "to_rate": int(found.open.sum()),
        "clips": [{**one[clip].as_json(), "events": events} for clip, events in lines.items()],
    }


def adjudicated_file(annotators: Mapping[str, Path]) -> bytes | None:
    """Return the file of references that two annotators' files make; None for another number."""
    found = adjudication({n: read_reports(path, truth=True) for n, path in annotators.items()})
    if found is None:
        return None
    lines = [json.dumps(line, ensure_ascii=False) + "\n" for line in found["clips"]]
    return "".join(lines).encode("utf-8", "backslashreplace")  # half a character stays an escape


def _told(marks: list[Event]) -> Event:
    """Return the first annotator's mark, in the words of both."""
    return replace(
        marks[0],
        description=" / ".join(dict.fromkeys(e.description for e in marks if e.description)),
        evidence=" / ".join(dict.fromkeys(e.evidence for e in marks if e.evidence)),
        secondary=tuple(dict.fromkeys(name for e in marks for name in e.secondary)),
        frames_s=tuple(sorted({at for e in marks for at in e.frames_s})),
    )
