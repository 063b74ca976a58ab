"""Count the steps that clearly move forward."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats

__all__ = ["EAD"]


class EAD:
    """Count the steps that clearly move forward.

    EAD = share of the T steps with Phi_t - Phi_{t-1} > epsilon; undefined for T = 0.
    """

    title: ClassVar[str] = "effective action density"
    unit: ClassVar[str] = "share of steps"
    flaw: ClassVar[str] = "changes with the sampling rate"

    def __call__(self, curve: Floats, context: Context) -> float:
        """Return EAD, NaN for T = 0."""
        steps = np.diff(curve)
        return float(np.mean(steps > context.epsilon)) if len(steps) else math.nan
