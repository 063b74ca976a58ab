"""Which steps of the plan are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from assay.errors import EpisodeError
from assay.judges._asking import ModelJudge, Shots, each, shown
from assay.judges._showing import answered, instruction_of, mean
from assay.models._series import series_in
from assay.models.answers import Unusable, choice, json_in
from assay.models.base import Part
from assay.records import Curve, Episode, Floats, Judged

__all__ = ["Subgoal"]

_YES_NO = choice(("yes", "no"))


@dataclass(frozen=True)
class Subgoal(ModelJudge):
    """Ask which steps of the plan are done, and count those done in order.

    With K steps of which the first k hold, progress is k / K: a step that is undone takes those
    after it along. All steps of a moment are asked for in one call.

    Attributes:
        subgoals: The steps in order, apart by ";"; empty takes the plan of the episode's task.
    """

    subgoals: str = ""

    needs: ClassVar[frozenset[str]] = frozenset({"frames", "segments"})
    fields: ClassVar[tuple[str, ...]] = ("instruction", "subgoals", "start", "now", "count")
    required: ClassVar[tuple[str, ...]] = ("subgoals", "now")

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the share of the steps that are done in order, at `times`."""
        steps = self._steps(episode)
        start, *moments = self.frames(episode, times)
        told: dict[str, str | list[Part]] = {
            "instruction": instruction_of(episode),
            "subgoals": "\n".join(f"{k}. {step}" for k, step in enumerate(steps, start=1)),
            "start": shown(start),
            "count": str(len(steps)),
        }
        asked = each(partial(self._share, told, len(steps), shots) for shots in moments)
        return answered(times, asked)

    def _share(
        self, told: Mapping[str, str | list[Part]], count: int, shots: Shots
    ) -> Judged[float]:
        values = {**told, "now": shown(shots)}
        return self.sampled(values, _Done(count), lambda counts: mean(counts) / count)

    def _steps(self, episode: Episode) -> tuple[str, ...]:
        given = tuple(step.strip() for step in self.subgoals.split(";") if step.strip())
        steps = given or episode.plan or _marked(episode)
        if not steps:
            raise EpisodeError(
                f"the task of {episode.id} has no subtasks to ask for:"
                " pass --set subgoals='first;second;third'.",
                "no_reference",
            )
        return steps


@dataclass(frozen=True)
class _Done:
    """Read yes or no for each of `count` steps, and count those done before the first that is not.

    An answer is `yes`, `no`, true or false.
    """

    count: int

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return an object with one list of the right length."""
        items = {"type": "string", "enum": list(_YES_NO.options)}
        bounds = {"minItems": self.count, "maxItems": self.count}
        return {
            "type": "object",
            "properties": {"done": {"type": "array", "items": items, **bounds}},
            "required": ["done"],
            "additionalProperties": False,
        }

    def __call__(self, text: str) -> float:
        """Return how many steps hold in order, or raise `Unusable`."""
        found = json_in(text)
        if isinstance(found, dict):
            found = found.get("done", found)
        if found is None or isinstance(found, str):
            found = text
        if not isinstance(found, str | list | dict):
            raise Unusable(f"It holds no list of {self.count} answers.")
        done = [_held(each_said) for each_said in series_in(found, self.count)]
        return float(done.index(False) if False in done else self.count)


def _held(said: object) -> bool:
    return said if isinstance(said, bool) else _YES_NO(str(said)) == "yes"


def _marked(episode: Episode) -> tuple[str, ...]:
    """Return the subtasks that people marked in this episode, in order, each once."""
    marked = sorted(episode.segments, key=lambda segment: segment.start_s)
    return tuple(dict.fromkeys(s.name for s in marked if s.kind == "subtask"))
