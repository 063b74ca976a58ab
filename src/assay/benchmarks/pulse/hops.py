"""The published arithmetic: states per phase, the hop between two states, and its bin.

Cites:
    Robo-Dopamine (2025), RoboPulse: pairs of states by relative progress.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.benchmarks.pulse.thresholds import BIN_EDGES, BIN_TOLERANCE, CHUNK_FRAMES
from assay.errors import UsageError
from assay.records import Floats

__all__ = ["bins_of", "hop", "hops", "states_per_phase"]


def states_per_phase(frames: int, phases: int) -> int:
    """Return m = ceil(floor(L / C) / N), at least 1, for L frames in N phases."""
    if phases < 1:
        raise UsageError(f"An episode needs at least one phase, not {phases}.")
    return max(1, -(-(frames // CHUNK_FRAMES) // phases))


def hop(before: float, after: float) -> float:
    """Return the signed progress from Phi = `before` to `after`, in -1..1.

    A gain is a share of what was left, (q - p) / (1 - p); a loss is a share of what had been
    gained, (q - p) / p. Phi starts at 0 and ends at 1.
    """
    return float(hops(np.array([before]), np.array([after]))[0])


def hops(before: Floats, after: Floats) -> Floats:
    """Return `hop` of many pairs, of shape (n,); 0 where nothing changes."""
    change = after - before
    whole = np.where(change > 0, 1.0 - before, before)
    found: Floats = np.divide(change, whole, out=np.zeros(len(change)), where=change != 0)
    return found


def bins_of(hops: Floats) -> npt.NDArray[np.int64]:
    """Return the place of each |hop| in `BIN_NAMES`: small (0, 1/3], medium, large (2/3, 1]."""
    return np.searchsorted(np.array(BIN_EDGES) + BIN_TOLERANCE, np.abs(hops), side="left")
