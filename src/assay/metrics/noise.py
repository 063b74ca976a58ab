"""From the judge's noise to epsilon, the step size below which nothing has happened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from assay.errors import UsageError
from assay.metrics.results import Floats

__all__ = ["SMALLEST_EPSILON", "epsilon_from_noise", "noise_from_still"]

SMALLEST_EPSILON = 1e-9
"""Far above the rounding of a float in 0..1 (1e-16), far below any step that means something."""


def epsilon_from_noise(sigma: float, alpha: float = 0.01) -> float:
    """Return the step size that noise alone reaches with probability `alpha`.

    On a still scene the score is a constant plus independent noise N(0, sigma^2), so a step is
    N(0, 2 sigma^2) and epsilon = sqrt(2) * sigma * z(1 - alpha / 2).

    The scores of a judge without noise still carry the rounding of floats, and no step at all is
    smaller than 0. So epsilon is at least `SMALLEST_EPSILON`: a still robot counts as still.

    Args:
        sigma: Standard deviation of the judge's score on a still scene.
        alpha: Share of still steps that may look like movement.
    """
    if not (math.isfinite(sigma) and sigma >= 0.0):
        raise UsageError(f"The judge's noise must be a finite number of at least 0, not {sigma}.")
    if not 0.0 < alpha < 1.0:
        raise UsageError(f"alpha must lie between 0 and 1, not {alpha}.")
    epsilon = math.sqrt(2.0) * sigma * NormalDist().inv_cdf(1.0 - alpha / 2.0)
    return max(epsilon, SMALLEST_EPSILON)


def noise_from_still(segments: Sequence[Floats]) -> float:
    """Return the judge's noise from scores of still stretches.

    Each stretch has its own level, so the spread is taken within stretches (ddof 1) and pooled:
    sigma^2 = sum of (n_i - 1) s_i^2 / sum of (n_i - 1).

    Args:
        segments: Scores of each still stretch, of shape (n_i,).

    Raises:
        UsageError: There are fewer than 3 values, or too few of them share a stretch, or a
            value is not finite.
    """
    stretches = [np.asarray(segment, dtype=np.float64) for segment in segments]
    count = sum(len(stretch) for stretch in stretches)
    freedom = sum(len(stretch) - 1 for stretch in stretches if len(stretch))
    if count < 3 or freedom < 2:
        raise UsageError(
            f"Noise needs at least 3 scores of a still stretch, found {count} in "
            f"{len(stretches)} stretches."
        )
    if not all(np.isfinite(stretch).all() for stretch in stretches):
        raise UsageError("Noise can't be measured: a score of a still stretch is not a number.")
    squares = sum(float(np.sum((s - s.mean()) ** 2)) for s in stretches if len(s))
    return math.sqrt(squares / freedom)
