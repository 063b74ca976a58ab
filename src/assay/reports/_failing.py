"""Say where episodes stop short, and of what kind the failures are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._layout import Cell, Grid, scored

__all__ = ["kinds", "losses"]

_Stays: TypeAlias = Counter[tuple[str, str]]
_KINDS = (
    ("str", "cra", "stagnation-dominant failures (standing still)"),
    ("cra", "str", "regret-dominant failures (giving progress back)"),
)

_ALIKE = 0.05  # standard deviations: scores of few policies often lie at the same bound


def losses(grid: Grid, steps: Sequence[str]) -> Iterator[str]:
    """Tell between which milestones most episodes end up, over all cells and in the worst cell."""
    by_cell = {place: _stays(cell, steps) for place, cell in grid.by_place.items() if scored(cell)}
    everywhere = sum(by_cell.values(), _Stays())
    lost, whole = everywhere.total(), sum(scored(grid.by_place[place]) for place in by_cell)
    if not steps:
        return
    if not lost:
        yield f"Every scored episode reaches {steps[-1]} % progress."
        return
    largest, most = _largest(everywhere)
    group = f"the largest group of them, {most}, gets"
    if len(largest) > 1:
        group = f"the largest groups of them, {most} each, get"
    elif most == lost:
        group = "all of them get" if lost > 1 else "it gets"
    yield (
        f"{lost} of {words.counted(whole, 'scored episode')} never reach{'es' * (lost == 1)} "
        f"{steps[-1]} % progress; {group} to {words.listing(map(_between, largest))} and no "
        "further."
    )
    if len(by_cell) > 1:
        which = "that group" if len(largest) == 1 else "these groups"
        yield f"Most of {which} in one row of the table: {_worst(grid, by_cell, largest)}."


def _worst(
    grid: Grid, by_cell: Mapping[tuple[str, str], _Stays], steps: Sequence[tuple[str, str]]
) -> str:
    """Name the cells with the most episodes in one of `steps`; several may share that."""
    most = max(stays[step] for stays in by_cell.values() for step in steps)
    told = []
    for (panel, series), stays in by_cell.items():
        places = [f"{low} to {high} %" for low, high in steps if stays[low, high] == most]
        if places:
            where = f" on {words.quoted(panel)}" if panel else ""
            at = f" ({words.listing(places)})" if len(steps) > 1 else ""
            told.append(f"{most} of {scored(grid.by_place[panel, series])} of {series}{where}{at}")
    return words.some(told, most=3)


def _between(step: tuple[str, str]) -> str:
    return f"between {step[0]} and {step[1]} %"


def _stays(cell: Cell, steps: Sequence[str]) -> _Stays:
    """Count the episodes of a cell that reach one milestone and not the next."""
    found = {q: (cell.get("mc") or {}).get(q) or {} for q in steps}
    reached = {"0": scored(cell)}
    reached |= {
        q: round(e["value"] * e["n"]) for q, e in found.items() if e.get("value") is not None
    }
    return Counter({(a, b): reached[a] - reached[b] for a, b in pairwise(reached)})


def _largest(stays: _Stays) -> tuple[list[tuple[str, str]], int]:
    """Return the steps at which the most episodes stay, and how many do."""
    most = max(stays.values(), default=0)
    return [step for step, count in stays.items() if count == most], most


def kinds(prints: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Name the failures that stand still, and those that give progress back, most marked first.

    Such a failure lies at least one standard deviation on the bad side of the policies' mean in
    STR or CRA, and further there than in the other of the two.
    """
    found = False
    for key, other, kind in _KINDS:
        cases = [
            (round(entry["z"][key], 9), str(panel["task"]), entry, _compared(panel, key))
            for panel in prints
            for entry in panel["policies"]
            if _dominant(entry.get("z") or {}, key, other)
        ]
        if not cases:
            continue
        worst = min(score for score, *_ in cases) + _ALIKE
        told = [
            f"{entry['policy']} on {words.quoted(task)} (mean {key.upper()} "
            f"{words.points(entry['raw'][key])} over "
            f"{words.counted(entry['n_failures'], 'failure')}; {compared} policies compared)"
            for score, task, entry, compared in cases
            if score <= worst
        ]
        yield (
            f"The most {kind} are those of {words.some(told, most=3)}: "
            f"{abs(worst - _ALIKE):.1f} standard deviations worse than the mean of the policies "
            "there."
        )
        found = True
    if found:
        yield (
            "These standard deviations are those of the policies' mean values on a task, so of few "
            "numbers, and not those of episodes."
        )


def _compared(panel: Mapping[str, Any], key: str) -> int:
    """Return how many policies of a task have a score in a metric."""
    return sum((entry.get("z") or {}).get(key) is not None for entry in panel["policies"])


def _dominant(z: Mapping[str, float | None], key: str, other: str) -> bool:
    """Tell whether both scores are known and the first is the one that stands out."""
    first, second = z.get(key), z.get(other)
    return first is not None and second is not None and first <= -1 and first < second
