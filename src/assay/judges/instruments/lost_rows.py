"""Pictures that break off: from some row on they are empty, each time from another one.

A transfer that ends too early leaves the rest of a picture in one colour, without the noise of a
camera. What is held before a lens has shades, and comes and goes at its own pace.
"""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Broken, Gauge, Reading, broken
from assay.judges.instruments._spans import Flags, Run, stretches
from assay.records import Floats, Image

__all__ = ["empty_rows", "lost_rows"]

_LOST = Broken(
    "Pictures break off: a part of their rows is empty.",
    "up to {:.0%} of the rows have one colour, from another row on each time",
    marked=0.4,
    strong=0.7,
)


def empty_rows(footage: Footage) -> Floats:
    """Return the share of rows, from the last one up, that have one colour, of shape (T,)."""
    return np.array([_empty(one) for one in footage.colour])


def _empty(picture: Image) -> float:
    """Return the share of rows at the end of a picture (S, S, 3) that are like its last one."""
    colour = np.median(picture[-1], axis=0).astype(np.uint8)
    plain = (apart(picture, colour[None, None]) <= limits.EMPTY_LEVEL).mean(axis=1)
    full = plain[::-1] >= limits.EMPTY_WIDTH
    return float(full.argmin() / len(full)) if not full.all() else 1.0


def lost_rows(footage: Footage) -> Reading:
    """Return where pictures break off; of a picture that fades, all rows do."""
    if len(footage) < 4:
        return Reading()
    share = empty_rows(footage)
    odd = share > limits.EMPTY_LEAST
    gap = max(round(limits.GRAIN_PAUSE_S * footage.fps), 1)
    found = [
        run
        for run in stretches(odd, odd, gap=gap, least=2)
        if _varies(share, run) and _foreign(footage, odd, run)
    ]
    gauge = Gauge("{:.0%} of the rows empty", footage.times, share, high=limits.EMPTY_LEAST)
    return Reading((gauge,), tuple(broken(footage, run, share, _LOST) for run in found))


def _foreign(footage: Footage, odd: Flags, run: Run) -> bool:
    """Tell whether the last rows have another colour in most other frames.

    Else a plain part of the scene is there, or of the robot that the camera rides on.
    """
    last = np.median(footage.colour[:, -1], axis=1)
    within = np.zeros(len(odd), bool)
    within[run[0] : run[1]] = True
    if within.all():
        return False
    empty, others = np.median(last[within & odd], axis=0), last[~within]
    return bool((np.abs(others - empty).max(axis=1) > limits.EMPTY_FOREIGN).mean() > 0.8)


def _varies(share: Floats, run: Run) -> bool:
    """Tell whether rows are lost by leaps in a stretch, and not all of them all the time."""
    inside = share[run[0] : run[1]]
    lost = inside[inside > limits.EMPTY_LEAST]
    leaps = np.abs(np.diff(inside)) > limits.EMPTY_LEAST
    return bool(lost.min() < limits.EMPTY_MOST and leaps.sum() >= 2)
