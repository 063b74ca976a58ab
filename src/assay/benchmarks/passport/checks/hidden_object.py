"""An object that goes out of sight where it belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit
from assay.benchmarks.passport.material import Kind, Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["HiddenObject"]


@dataclass(frozen=True)
class HiddenObject(SingleCheck):
    """Put the block into a basket that hides it: the score must not fall for that."""

    kind: ClassVar[Kind] = "hidden"
    truth: ClassVar[bool] = True
    rank: ClassVar[int] = 34
    pictures: ClassVar[bool] = True
    limit: ClassVar[Limit] = Limit(0.10)
    wording: ClassVar[Wording] = Wording(
        title="insertion that hides the object",
        quantity="how much lower the end scores when the walls hide the object",
        passed="What is put away still counts.",
        failed="What is put away out of sight counts for less.",
        warning="It loses objects that are put out of sight: such tasks end too low.",
        matters=("success", "mp", "cra"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the fall of the end score, 0 when it does not fall."""
        seen = float(probe.plain(material)[-1])
        hidden = float(probe.values(material.others["hidden"], material.times)[-1])
        return {"value": max(0.0, seen - hidden), "more": {"end score in sight": seen}}
