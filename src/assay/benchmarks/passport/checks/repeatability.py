"""The same question twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["Repeatability"]


@dataclass(frozen=True)
class Repeatability(SingleCheck):
    """Judge the same episode again: the answer must be the same."""

    rank: ClassVar[int] = 15
    limit: ClassVar[Limit] = Limit(0.01)
    wording: ClassVar[Wording] = Wording(
        title="repeatability",
        quantity="greatest change of a score when the same episode is judged again",
        passed="The same episode gets the same scores.",
        failed="The same episode gets other scores: one run of it is one draw among many.",
        warning="It answers differently each time: its figures are one draw among many.",
        matters=("mp", "ppl", "cra", "str"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the greatest difference between two curves."""
        again = probe.values(material.episode, material.times)
        return {"value": float(np.max(np.abs(again - probe.plain(material))))}
