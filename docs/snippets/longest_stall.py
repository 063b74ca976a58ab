"""A diagnostic in one file: the longest time that nothing happened."""

from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context

__all__ = ["LongestStall"]


class LongestStall:
    """Find the longest stretch of steps below epsilon, as a share of the episode.

    With s_t = 1 where abs(Phi_t - Phi_{t-1}) < epsilon: the longest run of ones, divided by T.
    """

    title: ClassVar[str] = "longest stall"
    unit: ClassVar[str] = "share of the episode"
    flaw: ClassVar[str] = "one twitch cuts a stall in two"

    def __call__(self, curve: np.ndarray, context: Context) -> float:
        """Return the share; NaN for a single observation."""
        still = np.abs(np.diff(curve)) < context.epsilon
        if len(still) == 0:
            return float("nan")
        # Runs of ones lie between the zeros; the two borders count as zeros.
        zeros = np.flatnonzero(np.concatenate([[True], ~still, [True]]))
        return float(np.diff(zeros).max() - 1) / len(still)


if __name__ == "__main__":
    # 2 of 4 steps
    print(LongestStall()(np.array([0, 0.5, 0.5, 0.5, 1.0]), Context(epsilon=0.01)))
