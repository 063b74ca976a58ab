"""The wrong thing is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._mistakes import (
    Mistaken,
    first_touch,
    marked,
    named,
    odd_moves,
    touched_from,
    under_way,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.worlds.tasks.base import Wrong

__all__ = ["MistakeObject"]


@dataclass(frozen=True)
class MistakeObject(Mistaken):
    """Do with another thing what the instruction says."""

    type: ClassVar[str] = "wrong_object"
    severities: ClassVar[tuple[int, int, int]] = (4, 4, 4)
    wrong: ClassVar[Wrong] = "object"

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time from the reach for the wrong thing to the end of its use."""
        take = clip.attempt
        odd = under_way(take, odd_moves(take, self.wrong))
        meant = str(take.trace.moves[odd[0]]).rpartition(" ")[2] if odd else ""
        meant = meant if meant in take.trace.touched else ""
        start = first_touch(clip, odd[0] if odd else 0, meant)
        name, last = touched_from(clip, start, meant)
        stop = max(last, odd[-1] + 1 if odd else 0)
        said = (
            f"The robot goes for the {named(take, name)}, and '{clip.instruction}' names another "
            "thing, as of a policy that does not tell the things apart."
        )
        return marked(clip, start, stop, said)
