"""Blur: the edges of most parts of the picture have become wide."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Run, stretches
from assay.judges.instruments._tiles import GRID
from assay.records import Event, Floats

__all__ = ["edge_sharpness", "sharpness"]


def edge_sharpness(pictures: Greys) -> tuple[Floats, Floats]:
    """Return how sharp the edges are, and how steep, by tile and direction.

    Steepness is the fourth-power mean of the differences between neighbours, so that edges count
    and flat parts do not. Sharpness is that of the second differences over that of the first: for
    edges that were blurred by a Gaussian of width s [px] it is (3/16)^(1/4) / s = 0.66 / s whatever
    their contrast, and 2^(1/4) = 1.19 for a step from one pixel to the next.

    Args:
        pictures: Of shape (T, S, S).

    Returns:
        Sharpness and steepness [grey levels a pixel], each of shape (T, 2, tiles): across, down.
    """
    steep = np.empty((len(pictures), 2, GRID * GRID))
    bent = np.empty_like(steep)
    for k, picture in enumerate(pictures):
        for way, axis in enumerate((1, 0)):
            first = np.diff(picture, axis=axis)
            steep[k, way] = _strength(first)
            bent[k, way] = _strength(np.diff(first, axis=axis))
    return bent / np.maximum(steep, 0.1), steep


def _strength(differences: Greys) -> Floats:
    """Return the fourth-power mean of each tile's differences, of shape (tiles,)."""
    side = min(differences.shape) // GRID
    squared = differences[: side * GRID, : side * GRID] ** 2
    parts = squared.reshape(GRID, side, GRID, side)
    means: Floats = np.einsum("aibj,aibj->ab", parts, parts).astype(np.float64) / side**2
    return means.reshape(-1) ** 0.25


def sharpness(footage: Footage) -> Reading:
    """Return how sharp the picture is beside the clip's own median, and where it is blurred."""
    sharp, steep = edge_sharpness(footage.grey)
    textured = np.quantile(steep, 0.8, axis=0) > limits.TEXTURE
    if not textured.any():
        return Reading()
    usual = _usual(sharp)
    share = np.where(textured, sharp / np.maximum(usual, 1e-6), np.nan)
    # A blur along one direction leaves the edges of the other sharp: the worse one counts.
    curve = np.nanmin(_medians(share, textured), axis=1)
    width = 0.66 / max(float(np.median(usual[textured])), 1e-6)
    starts = limits.BLUR_MOVING if footage.moves else limits.BLUR_STARTS
    found = stretches(curve < starts, curve < limits.BLUR_KEEPS, gap=1)
    events = [_blurred(footage, run, curve) for run in found]
    if width > limits.BLUR_WIDTH:
        events = [_blurred_throughout(footage, width)]
    gauge = Gauge("sharpness {:.0%} of usual", footage.times, curve, low=0.85)
    return Reading((gauge,), tuple(events))


def _usual(sharp: Floats) -> Floats:
    """Return the sharpness that the clip has when it is in focus, of shape (2, tiles).

    That is the median, unless the median may itself be blurred: then what the best fifth reaches.
    """
    median = np.median(sharp, axis=0)
    best = np.quantile(sharp, 0.8, axis=0)
    return np.where(median >= limits.BLUR_SHARP, median, best)


def _medians(share: Floats, textured: np.ndarray) -> Floats:
    """Return the median over textured tiles by direction, of shape (T, 2); NaN without any."""
    columns = [
        np.median(share[:, way, textured[way]], axis=1)
        if textured[way].sum() >= 3
        else np.full(len(share), np.nan)
        for way in (0, 1)
    ]
    return np.stack(columns, axis=1)


def _blurred(footage: Footage, run: Run, curve: Floats) -> Event:
    least = float(curve[run[0] : run[1]].min())
    start, end = float(footage.times[run[0]]), footage.ends(run[1] - 1)
    return event(
        footage,
        run,
        Fault(
            "blur",
            graded(1 - least, 0.6, 0.8),
            0.5 + limits.BLUR_STARTS - least,
            "The picture is blurred, as of a lens out of focus or a smear.",
            f"sharpness fell to {least:.0%} of what is usual from {start:.1f} s to {end:.1f} s",
        ),
    )


def _blurred_throughout(footage: Footage, width: float) -> Event:
    return event(
        footage,
        (0, len(footage)),
        Fault(
            "blur",
            3.0,
            0.6,
            "The picture is blurred from end to end.",
            f"the sharpest edges are {width:.1f} px wide; in focus they are about 1 px wide",
        ),
    )
