"""A moment together with the moments around it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from assay.judges.prm_mini._running import Graphs, Looked
from assay.records import Floats

__all__ = ["REACH", "STEP_S", "borne_out", "windows"]

STEP_S: Final = 0.2
REACH: Final = 4  # steps to either side


def borne_out(graphs: Graphs, times: Floats, looked: Looked) -> Floats:
    """Return raw values (T,): what the moments around make of what a moment shows.

    A judge without the part that looks around is taken at its word.
    """
    return graphs.around(windows(times, looked.states)) if graphs.looks_around else looked.raw


def windows(times: Floats, states: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the states (T, D) around each of `times` [s], of shape (T, 2 REACH + 1, D).

    Each is `STEP_S` from the next, whatever the times are: in between, what is seen is taken to
    change evenly; before the first and after the last moment nothing changes.
    """
    wanted = times[:, None] + STEP_S * np.arange(-REACH, REACH + 1)
    place = np.interp(wanted, times, np.arange(len(times)))
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, len(times) - 1)
    share = (place - before)[..., None].astype(np.float32)
    found: npt.NDArray[np.float32] = states[before] * (1.0 - share) + states[after] * share
    return found
