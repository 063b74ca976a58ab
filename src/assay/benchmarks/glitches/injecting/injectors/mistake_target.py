"""The right thing goes to the wrong place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._mistakes import (
    Mistaken,
    first_touch,
    last_move,
    marked,
    named,
    touched_from,
)
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.worlds.tasks.base import Wrong

__all__ = ["MistakeTarget"]


@dataclass(frozen=True)
class MistakeTarget(Mistaken):
    """Bring the right thing to another place than the one that was named."""

    type: ClassVar[str] = "wrong_target_location"
    severities: ClassVar[tuple[int, int, int]] = (4, 4, 4)
    wrong: ClassVar[Wrong] = "target"

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time from the way to the wrong place on."""
        take = clip.attempt
        carry = last_move(take, "carry")
        start = carry[0] if carry else first_touch(clip)
        what = named(take, touched_from(clip, start)[0])
        said = (
            f"The {what} is brought to another place than '{clip.instruction}' names, as of a "
            "policy that takes one place for another."
        )
        return marked(clip, start, len(clip), said)
