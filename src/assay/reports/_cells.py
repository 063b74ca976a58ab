"""Read the audit document: its columns, its groups, its totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.reports.words import Estimate

__all__ = [
    "NO_LABELS",
    "QUALITY",
    "Cell",
    "Column",
    "Grid",
    "columns",
    "group_fields",
    "milestones",
    "scored",
    "totals",
    "unscored",
]

NO_LABELS = "no success labels"
Cell: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """One metric of the summary: heading and meaning, where it stands, why it may be missing."""

    key: str
    heading: str
    title: str
    pick: Callable[[Cell], Estimate]
    up: bool = True
    missing: str = "not computed"


QUALITY: dict[str, tuple[str, str, bool]] = {
    "mp": ("MP", "Maximum progress: the furthest point reached.", True),
    "ppl": (
        "PPL",
        "Progress by path length: end progress, less when the way was not direct.",
        True,
    ),
    "cra": ("CRA", "Regret: how far progress lies below its best so far, on average.", False),
    "str": ("STR", "Stagnation: share of steps that change progress by less than epsilon.", False),
}
"""The four graded metrics: heading, meaning, and whether more is better."""


def columns(audit: Mapping[str, Any]) -> list[Column]:
    """Return the metrics of the summary table, left to right."""
    found = [
        Column(
            "success_end",
            "Success",
            "Share of episodes that succeed at the end.",
            _success("end"),
            missing=NO_LABELS,
        )
    ]
    found += [
        Column(f"mc@{q}", f"MC@{q}", f"Share of episodes that reach {q} % progress.", _milestone(q))
        for q in milestones(audit)
    ]
    found += [Column(k, name, how, _metric(k), up) for k, (name, how, up) in QUALITY.items()]
    return found + [
        Column(f"str_at_{e}", f"STR ε {e}", f"Stagnation with epsilon {e}.", _str_at(e), up=False)
        for e in sorted({e for c in audit["cells"] for e in c.get("str_at") or {}}, key=float)
    ]


def milestones(audit: Mapping[str, Any]) -> list[str]:
    """Return the milestones that the audit counts, such as ["25", "50", "75", "100"]."""
    return sorted({q for cell in audit["cells"] for q in cell.get("mc") or {}}, key=float)


def group_fields(audit: Mapping[str, Any]) -> list[str]:
    """Return the fields that the cells are grouped by: the task first, the policy last.

    A document that was read back from disk may have its keys in another order.
    """
    found = dict.fromkeys(field for cell in audit["cells"] for field in cell["group"])
    return sorted(found, key=lambda field: (field == "policy") - (field == "task"))


def scored(cell: Cell) -> int:
    """Return how many episodes of the cell have metrics."""
    return int(cell["status"].get("ok", 0))


def unscored(cell: Cell) -> int:
    """Return how many episodes of the cell have none."""
    return int(cell["n"]) - scored(cell)


def totals(cells: Sequence[Cell]) -> dict[str, int]:
    """Return the number of episodes per status over all cells, "ok" first, then by name."""
    counts: Counter[str] = Counter()
    for cell in cells:
        counts.update(cell["status"])
    return {s: counts[s] for s in sorted(counts, key=lambda s: (s != "ok", s)) if counts[s]}


@dataclass(frozen=True)
class Grid:
    """The cells laid out for comparing: a panel per task, a series per policy.

    Without a policy among the group fields every cell is a series of one panel named "".
    """

    panels: tuple[str, ...]
    series: tuple[str, ...]
    by_place: Mapping[tuple[str, str], Cell]
    of_policies: bool
    of_tasks: bool

    @classmethod
    def of(cls, audit: Mapping[str, Any]) -> Grid:
        """Lay out the cells of `audit`."""
        fields = group_fields(audit)
        of_policies = "policy" in fields
        placed = {_place(cell, of_policies=of_policies): cell for cell in audit["cells"]}
        return cls(
            panels=tuple(dict.fromkeys(panel for panel, _ in placed)),
            series=tuple(dict.fromkeys(series for _, series in placed)),
            by_place=placed,
            of_policies=of_policies,
            of_tasks=of_policies and [f for f in fields if f != "policy"] == ["task"],
        )

    def row(self, panel: str) -> list[tuple[str, Cell]]:
        """Return the (series, cell) pairs of one panel, in the order of the series."""
        pairs = ((s, self.by_place.get((panel, s))) for s in self.series)
        return [(series, cell) for series, cell in pairs if cell is not None]


def _place(cell: Cell, *, of_policies: bool) -> tuple[str, str]:
    group = {key: "none" if value is None else str(value) for key, value in cell["group"].items()}
    if not of_policies:
        return "", " · ".join(group.values())
    return " · ".join(v for k, v in group.items() if k != "policy"), group["policy"]


def _success(when: str) -> Callable[[Cell], Estimate]:
    return lambda cell: (cell.get("success") or {}).get(when)


def _milestone(q: str) -> Callable[[Cell], Estimate]:
    return lambda cell: (cell.get("mc") or {}).get(q)


def _metric(key: str) -> Callable[[Cell], Estimate]:
    return lambda cell: cell.get(key)


def _str_at(epsilon: str) -> Callable[[Cell], Estimate]:
    return lambda cell: (cell.get("str_at") or {}).get(epsilon)
