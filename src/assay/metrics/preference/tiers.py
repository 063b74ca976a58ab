"""From strengths to an order: ranks, tiers, and a test of every pair.

Tiers are cut from the top: a policy opens a new tier when it is told apart from one of the tier
above. So two policies that are told apart are never in one tier. Two that are not may still stand
in neighbouring tiers, since "not told apart" does not carry over from pair to pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.metrics.multiplicity import holm
from assay.metrics.results import Floats, Ints

__all__ = ["PairTests", "compare_pairs", "overlap_tiers", "rank_limits", "ranks", "tiers"]

_SAME = 1e-9  # strengths that differ by less are equal but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """A test of every pair of P policies; arrays of shape (P, P).

    Attributes:
        difference: beta_i - beta_j.
        error: Its standard error.
        p: The p-value of "they are equal"; 1 on the diagonal and where there is no error.
        adjusted: The p-value by Holm over all pairs.
    """

    difference: Floats
    error: Floats
    p: Floats
    adjusted: Floats


def ranks(beta: Floats) -> Ints:
    """Return the rank of each policy, 1 for the strongest, of shape (P,); equals share a rank."""
    above = beta[None, :] > beta[:, None] + _SAME
    found: Ints = 1 + np.count_nonzero(above, axis=1).astype(np.int64)
    return found


def compare_pairs(
    beta: Floats,
    covariance: Floats,
    freedom: int | None = None,
    sure: npt.NDArray[np.bool_] | None = None,
) -> PairTests:
    """Test for every pair whether the strengths are equal (Wald), adjusted by Holm.

    t = (beta_i - beta_j) / sqrt(V_ii + V_jj - 2 V_ij), against the normal distribution, or
    Student's with `freedom` degrees of freedom.

    Args:
        beta: The strengths, of shape (P,).
        covariance: Their covariance, of shape (P, P).
        freedom: One less than there are clusters; None where votes are independent.
        sure: Which policies have votes enough for a test, of shape (P,); all by default. The
            p-values of the others are 1.

    Cites:
        Wald (1943), "Tests of statistical hypotheses concerning several parameters".
    """
    from scipy.special import ndtr, stdtr

    own = np.diag(covariance)
    variance = own[:, None] + own[None, :] - 2.0 * covariance
    error = np.sqrt(np.maximum(variance, 0.0))
    difference = beta[:, None] - beta[None, :]
    known = error > 0
    if sure is not None:
        known &= sure[:, None] & sure[None, :]
    size = np.divide(np.abs(difference), error, out=np.zeros_like(error), where=known)
    p = 2.0 * (ndtr(-size) if freedom is None else stdtr(freedom, -size))
    tested = np.nonzero(np.triu(known, 1))  # what is not tested costs the others nothing
    adjusted = np.ones_like(p)
    adjusted[tested] = np.array(holm(p[tested].tolist()), dtype=np.float64)
    adjusted = np.minimum(adjusted, adjusted.T)
    return PairTests(difference, error, p, adjusted)


def tiers(beta: Floats, apart: npt.NDArray[np.bool_]) -> Ints:
    """Return the tier of each policy, 1 for the best, of shape (P,).

    Args:
        beta: The strengths, of shape (P,).
        apart: Which pairs are told apart, of shape (P, P).
    """
    found = np.zeros(len(beta), dtype=np.int64)
    current: list[int] = []
    for place in np.argsort(-beta, kind="stable").tolist():
        opens = not current or bool(apart[place, current].any())
        found[place] = (found[current[-1]] if current else 0) + opens
        current = [place] if opens else [*current, place]
    return found


def overlap_tiers(beta: Floats, low: Floats, high: Floats) -> Ints:
    """Return tiers in which all intervals overlap; NaN ends, of no interval, count as endless."""
    start = np.where(np.isnan(low), -math.inf, low)
    end = np.where(np.isnan(high), math.inf, high)
    clear = start[:, None] > end[None, :]
    return tiers(beta, clear | clear.T)


def rank_limits(tests: PairTests, alpha: float) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of each policy that the tests leave open, of shape (P,).

    As many policies as are told to be better stand above for sure, and as many as are told to be
    worse below. All true ranks lie within these limits at once with probability 1 - alpha.

    Cites:
        Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to
        mobility across neighbourhoods and academic achievement across countries".
    """
    told = tests.adjusted < alpha
    better = np.count_nonzero(told & (tests.difference < 0), axis=1)
    worse = np.count_nonzero(told & (tests.difference > 0), axis=1)
    return (1 + better).astype(np.int64), (len(told) - worse).astype(np.int64)
