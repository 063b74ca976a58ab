"""Average the progress over the whole episode."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats

__all__ = ["PTI"]


class PTI:
    """Average the progress over the whole episode.

    PTI = mean of Phi_t over the T + 1 observations.
    """

    title: ClassVar[str] = "progress time integral"
    unit: ClassVar[str] = "progress"
    flaw: ClassVar[str] = "prefers early half-finished work to late success"

    def __call__(self, curve: Floats, _context: Context) -> float:
        """Return PTI."""
        return float(np.mean(curve))
