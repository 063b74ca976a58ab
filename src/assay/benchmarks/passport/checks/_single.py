"""What most checks share: one number a piece of material, a mean, and a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Limit, Line, Verdict
from assay.benchmarks.passport.material import Kind
from assay.benchmarks.passport.probing import Probe
from assay.metrics.intervals import estimate_mean, mean_interval
from assay.metrics.results import Estimate

__all__ = ["SingleCheck", "Wording", "first_drawn", "judged_line", "mean_of"]


@dataclass(frozen=True, slots=True)
class Wording:
    """How a check is worded.

    Attributes:
        title: What it is called in tables.
        quantity: What its value is.
        passed: What a pass means for a user.
        failed: What a failure means.
        warning: What reports say about a judge that failed.
        matters: What a failure puts in doubt: columns of an audit, or answers to pairs.
        unit: Of the value; empty for progress.
    """

    title: str
    quantity: str
    passed: str
    failed: str
    warning: str = ""
    matters: tuple[str, ...] = ()
    unit: str = ""


class SingleCheck:
    """A check whose findings each hold one `value`; the line has their mean.

    Attributes:
        wording: How it is worded.
        limit: What the mean is held against; None only states it.
        span: The smallest and the largest value there can be.
        pictures: Whether only the pictures change: a judge that looks at none passes for nothing.
    """

    wording: ClassVar[Wording]
    limit: ClassVar[Limit | None]
    kind: ClassVar[Kind] = "episode"
    truth: ClassVar[bool] = False
    rank: ClassVar[int] = 50
    span: ClassVar[tuple[float, float]] = (0.0, 1.0)
    pictures: ClassVar[bool] = False

    def unfit(self, probe: Probe) -> str:  # noqa: ARG002 - most checks ask every judge
        """Return nothing: every judge of progress can be asked."""
        return ""

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return the one line."""
        line = judged_line(name, self.wording, self.limit, found, unfit, span=self.span)
        return (line,)


def judged_line(
    name: str,
    wording: Wording,
    limit: Limit | None,
    found: Sequence[Finding],
    unfit: str = "",
    *,
    span: tuple[float, float] = (0.0, 1.0),
) -> Line:
    """Return the line for the mean `value` of the findings."""
    values = [float(finding["value"]) for finding in found if "value" in finding]
    reasons = [str(finding["why"]) for finding in found if "value" not in finding]
    if not values:
        why = unfit or (reasons[0] if reasons else "there was nothing to measure it on")
        verdict: Verdict = "not run" if unfit else "not measured"
        return Line(
            name, wording.title, verdict, None, wording.quantity, wording.unit, limit, why=why
        )
    estimate = mean_of(values, len(reasons), span, up=limit is not None and limit.above)
    holds = limit is None or limit.holds(float(np.mean(values)))
    verdict = "stated" if limit is None else "pass" if holds else "fail"
    return Line(
        check=name,
        title=wording.title,
        verdict=verdict,
        value=estimate.as_json(),
        quantity=wording.quantity,
        unit=wording.unit,
        limit=limit,
        meaning=wording.passed if holds else wording.failed,
        why=f"{len(reasons)} of {len(found)} not measured, the first: {reasons[0]}"
        if reasons
        else "",
        warning="" if holds else wording.warning,
        matters=wording.matters,
        more=_ends(values) | _means(found),
        drawn=first_drawn(found),
    )


def mean_of(
    values: Sequence[float], unscored: int, span: tuple[float, float], *, up: bool
) -> Estimate:
    """Return the mean with its interval; `up` says whether large values are good."""
    low, high = span
    if math.isfinite(high - low):
        worst, best = (low, high) if up else (high, low)
        return estimate_mean(np.array(values), unscored, worst_value=worst, best_value=best)
    mean, start, end, method = mean_interval(np.array(values), low=low, high=high)
    why = "there is no greatest value" if method else "fewer than 5 episodes: no interval"
    return Estimate(mean, start, end, len(values), None, None, why, method)


def first_drawn(found: Sequence[Finding]) -> dict[str, Any]:
    """Return the curves of the first finding that has any: one example is enough to see."""
    return next((dict(finding["drawn"]) for finding in found if finding.get("drawn")), {})


def _ends(values: Sequence[float]) -> dict[str, float]:
    """Return the extremes, unless all values are the same."""
    same = max(values) == min(values)
    return {} if same else {"least": min(values), "greatest": max(values)}


def _means(found: Sequence[Finding]) -> dict[str, float]:
    """Return the mean of each further number that the findings name; whole numbers are counts.

    Counts are added up, and stay whole.
    """
    named: dict[str, list[float]] = {}
    for finding in found:
        for name, value in (finding.get("more") or {}).items():
            named.setdefault(name, []).append(value)
    return {
        name: sum(values)
        if all(isinstance(value, int) for value in values)
        else float(np.mean(values))
        for name, values in sorted(named.items())
    }
