"""Try a new judge on held-out episodes, beside the null judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from assay.engine import Journal
from assay.jobs._judging import Judging, Results
from assay.jobs._train_fit import TRIALS, WORK
from assay.jobs._train_lessons import Lesson, Lessons
from assay.jobs._train_scores import Held, calibration, scores
from assay.jobs._train_shown import Shown, shown, shown_back
from assay.jobs._units import Scored
from assay.judges import make_judge
from assay.judges.base import ProgressJudge
from assay.judges.prm_mini import PrmMini
from assay.records import Floats
from assay.reports.training_page import Example

__all__ = ["NULLS", "OWN", "Tried", "try_judges"]

OWN = "this judge"
NULLS = ("ramp", "pixel-change", "constant")
"""The judges without understanding that stand beside the new one."""

_PICTURES = 6
_MOST_TRIED = 60  # episodes; more would only take time


@dataclass(frozen=True, eq=False)
class Tried:
    """How the judges did.

    Attributes:
        count: On how many episodes they were tried.
        rows: Their figures, as `train.json` has them.
        calibration: That of the new judge.
        examples: Episodes to look at.
    """

    count: int
    rows: list[dict[str, Any]]
    calibration: list[dict[str, Any]]
    examples: list[Example]


@dataclass(frozen=True, eq=False)
class _Trial:
    """A lesson as it was shown: forward, and there and back."""

    lesson: Lesson
    forward: Shown
    back: Shown


def try_judges(lessons: Lessons, folder: Path, asked: Mapping[str, Any], jobs: int | None) -> Tried:
    """Let the judge in `folder` and the nulls judge the held-out episodes."""
    nulls = {name: cast("ProgressJudge", make_judge(name)) for name in NULLS}
    judges: dict[str, ProgressJudge] = {OWN: PrmMini(weights=folder), **nulls}
    trials = [
        _Trial(one, shown(one.prepared), shown_back(one.prepared)) for one in _some(lessons.judged)
    ]
    results = _judged(judges, trials, folder, asked["fps"], jobs)
    held = {n: [_compared(one, one.forward, results[n]) for one in trials] for n in judges}
    back = {n: [_compared(one, one.back, results[n]) for one in trials] for n in judges}
    rows = [_row(name, held[name], back[name], asked["seed"]) for name in judges]
    own = [one for one in held[OWN] if one is not None]
    return Tried(len(trials), rows, calibration(own), _examples(trials, held, results))


def _some(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Return at most 60 of the lessons, from the first to the last."""
    count = min(_MOST_TRIED, len(lessons))
    return [lessons[at] for at in np.linspace(0, len(lessons) - 1, count).round().astype(int)]


def _judged(
    judges: Mapping[str, ProgressJudge],
    trials: Sequence[_Trial],
    folder: Path,
    fps: float,
    jobs: int | None,
) -> Results:
    episodes = [part.episode for one in trials for part in (one.forward, one.back)]
    with Journal(folder / WORK / TRIALS, "trials") as journal:
        return Judging(judges, journal, fps, jobs).results(episodes, {})


def _compared(one: _Trial, part: Shown, scored: Mapping[str, Scored]) -> Held | None:
    """Return what a judge says beside what is known; None when it gave no whole curve."""
    found = scored[part.episode.id]
    if found.status != "ok":
        return None
    curve = found.curve
    truth = part.worth(one.lesson.target.values, curve.times)
    return Held(truth, curve.values, one.lesson.episode.outcome is not False)


def _row(
    name: str, forward: Sequence[Held | None], back: Sequence[Held | None], seed: int
) -> dict[str, Any]:
    told = [one for one in forward if one is not None]
    turned = [one for one in back if one is not None]
    return {
        "judge": name,
        **scores(told, len(forward) - len(told), seed),
        "back": scores(turned, len(back) - len(turned), seed)["pairs"],
    }


def _examples(
    trials: Sequence[_Trial], held: Mapping[str, Sequence[Held | None]], results: Results
) -> list[Example]:
    """Choose the best, the middle and the worst of the successes and of the failures."""
    found = []
    for success in (True, False):
        own = [
            (_error(one), place, one)
            for place, one in enumerate(held[OWN])
            if one is not None and one.success is success
        ]
        ranked = sorted(own, key=lambda row: row[:2])
        for at in sorted({0, len(ranked) // 2, len(ranked) - 1}) if ranked else ():
            error, place, one = ranked[at]
            ramp = held["ramp"][place]
            times = results[OWN][trials[place].forward.episode.id].curve.times
            curves = {"known": one.truth, OWN: one.guess}
            curves |= {} if ramp is None else {"ramp": ramp.guess}
            found.append(_example(trials[place].lesson, error, times, curves))
    return found


def _error(one: Held) -> float:
    return float(np.nanmean(np.abs(one.truth - one.guess)))


def _example(lesson: Lesson, error: float, times: Floats, curves: Mapping[str, Floats]) -> Example:
    prepared, episode = lesson.prepared, lesson.episode
    view = next(iter(prepared.files))
    frames = prepared.frames(view)
    places = np.linspace(0, len(prepared.times) - 1, _PICTURES).round().astype(int)
    ending = {True: "a success", False: "a failure", None: "not labelled"}[episode.outcome]
    return Example(
        name=episode.id,
        note=f"{episode.task}, {ending}, view {view}; mean error {100 * error:.1f}",
        times=times,
        curves=curves,
        pictures=[(float(prepared.times[at]), np.array(frames[at])) for at in places],
    )
