"""Broken blocks, as of a damaged video stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["CorruptionBlocks"]

_SHARE = (0.06, 0.18, 0.45)  # of the blocks are broken


@dataclass(frozen=True)
class CorruptionBlocks(OfFrames):
    """Replace blocks of every picture by noise, flat colour or blocks from elsewhere."""

    type: ClassVar[str] = "frame_corruption"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Break other blocks in every picture of a stretch."""
        start, stop = stretch(clip, rng, 0.6, 1.5)
        block = max(clip.size // 14, 4)

        def broken(_: int, picture: Image) -> Image:
            made = picture.copy()
            for row in range(0, picture.shape[0] - block + 1, block):
                for column in range(0, picture.shape[1] - block + 1, block):
                    if rng.random() < _SHARE[level]:
                        place = made[row : row + block, column : column + block]
                        place[:] = _instead(picture, block, rng)
            return made

        said = (
            "Blocks of the picture turn into noise, flat colour and parts from elsewhere, others "
            "in every frame, as of packets lost from the stream."
        )
        return Injected(edited(clip, start, stop, broken), start, stop, said)


def _instead(picture: Image, block: int, rng: np.random.Generator) -> Image:
    """Return what stands in place of a block."""
    kind = rng.integers(3)
    if kind == 0:
        return rng.integers(0, 256, (block, block, 3)).astype(np.uint8)
    if kind == 1:
        return np.broadcast_to(rng.integers(0, 256, 3).astype(np.uint8), (block, block, 3))
    row = int(rng.integers(picture.shape[0] - block + 1))
    column = int(rng.integers(picture.shape[1] - block + 1))
    return picture[row : row + block, column : column + block]
