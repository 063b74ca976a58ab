"""The hand closes beside the thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.acting import beside_grasp
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
from assay.worlds.tasks.base import Aim, Task, hands_of

__all__ = ["GraspMissed"]

_BESIDE_M = (0.055, 0.07, 0.09)


@dataclass(frozen=True)
class GraspMissed(OfActing):
    """Close the hand beside the thing, lift it empty, and stop."""

    type: ClassVar[str] = "failed_grasp"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def suits(self, task: Task) -> bool:
        """Say yes if the task begins with a grasp and a lift by one hand."""
        names = [move.name for move in task.script(Aim())][:4]
        kinds = ("above", "down to", "close on", "lift")
        fits = len(names) == 4 and all(k in name for k, name in zip(kinds, names, strict=True))
        return fits and hands_of(task) == 1

    def actor(self, task: Task, seed: int, level: Level) -> ScriptedActor:  # noqa: ARG002 - nothing is left to chance
        """Return an actor that grasps beside the thing."""
        return beside_grasp(task, _BESIDE_M[level])

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time from the closing of the hand to the end of the lift."""
        take = clip.attempt
        frames = [*last_move(take, "close on"), *last_move(take, "lift")]
        if not frames or any(held.any() for held in take.trace.held.values()):
            raise EpisodeError("the hand has got hold of something")
        what = named(take, str(take.trace.moves[frames[0]]))
        said = (
            f"The fingers close beside the {what} and the hand comes up empty, as of a policy "
            "that misjudges where things are."
        )
        return marked(clip, frames[0], frames[-1] + 1, said)
