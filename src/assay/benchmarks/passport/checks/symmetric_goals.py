"""Ends that are all good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Kind, Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["SymmetricGoals"]


@dataclass(frozen=True)
class SymmetricGoals(SingleCheck):
    """Lay the object elsewhere and turn it, where the task is still done: ends must score alike."""

    kind: ClassVar[Kind] = "goals"
    truth: ClassVar[bool] = True
    rank: ClassVar[int] = 33
    pictures: ClassVar[bool] = True
    limit: ClassVar[Limit] = Limit(0.10)
    wording: ClassVar[Wording] = Wording(
        title="symmetric goals",
        quantity="range of the end score over ends that are all successes",
        passed="Every good end counts the same.",
        failed="Some good ends count less than others: it knows one picture of the goal.",
        warning="Good ends that look otherwise count less with it: its success is not evidence.",
        matters=("success", "mp"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the range of the end scores."""
        ends = [float(probe.plain(material)[-1])]
        ends += [float(probe.values(e, material.times)[-1]) for e in material.others.values()]
        return {"value": max(ends) - min(ends), "more": {"ends compared": len(ends)}}
