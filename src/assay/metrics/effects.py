"""How large a difference is beside the spread, and how often one policy does better.

Both take arms: one arm of paired differences, or two arms of values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.metrics.correlation import Figure
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.resampling import Ends, Units, added, spread, unseen
from assay.metrics.results import Floats, Ints

__all__ = ["Arm", "improvement", "paired_improvement", "standardised"]

_TIE = 1e-9  # scores are shares: what differs by less differs by rounding
_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} units: no interval"


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """The values of one policy, or the differences of one pair of policies; each of shape (n,).

    Attributes:
        values: The values.
        weights: What each counts in the mean; they add up to 1.
        strata: The stratum of each, numbered from 0.
        clusters: The cluster of each, numbered from 0.
        blocks: The block that its cluster is drawn in.
    """

    values: Floats
    weights: Floats
    strata: Ints
    clusters: Ints
    blocks: Ints

    def units(self, values: Floats | None = None) -> Units:
        """Return the sums over clusters, of `values` in place of the arm's own if given."""
        found = self.values if values is None else values
        return Units.of(found, self.weights, self.clusters, self.blocks)


def standardised(arms: Sequence[Arm], ends: Ends, level: float = 0.95) -> Figure:
    """Return the difference in standard deviations, with its interval.

    g = J * difference / s, where s^2 is pooled over the strata of each arm with nu degrees of
    freedom, and J = 1 - 3 / (4 nu - 1) takes the bias of small samples away. For one arm of paired
    differences s is their own standard deviation; for two arms this is Hedges' g. The interval is
    g +- t * se, with se from the influence of each unit on difference and s (the sandwich), and
    reaches to either side at least as far as that of the difference, divided by s: failures that
    are rare and all on one side would make se too small (0.80 coverage at n = 20, now 0.98).

    Args:
        arms: One arm of paired differences or two arms of values.
        ends: The interval of the difference.
        level: The wanted coverage.

    Cites:
        Cohen (1988), "Statistical Power Analysis for the Behavioral Sciences"; Hedges (1981),
        "Distribution theory for Glass's estimator of effect size and related estimators".
    """
    n = sum(len(arm.values) for arm in arms)
    inner = [arm.values - _cell_means(arm) for arm in arms]
    freedom = n - sum(len(np.unique(arm.strata)) for arm in arms)
    squares = float(sum(np.sum(part**2) for part in inner))
    scale = max(float(np.max(np.abs(arm.values))) for arm in arms)
    if freedom < 1:
        return Figure(None, None, None, n, why="no stratum has two episodes: no spread is known")
    s = math.sqrt(squares / freedom)
    if s <= _TIE * max(scale, _TIE):
        return Figure(None, None, None, n, why="all values are equal: no spread to compare with")
    apart = sum(sign * float(np.sum(arm.weights * arm.values)) for sign, arm in _signed(arms))
    ratio = apart / s
    correction = 1.0 - 3.0 / (4.0 * freedom - 1.0) if freedom > 1 else 1.0
    value = correction * ratio
    if ends.low is None or ends.high is None:
        return Figure(value, None, None, n, why="the difference has no interval")
    influences = []
    for (sign, arm), part in zip(_signed(arms), inner, strict=True):
        own = sign * arm.weights * (arm.values - arm.units().means[arm.blocks]) / s
        of_s = ratio / 2.0 * ((part / s) ** 2 - freedom / n) / freedom
        influences.append(Units.of(own - of_s, np.ones_like(own), arm.clusters, arm.blocks))
    from scipy.special import stdtrit

    variance, degrees = spread(*influences)
    reach = float(stdtrit(degrees, 0.5 + level / 2.0)) * math.sqrt(variance)
    low = value - correction * max(reach, (apart - ends.low) / s)
    high = value + correction * max(reach, (ends.high - apart) / s)
    return Figure(value, low, high, n, "sandwich or bootstrap-t")


