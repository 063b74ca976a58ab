"""What each perturbation costs a policy, against the same scenes without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.jobs._compare_cases import Case
from assay.jobs._compare_metrics import Metric
from assay.metrics.results import Floats
from assay.metrics.robustness import Condition, DropSettings, drop_table

__all__ = ["drops_of"]


def drops_of(
    cases: Sequence[Case],
    policies: Sequence[str],
    metrics: Sequence[Metric],
    *,
    level: float,
    seed: int,
) -> list[dict[str, Any]]:
    """Return a row per policy, metric and perturbation; none when nothing was perturbed.

    Only metrics that have a worst value: a drop is read beside how much there was to lose. Rows go
    by policy, metric and name of the perturbation, never by the size of the drop.

    Args:
        cases: The episodes.
        policies: The policies, in the order of the report.
        metrics: The metrics.
        level: The wanted coverage.
        seed: Decides the resampling.
    """
    found = []
    for policy in policies:
        own = [case for case in cases if case.policy == policy and case.control is not None]
        labels = sorted({case.perturbation for case in own} - {""}, key=_axis)
        for metric in metrics:
            if not labels or not metric.is_bounded:
                continue
            low, high = metric.bounds
            settings = DropSettings(
                low, high, up_is_good=metric.up_is_good is not False, level=level, seed=seed
            )
            sides = {label: _by_scene(own, label, metric) for label in ("", *labels)}
            conditions = [Condition(*_axis(label), sides[label]) for label in labels]
            table = drop_table(sides[""], conditions, settings)
            found += [
                {
                    "policy": policy,
                    "metric": metric.name,
                    "perturbation": label,
                    "unscored": _unscored(own, label, metric),
                    **drop.as_json(),
                }
                for label, drop in zip(labels, table, strict=True)
            ]
    return found


def _axis(label: str) -> tuple[str, float | None]:
    """Return what is changed and how strongly: ("light", 3.0) for "light-3"."""
    axis, sign, strength = label.rpartition("-")
    try:
        return (axis, float(strength)) if sign and axis else (label, None)
    except ValueError:
        return label, None


def _by_scene(cases: Sequence[Case], label: str, metric: Metric) -> Mapping[str, Floats]:
    """Return the values under one perturbation by the scene without it."""
    found: dict[str, list[float]] = defaultdict(list)
    for case in cases:
        value = metric.value(case)
        if case.perturbation == label and case.control is not None and value is not None:
            found[case.control].append(value)
    return {scene: np.array(values) for scene, values in found.items()}


def _unscored(cases: Sequence[Case], label: str, metric: Metric) -> int:
    """Return how many episodes of both sides have no value."""
    return sum(metric.value(c) is None for c in cases if c.perturbation in {"", label})
