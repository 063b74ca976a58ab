"""Measure whether progress rises with time."""

from __future__ import annotations

from typing import ClassVar

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats
from assay.metrics.tails import value_order

__all__ = ["VOC"]


class VOC:
    """Measure whether progress rises with time.

    VOC = Spearman's rank correlation of Phi_t with t; undefined for a curve that never changes.
    """

    title: ClassVar[str] = "value-order correlation"
    unit: ClassVar[str] = "correlation"
    flaw: ClassVar[str] = "a plain clock scores 1 on every episode"

    def __call__(self, curve: Floats, _context: Context) -> float:
        """Return VOC, NaN where nothing changes."""
        return value_order(curve)
