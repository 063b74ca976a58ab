"""The score against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit, Line
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError
from assay.records import Floats

__all__ = ["Calibration"]

BINS = 10


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
        """Return the mean distance, and count, sum of scores and of truths in each bin."""
        truth, values = material.truth, probe.plain(material)
        if truth is None:
            raise EpisodeError("nobody knows the truth")
        return {
            "value": float(np.mean(np.abs(values - truth))),
            "more": {"mean score minus truth": float(np.mean(values - truth))},
            "bins": _binned(values, truth),
        }

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return the line with the bins of all attempts together."""
        (line,) = super().conclude(name, found, unfit)
        bins = [finding["bins"] for finding in found if "bins" in finding]
        if not bins:
            return (line,)
        merged = [
            {"n": int(n), "score": float(score / n), "truth": float(truth / n)}
            for n, score, truth in np.sum(bins, axis=0)
            if n
        ]
        return (replace(line, drawn={"bins": merged}),)


def _binned(values: Floats, truth: Floats) -> list[list[Any]]:
    """Return [count, sum of scores, sum of truths] of the moments in each tenth of the scores."""
    place = np.clip((values * BINS).astype(int), 0, BINS - 1)
    sums = [np.bincount(place, weights, BINS) for weights in (None, values, truth)]
    rows: list[list[Any]] = np.stack(sums, axis=1).tolist()
    return rows
