"""One clip under examination by `gaze`, part by part."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.episodes.glitches.lengths import length_of
from assay.episodes.glitches.reports import Invalid, event_as_json
from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges._diagnosing import looked_for
from assay.judges._event_lists import EventList, Events, by_time
from assay.judges._gaze.course import Course
from assay.judges._gaze.initial import initial_picture
from assay.judges._gaze.shapes import SCENE, TASK, Observations, Routes, Segment, Segments
from assay.judges._gaze.verifying import Critique, Decision, Decisions
from assay.judges._gaze.windows import LENGTH_S, Window, batches, windows_of
from assay.judges._one_look import merged
from assay.judges._prompts import Filling, Prompt
from assay.judges._shapes import Shaped, listed, number, record
from assay.judges._taxonomy_words import defined_types, normal, rubric
from assay.judges.instruments.measurements import Measurements, measurements
from assay.models.answers import Answer, Reader
from assay.records import Episode, Event

if TYPE_CHECKING:
    from assay.judges.gaze import Gaze

__all__ = ["Look"]

_ROUNDS = 3
_AT_ONCE = 24  # hypotheses in one question to the critic
_SUPPOSED = 3  # specialists that a plan counts; the published schedule has 2.5
_AROUND_S = 0.5  # what the critic sees before and after what it decides on


class Look:
    """One clip under examination."""

    def __init__(self, judge: Gaze, episode: Episode) -> None:
        self.judge, self.episode = judge, episode
        self.course = Course()
        self.dimensions, self.unasked, notes = looked_for(episode)
        self.notes = list(notes)
        self.dropped: list[Event] = []
        self.invalid: list[Invalid] = []
        self.length_s = length_of(episode)
        self.task: dict[str, Any] = {}
        self.scene: dict[str, Any] = {}
        self.measured: Measurements | None = None

    def run(self) -> tuple[Event, ...]:
        """Go through all parts; return the events, earliest first."""
        if self.judge.evidence == "instruments":
            self.measured = measurements(self.episode)
        self._ground()
        windows = self._windows()
        segments = self._plan(windows, self._observe(windows))
        proposed = self._propose(segments)
        return by_time(merged(self._verify(proposed) if self.judge.has("verifier") else proposed))

    def _ground(self) -> None:
        """Learn from the instruction and the first frame what is to happen, and what is there."""
        wanted = {"task_memory": TASK, "scene_memory": SCENE}
        told = bool(self.episode.instruction.strip())
        asked = {
            name: schema
            for name, schema in wanted.items()
            if self.judge.has(name) and (told or name != "task_memory")
        }
        if not asked:
            return
        values: dict[str, Filling] = {
            "instruction": self.episode.instruction.strip(),
            "task": "task_memory" if "task_memory" in asked else "",
            "scene": "scene_memory" if "scene_memory" in asked else "",
            "frames": self._start(),
        }
        nothing: dict[str, Any] = {name: {} for name in asked}
        question = self._asked("grounding", values, Shaped(record(**asked)))
        (found,) = self.course.ask("grounding", [question], [nothing])
        self.task, self.scene = (found.get(name, {}) for name in wanted)
        self.course.keep("grounding", {name: found[name] for name in asked})

    def _start(self) -> Filling:
        """Return how the scene looked at the start: the initial image, or the first frame."""
        if self.judge.initial is not None:
            return [initial_picture(self.judge.initial, self.episode.id, self.judge.side)]
        first = self.judge.seconds(self.episode, 0.0, 0.0)[:1]
        return self.judge.pictured(self.episode, first)

    def _windows(self) -> tuple[Window, ...]:
        found = windows_of(self.length_s, self.judge.most_windows)
        length = found[0].end_s - found[0].start_s
        if length > LENGTH_S + 1e-6:
            self.notes.append(
                f"The clip is {self.length_s:.0f} s long: its {len(found)} windows are"
                f" {length:.1f} s long instead of {LENGTH_S:g} s, and what is short may be missed."
            )
        return found

    def _observe(self, windows: Sequence[Window]) -> dict[int, dict[str, Any]]:
        """Describe each window; many windows in one question, all questions at once."""
        questions = []
        together = list(batches(windows, self.judge.batch))
        for some in together:
            times = self.judge.seconds(self.episode, some[0].start_s, some[-1].end_s)
            values: dict[str, Filling] = {
                **self._memories(),
                "windows": "\n".join(map(str, some)),
                "frames": self.judge.pictured(self.episode, times),
            }
            questions.append(self._asked("windows", values, Observations(some)))
        seen: dict[int, dict[str, Any]] = {}
        told = {"supposed": self.episode.id}  # or clips would put one question to the router
        supposed = [{window.number: dict(told) for window in some} for some in together]
        for found in self.course.ask("windows", questions, supposed):
            seen |= found
        self.course.keep("windows", [{"window": str(w), **seen[w.number]} for w in windows])
        return seen

    def _plan(
        self, windows: Sequence[Window], seen: Mapping[int, Mapping[str, Any]]
    ) -> tuple[Segment, ...]:
        """Divide the clip by subtasks, and choose what specialists look at."""
        values: dict[str, Filling] = {
            "subtasks": _words(self.task.get("subtasks", [])),
            "observations": "\n".join(f"{w} {_words(seen[w.number])}" for w in windows),
            "dimensions": "\n".join(defined_types((name,)) for name in self.dimensions),
        }
        segmented, routed = self.judge.has("segmentation"), self.judge.has("router")
        whole = Segment("the whole clip", tuple(windows), self.dimensions)
        some = replace(whole, dimensions=self.dimensions[:_SUPPOSED]) if routed else whole
        found: tuple[Segment, ...] = (whole,)
        if segmented:
            cut = Segments(windows, self.dimensions, routed)
            question = self._asked("plan" if routed else "segments", values, cut)
            (found,) = self.course.ask("segmentation", [question], [(some,)])
        elif routed:
            question = self._asked("routes", values, Routes(windows, self.dimensions))
            (found,) = self.course.ask("router", [question], [(some,)])
        self.course.keep("segments", [segment.as_json() for segment in found])
        return found

    def _propose(self, segments: Sequence[Segment]) -> list[Event]:
        """Let specialists look at their segments, all at once; drop what they hardly believe."""
        own = {
            dimension: [segment for segment in segments if dimension in segment.dimensions]
            for dimension in self.dimensions
        }
        called = {dimension: some for dimension, some in own.items() if some}
        more = {"confidence": number(0.0, 1.0), "frames_s": listed(number())}
        questions = [
            self._specialist(
                dimension, some, EventList("hypotheses", (dimension,), self.length_s, more)
            )
            for dimension, some in called.items()
        ]
        answers = self.course.ask("specialists", questions, [_one_of(name) for name in called])
        found = [
            replace(event, source=dimension)
            for dimension, answer in zip(called, answers, strict=True)
            for event in answer.events
        ]
        self.invalid += [bad for answer in answers for bad in answer.invalid]
        self.course.keep("hypotheses", [event_as_json(event) for event in found])
        least = self.judge.propose_at
        weak = [event for event in found if (event.confidence or 0.0) < least]
        self.dropped += [
            replace(e, verdict=f"not taken up: confidence {e.confidence:.2f} is below {least:.2f}")
            for e in weak
        ]
        return [event for event in found if (event.confidence or 0.0) >= least]

    def _specialist(
        self, dimension: str, segments: Sequence[Segment], read: EventList
    ) -> Callable[[], Answer[Events]]:
        spans = [(segment.start_s, segment.end_s) for segment in segments]
        values: dict[str, Filling] = {
            **self._memories(),
            "dimension": dimension,
            "types": defined_types((dimension,)),
            "checklist": Prompt.load(f"gaze/{dimension}").text.strip(),
            "rubric": rubric(),
            "normal": normal(),
            "segments": "\n".join(
                f"{s.start_s:.2f} to {s.end_s:.2f} s, {s.subtask}: {s.reason}" for s in segments
            ),
            "measured": self._measured(spans),
            "length": f"{self.length_s:.2f}",
            "frames": self._frames(spans),
        }
        return partial(self.judge.ask, values, read)

    def _verify(self, proposed: Sequence[Event]) -> list[Event]:
        """Have the critic decide, in at most three rounds; return what stands."""
        names = {f"h{place}": event for place, event in enumerate(proposed, start=1)}
        critique = Critique(names, self.judge.accept_at)
        for number_of_round in range(1, _ROUNDS + 1):
            if not critique.open:
                break
            decisions: dict[str, Decision] = {}
            agreed = {n: Decision("ACCEPT", event, "", "") for n, event in critique.open.items()}
            questions = self._critics(critique)
            for found in self.course.ask("verifier", questions, [agreed] * len(questions)):
                decisions |= found
            critique.take(decisions, last=number_of_round == _ROUNDS)
            self.course.keep(
                f"verifier, round {number_of_round}",
                {
                    name: {
                        "decision": one.action,
                        "merge_with": one.target,
                        "rationale": one.reason,
                        **event_as_json(one.event),
                    }
                    for name, one in decisions.items()
                },
            )
        self.dropped += critique.fallen.values()
        return critique.events()

    def _critics(self, critique: Critique) -> list[Callable[[], Answer[Any]]]:
        """Return the questions of one round: all hypotheses in one, unless they are very many."""
        names = list(critique.open)
        made = []
        for start in range(0, len(names), _AT_ONCE):
            some = {name: critique.open[name] for name in names[start : start + _AT_ONCE]}
            spans = [(e.start_s - _AROUND_S, e.end_s + _AROUND_S) for e in some.values()]
            values: dict[str, Filling] = {
                **self._memories(),
                "hypotheses": _named(some),
                "accepted": _named(critique.standing),
                "least": f"{self.judge.accept_at:.2f}",
                "rubric": rubric(),
                "normal": normal(),
                "measured": self._measured(spans),
                "length": f"{self.length_s:.2f}",
                "frames": self._frames(spans),
            }
            read = Decisions(some, tuple(critique.standing), self.dimensions, self.length_s)
            made.append(self._asked("verifier", values, read))
        return made

    def _memories(self) -> dict[str, Filling]:
        return {
            "instruction": self.episode.instruction.strip(),
            "task": _words(self.task),
            "scene": _words(self.scene),
        }

    def _measured(self, spans: Sequence[tuple[float, float]]) -> str:
        if self.measured is None:
            return ""
        told = (self.measured.in_words(max(a, 0.0), min(b, self.length_s)) for a, b in spans)
        return " ".join(dict.fromkeys(words for words in told if words))

    def _frames(self, spans: Sequence[tuple[float, float]]) -> Filling:
        """Return the frames of some stretches, by the regime over all of them together."""
        start, end = max(min(a for a, _ in spans), 0.0), max(b for _, b in spans)
        times = self.judge.seconds(self.episode, start, end)
        inside = [any(a - 1e-6 <= t <= b + 1e-6 for a, b in spans) for t in times.tolist()]
        return self.judge.pictured(self.episode, times[inside] if any(inside) else times[:1])

    def _asked(
        self, name: str, values: Mapping[str, Filling], read: Reader[Any]
    ) -> Callable[[], Answer[Any]]:
        """Return a question by one of the prompts of this package."""
        template = Prompt.load(f"gaze/{name}")
        return partial(self.judge.ask, values, read, template=template)


def _one_of(dimension: str) -> Events:
    """Return what a plan supposes of a specialist: one hypothesis."""
    kind = next(iter(taxonomy().dimensions[dimension].types))
    return Events((Event(dimension, kind, 0.0, 0.0, 1.0, confidence=1.0, frames_s=(0.0,)),))


def _words(found: object) -> str:
    """Return plain data as a prompt has it; nothing is left out."""
    return json.dumps(found, ensure_ascii=False) if found else ""


def _named(events: Mapping[str, Event]) -> str:
    return "\n".join(f"{name}: {_words(event_as_json(event))}" for name, event in events.items())
