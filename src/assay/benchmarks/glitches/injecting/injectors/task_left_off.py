"""Steps of the task are never done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.acting import first_step, resting
from assay.benchmarks.glitches.injecting.injectors._mistakes import OfActing, marked, under_way
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.worlds.policies.base import Actor
from assay.worlds.tasks.base import Aim, Task

__all__ = ["TaskLeftOff"]


@dataclass(frozen=True)
class TaskLeftOff(OfActing):
    """Do the first step of several and stop, or nothing at all."""

    type: ClassVar[str] = "task_incompletion"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def suits(self, task: Task) -> bool:
        """Say yes if the task has two things to bring somewhere, or two parts."""
        names = [move.name for move in task.script(Aim())]
        return sum("leave" in name for name in names) > 1

    def actor(self, task: Task, seed: int, level: Level) -> Actor:
        """Return an actor that stops after the first step, or does not move at all."""
        return resting(task, seed) if level == 2 else first_step(task)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time from the end of what was done to the end of the clip."""
        take = clip.attempt
        idle = under_way(take, {""})
        start = 0 if level == 2 else (idle[0] if idle else len(clip))
        done = "nothing" if level == 2 else "only the first step"
        said = (
            f"The robot does {done} of '{clip.instruction}' and then rests, as of a policy that "
            "takes the task for done."
        )
        return marked(clip, start, len(clip), said)
