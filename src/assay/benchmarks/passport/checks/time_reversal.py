"""A video that runs backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._drawing import curves
from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import OURS, Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.passport.transforms import backwards

__all__ = ["TimeReversal"]


@dataclass(frozen=True)
class TimeReversal(SingleCheck):
    """Run the episode backwards: its end shows the start and must score as the start did."""

    rank: ClassVar[int] = 11
    limit: ClassVar[Limit] = Limit(0.25, source=f"one of the four milestones of MC; {OURS}")
    wording: ClassVar[Wording] = Wording(
        title="time reversal",
        quantity="distance between the reversed end and the start, which show the same frame",
        passed="An episode that is undone loses its score.",
        failed="An episode that is undone keeps its score: order in time, or the distance from the"
        " first frame, counts for progress.",
        warning="It does not see progress being undone: its CRA and its end values are not"
        " evidence.",
        matters=("cra", "ppl", "success"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return how far the reversed end is from the start."""
        plain = probe.plain(material)
        shown, times = backwards(material.episode, material.times)
        turned = probe.values(shown, times)
        mirrored = float(np.mean(np.abs(turned[::-1] - plain)))
        return {
            "value": float(abs(turned[-1] - plain[0])),
            "more": {"mean distance from the mirrored curve": mirrored},
            "drawn": curves(
                material, as_recorded=(material.times, plain), backwards=(times, turned)
            ),
        }
