"""A video in which nothing happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._drawing import curves
from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.passport.transforms import still

__all__ = ["StaticVideo"]


@dataclass(frozen=True)
class StaticVideo(SingleCheck):
    """Show the middle frame all the time: the score must stay where it is."""

    rank: ClassVar[int] = 10
    limit: ClassVar[Limit] = Limit(0.10)
    wording: ClassVar[Wording] = Wording(
        title="static video",
        quantity="range of the score while one frame is shown",
        passed="When nothing moves, the score stays: it does not follow the clock.",
        failed="The score moves although nothing does: part of it is the clock or noise.",
        warning="It moves on a still video: its STR and MP are not evidence.",
        matters=("str", "mp", "ppl", "cra"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the range of the curve over the frozen episode."""
        times = material.times
        shown = still(material.episode, times, float(times[len(times) // 2]))
        values = probe.values(shown, times)
        return {
            "value": float(np.ptp(values)),
            "more": {"rise from first to last": float(values[-1] - values[0])},
            "drawn": curves(
                material, as_recorded=(times, probe.plain(material)), standing_still=(times, values)
            ),
        }
