"""Bring the episodes of two policies together: scene by scene, or task by task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.jobs._compare_cases import Case
from assay.jobs._compare_metrics import Metric
from assay.metrics.results import Floats
from assay.metrics.strata import Weighting, numbered, stratum_shares, value_weights

__all__ = ["PAIRINGS", "Arms", "Duel", "Pairing", "arms_of", "match", "reach_of", "repeats"]

Pairing: TypeAlias = Literal["auto", "scene", "none"]
Key: TypeAlias = tuple[str, str, str]
Two: TypeAlias = tuple[Sequence[Case], Sequence[Case]]

PAIRINGS = ("auto", "scene", "none")


@dataclass(frozen=True)
class Duel:
    """Two policies and the episodes by which they are compared.

    Attributes:
        names: The two policies.
        cases: Their episodes that are compared.
        is_paired: Whether they are compared scene by scene.
        is_clustered: Whether one of them was trained several times.
        tasks_left: Tasks, or changed tasks, that only one of them did.
        left: How many episodes of each were left out for want of a partner.
    """

    names: tuple[str, str]
    cases: Two
    is_paired: bool
    is_clustered: bool
    tasks_left: tuple[str, ...]
    left: tuple[int, int]

    def of_task(self, task: str) -> Duel:
        """Return the same for one task."""
        first, second = ([case for case in own if case.task == task] for own in self.cases)
        return Duel(self.names, (first, second), self.is_paired, self.is_clustered, (), (0, 0))

    def tasks(self) -> list[str]:
        """Return the tasks that both did, sorted."""
        first, second = ({case.task for case in own} for own in self.cases)
        return sorted(first & second)


@dataclass(frozen=True, eq=False)
class Arms:
    """The values of two policies in one metric; paired ones are of the same shape (n,).

    Attributes:
        values: Those of a and of b.
        strata: The task of each value, with what was changed in it.
        clusters: What belongs together, or None when every value stands for itself.
        unscored: How many episodes of each have no value, by status.
    """

    values: tuple[Floats, Floats]
    strata: tuple[list[str], list[str]]
    clusters: tuple[list[str], list[str]] | None
    unscored: tuple[dict[str, int], dict[str, int]]


def match(names: tuple[str, str], cases: Two, pair: Pairing) -> Duel:
    """Decide how two policies are compared, and by which episodes.

    Scenes are paired when at least half of those of each policy are also the other's. When a
    policy was trained several times, its checkpoints must be the other's as well.

    Raises:
        UsageError: Pairs are wanted, and there is no common scene.
    """
    homes = [{case.condition for case in own} for own in cases]
    both = homes[0] & homes[1]
    kept = [[case for case in own if case.condition in both] for own in cases]
    marks = [{case.checkpoint for case in own} for own in cases]
    is_clustered = max(map(len, marks)) > 1
    keys = [{_key(case, is_clustered) for case in own} for own in kept]
    common = {key for key in keys[0] & keys[1] if key is not None}
    loose = [sum(case.scene is None for case in own) for own in kept]
    sizes = [len(own - {None}) + free for own, free in zip(keys, loose, strict=True)]
    if pair == "scene" and not common:
        raise UsageError(
            f"{names[0]} and {names[1]} have no scene in common within a task, so that --pair scene"
            " has nothing to pair."
        )
    much = 2 * len(common) >= max(sizes) and (not is_clustered or marks[0] == marks[1])
    is_paired = bool(common) and (pair == "scene" or (pair == "auto" and much))
    if is_paired:
        kept = [[case for case in own if _key(case, is_clustered) in common] for own in kept]
    lost = [len(own) - len(rest) for own, rest in zip(cases, kept, strict=True)]
    apart = tuple(sorted(homes[0] ^ homes[1]))
    return Duel(names, (kept[0], kept[1]), is_paired, is_clustered, apart, (lost[0], lost[1]))


def _key(case: Case, is_clustered: bool) -> Key | None:  # noqa: FBT001 - one of two kinds of key
    """Return what a pair shares; None when the episode names no scene."""
    if case.scene is None:
        return None
    return (case.condition, case.scene, case.checkpoint if is_clustered else "")


def arms_of(duel: Duel, metric: Metric) -> Arms:
    """Return the values that are compared: means over a scene's episodes, or all episodes."""
    unscored = tuple(_unscored(own, metric) for own in duel.cases)
    lost = (unscored[0], unscored[1])
    if duel.is_paired:
        means = [(key, _mean(a, metric), _mean(b, metric)) for key, a, b in _pairs(duel)]
        known = [(key, a, b) for key, a, b in means if a is not None and b is not None]
        strata = [key[0] for key, _, _ in known]
        marks = [key[2] for key, _, _ in known]
        return Arms(
            (np.array([a for _, a, _ in known]), np.array([b for _, _, b in known])),
            (strata, strata),
            (marks, marks) if duel.is_clustered else None,
            lost,
        )
    scored = [[case for case in own if metric.value(case) is not None] for own in duel.cases]
    both = {case.condition for case in scored[0]} & {case.condition for case in scored[1]}
    first, second = ([case for case in own if case.condition in both] for own in scored)
    values = [np.array([metric.value(c) for c in own], float) for own in (first, second)]
    return Arms(
        (values[0], values[1]),
        ([case.condition for case in first], [case.condition for case in second]),
        _clusters(duel, first, second),
        lost,
    )


