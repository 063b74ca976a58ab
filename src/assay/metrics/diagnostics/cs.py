"""Measure how restless the curve is at its end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats

__all__ = ["CS"]


@dataclass(frozen=True, slots=True)
class CS:
    """Measure how restless the curve is at its end.

    CS = variance (ddof 0) of the last K + 1 observations; undefined for T < K.

    Attributes:
        window: K, the number of steps looked back on.
    """

    title: ClassVar[str] = "convergence stability"
    unit: ClassVar[str] = "progress squared"
    flaw: ClassVar[str] = "changes with when the episode is cut off"

    window: int = 4

    def __call__(self, curve: Floats, _context: Context) -> float:
        """Return CS, NaN for T < K."""
        if len(curve) <= self.window:
            return math.nan
        return float(np.var(curve[-self.window - 1 :]))
