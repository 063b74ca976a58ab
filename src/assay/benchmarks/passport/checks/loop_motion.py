"""A video that runs to its end and back."""

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
from assay.benchmarks.passport.transforms import looped

__all__ = ["LoopMotion"]


@dataclass(frozen=True)
class LoopMotion(SingleCheck):
    """Run the episode forward and back: it ends where it began, and so must the score."""

    rank: ClassVar[int] = 12
    limit: ClassVar[Limit] = Limit(0.10)
    wording: ClassVar[Wording] = Wording(
        title="loop motion",
        quantity="distance between the two ends of a loop, which show the same frame",
        passed="Going there and back earns nothing.",
        failed="Going there and back changes the score: motion counts for progress.",
        warning="Motion that leads nowhere moves it: its PPL and CRA are not evidence.",
        matters=("ppl", "cra"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the distance between the first and the last score of the loop."""
        shown, times = looped(material.episode, material.times)
        values = probe.values(shown, times)
        there, back = values[: len(material.times)], values[len(material.times) - 1 :][::-1]
        return {
            "value": float(abs(values[-1] - values[0])),
            "more": {"mean distance between way and way back": np.mean(np.abs(there - back))},
            "drawn": curves(material, there_and_back=(times, values)),
        }
