"""A goal that is reached before anything moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._pairs import NO_PAIRS, Pairs
from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["GoalIsStart"]

_MOMENTS = 8


@dataclass(frozen=True)
class GoalIsStart(SingleCheck):
    """Give the start as the goal: moving away from it must not count as progress."""

    rank: ClassVar[int] = 23
    limit: ClassVar[Limit] = Limit(0.10)
    wording: ClassVar[Wording] = Wording(
        title="goal = start",
        quantity="most progress seen when the start is the goal",
        passed="It looks at the goal that it is given.",
        failed="It sees progress although the goal was reached at the start: it ignores the goal.",
        warning="It does not heed the goal that it is given.",
        matters=("mp", "ppl", "success"),
    )

    def unfit(self, probe: Probe) -> str:
        """Pass over judges that take no goal, have none now, or take it from a file alone.

        One that was made without a goal is asked without one everywhere else: whether it would heed
        one says nothing about its scores.
        """
        if not probe.takes_goal:
            return "it takes no goal"
        if not probe.has_goal:
            return "it was given no goal; --goal gives it one"
        return "" if probe.hops else f"{NO_PAIRS}, so no goal picture can be handed to it"

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the greatest progress away from the start; none is 0."""
        pairs = Pairs(probe, material)
        places = np.linspace(1, len(material.times) - 1, _MOMENTS).astype(int)
        found = [pairs.hop(0, place, goal=0) for place in np.unique(places).tolist()]
        return {"value": max(0.0, *found)}
