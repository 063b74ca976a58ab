"""Failure fingerprints: how each policy's failures differ from the other policies' failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.metrics.results import AVERAGED, UP_IS_GOOD, Fingerprint, Floats

__all__ = [
    "FEWEST_FAILURES",
    "FEWEST_POLICIES",
    "FINGERPRINT_METRICS",
    "Failures",
    "fingerprints",
    "standard_scores",
]

FINGERPRINT_METRICS = AVERAGED
FEWEST_FAILURES = 5
FEWEST_POLICIES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Failures:
    """The failed episodes of one policy at one task.

    Attributes:
        task: The task.
        policy: The policy.
        columns: For each of `FINGERPRINT_METRICS` one value per failure, of shape (n,), NaN where
            the metric is undefined.
    """

    task: str
    policy: str
    columns: Mapping[str, Floats]


def fingerprints(groups: Sequence[Failures]) -> list[Fingerprint]:
    """Return one fingerprint per group, in the order given.

    The mean over a policy's failures is standardised within the task across policies; CRA and STR
    change sign first, so that up is good. A policy with fewer than 5 failures takes no part, and
    fewer than 3 policies taking part give no scores.
    """
    tasks: dict[str, list[int]] = {}
    for index, group in enumerate(groups):
        tasks.setdefault(group.task, []).append(index)
    scores: dict[int, dict[str, float | None]] = {index: {} for index in range(len(groups))}
    for members in tasks.values():
        for metric in FINGERPRINT_METRICS:
            columns = [groups[index].columns[metric] for index in members]
            for index, score in zip(members, _scores(columns, metric), strict=True):
                scores[index][metric] = score
    return [_fingerprint(group, scores[index]) for index, group in enumerate(groups)]


def standard_scores(means: Floats, *, up_is_good: bool = True) -> Floats:
    """Return (mean - average) / sd across policies (ddof 0), 0 where sd is 0.

    Args:
        means: One mean per policy, of shape (P,).
        up_is_good: False changes the sign, for CRA and STR.
    """
    centred = means - np.mean(means)
    sd = float(np.std(means))
    # A spread that is only rounding would otherwise be blown up to +-1.
    if sd <= 1e-12:
        return np.zeros_like(centred)
    return centred / sd if up_is_good else -centred / sd


def _scores(columns: Sequence[Floats], metric: str) -> list[float | None]:
    """Return the score of each policy for one metric of one task."""
    enough = [i for i, c in enumerate(columns) if np.count_nonzero(~np.isnan(c)) >= FEWEST_FAILURES]
    scores: list[float | None] = [None] * len(columns)
    if len(enough) >= FEWEST_POLICIES:
        means = np.array([np.nanmean(columns[i]) for i in enough])
        found = standard_scores(means, up_is_good=UP_IS_GOOD[metric])
        for i, score in zip(enough, found.tolist(), strict=True):
            scores[i] = score
    return scores


def _fingerprint(group: Failures, scores: Mapping[str, float | None]) -> Fingerprint:
    n = len(group.columns[FINGERPRINT_METRICS[0]])
    why = None
    if n < FEWEST_FAILURES:
        why = f"{n} failure{'' if n == 1 else 's'}, fewer than {FEWEST_FAILURES}"
    elif all(score is None for score in scores.values()):
        why = f"fewer than {FEWEST_POLICIES} policies with {FEWEST_FAILURES} failures at this task"
    elif None in scores.values():
        missing = ", ".join(metric for metric, score in scores.items() if score is None)
        why = f"undefined for too many failures: {missing}"
    return Fingerprint(group.task, group.policy, n, _means(group), dict(scores), why)


def _means(group: Failures) -> dict[str, float | None]:
    """Return the plain means, over the failures for which the metric is defined."""
    defined = {m: group.columns[m][~np.isnan(group.columns[m])] for m in FINGERPRINT_METRICS}
    return {m: float(np.mean(values)) if len(values) else None for m, values in defined.items()}