def paired_improvement(arm: Arm, level: float = 0.95) -> Figure:
    """Return P(a > b) + P(a = b) / 2 over pairs, from the paired differences a - b.

    It is the mean of 1, 1/2 and 0 for a better, an equal and a worse pair. The interval is the
    score interval of `improvement`.
    """
    ranks = np.where(np.abs(arm.values) <= _TIE, 0.5, (arm.values > 0).astype(np.float64))
    units = arm.units(ranks)
    return _scored([units], len(ranks), level)


def improvement(first: Arm, second: Arm, level: float = 0.95) -> Figure:
    """Return P(a > b) + P(a = b) / 2 for episodes of the same stratum, with its interval.

    Within a stratum it is the Mann-Whitney statistic divided by the number of pairs of episodes;
    strata count by their weight. The variance v comes from the placements of each value among the
    other policy's. The ends solve (value - p)^2 = t^2 p (1 - p) / m with m = value (1 - value) / v,
    which is Wilson's interval for m episodes. Without any spread the bound is
    `resampling.unseen`.

    Cites:
        Brunner and Munzel (2000), "The nonparametric Behrens-Fisher problem"; Korn and Graubard
        (1998), "Confidence intervals for proportions with small expected number of positive
        counts"; Agarwal et al. (2021), "Deep reinforcement learning at the edge of the statistical
        precipice".
    """
    places = [_placements(first, second), 1.0 - _placements(second, first)]
    units = [arm.units(place) for arm, place in zip((first, second), places, strict=True)]
    return _scored(units, len(first.values) + len(second.values), level)


def _scored(arms: Sequence[Units], n: int, level: float) -> Figure:
    """Return the mean of the first arm, which is that of all, with its score interval."""
    value = min(1.0, max(0.0, arms[0].total))
    if min(map(len, arms)) < SMALLEST_SAMPLE:
        return Figure(value, None, None, n, why=_TOO_FEW)
    variance, freedom = spread(*arms)
    if variance <= _TIE**2:
        shares, means = arms[0].shares, np.clip(arms[0].means, 0.0, 1.0)
        sizes = np.min([arm.sizes for arm in arms], axis=0)
        below = unseen(shares * means, sizes, level)
        above = unseen(shares * (1.0 - means), sizes, level)
        return Figure(value, value - below, value + above, n, "exact bound")
    from scipy.special import stdtrit

    z2 = float(stdtrit(freedom, 0.5 + level / 2.0)) ** 2
    # z2 / m, and the variance times z2 is value (1 - value) z2 / m.
    ratio = z2 * variance / max(value * (1.0 - value), variance)
    centre = (value + ratio / 2.0) / (1.0 + ratio)
    half = math.sqrt(value * (1.0 - value) * ratio + ratio**2 / 4.0) / (1.0 + ratio)
    low, high = min(centre - half, value), max(centre + half, value)
    return Figure(value, max(0.0, low), min(1.0, high), n, "score, effective n")


def _placements(values: Arm, others: Arm) -> Floats:
    """Return the share of the others of its stratum that each value exceeds; ties count half."""
    found = np.empty(len(values.values))
    for stratum in np.unique(values.strata):
        own = values.strata == stratum
        rivals = np.sort(others.values[others.strata == stratum])
        below = np.searchsorted(rivals, values.values[own] - _TIE, "left")
        up_to = np.searchsorted(rivals, values.values[own] + _TIE, "right")
        found[own] = (below + up_to) / (2.0 * len(rivals))
    return found


def _cell_means(arm: Arm) -> Floats:
    """Return the mean of its stratum for each value, of shape (n,)."""
    counts = np.maximum(np.bincount(arm.strata), 1)
    means: Floats = (added(arm.strata, arm.values) / counts)[arm.strata]
    return means


def _signed(arms: Sequence[Arm]) -> list[tuple[int, Arm]]:
    return list(zip((1, -1), arms, strict=False))
