"""Two policies in one metric: the difference, the test, and how many episodes would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.jobs._compare_arms import Arms, Duel, arms_of, reach_of
from assay.jobs._compare_metrics import Metric
from assay.metrics.differences import (
    Difference,
    DifferenceSettings,
    paired_difference,
    unpaired_difference,
)
from assay.metrics.multiplicity import holm
from assay.metrics.plans import Goal, Needed
from assay.metrics.power import needed_episodes, needed_pairs
from assay.metrics.share_differences import paired_share_difference, unpaired_share_difference
from assay.metrics.strata import Weighting
from assay.metrics.success_power import needed_episodes_of_success, needed_pairs_of_success
from assay.metrics.verdicts import decide

__all__ = ["Compared", "How", "compare_two", "rows_of"]

_TRAININGS = "several checkpoints: more trainings would help, not more episodes"
_IN_CLUSTERS = "several episodes of one scene: the number of episodes alone decides nothing"
_NOTHING = "no scored episode of both policies to compare"


@dataclass(frozen=True)
class How:
    """How differences are made.

    Attributes:
        level: The wanted coverage, and 1 less the level of the tests.
        weights: Whether tasks count the same ("equal") or by their episodes ("size").
        power: What the number of episodes aims at.
        seed: Decides resampling and permutations.
    """

    level: float = 0.95
    weights: Weighting = "equal"
    power: float = 0.8
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Compared:
    """Two policies in one metric, over all tasks or in one.

    Attributes:
        duel: The policies and their episodes.
        metric: The metric.
        task: The task; None for all.
        difference: a less b; None when there is nothing to compare.
        needed: How many episodes reach the power.
        reach: The difference with the worst or the best put in for what is unscored.
        unscored: How many episodes of a and of b have no value, by status.
    """

    duel: Duel
    metric: Metric
    task: str | None
    difference: Difference | None
    needed: Needed
    reach: tuple[float, float] | None
    unscored: tuple[dict[str, int], dict[str, int]]


def compare_two(
    duel: Duel, metric: Metric, how: How, *, family: int, task: str | None = None
) -> Compared:
    """Compare two policies in one metric.

    Args:
        duel: The policies and their episodes.
        metric: The metric.
        how: Level, weights and randomness.
        family: How many comparisons are made together; the power is that at level alpha / family,
            which Holm's procedure asks at most.
        task: Compare this task alone.
    """
    own = duel if task is None else duel.of_task(task)
    arms = arms_of(own, metric)
    goal = Goal(how.power, 1.0 - (1.0 - how.level) / family, seed=how.seed)
    if not min(map(len, arms.values)):
        needed = Needed(None, None, None, 0, how.power, why=_NOTHING)
        difference = None
    else:
        difference = _difference(own, arms, metric, how)
        needed = _needed(own, arms, metric, goal)
    reach = reach_of(own, metric, how.weights)
    return Compared(own, metric, task, difference, needed, reach, arms.unscored)


def _difference(duel: Duel, arms: Arms, metric: Metric, how: How) -> Difference:
    settings = DifferenceSettings(metric.bounds, how.weights, how.level, seed=how.seed)
    a, b = arms.values
    is_exact = metric.is_share and arms.clusters is None and _is_whole(arms)
    if duel.is_paired:
        # Tango's interval and McNemar's test know no strata: right when all count alike anyway.
        sizes = np.unique(arms.strata[0], return_counts=True)[1]
        if is_exact and (how.weights == "size" or len(set(sizes.tolist())) == 1):
            return paired_share_difference(a, b, level=how.level)
        clusters = None if arms.clusters is None else arms.clusters[0]
        return paired_difference(a, b, strata=arms.strata[0], clusters=clusters, settings=settings)
    if is_exact:
        return unpaired_share_difference(
            a, b, strata=arms.strata, weights=how.weights, level=how.level
        )
    return unpaired_difference(
        a, b, strata=arms.strata, clusters=arms.clusters or (None, None), settings=settings
    )


def _needed(duel: Duel, arms: Arms, metric: Metric, goal: Goal) -> Needed:
    a, b = arms.values
    if arms.clusters is not None:
        why = _TRAININGS if duel.is_clustered else _IN_CLUSTERS
        return Needed(None, None, None, min(len(a), len(b)), goal.power, why=why)
    is_exact = metric.is_share and _is_whole(arms)
    if duel.is_paired:
        return needed_pairs_of_success(a, b, goal) if is_exact else needed_pairs(a - b, goal)
    return needed_episodes_of_success(a, b, goal) if is_exact else needed_episodes(a, b, goal)


def _is_whole(arms: Arms) -> bool:
    """Tell whether all values are 0 or 1; means over a scene's episodes need not be."""
    return all(bool(np.isin(own, (0.0, 1.0)).all()) for own in arms.values)


def rows_of(found: Sequence[Compared], how: How) -> list[dict[str, Any]]:
    """Return one family of comparisons as plain data, p adjusted by Holm over all of them."""
    adjusted = holm([None if one.difference is None else one.difference.p for one in found])
    return [_row(one, p, how) for one, p in zip(found, adjusted, strict=True)]


def _row(one: Compared, adjusted: float | None, how: How) -> dict[str, Any]:
    a, b = one.duel.names
    difference, verdict = one.difference, None
    if difference is not None:
        verdict = decide(difference, one.needed, adjusted_p=adjusted, level=how.level).as_json()
    return {
        "metric": one.metric.name,
        "a": a,
        "b": b,
        "task": one.task,
        "paired": one.duel.is_paired,
        "clustered": one.duel.is_clustered,
        "difference": None if difference is None else difference.as_json(),
        "why": _NOTHING if difference is None else None,
        "p_adjusted": adjusted,
        "verdict": verdict,
        "needed": one.needed.as_json(),
        "reach": None if one.reach is None else list(one.reach),
        "unscored": list(one.unscored),
    }
