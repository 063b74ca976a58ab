"""Diagnosers that look at a clip once, or several times alike: what a pipeline has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import ClassVar

from assay.episodes.glitches.lengths import length_of
from assay.episodes.glitches.reports import Invalid, event_as_json
from assay.judges._asking import each
from assay.judges._diagnosing import ModelDiagnoser, looked_for
from assay.judges._event_lists import EventList, Events, by_time, iou
from assay.judges._prompts import Filling, Prompt
from assay.judges._taxonomy_words import defined_types, named_types, normal, rubric
from assay.judges.base import Examination
from assay.models.answers import Answer
from assay.records import Episode, Event, Judged, worst_status

__all__ = ["SAME_EVENT", "OneLook", "agreed", "merged"]

SAME_EVENT = 0.5
"""The overlap from which on two reports of one type are of one event."""


@dataclass(frozen=True)
class OneLook(ModelDiagnoser):
    """Show a model the clip and ask for all that is wrong with it.

    Several answers (`samples`) are taken together: an event counts if more than half of them have
    it, by its type and an overlap of 0.5, with the union of their spans.
    """

    fields: ClassVar[tuple[str, ...]] = (
        *("instruction", "frames", "length", "types", "rubric", "normal"),
    )
    required: ClassVar[tuple[str, ...]] = ("frames", "types")
    words: ClassVar[str] = "vanilla"  # the prompt
    defines: ClassVar[bool] = False  # whether the prompt has definitions and the rubric
    free: ClassVar[bool] = False  # whether the model may think aloud first

    def template(self) -> Prompt:
        """Return the prompt: the user's, or the one of this package."""
        return Prompt.load(self.words, self.prompt)

    def examine(self, episode: Episode) -> Examination:
        """Return what the answers list, taken together."""
        dimensions, unasked, notes = looked_for(episode)
        length = length_of(episode)
        values = self._values(episode, dimensions, length)
        readers = [EventList("events", dimensions, length) for _ in range(self.samples)]
        answers = each(
            partial(self.ask, values, read, sample=index, free=self.free)
            for index, read in enumerate(readers)
        )
        found = [one.judged.value for one in answers if one.judged.value is not None]
        return Examination(
            judged=_judged(answers),
            invalid=_each_once(found),
            unasked=unasked,
            trail=tuple(
                (f"answer {number}", [event_as_json(event) for event in one.events])
                for number, one in enumerate(found, start=1)
            ),
            rounds=1,
            notes=notes,
        )

    def _values(
        self, episode: Episode, dimensions: Sequence[str], length: float
    ) -> dict[str, Filling]:
        return {
            "instruction": episode.instruction.strip(),
            "frames": self.pictured(episode, self.seconds(episode, 0.0, length)),
            "length": f"{length:.2f}",
            "types": defined_types(dimensions) if self.defines else named_types(dimensions),
            "rubric": rubric() if self.defines else "",
            "normal": normal() if self.defines else "",
        }


def _judged(answers: Sequence[Answer[Events]]) -> Judged[tuple[Event, ...]]:
    """Return what the answers agree on; one that failed fails the whole."""
    import numpy as np

    calls = sum(one.judged.calls for one in answers)
    worst = worst_status(np.array([one.judged.status for one in answers]))
    if worst != "ok":
        detail = next(one.judged.detail for one in answers if one.judged.status == worst)
        return Judged(None, worst, detail, calls)
    found = [one.judged.value.events for one in answers if one.judged.value is not None]
    return Judged(agreed(found) if len(found) > 1 else by_time(merged(found[0])), calls=calls)


def _each_once(found: Sequence[Events]) -> tuple[Invalid, ...]:
    return tuple(dict.fromkeys(bad for one in found for bad in one.invalid))


def merged(events: Sequence[Event]) -> list[Event]:
    """Return events with duplicates made one: the same type, and an overlap of 0.5.

    The gravest, then the surest of them stays, with the union of the spans.
    """
    return [_joined(group) for group in _groups(events)]


def agreed(samples: Sequence[Sequence[Event]]) -> tuple[Event, ...]:
    """Return the events that more than half of several answers have, with the union of spans.

    Severity is the median of the answers, confidence the share of answers that have it.

    Cites:
        Wang et al. (2023), "Self-consistency improves chain of thought reasoning".
    """
    owners = {id(event): number for number, own in enumerate(samples) for event in own}
    found = []
    for group in _groups([event for own in samples for event in own]):
        votes = len({owners[id(event)] for event in group})
        if 2 * votes > len(samples):
            severity = float(round(median(event.severity for event in group)))
            share = votes / len(samples)
            found.append(replace(_joined(group), severity=severity, confidence=share))
    return by_time(found)


def _groups(events: Sequence[Event]) -> list[list[Event]]:
    """Return the events in groups: each overlaps with one of its type in the group by 0.5."""
    groups: list[list[Event]] = []
    for event in events:
        near = [g for g in groups if any(_same(event, other) for other in g)]
        groups = [g for g in groups if g not in near]
        groups.append([*(other for g in near for other in g), event])
    return groups


def _same(a: Event, b: Event) -> bool:
    return a.type == b.type and iou(a, b) >= SAME_EVENT


def _joined(group: Sequence[Event]) -> Event:
    best = max(group, key=lambda event: (event.severity, event.confidence or 0.0))
    return replace(
        best,
        start_s=min(event.start_s for event in group),
        end_s=max(event.end_s for event in group),
        frames_s=tuple(sorted({at for event in group for at in event.frames_s})),
    )
