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
from assay.metrics.opd import opd
from assay.records import Episode, Floats

__all__ = ["ScaleDrift"]

RATES = (1.0, 2.0, 5.0, 10.0)
"""Moments a second; those that the recording does not have are left out."""

_MOST_MOMENTS = 120


@dataclass(frozen=True)
class ScaleDrift(SingleCheck):
    """Judge at several sampling rates: what accumulates must not depend on the rate.

    Last minus first would tell nothing of a judge of states: it has the same two ends at every
    rate, however much it trembles between them. What an audit makes of the whole curve does tell:
    MP, which steps that are counted too often drive up, and PPL, which divides by all ups and downs
    and so falls with every tremble that a finer rate adds.
    """

    rank: ClassVar[int] = 24
    limit: ClassVar[Limit] = Limit(0.05)
    wording: ClassVar[Wording] = Wording(
        title="scale drift",
        quantity="range of MP or of PPL over sampling rates, the larger",
        passed="Accumulated progress does not depend on the sampling rate.",
        failed="Accumulated progress depends on the sampling rate: state it with each figure.",
        warning="Its accumulated progress depends on the sampling rate.",
        matters=("mp", "ppl"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the larger of two ranges over the rates that fit the recording."""
        clocks = _clocks(material.whole).values()
        if len(clocks) < 2:
            raise EpisodeError("the recording has no two sampling rates to compare")
        both = [_accumulated(probe.values(material.whole, times)) for times in clocks]
        mp, ppl = (float(np.ptp(told)) for told in zip(*both, strict=True))
        return {"value": max(mp, ppl), "more": {"range of MP": mp, "range of PPL": ppl}}


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


def _accumulated(values: Floats) -> tuple[float, float]:
    """Return MP and PPL of a curve, of shape (T,)."""
    table = opd(values, np.array([0, len(values)]), epsilon=0.0)
    return float(table.mp[0]), float(table.ppl[0])
