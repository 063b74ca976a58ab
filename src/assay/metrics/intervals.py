"""Means and shares of episodes with their intervals, and with the unscored ones beside them."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from assay.errors import UsageError
from assay.metrics.results import Estimate, Floats

__all__ = [
    "SMALLEST_SAMPLE",
    "draw_counts",
    "estimate_mean",
    "estimate_share",
    "mean_interval",
    "share_interval",
]

SMALLEST_SAMPLE = 5
"""With fewer episodes there is no interval."""

_NONE_SCORED = "no scored episode"
_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} episodes: no interval"
_DRAWS_AT_ONCE = 1 << 18  # 2 MB of counts
_SD_FLOOR = 0.25  # of the sample's; chosen by coverage and width, see tests/proof/coverage.py


def mean_interval(
    values: Floats,
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[float, float | None, float | None, str]:
    """Return the mean of `values`, the ends of its interval and the method.

    The interval is the studentised bootstrap (bootstrap-t) over episodes. Each resample gives
    t* = (mean* - mean) / (sd* / sqrt(n)); the ends are mean - q * sd / sqrt(n), with q the upper
    and the lower quantile of t*, clipped to `low`..`high`. A resample may consist of nearly equal
    values, and t* would then be infinite: sd* is never taken below a quarter of the sample's sd.

    When all values are equal to v there is no spread to resample. If a share p of the population
    differs from v, n equal draws happen with probability (1 - p)^n; shares above
    p = 1 - (1 - level)^(1/n) make that less likely than 1 - level. The mean is then at worst
    (1 - p) v + p * low and at best (1 - p) v + p * high: these are the ends. In a range without
    ends nothing bounds the mean.

    The ends are None, and the method is "", with fewer than 5 values and with equal values in a
    range that is open to a side.

    Args:
        values: One value per episode, of shape (n,), n >= 1.
        low: The smallest value the metric can take, or -inf.
        high: The largest value the metric can take, or inf.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Efron (1981), "Nonparametric standard errors and confidence intervals"; Hall (1988),
        "Theoretical comparison of bootstrap confidence intervals".
    """
    values = _checked(values, low, high)
    n, mean = len(values), float(np.mean(values))
    if n < SMALLEST_SAMPLE:
        return mean, None, None, ""
    is_bounded = math.isfinite(high - low)
    spread = float(np.ptp(values))
    scale = high - low if is_bounded else float(np.max(np.abs(values)))
    # A spread this small is rounding: PPL itself is only good to delta = 1e-8.
    if spread <= 1e-9 * scale:
        if not is_bounded:
            return mean, None, None, ""
        p = 1.0 - (1.0 - level) ** (1.0 / n)
        return mean, mean - (mean - low) * p, mean + (high - mean) * p, "exact bound"
    # In units of the spread, so that squares of very small or large values stay in range.
    centred = (values - mean) / spread
    t = np.sort(_bootstrap_t(centred, resamples, seed))
    tail = int(resamples * (1.0 - level) / 2.0)
    error = spread * float(np.std(centred, ddof=1)) / math.sqrt(n)
    start = max(low, mean - float(t[resamples - 1 - tail]) * error)
    end = min(high, mean - float(t[tail]) * error)
    # A lop-sided sample can put every t* on one side; the mean itself is always inside.
    return mean, min(start, mean), max(end, mean), "bootstrap-t"


def share_interval(
    successes: int, n: int, level: float = 0.95
) -> tuple[float, float | None, float | None, str]:
    """Return the share `successes` / `n`, the ends of its Wilson interval and the method.

    The ends are the two p that solve (share - p)^2 = z^2 p (1 - p) / n. With n < 5 they are None.

    Cites:
        Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    if n < 1 or not 0 <= successes <= n:
        raise UsageError(f"A share needs 0 to n successes and n >= 1, not {successes} of {n}.")
    share = successes / n
    if n < SMALLEST_SAMPLE:
        return share, None, None, ""
    z2 = NormalDist().inv_cdf(0.5 + level / 2.0) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * share * (1 - share) / n + (z2 / (2 * n)) ** 2) / (1 + z2 / n)
    # The ends touch the share exactly at 0 and n successes; rounding must not move them past it.
    return share, max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share)), "wilson"


