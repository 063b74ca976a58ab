"""Seams: steps of lightness that are exactly upright or level, where the scene has none.

A decoder works in square blocks. What it gets wrong ends at their borders: straight steps from one
pixel to the next, at places that are a whole number of blocks apart.
"""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import SURE, Broken, Gauge, Reading, broken
from assay.judges.instruments._spans import Flags, stretches
from assay.judges.instruments._tiles import ends_of
from assay.records import Floats

__all__ = ["seam_share", "seams"]

_LONG = 8  # shortest seam [px]
_BLOCK = 16  # px: blocks of 8 and 16 fit in

_BLOCKY = Broken(
    "Square blocks of the picture are stale, misplaced or of one colour.",
    "{:.1%} of the picture are borders of blocks that the scene does not have",
    marked=0.015,
    strong=0.03,
    confidence=SURE,
)


def _level_steps(picture: Greys) -> Flags:
    """Return where a row differs from the next one far more than its neighbours do."""
    from scipy import ndimage

    step = np.abs(np.diff(picture, axis=0))
    lone = np.zeros(step.shape, bool)
    lone[1:-1] = step[1:-1] - np.maximum(step[:-2], step[2:]) > limits.SEAM_LEVEL
    return np.asarray(ndimage.binary_opening(lone, np.ones((1, _LONG), bool)))


def seam_share(footage: Footage) -> tuple[Floats, Floats, Floats]:
    """Return the share of the picture that is a new seam, and how well seams fit a grid, (T,).

    Returns:
        The share of seams; the share of them that lies at the most common of 16 places in each way,
        which is 1 for blocks and about 0.3 for edges of a robot; and how many lines these make: a
        single block has four borders, an arm with straight sides two.
    """
    share, fitting, lines = np.zeros((3, len(footage)))
    for pictures in (footage.grey, footage.grey.swapaxes(1, 2)):
        steps = np.stack([_level_steps(picture) for picture in pictures])
        usual = steps[ends_of(len(steps), footage.fps)].mean(axis=0) > 0.3
        usual[:-1] |= usual[1:]
        usual[1:] |= usual[:-1]
        places = (steps & ~usual).sum(axis=2)
        phases = np.stack([places[:, k::_BLOCK].sum(axis=1) for k in range(_BLOCK)], axis=1)
        best = phases.argmax(axis=1)
        share += places.sum(axis=1) / steps[0].size
        fitting += phases.max(axis=1) / steps[0].size
        lines += [(row[at::_BLOCK] >= _LONG).sum() for row, at in zip(places, best, strict=True)]
    return share, fitting / np.maximum(share, 1e-9), lines


def seams(footage: Footage) -> Reading:
    """Return where the picture falls into blocks."""
    if len(footage) < 4:
        return Reading()
    share, fit, lines = seam_share(footage)
    more = share - float(np.median(share[ends_of(len(share), footage.fps)]))
    blocky = (fit > limits.SEAM_FITS) & (lines >= limits.SEAM_LINES)
    sure, also = (blocky & (more > limits.SEAM_STARTS / part) for part in (1, 2))
    gap = max(round(limits.GRAIN_PAUSE_S * footage.fps), 1)
    found = stretches(sure, also, gap=gap, least=3)
    gauge = Gauge("{:.1%} of the picture borders of blocks", footage.times, more, high=0.005)
    return Reading((gauge,), tuple(broken(footage, run, more, _BLOCKY) for run in found))
