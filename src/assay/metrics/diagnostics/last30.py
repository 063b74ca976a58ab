"""Average the progress over the last 30 % of the moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.metrics.diagnostics.base import Context
from assay.metrics.results import Floats
from assay.metrics.tails import LAST_PART, last_part

__all__ = ["Last30"]


@dataclass(frozen=True, slots=True)
class Last30:
    """Average the progress over the last 30 % of the moments.

    The mean of the last ceil(0.3 (T + 1)) observations, of at least one.

    Attributes:
        share: Which part of the moments counts, in (0, 1].
    """

    title: ClassVar[str] = "progress of the last 30 %"
    unit: ClassVar[str] = "progress"
    flaw: ClassVar[str] = "changes with how long the robot waits at the end"

    share: float = LAST_PART

    def __call__(self, curve: Floats, _context: Context) -> float:
        """Return the mean of the last part."""
        return last_part(curve, self.share)
