"""Lists of events in a model's answer: those that can be meant, and those that can't."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import field as option
from typing import Any

from assay.episodes.glitches.reports import Invalid, event_in
from assay.episodes.glitches.taxonomy import LEAST, MOST, taxonomy
from assay.judges._shapes import TEXT, Schema, check_shape, listed, number, one_of, record
from assay.models.answers import Unusable, json_in
from assay.records import Event

__all__ = ["EventList", "Events", "by_time", "event_schema", "iou"]

_TRIES = 3
_SPAN: Schema = listed(number(), 2, 2)
_ANY: Schema = {"type": "array", "items": {"type": "object"}}


@dataclass(frozen=True)
class Events:
    """What one answer lists."""

    events: tuple[Event, ...] = ()
    invalid: tuple[Invalid, ...] = ()


def event_schema(dimensions: Sequence[str], **more: Schema) -> Schema:
    """Return the schema of an event of some dimensions."""
    known = taxonomy().dimensions
    return record(
        dimension=one_of(dimensions),
        type=one_of([kind for name in dimensions for kind in known[name].types]),
        span_s=_SPAN,
        severity=number(LEAST, MOST, whole=True),
        description=TEXT,
        evidence=TEXT,
        **more,
    )


@dataclass
class EventList:
    """Read the events of one question, over all its tries.

    An event that can't be meant is told to the model, which may put it right. What is still wrong
    in the last answer is kept as invalid, with the reason, and the others count.

    Attributes:
        field: The list's name in the answer.
        dimensions: Those that were asked for.
        length_s: The length of the clip [s].
        more: Further fields of each entry.
        tries: How often the model is asked again.
    """

    field: str
    dimensions: Sequence[str]
    length_s: float
    more: dict[str, Schema] = option(default_factory=dict)
    tries: int = _TRIES
    _read: int = 0

    @property
    def schema(self) -> Schema:
        """Return what is asked for."""
        return record(**{self.field: listed(event_schema(self.dimensions, **self.more))})

    def __call__(self, text: str) -> Events:
        """Return the events, or raise `Unusable` while there are tries left."""
        self._read += 1
        found = json_in(text)
        check_shape(found, {"type": "object"}, "The answer")
        listed_events = found.get(self.field)
        check_shape(listed_events, _ANY, f"The field {self.field!r}")
        read = [self._event(one) for one in listed_events]
        invalid = tuple(one for one in read if isinstance(one, Invalid))
        if invalid and self._read <= self.tries:
            raise Unusable(f"An event can't be meant: {invalid[0].detail}", "invalid_value")
        return Events(tuple(one for one in read if isinstance(one, Event)), invalid)

    def _event(self, one: dict[str, Any]) -> Event | Invalid:
        found = event_in(one, self.length_s)
        for name in self.more:
            if name not in one:
                return Invalid("malformed", f"{name} is missing.")
        if isinstance(found, Event) and (fault := self._unasked(found)):
            return Invalid("unknown_dimension", fault)
        return found

    def _unasked(self, event: Event) -> str:
        """Return why an event was not asked for: its type's own dimension decides, and its own."""
        asked = "was not asked for; these were: " + ", ".join(self.dimensions) + "."
        own = taxonomy().dimension_of(event.type)
        if own not in self.dimensions:
            return f"{event.type} is of {own}, which {asked}"
        return "" if event.dimension in self.dimensions else f"{event.dimension} {asked}"


def by_time(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return events earliest first."""
    return tuple(sorted(events, key=lambda e: (e.start_s, e.end_s, e.type, e.description)))


def iou(a: Event, b: Event) -> float:
    """Return the overlap in time of two events, 0..1; two equal moments overlap wholly."""
    shared = min(a.end_s, b.end_s) - max(a.start_s, b.start_s)
    whole = max(a.end_s, b.end_s) - min(a.start_s, b.start_s)
    if whole <= 0:
        return 1.0
    return max(shared, 0.0) / whole
