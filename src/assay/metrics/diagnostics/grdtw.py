"""Compare the curve with the most similar demonstration."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats

__all__ = ["GRDTW"]


class GRDTW:
    """Compare the curve with the most similar demonstration.

    GRDTW = max over experts k of 1 - DTW(curve, expert k) / Z_k, undefined without experts.

    DTW is the smallest sum of |Phi_i - Phi^k_j| over all alignments that go forward in both curves.
    Some alignment needs only Z_k = max(T, T_k) + 1 pairs, each costing at most 1, so DTW <= Z_k and
    the result is in 0..1: 1 for a curve that is a demonstration up to timing.
    """

    title: ClassVar[str] = "golden-reference alignment"
    unit: ClassVar[str] = "similarity"
    flaw: ClassVar[str] = "compares shapes of progress, not behaviour"

    def __call__(self, curve: Floats, context: Context) -> float:
        """Return GRDTW, NaN without experts."""
        likeness = (1.0 - _dtw(curve, e) / max(len(curve), len(e)) for e in context.experts)
        return max(likeness, default=math.nan)


def _dtw(a: Floats, b: Floats) -> float:
    """Return the dynamic-time-warping distance of `a` of shape (n,) and `b` of shape (m,).

    The table is filled one anti-diagonal at a time, since its cells don't depend on each other.
    Diagonal s holds the cells (i, s - i), stored by i; the border is infinite.
    """
    n, m = len(a), len(b)
    before, last = np.full(n + 1, np.inf), np.full(n + 1, np.inf)
    before[0] = 0.0  # the empty alignment, from which cell (0, 0) is reached
    for s in range(n + m - 1):
        i = np.arange(max(0, s - m + 1), min(n, s + 1))
        step = np.minimum(np.minimum(last[i], last[i + 1]), before[i])
        now = np.full(n + 1, np.inf)
        now[i + 1] = np.abs(a[i] - b[s - i]) + step
        before, last = last, now
    return float(last[n])
