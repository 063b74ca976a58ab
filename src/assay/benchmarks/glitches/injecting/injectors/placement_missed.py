"""A thing is put down beside where it belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._mistakes import (
    OfActing,
    last_move,
    marked,
    named,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.errors import EpisodeError
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim, Task

__all__ = ["PlacementMissed"]

_MISS = (0.9, 1.0, 1.0)


@dataclass(frozen=True)
class PlacementMissed(OfActing):
    """Do all right but the last placement, which is off."""

    type: ClassVar[str] = "failed_placement"
    severities: ClassVar[tuple[int, int, int]] = (3, 3, 4)

    def suits(self, task: Task) -> bool:
        """Say yes if something is put down at the end."""
        return any("carry" in move.name for move in task.script(Aim()))

    def actor(self, task: Task, seed: int, level: Level) -> ScriptedActor:  # noqa: ARG002 - nothing is left to chance
        """Return an actor that misses, surely."""
        return ScriptedActor(task, Aim(miss=_MISS[level]))

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time from the letting go on."""
        take = clip.attempt
        frames = last_move(take, "let go")
        if not frames:
            raise EpisodeError("nothing is let go")
        what = named(take, str(take.trace.moves[frames[0]]))
        said = (
            f"The {what} is let go beside its place and stays there, so that '{clip.instruction}' "
            "is not done, as of a policy that misjudges the distance."
        )
        return marked(clip, frames[0], len(clip), said)
