"""Measure how little the curve moves, as one over its total variation."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats

__all__ = ["PPE"]


class PPE:
    """Measure how little the curve moves, as one over its total variation.

    PPE = 1 / (sum |Phi_t - Phi_{t-1}| + epsilon); undefined when both terms are 0.
    """

    title: ClassVar[str] = "progress path efficiency"
    unit: ClassVar[str] = "1 / progress"
    flaw: ClassVar[str] = "largest for a robot that does nothing"

    def __call__(self, curve: Floats, context: Context) -> float:
        """Return PPE, NaN when it is undefined."""
        path = float(np.sum(np.abs(np.diff(curve)))) + context.epsilon
        return 1.0 / path if path > 0.0 else math.nan
