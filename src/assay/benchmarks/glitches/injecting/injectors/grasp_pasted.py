"""A thing goes along with the hand at a distance: its pixels are moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._cutting import cut, laid, lifted_out
from assay.benchmarks.glitches.injecting.injectors._kinds import OfScene
from assay.benchmarks.glitches.injecting.injectors._things import carried
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.records import Image

__all__ = ["GraspPasted"]

_APART = (0.05, 0.075, 0.11)  # in sides of the picture


@dataclass(frozen=True)
class GraspPasted(OfScene):
    """Cut the pixels of a carried thing out and paste them away from the hand."""

    type: ClassVar[str] = "grasp_without_visible_support"
    which: ClassVar[Which] = "second"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 4)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Move the thing sideways and down in the picture while it is carried."""
        take = clip.attempt
        name, start, stop = carried(clip, rng, 0.5)
        angle = rng.uniform(0.15, 0.85) * np.pi  # downwards, to either side
        rows = round(_APART[level] * clip.size * np.sin(angle))
        columns = round(_APART[level] * clip.size * np.cos(angle))

        def apart(number: int, picture: Image) -> Image:
            mask, behind = cut(take, number, name)
            return laid(lifted_out(picture, mask, behind), picture, mask, rows, columns)

        said = (
            f"The {take.words(name)} follows the hand at a distance and no finger holds it, as of "
            "a generator that moves both together without contact."
        )
        return Injected(edited(clip, start, stop, apart), start, stop, said)
