"""Which orders of policies the data leave open, and how far two such sets of orders agree.

Two policies whose means differ clearly have a settled order; any other pair may go either way. The
orders that no settled pair contradicts are those that are left open, and a rank correlation of the
true orders lies between the least and the largest one of two of them. Resampling the correlation
itself would not do: noise makes orders look less alike than they are, and drawing again adds the
same noise once more.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations

import numpy as np
import numpy.typing as npt

from assay.metrics.results import Floats, Ints

__all__ = [
    "LEFT_OPEN",
    "drawn_signs",
    "pair_signs",
    "rho_range",
    "settled_signs",
    "tau_range",
    "unseen_error2",
]

LEFT_OPEN = "orders left open"
"""What an interval is called that spans all orders that the data leave open."""

_TIE = 1e-9  # means of equal values differ by rounding, 1e-16; a difference that counts is larger
_MOST_LISTED = 7  # policies: 5,040 orders
_MOST_COMPARED = 1 << 22  # pairs of orders; beyond, pairs of policies are counted instead


def pair_signs(means: Floats) -> Ints:
    """Return the order of every pair: 1, 0 for a tie, or -1; (.., P) gives (.., P (P - 1) / 2)."""
    i, j = np.triu_indices(means.shape[-1], 1)
    apart = means[..., i] - means[..., j]
    return np.where(np.abs(apart) <= _TIE, 0, np.sign(apart)).astype(np.int64)


def settled_signs(means: Floats, errors2: Floats, sizes: Ints, alpha: float) -> Ints:
    """Return the order of every pair that is settled, else 0, of shape (P (P - 1) / 2,).

    A pair is settled when |mean_i - mean_j| > t sqrt(e_i^2 + e_j^2), with t the two-sided quantile
    of Student's distribution with Welch's degrees of freedom.

    Args:
        means: The mean of each policy, of shape (P,).
        errors2: Its squared standard error, of shape (P,); above 0.
        sizes: How many values stand behind it, of shape (P,), 2 or more.
        alpha: How often a pair of equals may be called settled.

    Cites:
        Welch (1947), "The generalization of 'Student's' problem when several different population
        variances are involved".
    """
    from scipy.special import stdtrit

    i, j = np.triu_indices(len(means), 1)
    total = errors2[i] + errors2[j]
    freedom = total**2 / (errors2[i] ** 2 / (sizes[i] - 1) + errors2[j] ** 2 / (sizes[j] - 1))
    reach = stdtrit(freedom, 1.0 - alpha / 2.0) * np.sqrt(total)
    return np.where(np.abs(means[i] - means[j]) > reach, pair_signs(means), 0)


def drawn_signs(values: Floats, resamples: Floats, alpha: float) -> Ints:
    """Return the order of every pair that is settled by resamples, else 0: (P (P - 1) / 2,).

    A pair is settled when all but alpha / 2 of the resamples have the order of the values.

    Args:
        values: The score of each policy, of shape (P,).
        resamples: Its scores when the data are drawn again, of shape (B, P).
        alpha: How often a pair of equals may be called settled.
    """
    signs = pair_signs(values)
    shares = [
        ((resamples[:, [i]] - resamples[:, i + 1 :]) * np.sign(values[i] - values[i + 1 :]) > _TIE)
        for i in range(len(values) - 1)
    ]
    same = np.concatenate([part.mean(axis=0) for part in shares])
    return np.where(same >= 1.0 - alpha / 2.0, signs, 0)


def tau_range(first: Ints, second: Ints) -> tuple[float, float]:
    """Return the least and the largest tau of two orders that agree with what is settled.

    Up to 7 policies all orders are listed. With more, or where too many are left open, each pair
    that is open on either side is counted as going either way: with C pairs that agree, D that
    don't and F open ones tau lies in (C - D - F) / n .. (C - D + F) / n, which is no narrower.
    True ties change nothing: tau-b of two orders with ties lies in the same range.

    Args:
        first: The settled order of each pair on one side, 0 where it is open, of shape
            (P (P - 1) / 2,); no order is contradicted by itself.
        second: That of the other side.

    Cites:
        Brandenburg, Gleissner and Hofmeier (2013), "Comparing and aggregating partial orders with
        Kendall tau distances".
    """
    pairs = len(first)
    listed = _both_open(first, second)
    if listed is None:
        agreed, is_open = int(np.sum(first * second)), int(np.sum((first == 0) | (second == 0)))
        return (agreed - is_open) / pairs, (agreed + is_open) / pairs
    one, other = (_listed(_policies(first))[places].astype(np.float32) for places in listed)
    taus = one @ other.T
    return float(taus.min()) / pairs, float(taus.max()) / pairs


def rho_range(first: Ints, second: Ints) -> tuple[float, float]:
    """Return the least and the largest Spearman's rho of two orders left open.

    As `tau_range`. Where orders are not listed, each policy's rank is only known to lie between 1
    plus how many are settled above it and P less how many are settled below; rho = 1 - 6 sum d^2 /
    (P (P^2 - 1)) with the largest and the least distance d of two such ranks, in -1..1.
    """
    policies = _policies(first)
    scale = policies * (policies**2 - 1.0)
    listed = _both_open(first, second)
    if listed is None:
        (low, high), (bottom, top) = _rank_limits(first), _rank_limits(second)
        far = np.maximum(top - low, high - bottom)
        near = np.maximum(np.maximum(bottom - high, low - top), 0)
        ends = (1.0 - 6.0 * float(np.sum(d**2)) / scale for d in (far, near))
        return max(-1.0, next(ends)), next(ends)
    centre = (policies - 1) / 2.0
    one, other = ((_ranks(policies)[places] - centre).astype(np.float32) for places in listed)
    products = one @ other.T  # of halves: exact
    return float(products.min()) * 12.0 / scale, float(products.max()) * 12.0 / scale


def unseen_error2(values: Floats, bounds: tuple[float, float]) -> float:
    """Return the mean square by which other values, unseen among equal ones, can move the mean.

    The share p of other values has Jeffreys' posterior beta(1/2, m + 1/2) after m equal ones; its
    mean square is (1/2) (3/2) / ((m + 1) (m + 2)). At worst they lie at the farther bound.

    Args:
        values: Equal values, of shape (m,), m >= 1.
        bounds: The smallest and the largest possible value.
    """
    m, far = len(values), max(abs(end - float(values[0])) for end in bounds)
    return 0.75 * far**2 / ((m + 1) * (m + 2))


def _policies(pairs: Ints) -> int:
    """Return how many policies have so many pairs."""
    return (1 + math.isqrt(1 + 8 * len(pairs))) // 2


def _both_open(first: Ints, second: Ints) -> tuple[Ints, Ints] | None:
    """Return which of all orders either side leaves open, by place; None if they are too many."""
    policies = _policies(first)
    if policies > _MOST_LISTED:
        return None
    orders = _listed(policies)
    one, other = (
        np.flatnonzero((orders[:, side != 0] == side[side != 0]).all(axis=1))
        for side in (first, second)
    )
    if not len(one) or not len(other) or len(one) * len(other) > _MOST_COMPARED:
        return None
    return one, other


def _rank_limits(settled: Ints) -> tuple[Floats, Floats]:
    """Return the least and the largest rank of each policy, 0 for the lowest, of shape (P,)."""
    policies = _policies(settled)
    table = np.zeros((policies, policies))
    table[np.triu_indices(policies, 1)] = settled
    table -= table.T
    low: Floats = (table > 0).sum(axis=1).astype(np.float64)
    high: Floats = policies - 1.0 - (table < 0).sum(axis=1)
    return low, high


@lru_cache(maxsize=4)
def _ranks(policies: int) -> npt.NDArray[np.int8]:
    """Return the rank of each policy in each order of so many, of shape (orders, P)."""
    return np.array(list(permutations(range(policies))), dtype=np.int8)


@lru_cache(maxsize=4)
def _listed(policies: int) -> npt.NDArray[np.int8]:
    """Return the pairs' order in each order of so many policies, of shape (orders, pairs)."""
    ranks = _ranks(policies)
    i, j = np.triu_indices(policies, 1)
    signs: npt.NDArray[np.int8] = np.sign(ranks[:, i] - ranks[:, j]).astype(np.int8)
    return signs
