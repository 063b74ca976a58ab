"""A null judge: the clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges._null import NullJudge
from assay.records import Episode, Floats

__all__ = ["Ramp"]


@dataclass(frozen=True)
class Ramp(NullJudge):
    """Let progress follow the clock from 0 to 1: a null judge."""

    def guess(self, episode: Episode, times: Floats) -> Floats:  # noqa: ARG002 - it sees nothing
        """Return the elapsed share of the episode."""
        span = times[-1] - times[0]
        return (times - times[0]) / span if span > 0 else np.zeros(len(times))
