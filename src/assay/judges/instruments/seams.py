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


def seam_share(footage: Footage) -> tuple[Floats, Floats]:
    """Return the share of the picture that is a new seam, and how well seams fit a grid, (T,).

    The fit is the share of the seams that lie at the most common of 16 places: 1 for blocks, and
    about 0.3 for the edges of a robot.
    """
    share, fit = np.zeros(len(footage)), np.zeros(len(footage))
    for pictures in (footage.grey, footage.grey.swapaxes(1, 2)):
        steps = np.stack([_level_steps(picture) for picture in pictures])
        usual = steps[ends_of(len(steps), footage.fps)].mean(axis=0) > 0.3
        usual[:-1] |= usual[1:]
        usual[1:] |= usual[:-1]
        new = steps & ~usual
        places = new.sum(axis=2)
        phases = np.stack([places[:, k::_BLOCK].sum(axis=1) for k in range(_BLOCK)], axis=1)
        whole = phases.sum(axis=1)
        share += whole / new[0].size
        fits = np.where(whole > 0, phases.max(axis=1) / np.maximum(whole, 1), 0.0)
        fit = np.maximum(fit, np.where(whole > limits.SEAM_LEAST * new[0].size, fits, 0.0))
    return share, fit


def seams(footage: Footage) -> Reading:
    """Return where the picture falls into blocks."""
    if len(footage) < 4:
        return Reading()
    share, fit = seam_share(footage)
    more = share - float(np.median(share[ends_of(len(share), footage.fps)]))
    sure = (more > limits.SEAM_STARTS) & (fit > limits.SEAM_FITS)
    also = (more > limits.SEAM_STARTS / 2) & (fit > limits.SEAM_FITS)
    gap = max(round(limits.GRAIN_PAUSE_S * footage.fps), 1)
    found = stretches(sure, also, gap=gap, least=3)
    gauge = Gauge("{:.1%} of the picture borders of blocks", footage.times, more, high=0.005)
    return Reading((gauge,), tuple(broken(footage, run, more, _BLOCKY) for run in found))
