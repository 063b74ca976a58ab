"""Numbers that are made of sums over items, such as coefficients of agreement, with intervals.

A coefficient of agreement is 1 - observed / expected disagreement, and both are made of sums over
items. `figure_of_sums` gives the interval of any smooth number that is made of such sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Floats, Ints

__all__ = ["ONE_RATING", "Number", "chance_corrected", "figure_of_sums", "grouped"]

Number: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""Takes sums over items, of shape (.., p), to a number, of shape (..), and its slope along each of
the sums, of shape (.., p); NaN where the number is undefined."""

ONE_RATING = "all ratings are alike: there is nothing to agree on"

_METHOD = "bootstrap-t"
_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} items: no interval"
_DRAWS_AT_ONCE = 1 << 18  # 2 MB of counts
_ERROR_FLOOR = 0.25  # of the sample's, as for means; see tests/proof/agreement_coverage.py
_MOST_UNDEFINED = 0.05  # of the resamples; leaving more out would tell of the others alone
_ROUNDING = 1e-9


def chance_corrected(
    parts: Floats,
    number: Number,
    *,
    observed: float,
    expected: float,
    level: float,
    resamples: int,
    seed: int,
) -> Figure:
    """Return a coefficient of agreement, 1 - observed / expected disagreement, with its interval.

    When no item shows a disagreement there is no spread to resample. A share up to
    p = 1 - (1 - level)^(1/n) of all items may still be disagreed on, at most fully: the lower end
    is 1 - p / expected. It takes the expected disagreement as it was seen, so that it is a bound
    by rule and not an exact one.

    Args:
        parts: What each item adds to the sums, of shape (n, p).
        number: The coefficient.
        observed: The observed disagreement, in any unit.
        expected: The expected one, as a share of the largest that there can be.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.
    """
    n = len(parts)
    if not n or expected <= 0:
        return Figure(None, None, None, n, why=ONE_RATING if n else "no item was rated twice")
    if observed <= 0:
        if n < SMALLEST_SAMPLE:
            return Figure(1.0, None, None, n, why=_TOO_FEW)
        share = 1.0 - (1.0 - level) ** (1.0 / n)
        return Figure(1.0, max(-1.0, 1.0 - share / expected), 1.0, n, "bound")
    return figure_of_sums(
        parts, number, low=-1.0, high=1.0, level=level, resamples=resamples, seed=seed
    )


def figure_of_sums(
    parts: Floats,
    number: Number,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Figure:
    """Return a smooth number that is made of sums over items, with its studentised bootstrap.

    Item i moves the number by u_i = slopes . parts_i, so that its error e is
    sqrt(n / (n - 1) * sum (u_i - mean u)^2). Items are drawn again; each resample gives
    t* = (value* - value) / e*, and the ends are value - q e with q the upper and the lower quantile
    of t*. A resample may consist of nearly equal items: e* is never taken below e / 4.

    There is no interval with fewer than 5 items, when no item moves the number, and when it is
    undefined in more than 5 % of the resamples.

    Args:
        parts: What each item adds to the sums, of shape (n, p).
        number: The number and its slopes, as a function of the sums.
        low: The smallest value the number can take.
        high: The largest.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Efron (1981), "Nonparametric standard errors and confidence intervals"; Efron (1982), "The
        jackknife, the bootstrap and other resampling plans" (the infinitesimal jackknife).
    """
    n = len(parts)
    whole, slopes = number(parts.sum(axis=0))
    value = float(whole)
    if math.isnan(value):
        return Figure(None, None, None, n, why="undefined for these items")
    found = Figure(value, None, None, n)
    if n < SMALLEST_SAMPLE:
        return replace(found, why=_TOO_FEW)
    error = float(_errors(np.ones((1, n)), parts, slopes[None])[0])
    if error <= _ROUNDING:
        return replace(found, why="no item moves the number: no interval")
    drawn, errors = _resampled(parts, number, resamples, seed)
    known = np.isfinite(drawn) & np.isfinite(errors)
    if np.count_nonzero(known) < (1.0 - _MOST_UNDEFINED) * resamples:
        return replace(found, why="too often undefined when items are drawn again: no interval")
    t = np.sort((drawn[known] - value) / np.maximum(errors[known], _ERROR_FLOOR * error))
    tail = int(len(t) * (1.0 - level) / 2.0)
    start = max(low, value - float(t[len(t) - 1 - tail]) * error)
    end = min(high, value - float(t[tail]) * error)
    # A lop-sided sample can put every t* on one side; the value itself is always inside.
    return replace(found, low=min(start, value), high=max(end, value), method=_METHOD)


def grouped(parts: Floats, episodes: Ints | None) -> Floats:
    """Return the sums of `parts`, of shape (n, p), over the items of each episode."""
    if episodes is None:
        return np.asarray(parts, dtype=np.float64)
    if len(episodes) != len(parts):
        raise UsageError(f"Each of {len(parts)} items needs its episode, not {len(episodes)}.")
    names, places = np.unique(episodes, return_inverse=True)
    sums = np.zeros((len(names), parts.shape[1]))
    np.add.at(sums, places, parts)
    return sums


def _resampled(parts: Floats, number: Number, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return the number and its error in each resample, of shape (resamples,)."""
    rng = np.random.default_rng(seed)
    n = len(parts)
    width = max(1, _DRAWS_AT_ONCE // max(parts.shape))
    values, errors = [], []
    for start in range(0, resamples, width):
        rows = min(width, resamples - start)
        drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.reshape(-1), minlength=rows * n).reshape(rows, n)
        value, slopes = number(counts @ parts)
        values.append(value)
        errors.append(_errors(counts, parts, slopes))
    return np.concatenate(values), np.concatenate(errors)


def _errors(counts: Floats | Ints, parts: Floats, slopes: Floats) -> Floats:
    """Return the standard error of a number in each resample, from how items move it."""
    n = len(parts)
    with np.errstate(invalid="ignore"):  # undefined numbers have undefined slopes
        moves = slopes @ parts.T
        sums = (counts * moves).sum(axis=1)
        squares = (counts * moves**2).sum(axis=1)
        found: Floats = np.sqrt(np.maximum(squares - sums**2 / n, 0.0) * n / (n - 1))
    return found
