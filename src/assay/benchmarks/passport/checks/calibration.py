"""The score against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit, Line
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError
from assay.metrics.calibration import mean_tenths, sum_tenths

__all__ = ["Calibration"]


@dataclass(frozen=True)
class Calibration(SingleCheck):
    """Compare every score with Phi*, overall and by the score itself."""

    truth: ClassVar[bool] = True
    rank: ClassVar[int] = 30
    limit: ClassVar[Limit] = Limit(0.10)
    wording: ClassVar[Wording] = Wording(
        title="calibration",
        quantity="mean distance from Phi*",
        passed="A score of 40 means about 40 % of the task.",
        failed="Its scores order moments at best: don't read them as shares of the task.",
        warning="Its scores are not shares of the task: read MC and MP as an order only.",
        matters=("mp", "success"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the mean distance, and the sums of each tenth of the scores."""
        truth, values = material.truth, probe.plain(material)
        if truth is None:
            raise EpisodeError("nobody knows the truth")
        return {
            "value": float(np.mean(np.abs(values - truth))),
            "more": {"mean score minus truth": float(np.mean(values - truth))},
            "bins": sum_tenths(values, truth).tolist(),
        }

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return the line with the bins of all attempts together."""
        (line,) = super().conclude(name, found, unfit)
        bins = [finding["bins"] for finding in found if "bins" in finding]
        if not bins:
            return (line,)
        merged = [
            {"n": tenth.n, "score": tenth.told, "truth": tenth.truth}
            for tenth in mean_tenths(np.sum(bins, axis=0))
        ]
        return (replace(line, drawn={"bins": merged}),)
