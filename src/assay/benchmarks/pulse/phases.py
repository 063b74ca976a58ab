"""Split an exact potential into phases: rising, falling, still, and wobbles."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from assay.benchmarks.pulse.thresholds import (
    NEAR_STATIC,
    NEAR_STATIC_S,
    OSCILLATION,
    OSCILLATION_S,
    SLACK,
)
from assay.records import Floats

__all__ = ["OSCILLATING", "RETAINED", "STATIC", "kinds_of_steps", "turning_points"]

RETAINED: Final = 0
STATIC: Final = 1
OSCILLATING: Final = 2


def turning_points(phi: Floats, slack: float = SLACK) -> list[int]:
    """Return where `phi`, of shape (S,), turns: the first state, each turn, the last state.

    Between two of them it rises or falls, and runs against that by at most `slack`.
    """
    turns, extreme, rising = [0], 0, 0
    low = high = 0
    for i in range(1, len(phi)):
        if rising == 0:
            low = i if phi[i] < phi[low] else low
            high = i if phi[i] > phi[high] else high
            if phi[i] - phi[low] > slack:
                rising, extreme = 1, i
                turns += [low] if low else []
            elif phi[high] - phi[i] > slack:
                rising, extreme = -1, i
                turns += [high] if high else []
        elif (phi[i] - phi[extreme]) * rising > 0:
            extreme = i
        elif (phi[extreme] - phi[i]) * rising > slack:
            turns.append(extreme)
            extreme, rising = i, -rising
    return [*turns, len(phi) - 1] if len(phi) > 1 else turns


def kinds_of_steps(times: Floats, phi: Floats) -> npt.NDArray[np.int64]:
    """Return, for the step from each state to the next, the kind of the phase it belongs to.

    Args:
        times: The states' moments [s], of shape (S,).
        phi: Their potential, of shape (S,).

    Returns:
        `RETAINED`, `STATIC` or `OSCILLATING` for each step, of shape (S - 1,).
    """
    kinds = np.full(max(len(phi) - 1, 0), RETAINED)
    turns = turning_points(phi)
    inner = list(pairwise(turns))[1:-1]
    for start, end in inner:
        small = abs(phi[end] - phi[start]) < OSCILLATION
        if small and times[end] - times[start] < OSCILLATION_S:
            kinds[start:end] = OSCILLATING
    for start, end in _still(times, phi):
        kinds[start:end] = STATIC
    return kinds


def _still(times: Floats, phi: Floats) -> list[tuple[int, int]]:
    """Return the longest stretches in which `phi` stays within `NEAR_STATIC`, first to last."""
    found, start = [], 0
    while start < len(phi) - 1:
        end, low, high = start, phi[start], phi[start]
        while end + 1 < len(phi):
            low, high = min(low, phi[end + 1]), max(high, phi[end + 1])
            if high - low > NEAR_STATIC:
                break
            end += 1
        if times[end] - times[start] >= NEAR_STATIC_S:
            found.append((start, end))
            start = end
        else:
            start += 1
    return found
