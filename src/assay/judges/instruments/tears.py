"""Torn frames: bands of rows are shifted sideways while the others stand."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Broken, Gauge, Reading, broken
from assay.judges.instruments._spans import stretches
from assay.judges.instruments._tiles import displacements, reference, tiled
from assay.records import Floats

__all__ = ["tears", "torn_bands"]

BANDS = 12

_TORN = Broken(
    "The picture is torn: bands of rows are shifted sideways.",
    "up to {:.0%} of the rows are shifted while the others stand",
    marked=0.2,
    strong=0.5,
    confidence=0.8,
)


def torn_bands(pictures: Greys) -> Floats:
    """Return the share of bands that are shifted while others stand, of shape (T,).

    A band goes from the left to the right edge. An arm moves a part of it, a tear all of it.
    """
    usual = reference(pictures)
    shifts, heights = displacements(pictures, usual, BANDS, 1)
    sure = heights > limits.TEAR_HEIGHT
    aside = (np.abs(shifts[..., 1]) >= limits.TEAR_SHIFT) & (np.abs(shifts[..., 0]) < 1.0)
    standing = (sure & (np.abs(shifts) < 0.7).all(axis=2)).sum(axis=1)
    torn = sure & aside & (standing >= 2)[:, None]
    bands = tiled(usual, BANDS, 1)
    for frame, band in zip(*np.nonzero(torn), strict=True):
        part = tiled(pictures[frame], BANDS, 1)[band]
        torn[frame, band] = _fits(part, bands[band], round(float(shifts[frame, band, 1])))
    share: Floats = torn.mean(axis=1)
    return share


def _fits(part: Greys, usual: Greys, shift: int) -> bool:
    """Tell whether a band is the usual one, shifted; what was pushed out at a side is left out."""
    width = usual.shape[1] - abs(shift)
    here, there = max(shift, 0), max(-shift, 0)
    moved = np.abs(part[:, here : here + width] - usual[:, there : there + width]).mean()
    stood = np.abs(part - usual).mean()
    return bool(moved < limits.TEAR_FITS * stood)


def tears(footage: Footage) -> Reading:
    """Return where the picture is torn; a riding camera has no place to compare with."""
    if footage.moves or len(footage) < 4:
        return Reading()
    share = torn_bands(footage.grey)
    sure, some = share * BANDS > limits.TEAR_BANDS - 0.5, share > 0
    found = stretches(sure, some, gap=2, least=3)
    gauge = Gauge("{:.0%} of the rows torn sideways", footage.times, share, high=1.5 / BANDS)
    return Reading((gauge,), tuple(broken(footage, run, share, _TORN) for run in found))
