"""How far simulation tells what the real robot would: policies' means on both sides compared.

The intervals say how far the episodes at hand fix the figures for these policies; they say nothing
about other policies.

Noise in the means makes two orders look less alike than they are, and drawing episodes again adds
the same noise once more. Pearson's correlation is smooth, and the studentised bootstrap takes the
pull out again, though not near 1: there the longer arm of the percentile bootstrap is used to both
sides, with the pull that was seen added, and the wider of the two counts. For rank correlations all
orders are looked at that the means and their errors leave open (`metrics.orders`). The mean maximum
rank violation has the longer arm too, and reaches down to what the wrong orders that are settled
cost. `SimReal.resolved` says how many pairs are far enough apart. The measured coverage is printed
by tests/proof/agreement_coverage.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import SMALLEST_LINE, Figure
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.orders import (
    LEFT_OPEN,
    rho_range,
    settled_signs,
    tau_range,
    unseen_error2,
)
from assay.metrics.results import Floats, Ints

__all__ = ["SimReal", "compare_sim_real", "mean_max_rank_violation"]

Ends: TypeAlias = tuple[float, float] | None
Pair: TypeAlias = "tuple[_Side, _Side]"

_METHODS = ("wider bootstrap", LEFT_OPEN, LEFT_OPEN, "symmetric bootstrap")
_IN_LINE = "no policy is out of line: no interval"
_TIE = 1e-9  # means of equal values differ by rounding
_DRAWS_AT_ONCE = 1 << 20  # 8 MB of drawn values
_ERROR_FLOOR = 0.25  # of the sample's, as for means
_MOST_UNDEFINED = 0.05  # of the resamples; leaving more out would tell of the others alone


@dataclass(frozen=True, slots=True)
class SimReal:
    """How far simulation and reality agree on policies; the figures' n is the number of policies.

    Attributes:
        pearson: The linear correlation of the means.
        spearman: The linear correlation of their ranks.
        kendall: Tau-b, the correlation of their orders.
        mmrv: Mean maximum rank violation, in the unit of the values: 0 when both sides have the
            same order; else how much real performance a wrong order would cost, on average.
        sim: The means in simulation, by policy.
        real: The means in reality.
        episodes: How many episodes each policy has in simulation and in reality.
        pairs: How many pairs of policies there are.
        resolved: How many of them are apart by more than their error allows, on both sides.
    """

    pearson: Figure
    spearman: Figure
    kendall: Figure
    mmrv: Figure
    sim: Mapping[str, float]
    real: Mapping[str, float]
    episodes: Mapping[str, tuple[int, int]]
    pairs: int
    resolved: int


def compare_sim_real(
    sim: Mapping[str, Floats],
    real: Mapping[str, Floats],
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> SimReal:
    """Return correlations and rank violations of policies' means, with intervals.

    A policy whose n values are all equal has no spread to draw from; as with means it is not taken
    for certain: a share of other values, drawn from Jeffreys' beta(1/2, n + 1/2), may have gone
    unseen. There is no interval when a policy has fewer than 5 episodes on a side.

    Args:
        sim: Policy -> the metric of each simulated episode, of shape (m,), m >= 1.
        real: Policy -> that of each real one; the same policies, as many episodes as there are.
        bounds: The smallest and the largest value the metric can take.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same intervals.

    Cites:
        Li et al. (2024), "Evaluating real-world robot manipulation policies in simulation"
        (SIMPLER); Hall (1988), "On symmetric bootstrap confidence intervals"; Brandenburg,
        Gleissner and Hofmeier (2013), "Comparing and aggregating partial orders with Kendall tau
        distances".
    """
    names = _checked(sim, real, bounds)
    x, y = (_Side.of([side[name] for name in names], bounds) for side in (sim, real))
    whole, n = _figures(x.means, y.means).tolist(), len(names)
    if min(*x.episodes, *y.episodes) < SMALLEST_SAMPLE:
        why = f"a policy has fewer than {SMALLEST_SAMPLE} episodes: no interval"
        ends: list[Ends] = [None] * 4
    else:
        why = "too often undefined when episodes are drawn again: no interval"
        again = x.drawn(bounds, resamples, (seed, 0)), y.drawn(bounds, resamples, (seed, 1))
        drawn = _figures(again[0].means, again[1].means)
        settled = (x.settled((1.0 - level) / 2.0), y.settled((1.0 - level) / 2.0))
        forced = _forced(*settled, y.means)
        ends = [
            _wider(
                _studentised(whole[0], drawn[:, 0], (x, y), again, level),
                _symmetric(whole[0], drawn[:, 0], level),
            ),
            rho_range(*settled) if n >= SMALLEST_LINE else None,
            tau_range(*settled),
            _wider(_symmetric(whole[3], drawn[:, 3], level), (forced, forced)),
        ]

    def figure(place: int, low: float, high: float) -> Figure:
        value = whole[place]
        if math.isnan(value):
            return Figure(None, None, None, n, why=_undefined(x.means))
        found = ends[place]
        if found is None:
            in_line = abs(value) >= 1.0 - _TIE and min(*x.episodes, *y.episodes) >= SMALLEST_SAMPLE
            return Figure(value, None, None, n, why=_IN_LINE if in_line else why)
        start, end = max(low, min(found[0], value)), min(high, max(found[1], value))
        return Figure(value, start, end, n, _METHODS[place])

    i, j = np.triu_indices(n, 1)
    return SimReal(
        pearson=figure(0, -1.0, 1.0),
        spearman=figure(1, -1.0, 1.0),
        kendall=figure(2, -1.0, 1.0),
        mmrv=figure(3, 0.0, bounds[1] - bounds[0]),
        sim=dict(zip(names, x.means.tolist(), strict=True)),
        real=dict(zip(names, y.means.tolist(), strict=True)),
        episodes=dict(zip(names, zip(x.episodes, y.episodes, strict=True), strict=True)),
        pairs=len(i),
        resolved=int(np.count_nonzero((x.apart(level) & y.apart(level))[i, j])),
    )


def mean_max_rank_violation(sim: Floats, real: Floats) -> Floats:
    """Return the mean maximum rank violation of policies' means, of shape (.., P) each.

    Policies i and j violate the rank when simulation and reality disagree on whether i is below j;
    the violation v_ij is then |real_i - real_j|, else 0. The figure is the mean over i of
    max_j v_ij.

    Cites:
        Li et al. (2024), "Evaluating real-world robot manipulation policies in simulation".
    """
    sim, real = np.asarray(sim, dtype=np.float64), np.asarray(real, dtype=np.float64)
    wrong = (_signs(sim) < 0) != (_signs(real) < 0)
    gaps = np.abs(real[..., :, None] - real[..., None, :])
    found: Floats = np.where(wrong, gaps, 0.0).max(axis=-1).mean(axis=-1)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """The episodes of each policy on one side.

    Attributes:
        values: For each policy an array of shape (m,).
        means: The means, of shape (P,); of shape (resamples, P) when drawn again.
        errors2: The squared standard errors of the means, of the same shape.
    """

    values: tuple[Floats, ...]
    means: Floats
    errors2: Floats

    @classmethod
    def of(cls, values: list[Floats], bounds: tuple[float, float]) -> _Side:
        """Sum up the episodes of each policy."""
        arrays = tuple(np.asarray(each, dtype=np.float64) for each in values)
        errors2 = [
            unseen_error2(each, bounds)
            if np.ptp(each) <= _TIE
            else float(np.var(each, ddof=1)) / len(each)
            for each in arrays
        ]
        return cls(arrays, np.array([each.mean() for each in arrays]), np.array(errors2))

    @property
    def episodes(self) -> tuple[int, ...]:
        """Return how many episodes each policy has."""
        return tuple(map(len, self.values))

    def apart(self, level: float) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which policies differ by more than the error of the difference, (P, P)."""
        z = NormalDist().inv_cdf(0.5 + level / 2.0)
        errors = np.sqrt(self.errors2[:, None] + self.errors2)
        found = np.abs(self.means[:, None] - self.means) > np.maximum(z * errors, _TIE)
        return np.asarray(found)

    def settled(self, alpha: float) -> Ints:
        """Return the order of every pair that is settled at `alpha`, else 0."""
        return settled_signs(self.means, self.errors2, np.array(self.episodes), alpha)

    def drawn(self, bounds: tuple[float, float], resamples: int, seed: tuple[int, int]) -> _Side:
        """Return the side with the episodes of each policy drawn again."""
        rng = np.random.default_rng(seed)
        means = np.empty((resamples, len(self.values)))
        errors2 = np.tile(self.errors2, (resamples, 1))
        for place, values in enumerate(self.values):
            m = len(values)
            if np.ptp(values) <= _TIE:
                other = [end for end in bounds if abs(end - values[0]) > _TIE]
                unseen = rng.beta(0.5, m + 0.5, resamples)
                means[:, place] = values[0] + unseen * (rng.choice(other, resamples) - values[0])
                continue
            width = max(1, _DRAWS_AT_ONCE // m)
            for start in range(0, resamples, width):
                part = slice(start, min(start + width, resamples))
                taken = values[rng.integers(0, m, (part.stop - start, m))]
                means[part, place] = taken.mean(axis=1)
                errors2[part, place] = taken.var(axis=1, ddof=1) / m
        return _Side(self.values, means, errors2)


def _figures(sim: Floats, real: Floats) -> Floats:
    """Return Pearson, Spearman, Kendall and MMRV, of shape (.., 4); NaN where undefined."""
    found = np.full((*sim.shape[:-1], 4), np.nan)
    found[..., 3] = mean_max_rank_violation(sim, real)
    if sim.shape[-1] >= SMALLEST_LINE:
        a, b = _signs(sim), _signs(real)
        found[..., 0] = _cosine(_centred(sim), _centred(real), (-1,))
        # A rank is the middle one plus half of how many more are below than above.
        found[..., 1] = _cosine(a.sum(axis=-1), b.sum(axis=-1), (-1,))
        found[..., 2] = _cosine(a, b, (-2, -1))
    return found


def _signs(means: Floats) -> Floats:
    """Return the order of each two policies, 1, 0 for a tie or -1, of shape (.., P, P)."""
    apart = means[..., :, None] - means[..., None, :]
    return np.where(np.abs(apart) <= _TIE, 0.0, np.sign(apart))


def _centred(a: Floats) -> Floats:
    """Return what the values of the last axis differ from their mean; rounding is nothing."""
    apart = a - a.mean(axis=-1, keepdims=True)
    return np.where(np.abs(apart) <= _TIE, 0.0, apart)


def _cosine(a: Floats, b: Floats, axes: tuple[int, ...]) -> Floats:
    """Return sum a b / sqrt(sum a^2 sum b^2) over the axes; NaN where one side is all 0."""
    scale = np.sqrt((a**2).sum(axis=axes) * (b**2).sum(axis=axes))
    out = np.full(np.shape(scale), np.nan)
    found: Floats = np.divide((a * b).sum(axis=axes), scale, out=out, where=scale > 0)
    return np.clip(found, -1.0, 1.0)


def _undefined(sim: Floats) -> str:
    """Return why there is no correlation."""
    if len(sim) < SMALLEST_LINE:
        return f"fewer than {SMALLEST_LINE} policies"
    return f"{'simulation' if np.ptp(sim) <= _TIE else 'reality'} tells no two policies apart"


def _forced(sim: Ints, real: Ints, means: Floats) -> float:
    """Return the rank violation of the pairs whose order is settled, and wrong, on both sides.

    Args:
        sim: The settled order of each pair in simulation, 0 where it is open: (P (P - 1) / 2,).
        real: That in reality.
        means: The real means, of shape (P,).
    """
    i, j = np.triu_indices(len(means), 1)
    violated = np.zeros((len(means), len(means)))
    violated[i, j] = np.where(sim * real < 0, np.abs(means[i] - means[j]), 0.0)
    return float(np.maximum(violated, violated.T).max(axis=1).mean())


def _wider(first: Ends, second: Ends) -> Ends:
    """Return the ends that span both intervals; None without one of them."""
    if first is None or second is None:
        return None
    return min(first[0], second[0]), max(first[1], second[1])


def _symmetric(value: float, drawn: Floats, level: float) -> Ends:
    """Return the ends at the longer arm of the percentile bootstrap to both sides.

    On one side the pull is added: by how much drawing again moved the figure on average.
    """
    known = drawn[~np.isnan(drawn)]
    if len(known) < (1.0 - _MOST_UNDEFINED) * len(drawn) or math.isnan(value):
        return None
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(known, [tail, 1.0 - tail], method="closest_observation").tolist()
    arm, pull = max(high - value, value - low), float(known.mean()) - value
    return value - arm - max(pull, 0.0), value + arm - min(pull, 0.0)


def _studentised(value: float, drawn: Floats, sides: Pair, again: Pair, level: float) -> Ends:
    """Return the ends of the studentised bootstrap of Pearson's correlation."""
    if math.isnan(value):
        return None
    error = float(_pearson_error(*sides))
    if abs(value) >= 1.0 - _TIE:  # the error is 0 there, and so are most that are drawn
        return None
    errors = _pearson_error(*again)
    known = np.isfinite(drawn) & np.isfinite(errors)
    if np.count_nonzero(known) < (1.0 - _MOST_UNDEFINED) * len(drawn):
        return None
    t = (drawn[known] - value) / np.maximum(errors[known], _ERROR_FLOOR * error)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(t, [tail, 1.0 - tail], method="closest_observation").tolist()
    return value - high * error, value - low * error


def _pearson_error(x: _Side, y: _Side) -> Floats:
    """Return the standard error of Pearson's correlation from the errors of the means.

    With a and b the centred means, A and B their sums of squares and r the correlation, the slope
    along x_p is b_p / sqrt(A B) - r a_p / A, and along y_p likewise.
    """
    a, b = _centred(x.means), _centred(y.means)
    in_a, in_b = ((each**2).sum(axis=-1, keepdims=True) for each in (a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt(in_a * in_b)
        r = (a * b).sum(axis=-1, keepdims=True) / scale
        along_x, along_y = b / scale - r * a / in_a, a / scale - r * b / in_b
        squares = along_x**2 * x.errors2 + along_y**2 * y.errors2
    found: Floats = np.sqrt(squares.sum(axis=-1))
    return found


def _checked(
    sim: Mapping[str, Floats], real: Mapping[str, Floats], bounds: tuple[float, float]
) -> tuple[str, ...]:
    """Return the names of the policies, sorted, or say what is wrong."""
    if sim.keys() != real.keys() or len(sim) < 2:
        raise UsageError("Simulation and reality need the same policies, at least two.")
    if not bounds[0] < bounds[1]:
        raise UsageError(f"A metric runs from low to high, not {bounds[0]:g} to {bounds[1]:g}.")
    for values in (*sim.values(), *real.values()):
        found = np.asarray(values, dtype=np.float64)
        inside = (found >= bounds[0]) & (found <= bounds[1])
        if found.ndim != 1 or not len(found) or not inside.all():
            raise UsageError(
                f"Each policy needs a list of values in {bounds[0]:g}..{bounds[1]:g} on both sides:"
                " leave out what is unscored."
            )
    return tuple(sorted(sim))
