"""The whole way, counted in small and in large steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.passport.transforms import clock_of
from assay.errors import EpisodeError
from assay.records import Episode, Floats

__all__ = ["ScaleDrift"]

RATES = (1.0, 2.0, 5.0, 10.0)
"""Moments a second; those that the recording does not have are left out."""

_MOST_MOMENTS = 120


@dataclass(frozen=True)
class ScaleDrift(SingleCheck):
    """Judge at several sampling rates: what is gained in all must not depend on the rate."""

    rank: ClassVar[int] = 24
    limit: ClassVar[Limit] = Limit(0.05)
    span: ClassVar[tuple[float, float]] = (0.0, 2.0)
    wording: ClassVar[Wording] = Wording(
        title="scale drift",
        quantity="range of the accumulated progress over sampling rates",
        passed="Accumulated progress does not depend on the sampling rate.",
        failed="Accumulated progress depends on the sampling rate: state it with each figure.",
        warning="Its accumulated progress depends on the sampling rate.",
        matters=("mp", "ppl"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the range over the rates that fit the recording."""
        sums = [
            _accumulated(probe, material.whole, times) for times in _clocks(material.whole).values()
        ]
        if len(sums) < 2:
            raise EpisodeError("the recording has no two sampling rates to compare")
        least, most = min(sums), max(sums)
        more = {"least accumulated at a rate": least, "most accumulated at a rate": most}
        return {"value": most - least, "more": more}


def _clocks(episode: Episode) -> dict[float, Floats]:
    """Return the moments at each rate that the recording has, and that is not too long."""
    clocks = [view.frames.clock() for view in episode.views.values()]
    steps = [float(np.median(np.diff(clock))) for clock in clocks if len(clock) > 1]
    finest = 1.0 / max(steps) * 1.01 if steps else RATES[-1]
    found = {}
    for rate in RATES:
        if rate <= finest:
            try:
                times = clock_of(episode, rate, None)
            except EpisodeError:  # too short for this rate
                continue
            if len(times) <= _MOST_MOMENTS:
                found[rate] = times
    return found


def _accumulated(probe: Probe, episode: Episode, times: Floats) -> float:
    """Return last minus first: audits rest on the curve, whether or not the judge scores pairs."""
    values = probe.values(episode, times)
    return float(values[-1] - values[0])
