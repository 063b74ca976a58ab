"""Is policy a better than policy b, by how much, and how sure is that: one metric, two policies.

Paired, when both acted in the same scenes; unpaired, when they only share tasks. For success and
other shares see `share_differences`, whose tests are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.effects import Arm, improvement, paired_improvement, standardised
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.permutations import Permuted, flip_signs, swap_labels
from assay.metrics.resampling import Ends, Units, bootstrap_t
from assay.metrics.results import Floats, Ints
from assay.metrics.strata import (
    Labels,
    Weighting,
    lay_out,
    numbered,
    shared_strata,
    stratum_shares,
    value_weights,
)

__all__ = ["Difference", "DifferenceSettings", "paired_difference", "unpaired_difference"]

Json: TypeAlias = "float | str | list[int] | dict[str, float | int | str | None] | None"

_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} units: no interval"
_OPEN = "all values are equal in a range without ends: no interval"
_NO_TEST = "a policy has a single unit: no test"


@dataclass(frozen=True, slots=True)
class DifferenceSettings:
    """How differences are computed.

    Attributes:
        bounds: The smallest and the largest value the metric can take; infinite where open.
        weights: Whether strata count the same ("equal") or by their episodes ("size").
        level: The wanted coverage.
        resamples: How many resamples the interval takes.
        permutations: How many permutations the test draws when they are too many to count.
        seed: The same seed gives the same result.
    """

    bounds: tuple[float, float] = (0.0, 1.0)
    weights: Weighting = "equal"
    level: float = 0.95
    resamples: int = 2000
    permutations: int = 9999
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """Policy a less policy b, in one metric.

    Attributes:
        value: The difference of the means, strata weighted as the settings say.
        low: Lower end of its interval, or None.
        high: Upper end of its interval, or None.
        n: How many pairs there are, or how many episodes of both policies.
        p: Two-sided p, that there is no difference; None when no test could be made.
        method: How the interval was made: "bootstrap-t", "exact bound", a method of
            `share_differences`, or "".
        test: How p was made, or "".
        is_paired: Whether the same scenes were compared.
        sizes: The episodes of a and of b.
        units: The independent units of a and of b: clusters, or episodes without clusters.
        effect: The difference in standard deviations; None for shares.
        improvement: P(a > b) + P(a = b) / 2; None for shares.
        why: Why something above is None.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    p: float | None
    method: str
    test: str
    is_paired: bool
    sizes: tuple[int, int]
    units: tuple[int, int]
    effect: Figure | None = None
    improvement: Figure | None = None
    why: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Return the difference as it stands in result files; None is JSON's null."""
        found: dict[str, Json] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "p": self.p,
            "method": self.method,
            "test": self.test,
            "paired": self.is_paired,
            "sizes": list(self.sizes),
            "units": list(self.units),
            "effect": None if self.effect is None else self.effect.as_json(),
            "improvement": None if self.improvement is None else self.improvement.as_json(),
        }
        return found if self.why is None else {**found, "why": self.why}


def paired_difference(
    a: Floats,
    b: Floats,
    *,
    strata: Labels = None,
    clusters: Labels = None,
    settings: DifferenceSettings | None = None,
) -> Difference:
    """Compare two policies scene by scene: the mean of a - b.

    Interval: studentised bootstrap over units, each arm at least Student's, clipped to the possible
    range (`resampling.bootstrap_t`). Test: signs of units flipped (`permutations.flip_signs`).

    Args:
        a: The metric of policy a, one value a scene, of shape (n,), n >= 1.
        b: That of policy b in the same scenes, of shape (n,).
        strata: The task of each scene, of shape (n,).
        clusters: What belongs together, such as the training seed; drawn and flipped as a whole.
            May reach over several strata. Without it every scene is a unit.
        settings: Bounds, weights, level and randomness.
    """
    how = settings or DifferenceSettings()
    a, b = _checked(a, how.bounds), _checked(b, how.bounds)
    if len(a) != len(b):
        raise UsageError(
            f"Paired values belong to the same scenes: there are {len(a)} and {len(b)} of them."
        )
    tasks = np.zeros(len(a), dtype=np.int64) if strata is None else numbered(strata, len(a))
    groups = _units(clusters, len(a))
    (blocks,) = lay_out([(tasks, groups)])
    shares = stratum_shares(np.bincount(tasks), how.weights)
    arm = Arm(a - b, value_weights(tasks, shares), tasks, groups, blocks)
    units = arm.units()
    low, high = how.bounds
    ends = _ends([units], (low - high, high - low), how)
    test = flip_signs(units, permutations=how.permutations, seed=how.seed)
    return Difference(
        value=units.total,
        low=ends.low,
        high=ends.high,
        n=len(a),
        p=test.p,
        method=ends.method,
        test=test.method,
        is_paired=True,
        sizes=(len(a), len(a)),
        units=(len(units), len(units)),
        effect=standardised([arm], ends, how.level),
        improvement=paired_improvement(arm, how.level),
        why=_why([units], ends, test),
    )


