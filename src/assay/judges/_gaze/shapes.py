"""What the parts of `gaze` must answer, and how it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assay.judges._gaze.windows import Window
from assay.judges._shapes import TEXT, TEXTS, Schema, Shaped, listed, number, one_of, record
from assay.models.answers import Unusable

__all__ = ["SCENE", "TASK", "Observations", "Routes", "Segment", "Segments"]

TASK: Schema = record(
    goal=TEXT,
    objects=TEXTS,
    target_locations=TEXTS,
    expected_effectors=TEXTS,
    subtasks=listed(record(name=TEXT, expected_outcome=TEXT, completion_criterion=TEXT)),
)
SCENE: Schema = record(
    visible_objects=TEXTS,
    robot_parts=TEXTS,
    spatial_relations=TEXTS,
    support_relations=TEXTS,
    occlusions=TEXTS,
    uncertainty=TEXTS,
)
_SEEN: dict[str, Schema] = {
    "actions": TEXTS,
    "object_changes": TEXTS,
    "robot_changes": TEXTS,
    "progress": TEXT,
    "candidate_anomalies": TEXTS,
    "normal_or_hidden": TEXTS,
    "uncertain": TEXTS,
}


@dataclass(frozen=True)
class Observations:
    """Read what was seen in each of some windows."""

    windows: Sequence[Window]

    @property
    def schema(self) -> Schema:
        """Return a list with an entry per window."""
        count = len(self.windows)
        return record(windows=listed(record(window=number(whole=True), **_SEEN), count, count))

    def __call__(self, text: str) -> dict[int, dict[str, Any]]:
        """Return the observations by window, or raise `Unusable`."""
        found = Shaped(self.schema)(text)["windows"]
        by_number = {int(one["window"]): one for one in found}
        wanted = [window.number for window in self.windows]
        if sorted(by_number) != wanted:
            raise Unusable(f"It must speak of the windows {wanted}, of each once.")
        return {place: {name: by_number[place][name] for name in _SEEN} for place in wanted}


@dataclass(frozen=True)
class Segment:
    """A stretch of the clip that belongs to one subtask, and what may be wrong in it.

    Attributes:
        subtask: What is done there.
        windows: The windows that it is made of.
        dimensions: What specialists should look at.
        reason: Why.
    """

    subtask: str
    windows: tuple[Window, ...]
    dimensions: tuple[str, ...]
    reason: str = ""

    @property
    def start_s(self) -> float:
        """Return where it starts [s]."""
        return self.windows[0].start_s

    @property
    def end_s(self) -> float:
        """Return where it ends [s]."""
        return self.windows[-1].end_s

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "subtask": self.subtask,
            "span_s": [self.start_s, self.end_s],
            "windows": [window.number for window in self.windows],
            "dimensions": list(self.dimensions),
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Segments:
    """Read segments that follow each other without a gap; each names its first window.

    Attributes:
        windows: All windows.
        dimensions: What can be routed to.
        routed: Whether the answer says what to look at; else it is everything.
    """

    windows: Sequence[Window]
    dimensions: Sequence[str]
    routed: bool

    @property
    def schema(self) -> Schema:
        """Return a list of segments."""
        routes = {"dimensions": listed(one_of(self.dimensions)), "reason": TEXT}
        first = number(1, len(self.windows), whole=True)
        entry = record(subtask=TEXT, first_window=first, **(routes if self.routed else {}))
        return record(segments=listed(entry, 1, len(self.windows)))

    def __call__(self, text: str) -> tuple[Segment, ...]:
        """Return the segments, or raise `Unusable`."""
        found = Shaped(self.schema)(text)["segments"]
        firsts = [int(one["first_window"]) for one in found]
        if firsts[0] != 1 or any(b <= a for a, b in pairwise(firsts)):
            raise Unusable("Segments start at window 1, and each starts after the one before.")
        ends = [*firsts[1:], len(self.windows) + 1]
        return tuple(
            Segment(
                one["subtask"],
                tuple(self.windows[first - 1 : end - 1]),
                tuple(dict.fromkeys(one["dimensions"] if self.routed else self.dimensions)),
                one.get("reason", "") if self.routed else "",
            )
            for one, first, end in zip(found, firsts, ends, strict=True)
        )


@dataclass(frozen=True)
class Routes:
    """Read what to look at in the whole clip."""

    windows: Sequence[Window]
    dimensions: Sequence[str]

    @property
    def schema(self) -> Schema:
        """Return a list of dimensions, and the reason."""
        return record(dimensions=listed(one_of(self.dimensions)), reason=TEXT)

    def __call__(self, text: str) -> tuple[Segment, ...]:
        """Return the clip as one segment, or raise `Unusable`."""
        found = Shaped(self.schema)(text)
        chosen = tuple(dict.fromkeys(found["dimensions"]))
        return (Segment("the whole clip", tuple(self.windows), chosen, found["reason"]),)
