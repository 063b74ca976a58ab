"""Reports of events, one clip a line: `{"clip", "dataset", "events": [...]}`.

An event is `{"dimension", "type", "span_s": [start, end], "severity", "description", "evidence"}`,
and may have `confidence`, `secondary` dimensions and `frames_s`, the moments it cites. A line may
have `length_s`, the length of its clip; no event lies outside then. Moments outside are left out of
what an event cites: they show nothing.

What people marked is truth and must be right. What a model reported may be anything: an event that
can't be meant is kept as invalid, with the reason, so that it is counted and never dropped. A line
may list under `invalid`, as `{"reason", "detail"}`, such events that were set aside before.
"""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from assay.episodes import jsonlines
from assay.episodes.glitches.taxonomy import LEAST, MOST, taxonomy
from assay.errors import AssayError, InputError, UnknownNameError
from assay.records import Event

__all__ = [
    "REASONS",
    "ClipReport",
    "Invalid",
    "Reason",
    "event_as_json",
    "event_in",
    "read_reports",
    "write_reports",
]

Reason: TypeAlias = Literal[
    "unknown_dimension", "unknown_type", "bad_span", "outside_clip", "bad_severity", "malformed"
]
REASONS: Final[tuple[Reason, ...]] = Reason.__args__  # type: ignore[attr-defined]  # for tables
_SLACK_S: Final = 0.05  # a report may round the end of a clip up by so much
_TEXTS: Final = ("description", "evidence")


@dataclass(frozen=True, slots=True)
class Invalid:
    """An event that can't be meant: why, and the sentence that says so."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class ClipReport:
    """What was reported of one clip.

    Attributes:
        clip: The clip's id, unique in a file.
        dataset: The group it belongs to; empty when there is one group.
        events: What can be meant.
        invalid: What can't.
        length_s: The length of the clip [s], if the file tells it.
    """

    clip: str
    dataset: str = ""
    events: tuple[Event, ...] = ()
    invalid: tuple[Invalid, ...] = ()
    length_s: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the line of a file."""
        line: dict[str, Any] = {"clip": self.clip, "dataset": self.dataset}
        if self.length_s is not None:
            line["length_s"] = self.length_s
        line["events"] = [event_as_json(event) for event in self.events]
        if self.invalid:
            line["invalid"] = [asdict(one) for one in self.invalid]
        return line


class _Unmeant(AssayError):  # noqa: N818 - caught in this file alone
    """An event that can't be meant."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def event_as_json(event: Event) -> dict[str, Any]:
    """Return an event as files hold it; what is optional stands there only if it is known."""
    found: dict[str, Any] = {
        "dimension": event.dimension,
        "type": event.type,
        "span_s": [event.start_s, event.end_s],
        "severity": event.severity,
        "description": event.description,
        "evidence": event.evidence,
    }
    if event.confidence is not None:
        found["confidence"] = event.confidence
    for name in ("secondary", "frames_s"):
        if values := getattr(event, name):
            found[name] = list(values)
    return found


def event_in(one: object, length_s: float = math.nan) -> Event | Invalid:
    """Return an event that a model or a judge gave as JSON, or why it can't be meant.

    Args:
        one: What was given; anything.
        length_s: The length of the clip [s]; NaN where it is not known.
    """
    try:
        return _event(one, length_s)
    except _Unmeant as fault:
        return Invalid(fault.reason, str(fault))


def read_reports(
    path: Path, *, truth: bool = False, lengths: Mapping[str, float] | None = None
) -> dict[str, ClipReport]:
    """Return the reports of a file by clip, in its order.

    Args:
        path: A jsonl file.
        truth: Whether an event that can't be meant is an error of the file.
        lengths: The lengths of clips that are known from elsewhere [s]; what a line says of its
            own clip can make it shorter, and not longer.

    Raises:
        InputError: The file can't be used; names the row.
    """
    found: dict[str, ClipReport] = {}
    rows: dict[str, int] = {}
    for row, line in jsonlines.iterate(path):
        report = _report(line, path, row, truth=truth, lengths=lengths or {})
        if report.clip in found:
            said = f"the clip {report.clip!r} stands in row {rows[report.clip]} already."
            raise InputError(said, path, row)
        found[report.clip], rows[report.clip] = report, row
    if not found:
        raise InputError("has no clips.", path)
    return found


def write_reports(path: Path, reports: Iterable[ClipReport]) -> None:
    """Write reports to a jsonl file."""
    lines = [json.dumps(report.as_json(), ensure_ascii=False) + "\n" for report in reports]
    path.write_text("".join(lines), encoding="utf-8")


def _report(
    line: Mapping[str, Any], path: Path, row: int, *, truth: bool, lengths: Mapping[str, float]
) -> ClipReport:
    clip = jsonlines.text(line.get("clip"), "clip", path, row)
    if not clip:
        raise InputError("has no 'clip': each line is {clip, dataset, events}.", path, row)
    listed = line.get("events")
    if not isinstance(listed, list):
        raise InputError(f"'events' of the clip {clip!r} is not a list.", path, row)
    length = jsonlines.number(line.get("length_s"), "length_s", path, row)
    if math.isinf(length) or length < 0:
        raise InputError(f"length_s of the clip {clip!r} is {length:g}.", path, row)
    told = (length, lengths.get(clip, math.nan))
    known = min((one for one in told if not math.isnan(one)), default=math.nan)
    events: list[Event] = []
    invalid = _set_aside(line.get("invalid"), path, row)
    for number, one in enumerate(listed, start=1):
        found = event_in(one, known)
        if isinstance(found, Event):
            events.append(found)
            continue
        said = f"event {number} of {clip!r}: {found.detail}"
        if truth:
            raise InputError(said, path, row)
        invalid.append(Invalid(found.reason, said))
    return ClipReport(
        clip=clip,
        dataset=jsonlines.text(line.get("dataset"), "dataset", path, row),
        events=tuple(events),
        invalid=tuple(invalid),
        length_s=None if math.isnan(length) else length,
    )


def _set_aside(listed: object, path: Path, row: int) -> list[Invalid]:
    """Return the events that whoever wrote the file had counted as invalid already."""
    found = []
    entries = [] if listed is None else listed
    for one in entries if isinstance(entries, list) else [entries]:
        told = one if isinstance(one, dict) else {}
        reason, detail = told.get("reason"), told.get("detail", "")
        if reason not in REASONS or not isinstance(detail, str):
            allowed = ", ".join(REASONS)
            said = f"'invalid' is a list of {{reason, detail}}; reasons are: {allowed}."
            raise InputError(said, path, row)
        found.append(Invalid(reason, detail))
    return found


def _event(one: object, length: float) -> Event:
    if not isinstance(one, dict):
        raise _Unmeant("malformed", "it is not a JSON object.")
    kind, dimension = _kind(one)
    start, end = _span(one.get("span_s"), length)
    severity = _number(one.get("severity"), "bad_severity", "severity")
    if not LEAST <= severity <= MOST:
        said = f"severity is {severity:g}; {LEAST:g} to {MOST:g} is allowed."
        raise _Unmeant("bad_severity", said)
    for name in _TEXTS:
        if not isinstance(one.get(name, ""), str):
            raise _Unmeant("malformed", f"{name} is no text.")
    event = Event(dimension, kind, start, end, severity, *(one.get(name, "") for name in _TEXTS))
    return replace(event, **_optional(one, length))


def _kind(one: Mapping[str, Any]) -> tuple[str, str]:
    """Return the type and the primary dimension, which is the type's own if none is said."""
    known, kind = taxonomy(), _name(one.get("type"))
    try:
        own = known.dimension_of(kind)
    except UnknownNameError as error:
        raise _Unmeant("unknown_type", str(error)) from None
    dimension = _name(one.get("dimension", own))
    if dimension not in known.dimensions:
        unknown = UnknownNameError("dimension", dimension, known.dimensions)
        raise _Unmeant("unknown_dimension", str(unknown))
    return kind, dimension


