"""What people's labels are of, and what a judge says of the same for every episode of its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.episodes.human import HumanScores
from assay.episodes.human_labels import SUCCESSES, Labels
from assay.jobs._compare_points import SCORES, Key, Rated
from assay.jobs._compare_runs import Audited, JudgeOfRun
from assay.jobs._rundir import read_document
from assay.metrics.opd import opd
from assay.metrics.results import METRICS

__all__ = ["PROGRESS", "Predicted", "Target", "predict", "read_columns", "targets_of"]

PROGRESS = "progress"
"""What people's scores themselves are called among metrics."""

_OF_A_CURVE = ("mc", "mp", "ppl", "cra")
"""STR is left out: it counts steps, and people's moments are further apart than a judge's."""

_EPSILON = 0.01  # decides STR alone
_SHORTEST = 2  # moments; one moment is no curve


@dataclass(frozen=True)
class Target:
    """One number of each episode that people told for some of them.

    Attributes:
        name: "progress", or the column of `episodes.parquet`.
        source: Where the labels come from: scores of episodes, people's curve, or a column.
        labels: The labels by episode, 0..1.
        short: How many scored episodes have too few moments for it.
    """

    name: str
    source: Literal["score", "curve", "column"]
    labels: Labels
    short: int = 0


@dataclass(frozen=True)
class Predicted:
    """What a judge says.

    Attributes:
        values: Its number by episode; what it did not score is not there.
        what: The number in words.
        is_same: Whether it is the judge's own figure of what people labelled; else it only goes
            with it, and its mean would say nothing.
    """

    values: Mapping[str, float]
    what: str
    is_same: bool = True


def targets_of(
    human: HumanScores, people: Mapping[Key, Rated], columns: Mapping[str, Labels]
) -> list[Target]:
    """Return what people's labels are of: progress, metrics of their curves, and columns.

    Args:
        human: The scores.
        people: Their means over raters by episode and moment, in the order of time.
        columns: The labels of other columns.
    """
    curves: dict[str, list[float]] = {}
    for (episode, _), one in people.items():
        curves.setdefault(episode, []).append(one.score)
    source: Literal["score", "curve"] = "curve" if human.by_moment else "score"
    means = {episode: float(np.mean(values)) for episode, values in curves.items()}
    found = [Target(PROGRESS, source, means)]
    if human.by_moment:
        found += _of_curves(curves)
    return [*found, *(Target(name, "column", own) for name, own in columns.items())]


def _of_curves(curves: Mapping[str, Sequence[float]]) -> list[Target]:
    """Return the metrics of people's curves, at the moments that they scored."""
    long = {name: values for name, values in curves.items() if len(values) >= _SHORTEST}
    if not long:
        return []
    values = np.concatenate([np.asarray(own, dtype=np.float64) for own in long.values()])
    offsets = np.concatenate([[0], np.cumsum([len(own) for own in long.values()])])
    table, short = opd(values, offsets, epsilon=_EPSILON), len(curves) - len(long)
    return [
        Target(
            name, "curve", dict(zip(long, table.column(name).tolist(), strict=True)), short=short
        )
        for name in _OF_A_CURVE
    ]


def read_columns(run: Audited) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return the metrics of a run by judge and episode; successes only if its judges told them."""
    import pyarrow.parquet as pq

    told = (read_document(run.path / "audit.json")["settings"]).get("success_at") is not None
    wanted = [*METRICS, *(SUCCESSES if told else ())]
    table = pq.read_table(run.path / "episodes.parquet", columns=["judge", "episode", *wanted])
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in table.to_pylist():
        own = {name: row[name] for name in wanted if row[name] is not None}
        found.setdefault(row["judge"], {})[row["episode"]] = own
    return found


def predict(
    target: Target, judge: JudgeOfRun, columns: Mapping[str, Mapping[str, Any]], score: str
) -> Predicted:
    """Return what a judge says of a target, in the same way for every episode of its run.

    Args:
        target: What people labelled.
        judge: The judge of a run.
        columns: The metrics of its curves by episode, from `read_columns`.
        score: How a curve becomes a score, one of `SCORES`.
    """
    if target.name == PROGRESS and target.source == "curve":
        return Predicted(_of_whole(judge, "mean"), "the mean of its curve")
    if target.name == PROGRESS:
        return Predicted(_of_whole(judge, score), "its score of the episode")
    known = {name: float(row[target.name]) for name, row in columns.items() if target.name in row}
    if known or target.name not in SUCCESSES:
        return Predicted(known, f"{target.name} of its curve")
    what = "its score of the episode, as its run has no rule for success"
    return Predicted(_of_whole(judge, score), what, is_same=False)


def _of_whole(judge: JudgeOfRun, score: str) -> dict[str, float]:
    """Return a number of each complete curve: one of `SCORES`, or its mean."""
    found = {}
    for episode in judge.scored:
        values = judge.values(episode)
        if len(values) and not np.isnan(values).any():
            found[episode] = SCORES[score](values) if score in SCORES else float(np.mean(values))
    return found
