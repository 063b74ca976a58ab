"""Fill moments without a value, only ever on request and by name."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from assay.metrics.results import Floats

__all__ = ["FILLS", "Fill", "fill_gaps"]

Fill: TypeAlias = Literal["previous", "linear"]
FILLS: tuple[Fill, ...] = get_args(Fill)


def fill_gaps(times: Floats, values: Floats, how: Fill) -> Floats:
    """Return `values` with NaN replaced where there is something to replace it by.

    "previous" repeats the last known value; "linear" joins the neighbours by time. What has no
    known value before it (or, for "linear", after it) stays NaN: nothing is extrapolated.

    Args:
        times: Time of each value [s], increasing, of shape (T,).
        values: The values, NaN where unknown, of shape (T,).
        how: One of `FILLS`.
    """
    known = ~np.isnan(values)
    if known.all() or not known.any():
        return values
    positions = np.arange(len(values))
    last = np.maximum.accumulate(np.where(known, positions, -1))
    if how == "previous":
        return np.where(last >= 0, values[np.maximum(last, 0)], np.nan)
    inside = (last >= 0) & (positions <= positions[known][-1])
    joined = np.interp(times, times[known], values[known])
    # Rounding can take a line a hair below its end: a fall to 0 must not become negative.
    joined = np.clip(joined, values[known].min(), values[known].max())
    return np.where(inside, joined, np.nan)
