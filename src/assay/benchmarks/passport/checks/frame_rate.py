"""The same video with half the frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import OURS, Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.passport.transforms import thinned

__all__ = ["FrameRate"]


@dataclass(frozen=True)
class FrameRate(SingleCheck):
    """Leave out every second frame: the others must keep their scores."""

    rank: ClassVar[int] = 13
    limit: ClassVar[Limit] = Limit(0.05, source=f"half of what image noise may do; {OURS}")
    wording: ClassVar[Wording] = Wording(
        title="frame-rate change",
        quantity="mean change of a score when every second frame is left out",
        passed="Scores can be compared between recordings of other frame rates.",
        failed="Scores depend on how many frames are shown: compare only equal frame rates.",
        warning="Its scores depend on the frame rate: compare only recordings of the same rate.",
        matters=("mp", "ppl", "cra", "str"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the mean change at the moments that stay."""
        shown, times = thinned(material.episode, material.times)
        change = np.abs(probe.values(shown, times) - probe.plain(material)[::2])
        return {
            "value": float(np.mean(change)),
            "more": {"greatest change in an episode": float(change.max())},
        }
