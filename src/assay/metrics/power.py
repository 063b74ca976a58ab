"""How many episodes a dense metric needs to tell two policies apart, from a pilot."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import UsageError
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.plans import Goal, Needed, banded, drawn_again, smallest
from assay.metrics.results import Floats

__all__ = ["needed_episodes", "needed_pairs", "paired_power"]

_FEW = f"the pilot has fewer than {SMALLEST_SAMPLE} pairs"
_FEW_EACH = f"the pilot has fewer than {SMALLEST_SAMPLE} episodes of a policy"
_ROUNDING = 1e-9  # scores are shares: what differs by less differs by rounding
_SMALLEST_PLAN = 10  # at 6 pairs 0.75 was measured where the formula says 0.997
_SURE = 100.0  # standard errors: such a shift is always seen
_ONE_SIDED = 6.0  # standard errors: the other tail is below 1e-12 from here on


def paired_power(
    differences: Floats, n: int, *, effect: float | None = None, level: float = 0.95
) -> float | None:
    """Return the power of `n` pairs to show the pilot's mean difference, or `effect`.

    power = P(|T| > t), T noncentral with n - 1 degrees of freedom and shift sqrt(n) * mean / sd,
    t the two-sided quantile of Student's distribution. The test reported flips signs, and metrics
    are not normal: where this says 0.80, 0.76 to 0.91 were measured
    (tests/proof/difference_coverage.py). Below 10 pairs signs are too coarse for it.

    Args:
        differences: The pilot's paired differences, of shape (m,).
        n: How many pairs the study would have.
        effect: The difference to be shown; the pilot's mean if None.
        level: 1 less the level of the test.

    Returns:
        The power; None when the pilot has fewer than 5 pairs, or no spread.

    Cites:
        Cohen (1988), "Statistical Power Analysis for the Behavioral Sciences".
    """
    values = _checked(differences)
    if len(values) < SMALLEST_SAMPLE or np.ptp(values) <= _ROUNDING or n < 2:
        return None
    mean = float(np.mean(values)) if effect is None else effect
    return _t_power(n - 1.0, math.sqrt(n) * mean / float(np.std(values, ddof=1)), 1.0 - level)


def needed_pairs(
    differences: Floats, goal: Goal | None = None, *, effect: float | None = None
) -> Needed:
    """Return how many paired episodes show the pilot's difference, or `effect`.

    The smallest n for which `paired_power` reaches the goal, but at least 10, and not fewer than
    signs that are flipped need to be significant at all: 2 / 2^n <= alpha.

    Args:
        differences: The pilot's paired differences, of shape (m,).
        goal: Power, level and randomness.
        effect: The difference to be shown, if it is not the pilot's mean.
    """
    goal, values = goal or Goal(), _checked(differences)
    have = len(values)
    if have < SMALLEST_SAMPLE:
        return Needed(None, None, None, have, goal.power, why=_FEW)
    least = max(_SMALLEST_PLAN, math.ceil(math.log2(2.0 / goal.alpha)))
    drawn = values[drawn_again(have, goal)]
    ratio = _ratios(values.mean(keepdims=True), values.std(ddof=1, keepdims=True), effect)
    ratios = _ratios(drawn.mean(axis=1), drawn.std(axis=1, ddof=1), effect)

    def needed(place: int | None) -> int | None:
        d = float(ratio[0] if place is None else ratios[place])
        return smallest(lambda n: _t_power(n - 1.0, math.sqrt(n) * d, goal.alpha), goal, least)

    return banded(float(ratio[0]), ratios, needed, have, goal, "noncentral t")


def needed_episodes(a: Floats, b: Floats, goal: Goal | None = None) -> Needed:
    """Return how many episodes of each policy show the pilot's difference without pairs.

    The power is that of Welch's test with n episodes of each policy: a noncentral t with shift
    sqrt(n) * (mean_a - mean_b) / sqrt(s_a^2 + s_b^2) and
    (n - 1) (s_a^2 + s_b^2)^2 / (s_a^4 + s_b^4) degrees of freedom; n is at least 10.

    Args:
        a: The pilot's values of policy a, of shape (n,).
        b: Those of policy b, of shape (m,).
        goal: Power, level and randomness.

    Cites:
        Welch (1938), "The significance of the difference between two means when the population
        variances are unequal".
    """
    goal, first, second = goal or Goal(), _checked(a), _checked(b)
    have = min(len(first), len(second))
    if have < SMALLEST_SAMPLE:
        return Needed(None, None, None, have, goal.power, why=_FEW_EACH)
    one, other = first[drawn_again(len(first), goal)], second[drawn_again(len(second), goal, 1)]
    ratio, freedom = _welch(first[None], second[None])
    ratios, freedoms = _welch(one, other)

    def needed(place: int | None) -> int | None:
        d, nu = (ratio[0], freedom[0]) if place is None else (ratios[place], freedoms[place])
        return smallest(
            lambda n: _t_power((n - 1.0) * float(nu), math.sqrt(n) * float(d), goal.alpha),
            goal,
            _SMALLEST_PLAN,
        )

    return banded(float(ratio[0]), ratios, needed, have, goal, "noncentral t, Welch")


def _t_power(freedom: float, shift: float, alpha: float) -> float:
    """Return the power of the two-sided t test whose statistic is shifted by so many errors."""
    from scipy.special import nctdtr, stdtrit

    shift = min(abs(shift), _SURE)
    t = float(stdtrit(freedom, 1.0 - alpha / 2.0))
    other = float(nctdtr(freedom, shift, -t)) if shift < _ONE_SIDED else 0.0
    # Strict levels make the series of the other tail fail where it is nothing: below 1e-13 in
    # 400,000 draws. A NaN would count as no power, and more episodes be asked for than are needed.
    return float(nctdtr(freedom, -shift, -t)) + (0.0 if math.isnan(other) else other)


def _ratios(means: Floats, spreads: Floats, effect: float | None) -> Floats:
    """Return differences in units of their spread; infinite without spread, 0 without both."""
    apart = means if effect is None else np.full_like(means, effect)
    apart = np.where(np.abs(apart) <= _ROUNDING, 0.0, apart)
    flat = spreads <= _ROUNDING
    found: Floats = apart / np.where(flat, 1.0, spreads)
    return np.where(flat & (apart != 0.0), np.copysign(np.inf, apart), found)


def _welch(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the ratio and the freedom of each row, the latter divided by n - 1."""
    variances = np.stack([a.var(axis=1, ddof=1), b.var(axis=1, ddof=1)])
    total = variances.sum(axis=0)
    squares = (variances**2).sum(axis=0)
    freedom = np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0), 1.0)
    return _ratios(a.mean(axis=1) - b.mean(axis=1), np.sqrt(total), None), freedom


def _checked(values: Floats) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise UsageError("A pilot needs a list of finite values; leave out what is unscored.")
    return values
