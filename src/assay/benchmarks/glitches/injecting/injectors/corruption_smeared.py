"""Broken frames: slices of the stream are lost, and what follows is built on the wrong blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.injectors._kinds import OfFrames
from assay.benchmarks.glitches.injecting.injectors._pixels import as_picture, busiest
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited, stretch
from assay.records import Image

__all__ = ["CorruptionSmeared"]

_SHARE = (0.07, 0.18, 0.42)  # of the macroblocks are lost
_SLICES = (1, 2, 3)
_WRONG = 34.0  # by how much the colour of lost blocks is off [grey levels]


@dataclass(frozen=True)
class CorruptionSmeared(OfFrames):
    """Lose runs of macroblocks once, and let them smear on until the next whole picture."""

    type: ClassVar[str] = "frame_corruption"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (3, 4, 5)

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Build a stretch of the clip on blocks that were never received."""
        start, stop = stretch(clip, rng, 0.6, 1.5)
        runs = _lost(clip, busiest(clip.frames[start:stop]), level, rng)
        made = list(_smeared(clip.frames[start - 2 : stop], runs, clip.size, rng))

        def stuck(number: int, _: Image) -> Image:
            return made[number - start]

        said = (
            "Runs of square blocks keep stale pictures in wrong colours that smear on from frame "
            "to frame, then all is whole again, as of packets lost between two key frames."
        )
        return Injected(edited(clip, start, stop, stuck), start, stop, said)


def _lost(
    clip: Prepared, busy: tuple[float, float], level: Level, rng: np.random.Generator
) -> list[npt.NDArray[np.bool_]]:
    """Return where each lost slice is, (H, W): blocks one after the other, row by row."""
    block = max(clip.size // 14, 4)
    height, width = clip.frames.shape[1:3]
    tall, wide = -(-height // block), -(-width // block)
    count = max(round(_SHARE[level] * tall * wide / _SLICES[level]), 2)
    # The first slice goes through what happens; the others begin anywhere.
    middle = int(busy[0] // block) * wide + int(busy[1] // block)
    firsts = [middle - count // 2, *rng.integers(0, tall * wide - count, _SLICES[level] - 1)]
    found = []
    for first in firsts:
        blocks = np.zeros(tall * wide, dtype=bool)
        begin = int(np.clip(first, 0, tall * wide - count))
        blocks[begin : begin + count] = True
        large = np.kron(blocks.reshape(tall, wide), np.ones((block, block), dtype=bool))
        found.append(np.asarray(large[:height, :width]))
    return found


def _smeared(
    frames: Image, runs: list[npt.NDArray[np.bool_]], side: int, rng: np.random.Generator
) -> Iterator[Image]:
    """Yield what a decoder shows of `frames` from the third on, of which it lost the runs.

    A lost block is taken from an older picture at a wrong place. Later pictures only say how they
    differ from the one before, and how far blocks have moved: the fault stays and creeps on.
    """
    reach = max(side / 20, 3.0)
    angles = rng.uniform(0.0, 2 * np.pi, len(runs))
    jumps = [(round(reach * np.sin(a)), round(reach * np.cos(a))) for a in angles]
    creeps = [(round(1.6 * np.sin(a)), round(1.6 * np.cos(a))) for a in angles]
    tints = rng.choice((-1.0, 1.0), (len(runs), 3)) * _WRONG * rng.uniform(0.5, 1.0, (len(runs), 3))
    shown = frames[0].astype(np.float64)
    for number in range(2, len(frames)):
        first = number == 2
        change = frames[number].astype(np.float64) - frames[number - 1]
        made = frames[number].astype(np.float64)
        for run, jump, creep, tint in zip(runs, jumps, creeps, tints, strict=True):
            if first:
                made[run] = (np.roll(shown, jump, axis=(0, 1)) + tint)[run]
                continue
            # What creeps in from outside the slice would heal it: no decoder is so lucky.
            inner = run & np.roll(run, creep, axis=(0, 1))
            moved = np.where(inner[..., None], np.roll(shown, creep, axis=(0, 1)), shown)
            made[run] = (moved + change)[run]
        shown = np.clip(made, 0.0, 255.0)
        yield as_picture(shown)
