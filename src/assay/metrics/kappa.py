"""How far raters agree on categories, beyond what chance would give: Cohen's and Fleiss' kappa.

Each coefficient of agreement is 1 - observed / expected disagreement, and both are made of sums
over items. `figure_of_sums` gives the interval of any smooth number that is made of such sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.results import Floats, Ints

__all__ = [
    "ONE_RATING",
    "Number",
    "Weights",
    "chance_corrected",
    "cohen_kappa",
    "cohen_number",
    "figure_of_sums",
    "fleiss_kappa",
    "grouped",
    "weight_table",
]

_METHOD = "bootstrap-t"
_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} items: no interval"
ONE_RATING = "all ratings are alike: there is nothing to agree on"

Number: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""Takes sums over items, of shape (.., p), to a number, of shape (..), and its slope along each of
the sums, of shape (.., p); NaN where the number is undefined."""

Weights: TypeAlias = Literal["equal", "linear", "quadratic"]

_DRAWS_AT_ONCE = 1 << 18  # 2 MB of counts
_ERROR_FLOOR = 0.25  # of the sample's, as for means; see tests/proof/agreement_coverage.py
_MOST_UNDEFINED = 0.05  # of the resamples; leaving more out would tell of the others alone
_ROUNDING = 1e-9


def cohen_kappa(
    a: Ints,
    b: Ints,
    *,
    weights: Weights | Floats = "equal",
    episodes: Ints | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Figure:
    """Return Cohen's kappa of two raters with its interval.

    With w_ij the weight of the disagreement "i by the first, j by the second", p_ij the share of
    items rated so, and p_i., p_.j the shares of each rater's own ratings:
    kappa = 1 - sum w_ij p_ij / sum w_ij p_i. p_.j. It is 1 when the two agree on all items and 0
    when they agree as often as their habits alone would make them.

    Args:
        a: The category that the first rater gave each item, numbered from 0, of shape (n,).
        b: The one that the second rater gave it.
        weights: "equal" counts every disagreement as 1, "linear" as |i - j|, "quadratic" as
            (i - j)^2; or a table of one's own, of shape (K, K), 0 on its diagonal.
        episodes: Which episode each item belongs to, numbered from 0, of shape (n,): they are
            drawn together. None when every item is an episode of its own.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Cohen (1960), "A coefficient of agreement for nominal scales"; Cohen (1968), "Weighted
        kappa: nominal scale agreement with provision for scaled disagreement or partial credit".
    """
    a, b = _checked_labels(a), _checked_labels(b)
    if a.shape != b.shape:
        raise UsageError(f"Both raters need the same items, not {len(a)} and {len(b)}.")
    table = weight_table(weights, int(max(a.max(initial=0), b.max(initial=0))) + 1)
    own = np.eye(len(table))
    parts = np.concatenate([table[a, b][:, None], own[a], own[b]], axis=1)
    expected = float(own[a].mean(0) @ table @ own[b].mean(0)) if len(a) else 0.0
    return chance_corrected(
        grouped(parts, episodes),
        cohen_number(table),
        observed=float(table[a, b].sum()),
        expected=expected,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def fleiss_kappa(
    counts: Ints,
    *,
    episodes: Ints | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Figure:
    """Return Fleiss' kappa of several raters, the same number for each item, with its interval.

    Of the m (m - 1) ordered pairs of ratings of item i, sum_k n_ik (n_ik - 1) agree; P is the mean
    share of such pairs, p_k the share of all ratings that are k, and Q = sum_k p_k^2:
    kappa = (P - Q) / (1 - Q). The raters of one item need not be those of another.

    Args:
        counts: How many raters put each item into each category, of shape (n, K); all rows have
            the same sum m >= 2. Where ratings are missing, use Krippendorff's alpha.
        episodes: As in `cohen_kappa`.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Fleiss (1971), "Measuring nominal scale agreement among many raters".
    """
    counts = np.asarray(counts)
    if counts.ndim != 2 or (counts < 0).any():
        raise UsageError("Fleiss' kappa needs a table of counts, one row an item.")
    m = int(counts[0].sum()) if len(counts) else 2
    if m < 2 or (counts.sum(axis=1) != m).any():
        raise UsageError("Fleiss' kappa needs the same number of raters, 2 or more, for each item.")
    agreeing = (counts * (counts - 1)).sum(axis=1) / (m * (m - 1))
    parts = np.concatenate([1.0 - agreeing[:, None], counts], axis=1)
    shares = counts.sum(axis=0) / max(1, m * len(counts))

    def number(sums: Floats) -> tuple[Floats, Floats]:
        disagreement, own = sums[..., 0], sums[..., 1:]
        total = own.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = 1.0 / (total**2 - (own**2).sum(axis=-1))
            value = 1.0 - m * disagreement * total * apart
            outer = 2 * m * disagreement * total * apart**2
            along = (outer * total - m * disagreement * apart)[..., None] - outer[..., None] * own
            slopes = np.concatenate([(-m * total * apart)[..., None], along], axis=-1)
        return value, slopes

    return chance_corrected(
        grouped(parts, episodes),
        number,
        observed=float(np.sum(1.0 - agreeing)),
        expected=1.0 - float(np.sum(shares**2)),
        level=level,
        resamples=resamples,
        seed=seed,
    )


def cohen_number(table: Floats) -> Number:
    """Return Cohen's kappa as a number made of sums over items, for `table` of shape (K, K).

    The sums are the weighted disagreement and how often either rater used each of the categories:
    1 + K + K of them.
    """
    size = len(table)

    def number(sums: Floats) -> tuple[Floats, Floats]:
        disagreement, a, b = sums[..., 0], sums[..., 1 : size + 1], sums[..., size + 1 :]
        n, by_a, by_b = a.sum(axis=-1), a @ table, b @ table.T
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = 1.0 / (a * by_b).sum(axis=-1)
            value = 1.0 - disagreement * n * apart
            outer = (disagreement * n * apart**2)[..., None]
            along_a = outer * by_b - (disagreement * apart)[..., None]
            slopes = np.concatenate([(-n * apart)[..., None], along_a, outer * by_a], axis=-1)
        return value, slopes

    return number


def weight_table(weights: Weights | Floats, size: int) -> Floats:
    """Return how much each disagreement counts, of shape (K, K), the largest as 1; K >= `size`."""
    if isinstance(weights, str):
        apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
        power = {"equal": 0, "linear": 1, "quadratic": 2}.get(weights)
        if power is None:
            raise UsageError(f"Weights are equal, linear or quadratic, not {weights!r}.")
        table = np.where(apart > 0, apart**power, 0.0)
    else:
        table = np.asarray(weights, dtype=np.float64)
        square = table.ndim == 2 and table.shape[0] == table.shape[1] >= size
        if not square or not (table >= 0).all() or np.diag(table).any() or not table.any():
            raise UsageError(
                f"A table of weights needs a row and a column for each of {size} categories, 0 on"
                " its diagonal, nothing below 0 and something above it."
            )
    return table / max(float(table.max()), _ROUNDING)


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


def _checked_labels(labels: Ints) -> Ints:
    labels = np.asarray(labels)
    whole = np.issubdtype(labels.dtype, np.integer) or not labels.size
    if labels.ndim != 1 or not whole or (labels < 0).any():
        raise UsageError("Categories are whole numbers from 0, one for each item in a list.")
    return labels.astype(np.int64)
