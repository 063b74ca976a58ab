"""How far two judges agree: on the order of policies, and moment by moment on one episode.

Policies are ordered by a mean over their episodes. What is asked is how far these episodes fix the
agreement on these policies; they say nothing of other policies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.orders import (
    LEFT_OPEN,
    pair_signs,
    settled_signs,
    tau_range,
    unseen_error2,
)
from assay.metrics.results import Floats, Ints

__all__ = ["OrderAgreement", "Swap", "compare_orders", "curve_distance", "kendall_tau_b"]

Pair: TypeAlias = tuple[str, str]

SMALLEST_ORDER = 3
"""With fewer policies tau could only be -1 or 1."""

_TIE = 1e-9  # values that differ by less differ by rounding
_DRAWS_AT_ONCE = 1 << 20  # 16 MB of drawn pairs


@dataclass(frozen=True, slots=True)
class Swap:
    """Two policies that the judges put in opposite orders.

    Attributes:
        policies: The one that the first judge puts higher, then the other.
        first: Their means by the first judge.
        second: Their means by the second judge.
        share: The share of resamples in which the judges put them in opposite orders; None
            without an interval.
    """

    policies: Pair
    first: tuple[float, float]
    second: tuple[float, float]
    share: float | None


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """How far two judges agree on the order of policies.

    Attributes:
        tau: Kendall's tau-b over the policies, -1 (reversed) to 1 (the same); None when undefined.
        low: Lower end of its interval, or None.
        high: Upper end of its interval, or None.
        n: How many policies were ordered.
        episodes: How many episodes each of them has.
        first: The means by the first judge, by policy.
        second: The means by the second judge.
        swapped: The pairs in opposite orders.
        tied: The pairs that only the first judge tells apart.
        parted: The pairs that only the second judge tells apart.
        why: Why something above is None.
        method: How the interval was made: "orders left open" or "".
    """

    tau: float | None
    low: float | None
    high: float | None
    n: int
    episodes: Mapping[str, int]
    first: Mapping[str, float]
    second: Mapping[str, float]
    swapped: tuple[Swap, ...]
    tied: tuple[Pair, ...]
    parted: tuple[Pair, ...]
    why: str | None = None
    method: str = ""

    @property
    def pairs(self) -> int:
        """Return the number of pairs of policies."""
        return self.n * (self.n - 1) // 2


def compare_orders(
    first: Mapping[str, Floats],
    second: Mapping[str, Floats],
    *,
    judges: Pair = ("the first judge", "the second judge"),
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> OrderAgreement:
    """Compare the orders in which two judges put policies by their mean value.

    The interval of tau is the range over all orders that are left open (`orders.tau_range`). What
    the two judges say of a pair is settled when both tell its means apart, each at (1 - level) / 2:
    so it is right for a pair with the wanted chance. About tau it is right more often than that: in
    97 % of studies or more at n >= 20 (tests/proof/order_coverage.py). The percentile bootstrap is
    of no use here: of six policies close together, put in opposite orders, it held the truth in
    none of 50 studies with 50 episodes of each.

    Equal values have no spread; as with means they are not taken for certain
    (`orders.unseen_error2`). There is no interval when a policy has fewer than 5 episodes. Episodes
    are drawn again, each with the values of both judges, only for the share of each swap.

    Args:
        first: The values by the first judge: policy -> one per episode, of shape (m,), m >= 1.
        second: The values by the second judge, of the same policies and episodes.
        judges: What the two judges are called where a reason names one.
        bounds: The smallest and the largest possible value; they matter for equal values alone.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same shares.

    Cites:
        Kendall (1945), "The treatment of ties in ranking problems"; Brandenburg, Gleissner and
        Hofmeier (2013), "Comparing and aggregating partial orders with Kendall tau distances".
    """
    sample = _Sample.of(first, second)
    a, b = pair_signs(sample.means[:, 0]), pair_signs(sample.means[:, 1])
    tau, why = _tau(sample, a, b, judges)
    low = high = shares = None
    is_enough = sample.fewest >= SMALLEST_SAMPLE
    if is_enough and (a * b < 0).any():
        shares = _swap_shares(sample, resamples, seed)
    if is_enough and tau is not None:
        settled = [sample.settled(judge, bounds, (1.0 - level) / 2.0) for judge in (0, 1)]
        ends = tau_range(*settled)
        low, high = min(ends[0], tau), max(ends[1], tau)
    elif tau is not None:
        why = f"a policy has fewer than {SMALLEST_SAMPLE} episodes: no interval"
    return OrderAgreement(
        tau=tau,
        low=low,
        high=high,
        n=len(sample.names),
        episodes=dict(zip(sample.names, map(len, sample.values), strict=True)),
        first=dict(zip(sample.names, sample.means[:, 0].tolist(), strict=True)),
        second=dict(zip(sample.names, sample.means[:, 1].tolist(), strict=True)),
        swapped=tuple(sample.swap(k, a, shares) for k in np.flatnonzero(a * b < 0).tolist()),
        tied=tuple(sample.pair(k) for k in np.flatnonzero((a != 0) & (b == 0)).tolist()),
        parted=tuple(sample.pair(k) for k in np.flatnonzero((a == 0) & (b != 0)).tolist()),
        why=why,
        method="" if low is None else LEFT_OPEN,
    )


def kendall_tau_b(a: Floats, b: Floats) -> float | None:
    """Return Kendall's tau-b of two lists of shape (n,); None when one of them is all ties.

    With C pairs in the same and D in opposite orders, n0 = n (n - 1) / 2 pairs in all, and n1 and
    n2 pairs tied in `a` and in `b`: tau = (C - D) / sqrt((n0 - n1) (n0 - n2)). Numbers closer than
    1e-9 are tied.
    """
    tau = float(_tau_b(pair_signs(np.asarray(a)), pair_signs(np.asarray(b))))
    return None if math.isnan(tau) else tau


def curve_distance(times_a: Floats, a: Floats, times_b: Floats, b: Floats) -> float | None:
    """Return the mean absolute difference of two curves of one episode.

    It is taken at the moments of the sparser clock that both curves span; the other curve is read
    on the straight line between its neighbours there. Curves with the same clock are compared as
    they are.

    Args:
        times_a: Moments of the first curve [s], increasing, of shape (T,).
        a: Its values, of shape (T,); no NaN.
        times_b: Moments of the second curve [s], of shape (U,).
        b: Its values, of shape (U,).

    Returns:
        The difference, or None when the two share no stretch of time.
    """
    if np.array_equal(times_a, times_b):
        return float(np.mean(np.abs(a - b))) if len(a) else None
    if len(times_a) > len(times_b):
        times_a, a, times_b, b = times_b, b, times_a, a
    if not len(times_a):
        return None
    shared = (times_a >= times_b[0]) & (times_a <= times_b[-1])
    if not shared.any():
        return None
    return float(np.mean(np.abs(a[shared] - np.interp(times_a[shared], times_b, b))))


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """The episodes of each policy with the values of both judges.

    Attributes:
        names: The policies, of length P.
        values: For each an array of shape (m, 2).
        means: The means, of shape (P, 2).
    """

    names: tuple[str, ...]
    values: tuple[Floats, ...]
    means: Floats = field(repr=False)

    @classmethod
    def of(cls, first: Mapping[str, Floats], second: Mapping[str, Floats]) -> _Sample:
        """Put the values of both judges side by side."""
        if first.keys() != second.keys():
            raise UsageError("Two orders can be compared only if they have the same policies.")
        names = tuple(sorted(first))
        for name in names:
            if len(first[name]) != len(second[name]) or not len(first[name]):
                raise UsageError(
                    f"Both judges need a value for each of the same episodes of {name!r}, at least"
                    f" one; they have {len(first[name])} and {len(second[name])}."
                )
        values = tuple(np.stack([first[name], second[name]], axis=1) for name in names)
        means = np.array([v.mean(axis=0) for v in values]).reshape(len(names), 2)
        return cls(names, values, means)

    @property
    def fewest(self) -> int:
        """Return how many episodes the policy with the fewest has."""
        return min(map(len, self.values), default=0)

    def settled(self, judge: int, bounds: tuple[float, float], alpha: float) -> Ints:
        """Return the order of every pair that one judge tells apart at `alpha`, else 0."""
        columns = [values[:, judge] for values in self.values]
        errors2 = [
            unseen_error2(own, bounds)
            if np.ptp(own) <= _TIE
            else float(np.var(own, ddof=1)) / len(own)
            for own in columns
        ]
        sizes = np.array([len(own) for own in columns])
        return settled_signs(self.means[:, judge], np.array(errors2), sizes, alpha)

    def pair(self, number: int) -> Pair:
        """Return the names of a pair, by its number."""
        i, j = (places[number] for places in np.triu_indices(len(self.names), 1))
        return self.names[i], self.names[j]

    def swap(self, number: int, signs: Ints, shares: Floats | None) -> Swap:
        """Return a swapped pair, the policy with the higher first mean before the other."""
        i, j = (int(places[number]) for places in np.triu_indices(len(self.names), 1))
        if signs[number] < 0:
            i, j = j, i
        (a, b), (c, d) = self.means[[i, j]].T.tolist()
        share = None if shares is None else float(shares[number])
        return Swap((self.names[i], self.names[j]), (a, b), (c, d), share)

    def resampled(self, resamples: int, seed: int) -> Floats:
        """Return the means of each resample, of shape (resamples, P, 2)."""
        rng = np.random.default_rng(seed)
        found = np.empty((resamples, len(self.values), 2))
        for place, values in enumerate(self.values):
            m = len(values)
            width = max(1, _DRAWS_AT_ONCE // m)
            for start in range(0, resamples, width):
                part = found[start : start + width, place]
                drawn = rng.integers(0, m, (len(part), m))
                np.mean(values[drawn], axis=1, out=part)
        return found


def _tau(sample: _Sample, a: Ints, b: Ints, judges: Pair) -> tuple[float | None, str | None]:
    """Return tau-b, or why it is undefined."""
    if len(sample.names) < SMALLEST_ORDER:
        return None, f"fewer than {SMALLEST_ORDER} policies"
    for signs, judge in zip((a, b), judges, strict=True):
        if not signs.any():
            return None, f"{judge} tells no two policies apart"
    return float(_tau_b(a, b)), None


def _swap_shares(sample: _Sample, resamples: int, seed: int) -> Floats:
    """Return the share of resamples that swap each pair, of shape (pairs,)."""
    drawn = sample.resampled(resamples, seed)
    pairs = len(sample.names) * (len(sample.names) - 1) // 2
    width = max(1, _DRAWS_AT_ONCE // pairs)
    swaps = np.zeros(pairs)
    for start in range(0, resamples, width):
        a, b = (pair_signs(drawn[start : start + width, :, judge]) for judge in (0, 1))
        swaps += np.count_nonzero(a * b < 0, axis=0)
    found: Floats = swaps / resamples
    return found


def _tau_b(a: Ints, b: Ints) -> Floats:
    """Return tau-b over the last axis; NaN where one side is all ties."""
    scale = np.sqrt(np.count_nonzero(a, axis=-1) * np.count_nonzero(b, axis=-1))
    found: Floats = np.divide(
        np.sum(a * b, axis=-1), scale, out=np.full(np.shape(scale), np.nan), where=scale > 0
    )
    return found
