"""Fill moments without a value, only ever on request and by name."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["FILLS", "fill_gaps"]

FILLS = ("previous", "linear")


def fill_gaps(
    times: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    how: Literal["previous", "linear"],
) -> npt.NDArray[np.float64]:
    """Return `values` of shape (T,) with NaN replaced.

    "previous" repeats the last known value; "linear" joins the neighbours by time. What has no
    known value before it (or, for "linear", after it) stays NaN: nothing is extrapolated.
    """
    known = ~np.isnan(values)
    if known.all() or not known.any():
        return values
    positions = np.arange(len(values))
    last = np.maximum.accumulate(np.where(known, positions, -1))
    if how == "previous":
        return np.where(last >= 0, values[np.maximum(last, 0)], np.nan)
    inside = (last >= 0) & (positions <= positions[known][-1])
    return np.where(inside, np.interp(times, times[known], values[known]), np.nan)
