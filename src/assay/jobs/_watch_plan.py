"""Decide before anything is bet what is watched: which metrics, and who against whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from assay.errors import UnknownNameError, UsageError
from assay.jobs._compare_metrics import SUCCESS, Metric
from assay.jobs._watch_followed import Followed
from assay.jobs._watch_streams import Goal
from assay.metrics.results import METRICS, UP_IS_GOOD

__all__ = ["goals_of", "metrics_of", "unwatched"]

_DENSE = "mp"
_FLAGS = ("success_once", "success_held", SUCCESS)
_OPEN = frozenset({"duration_s"})


def metrics_of(asked: Sequence[str], runs: Sequence[Followed]) -> list[Metric]:
    """Return the metrics of these names; without names MP, and success where there are labels.

    Raises:
        UnknownNameError: There is no such metric.
        UsageError: It has no ends, or its values would move while the run grows.
    """
    is_labelled = any(one.is_labelled for run in runs for one in run.plan)
    names = asked or ([_DENSE, SUCCESS] if is_labelled else [_DENSE])
    return [_metric(name, runs, is_labelled=is_labelled) for name in dict.fromkeys(names)]


def _metric(name: str, runs: Sequence[Followed], *, is_labelled: bool) -> Metric:
    column, sign, rest = name.partition("@")
    allowed = f"{', '.join((*METRICS, *_FLAGS))}, or a share such as mc@75"
    if column in _OPEN:
        raise UsageError(f"--watch bets on values in 0..1: {allowed}; {name!r} has no upper end.")
    if column not in (*METRICS, *_FLAGS) or (sign and column not in METRICS):
        raise UnknownNameError("metric to --watch", name, [*METRICS, *_FLAGS, "mc@75"])
    is_flag = column in _FLAGS
    if is_flag and not is_labelled:
        raise UsageError(f"No episode of the runs tells success, so that {name!r} has no value.")
    unsettled = next((run for run in runs if run.counting.epsilon is None), None)
    if column == "str" and unsettled is not None:
        raise UsageError(
            f"STR can't be watched in {unsettled.path}: the step that counts as standing still is"
            " read off the whole run, so that values would move. Audit with --epsilon."
        )
    up = True if is_flag else UP_IS_GOOD[column]
    threshold = _threshold(name, rest) if sign else None
    return Metric(
        name,
        column,
        threshold,
        is_share=bool(sign) or is_flag,
        bounds=(0.0, 1.0),
        up_is_good=up,
    )


def _threshold(name: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found <= 100:
        raise UsageError(f"--metric {name}: a number above 0 and up to 100 stands behind the @.")
    return found / 100.0


def goals_of(
    metrics: Sequence[Metric],
    runs: Sequence[Followed],
    *,
    level: float,
    margin: float | None,
    seed: int,
    mean_only: bool = False,
) -> list[Goal]:
    """Return every metric of every two policies with common scenes, or of a policy alone.

    The error is split evenly over them (Bonferroni). All that may come is known from the start, so
    that the split does not hang on what has come.

    Raises:
        UsageError: No two policies have a scene in common.

    Cites:
        Dunn (1961), "Multiple comparisons among means".
    """
    scenes = _scenes(runs)
    teams: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for a, b in combinations(scenes, 2):
        tasks = {task for task, scene in scenes[a] & scenes[b] if scene is not None}
        teams += [((a, b), tuple(sorted(tasks)))] if tasks else []
    if len(scenes) == 1:
        (only,) = scenes
        teams = [((only,), tuple(sorted({task for task, _ in scenes[only]})))]
    if not teams:
        raise UsageError(
            f"{' and '.join(list(scenes)[:2])} have no scene in common within a task: --watch"
            " needs pairs. Name scenes in the data or in --labels, or compare the finished runs."
        )
    each = 1.0 - (1.0 - level) / (len(metrics) * len(teams))
    return [
        Goal(
            metric, names, tasks, each, None if margin is None else margin / 100.0, seed, mean_only
        )
        for metric in metrics
        for names, tasks in teams
    ]


def unwatched(goals: Sequence[Goal], runs: Sequence[Followed]) -> list[str]:
    """Say which pairs of policies and which tasks are not watched, and why."""
    scenes, found = _scenes(runs), []
    teams = {goal.names: goal.tasks for goal in goals}
    for a, b in combinations(scenes, 2):
        if (a, b) not in teams:
            found.append(f"{a} and {b} have no scene in common: they are not watched.")
            continue
        every = {task for name in (a, b) for task, _ in scenes[name]}
        if alone := sorted(every - set(teams[a, b])):
            found.append(f"{a} and {b} have no scene in common in {', '.join(alone)}: left out.")
    for names, tasks in teams.items():
        if len(tasks) > 1:
            noun = "pair" if len(names) > 1 else "episode"
            found.append(
                f"{' and '.join(names)}: a round is one {noun} of each of {len(tasks)} tasks"
                f" ({', '.join(tasks)}), which count the same; {noun}s wait until their round is"
                " full."
            )
    return found


def _scenes(runs: Sequence[Followed]) -> dict[str, set[tuple[str, str | None]]]:
    """Return the task and scene of all that will come, by policy in the order of the runs."""
    found: dict[str, set[tuple[str, str | None]]] = {}
    for run in runs:
        for one in run.plan:
            found.setdefault(one.policy, set()).add((one.condition, one.scene))
    return found