def repeats(cases: Sequence[Case]) -> bool:
    """Tell whether episodes belong together: several of one scene, or of several trainings."""
    scenes = [(case.condition, case.scene) for case in cases if case.scene is not None]
    return len(set(scenes)) < len(scenes) or len({case.checkpoint for case in cases}) > 1


def _clusters(
    duel: Duel, first: Sequence[Case], second: Sequence[Case]
) -> tuple[list[str], list[str]] | None:
    """Return what belongs together: a checkpoint, or a scene; None when nothing does."""
    if duel.is_clustered:
        return [case.checkpoint for case in first], [case.checkpoint for case in second]
    if not (repeats(first) or repeats(second)):
        return None
    one, other = ([_unit(case) for case in own] for own in (first, second))
    return one, other


def _unit(case: Case) -> str:
    return f"episode {case.episode}" if case.scene is None else f"{case.condition}: {case.scene}"


def reach_of(duel: Duel, metric: Metric, weights: Weighting) -> tuple[float, float] | None:
    """Return the difference with the worst and the best put in for all that is unscored.

    First the worst for a and the best for b, then the other way round. None when nothing is
    unscored, and for a metric without ends.
    """
    if not metric.is_bounded or not any(_unscored(own, metric) for own in duel.cases):
        return None
    if any(not own for own in duel.cases):
        return None
    ends = (metric.worst, metric.best)
    found = [_filled(duel, metric, put, weights) for put in (ends, ends[::-1])]
    return found[0], found[1]


def _filled(duel: Duel, metric: Metric, put: tuple[float, float], weights: Weighting) -> float:
    sides: list[list[tuple[str, float]]] = [[], []]
    if duel.is_paired:
        for key, *both in _pairs(duel):
            for side, group, value in zip(sides, both, put, strict=True):
                filled = [_or(metric.value(case), value) for case in group]
                side.append((key[0], float(np.mean(filled))))
    else:
        for side, own, value in zip(sides, duel.cases, put, strict=True):
            side += [(case.condition, _or(metric.value(case), value)) for case in own]
    counts = Counter(home for side in sides for home, _ in side)
    shares = stratum_shares(np.array([counts[home] for home in sorted(counts)]), weights)
    means = []
    for side in sides:
        tasks = numbered([home for home, _ in side], len(side))
        means.append(float(np.sum(value_weights(tasks, shares) * [value for _, value in side])))
    return means[0] - means[1]


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _pairs(duel: Duel) -> list[tuple[Key, list[Case], list[Case]]]:
    """Return the episodes of a and of b by what they share, sorted."""
    found: dict[Key, tuple[list[Case], list[Case]]] = defaultdict(lambda: ([], []))
    for side, own in enumerate(duel.cases):
        for case in own:
            key = _key(case, duel.is_clustered)
            if key is not None:
                found[key][side].append(case)
    return [(key, *found[key]) for key in sorted(found)]


def _mean(cases: Sequence[Case], metric: Metric) -> float | None:
    known = [value for case in cases if (value := metric.value(case)) is not None]
    return float(np.mean(known)) if known else None


def _unscored(cases: Sequence[Case], metric: Metric) -> dict[str, int]:
    """Return how many episodes have no value, by status; one that is ok has no label or number."""
    lacking = [case for case in cases if metric.value(case) is None]
    return dict(
        sorted(Counter("no value" if c.status == "ok" else c.status for c in lacking).items())
    )
