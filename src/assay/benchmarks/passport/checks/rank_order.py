"""The order of moments against the true order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from assay.benchmarks.passport.checks._single import SingleCheck, Wording, judged_line
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit, Line
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.pulse.ranks import spearman
from assay.errors import EpisodeError

__all__ = ["RankOrder"]

_SOURCE = "the target that the embedded judge was built for"


@dataclass(frozen=True)
class RankOrder(SingleCheck):
    """Correlate scores with Phi* in each attempt, successes and failures apart.

    A clock does well on successes, which only go forward. Failures tell.
    """

    truth: ClassVar[bool] = True
    rank: ClassVar[int] = 31
    limit: ClassVar[Limit] = Limit(0.88, above=True, source=_SOURCE)
    span: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    wording: ClassVar[Wording] = Wording(
        title="order of moments",
        quantity="mean Spearman correlation with Phi*",
        passed="Moments stand in their true order.",
        failed="Moments don't stand in their true order.",
        warning="It puts moments in a wrong order: PPL and CRA are not evidence.",
        matters=("ppl", "cra"),
        unit="rho",
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the correlation; a judge that orders nothing has 0."""
        truth, values = material.truth, probe.plain(material)
        rho = None if truth is None else spearman(truth, values)
        if rho is None:
            raise EpisodeError("Phi* does not change")
        return {"value": rho, "success": bool(material.episode.outcome)}

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return a line for successes and one for failures."""
        limits = {True: Limit(0.90, above=True, source=_SOURCE), False: self.limit}
        lines = []
        for success, limit in limits.items():
            kind = "successes" if success else "failures"
            wording = replace(self.wording, title=f"{self.wording.title}, {kind}")
            own = [f for f in found if f.get("success", success) is success]
            lines.append(judged_line(name, wording, limit, own, unfit, span=self.span))
        return tuple(lines)