def _name(given: object) -> str:
    """Return a text as it is, and anything else as a sentence can show it; that is no name."""
    return given if isinstance(given, str) else reprlib.repr(given)


def _span(given: object, length: float) -> tuple[float, float]:
    if not isinstance(given, list) or len(given) != 2:
        raise _Unmeant("bad_span", "span_s is [start, end] in seconds.")
    start, end = (_number(value, "bad_span", "span_s") for value in given)
    if start > end:
        raise _Unmeant("bad_span", f"span_s ends at {end:g} s before it starts at {start:g} s.")
    if not _inside(start, end, length):
        whole = "" if math.isnan(length) else f" to {length:g} s"
        said = f"span_s {start:g} to {end:g} s is not inside the clip, 0{whole}."
        raise _Unmeant("outside_clip", said)
    return start, end


def _inside(start: float, end: float, length: float) -> bool:
    """Tell whether a span lies in a clip; one of unknown length (NaN) has no end."""
    return start >= 0 and not end > length + _SLACK_S


def _optional(one: Mapping[str, Any], length: float) -> dict[str, Any]:
    """Return the optional fields that an event has."""
    found: dict[str, Any] = {}
    if one.get("confidence") is not None:
        found["confidence"] = _number(one["confidence"], "malformed", "confidence")
        if not 0.0 <= found["confidence"] <= 1.0:
            raise _Unmeant("malformed", f"confidence is {found['confidence']:g}, not in 0..1.")
    second, frames = one.get("secondary") or [], one.get("frames_s") or []
    if not isinstance(second, list) or not set(map(_name, second)) <= set(taxonomy().dimensions):
        raise _Unmeant("unknown_dimension", "secondary is a list of dimensions.")
    if not isinstance(frames, list):
        raise _Unmeant("malformed", "frames_s is a list of seconds.")
    found["secondary"] = tuple(second)
    cited = [_number(value, "malformed", "frames_s") for value in frames]
    found["frames_s"] = tuple(at for at in cited if _inside(at, at, length))
    return found


def _number(value: object, reason: Reason, name: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            found = float(value)
        except OverflowError:  # JSON has whole numbers of any length
            raise _Unmeant(reason, f"{name} is too large for a number.") from None
        if math.isfinite(found):
            return found
    raise _Unmeant(reason, f"{name} is {reprlib.repr(value)}, which is not a number.")
