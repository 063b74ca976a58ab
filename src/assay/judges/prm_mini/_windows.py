"""A moment together with the moments around it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from assay.judges.prm_mini._running import Graphs, Looked
from assay.records import Floats

__all__ = ["AROUND", "REACH", "STEP_S", "borne_out", "windows"]

STEP_S: Final = 0.2
REACH: Final = 4  # steps to either side
AROUND: Final = 0.7  # how much the moments around count


def borne_out(graphs: Graphs, times: Floats, looked: Looked) -> Floats:
    """Return raw values (T,): what a moment shows, and what the moments around make of it.

    A judge without the part that looks around is taken at its word.
    """
    if not graphs.looks_around:
        return looked.raw
    return (1.0 - AROUND) * looked.raw + AROUND * graphs.around(windows(times, looked))


def windows(times: Floats, looked: Looked) -> npt.NDArray[np.float32]:
    """Return what the moments around each of `times` [s] show, (T, 2 REACH + 1, D + 1).

    Each is `STEP_S` from the next, whatever the times are: in between, what is seen is taken to
    change evenly; before the first and after the last moment nothing changes. The last column is
    the raw value, all others are the state.
    """
    rows = np.column_stack([looked.states, looked.raw]).astype(np.float32)
    wanted = times[:, None] + STEP_S * np.arange(-REACH, REACH + 1)
    place = np.interp(wanted, times, np.arange(len(times)))
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, len(times) - 1)
    share = (place - before)[..., None].astype(np.float32)
    found: npt.NDArray[np.float32] = rows[before] * (1.0 - share) + rows[after] * share
    return found
