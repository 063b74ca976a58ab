"""Which steps of the plan are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from assay.errors import EpisodeError
from assay.judges._asking import ModelJudge, Shots, each, shown
from assay.judges._showing import answered, instruction_of, mean
from assay.models.answers import choices
from assay.models.base import Part
from assay.records import Curve, Episode, Floats, Judged

__all__ = ["Subgoal"]


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
        read = choices(count, ("yes", "no"), field="done")
        return self.sampled(values, read, lambda said: mean(list(map(_in_order, said))) / count)

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


def _in_order(said: Sequence[str]) -> int:
    """Return how many steps hold before the first that does not."""
    return said.index("no") if "no" in said else len(said)


def _marked(episode: Episode) -> tuple[str, ...]:
    """Return the subtasks that people marked in this episode, in order, each once."""
    marked = sorted(episode.segments, key=lambda segment: segment.start_s)
    return tuple(dict.fromkeys(s.name for s in marked if s.kind == "subtask"))
