"""The robot stops in the middle of its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.acting import cut_after
from assay.benchmarks.glitches.injecting.injectors._mistakes import (
    OfActing,
    marked,
    named,
    under_way,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.errors import EpisodeError
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task

__all__ = ["TaskBrokenOff"]

_LAST = ("carry", "lift", "close on")


@dataclass(frozen=True)
class TaskBrokenOff(OfActing):
    """Stop with the thing in the hand, or right after taking hold of it."""

    type: ClassVar[str] = "premature_termination"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def suits(self, task: Task) -> bool:
        """Say yes if something is carried."""
        return any("carry" in move.name for move in task.script(Aim()))

    def actor(self, task: Task, seed: int, level: Level) -> ScriptedActor:  # noqa: ARG002 - nothing is left to chance
        """Return an actor whose script ends too soon."""
        return cut_after(task, _LAST[level])

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time from the stop to the end of the clip."""
        take = clip.attempt
        idle = under_way(take, {""})
        if not idle:
            raise EpisodeError("the robot never stops")
        what = named(take, str(take.trace.moves[idle[0] - 1]))
        said = (
            f"The robot stops with the {what} in its hand, half way through '{clip.instruction}', "
            "as of a policy that hangs or is cut off."
        )
        return marked(clip, idle[0], len(clip), said)
