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
# All 5 values lie on one side of the median in 2 / 2^5 = 6 % of samples, more than the 5 % left.
_NO_ORDER = "fewer than 6 values: no interval"


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


def auc(successes: Floats, failures: Floats, unscored: tuple[int, int] = (0, 0)) -> Estimate:
    """Return how likely a success has the higher value than a failure; ties count half.

    The interval is DeLong's; where it has no width, the bound for equal values takes its place.

    Args:
        successes: Values in 0..1 of successes, of shape (n,).
        failures: Values of failures, of shape (m,).
        unscored: How many successes and failures have no value. In `worst` these successes count
            0 and these failures 1, in `best` the other way round.

    Cites:
        DeLong, DeLong and Clarke-Pearson (1988), "Comparing the areas under two or more correlated
        receiver operating characteristic curves".
    """
    n, m = len(successes), len(failures)
    worst, best = (
        _area(
            np.append(successes, np.full(unscored[0], good)),
            np.append(failures, np.full(unscored[1], 1.0 - good)),
        )
        for good in (0.0, 1.0)
    )
    value = _area(successes, failures)
    if value is None:
        return Estimate(None, None, None, n + m, worst, best, "needs successes and failures")
    if min(n, m) < SMALLEST_SAMPLE:
        return Estimate(value, None, None, n + m, worst, best, _TOO_FEW)
    above = _above(successes, failures)
    by_success, by_failure = above.mean(axis=1), above.mean(axis=0)
    variance = float(np.var(by_success, ddof=1)) / n + float(np.var(by_failure, ddof=1)) / m
    if variance <= 1e-12:
        p = 1 - (1 - _LEVEL) ** (1 / min(n, m))
        low, high = value * (1 - p), value + (1 - value) * p
        return Estimate(value, low, high, n + m, worst, best, None, "exact bound")
    half = NormalDist().inv_cdf(0.5 + _LEVEL / 2) * math.sqrt(variance)
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, n + m, worst, best, None, "delong")


def _above(successes: Floats, failures: Floats) -> Floats:
    """Return 1 where a success is above a failure, 1/2 where they tie, of shape (n, m)."""
    above: Floats = (successes[:, None] > failures) + 0.5 * (successes[:, None] == failures)
    return above


def _area(successes: Floats, failures: Floats) -> float | None:
    if not len(successes) or not len(failures):
        return None
    return float(_above(successes, failures).mean())


def median(values: Floats, unscored: int = 0, ends: tuple[float, float] = (-1.0, 1.0)) -> Estimate:
    """Return the median with the order statistics that hold it in 95 % of samples, by binomial.

    Args:
        values: One value per episode, of shape (n,).
        unscored: How many episodes have no value.
        ends: What each of these counts in `worst` and in `best`.
    """
    from scipy.stats import binom

    n = len(values)
    worst, best = (
        float(np.median(np.append(values, np.full(unscored, end)))) if n + unscored else None
        for end in ends
    )
    if not n:
        return Estimate(None, None, None, 0, worst, best, "no scored episode")
    value, ordered = float(np.median(values)), np.sort(values)
    # The k-th smallest and largest hold the median unless fewer than k values lie on one side:
    # k is the largest for which that is rarer than the tail.
    k = int(binom.ppf((1 - _LEVEL) / 2, n, 0.5))
    if not k:
        return Estimate(value, None, None, n, worst, best, _NO_ORDER)
    low, high = float(ordered[k - 1]), float(ordered[n - k])
    return Estimate(value, low, high, n, worst, best, None, "order statistics")
