"""The wrong arm does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._mistakes import (
    Mistaken,
    marked,
    odd_moves,
    under_way,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.errors import EpisodeError
from assay.worlds.tasks.base import Wrong

__all__ = ["MistakeEffector"]


@dataclass(frozen=True)
class MistakeEffector(Mistaken):
    """Do with one arm what the instruction wants of the other."""

    type: ClassVar[str] = "wrong_effector"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)
    wrong: ClassVar[Wrong] = "effector"

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time in which the wrong arm is at work."""
        take = clip.attempt
        odd = under_way(take, odd_moves(take, self.wrong))
        if not odd:
            raise EpisodeError("both arms do what they should")
        said = (
            f"The other arm does what '{clip.instruction}' asks of one of them, as of a policy "
            "that takes left for right."
        )
        return marked(clip, odd[0], odd[-1] + 1, said)
