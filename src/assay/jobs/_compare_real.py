"""Hold simulation against reality: do policies come out alike in both?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.benchmarks.passport.identity import difference
from assay.errors import UsageError, nearest
from assay.jobs._compare_arms import repeats
from assay.jobs._compare_cases import Case, Judges, Run, cases_of, judges_of, open_audits
from assay.jobs._compare_metrics import Metric, metrics_of
from assay.jobs._compare_sides import NAMES, Matched, Two, match_sides, name_of, refuse_shared
from assay.jobs._fingerprint import fingerprint
from assay.metrics.intervals import estimate_mean, estimate_share
from assay.metrics.results import Floats
from assay.metrics.sim_real import compare_sim_real
from assay.reports.difference_page import alarms_of
from assay.reports.real_page import write_real_page

__all__ = ["SimAgainstReal", "real_problems"]

_FIGURES = ("pearson", "spearman", "kendall", "mmrv")
_FEW = "fewer than 2 policies have a value on both sides"


@dataclass(frozen=True)
class SimAgainstReal:
    """Simulation against reality, read and checked, and not yet computed.

    Attributes:
        runs: The audits of simulation and of reality.
        judges: Who judged on each side.
        metrics: What is compared.
        matched: The policies, tasks and episodes of both sides.
        level: The wanted coverage of intervals.
        seed: Decides the resampling.
    """

    runs: tuple[Sequence[Run], Sequence[Run]]
    judges: tuple[Judges, Judges]
    metrics: Sequence[Metric]
    matched: Matched
    level: float
    seed: int

    @classmethod
    def open(
        cls,
        sim: Sequence[str | Path],
        real: Sequence[str | Path],
        metrics: Sequence[str],
        *,
        across_judges: bool,
        level: float,
        seed: int,
    ) -> SimAgainstReal:
        """Read the audits of both sides and match their policies and tasks.

        Judges must agree within a side, as among policies; between the sides they may differ, and
        the page begins with that.

        Raises:
            UsageError: What was asked for can't be compared.
            RunError: A run is not finished, or no audit.
        """
        runs = open_audits(sim), open_audits(real)
        refuse_shared(*runs)
        judges = tuple(judges_of(side, across=across_judges) for side in runs)
        cases = cases_of(runs[0]), cases_of(runs[1])
        found = _metrics(metrics, runs, cases)
        return cls(runs, (judges[0], judges[1]), found, match_sides(*cases), level, seed)

    def fingerprints(self) -> dict[str, str]:
        """Return what the result rests on."""
        names = ("audit.json", "episodes.parquet")
        runs = [run for side in self.runs for run in side]
        return {f"{run.path}/{n}": fingerprint(run.path / n) for run in runs for n in names}

    def write(self, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Compare, write the page into `out` and return the document."""
        document = self._document(settings)
        write_real_page(document, out)
        return document

    def _document(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        matched = self.matched
        several = matched.tasks if len(matched.tasks or ()) > 1 else ()
        parts = [(None, matched.whole), *((task, matched.of_task(task)) for task in several or ())]
        return {
            "schema": "assay.compare/1",
            "kind": "sim-real",
            "settings": dict(settings),
            "level": self.level,
            "runs": [
                {"side": name, **_run(run)}
                for name, side in zip(NAMES, self.runs, strict=True)
                for run in side
            ],
            "judges": [
                {"side": name, "as": shown, **_described(one)}
                for name, judges in zip(NAMES, self.judges, strict=True)
                for shown, one in judges.described.items()
            ],
            "metrics": [metric.as_json() for metric in self.metrics],
            "policies": [self._policy(name) for name in matched.policies],
            "comparisons": [
                self._row(metric, task, cases) for metric in self.metrics for task, cases in parts
            ],
            "alone": [_alone(matched, place) for place in (0, 1)],
            "tasks": None if matched.tasks is None else list(matched.tasks),
            "alone_tasks": [list(names) for names in matched.alone_tasks],
            "warnings": self._warnings(),
            "notes": self._notes(),
        }

    def _policy(self, name: str) -> dict[str, Any]:
        sides = [[c for c in side if name_of(c) == name] for side in self.matched.cases]
        return {
            "name": name,
            "n": [len(own) for own in sides],
            "status": [dict(sorted(Counter(c.status for c in own).items())) for own in sides],
            "unscored": {
                metric.name: [sum(metric.value(c) is None for c in own) for own in sides]
                for metric in self.metrics
            },
        }

    def _row(self, metric: Metric, task: str | None, cases: Two) -> dict[str, Any]:
        """Compare one metric over the whole or in one task."""
        sides = [{name: _values(metric, own, name) for name in self._names(own)} for own in cases]
        names = [n for n in self.matched.policies if all(len(s.get(n, ())) for s in sides)]
        found: dict[str, Any] = {
            "metric": metric.name,
            "task": task,
            "policies": [
                {
                    "name": name,
                    **{
                        kind: self._estimate(metric, own, name, values[name])
                        for kind, own, values in zip(("sim", "real"), cases, sides, strict=True)
                    },
                }
                for name in names
            ],
        }
        if len(names) < 2:
            nothing: dict[str, Any] = dict.fromkeys(_FIGURES)
            return {**found, **nothing, "pairs": 0, "resolved": 0, "why": _FEW}
        made = compare_sim_real(
            *({name: values[name] for name in names} for values in sides),
            bounds=metric.bounds,
            level=self.level,
            seed=self.seed,
        )
        figures = {kind: getattr(made, kind).as_json() for kind in _FIGURES}
        return {**found, **figures, "pairs": made.pairs, "resolved": made.resolved, "why": None}

    def _names(self, cases: Sequence[Case]) -> list[str]:
        present = {name_of(case) for case in cases}
        return [name for name in self.matched.policies if name in present]

    def _estimate(
        self, metric: Metric, cases: Sequence[Case], name: str, values: Floats
    ) -> dict[str, Any]:
        """Return the mean of one policy on one side."""
        unscored = sum(name_of(case) == name for case in cases) - len(values)
        if metric.is_share:
            found = estimate_share(int(values.sum()), len(values), unscored, level=self.level)
        else:
            found = estimate_mean(
                values,
                unscored,
                worst_value=metric.worst,
                best_value=metric.best,
                level=self.level,
                seed=self.seed,
            )
        return dict(found.as_json())

    def _warnings(self) -> list[str]:
        found = []
        for name, judges in zip(NAMES, self.judges, strict=True):
            if judges.differ:
                found.append(
                    f"The runs of {name} were judged by different judges ({judges.differ}): a"
                    " difference between policies may be one between judges."
                )
        apart = _between(self.judges)
        if apart:
            found.append(
                f"Simulation and reality were judged by different judges ({apart}): the bias of"
                " each is part of the gap between the two."
            )
        mixed = self.matched.mixed()
        if mixed:
            found.append(
                f"In {' and in '.join(mixed)} policies did the tasks in different proportions, so"
                " that their means differ by tasks too: read the single tasks."
            )
        return [*found, *alarms_of(run.document for side in self.runs for run in side)]

    def _notes(self) -> list[str]:
        matched, found = self.matched, []
        for place, name in enumerate(NAMES):
            lost = _alone(matched, place)
            told = [
                one["name"] + (f" (nearest: {one['nearest'][0]})" if one["nearest"] else "")
                for one in lost["policies"]
            ]
            if told:
                found.append(f"Only {name} has {', '.join(told)}: left out.")
            tasks = matched.alone_tasks[place]
            if matched.tasks is not None and tasks:
                found.append(f"Only {name} did {', '.join(tasks)}: left out.")
        found += self._partly_done()
        if matched.tasks is None:
            first, second = (names[0] for names in matched.alone_tasks)
            found.append(
                f"The tasks have different names, {first} and {second}, and are taken for one."
            )
        for name, side in zip(NAMES, matched.cases, strict=True):
            own = {policy: [c for c in side if name_of(c) == policy] for policy in matched.policies}
            if any(repeats(cases) for cases in own.values()):
                found.append(
                    f"In {name} several episodes share a scene and count as independent: where"
                    " they are alike the intervals are too short."
                )
        return [*found, *self._made_otherwise()]

    def _partly_done(self) -> list[str]:
        """Say which tasks stand by themselves only, since some policy lacks them."""
        whole = {case.condition for side in self.matched.whole for case in side}
        lost = [task for task in self.matched.tasks or () if task not in whole]
        told = f"Not every policy did {', '.join(lost)} on both sides: left out of all tasks."
        return [told] if lost else []

    def _made_otherwise(self) -> list[str]:
        """Say where the runs came to their numbers in different ways."""
        documents = [run.document for side in self.runs for run in side]
        columns = {metric.column for metric in self.metrics}
        found = []
        steps = {float(one["epsilon"]["value"]) for one in documents if one.get("epsilon")}
        if len(steps) > 1 and columns & {"cra", "str"}:
            told = ", ".join(f"{value:g}" for value in sorted(steps))
            found.append(f"The runs count standing still by different steps (epsilon {told}).")
        sources = {str(one["success_source"]) for one in documents if one.get("success_source")}
        if len(sources) > 1 and any(name.startswith("success") for name in columns):
            found.append(f"Success comes from different sources: {', '.join(sorted(sources))}.")
        return found


def real_problems(document: Mapping[str, Any]) -> list[str]:
    """Return a sentence on each policy, side and metric with unscored episodes."""
    return [
        f"{policy['name']} in {side}: {n} of {total} episodes have no {metric}; left out, not 0."
        for policy in document["policies"]
        for metric, counts in policy["unscored"].items()
        for side, n, total in zip(NAMES, counts, policy["n"], strict=True)
        if n
    ]


def _metrics(
    asked: Sequence[str], runs: tuple[Sequence[Run], Sequence[Run]], cases: Two
) -> list[Metric]:
    """Return the metrics; both sides need values of each, and each needs a range with ends."""
    everywhere = [*runs[0], *runs[1]]
    found = metrics_of(asked, everywhere, [*cases[0], *cases[1]])
    kept = []
    for metric in found:
        empty = [
            name
            for name, side in zip(NAMES, cases, strict=True)
            if all(metric.value(case) is None for case in side)
        ]
        if not empty:
            kept.append(metric)
        elif asked or len(found) == 1:
            raise UsageError(
                f"No episode of {empty[0]} has a value of {metric.name!r}: both sides need the"
                " same metric."
            )
        if not metric.is_bounded:
            raise UsageError(
                f"--metric {metric.name} has no largest value: simulation and reality are compared"
                " by what lies in 0..1."
            )
    return kept


def _values(metric: Metric, cases: Sequence[Case], name: str) -> Floats:
    known = [metric.value(case) for case in cases if name_of(case) == name]
    return np.array([value for value in known if value is not None], dtype=np.float64)


def _between(judges: tuple[Judges, Judges]) -> str:
    """Say how the judges of the two sides differ; empty when they don't."""
    if judges[0].name != judges[1].name:
        return f"{judges[0].name} in simulation, {judges[1].name} in reality"
    first, second = (next(iter(side.described.values())) for side in judges)
    return difference(first, second)


def _alone(matched: Matched, place: int) -> dict[str, Any]:
    other = [*matched.alone[1 - place], *matched.policies]
    return {
        "side": NAMES[place],
        "policies": [
            {"name": name, "nearest": nearest(name, other, count=1)}
            for name in matched.alone[place]
        ],
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "policy": run.policy,
        "checkpoint": run.checkpoint,
        "judge": run.judge["name"],
    }


def _described(judge: Mapping[str, Any]) -> dict[str, Any]:
    return {key: judge.get(key) for key in ("name", "settings", "passport")}
