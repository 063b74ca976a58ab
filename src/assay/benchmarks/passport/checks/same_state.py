"""The same states of the world, seen in other ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording, judged_line
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit, Line
from assay.benchmarks.passport.material import Kind, Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["SameState"]


@dataclass(frozen=True)
class SameState(SingleCheck):
    """Move the cameras, change the background, change the light: scores must stay."""

    kind: ClassVar[Kind] = "looks"
    truth: ClassVar[bool] = True
    rank: ClassVar[int] = 32
    pictures: ClassVar[bool] = True
    limit: ClassVar[Limit] = Limit(0.10)
    wording: ClassVar[Wording] = Wording(
        title="same state",
        quantity="mean change of a score",
        passed="It judges what is done, not how it looks.",
        failed="The look of a scene moves its scores: compare only scenes that look alike.",
        warning="The look of a scene moves its scores: compare only scenes that look alike.",
        matters=("mp", "ppl", "cra"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the mean change under each look."""
        plain = probe.plain(material)
        return {
            "looks": {
                look: float(np.mean(np.abs(probe.values(episode, material.times) - plain)))
                for look, episode in material.others.items()
            }
        }

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return a line for each look."""
        looks = sorted({look for finding in found for look in finding.get("looks", ())})
        lines = []
        for look in looks or ["another look"]:
            wording = replace(self.wording, title=f"{self.wording.title}, {look}")
            own = [
                {"value": finding["looks"][look]} if "looks" in finding else finding
                for finding in found
            ]
            lines.append(judged_line(name, wording, self.limit, own, unfit))
        return tuple(lines)