def unpaired_difference(
    a: Floats,
    b: Floats,
    *,
    strata: tuple[Labels, Labels] = (None, None),
    clusters: tuple[Labels, Labels] = (None, None),
    settings: DifferenceSettings | None = None,
) -> Difference:
    """Compare two policies that acted in scenes of their own, task by task.

    The difference is the sum over strata of W_s * (mean of a - mean of b). Interval: studentised
    bootstrap over the units of each policy, each arm at least Welch's. Test: units swapped within
    strata, studentised (`permutations.swap_labels`).

    Args:
        a: The metric of policy a, of shape (n,), n >= 1.
        b: That of policy b, of shape (m,), m >= 1.
        strata: The tasks of a's and of b's episodes; both must have all tasks.
        clusters: What belongs together in a and in b. A name in both means two different things.
        settings: Bounds, weights, level and randomness.
    """
    how = settings or DifferenceSettings()
    values = [_checked(a, how.bounds), _checked(b, how.bounds)]
    tasks = shared_strata(strata, (len(values[0]), len(values[1])))
    groups = [_units(own, len(value)) for own, value in zip(clusters, values, strict=True)]
    blocks = lay_out(list(zip(tasks, groups, strict=True)))
    counts = np.bincount(np.concatenate(tasks))
    shares = stratum_shares(counts, how.weights)
    arms = [
        Arm(value, value_weights(task, shares), task, group, block)
        for value, task, group, block in zip(values, tasks, groups, blocks, strict=True)
    ]
    units = [arm.units() for arm in arms]
    ends = _ends(units, how.bounds, how)
    # Labels are swapped, so that an episode must weigh the same in either arm.
    even = shares / counts
    pooled = [Units.of(arm.values, even[arm.strata], arm.clusters, arm.blocks) for arm in arms]
    test = swap_labels(*pooled, permutations=how.permutations, seed=how.seed)
    return Difference(
        value=units[0].total - units[1].total,
        low=ends.low,
        high=ends.high,
        n=len(values[0]) + len(values[1]),
        p=test.p,
        method=ends.method,
        test=test.method,
        is_paired=False,
        sizes=(len(values[0]), len(values[1])),
        units=(len(units[0]), len(units[1])),
        effect=standardised(arms, ends, how.level),
        improvement=improvement(arms[0], arms[1], how.level),
        why=_why(units, ends, test),
    )


def _ends(arms: Sequence[Units], bounds: tuple[float, float], how: DifferenceSettings) -> Ends:
    """Return the interval, or none when a policy has too few units."""
    if min(map(len, arms)) < SMALLEST_SAMPLE:
        return Ends(None, None)
    return bootstrap_t(arms, bounds, level=how.level, resamples=how.resamples, seed=how.seed)


def _why(arms: Sequence[Units], ends: Ends, test: Permuted) -> str | None:
    """Return why there is no interval or no test."""
    if min(map(len, arms)) < SMALLEST_SAMPLE:
        return _TOO_FEW if test.p is not None else _NO_TEST
    return None if ends.method else _OPEN


def _checked(values: Floats, bounds: tuple[float, float]) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise UsageError(f"A difference needs lists of at least one value, not {values.shape}.")
    low, high = bounds
    if not ((values >= low) & (values <= high) & np.isfinite(values)).all():
        raise UsageError(
            f"A difference needs finite values in {low:g}..{high:g}; leave out what is unscored."
        )
    return values


def _units(clusters: Labels, n: int) -> Ints:
    """Return the number of each value's cluster; without clusters every value is one."""
    return np.arange(n) if clusters is None else numbered(clusters, n)
