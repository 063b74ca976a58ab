"""Rows at fault: from one row of the picture to the next, all of its width has changed.

Pictures are sent row by row. What is lost, late or misread begins and ends with a row; nothing that
stands in a scene does so over all of its width.
"""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Broken, Gauge, Reading, broken
from assay.judges.instruments._spans import stretches
from assay.judges.instruments._tiles import usual_of
from assay.records import Floats

__all__ = ["row_steps", "rows"]

_SIDE = 3  # half-size px at a side of the picture

_BROKEN_OFF = Broken(
    "Whole rows of the picture are lost, dark or of another picture.",
    "from one row to the next, up to {:.0%} of the width has changed",
    marked=0.7,
    strong=0.9,
    confidence=0.9,  # a camera that nods moves level edges of the scene over whole rows
)


def row_steps(footage: Footage) -> Floats:
    """Return by how much the changed share of a row differs from the next row's, of shape (T,).

    Changed is what differs from the usual picture. The largest of all rows counts whose change goes
    as far as a side of the picture; that of something that stands before the scene need not.
    """
    usual = usual_of(footage.small)
    changed = np.stack([apart(picture, usual) > limits.ROWS_LEVEL for picture in footage.small])
    share = changed.mean(axis=2)
    to_side = np.logical_or(changed[..., :_SIDE].all(axis=2), changed[..., -_SIDE:].all(axis=2))
    goes = np.where(share[:, 1:] > share[:, :-1], to_side[:, 1:], to_side[:, :-1])
    return np.asarray((np.abs(np.diff(share, axis=1)) * goes).max(axis=1))


def rows(footage: Footage) -> Reading:
    """Return where whole rows are at fault; a riding camera has no usual picture."""
    if footage.moves or len(footage) < 4:
        return Reading()
    step = row_steps(footage)
    gap = max(round(limits.GRAIN_PAUSE_S * footage.fps), 1)
    found = stretches(step > limits.ROWS_STARTS, step > limits.ROWS_KEEPS, gap=gap, least=2)
    gauge = Gauge("{:.0%} of a row's width changed at once", footage.times, step, high=0.45)
    return Reading((gauge,), tuple(broken(footage, run, step, _BROKEN_OFF) for run in found))
