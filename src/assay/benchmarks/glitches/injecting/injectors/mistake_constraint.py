"""A condition of the instruction is broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._mistakes import (
    Mistaken,
    first_touch,
    last_move,
    marked,
    odd_moves,
    under_way,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.worlds.tasks.base import Wrong

__all__ = ["MistakeConstraint"]


@dataclass(frozen=True)
class MistakeConstraint(Mistaken):
    """Do the task and ignore what the instruction forbids."""

    type: ClassVar[str] = "ignored_instruction_constraint"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)
    wrong: ClassVar[Wrong] = "constraint"

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time in which the condition is broken."""
        take = clip.attempt
        odd = under_way(take, odd_moves(take, self.wrong))
        lift = last_move(take, "lift")
        start = first_touch(clip, odd[0]) if odd else (lift[0] if lift else first_touch(clip))
        stop = odd[-1] + 1 if odd else len(clip)
        said = (
            f"The robot does what '{clip.instruction}' forbids or does not keep to how it should "
            "be done, as of a policy that hears only the main clause."
        )
        return marked(clip, start, stop, said)
