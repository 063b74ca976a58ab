"""Measure how restless the curve is at its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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

    def __call__(  # the contract's signature, so some arguments go unused
        self,
        values: Floats,
        *,
        epsilon: float,  # noqa: ARG002
        experts: Sequence[Floats] = (),  # noqa: ARG002
    ) -> float:
        """Return CS; `epsilon` and `experts` are not used."""
        if len(values) <= self.window:
            return math.nan
        return float(np.var(values[-self.window - 1 :]))
