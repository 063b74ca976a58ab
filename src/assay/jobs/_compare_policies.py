"""Compare policies: every two of them in every metric, over all tasks and in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.jobs._compare_arms import Duel, Pairing, match, repeats
from assay.jobs._compare_cases import Case, Judges, Run, cases_of, judges_of, open_audits
from assay.jobs._compare_drops import drops_of
from assay.jobs._compare_duels import Compared, How, compare_two, rows_of
from assay.jobs._compare_metrics import SUCCESS, Metric, metrics_of
from assay.jobs._fingerprint import fingerprint
from assay.metrics.intervals import estimate_mean, estimate_share, mean_interval
from assay.metrics.multiplicity import letter_groups
from assay.metrics.plans import SideBySide
from assay.metrics.results import Estimate
from assay.reports.difference_page import alarms_of, write_difference_page

__all__ = ["BetweenPolicies", "policy_problems"]

_TOGETHER = "episodes of one scene or training belong together: no interval of the mean itself"
_FEW = "fewer than 5 episodes, or no spread in a range without ends: no interval"


@dataclass(frozen=True)
class BetweenPolicies:
    """A comparison of policies that has been read and checked, and not yet computed.

    Attributes:
        runs: The audits.
        cases: Their episodes.
        judges: Who judged.
        metrics: What is compared.
        duels: Every two policies with their episodes.
        how: Level, weights and randomness.
    """

    runs: Sequence[Run]
    cases: Sequence[Case]
    judges: Judges
    metrics: Sequence[Metric]
    duels: Sequence[Duel]
    how: How

    @classmethod
    def open(
        cls,
        asked: Sequence[str | Path],
        metrics: Sequence[str],
        *,
        pair: Pairing,
        across_judges: bool,
        how: How,
    ) -> BetweenPolicies:
        """Read the audits and decide who is compared with whom, and by which episodes.

        Raises:
            UsageError: What was asked for can't be compared.
            InputError: Data has changed between two of the audits.
            RunError: A run is not finished, or no audit.
        """
        runs = open_audits(asked, diagnoses=True)
        judges = judges_of(runs, across=across_judges)
        cases = cases_of(runs)
        policies = list(dict.fromkeys(case.policy for case in cases))
        if len(policies) < 2:
            raise UsageError(
                f"The runs hold one policy only, {''.join(policies[:1])!r}: name policies as"
                " POLICY=RUN, or compare its judges with people by --human FILE."
            )
        own = {name: [case for case in cases if case.policy == name] for name in policies}
        duels = [match((a, b), (own[a], own[b]), pair) for a, b in combinations(policies, 2)]
        return cls(runs, cases, judges, metrics_of(metrics, runs, cases), duels, how)

    @property
    def policies(self) -> list[str]:
        """Return the policies in the order of the runs."""
        return list(dict.fromkeys(case.policy for case in self.cases))

    def fingerprints(self) -> dict[str, str]:
        """Return what the result rests on."""
        files = [p for r in self.runs for p in (r.result, r.path / "episodes.parquet")]
        return {str(path): fingerprint(path) for path in files}

    def write(self, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Compare, write the page into `out` and return the document."""
        document = self._document(settings)
        write_difference_page(document, out)
        return document

    def _document(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        whole, parts = self._compared()
        rows = rows_of(whole, self.how)
        estimates = {name: self._estimates(name) for name in self.policies}
        return {
            "schema": "assay.compare/1",
            "kind": "policies",
            "settings": dict(settings),
            "level": self.how.level,
            "runs": [_run(run) for run in self.runs],
            "judge": {
                "name": self.judges.name,
                "differ": self.judges.differ,
                "described": [
                    {"as": name, **_described(one)} for name, one in self.judges.described.items()
                ],
            },
            "metrics": [metric.as_json() for metric in self.metrics],
            "policies": [self._policy(name, estimates[name]) for name in self.policies],
            "comparisons": [*rows, *rows_of(parts, self.how)],
            "groups": {m.name: _letters(m, rows, estimates) for m in self.metrics},
            "power": _side_by_side(whole, self.metrics),
            "drops": drops_of(
                self.cases, self.policies, self.metrics, level=self.how.level, seed=self.how.seed
            ),
            "warnings": self._warnings(),
            "notes": [note for duel in self.duels for note in _notes(duel)],
        }

    def _compared(self) -> tuple[list[Compared], list[Compared]]:
        """Return the comparisons over all tasks, and those of each task where there are several."""
        asked = [(metric, duel) for metric in self.metrics for duel in self.duels]
        whole = [compare_two(duel, metric, self.how, family=len(asked)) for metric, duel in asked]
        single = [
            (metric, duel, task)
            for metric, duel in asked
            if len({case.task for case in self.cases}) > 1
            for task in duel.tasks()
        ]
        parts = [
            compare_two(duel, metric, self.how, family=len(single), task=task)
            for metric, duel, task in single
        ]
        return whole, parts

    def _estimates(self, policy: str) -> dict[str, dict[str, Any]]:
        own = [case for case in self.cases if case.policy == policy]
        return {metric.name: _estimate(own, metric, self.how).as_json() for metric in self.metrics}

    def _policy(self, name: str, estimates: Mapping[str, Any]) -> dict[str, Any]:
        own = [case for case in self.cases if case.policy == name]
        marks = sorted({case.checkpoint for case in own} - {""})
        return {
            "name": name,
            "n": len(own),
            "checkpoints": marks,
            "tasks": sorted({case.task for case in own}),
            "status": dict(sorted(Counter(case.status for case in own).items())),
            "unscored": {m.name: sum(m.value(case) is None for case in own) for m in self.metrics},
            "estimates": dict(estimates),
        }

    def _warnings(self) -> list[str]:
        found = []
        if self.judges.differ:
            found.append(
                f"The runs were judged by different judges ({self.judges.differ}): a difference"
                " between policies may be one between judges."
            )
        epsilons = {(run.document.get("epsilon") or {}).get("value") for run in self.runs}
        if len(epsilons) > 1 and {m.column for m in self.metrics} & {"cra", "str"}:
            told = ", ".join(f"{value:g}" for value in sorted(e for e in epsilons if e is not None))
            found.append(f"The runs count standing still by different steps (epsilon {told}).")
        return [*found, *alarms_of(run.document for run in self.runs if run.is_audit)]


def policy_problems(document: Mapping[str, Any]) -> list[str]:
    """Return a sentence on each policy and metric with unscored episodes."""
    return [
        f"{policy['name']}: {n} of {policy['n']} episodes have no {metric}; left out, not 0."
        for policy in document["policies"]
        for metric, n in policy["unscored"].items()
        if n
    ]


def _estimate(cases: Sequence[Case], metric: Metric, how: How) -> Estimate:
    """Return the mean of a metric over the episodes of one policy, all counting the same."""
    known = [value for case in cases if (value := metric.value(case)) is not None]
    values, unscored = np.array(known, dtype=np.float64), len(cases) - len(known)
    if metric.is_share:
        found = estimate_share(int(values.sum()), len(known), unscored, level=how.level)
    elif metric.is_bounded or not known:
        ends = (metric.worst, metric.best) if metric.is_bounded else (0.0, 1.0)
        found = estimate_mean(
            values,
            unscored,
            worst_value=ends[0],
            best_value=ends[1],
            level=how.level,
            seed=how.seed,
        )
    else:
        low, high = metric.bounds
        mean, start, end, method = mean_interval(
            values, low=low, high=high, level=how.level, seed=how.seed
        )
        same = None if unscored else mean
        found = Estimate(mean, start, end, len(known), same, same, None if method else _FEW, method)
    if metric.up_is_good is False and metric.is_share:
        found = replace(found, worst=found.best, best=found.worst)
    if not repeats(cases):
        return found
    return replace(found, low=None, high=None, method="", why=_TOGETHER)


def _letters(
    metric: Metric, rows: Sequence[Mapping[str, Any]], estimates: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return the letters of each policy, best first: those that share one are not told apart."""
    means = {name: own[metric.name]["value"] for name, own in estimates.items()}
    sign = 1.0 if metric.up_is_good is False else -1.0
    names = sorted(means, key=lambda name: (means[name] is None, sign * (means[name] or 0.0)))
    apart = [
        (row["a"], row["b"])
        for row in rows
        if row["metric"] == metric.name and row["verdict"] and row["verdict"]["separable"]
    ]
    return letter_groups(names, apart)


def _side_by_side(whole: Sequence[Compared], metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """Return what the first dense metric and success need, for every two policies."""
    dense = next((metric.name for metric in metrics if not metric.is_share), None)
    named = [metric.name for metric in metrics]
    share = SUCCESS if SUCCESS in named else next((m.name for m in metrics if m.is_share), None)
    if dense is None or share is None:
        return []
    by_name = {(one.duel.names, one.metric.name): one for one in whole}
    return [
        {
            "a": names[0],
            "b": names[1],
            "paired": one.duel.is_paired,
            "dense_metric": dense,
            "share_metric": share,
            **SideBySide(one.needed, by_name[names, share].needed).as_json(),
        }
        for (names, metric), one in by_name.items()
        if metric == dense
    ]


def _notes(duel: Duel) -> list[str]:
    """Say of two policies how they were brought together, and what that left out."""
    a, b = duel.names
    if not all(duel.cases):
        return [f"{a} and {b} share no task: they are not compared."]
    kind = "scene by scene" if duel.is_paired else "task by task, without pairs"
    trained = ", by checkpoint" if duel.is_clustered else ""
    found = [f"{a} and {b} are compared {kind}{trained}."]
    if duel.tasks_left:
        found.append(f"Only one of {a} and {b} did {', '.join(duel.tasks_left)}: left out.")
    if any(duel.left):
        found.append(
            f"Episodes without a counterpart were left out: {duel.left[0]} of {a},"
            f" {duel.left[1]} of {b}."
        )
    return found


def _run(run: Run) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "policy": run.policy,
        "checkpoint": run.checkpoint,
        "judge": run.judge["name"],
    }


def _described(judge: Mapping[str, Any]) -> dict[str, Any]:
    return {key: judge.get(key) for key in ("name", "settings", "passport")}
