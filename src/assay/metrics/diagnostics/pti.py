"""Average the progress over the whole episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from assay.metrics.results import Floats

__all__ = ["PTI"]


class PTI:
    """Average the progress over the whole episode.

    PTI = mean of Phi_t over the T + 1 observations.
    """

    title: ClassVar[str] = "progress time integral"
    unit: ClassVar[str] = "progress"
    flaw: ClassVar[str] = "prefers early half-finished work to late success"

    def __call__(  # the contract's signature, so some arguments go unused
        self,
        values: Floats,
        *,
        epsilon: float,  # noqa: ARG002
        experts: Sequence[Floats] = (),  # noqa: ARG002
    ) -> float:
        """Return PTI; `epsilon` and `experts` are not used."""
        return float(np.mean(values))
