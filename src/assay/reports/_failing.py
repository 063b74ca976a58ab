"""Say where episodes stop short, and of what kind the failures are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._cells import QUALITY, Cell, Grid, scored

__all__ = ["kinds", "losses"]

_Stays: TypeAlias = Counter[tuple[str, str]]
_KINDS = (
    ("str", "cra", "stagnation-dominant failures (standing still)"),
    ("cra", "str", "regret-dominant failures (giving progress back)"),
)


def losses(grid: Grid, steps: Sequence[str]) -> Iterator[str]:
    """Tell between which milestones most episodes stop, over all cells and in the worst cell."""
    by_cell = {place: _stays(cell, steps) for place, cell in grid.by_place.items()}
    everywhere = sum(by_cell.values(), _Stays())
    lost = everywhere.total()
    if not steps:
        return
    if not lost:
        yield f"Every scored episode reaches {steps[-1]} % progress."
        return
    (low, high), most = _largest(everywhere)
    yield (
        f"{words.counted(lost, 'scored episode')} never {'reaches' if lost == 1 else 'reach'} "
        f"{steps[-1]} % progress; the largest loss is between {low} and {high} %, "
        f"where {most} {'stops' if most == 1 else 'stop'}."
    )
    if len(by_cell) > 1:
        place = max(by_cell, key=lambda place: max(by_cell[place].values(), default=0))
        (low, high), most = _largest(by_cell[place])
        panel, series = place
        where = f" on {words.quoted(panel)}" if panel else ""
        yield (
            f"It is worst for {series}{where}: {most} of {scored(grid.by_place[place])} "
            f"scored episodes stop between {low} and {high} %."
        )


def _stays(cell: Cell, steps: Sequence[str]) -> _Stays:
    """Count the episodes of a cell that reach one milestone and not the next."""
    found = {q: (cell.get("mc") or {}).get(q) or {} for q in steps}
    reached = {"0": scored(cell)}
    reached |= {
        q: round(e["value"] * e["n"]) for q, e in found.items() if e.get("value") is not None
    }
    return Counter({(a, b): reached[a] - reached[b] for a, b in pairwise(reached)})


def _largest(stays: _Stays) -> tuple[tuple[str, str], int]:
    return max(stays.items(), key=lambda item: item[1])


def kinds(prints: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Name the failures that stand still, and those that give progress back, most marked first.

    Such a failure lies at least one standard deviation on the bad side of the policies' mean in
    STR or CRA, and further there than in the other of the two.
    """
    for key, other, kind in _KINDS:
        cases = [
            (entry["z"][key], str(panel["task"]), entry)
            for panel in prints
            for entry in panel["policies"]
            if entry.get("z") and entry["z"][key] <= -1 and entry["z"][key] < entry["z"][other]
        ]
        if not cases:
            continue
        score, task, entry = min(cases, key=lambda case: (case[0], case[1], case[2]["policy"]))
        yield (
            f"The most {kind} are those of {entry['policy']} on {words.quoted(task)}: mean "
            f"{QUALITY[key][0]} {words.points(entry['raw'][key])} over {entry['n_failures']} "
            f"failures, {abs(score):.1f} standard deviations worse than the mean of the policies "
            "there."
        )
