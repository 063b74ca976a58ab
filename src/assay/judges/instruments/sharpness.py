"""Blur: the edges of most parts of the picture have become wide."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Run, stretches
from assay.records import Event, Floats

__all__ = ["sharpness", "sharpness_curve"]


def sharpness_curve(footage: Footage) -> tuple[Floats, Floats]:
    """Return the sharpness beside what is usual, of shape (T,), and what is, of shape (4, tiles).

    NaN where there is too little to tell.
    """
    sharp, strong = footage.edges
    textured = strong > limits.TEXTURE
    usual = _usual(sharp, textured)
    # A flat picture in few grey levels has no differences of neighbours: nothing to go by.
    share = np.divide(sharp, usual, out=np.full_like(sharp, np.nan), where=usual > 0)
    return _curve(np.where(textured, share, np.nan)), usual


def sharpness(footage: Footage) -> Reading:
    """Return how sharp the picture is beside the clip's own median, and where it is blurred."""
    curve, usual = sharpness_curve(footage)
    if np.isnan(curve).all():
        return Reading()
    starts = limits.BLUR_MOVING if footage.moves else limits.BLUR_STARTS
    known = np.nan_to_num(curve, nan=1.0)
    found = stretches(known < starts, known < limits.BLUR_KEEPS, gap=1)
    events = [_blurred(footage, run, known) for run in found]
    typical = float(np.nanmedian(usual))
    if typical < limits.BLUR_THROUGHOUT:
        events = [_blurred_throughout(footage, typical)]
    gauge = Gauge("sharpness {:.0%} of usual", footage.times, curve, low=limits.BLUR_KEEPS)
    return Reading((gauge,), tuple(events))


def _usual(sharp: Floats, textured: npt.NDArray[np.bool_]) -> Floats:
    """Return the sharpness of each tile when it is in focus, of shape (4, tiles); NaN without any.

    That is the median, unless the median may itself be blurred: then what the best fifth reaches.
    """
    known = np.where(textured, sharp, np.nan)
    known[:, textured.mean(axis=0) < limits.BLUR_TEXTURED] = np.nan
    some = ~np.isnan(known).all(axis=0)
    usual = np.full(known.shape[1:], np.nan)
    median = np.nanmedian(known[:, some], axis=0)
    best = np.nanquantile(known[:, some], 0.8, axis=0)
    usual[some] = np.where(median >= limits.BLUR_SHARP, median, best)
    return usual


def _curve(share: Floats) -> Floats:
    """Return what three quarters of the tiles stay below in the worst direction, of shape (T,).

    A smear along one direction leaves the edges across it sharp; a plain surface before the lens
    leaves the tiles beside it sharp. NaN where too few tiles tell.
    """
    count = (~np.isnan(share)).sum(axis=2)
    curve = np.full(len(share), np.nan)
    for k in np.flatnonzero((count >= limits.BLUR_TILES).any(axis=1)).tolist():
        told = share[k, count[k] >= limits.BLUR_TILES]
        curve[k] = np.nanquantile(told, 0.6, axis=1).min()
    return curve


def _blurred(footage: Footage, run: Run, curve: Floats) -> Event:
    least = float(curve[run[0] : run[1]].min())
    start, end = float(footage.times[run[0]]), footage.ends(run[1] - 1)
    return event(
        footage,
        run,
        Fault(
            "blur",
            graded(1 - least, 0.7, 0.76),
            1.0 - least,
            "The picture is blurred, as of a lens out of focus or a smear.",
            f"sharpness fell to {least:.0%} of what is usual from {start:.1f} s to {end:.1f} s",
        ),
    )


def _blurred_throughout(footage: Footage, sharp: float) -> Event:
    return event(
        footage,
        (0, len(footage)),
        Fault(
            "blur",
            3.0,
            0.6,
            "The picture is blurred from end to end.",
            f"neighbours differ by {sharp:.0%} of what pixels 4 apart do, squared; at sharp edges "
            f"that is 25%, at very wide ones 6%",
        ),
    )
