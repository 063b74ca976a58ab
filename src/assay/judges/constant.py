"""A null judge: one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges._null import NullJudge
from assay.records import Episode, Floats

__all__ = ["Constant"]


@dataclass(frozen=True)
class Constant(NullJudge):
    """Give every moment the same progress: a null judge.

    Attributes:
        value: The progress it gives.
    """

    value: float = 0.5

    def guess(self, episode: Episode, times: Floats) -> Floats:  # noqa: ARG002 - it sees nothing
        """Return the same number for each of `times`."""
        return np.full(len(times), self.value)
