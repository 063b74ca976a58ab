"""Match the policies and tasks of simulation with those of reality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from assay.episodes.tables import quoted
from assay.errors import UsageError, nearest
from assay.jobs._compare_cases import Case, Run

__all__ = ["NAMES", "Matched", "Two", "match_sides", "name_of", "refuse_shared"]

NAMES = ("simulation", "reality")
"""What the two sides are called."""

Two: TypeAlias = tuple[Sequence[Case], Sequence[Case]]

_FEWEST = 2
"""With one policy there is no order to be wrong about."""

_MIXED = 0.05  # by which share of its episodes a policy's tasks may differ from another's


@dataclass(frozen=True)
class Matched:
    """The episodes that are compared.

    Attributes:
        policies: The policies that both sides have, sorted.
        alone: The policies that only simulation has, and those that only reality has.
        tasks: The tasks that both sides have; None when each side has one, by another name.
        alone_tasks: The tasks of one side only, likewise.
        cases: The episodes of the common policies and tasks.
    """

    policies: tuple[str, ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]]
    tasks: tuple[str, ...] | None
    alone_tasks: tuple[tuple[str, ...], tuple[str, ...]]
    cases: Two

    @property
    def whole(self) -> Two:
        """Return the episodes of the tasks that every policy did on both sides, if there are any.

        A mean over other tasks would tell policies apart by their tasks.
        """
        done = [
            {case.condition for case in side if name_of(case) == policy}
            for side in self.cases
            for policy in self.policies
        ]
        shared = set.intersection(*done)
        if self.tasks is None or not shared:
            return self.cases
        sim, real = ([c for c in side if c.condition in shared] for side in self.cases)
        return sim, real

    def of_task(self, task: str) -> Two:
        """Return the episodes of one task."""
        sim, real = ([c for c in side if c.condition == task] for side in self.cases)
        return sim, real

    def mixed(self) -> list[str]:
        """Return the sides on which policies did the same tasks in other proportions."""
        return [
            name
            for name, side in zip(NAMES, self.whole, strict=True)
            if _spread(side, self.policies) > _MIXED
        ]


def name_of(case: Case) -> str:
    """Return what a policy is called here: each training of it is a policy of its own."""
    return f"{case.policy}/{case.checkpoint}" if case.checkpoint else case.policy


def refuse_shared(sim: Sequence[Run], real: Sequence[Run]) -> None:
    """Refuse a run, or the same data, on both sides.

    Raises:
        UsageError: One is there.
    """
    known = {run.path.resolve(): run for run in sim}
    data = {place: run for run in sim for place in _inputs(run).items()}
    for run in real:
        if run.path.resolve() in known:
            raise UsageError(
                f"The run {run.path} stands on both sides: give the real one to --real alone."
            )
        for place in _inputs(run).items():
            if place in data:
                raise UsageError(
                    f"{data[place].path} and {run.path} judged the same episodes, {place[0]}:"
                    " simulation and reality need each their own."
                )


def _inputs(run: Run) -> dict[str, str]:
    """Return the fingerprints of the episodes of a run by path."""
    paths = (str(Path(one["path"])) for one in run.document.get("inputs") or ())
    return {path: run.prints[path] for path in paths if path in run.prints}


def match_sides(sim: Sequence[Case], real: Sequence[Case]) -> Matched:
    """Return the policies and tasks that both sides have, and their episodes.

    Raises:
        UsageError: There are too few common policies, or no common task.
    """
    cases = sim, real
    policies, alone = _common([{name_of(case) for case in side} for side in cases])
    if len(policies) < _FEWEST:
        raise UsageError(_too_few(policies, alone))
    kept = [[case for case in side if name_of(case) in policies] for side in cases]
    tasks, alone_tasks = _common([{case.condition for case in side} for side in kept])
    if tasks:
        kept = [[case for case in side if case.condition in tasks] for side in kept]
    elif max(map(len, alone_tasks)) > 1:
        first, second = (quoted(names[:3]) for names in alone_tasks)
        raise UsageError(
            f"Simulation and reality have no task in common: {first} against {second}"
            f"{_near(alone_tasks[0][0], alone_tasks[1])}; name them alike."
        )
    return Matched(policies, alone, tasks or None, alone_tasks, (kept[0], kept[1]))


def _common(
    names: Sequence[set[str]],
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the names of both sides, and those of one side only, sorted."""
    both = names[0] & names[1]
    return tuple(sorted(both)), (tuple(sorted(names[0] - both)), tuple(sorted(names[1] - both)))


def _too_few(policies: Sequence[str], alone: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    shared = f"only {policies[0]!r}" if policies else "no policy"
    lost = [
        f"{quoted(own[:3])}{' and others' if len(own) > 3 else ''} of {name}"
        for name, own in zip(NAMES, alone, strict=True)
        if own
    ]
    told = f": without a counterpart {' and '.join(lost)}" if lost else ""
    near = _near(alone[0][0], alone[1]) if all(alone) else ""
    return (
        f"Simulation and reality share {shared}, and {_FEWEST} policies are needed{told}{near};"
        " name them alike by POLICY=RUN."
    )


def _near(name: str, others: Sequence[str]) -> str:
    close = nearest(name, others, count=1)
    return f" (nearest to {name!r}: {close[0]!r})" if close else ""


def _spread(side: Sequence[Case], policies: Sequence[str]) -> float:
    """Return by how much the share of a task differs among policies at most."""
    by_policy: list[Mapping[str, float]] = []
    tasks = {case.condition for case in side}
    for policy in policies:
        own = [case.condition for case in side if name_of(case) == policy]
        by_policy.append({task: own.count(task) / max(len(own), 1) for task in tasks})
    shares = [[own[task] for own in by_policy] for task in tasks]
    return max((max(own) - min(own) for own in shares), default=0.0)