def estimate_mean(
    values: Floats,
    unscored: int = 0,
    *,
    worst_value: float = 0.0,
    best_value: float = 1.0,
    level: float = 0.95,
    seed: int = 0,
    with_sd: bool = False,
) -> Estimate:
    """Return the mean over scored episodes, its interval, and what the unscored could make of it.

    Args:
        values: The metric of each scored episode, of shape (n,); no NaN.
        unscored: How many episodes have no value.
        worst_value: What an unscored episode counts in `worst` (1 for CRA and STR).
        best_value: What it counts in `best` (0 for CRA and STR).
        level: The wanted coverage.
        seed: Seed of the bootstrap.
        with_sd: Whether to report the standard deviation over episodes too.
    """
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    total = float(np.sum(values))
    worst, best = _with_unscored(total, n, unscored, worst_value, best_value)
    if n == 0:
        return Estimate(None, None, None, 0, worst, best, _NONE_SCORED)
    bounds = sorted((worst_value, best_value))
    mean, low, high, method = mean_interval(
        values, low=bounds[0], high=bounds[1], level=level, seed=seed
    )
    sd = float(np.std(values, ddof=1)) if with_sd and n > 1 else None
    return Estimate(mean, low, high, n, worst, best, None if method else _TOO_FEW, method, sd)


def estimate_share(successes: int, n: int, unscored: int = 0, *, level: float = 0.95) -> Estimate:
    """Return the share of `n` scored episodes, its interval, and the reach of the unscored ones."""
    worst, best = _with_unscored(float(successes), n, unscored, 0.0, 1.0)
    if n == 0:
        return Estimate(None, None, None, 0, worst, best, _NONE_SCORED)
    share, low, high, method = share_interval(successes, n, level)
    return Estimate(share, low, high, n, worst, best, None if method else _TOO_FEW, method)


def _bootstrap_t(centred: Floats, resamples: int, seed: int) -> Floats:
    """Return t* of each resample of the `centred` values (mean 0), of shape (resamples,)."""
    n = len(centred)
    powers = np.stack([centred, centred**2], axis=1)
    width = max(1, _DRAWS_AT_ONCE // n)
    parts = [
        draw_counts(n, min(width, resamples - start), (seed, start)) @ powers
        for start in range(0, resamples, width)
    ]
    sums, squares = np.concatenate(parts).T
    variance = (squares - sums**2 / n) / (n - 1)
    floor = _SD_FLOOR * float(np.std(centred, ddof=1))
    t: Floats = sums / np.sqrt(n * np.maximum(variance, floor**2))
    return t


@lru_cache(maxsize=16)  # cells mostly share n, and each has several metrics; at most 32 MB
def draw_counts(n: int, width: int, seed: tuple[int, ...]) -> Floats:
    """Return how often each of `n` units is drawn in `width` resamples, of shape (width, n)."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, n, (width, n)) + n * np.arange(width)[:, None]
    counts = np.bincount(drawn.reshape(-1), minlength=width * n)
    return counts.reshape(width, n).astype(np.float64)


def _with_unscored(
    total: float, n: int, unscored: int, worst_value: float, best_value: float
) -> tuple[float | None, float | None]:
    """Return the mean with the worst and the best value put in for each unscored episode."""
    everyone = n + unscored
    if everyone == 0:
        return None, None
    return (
        (total + unscored * worst_value) / everyone,
        (total + unscored * best_value) / everyone,
    )


def _checked(values: Floats, low: float, high: float) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise UsageError(f"A mean needs a list of at least one value, not shape {values.shape}.")
    if not ((values >= low) & (values <= high) & np.isfinite(values)).all():
        raise UsageError(
            f"A mean needs finite values in {low:g}..{high:g}; one is outside, infinite or NaN."
        )
    return values
