"""Draw, flip and swap what belongs together: the engine behind intervals and tests of differences.

Episodes of one cluster (a scene, a training seed) are not independent, so a cluster is drawn as a
whole: it is a unit. Units are drawn within their block, which mostly is a task (see `strata`). With
w the weight of a value and W_g the sum of the weights in block g, the mean is the sum over blocks
of W_g * (sum w x) / (sum w).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.metrics.intervals import draw_counts
from assay.metrics.results import Floats, Ints

__all__ = ["Ends", "Units", "added", "bootstrap_t", "spread", "unseen"]

_SD_FLOOR = 0.25  # of the sample's, as in `intervals`; see tests/proof/coverage.py
_ROUNDING = 1e-9  # of the range: a spread this small is none
_DRAWS_AT_ONCE = 1 << 18  # 2 MB of counts


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn as a whole, each with the sums over its values.

    Attributes:
        sums: Sum of weight times value, of shape (G,).
        weights: Sum of weights, of shape (G,).
        blocks: The block of each, numbered from 0, of shape (G,).
    """

    sums: Floats
    weights: Floats
    blocks: Ints

    @classmethod
    def of(cls, values: Floats, weights: Floats, clusters: Ints, blocks: Ints) -> Units:
        """Add up the values of each cluster; all arguments are of shape (n,)."""
        count = int(clusters.max()) + 1
        home = np.zeros(count, dtype=np.int64)
        home[clusters] = blocks
        return cls(added(clusters, weights * values), added(clusters, weights), home)

    def __len__(self) -> int:
        return len(self.sums)

    @property
    def total(self) -> float:
        """Return the weighted sum of all values: their mean where weights add up to 1."""
        return float(np.sum(self.sums))

    @property
    def means(self) -> Floats:
        """Return the weighted mean of each block, of shape (blocks,)."""
        found: Floats = added(self.blocks, self.sums) / self.shares
        return found

    @property
    def shares(self) -> Floats:
        """Return the sum of the weights of each block, of shape (blocks,)."""
        return added(self.blocks, self.weights)

    @property
    def sizes(self) -> Ints:
        """Return the number of units of each block, of shape (blocks,)."""
        return np.bincount(self.blocks).astype(np.int64)

    def centred(self) -> Units:
        """Return the units with the mean of the block taken from every value."""
        return Units(self.sums - self.means[self.blocks] * self.weights, self.weights, self.blocks)


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of an interval and how they were found; None and "" when there is none."""

    low: float | None
    high: float | None
    method: str = ""


def added(places: Ints, values: Floats) -> Floats:
    """Return the sum of the values at each place, of shape (largest place + 1,)."""
    return np.bincount(places, values).astype(np.float64)


def spread(*arms: Units) -> tuple[float, float]:
    """Return the squared standard error of the arms' sum or difference, and its freedom.

    se^2 is the sum over arms and blocks of v = G / (G - 1) * sum u^2, with u = sum w (x - block
    mean) of each of the block's G units. The degrees of freedom are Satterthwaite's,
    (sum v)^2 / sum (v^2 / (G - 1)). Blocks of a single unit count nothing.
    """
    sizes = np.concatenate([arm.sizes for arm in arms])
    squares = np.concatenate([added(arm.blocks, arm.centred().sums ** 2) for arm in arms])
    freedoms = np.maximum(sizes - 1, 1)
    parts = np.where(sizes > 1, squares * sizes / freedoms, 0.0)
    total = float(np.sum(parts))
    if total <= 0.0:
        return 0.0, 1.0
    return total, 1.0 / float(np.sum((parts / total) ** 2 / freedoms))


def bootstrap_t(
    arms: Sequence[Units],
    bounds: tuple[float, float],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> Ends:
    """Return the interval of the mean of one arm, or of the first arm's mean less the second's.

    Each resample gives t* = (mean* - mean) / se*, and the ends are mean - q * se with q the upper
    and the lower quantile of t*. se* is never taken below a quarter of se. No arm of the interval
    is shorter than Student's: when both policies fail rarely, the sample at hand has its failures
    mostly on one side, and the bootstrap alone takes that for the truth (0.87 coverage at n = 20).
    Means of values without spread count by the exact bound of `intervals.mean_interval`, and the
    ends are clipped to the possible range.

    Args:
        arms: One or two, each with weights that add up to 1.
        bounds: The smallest and the largest possible value.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Hall (1988), "Theoretical comparison of bootstrap confidence intervals"; Cameron, Gelbach
        and Miller (2008), "Bootstrap-based improvements for inference with clustered errors";
        Zou and Donner (2008), "Construction of confidence limits about effect measures".
    """
    low, high = bounds
    signed = list(zip((1, -1), arms, strict=False))
    mean = sum(sign * arm.total for sign, arm in signed)
    flat = [pair for pair in signed if _is_flat(pair[1], bounds)]
    is_closed = math.isfinite(high - low)
    floor, ceiling = (low, high) if len(signed) == 1 else (low - high, high - low)
    if len(flat) == len(signed):
        if not is_closed:
            return Ends(None, None)
        below, above = _bound(flat, bounds, level)
        return Ends(max(floor, mean - below), min(ceiling, mean + above), "exact bound")
    below, above = _reach(signed, level, resamples, seed)
    if flat and is_closed:
        # An arm without spread is not known without error: its bound is squared and added.
        still_below, still_above = _bound(flat, bounds, level)
        below, above = math.hypot(below, still_below), math.hypot(above, still_above)
    return Ends(max(floor, mean - below), min(ceiling, mean + above), "bootstrap-t")


def unseen(reaches: Floats, sizes: Ints, level: float) -> float:
    """Return how far a mean may lie from what was seen, when every block showed no spread.

    A share p_g of block g may differ from what its n_g units showed; none of them shows it with
    probability prod (1 - p_g)^n_g. Shares that make this less likely than 1 - level are excluded.
    The mean then moves at most by max sum p_g r_g, where r_g is what the block's mean would lose if
    all of it differed. At the maximum 1 - p_g = min(1, c n_g / r_g). One block gives
    p = 1 - (1 - level)^(1 / n).

    Args:
        reaches: r_g >= 0, of shape (B,).
        sizes: n_g >= 1, of shape (B,).
        level: The wanted coverage.
    """
    kept = np.ones_like(reaches)
    open_ = reaches > 0
    while open_.any():
        n, ratio = sizes[open_], np.log(sizes[open_] / reaches[open_])
        c = (math.log(1.0 - level) - float(np.sum(n * ratio))) / float(np.sum(n))
        kept[open_] = np.exp(np.minimum(c + ratio, 0.0))
        over = c + ratio > 0.0
        if not over.any():
            break
        open_[np.flatnonzero(open_)[over]] = False
    return float(np.sum((1.0 - kept) * reaches))


def _is_flat(units: Units, bounds: tuple[float, float]) -> bool:
    """Return whether the units of each block have one and the same mean, but for rounding."""
    apart = np.abs(units.centred().sums / units.weights)
    scale = bounds[1] - bounds[0]
    if not math.isfinite(scale):
        scale = float(np.max(np.abs(units.sums / units.weights)))
    return bool(np.max(apart) <= _ROUNDING * scale)


def _bound(
    signed: Sequence[tuple[int, Units]], bounds: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return how far down and up the difference of arms without spread may lie."""
    low, high = bounds
    sizes = np.concatenate([arm.sizes for _, arm in signed])
    falls = [arm.shares * (arm.means - low) for _, arm in signed]
    rises = [arm.shares * (high - arm.means) for _, arm in signed]
    moves = list(zip((sign for sign, _ in signed), falls, rises, strict=True))
    down = np.concatenate([fall if sign > 0 else rise for sign, fall, rise in moves])
    up = np.concatenate([rise if sign > 0 else fall for sign, fall, rise in moves])
    # Rounding can put a mean a little outside the range.
    return (
        unseen(np.maximum(down, 0.0), sizes, level),
        unseen(np.maximum(up, 0.0), sizes, level),
    )


