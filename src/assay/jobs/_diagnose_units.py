"""Diagnose one clip: the unit of work, its form in the journal and in `examined.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from assay.episodes.glitches.lengths import length_of
from assay.episodes.glitches.reports import ClipReport, Invalid, event_as_json, event_in
from assay.errors import EpisodeError, UsageError
from assay.jobs._calls import pack
from assay.judges.base import Diagnoses, Examination, Examines
from assay.models.recording import recorded
from assay.records import STATUSES, Episode, Event, Judged

__all__ = ["Examined", "decode", "encode", "unexamined", "worker"]

_STEPS = ("rejected", "invalid", "unasked", "trail", "notes")


@dataclass(frozen=True)
class Examined:
    """What became of a clip.

    Attributes:
        found: What the judge found and how; its status says whether anything can be said.
        length_s: The length of the clip [s].
        calls: What models were asked, packed.
    """

    found: Examination
    length_s: float = 0.0
    calls: bytes = b""

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the faults; none where the clip is not ok."""
        return self.found.judged.value or ()

    @property
    def is_ok(self) -> bool:
        """Tell whether the clip was examined."""
        return self.found.judged.status == "ok"

    def report(self, clip: str, dataset: str) -> ClipReport:
        """Return the line of `reports.jsonl`."""
        return ClipReport(clip, dataset, self.events, self.found.invalid, self.length_s)

    def as_json(self) -> dict[str, Any]:
        """Return all but the calls as plain data."""
        found = self.found
        return {
            "status": found.judged.status,
            "detail": found.judged.detail,
            "asked": found.judged.calls,
            "rounds": found.rounds,
            "length_s": self.length_s,
            "events": [_event_as_json(event) for event in self.events],
            "rejected": [_event_as_json(event) for event in found.rejected],
            "invalid": [{"reason": bad.reason, "detail": bad.detail} for bad in found.invalid],
            "unasked": list(found.unasked),
            "trail": [[name, step] for name, step in found.trail],
            "notes": list(found.notes),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], calls: bytes = b"") -> Examined:
        """Return what `as_json` was made of."""
        ok = data["status"] == "ok"
        events = tuple(_event_from_json(one) for one in data["events"])
        judged = Judged(events if ok else None, data["status"], data["detail"], data["asked"])
        found = Examination(
            judged,
            tuple(_event_from_json(one) for one in data["rejected"]),
            tuple(Invalid(bad["reason"], bad["detail"]) for bad in data["invalid"]),
            tuple(data["unasked"]),
            tuple((name, step) for name, step in data["trail"]),
            data["rounds"],
            tuple(data["notes"]),
        )
        return cls(found, data["length_s"], calls)


def worker(judge: Diagnoses) -> Callable[[], Callable[[Episode], bytes]]:
    """Return the picklable factory that each worker calls once to get its own judge."""
    return partial(partial, _examine, judge)


def _examine(judge: Diagnoses, episode: Episode) -> bytes:
    with recorded() as record:
        examined = _examined(judge, episode)
    return encode(replace(examined, calls=pack(record)))


def _examined(judge: Diagnoses, episode: Episode) -> Examined:
    try:
        length = length_of(episode)
        if isinstance(judge, Examines):
            found = judge.examine(episode)
        else:
            found = Examination(judge.diagnose(episode))
    except EpisodeError as error:
        return unexamined(error.status, str(error))
    except UsageError as error:
        return unexamined("invalid_value", str(error))
    fault = _breach(found.judged)
    if fault:
        return unexamined("invalid_value", f"the judge breaks its contract: {fault}")
    return Examined(_sifted(found, length), length)


def _breach(judged: object) -> str:
    """Say how an answer is none; empty when it is one."""
    if not isinstance(judged, Judged) or judged.status not in STATUSES:
        return "diagnose must return a Judged with a known status."
    if (judged.status == "ok") != isinstance(judged.value, tuple | list):
        return "diagnose must return events where the status is ok, and None elsewhere."
    if not all(isinstance(event, Event) for event in judged.value or ()):
        return "diagnose must return events."
    return ""


def _sifted(found: Examination, length_s: float) -> Examination:
    """Return what was found, with events that can't be meant among the invalid ones.

    Moments outside the clip are left out of what an event cites.
    """
    if found.judged.value is None:
        return found
    read = [(event, event_in(event_as_json(event), length_s)) for event in found.judged.value]
    good = tuple(replace(e, frames_s=one.frames_s) for e, one in read if isinstance(one, Event))
    bad = tuple(one for _, one in read if isinstance(one, Invalid))
    return replace(found, judged=replace(found.judged, value=good), invalid=(*found.invalid, *bad))


def unexamined(status: Any, detail: str) -> Examined:  # noqa: ANN401 - a status, from an error
    """Return the result of a clip that could not be examined."""
    return Examined(Examination(Judged(None, status, detail)))


def encode(examined: Examined) -> bytes:
    """Return the journal's form: JSON in a line, then the calls."""
    return json.dumps(_clean(examined.as_json())).encode() + b"\n" + examined.calls


def decode(data: bytes) -> Examined:
    """Return what `encode` was given."""
    line, _, calls = data.partition(b"\n")
    return Examined.from_json(json.loads(line), calls)


def _event_as_json(event: Event) -> dict[str, Any]:
    told = {"source": event.source, "verdict": event.verdict}
    return {**event_as_json(event), **{name: text for name, text in told.items() if text}}


def _event_from_json(one: Mapping[str, Any]) -> Event:
    start, end = one["span_s"]
    plain = {n: one[n] for n in ("dimension", "type", "severity", "description", "evidence")}
    more = {n: one[n] for n in ("confidence", "source", "verdict") if n in one}
    lists: dict[str, Any] = {n: tuple(one.get(n, ())) for n in ("secondary", "frames_s")}
    return Event(start_s=start, end_s=end, **plain, **more, **lists)


def _clean(value: Any) -> Any:  # noqa: ANN401 - any plain data
    """Return plain data without half surrogate pairs, which no file holds; a model may say them."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_clean(name): _clean(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(one) for one in value]
    return value
