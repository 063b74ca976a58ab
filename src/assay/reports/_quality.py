"""Show the quality of successes: directness against regret and stagnation, and the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.reports import words
from assay.reports._layout import Cell, Column, Grid, group_fields, success_columns
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._parts import head, names, scroll, small, value
from assay.reports._svg import Frame, nice_axis, picture
from assay.reports.figures import legend, panel, panel_name

__all__ = ["Scatter", "quality_table"]

_LEAST_PPL = 0.1
_LEAST_UP = 0.001
"""The axes span at least 10 and 0.1 points."""


@dataclass(frozen=True)
class Scatter:
    """PPL against another metric of the successes; the axes are shared by all panels.

    Attributes:
        against: "cra" or "str".
        grid: The cells.
        x_ticks: The ticks of PPL, the ends of its axis included.
        y_ticks: The ticks of the other metric, from 0.
    """

    against: str
    grid: Grid
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]

    @classmethod
    def of(cls, audit: Mapping[str, Any], against: str) -> Scatter:
        """Choose axes on which all values and intervals can be read."""
        grid = Grid.of(audit)
        shown = [cell["conditioned"] for cell in grid.by_place.values() if _has(cell, against)]
        across = [end for found in shown for end in _ends(found["ppl"])]
        up = [end for found in shown for end in _ends(found[against])]
        x_ticks = nice_axis(min(across, default=0.0), max(across, default=1.0), _LEAST_PPL)
        return cls(against, grid, x_ticks, nice_axis(0.0, max(up, default=0.2), _LEAST_UP))

    @property
    def frame(self) -> Frame:
        """Return the plotting area of each panel."""
        return Frame(
            left=50, x_from=self.x_ticks[0], x_top=self.x_ticks[-1], y_top=self.y_ticks[-1]
        )

    @property
    def n(self) -> int:
        """Return how many episodes stand behind the points that are drawn."""
        shown = (c["conditioned"] for c in self.grid.by_place.values() if _has(c, self.against))
        return sum(int(found["n"]) for found in shown)

    def draw(self) -> Safe:
        """Draw a panel per task."""
        styles = looks(self.grid.series)
        panels = [self._panel(name, styles) for name in self.grid.panels]
        drawn = {s for (_, s), cell in self.grid.by_place.items() if _has(cell, self.against)}
        names_ = [series for series in self.grid.series if series in drawn]
        return join([legend(names_, styles), tag("div", *panels, class_="panels")])

    def _panel(self, name: str, styles: Mapping[str, Look]) -> Safe:
        frame, row = self.frame, self.grid.row(name)
        parts = [frame.axes(self.x_ticks, self.y_ticks, "PPL", self.against.upper())]
        shown = [(series, cell["conditioned"]) for series, cell in row if _has(cell, self.against)]
        parts += [self._point(series, found, styles[series]) for series, found in shown]
        if not shown:
            parts.append(frame.note(_why_empty(row)))
        counts = ", ".join(f"{series} n = {found['n']}" for series, found in shown)
        label = (
            f"PPL against {self.against.upper()}, successes only: {panel_name(name)}. "
            f"{counts or 'Nothing to show'}."
        )
        below = _missing(row, self.against) if shown else None
        return panel(name, picture(frame.width, frame.height, label, parts), below)

    def _point(self, series: str, found: Mapping[str, Any], look: Look) -> Safe:
        """Draw a marker with its two intervals; a hollow marker has none."""
        frame, across, up = self.frame, found["ppl"], found[self.against]
        x, y, kind = frame.x(across["value"]), frame.y(up["value"]), f"bar {look.colour}"
        parts = []
        if words.enough(across):
            ends = frame.x(across["low"]), frame.x(across["high"])
            parts.append(tag("line", x1=ends[0], x2=ends[1], y1=y, y2=y, class_=kind))
        if words.enough(up):
            ends = frame.y(up["low"]), frame.y(up["high"])
            parts.append(tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=kind))
        told = [words.details(key.upper(), found[key]) for key in ("ppl", self.against)]
        title = tag("title", f"{series}: {'; '.join(told)}")
        return tag("g", title, *parts, marker(look, x, y, size=4.6, hollow=not parts))


def quality_table(audit: Mapping[str, Any]) -> Safe:
    """Return the numbers behind the scatters: mean, interval and standard deviation."""
    fields, metrics, grid = group_fields(audit), success_columns(), Grid.of(audit)
    styles = looks(grid.series)
    count = Column("success:n", "n", "Scored episodes that succeed", lambda _: None)
    pairs = zip(audit["cells"], grid.series_of_cells(), strict=True)
    rows = [
        (cell, styles[series]) for cell, series in pairs if "n" in (cell.get("conditioned") or {})
    ]
    table = tag(
        "table",
        head(fields, [count, *metrics], [cell for cell, _ in rows]),
        *(tag("tbody", tag("tr", *_row(cell, fields, metrics, look))) for cell, look in rows),
        class_="summary sortable successes",
    )
    lead = "Scored successes only: the mean, its interval, and the standard deviation (sd) over"
    note = tag("p", f"{lead} episodes. Scale 0 to 100.", class_="caption")
    few = any(words.FEW in words.number(c.pick(cell)) for cell, _ in rows for c in metrics)
    mark = tag("p", words.few_note(), class_="notes") if few else None
    return join([note, scroll(table, "Quality of successes"), mark])


def _row(
    cell: Cell, fields: Sequence[str], metrics: Sequence[Column], look: Look
) -> Iterator[Safe]:
    n = cell["conditioned"]["n"]
    yield from names(cell, fields, look)
    yield tag("td", str(n), class_="num", data_sort=n)
    for column in metrics:
        yield value(column, cell, None, [small(words.spread(column.pick(cell)))])


def _has(cell: Cell, against: str) -> bool:
    found = cell.get("conditioned") or {}
    return all((found.get(key) or {}).get("value") is not None for key in ("ppl", against))


def _ends(estimate: Mapping[str, Any]) -> tuple[float, float]:
    value_ = float(estimate["value"])
    low, high = estimate.get("low"), estimate.get("high")
    return value_ if low is None else float(low), value_ if high is None else float(high)


def _reason(cell: Cell) -> str:
    """Return why a cell has no point: nothing succeeded, or a metric is undefined."""
    return str((cell.get("conditioned") or {}).get("why") or "undefined for its successes")


def _missing(row: Sequence[tuple[str, Cell]], against: str) -> str | None:
    """Say which series have no point, and why, reason by reason."""
    by_reason: dict[str, list[str]] = {}
    for series, cell in row:
        if not _has(cell, against):
            by_reason.setdefault(_reason(cell), []).append(series)
    told = (f"{why}: {words.some(series, most=12)}" for why, series in by_reason.items())
    return "; ".join(told) or None


def _why_empty(row: Sequence[tuple[str, Cell]]) -> str:
    """Return why a panel is empty: the one reason all cells share, or that none succeeded."""
    reasons = {_reason(cell) for _, cell in row}
    return reasons.pop() if len(reasons) == 1 else "no scored success"
