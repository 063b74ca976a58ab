"""What people say and what a judge says of the same episodes or moments, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from assay.episodes.human import HumanScores
from assay.jobs._compare_runs import Audited, JudgeOfRun
from assay.jobs._rundir import write_file
from assay.metrics.tails import last_part
from assay.records import Floats, Status

__all__ = ["SCORES", "Key", "Point", "Rated", "points_of", "rated", "write_points"]

SCORES: Mapping[str, Callable[[Floats], float]] = {
    "last30": last_part,
    "end": lambda values: float(values[-1]),
    "max": lambda values: float(np.max(values)),
}
"""How a curve becomes the score of its episode."""

Key: TypeAlias = tuple[str, float | None]
"""An episode, and a moment of it [s] or None for the whole."""


@dataclass(frozen=True)
class Rated:
    """What people say of one episode or moment: the mean of their scores, and how many."""

    score: float
    raters: int


@dataclass(frozen=True)
class Point:
    """One episode or moment that people scored and a run has.

    Attributes:
        key: Which one.
        human: The mean over raters, 0..1.
        raters: How many scored it.
        value: What the judge says, 0..1; None when it says nothing.
        status: "ok", or why there is no value.
        detail: More on that.
    """

    key: Key
    human: float
    raters: int
    value: float | None
    status: Status
    detail: str = ""


def rated(human: HumanScores) -> dict[Key, Rated]:
    """Return the mean over raters by episode and moment, sorted."""
    found: dict[Key, list[float]] = {}
    for score in human.scores:
        found.setdefault((score.episode, score.time), []).append(score.score)
    order = sorted(found, key=lambda key: (key[0], key[1] or 0.0))
    return {key: Rated(float(np.mean(found[key])), len(found[key])) for key in order}


def points_of(judge: JudgeOfRun, people: Mapping[Key, Rated], score: str) -> list[Point]:
    """Return the points of one judge; what is not in its run has none.

    Args:
        judge: The judge of a run.
        people: What people say.
        score: How a curve becomes a score, one of `SCORES`.
    """
    found = []
    for key, mean in people.items():
        episode, time = key
        if episode not in judge.scored:
            continue
        value, why = _whole(judge, episode, score) if time is None else _at(judge, episode, time)
        status = judge.scored[episode].status
        if value is None and status == "ok":
            status = "missing_frame"
        found.append(
            Point(key, mean.score, mean.raters, value, "ok" if value is not None else status, why)
        )
    return found


def _whole(judge: JudgeOfRun, episode: str, score: str) -> tuple[float | None, str]:
    """Return the score of an episode; an incomplete curve has none."""
    values = judge.values(episode)
    if not len(values) or np.isnan(values).any():
        return None, judge.scored[episode].detail
    return SCORES[score](values), ""


def _at(judge: JudgeOfRun, episode: str, time: float) -> tuple[float | None, str]:
    """Return the value at a moment, on the straight line between the judged moments around it.

    Past the first or the last of them its value holds for one step, and no longer.
    """
    times, values = judge.scored[episode].curve.times, judge.values(episode)
    if not len(times):
        return None, judge.scored[episode].detail
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    if not times[0] - step - 1e-9 <= time <= times[-1] + step + 1e-9:
        return None, f"the judge saw {times[0]:g} to {times[-1]:g} s, people scored {time:g} s"
    value = float(np.interp(time, times, values))
    return (None, judge.scored[episode].detail) if np.isnan(value) else (value, "")


def write_points(path: Path, points: Sequence[tuple[Audited, JudgeOfRun, Sequence[Point]]]) -> None:
    """Write `points.parquet`: a row per judge, run and scored episode or moment."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, number = pa.string(), pa.float64()
    fields: list[tuple[str, pa.DataType]] = [
        *[(name, text) for name in ("setting", "judge", "episode", "task", "policy")],
        *[(name, number) for name in ("time", "human")],
        ("raters", pa.int32()),
        ("value", number),
        *[(name, text) for name in ("status", "detail")],
    ]
    schema = pa.schema(fields, metadata={"schema": "assay.points/1"})
    rows = [_row(run, judge, point) for run, judge, own in points for point in own]
    table = pa.Table.from_pylist(rows, schema=schema)
    write_file(path, lambda partial: pq.write_table(table, partial, compression="zstd"))


def _row(run: Audited, judge: JudgeOfRun, point: Point) -> dict[str, Any]:
    episode, time = point.key
    task, policy = run.groups[episode]
    return {
        "setting": judge.setting,
        "judge": judge.judge,
        "episode": episode,
        "task": task,
        "policy": policy,
        "time": time,
        "human": point.human,
        "raters": point.raters,
        "value": point.value,
        "status": point.status,
        "detail": point.detail,
    }
