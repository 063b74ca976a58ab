"""Draw the figures of an audit as SVG, so that they print and need no script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assay.reports import words
from assay.reports._layout import ALL, Cell, Grid, scored
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker, swatch
from assay.reports._svg import Frame, picture, polyline

__all__ = ["MANY_LINES", "QUARTERS", "legend", "panel", "panel_name", "reachability"]

QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)

MANY_LINES = 8
"""A panel with more lines shows no intervals: they would hide each other."""


def legend(names: Iterable[str], styles: Mapping[str, Look]) -> Safe:
    """Return the list of series with the piece of line that stands for each."""
    items = (tag("li", swatch(styles[name]), tag("span", name)) for name in names)
    return tag("ul", *items, class_="legend", aria_label="Legend")


def panel_name(name: str) -> str:
    """Return what stands above a panel; the panel of everything has a name too."""
    return name or ALL


def reachability(audit: Mapping[str, Any]) -> Safe:
    """Draw the share of scored episodes that reach each progress, one panel per task."""
    grid = Grid.of(audit)
    styles = looks(grid.series)
    panels = [_reach_panel(name, grid.row(name), styles) for name in grid.panels]
    return join([legend(grid.series, styles), tag("div", *panels, class_="panels")])


def _reach_panel(name: str, row: list[tuple[str, Cell]], styles: Mapping[str, Look]) -> Safe:
    frame = Frame()
    drawn = [(series, cell) for series, cell in row if cell.get("reach") and scored(cell)]
    parts = [frame.axes(QUARTERS, QUARTERS, "progress reached", "episodes, %")]
    for place, (series, cell) in enumerate(drawn):
        bars = len(drawn) <= MANY_LINES
        nudge = (place - (len(drawn) - 1) / 2) * 2.0 * bars  # pixels: bars stay apart
        line = _Line(series, styles[series], nudge, bars=bars)
        parts.append(_reach_line(frame, cell, line))
    if not drawn:
        parts.append(frame.note("no scored episode"))
    counts = ", ".join(f"{series} n = {scored(cell)}" for series, cell in drawn)
    label = (
        f"Share of scored episodes reaching each progress: {panel_name(name)}. "
        f"{counts or 'Nothing to show'}."
    )
    return panel(name, picture(frame.width, frame.height, label, parts))


@dataclass(frozen=True)
class _Line:
    """How the line of one series is drawn."""

    name: str
    look: Look
    nudge: float
    bars: bool


def _reach_line(frame: Frame, cell: Cell, line: _Line) -> Safe:
    at = [(frame.x(q), frame.y(share)) for q, share in _steps(cell["reach"])]
    colour = line.look.colour
    parts = [polyline(at, f"line {colour}", line.look.dash)]
    for milestone, estimate in (cell.get("mc") or {}).items():
        if estimate is None or estimate.get("value") is None:
            continue
        x, y = frame.x(float(milestone) / 100) + line.nudge, frame.y(estimate["value"])
        if line.bars and words.enough(estimate):
            ends = frame.y(estimate["low"]), frame.y(estimate["high"])
            parts.append(tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=f"bar {colour}"))
        told = f"{line.name}: {words.details(f'MC@{milestone}', estimate)}"
        parts.append(tag("g", tag("title", told), marker(line.look, x, y, size=3.2)))
    return join(parts)


def _steps(reach: Sequence[Sequence[float]]) -> Iterator[tuple[float, float]]:
    """Yield the corners of the line: past a progress, fewer episodes go on to the next one."""
    for (q, share), (_, following) in pairwise(reach):
        yield q, share
        yield q, following
    yield from ((q, share) for q, share in reach[-1:])


def panel(name: str, drawing: Safe, below: str | None = None) -> Safe:
    """Return a drawing under its name, with a note below it."""
    note = tag("p", below, class_="below") if below else None
    return tag("div", tag("h4", panel_name(name)), drawing, note, class_="panel")
