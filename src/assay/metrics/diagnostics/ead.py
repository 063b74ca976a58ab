"""Count the steps that clearly move forward."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from assay.metrics.results import Floats

__all__ = ["EAD"]


class EAD:
    """Count the steps that clearly move forward.

    EAD = share of the T steps with Phi_t - Phi_{t-1} > epsilon; undefined for T = 0.
    """

    title: ClassVar[str] = "effective action density"
    unit: ClassVar[str] = "share of steps"
    flaw: ClassVar[str] = "changes with the sampling rate"

    def __call__(  # the contract's signature, so some arguments go unused
        self,
        values: Floats,
        *,
        epsilon: float,
        experts: Sequence[Floats] = (),  # noqa: ARG002
    ) -> float:
        """Return EAD; `experts` are not used."""
        steps = np.diff(values)
        return float(np.mean(steps > epsilon)) if len(steps) else math.nan
