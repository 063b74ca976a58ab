"""Add up all the steps backwards."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats

__all__ = ["RR"]


class RR:
    """Add up all the steps backwards.

    RR = sum of max(0, Phi_{t-1} - Phi_t).
    """

    title: ClassVar[str] = "regression rate"
    unit: ClassVar[str] = "progress"
    flaw: ClassVar[str] = "a loss that is made good counts like one that stays"

    def __call__(self, curve: Floats, _context: Context) -> float:
        """Return RR."""
        return float(np.sum(np.maximum(-np.diff(curve), 0.0)))
