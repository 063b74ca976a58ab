"""The right steps in the wrong order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._mistakes import Mistaken, first_touch, marked
from assay.benchmarks.glitches.injecting.injectors.base import Level
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared
from assay.worlds.tasks.base import Wrong

__all__ = ["MistakeOrder"]


@dataclass(frozen=True)
class MistakeOrder(Mistaken):
    """Do the steps of the instruction in another order."""

    type: ClassVar[str] = "wrong_action_order"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)
    wrong: ClassVar[Wrong] = "order"

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:  # noqa: ARG002 - the actor has done it
        """Mark the time from the first step, which should come later, to its end."""
        take = clip.attempt
        start = first_touch(clip)
        after = [n for n, move in enumerate(take.trace.moves) if n > start and "leave" in move]
        stop = _end_of_run(after) if after else len(clip)
        said = (
            f"The robot begins with a step that '{clip.instruction}' puts later, as of a policy "
            "that does not keep the order."
        )
        return marked(clip, start, stop, said, failed=False)


def _end_of_run(frames: list[int]) -> int:
    """Return one past the last of the frames that follow each other without a gap."""
    last = frames[0]
    for frame in frames[1:]:
        if frame != last + 1:
            break
        last = frame
    return last + 1
