"""One row per judge and input setting: how far it goes with people, and by how much it misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.episodes.human import HumanScores
from assay.jobs._compare_points import Key, Point
from assay.jobs._compare_runs import JudgeOfRun
from assay.metrics.correlation import associate, gain
from assay.metrics.intervals import estimate_mean
from assay.metrics.raters import agree
from assay.metrics.results import Floats, Ints

__all__ = ["Compared", "agreement_of", "best_null", "merge_nulls", "row_of"]

_NAMES = ("people's score", "the judge's score")


@dataclass(frozen=True)
class Compared:
    """A judge of a run with its points, and the other runs in which a null judge says the same."""

    judge: JudgeOfRun
    points: Sequence[Point]
    also: tuple[str, ...] = ()

    def known(self) -> dict[Key, Point]:
        """Return the points that have a value."""
        return {point.key: point for point in self.points if point.value is not None}


def merge_nulls(compared: Sequence[Compared]) -> list[Compared]:
    """Return the judges with each null judge once, however many runs it says the same in."""
    found: list[Compared] = []
    for one in compared:
        twin = next((k for k, other in enumerate(found) if _same_null(one, other)), None)
        if twin is None:
            found.append(one)
        else:
            first = found[twin]
            found[twin] = Compared(first.judge, first.points, (*first.also, one.judge.setting))
    return found


def _same_null(a: Compared, b: Compared) -> bool:
    return a.judge.is_null and a.judge.judge == b.judge.judge and a.points == b.points


def best_null(compared: Sequence[Compared]) -> Compared | None:
    """Return the null judge with the highest linear correlation; None when none has one."""
    found = [(_pearson(one), place) for place, one in enumerate(compared) if one.judge.is_null]
    known = [(value, -place) for value, place in found if value is not None]
    return compared[-max(known)[1]] if known else None


def _pearson(one: Compared) -> float | None:
    x, y, episodes = _arrays(list(one.known().values()))
    return associate(x, y, episodes).pearson.value


def row_of(
    one: Compared, null: Compared | None, people: Mapping[Key, object], seed: int
) -> dict[str, Any]:
    """Return the row of `compare.json` for one judge of one run.

    Args:
        one: The judge and its points.
        null: The null judge that it has to beat, if there is one.
        people: All that people scored; what the run does not have is counted.
        seed: Decides the resampling of the mean errors.
    """
    points = list(one.known().values())
    x, y, episodes = _arrays(points)
    found = associate(x, y, episodes, names=_NAMES)
    missing = len({p.key[0] for p in one.points} - {p.key[0] for p in points})
    apart = np.bincount(episodes, weights=y - x) / np.maximum(np.bincount(episodes), 1)
    missed = np.bincount(episodes, weights=np.abs(y - x)) / np.maximum(np.bincount(episodes), 1)
    asked, present = {key[0] for key in people}, {point.key[0] for point in one.points}
    return {
        "judge": one.judge.judge,
        "setting": one.judge.setting,
        "also": list(one.also),
        "options": dict(one.judge.options),
        "fill": one.judge.fill,
        "null": one.judge.is_null,
        "passport": None if one.judge.passport is None else dict(one.judge.passport),
        "n": found.n,
        "points": found.points,
        "status": dict(sorted(Counter(point.status for point in one.points).items())),
        "absent": len(asked - present),
        "detail": next((point.detail for point in one.points if point.value is None), ""),
        "pearson": found.pearson.as_json(),
        "spearman": found.spearman.as_json(),
        "kendall": found.kendall.as_json(),
        "slope": found.slope.as_json(),
        "intercept": found.intercept.as_json(),
        "error": estimate_mean(
            missed, missing, worst_value=1.0, best_value=0.0, seed=seed
        ).as_json(),
        "bias": estimate_mean(
            np.clip(apart, -1, 1), missing, worst_value=-1.0, best_value=1.0, seed=seed
        ).as_json(),
        "lift": _lift(one, null),
    }


def _lift(one: Compared, null: Compared | None) -> dict[str, Any] | None:
    """Return the gain over the best null judge, on what both scored; None for a null judge."""
    if null is None or one.judge.is_null:
        return None
    own, other = one.known(), null.known()
    both = [key for key in own if key in other]
    x, y, episodes = _arrays([own[key] for key in both])
    z = np.array([other[key].value for key in both], dtype=np.float64)
    return {"over": null.judge.judge, **gain(x, y, z, episodes).as_json()}


def _arrays(points: Sequence[Point]) -> tuple[Floats, Floats, Ints]:
    """Return people's scores, the judge's, and the number of each point's episode."""
    x = np.array([point.human for point in points], dtype=np.float64)
    y = np.array([point.value for point in points], dtype=np.float64)
    return x, y, _numbered([point.key[0] for point in points])


def _numbered(names: Sequence[object]) -> Ints:
    """Return the place of each name among the different ones."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names], dtype=np.int64)


def agreement_of(human: HumanScores) -> dict[str, Any] | None:
    """Return how far the raters agree, as plain data; None when nothing was scored twice."""
    scores = np.array([score.score for score in human.scores])
    keys = [(score.episode, score.time) for score in human.scores]
    episodes = _numbered([episode for episode, _ in dict.fromkeys(keys)])
    raters = _numbered([score.rater for score in human.scores])
    found = agree(scores, _numbered(keys), raters, episodes)
    if found is None:
        return None
    return {
        "icc": found.single.as_json(),
        "reliability": found.mean,
        "ceiling": found.ceiling,
        "per_thing": found.per_thing,
        "pairwise": found.pairwise,
        "pairs": found.pairs,
    }
