"""Lay out the audit document: its columns, its groups, its panels, its totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.metrics.results import UP_IS_GOOD
from assay.reports.words import Estimate

__all__ = [
    "ALL",
    "MEANINGS",
    "NO_LABELS",
    "Cell",
    "Column",
    "Grid",
    "columns",
    "group_fields",
    "group_heads",
    "group_names",
    "labelled",
    "milestones",
    "scored",
    "success_columns",
    "totals",
    "unknown",
    "unscored",
]

ALL = "all episodes"
"""The name of the one cell of an audit that groups by nothing."""

NO_LABELS = "no success labels"
Cell: TypeAlias = Mapping[str, Any]

MEANINGS = {
    "mp": "Maximum progress: the furthest point reached.",
    "ppl": "Progress by path length: end progress, less when the way was not direct.",
    "cra": "Regret: how far progress lies below its best so far, on average.",
    "str": "Stagnation: share of steps that change progress by less than epsilon.",
}
"""The metrics that have a mean, in table order; a heading is the key in capitals."""


@dataclass(frozen=True)
class Column:
    """One metric of the summary: heading and meaning, where it stands, why it may be missing."""

    key: str
    heading: str
    title: str
    pick: Callable[[Cell], Estimate]
    up: bool = True
    missing: str = "not computed"


def columns(audit: Mapping[str, Any]) -> list[Column]:
    """Return the metrics of the summary table, left to right."""
    found = [
        Column(
            "success_end",
            "Success",
            "Share of labelled episodes, scored or not, that succeed at the end.",
            _success("end"),
            missing=NO_LABELS,
        )
    ]
    found += [
        Column(f"mc@{q}", f"MC@{q}", f"Share of scored episodes that reach {q} %.", _milestone(q))
        for q in milestones(audit)
    ]
    found += [
        Column(key, key.upper(), meaning, _metric(key), UP_IS_GOOD[key])
        for key, meaning in MEANINGS.items()
    ]
    return found + [
        Column(f"str_at_{e}", f"STR ε {e}", f"Stagnation with epsilon {e}.", _str_at(e), up=False)
        for e in sorted({e for c in audit["cells"] for e in c.get("str_at") or {}}, key=float)
    ]


def success_columns() -> list[Column]:
    """Return the metrics of the successes alone."""
    return [
        Column(f"success:{key}", key.upper(), MEANINGS[key], _conditioned(key), UP_IS_GOOD[key])
        for key in ("ppl", "cra", "str")
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


def group_heads(fields: Sequence[str]) -> list[str]:
    """Return the headings of the group fields; a table has at least one."""
    return list(fields) or ["group"]


def group_names(cell: Cell, fields: Sequence[str]) -> list[str]:
    """Return what the cell is called in each group field, at least one name."""
    values = [cell["group"].get(field) for field in fields]
    return ["not recorded" if value is None else str(value) for value in values] or [ALL]


def scored(cell: Cell) -> int:
    """Return how many episodes of the cell have metrics."""
    return int(cell["status"].get("ok", 0))


def unscored(cell: Cell) -> int:
    """Return how many episodes of the cell have none."""
    return int(cell["n"]) - scored(cell)


def labelled(cell: Cell) -> int:
    """Return how many episodes of the cell have a success label, scored or not."""
    return int(((cell.get("success") or {}).get("end") or {}).get("n") or 0)


def unknown(cell: Cell) -> bool:
    """Tell whether some episode lacks a score, or a label that others of the cell have."""
    return unscored(cell) > 0 or 0 < labelled(cell) < int(cell["n"])


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

    Attributes:
        panels: The panels in order.
        series: The series in order.
        by_place: The cell of each panel and series; no two cells share a place.
        noun: What a series is: "policy", another field, or "group".
        panel_noun: What a panel is: "task", another field, or "condition".
    """

    panels: tuple[str, ...]
    series: tuple[str, ...]
    by_place: Mapping[tuple[str, str], Cell]
    noun: str
    panel_noun: str

    @classmethod
    def of(cls, audit: Mapping[str, Any]) -> Grid:
        """Lay out the cells of `audit`."""
        fields = group_fields(audit)
        outer = fields[:-1] if "policy" in fields else []
        inner = fields[len(outer) :]
        placed: dict[tuple[str, str], Cell] = {}
        for cell in audit["cells"]:
            panel = " · ".join(group_names(cell, outer)) if outer else ""
            series = " · ".join(group_names(cell, inner))
            while (panel, series) in placed:  # two names may read the same once they are joined
                series += " (another)"
            placed[panel, series] = cell
        return cls(
            panels=tuple(dict.fromkeys(panel for panel, _ in placed)),
            series=tuple(dict.fromkeys(series for _, series in placed)),
            by_place=placed,
            noun=inner[0] if len(inner) == 1 else "group",
            panel_noun=outer[0] if len(outer) == 1 else "condition",
        )

    def row(self, panel: str) -> list[tuple[str, Cell]]:
        """Return the (series, cell) pairs of one panel, in the order of the series."""
        pairs = ((s, self.by_place.get((panel, s))) for s in self.series)
        return [(series, cell) for series, cell in pairs if cell is not None]

    def series_of_cells(self) -> list[str]:
        """Return the series of every cell, in the order of the document."""
        return [series for _, series in self.by_place]


def _success(when: str) -> Callable[[Cell], Estimate]:
    return lambda cell: (cell.get("success") or {}).get(when)


def _milestone(q: str) -> Callable[[Cell], Estimate]:
    return lambda cell: (cell.get("mc") or {}).get(q)


def _metric(key: str) -> Callable[[Cell], Estimate]:
    return lambda cell: cell.get(key)


def _str_at(epsilon: str) -> Callable[[Cell], Estimate]:
    return lambda cell: (cell.get("str_at") or {}).get(epsilon)


def _conditioned(key: str) -> Callable[[Cell], Estimate]:
    """Pick a metric of the successes; a cell without one has the reason instead."""

    def pick(cell: Cell) -> Estimate:
        found = cell.get("conditioned") or {}
        return found.get(key) or {"value": None, "why": found.get("why")}

    return pick
