"""The regression estimator: a mean from few dear values y and many cheap values f that go with it.

Of n episodes both are known, of N others only f. With b the slope of y on f over the n,

    mean     = mean of y + b (mean of f over all - mean of f over the n)
    variance = s2_e / n + b^2 s2_f / (n + N)

where s2_e is the variance of y around the line (n - 2 degrees of freedom) and s2_f that of f over
all. This is prediction-powered inference with power tuning, lambda = b N / (n + N), but for one
detail: there the variance of f inside b is taken over all episodes. Over the n alone b is exact as
soon as f is right up to its scale.

With tasks every mean is taken task by task and weighed by a task's share of the episodes; b is one
number for all tasks, fitted within them.

Cites:
    Cochran (1977), "Sampling techniques", chapters 7 and 12; Angelopoulos, Duchi and Zrnic (2023),
    "PPI++: efficient prediction-powered inference".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.metrics.results import Floats

__all__ = ["Draw", "Fit", "Stratum", "as_they_are", "draw_again", "regress"]

_DRAWS_AT_ONCE = 1 << 18  # 2 MB of counts
_ROUNDING = 1e-12  # of the variance of f: what is left of equal scores


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """One task.

    Attributes:
        y: Labels, of shape (n,), n >= 2.
        f: Scores of the same episodes, of shape (n,).
        g: Scores of the others, of shape (N,), N >= 1.
        weight: The task's share of all episodes.
    """

    y: Floats
    f: Floats
    g: Floats
    weight: float

    @property
    def reach(self) -> float:
        """Return N / (n + N), the factor that makes lambda of b."""
        return len(self.g) / (len(self.f) + len(self.g))

    @property
    def score_variance(self) -> float:
        """Return the variance of all scores."""
        return float(np.var(np.concatenate([self.f, self.g]), ddof=1))

    @property
    def terms(self) -> Floats:
        """Return y, f, yy, yf, ff of the labelled episodes, centred, of shape (n, 5)."""
        y, f = self.y - self.y.mean(), self.f - self.f.mean()
        return np.stack([y, f, y * y, y * f, f * f], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """What B resamples drew in one task.

    Attributes:
        sums: The sums of `Stratum.terms`, of shape (B, 5).
        errors: By how many standard errors the mean of the others is moved, of shape (B,).
    """

    sums: Floats
    errors: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What B resamples lead to; every array is of shape (B,).

    Attributes:
        mean: The mean of the labels over all episodes.
        variance: The variance of that mean.
        slope: b; 0 where the scores are all equal or not used.
    """

    mean: Floats
    variance: Floats
    slope: Floats


def as_they_are(parts: Sequence[Stratum]) -> list[Draw]:
    """Return the sample itself as the only draw."""
    return [Draw(part.terms.sum(axis=0, keepdims=True), np.zeros(1)) for part in parts]


def draw_again(parts: Sequence[Stratum], resamples: int, seed: int) -> list[Draw]:
    """Draw the labelled episodes of each task again, each with its label and its score.

    The others are many or matter little, so that their mean just moves by its normal error.
    """
    rng = np.random.default_rng(seed)
    found = []
    for part in parts:
        n, terms = len(part.y), part.terms
        sums = np.empty((resamples, terms.shape[1]))
        width = max(1, _DRAWS_AT_ONCE // n)
        for start in range(0, resamples, width):
            rows = min(width, resamples - start)
            places = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
            counts = np.bincount(places.reshape(-1), minlength=rows * n).reshape(rows, n)
            sums[start : start + rows] = counts.astype(np.float64) @ terms
        found.append(Draw(sums, rng.standard_normal(resamples)))
    return found


def regress(parts: Sequence[Stratum], draws: Sequence[Draw], *, is_assisted: bool = True) -> Fit:
    """Return mean, variance and slope of each draw.

    Args:
        parts: The tasks.
        draws: What was drawn in each of them.
        is_assisted: Whether the scores are used; if not b is 0 and what is left is the mean of y.
    """
    n = np.array([len(part.y) for part in parts], dtype=np.float64)
    weight, reach, spread, centre, apart = np.array(
        [(p.weight, p.reach, p.score_variance, p.y.mean(), p.g.mean() - p.f.mean()) for p in parts]
    ).T
    total = n / (1.0 - reach)
    sums = np.stack([draw.sums for draw in draws], axis=-1)  # (B, 5, tasks)
    y, f = sums[:, 0] / n, sums[:, 1] / n
    yy, yf, ff = sums[:, 2] - n * y * y, sums[:, 3] - n * y * f, sums[:, 4] - n * f * f
    share = weight**2 / (n * (n - 1))
    across, along = (share * yf).sum(axis=1), (share * ff).sum(axis=1)
    known = is_assisted & (along > _ROUNDING * (share * (n - 1) * spread).sum())
    slope = np.divide(across, along, where=known, out=np.zeros(len(along)))
    b = slope[:, None]
    rest = np.maximum(yy - 2 * b * yf + b * b * ff, 0.0)
    degrees = n.sum() - len(n)
    lost = degrees / max(degrees - 1.0, 1.0) if is_assisted else 1.0  # b takes one more
    variance = (lost * share * rest + weight**2 * b * b * spread / total).sum(axis=1)
    errors = np.stack([draw.errors for draw in draws], axis=-1)
    apart = apart + np.sqrt(spread / (total * reach)) * errors - f
    mean = (weight * (centre + y + b * reach * apart)).sum(axis=1)
    return Fit(mean, variance, slope)
