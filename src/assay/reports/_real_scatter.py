"""Draw reality over simulation: a panel per metric and task, a mark per policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._svg import Frame, picture, polyline
from assay.reports.figures import QUARTERS, legend, panel

__all__ = ["real_scatters"]

Row: TypeAlias = Mapping[str, Any]


def real_scatters(policies: Sequence[str], rows: Sequence[Row]) -> Safe:
    """Draw a panel for each row of one metric: the whole, then its tasks.

    Args:
        policies: All policies, in the order of the legend.
        rows: The comparisons.
    """
    styles = looks(policies)
    panels = [_panel(row, styles) for row in rows]
    return join([legend(policies, styles), tag("div", *panels, class_="panels")])


def _panel(row: Row, styles: Mapping[str, Look]) -> Safe:
    frame = Frame(height=300)
    parts = [
        frame.axes(QUARTERS, QUARTERS, "simulation", "reality"),
        polyline([(frame.x(0), frame.y(0)), (frame.x(1), frame.y(1))], "axis", "4 3"),
    ]
    parts += [_policy(frame, policy, styles[policy["name"]]) for policy in row["policies"]]
    if not row["policies"]:
        parts.append(frame.note("nothing to compare"))
    name = row["task"] or "all tasks"
    told = row["why"] or f"Pearson {words.amount(row['pearson'])}, MMRV {words.number(row['mmrv'])}"
    label = f"Reality over simulation: {name}. {told}."
    return panel(name, picture(frame.width, frame.height, label, parts), told)


def _policy(frame: Frame, policy: Row, look: Look) -> Safe:
    """Draw the means of one policy, with both intervals."""
    sim, real = policy["sim"], policy["real"]
    x, y = frame.x(sim["value"]), frame.y(real["value"])
    told = (
        f"{policy['name']}: simulation {words.number(sim)} ({words.count(sim)}),"
        f" reality {words.number(real)} ({words.count(real)})"
    )
    parts = [tag("title", told)]
    kind = f"bar {look.colour}"
    if words.enough(sim):
        low, high = frame.x(sim["low"]), frame.x(sim["high"])
        parts.append(tag("line", x1=low, y1=y, x2=high, y2=y, class_=kind))
    if words.enough(real):
        low, high = frame.y(real["low"]), frame.y(real["high"])
        parts.append(tag("line", x1=x, y1=low, x2=x, y2=high, class_=kind))
    is_hollow = not (words.enough(sim) and words.enough(real))
    return tag("g", *parts, marker(look, x, y, hollow=is_hollow))
