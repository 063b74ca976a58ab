"""The metrics, step by step, as one would write them on a board. Slow and plain on purpose."""

from __future__ import annotations

import math
from collections.abc import Sequence


def reference(
    curve: Sequence[float], epsilon: float, milestones: int = 4, delta: float = 1e-8
) -> dict[str, float]:
    """Return the five metrics of one curve, one Python step at a time."""
    peak = curve[0]
    regret = 0.0
    variation = 0.0
    still = 0
    previous = curve[0]
    for value in curve:
        step = abs(value - previous)
        variation += step
        if step < epsilon:
            still += 1
        peak = max(peak, value)
        regret += peak - value
        previous = value
    if epsilon > 0:
        still -= 1  # the first pass compares the first value with itself
    steps = len(curve) - 1
    final = curve[-1]
    return {
        "mc": max(k / milestones for k in range(milestones + 1) if peak >= k / milestones),
        "mp": peak,
        "ppl": final * max(final - curve[0], 0.0) / (variation + delta),
        "cra": regret / len(curve),
        "str": still / steps if steps else math.nan,
    }
