"""Two steps against the one that spans both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._pairs import NO_PAIRS, PairCheck, Pairs, drawn_moments
from assay.benchmarks.passport.checks._single import Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["MacroResidual"]

TOLERANCE = 0.05
_TRIPLES = 10


@dataclass(frozen=True)
class MacroResidual(PairCheck):
    """Compare where E(a,c) leads with where E(a,b), then E(b,c) lead: both must be the same.

    A hop is a share of what is left, or of what was done, so hops are composed and not added.
    """

    rank: ClassVar[int] = 21
    limit: ClassVar[Limit] = Limit(TOLERANCE)
    wording: ClassVar[Wording] = Wording(
        title="macro residual",
        quantity="mean distance between where one step leads and where the same way in two does",
        passed="Its steps lead where the whole does.",
        failed="Its steps don't lead where the whole does: don't chain its answers to pairs.",
        warning="Its answers to pairs can't be chained.",
        matters=(),  # no report chains answers; judges that do are told by `PairCheck`
    )

    def unfit(self, probe: Probe) -> str:
        """Pass over judges of states."""
        if probe.hops:
            return ""
        return f"{NO_PAIRS}: its progress is a difference, which adds up by construction"

    def value(self, probe: Probe, material: Material) -> Finding:
        """Return the mean residual over drawn triples."""
        pairs, values = Pairs(probe, material), probe.plain(material)
        found = np.abs(
            [
                _led(values[a], pairs.hop(a, c)) - _led(values[a], pairs.hop(a, b), pairs.hop(b, c))
                for a, b, c in drawn_moments(material, _TRIPLES, 3).tolist()
            ]
        )
        share = float(np.mean(found > TOLERANCE))
        return {
            "value": float(np.mean(found)),
            "more": {
                "greatest triple of an episode": float(found.max()),
                "share of triples above the limit": share,
            },
        }


def _led(progress: float, *hops: float) -> float:
    """Return where `hops` lead from `progress`: each takes a share of what is left, or was done."""
    for hop in hops:
        progress += hop * (1.0 - progress if hop >= 0 else progress)
    return progress
