"""Measure how abruptly the speed of progress changes."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats

__all__ = ["PJ"]


class PJ:
    """Measure how abruptly the speed of progress changes.

    With d_t = Phi_{t+1} - Phi_t: PJ = sum over t = 1 .. T-2 of |d_{t+1} - d_t| / (T - 2).
    The first change of speed, from d_0 to d_1, is left out. Undefined for T <= 2.
    """

    title: ClassVar[str] = "progress jerkiness"
    unit: ClassVar[str] = "progress per step"
    flaw: ClassVar[str] = "punishes a sharp but correct contact, and noise"

    def __call__(self, curve: Floats, _context: Context) -> float:
        """Return PJ, NaN for T <= 2."""
        changes = np.abs(np.diff(curve, n=2))[1:]
        return float(np.mean(changes)) if len(changes) else math.nan
