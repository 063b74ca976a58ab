"""What times of an episode's rows must be like: finite, from 0 on, and increasing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.records import Floats

__all__ = ["clock_fault", "suspects"]


def suspects(times: Floats) -> npt.NDArray[np.bool_]:
    """Mark the times that `clock_fault` has words for, taking all of them as one episode's."""
    marked: npt.NDArray[np.bool_] = ~np.isfinite(times) | (times < 0)
    marked[1:] |= times[1:] <= times[:-1]
    return marked


def clock_fault(time: float, before: float | None) -> str:
    """Word what is wrong with the time of a row; empty when it is fine.

    Args:
        time: The time [s].
        before: The time of the episode's row before [s], None at its first row.
    """
    if not np.isfinite(time):
        return f"the time is {'missing' if np.isnan(time) else time}."
    if time < 0:
        return f"the time {time} s is before the episode's start; times count from 0."
    if before is not None and time <= before:
        return f"the time {time} s does not come after {before} s; times must increase."
    return ""
