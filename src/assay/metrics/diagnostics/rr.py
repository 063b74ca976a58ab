"""Add up all the steps backwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from assay.metrics.results import Floats

__all__ = ["RR"]


class RR:
    """Add up all the steps backwards.

    RR = sum of max(0, Phi_{t-1} - Phi_t).
    """

    title: ClassVar[str] = "regression rate"
    unit: ClassVar[str] = "progress"
    flaw: ClassVar[str] = "a loss that is made good counts like one that stays"

    def __call__(  # the contract's signature, so some arguments go unused
        self,
        values: Floats,
        *,
        epsilon: float,  # noqa: ARG002
        experts: Sequence[Floats] = (),  # noqa: ARG002
    ) -> float:
        """Return RR; `epsilon` and `experts` are not used."""
        return float(np.sum(np.maximum(-np.diff(values), 0.0)))
