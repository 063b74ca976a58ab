"""One number for a whole curve, read off its end or its order."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import UsageError
from assay.metrics.results import Floats

__all__ = ["LAST_PART", "last_part", "value_order"]

LAST_PART = 0.3
"""The share of an episode's moments that its score is the mean of."""


def last_part(values: Floats, share: float = LAST_PART) -> float:
    """Return the mean of the last ceil(share * n) of n values, of at least one.

    It tells how an episode ended without hanging on its very last moment.

    Args:
        values: Progress at evenly spaced moments, of shape (n,); a NaN among the last makes NaN.
        share: Which part of the moments counts, in (0, 1].
    """
    if not 0.0 < share <= 1.0:
        raise UsageError(f"The last part must be a share above 0 and at most 1, not {share:g}.")
    if not len(values):
        return math.nan
    # 0.3 * 10 is 3.0000000000000004 in some orders of counting: a millionth is no moment.
    count = max(math.ceil(share * len(values) - 1e-6), 1)
    return float(np.mean(values[-count:]))


def value_order(values: Floats) -> float:
    """Return the rank correlation of `values`, of shape (n,), with their order in time, -1..1.

    It is NaN for fewer than two values, without any change, and where a value is missing. A plain
    clock scores 1 on every episode, failures included: read it only beside the null judges.
    """
    if len(values) < 2 or np.isnan(values).any() or np.ptp(values) == 0:
        return math.nan
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(values), np.arange(len(values)))[0, 1])
