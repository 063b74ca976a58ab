"""How many episodes success, or another share, needs to tell two policies apart, from a pilot."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.plans import Goal, Needed, banded, drawn_again, smallest
from assay.metrics.results import Floats, Ints

__all__ = [
    "mcnemar_power",
    "needed_episodes_of_success",
    "needed_pairs_of_success",
    "two_share_power",
]

_FEW = f"the pilot has fewer than {SMALLEST_SAMPLE} pairs"
_FEW_EACH = f"the pilot has fewer than {SMALLEST_SAMPLE} episodes of a policy"
_FAR = 8.0  # standard deviations: counts further out add nothing


def mcnemar_power(only_a: float, only_b: float, n: int, level: float = 0.95) -> float:
    """Return the power of the exact McNemar test with `n` pairs.

    The number m of scenes with different outcomes is binomial (n, only_a + only_b); given m, a
    alone succeeds in a binomial (m, q) number of them, q = only_a / (only_a + only_b). The power is
    the mean over m of the chance that the test rejects.

    Args:
        only_a: The share of scenes in which only policy a succeeds.
        only_b: The share of scenes in which only policy b succeeds.
        n: How many pairs the study would have.
        level: 1 less the level of the test.

    Cites:
        Duffy (1984), "Asymptotic and exact power for the McNemar test and its analogue with R
        controls per case".
    """
    if min(only_a, only_b) < 0 or only_a + only_b > 1:
        raise UsageError(f"Shares of scenes lie between 0 and 1, not at {only_a:g} and {only_b:g}.")
    both = only_a + only_b
    if both == 0.0:
        return 0.0
    from scipy.special import bdtr, gammaln, xlog1py, xlogy

    reach = _FAR * math.sqrt(n * both * (1.0 - both)) + _FAR
    m = np.arange(max(0, math.floor(n * both - reach)), min(n, math.ceil(n * both + reach)) + 1)
    logs = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    chances = np.exp(logs + xlogy(m, both) + xlog1py(n - m, -both))
    last = _critical(m, 1.0 - level)
    q = only_a / both
    can = last >= 0
    rejected = np.zeros(len(m))
    rejected[can] = bdtr(last[can], m[can], q) + bdtr(last[can], m[can], 1.0 - q)
    return min(1.0, float(np.sum(chances * rejected)))


def two_share_power(share_a: float, share_b: float, n: int, level: float = 0.95) -> float:
    """Return the power to tell two shares apart with `n` episodes of each policy.

    With r = (p + q) / 2, the power is
    Phi((sqrt(n) |p - q| - z sqrt(2 r (1 - r))) / sqrt(p (1 - p) + q (1 - q))). This is the normal
    limit; the power of Boschloo's test itself stands beside it in
    tests/proof/difference_coverage.py.

    Cites:
        Fleiss, Levin and Paik (2003), "Statistical Methods for Rates and Proportions", chapter 4.
    """
    if not (0 <= share_a <= 1 and 0 <= share_b <= 1):
        raise UsageError(f"Shares lie between 0 and 1, not at {share_a:g} and {share_b:g}.")
    normal = NormalDist()
    pooled = (share_a + share_b) / 2.0
    null = math.sqrt(2.0 * pooled * (1.0 - pooled))
    spread = math.sqrt(share_a * (1.0 - share_a) + share_b * (1.0 - share_b))
    beyond = math.sqrt(n) * abs(share_a - share_b) - normal.inv_cdf(0.5 + level / 2.0) * null
    if spread == 0.0:
        return float(beyond > 0.0)
    return normal.cdf(beyond / spread)


def needed_pairs_of_success(a: npt.ArrayLike, b: npt.ArrayLike, goal: Goal | None = None) -> Needed:
    """Return how many paired episodes show the pilot's difference of success.

    The smallest n for which `mcnemar_power` reaches the goal.

    Args:
        a: Whether policy a succeeded, 0 or 1 for each scene of the pilot, of shape (n,).
        b: The same for policy b in the same scenes.
        goal: Power, level and randomness.
    """
    goal, first, second = goal or Goal(), _outcomes(a), _outcomes(b)
    have = len(first)
    if have != len(second):
        raise UsageError(f"Paired outcomes need the same scenes: {have} and {len(second)}.")
    if have < SMALLEST_SAMPLE:
        return Needed(None, None, None, have, goal.power, why=_FEW)
    drawn = drawn_again(have, goal)
    alone = np.stack([first > second, second > first]).astype(np.float64)
    shares, pilot = alone[:, drawn].mean(axis=2), alone.mean(axis=1)

    def needed(place: int | None) -> int | None:
        only_a, only_b = (pilot if place is None else shares[:, place]).tolist()
        return smallest(
            lambda n: mcnemar_power(only_a, only_b, n, goal.level), goal, SMALLEST_SAMPLE
        )

    score = _score(pilot[0] - pilot[1], pilot.sum() - (pilot[0] - pilot[1]) ** 2)
    apart = shares[0] - shares[1]
    scores = _score(apart, shares.sum(axis=0) - apart**2)
    return banded(float(score), scores, needed, have, goal, "exact mcnemar")


def needed_episodes_of_success(
    a: npt.ArrayLike, b: npt.ArrayLike, goal: Goal | None = None
) -> Needed:
    """Return how many episodes of each policy show the pilot's difference of success, unpaired.

    The smallest n for which `two_share_power` reaches the goal.

    Args:
        a: Whether policy a succeeded, 0 or 1 for each episode of the pilot, of shape (n,).
        b: The same for policy b, of shape (m,).
        goal: Power, level and randomness.
    """
    goal, first, second = goal or Goal(), _outcomes(a), _outcomes(b)
    have = min(len(first), len(second))
    if have < SMALLEST_SAMPLE:
        return Needed(None, None, None, have, goal.power, why=_FEW_EACH)
    p = first[drawn_again(len(first), goal)].mean(axis=1)
    q = second[drawn_again(len(second), goal, 1)].mean(axis=1)
    pilot = float(first.mean()), float(second.mean())

    def needed(place: int | None) -> int | None:
        one, other = pilot if place is None else (float(p[place]), float(q[place]))
        return smallest(lambda n: two_share_power(one, other, n, goal.level), goal, SMALLEST_SAMPLE)

    score = _score(pilot[0] - pilot[1], sum(x * (1.0 - x) for x in pilot))
    scores = _score(p - q, p * (1.0 - p) + q * (1.0 - q))
    return banded(float(score), scores, needed, have, goal, "normal limit of boschloo")


def _critical(m: Ints, alpha: float) -> Ints:
    """Return the largest count at which the test of m scenes rejects, or -1 where none does."""
    from scipy.special import bdtr

    # The normal limit is right or one too low, at every level from 0.0001 to 0.2.
    z = NormalDist().inv_cdf(alpha / 2.0)
    near = np.floor((m + z * np.sqrt(m) - 1.0) / 2.0).astype(np.int64)
    found = np.full(len(m), -1, dtype=np.int64)
    for count in (near - 1, near, near + 1, near + 2):
        can = (count >= 0) & (count < m)
        can[can] = 2.0 * bdtr(count[can], m[can], 0.5) <= alpha
        found = np.where(can, count, found)
    return found


def _score(apart: npt.ArrayLike, variance: npt.ArrayLike) -> Floats:
    """Return differences in standard deviations; infinite without spread, 0 without both."""
    apart, variance = np.asarray(apart, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    flat = variance <= 0.0
    found = apart / np.sqrt(np.where(flat, 1.0, variance))
    return np.where(flat & (apart != 0.0), np.copysign(np.inf, apart), found)


def _outcomes(values: npt.ArrayLike) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isin(found, (0.0, 1.0)).all():
        raise UsageError("A pilot of success needs a list of outcomes that are 0 or 1.")
    return found
