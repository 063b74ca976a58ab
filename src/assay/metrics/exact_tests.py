"""Exact tests of two shares: Boschloo's and Barnard's, one by strata, and McNemar's for pairs.

None of them leans on a large sample: each keeps its level whatever the true shares are. All are
two-sided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.results import Floats, Ints

__all__ = ["Tested", "barnard", "boschloo", "mcnemar", "stratified"]

_Mask: TypeAlias = npt.NDArray[np.bool_]
_EVEN = 1e-7  # relative: probabilities of equally likely tables differ by rounding
_MOST_TABLES = 1_000_000  # 999 episodes of each policy; beyond, the normal limit is as good
_LEAST_POINTS = 200
_POINTS_PER_ROOT = 16  # the size of a test wiggles about pi sqrt(N) times over all shares
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Tested:
    """The two-sided p of a test.

    Attributes:
        p: The chance, at most, of a table at least as extreme if there is no difference.
        method: "boschloo", "barnard", "exact stratified", "exact mcnemar", or "score" where an
            exact test would take too long.
    """

    p: float
    method: str


def boschloo(successes_a: int, n_a: int, successes_b: int, n_b: int) -> Tested:
    """Test that two shares are equal, ordering tables by Fisher's p.

    p is the largest chance, over the common share pi, of a table whose Fisher p (two-sided) is at
    most the observed one. It is never larger than Fisher's p, which is the chance given the total.

    Cites:
        Boschloo (1970), "Raised conditional level of significance for the 2 x 2-table when testing
        the equality of two probabilities".
    """
    return _unconditional(successes_a, n_a, successes_b, n_b, _fisher_region, "boschloo")


def barnard(successes_a: int, n_a: int, successes_b: int, n_b: int) -> Tested:
    """Test that two shares are equal, ordering tables by the pooled z statistic.

    p is the largest chance, over the common share pi, of a table with at least the observed |z|,
    z = (share_a - share_b) / sqrt(q (1 - q) (1 / n_a + 1 / n_b)), q the pooled share.

    Cites:
        Barnard (1945), "A new test for 2 x 2 tables"; Suissa and Shuster (1985), "Exact
        unconditional sample sizes for the 2 x 2 binomial trial".
    """
    return _unconditional(successes_a, n_a, successes_b, n_b, _score_region, "barnard")


def mcnemar(only_a: int, only_b: int) -> Tested:
    """Test that two policies succeed equally often in the same scenes.

    Only scenes with different outcomes tell: under the null hypothesis a coin decides which policy
    succeeds there. p = min(1, 2 P(X <= min(only_a, only_b))), X binomial (only_a + only_b, 1/2).

    Args:
        only_a: Scenes in which only policy a succeeds.
        only_b: Scenes in which only policy b succeeds.

    Cites:
        McNemar (1947), "Note on the sampling error of the difference between correlated
        proportions or percentages".
    """
    if min(only_a, only_b) < 0:
        raise UsageError(f"Scenes can't be fewer than 0, as in {only_a} and {only_b}.")
    from scipy.special import bdtr

    tail = float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)) if only_a + only_b else 1.0
    return Tested(min(1.0, 2.0 * tail), "exact mcnemar")


def stratified(successes_a: Ints, n_a: Ints, successes_b: Ints, n_b: Ints) -> Tested:
    """Test that two shares are equal in every stratum, given each stratum's total of successes.

    The statistic is the total of a's successes; under the null hypothesis it is a sum of
    hypergeometric counts, one a stratum. p is the chance of the totals that are no more likely than
    the observed one. All arguments are of shape (strata,).

    Cites:
        Birch (1964), "The detection of partial association, I: the 2 x 2 case"; Cochran (1954),
        "Some methods for strengthening the common chi-square tests".
    """
    for x, n, y, m in zip(successes_a, n_a, successes_b, n_b, strict=True):
        _check(int(x), int(n), int(y), int(m))
    chances, start = np.ones(1), 0
    for x, n, y, m in zip(successes_a, n_a, successes_b, n_b, strict=True):
        low, part = _hypergeometric(int(n), int(m), int(x + y))
        chances, start = np.convolve(chances, part), start + low
    seen = chances[int(np.sum(successes_a)) - start]
    p = float(np.sum(chances[chances <= seen * (1.0 + _EVEN)]))
    return Tested(min(1.0, p), "exact stratified")


def _unconditional(
    x: int, n: int, y: int, m: int, region: Callable[[int, int, int, int], _Mask], method: str
) -> Tested:
    """Return the largest chance of the region that the table (x of n, y of m) spans."""
    _check(x, n, y, m)
    if (n + 1) * (m + 1) > _MOST_TABLES:
        return Tested(math.erfc(abs(float(_score(x, n, y, m))) / math.sqrt(2.0)), "score")
    inside = region(x, n, y, m)
    if inside.all():
        return Tested(1.0, method)
    points = max(_LEAST_POINTS, int(_POINTS_PER_ROOT * math.sqrt(n + m)))
    # Steps in the arcsine of the root, where all shares are known equally well.
    low, high, largest = 0.0, math.pi / 2.0, 0.0
    for _ in range(_ROUNDS):
        angles = np.linspace(low, high, points)
        found = _size(inside.astype(np.float64), np.sin(angles) ** 2)
        best = int(np.argmax(found))
        largest = max(largest, float(found[best]))
        low, high = angles[max(0, best - 1)], angles[min(points - 1, best + 1)]
        points = 33
    return Tested(min(1.0, largest), method)


def _size(inside: Floats, shares: Floats) -> Floats:
    """Return the chance of a table inside, for each common share, of shape (shares,)."""
    n, m = inside.shape[0] - 1, inside.shape[1] - 1
    found: Floats = np.einsum("ki,ki->k", _binomial(n, shares) @ inside, _binomial(m, shares))
    return found


def _binomial(n: int, shares: Floats) -> Floats:
    """Return the chance of 0 .. n successes, of shape (shares, n + 1)."""
    from scipy.special import xlog1py, xlogy

    x = np.arange(n + 1)
    found: Floats = np.exp(
        _log_choose(n) + xlogy(x, shares[:, None]) + xlog1py(n - x, -shares[:, None])
    )
    return found


@lru_cache(maxsize=16)
def _log_choose(n: int) -> Floats:
    """Return the logarithm of n over 0 .. n, of shape (n + 1,)."""
    from scipy.special import gammaln

    x = np.arange(n + 1)
    found: Floats = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    return found


def _hypergeometric(n: int, m: int, total: int) -> tuple[int, Floats]:
    """Return the smallest count of the first arm, and the chance of each count from there on."""
    low, high = max(0, total - m), min(n, total)
    logs = _log_choose(n)[low : high + 1] + _log_choose(m)[total - high : total - low + 1][::-1]
    chances = np.exp(logs - logs.max())
    return low, chances / chances.sum()


def _fisher_region(x: int, n: int, y: int, m: int) -> _Mask:
    """Return which tables have a Fisher p of at most the observed one, of shape (n + 1, m + 1)."""
    fisher = np.empty((n + 1, m + 1))
    for total in range(n + m + 1):
        low, chances = _hypergeometric(n, m, total)
        order = np.argsort(chances, kind="stable")
        sums = np.cumsum(chances[order])
        last = np.searchsorted(chances[order], chances * (1.0 + _EVEN), side="right") - 1
        rows = np.arange(low, low + len(chances))
        fisher[rows, total - rows] = sums[last]
    inside: _Mask = fisher <= fisher[x, y] * (1.0 + _EVEN)
    return inside


def _score_region(x: int, n: int, y: int, m: int) -> _Mask:
    """Return which tables have at least the observed |z|, of shape (n + 1, m + 1)."""
    z = np.abs(_score(np.arange(n + 1)[:, None], n, np.arange(m + 1), m))
    inside: _Mask = z >= z[x, y] * (1.0 - _EVEN)
    return inside


def _score(x: npt.ArrayLike, n: int, y: npt.ArrayLike, m: int) -> Floats:
    """Return the pooled z of each table; 0 where nobody or everybody succeeds."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    pooled = (x + y) / (n + m)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m))
    apart = x / n - y / m
    found: Floats = np.divide(apart, error, out=np.zeros_like(apart), where=error > 0)
    return found


def _check(x: int, n: int, y: int, m: int) -> None:
    if min(n, m) < 1 or not (0 <= x <= n and 0 <= y <= m):
        raise UsageError(
            f"Two shares need 0 to n successes and n >= 1 each, not {x} of {n} and {y} of {m}."
        )