def _reach(
    signed: Sequence[tuple[int, Units]], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Return how far the interval reaches down and up from the mean."""
    from scipy.special import stdtrit

    variance, freedom = spread(*(arm for _, arm in signed))
    shift, drawn = np.zeros(resamples), np.zeros(resamples)
    error = math.sqrt(variance)
    for place, (sign, arm) in enumerate(signed):
        moved, squares = _resampled(arm, error, resamples, seed + place)
        shift, drawn = shift + sign * moved, drawn + squares
    t = np.sort(shift / np.sqrt(np.maximum(drawn, _SD_FLOOR**2)))
    tail = int(resamples * (1.0 - level) / 2.0)
    student = float(stdtrit(freedom, 0.5 + level / 2.0))
    return (
        error * max(student, float(t[resamples - 1 - tail])),
        error * max(student, -float(t[tail])),
    )


def _resampled(units: Units, error: float, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return mean* - mean and se*^2 of each resample, in units of `error` and its square."""
    shift, variance = np.zeros(resamples), np.zeros(resamples)
    flat = units.centred()
    for block, (size, share) in enumerate(zip(units.sizes.tolist(), units.shares, strict=True)):
        own = units.blocks == block
        x, w = flat.sums[own] / error, flat.weights[own] / share
        sums = _drawn(np.stack([x, w, x * x, x * w, w * w], axis=1), resamples, (seed, block))
        moved = sums[:, 0] / sums[:, 1]
        squares = sums[:, 2] - 2.0 * moved * sums[:, 3] + moved**2 * sums[:, 4]
        shift += moved
        if size > 1:
            variance += np.maximum(squares, 0.0) / sums[:, 1] ** 2 * size / (size - 1)
    return shift, variance


def _drawn(columns: Floats, resamples: int, seed: tuple[int, int]) -> Floats:
    """Return the sums of each resample of the rows of `columns`, of shape (resamples, columns)."""
    n = len(columns)
    width = max(1, _DRAWS_AT_ONCE // n)
    parts = [
        draw_counts(n, min(width, resamples - start), (*seed, start)) @ columns
        for start in range(0, resamples, width)
    ]
    return np.concatenate(parts)
