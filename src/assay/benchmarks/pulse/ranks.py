"""Rank statistics of curves: area under the curve, Spearman's rho, and medians."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Estimate
from assay.records import Floats

__all__ = ["auc", "median", "ranks", "spearman"]

_LEVEL = 0.95
_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} of a kind: no interval"


def ranks(values: Floats) -> Floats:
    """Return the ranks of `values` from 1, ties sharing the mean of theirs, of shape (n,)."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    found: Floats = (last - (counts - 1) / 2)[inverse]
    return found


def spearman(truth: Floats, said: Floats) -> float | None:
    """Return Spearman's rank correlation; None when the truth never changes.

    A judge that says the same all the time, where the truth does change, gets 0.
    """
    a, b = ranks(truth), ranks(said)
    a, b = a - a.mean(), b - b.mean()
    if not np.any(a):
        return None
    scale = math.sqrt(float(np.sum(a**2)) * float(np.sum(b**2)))
    return float(np.sum(a * b)) / scale if scale > 0 else 0.0


def auc(successes: Floats, failures: Floats) -> Estimate:
    """Return how likely a success has the higher value than a failure; ties count half.

    The interval is DeLong's; where it has no width, the bound for equal values takes its place.

    Cites:
        DeLong, DeLong and Clarke-Pearson (1988), "Comparing the areas under two or more correlated
        receiver operating characteristic curves".
    """
    n, m = len(successes), len(failures)
    if not n or not m:
        return Estimate(None, None, None, n + m, None, None, "needs successes and failures")
    above = (successes[:, None] > failures).astype(np.float64)
    above += 0.5 * (successes[:, None] == failures)
    value = float(above.mean())
    if min(n, m) < SMALLEST_SAMPLE:
        return Estimate(value, None, None, n + m, value, value, _TOO_FEW)
    by_success, by_failure = above.mean(axis=1), above.mean(axis=0)
    variance = float(np.var(by_success, ddof=1)) / n + float(np.var(by_failure, ddof=1)) / m
    if variance <= 1e-12:
        p = 1 - (1 - _LEVEL) ** (1 / min(n, m))
        low, high = value * (1 - p), value + (1 - value) * p
        return Estimate(value, low, high, n + m, value, value, None, "exact bound")
    half = NormalDist().inv_cdf(0.5 + _LEVEL / 2) * math.sqrt(variance)
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, n + m, value, value, None, "delong")


def median(values: Floats) -> Estimate:
    """Return the median with the order statistics that hold it in 95 % of samples, by binomial."""
    n = len(values)
    if not n:
        return Estimate(None, None, None, 0, None, None, "no scored episode")
    value, ordered = float(np.median(values)), np.sort(values)
    # The k-th smallest and largest hold the median unless fewer than k values lie on one side.
    tail, k, below = (1 - _LEVEL) / 2, 0, 0.0
    while below + math.comb(n, k) / 2.0**n <= tail:
        below += math.comb(n, k) / 2.0**n
        k += 1
    if not k:
        return Estimate(value, None, None, n, value, value, _TOO_FEW)
    low, high = float(ordered[k - 1]), float(ordered[n - k])
    return Estimate(value, low, high, n, value, value, None, "order statistics")
