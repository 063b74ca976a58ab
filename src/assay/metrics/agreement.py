"""How far two judges agree: on the order of policies, and moment by moment on one episode.

Policies are ordered by a mean over their episodes. Episodes are resampled, and both judges keep
theirs together: what is asked is whether the same episodes lead to the same order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Floats

__all__ = ["OrderAgreement", "Swap", "compare_orders", "curve_distance", "kendall_tau_b"]

Pair: TypeAlias = tuple[str, str]
_Signs: TypeAlias = npt.NDArray[np.int64]

SMALLEST_ORDER = 3
"""With fewer policies tau could only be -1 or 1."""

_TIE = 1e-9  # means of equal values differ by rounding, 1e-16; a difference that counts is larger
_DRAWS_AT_ONCE = 1 << 20  # 16 MB of drawn pairs
_MOST_UNDEFINED = 0.05  # of the resamples; leaving more out would tell of the others alone


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
        method: How the interval was made: "percentile bootstrap" or "".
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
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> OrderAgreement:
    """Compare the orders in which two judges put policies by their mean value.

    The interval of tau is the percentile bootstrap: the episodes of each policy are drawn again,
    each with the values of both judges, and tau is computed anew. It says how far the episodes at
    hand fix the agreement on these policies. Orders are discrete, so that it may have no width.
    There is none when a policy has fewer than 5 episodes, or when tau is undefined in more than
    5 % of the resamples.

    Args:
        first: The values by the first judge: policy -> one per episode, of shape (m,), m >= 1.
        second: The values by the second judge, of the same policies and episodes.
        judges: What the two judges are called where a reason names one.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Kendall (1945), "The treatment of ties in ranking problems".
    """
    sample = _Sample.of(first, second)
    a, b = _signs(sample.means[:, 0]), _signs(sample.means[:, 1])
    tau, why = _tau(sample, a, b, judges)
    ends, shares = _Ends(None, None, why), None
    if sample.fewest >= SMALLEST_SAMPLE and (tau is not None or (a * b < 0).any()):
        drawn, shares = _resampled(sample, resamples, seed)
        if tau is not None:
            ends = _ends(tau, drawn, level)
    elif tau is not None:
        ends = _Ends(None, None, f"a policy has fewer than {SMALLEST_SAMPLE} episodes: no interval")
    return OrderAgreement(
        tau=tau,
        low=ends.low,
        high=ends.high,
        n=len(sample.names),
        episodes=dict(zip(sample.names, map(len, sample.values), strict=True)),
        first=dict(zip(sample.names, sample.means[:, 0].tolist(), strict=True)),
        second=dict(zip(sample.names, sample.means[:, 1].tolist(), strict=True)),
        swapped=tuple(sample.swap(k, a, shares) for k in np.flatnonzero(a * b < 0).tolist()),
        tied=tuple(sample.pair(k) for k in np.flatnonzero((a != 0) & (b == 0)).tolist()),
        parted=tuple(sample.pair(k) for k in np.flatnonzero((a == 0) & (b != 0)).tolist()),
        why=ends.why,
        method="" if ends.low is None else "percentile bootstrap",
    )


def kendall_tau_b(a: Floats, b: Floats) -> float | None:
    """Return Kendall's tau-b of two lists of shape (n,); None when one of them is all ties.

    With C pairs in the same and D in opposite orders, n0 = n (n - 1) / 2 pairs in all, and n1 and
    n2 pairs tied in `a` and in `b`: tau = (C - D) / sqrt((n0 - n1) (n0 - n2)). Numbers closer than
    1e-9 are tied.
    """
    tau = float(_tau_b(_signs(np.asarray(a)), _signs(np.asarray(b))))
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

    def pair(self, number: int) -> Pair:
        """Return the names of a pair, by its number."""
        i, j = (places[number] for places in np.triu_indices(len(self.names), 1))
        return self.names[i], self.names[j]

    def swap(self, number: int, signs: _Signs, shares: Floats | None) -> Swap:
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


@dataclass(frozen=True, slots=True)
class _Ends:
    """The ends of an interval, or why there is none."""

    low: float | None
    high: float | None
    why: str | None = None


def _tau(sample: _Sample, a: _Signs, b: _Signs, judges: Pair) -> tuple[float | None, str | None]:
    """Return tau-b, or why it is undefined."""
    if len(sample.names) < SMALLEST_ORDER:
        return None, f"fewer than {SMALLEST_ORDER} policies"
    for signs, judge in zip((a, b), judges, strict=True):
        if not signs.any():
            return None, f"{judge} tells no two policies apart"
    return float(_tau_b(a, b)), None


def _ends(tau: float, drawn: Floats, level: float) -> _Ends:
    """Return the ends from tau of each resample, NaN where it is undefined."""
    defined = drawn[~np.isnan(drawn)]
    if len(drawn) - len(defined) > _MOST_UNDEFINED * len(drawn):
        return _Ends(None, None, "too often undefined when episodes are drawn again: no interval")
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(defined, [tail, 1.0 - tail], method="closest_observation").tolist()
    return _Ends(min(low, tau), max(high, tau))


def _resampled(sample: _Sample, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return tau of each resample, and the share of resamples that swap each pair."""
    drawn = sample.resampled(resamples, seed)
    pairs = len(sample.names) * (len(sample.names) - 1) // 2
    width = max(1, _DRAWS_AT_ONCE // pairs)
    taus, swaps = [], np.zeros(pairs)
    for start in range(0, resamples, width):
        a, b = (_signs(drawn[start : start + width, :, judge]) for judge in (0, 1))
        taus.append(_tau_b(a, b))
        swaps += np.count_nonzero(a * b < 0, axis=0)
    return np.concatenate(taus), swaps / resamples


def _signs(means: Floats) -> _Signs:
    """Return the order of every pair: 1, 0 for a tie, or -1; (.., P) gives (.., P (P - 1) / 2)."""
    i, j = np.triu_indices(means.shape[-1], 1)
    apart = means[..., i] - means[..., j]
    return np.where(np.abs(apart) <= _TIE, 0, np.sign(apart)).astype(np.int64)


def _tau_b(a: _Signs, b: _Signs) -> Floats:
    """Return tau-b over the last axis; NaN where one side is all ties."""
    scale = np.sqrt(np.count_nonzero(a, axis=-1) * np.count_nonzero(b, axis=-1))
    found: Floats = np.divide(
        np.sum(a * b, axis=-1), scale, out=np.full(np.shape(scale), np.nan), where=scale > 0
    )
    return found
