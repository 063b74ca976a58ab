"""Losses of progress: where they truly are, and whether a curve shows them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assay.benchmarks.pulse.phases import turning_points
from assay.benchmarks.pulse.thresholds import (
    CLEAN_FALL,
    DROP,
    DROP_MARGIN_S,
    DROP_WINDOW_S,
    HIT_SHARE,
)
from assay.records import Floats

__all__ = ["Drop", "deepest_fall", "is_clean", "is_false", "is_hit", "true_drops"]


@dataclass(frozen=True, slots=True)
class Drop:
    """A true loss: from when to when [s], and how much of the progress."""

    start_s: float
    end_s: float
    depth: float


def deepest_fall(times: Floats, values: Floats, window_s: float = DROP_WINDOW_S) -> float:
    """Return the largest fall between two moments at most `window_s` apart; 0 when none falls."""
    deepest = 0.0
    for start in range(len(values)):
        end = int(np.searchsorted(times, times[start] + window_s + 1e-9, side="right"))
        deepest = max(deepest, float(values[start] - values[start:end].min()))
    return deepest


def true_drops(times: Floats, phi: Floats) -> list[Drop]:
    """Return the falling phases that lose at least `DROP` within the window."""
    found = []
    for start, end in pairwise(turning_points(phi)):
        own = slice(start, end + 1)
        if phi[end] < phi[start]:
            depth = deepest_fall(times[own], phi[own])
            if depth >= DROP:
                found.append(Drop(float(times[start]), float(times[end]), depth))
    return found


def is_hit(drop: Drop, times: Floats, values: Floats) -> bool:
    """Tell whether a curve falls there by at least half of the drop."""
    near = (times >= drop.start_s - DROP_MARGIN_S - 1e-9) & (
        times <= drop.end_s + DROP_MARGIN_S + 1e-9
    )
    span = drop.end_s - drop.start_s + 2 * DROP_MARGIN_S
    return deepest_fall(times[near], values[near], span) >= HIT_SHARE * drop.depth


def is_clean(times: Floats, phi: Floats) -> bool:
    """Tell whether the truth never falls by more than `CLEAN_FALL` within the window."""
    return deepest_fall(times, phi) <= CLEAN_FALL


def is_false(times: Floats, values: Floats) -> bool:
    """Tell whether a curve shows a drop: to be asked of clean episodes."""
    return deepest_fall(times, values) >= DROP
