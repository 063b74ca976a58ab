"""The same pair the other way round."""

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

__all__ = ["OrderSwap"]

_PAIRS = 12


@dataclass(frozen=True)
class OrderSwap(SingleCheck):
    """Show a pair in both orders: the answers must be each other's opposite."""

    rank: ClassVar[int] = 22
    limit: ClassVar[Limit] = Limit(0.05)
    span: ClassVar[tuple[float, float]] = (0.0, 2.0)
    wording: ClassVar[Wording] = Wording(
        title="order swap",
        quantity="mean |E(a,b) + E(b,a)| over pairs",
        passed="What is progress one way is regress the other way.",
        failed="The order of the two pictures sways it, whatever they show.",
        warning="The order in which pictures are shown sways it.",
        matters=(),  # audits rest on curves
    )

    def unfit(self, probe: Probe) -> str:
        """Pass over judges of states."""
        return "" if probe.hops else NO_PAIRS

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the mean of what both orders leave over."""
        pairs = Pairs(probe, material)
        both = [
            pairs.hop(a, b) + pairs.hop(b, a)
            for a, b in drawn_moments(material, _PAIRS, 2).tolist()
        ]
        return {"value": float(np.mean(np.abs(both)))}
