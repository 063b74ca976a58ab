"""Few labels by people and a judge's scores of all episodes: means, with help and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.episodes.human_labels import SUCCESSES
from assay.jobs._compare_labels import Predicted, Target, predict, read_columns
from assay.jobs._compare_runs import Audited, JudgeOfRun
from assay.metrics.assisted import AssistedSettings, Labelled, assist
from assay.metrics.correlation import Figure
from assay.metrics.intervals import SMALLEST_SAMPLE, estimate_mean, estimate_share
from assay.metrics.results import WORST, Floats

__all__ = ["assisted_rows"]

_ALL_LABELLED = "people labelled every episode that the judge scored: it has nothing to add"
_ONE_LABEL = "fewer than 2 labelled episodes that the judge scored"
_NOT_ITS_OWN = "the judge says how far an episode got, not whether it succeeded"


@dataclass(frozen=True)
class _Group:
    """The episodes of one row: a run, or one policy of it."""

    policy: str | None
    episodes: Mapping[str, tuple[str, str]]


def assisted_rows(
    audited: Sequence[Audited], targets: Sequence[Target], score: str, seed: int
) -> list[dict[str, Any]]:
    """Return a row per target, run, judge and policy that has labels.

    A null judge that helps alike in several runs stands there once.

    Args:
        audited: The audits.
        targets: What people labelled.
        score: How a curve becomes a score.
        seed: Decides the resampling.
    """
    columns = {run.setting: read_columns(run) for run in audited}
    found: list[dict[str, Any]] = []
    for target in targets:
        for run in audited:
            for judge in run.judges:
                own = columns[run.setting].get(judge.judge, {})
                said = predict(target, judge, own, score)
                for group in _groups(run):
                    row = _row(target, judge, said, group, seed)
                    if row is not None:
                        _add(found, row)
    return found


def _add(found: list[dict[str, Any]], row: dict[str, Any]) -> None:
    """Add a row; of null judges that say the same in two runs the first one stands for both."""
    for other in found if row["null"] else ():
        if {**other, "setting": "", "also": []} == {**row, "setting": "", "also": []}:
            other["also"].append(row["setting"])
            return
    found.append(row)


def _groups(run: Audited) -> list[_Group]:
    """Return all episodes of a run, then those of each policy where there are several."""
    policies = sorted({policy for _, policy in run.groups.values()})
    parts = [
        _Group(name, {e: who for e, who in run.groups.items() if who[1] == name})
        for name in policies
    ]
    return [_Group(None, run.groups), *(parts if len(policies) > 1 else [])]


def _row(
    target: Target, judge: JudgeOfRun, said: Predicted, group: _Group, seed: int
) -> dict[str, Any] | None:
    """Return one row; None when nobody labelled an episode of the group."""
    asked = [episode for episode in group.episodes if episode in target.labels]
    if not asked:
        return None
    labelled = [episode for episode in asked if episode in said.values]
    others = [e for e in group.episodes if e in said.values and e not in target.labels]
    found: dict[str, Any] = {
        "metric": target.name,
        "source": target.source,
        "judge": judge.judge,
        "setting": judge.setting,
        "also": [],
        "null": judge.is_null,
        "policy": group.policy,
        "labels": len(labelled),
        "others": len(others),
        "unjudged": len(asked) - len(labelled),
        "unscored": len(group.episodes) - len(asked) - len(others),
        "short": target.short,
        "by": said.what,
        "judge_alone": _judge_alone(target, said, group, seed),
        "strata": None,
    }
    y = np.array([target.labels[episode] for episode in labelled])
    if len(labelled) < 2 or not others:
        why = _ONE_LABEL if len(labelled) < 2 else _ALL_LABELLED
        return {**found, **_without(y, why, seed)}
    by, names = _strata(group, labelled, others)
    f, g = (np.array([said.values[e] for e in part]) for part in (labelled, others))
    strata = None if names is None else [names[e] for e in labelled]
    there = None if names is None else [names[e] for e in others]
    helped = assist(Labelled(y, f, g, strata, there), AssistedSettings(seed=seed))
    count = None if names is None else {"by": by, "count": len(set(strata or ()))}
    return {**found, **helped.as_json(), "others": len(others), "strata": count, "why": None}


def _without(labels: Floats, why: str, seed: int) -> dict[str, Any]:
    """Return what labels say where a judge can't help."""
    alone = estimate_mean(labels, seed=seed)
    n = len(labels)
    figure = Figure(alone.value, alone.low, alone.high, n, alone.method, alone.why)
    none = Figure(None, None, None, n, why=why).as_json()
    return {
        "mean": none,
        "alone": figure.as_json(),
        "power": None,
        "correlation": none,
        "effective_labels": none,
        "width_ratio": None,
        "is_informative": None,
        "unseen": None,
        "warnings": [],
        "note": None,
        "why": why,
    }


def _judge_alone(target: Target, said: Predicted, group: _Group, seed: int) -> dict[str, Any]:
    """Return the mean of the judge's own numbers over all episodes: no label corrects it."""
    values = np.array([said.values[e] for e in group.episodes if e in said.values])
    unscored = len(group.episodes) - len(values)
    if not said.is_same:
        return Figure(None, None, None, len(values), why=_NOT_ITS_OWN).as_json()
    if target.name in SUCCESSES:
        return dict(estimate_share(int(values.sum()), len(values), unscored).as_json())
    worst = WORST.get(target.name, 0.0)
    found = estimate_mean(values, unscored, worst_value=worst, best_value=1.0 - worst, seed=seed)
    return dict(found.as_json())


def _strata(
    group: _Group, labelled: Sequence[str], others: Sequence[str]
) -> tuple[str, dict[str, str] | None]:
    """Return by what means are taken part by part, and the part of each episode.

    The finest division is taken of which every part has 5 labels and another episode; a part with
    fewer would rest on a few labels alone. Without one all episodes are one part.
    """
    ways = {
        "task and policy": {e: f"{task}, {policy}" for e, (task, policy) in group.episodes.items()},
        "task": {e: task for e, (task, _) in group.episodes.items()},
        "policy": {e: policy for e, (_, policy) in group.episodes.items()},
    }
    for by, names in ways.items():
        here, there = Counter(names[e] for e in labelled), Counter(names[e] for e in others)
        # Each of the two must matter: task and policy are finer only if both vary.
        if by == "task and policy" and min(_kinds(group, place) for place in (0, 1)) < 2:
            continue
        enough = here.keys() == there.keys() and min(here.values()) >= SMALLEST_SAMPLE
        if len(here) > 1 and enough:
            return by, names
    return "", None


def _kinds(group: _Group, place: int) -> int:
    return len({who[place] for who in group.episodes.values()})
