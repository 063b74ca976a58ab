"""A small thing of a recorded clip is somewhere else: cut out and pasted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._blobs import free_offset, spot_of, where
from assay.benchmarks.glitches.injecting.injectors._cutting import laid
from assay.benchmarks.glitches.injecting.injectors._kinds import OfRecorded
from assay.benchmarks.glitches.injecting.injectors._things import filled
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["TeleportPatched"]

_FAR = (0.12, 0.18, 0.26)  # in sides of the picture


@dataclass(frozen=True)
class TeleportPatched(OfRecorded):
    """Cut a small thing that lies still out of a recorded clip and paste it elsewhere."""

    type: ClassVar[str] = "object_teleportation"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Paste the spot to an even place in a stretch of the clip."""
        start, stop = stretch(clip, rng, 0.8, 1.6)
        near = clip.frames[start - 1 : stop + 1]
        spot = spot_of(near, rng)
        rows, columns = free_offset(spot, near, rng, _FAR[level] * clip.size)

        def elsewhere(_: int, picture: Image) -> Image:
            return laid(filled(picture, spot), picture, spot, rows, columns)

        said = (
            f"A small thing in {where(spot)} of the picture jumps to another place within one "
            "frame and later back, though nothing touches it, as of a generator that loses track "
            "of it."
        )
        return Injected(edited(clip, start, stop, elsewhere), start, stop, said)
