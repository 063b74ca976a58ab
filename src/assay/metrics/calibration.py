"""What a judge says against what is so, by tenths of what it says."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.metrics.results import Floats

__all__ = ["TENTHS", "Tenth", "mean_tenths", "sum_tenths"]

TENTHS = 10


@dataclass(frozen=True, slots=True)
class Tenth:
    """The moments that a judge puts into one tenth of the scale.

    Attributes:
        told: The mean of what the judge says of them.
        truth: The mean of what is so.
        sd: The standard deviation of what is so, over these moments.
        n: How many they are, at least 1.
    """

    told: float
    truth: float
    sd: float
    n: int


def sum_tenths(told: Floats, truth: Floats) -> Floats:
    """Return count, sum of told, of truth and of its square in each tenth, of shape (10, 4).

    Tenth k holds k/10 <= told < (k + 1)/10; the last one holds 1, too. The sums of several episodes
    may be added.

    Args:
        told: What the judge says, of shape (n,), in 0..1.
        truth: What is so, of shape (n,); moments of which nobody knows are NaN and left out.
    """
    known = ~np.isnan(truth)
    told, truth = told[known], truth[known]
    place = np.clip((told * TENTHS).astype(np.int64), 0, TENTHS - 1)
    weights = (np.ones(len(told)), told, truth, truth**2)
    return np.stack([np.bincount(place, own, TENTHS) for own in weights], axis=1)


def mean_tenths(sums: Floats) -> tuple[Tenth, ...]:
    """Return the tenths that hold any moment, lowest first, from what `sum_tenths` returned."""
    found = []
    for n, told, truth, squares in np.asarray(sums, dtype=np.float64).tolist():
        if n:
            # Rounding can leave the variance of equal values a little below zero.
            variance = max(0.0, squares / n - (truth / n) ** 2)
            found.append(Tenth(told / n, truth / n, math.sqrt(variance), int(n)))
    return tuple(found)
