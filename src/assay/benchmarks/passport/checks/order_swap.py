"""The same pair the other way round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._pairs import NO_PAIRS, PairCheck, Pairs, drawn_moments
from assay.benchmarks.passport.checks._single import Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import PAIRS, Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["OrderSwap"]

_PAIRS = 12
_ZERO = 0.001  # a thousandth of the task is nothing to every report


@dataclass(frozen=True)
class OrderSwap(PairCheck):
    """Show a pair in both orders: what is a gain one way must be a loss the other way.

    Only signs are compared. A gain is a share of what was left and a loss a share of what was done,
    so the two answers are opposite in sign and need not be equal in size: of a task that goes from
    20 to 60 %, the hop is 1/2 forward and -2/3 back. Two answers that are both 0, to a thousandth,
    agree as well.
    """

    rank: ClassVar[int] = 22
    limit: ClassVar[Limit] = Limit(0.05)
    wording: ClassVar[Wording] = Wording(
        title="order swap",
        quantity="share of pairs whose answer keeps its sign when the pictures are swapped",
        passed="What is a gain one way is a loss the other way; sizes are not compared.",
        failed="The order of the two pictures sways it: both ways it sees a gain, or a loss.",
        warning="The order in which pictures are shown sways it.",
        matters=(PAIRS,),
    )

    def unfit(self, probe: Probe) -> str:
        """Pass over judges of states."""
        return "" if probe.hops else NO_PAIRS

    def value(self, probe: Probe, material: Material) -> Finding:
        """Return the share of pairs whose signs are not opposite."""
        pairs = Pairs(probe, material)
        both = [
            (pairs.hop(a, b), pairs.hop(b, a))
            for a, b in drawn_moments(material, _PAIRS, 2).tolist()
        ]
        there, back = np.array(both).T
        opposite = (there * back < 0) | (np.maximum(np.abs(there), np.abs(back)) <= _ZERO)
        return {"value": float(np.mean(~opposite))}
