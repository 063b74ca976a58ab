"""Draw the figures of an audit as SVG, so that they print and need no script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.reports import words
from assay.reports._cells import QUALITY, Cell, Grid, scored
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker, swatch
from assay.reports._svg import Frame, nice_top, picture, polyline

__all__ = ["legend", "panel_name", "quality", "reachability"]

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def legend(names: Iterable[str], styles: Mapping[str, Look]) -> Safe:
    """Return the list of series with the piece of line that stands for each."""
    items = (tag("li", swatch(styles[name]), tag("span", name)) for name in names)
    return tag("ul", *items, class_="legend", aria_label="Legend")


def panel_name(panel: str) -> str:
    """Return what stands above a panel; the panel of everything has a name too."""
    return panel or "all episodes"


def reachability(audit: Mapping[str, Any]) -> Safe:
    """Draw the share of scored episodes that reach each progress, one panel per task."""
    grid = Grid.of(audit)
    styles = looks(grid.series)
    panels = [_reach_panel(panel, grid.row(panel), styles) for panel in grid.panels]
    return join([legend(grid.series, styles), tag("div", *panels, class_="panels")])


def _reach_panel(panel: str, row: list[tuple[str, Cell]], styles: Mapping[str, Look]) -> Safe:
    frame = Frame()
    drawn = [(series, cell) for series, cell in row if cell.get("reach") and scored(cell)]
    parts = [frame.axes(_QUARTERS, _QUARTERS, "progress reached", "episodes, %")]
    for place, (series, cell) in enumerate(drawn):
        nudge = (place - (len(drawn) - 1) / 2) * 2.0  # pixels: bars of one milestone stay apart
        parts.append(_reach_line(frame, cell, styles[series], nudge))
    if not drawn:
        parts.append(frame.note("no scored episode"))
    counts = ", ".join(f"{series} n = {cell['n']}" for series, cell in row)
    label = f"Share of episodes reaching each progress: {panel_name(panel)}. {counts}."
    return _panel(panel, picture(frame.width, frame.height, label, parts))


def _reach_line(frame: Frame, cell: Cell, look: Look, nudge: float) -> Safe:
    line = [(frame.x(q), frame.y(share)) for q, share in cell["reach"]]
    parts = [polyline(line, f"line {look.colour}", look.dash)]
    for milestone, estimate in (cell.get("mc") or {}).items():
        if estimate is None or estimate.get("value") is None:
            continue
        x, y = frame.x(float(milestone) / 100) + nudge, frame.y(estimate["value"])
        if words.enough(estimate):
            ends = frame.y(estimate["low"]), frame.y(estimate["high"])
            parts.append(
                tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=f"bar {look.colour}")
            )
        parts.append(marker(look, x, y, size=3.2))
    return join(parts)


def quality(audit: Mapping[str, Any], against: str) -> Safe:
    """Draw PPL against `against` ("cra" or "str") over successes alone, one panel per task."""
    grid = Grid.of(audit)
    styles = looks(grid.series)
    tops = [
        cell["conditioned"][against].get("high") or cell["conditioned"][against]["value"]
        for cell in grid.by_place.values()
        if _has_both(cell, against)
    ]
    y_top, y_ticks = nice_top(max(tops, default=0.2))
    frame = Frame(y_top=y_top)
    panels = [
        _quality_panel(panel, grid.row(panel), styles, frame, (against, y_ticks))
        for panel in grid.panels
    ]
    return join([legend(grid.series, styles), tag("div", *panels, class_="panels")])


def _quality_panel(
    panel: str,
    row: list[tuple[str, Cell]],
    styles: Mapping[str, Look],
    frame: Frame,
    y_axis: tuple[str, list[float]],
) -> Safe:
    against, y_ticks = y_axis
    name = QUALITY[against][0]
    parts = [frame.axes(_QUARTERS, y_ticks, "PPL", name)]
    shown = [(series, cell["conditioned"]) for series, cell in row if _has_both(cell, against)]
    for series, found in shown:
        parts.append(_cross(frame, found["ppl"], found[against], styles[series]))
    if not shown:
        parts.append(frame.note(_why_no_quality(row)))
    counts = ", ".join(f"{series} n = {found['n']}" for series, found in shown)
    label = (
        f"PPL against {name}, successes only: {panel_name(panel)}. {counts or 'Nothing to show'}."
    )
    names = [series for series, _ in shown]
    missing = [series for series, _ in row if series not in names]
    below = f"no value: {', '.join(missing)}" if shown and missing else None
    return _panel(panel, picture(frame.width, frame.height, label, parts), below)


def _cross(frame: Frame, across: Mapping[str, Any], up: Mapping[str, Any], look: Look) -> Safe:
    """Draw a marker with its two intervals; a hollow marker has none."""
    x, y = frame.x(across["value"]), frame.y(up["value"])
    parts = []
    if words.enough(across):
        ends = frame.x(across["low"]), frame.x(across["high"])
        parts.append(tag("line", x1=ends[0], x2=ends[1], y1=y, y2=y, class_=f"bar {look.colour}"))
    if words.enough(up):
        ends = frame.y(up["low"]), frame.y(min(up["high"], frame.y_top))
        parts.append(tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=f"bar {look.colour}"))
    return join([*parts, marker(look, x, y, size=4.6, hollow=not parts)])


def _has_both(cell: Cell, against: str) -> bool:
    found = cell.get("conditioned") or {}
    return all((found.get(key) or {}).get("value") is not None for key in ("ppl", against))


def _why_no_quality(row: list[tuple[str, Cell]]) -> str:
    """Return why a panel is empty: the one reason all cells share, or that none succeeded."""
    reasons = {(cell.get("conditioned") or {}).get("why") or "no successes" for _, cell in row}
    return reasons.pop() if len(reasons) == 1 else "no successes"


def _panel(panel: str, drawing: Safe, below: str | None = None) -> Safe:
    note = tag("p", below, class_="below") if below else None
    return tag("div", tag("h4", panel_name(panel)), drawing, note, class_="panel")
