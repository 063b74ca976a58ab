"""Two steps against the one that spans both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._pairs import NO_PAIRS, Pairs, drawn_moments
from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["MacroResidual"]

TOLERANCE = 0.05
_TRIPLES = 10


@dataclass(frozen=True)
class MacroResidual(SingleCheck):
    """Compare E(a,c) with E(a,b) + E(b,c): a judge of pairs must add up."""

    rank: ClassVar[int] = 21
    limit: ClassVar[Limit] = Limit(TOLERANCE)
    span: ClassVar[tuple[float, float]] = (0.0, 3.0)
    wording: ClassVar[Wording] = Wording(
        title="macro residual",
        quantity="mean |E(a,c) - E(a,b) - E(b,c)| over triples",
        passed="Its steps add up to the whole.",
        failed="Its steps don't add up to the whole: the way an episode is cut decides its score.",
        warning="Its steps don't add up: sums of them depend on the sampling.",
        matters=("mp", "ppl", "cra"),
    )

    def unfit(self, probe: Probe) -> str:
        """Pass over judges of states."""
        if probe.hops:
            return ""
        return f"{NO_PAIRS}: its progress is a difference, which adds up by construction"

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the mean residual over drawn triples."""
        pairs = Pairs(probe, material)
        found = np.abs(
            [
                pairs.hop(a, c) - pairs.hop(a, b) - pairs.hop(b, c)
                for a, b, c in drawn_moments(material, _TRIPLES, 3).tolist()
            ]
        )
        share = float(np.mean(found > TOLERANCE))
        return {
            "value": float(np.mean(found)),
            "more": {"greatest in an episode": found.max(), f"share above {TOLERANCE}": share},
        }
