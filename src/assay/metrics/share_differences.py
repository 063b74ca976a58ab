"""Differences of two shares, such as success, with exact tests and score intervals.

For episodes in clusters (several checkpoints of a policy) use `differences` on 0 and 1: these
tests take every episode, or every scene, for independent of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.differences import Difference
from assay.metrics.exact_tests import boschloo, mcnemar, stratified
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Floats, Ints
from assay.metrics.strata import Labels, Weighting, shared_strata, stratum_shares

__all__ = ["paired_share_difference", "unpaired_share_difference"]

_FEW_SCENES = f"fewer than {SMALLEST_SAMPLE} scenes: no interval"
_FEW_EPISODES = f"a policy has fewer than {SMALLEST_SAMPLE} episodes: no interval"
_HALVINGS = 50  # of a range of 2: to 2e-15
_LEAST = 1e-15  # a variance that rounding has made negative or 0


def paired_share_difference(
    a: npt.ArrayLike, b: npt.ArrayLike, *, level: float = 0.95
) -> Difference:
    """Compare how often two policies succeed in the same scenes.

    With r scenes in which only a succeeds and s in which only b does, the difference is
    (r - s) / n. Its interval is Tango's: the D that solve
    (r - s - n D)^2 = z^2 n (2 q + D (1 - D)), with q the most likely share of scenes for b alone if
    the difference is D. The test is exact McNemar's.

    Args:
        a: Whether policy a succeeded, 0 or 1 for each scene, of shape (n,).
        b: The same for policy b in the same scenes.
        level: The wanted coverage.

    Cites:
        Tango (1998), "Equivalence test and confidence interval for the difference in proportions
        for the paired-sample design".
    """
    first, second = _outcomes(a), _outcomes(b)
    n = len(first)
    if n != len(second):
        raise UsageError(f"Paired outcomes need the same scenes: there are {n} and {len(second)}.")
    only_a = int(np.count_nonzero(first & ~second))
    only_b = int(np.count_nonzero(second & ~first))
    value, test = (only_a - only_b) / n, mcnemar(only_a, only_b)
    low = high = None
    if n >= SMALLEST_SAMPLE:
        low, high = _inverted(lambda d: _tango(d, only_a, only_b, n), value, level)
    return Difference(
        value=value,
        low=low,
        high=high,
        n=n,
        p=test.p,
        method="tango" if low is not None else "",
        test=test.method,
        is_paired=True,
        sizes=(n, n),
        units=(n, n),
        why=None if low is not None else _FEW_SCENES,
    )


def unpaired_share_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    strata: tuple[Labels, Labels] = (None, None),
    weights: Weighting = "equal",
    level: float = 0.95,
) -> Difference:
    """Compare how often two policies succeed in scenes of their own, task by task.

    The difference is the sum over strata of W_s * (share of a - share of b). Its interval is
    Miettinen's and Nurminen's: the D that solve (difference - D)^2 = z^2 sum W_s^2 V_s(D), with V_s
    the variance at the most likely shares that differ by D. The test is Boschloo's, and with
    several strata the exact one given each stratum's total.

    Args:
        a: Whether policy a succeeded, 0 or 1 for each episode, of shape (n,).
        b: The same for policy b, of shape (m,).
        strata: The tasks of a's and of b's episodes; both must have all tasks.
        weights: Whether strata count the same ("equal") or by their episodes ("size").
        level: The wanted coverage.

    Cites:
        Miettinen and Nurminen (1985), "Comparative analysis of two rates".
    """
    outcomes = [_outcomes(a), _outcomes(b)]
    sizes = (len(outcomes[0]), len(outcomes[1]))
    tasks = shared_strata(strata, sizes)
    n, m = (np.bincount(task).astype(np.int64) for task in tasks)
    x, y = (
        np.bincount(task[own], minlength=len(n)).astype(np.int64)
        for task, own in zip(tasks, outcomes, strict=True)
    )
    shares = stratum_shares(n + m, weights)
    value = float(np.sum(shares * (x / n - y / m)))
    if len(shares) > 1:
        test = stratified(x, n, y, m)
    else:
        test = boschloo(int(x[0]), int(n[0]), int(y[0]), int(m[0]))
    low = high = None
    if min(sizes) >= SMALLEST_SAMPLE:
        low, high = _inverted(
            lambda d: _miettinen_nurminen(d, value, shares, x, n, y, m), value, level
        )
    return Difference(
        value=value,
        low=low,
        high=high,
        n=sum(sizes),
        p=test.p,
        method="miettinen-nurminen" if low is not None else "",
        test=test.method,
        is_paired=False,
        sizes=sizes,
        units=sizes,
        why=None if low is not None else _FEW_EPISODES,
    )


def _outcomes(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    found = np.asarray(values)
    if found.ndim != 1 or not len(found):
        raise UsageError(f"A share needs a list of at least one outcome, not {found.shape}.")
    if not np.isin(found, (0, 1)).all():
        raise UsageError("A share needs outcomes that are 0 or 1; leave out what is unscored.")
    return found.astype(np.bool_)


def _inverted(score: Callable[[float], float], value: float, level: float) -> tuple[float, float]:
    """Return the two differences at which the score statistic is z and -z; it falls with D."""
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    ends = []
    for outer, sign in ((-1.0, 1.0), (1.0, -1.0)):
        outside, inside = outer, value
        for _ in range(_HALVINGS):
            middle = (outside + inside) / 2.0
            if sign * score(middle) > z:
                outside = middle
            else:
                inside = middle
        ends.append(inside)
    return ends[0], ends[1]


def _tango(d: float, only_a: int, only_b: int, n: int) -> float:
    """Return Tango's score statistic for the difference `d`."""
    b = (2 * n - only_a + only_b) * d - only_a - only_b
    c = -only_b * d * (1.0 - d)
    q = (math.sqrt(max(b * b - 8.0 * n * c, 0.0)) - b) / (4.0 * n)
    return (only_a - only_b - n * d) / math.sqrt(max(n * (2.0 * q + d * (1.0 - d)), _LEAST))


def _miettinen_nurminen(
    d: float, value: float, shares: Floats, x: Ints, n: Ints, y: Ints, m: Ints
) -> float:
    """Return the score statistic for the difference `d`; arrays are of shape (strata,).

    The most likely shares that differ by d solve a cubic, here by its trigonometric root.
    """
    p, q, ratio = x / n, y / m, m / n
    a = 1.0 + ratio
    b = -(a + p + ratio * q + d * (ratio + 2.0)) / (3.0 * a)
    c = (d * d + d * (2.0 * p + a) + p + ratio * q) / a
    e = -p * d * (1.0 + d) / a
    v = b**3 - b * c / 2.0 + e / 2.0
    u = np.where(v < 0, -1.0, 1.0) * np.sqrt(np.maximum(b * b - c / 3.0, _LEAST))
    angle = (math.pi + np.arccos(np.clip(v / u**3, -1.0, 1.0))) / 3.0
    first = np.clip(2.0 * u * np.cos(angle) - b, max(0.0, d), min(1.0, 1.0 + d))
    second = first - d
    variance = first * (1.0 - first) / n + second * (1.0 - second) / m
    variance = float(np.sum(shares**2 * variance * (n + m) / (n + m - 1)))
    return (value - d) / math.sqrt(max(variance, _LEAST))
