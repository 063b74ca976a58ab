"""Draw what judges say over what people say: a panel per judge and input setting."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from assay.reports import words
from assay.reports._compare_columns import name_of
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._shards import clean
from assay.reports._svg import Frame, picture, polyline
from assay.reports.figures import QUARTERS, legend, panel

__all__ = ["MOST_DOTS", "Dot", "scatters"]

MOST_DOTS = 2000
"""A panel with more points shows every second, third, ... of them."""

_MANY_POLICIES = 8
_SMALL = 300  # points; more are drawn smaller


@dataclass(frozen=True)
class Dot:
    """One point of a scatter.

    Attributes:
        episode: The episode's id.
        time: The moment [s], or None for the whole episode.
        task: The task.
        policy: The policy.
        human: People's score, 0..1.
        raters: How many gave one.
        value: The judge's, 0..1.
        folder: The run directory of the episode's page, as seen from the page.
    """

    episode: str
    time: float | None
    task: str
    policy: str
    human: float
    raters: int
    value: float
    folder: str

    @property
    def address(self) -> str:
        """Return where the episode's own page is."""
        parts = self.folder.replace(os.sep, "/")
        return f"{quote(clean(parts))}/episode.html#{quote(clean(self.episode), safe='')}"

    @property
    def told(self) -> str:
        """Return what a pointer shows."""
        when = "" if self.time is None else f" at {self.time:g} s"
        by = words.counted(self.raters, "rater")
        return (
            f"{self.episode}{when}: judge {words.points(self.value)},"
            f" people {words.points(self.human)} ({by}); {self.task}, {self.policy}"
        )


def scatters(drawn: Iterable[tuple[Mapping[str, Any], Sequence[Dot]]]) -> Safe:
    """Draw a panel per row: points, the line y = x, and the regression."""
    rows = list(drawn)
    policies = sorted({dot.policy for _, dots in rows for dot in dots})
    named = policies if len(policies) <= _MANY_POLICIES else []
    styles = looks(named or ["all"])
    panels = [_panel(row, dots, styles) for row, dots in rows]
    head = [legend(named, styles)] if len(named) > 1 else []
    return join([*head, tag("div", *panels, class_="panels")])


def _panel(row: Mapping[str, Any], dots: Sequence[Dot], styles: Mapping[str, Look]) -> Safe:
    frame = Frame(height=300)
    parts = [
        frame.axes(QUARTERS, QUARTERS, "people", "judge"),
        polyline([(frame.x(0), frame.y(0)), (frame.x(1), frame.y(1))], "axis", "4 3"),
    ]
    every = -(-len(dots) // MOST_DOTS) or 1
    size = 3.6 if len(dots) <= _SMALL else 2.2
    parts += [_dot(frame, dot, styles, size) for dot in dots[::every]]
    parts += _regression(frame, row, dots)
    if not dots:
        parts.append(frame.note("nothing to compare"))
    told = f"Pearson {words.amount(row['pearson'])}, {words.count(row['pearson'])}"
    label = f"Judge over people: {name_of(row)}. {told}."
    return panel(name_of(row), picture(frame.width, frame.height, label, parts), _below(row, every))


def _dot(frame: Frame, dot: Dot, styles: Mapping[str, Look], size: float) -> Safe:
    look = styles.get(dot.policy) or next(iter(styles.values()))
    mark = marker(look, frame.x(dot.human), frame.y(dot.value), size=size)
    return tag("a", tag("title", dot.told), mark, href=dot.address)


def _regression(frame: Frame, row: Mapping[str, Any], dots: Sequence[Dot]) -> list[Safe]:
    """Draw the fitted line over the range of people's scores, as far as it lies in 0..1."""
    slope, intercept = row["slope"]["value"], row["intercept"]["value"]
    if slope is None or intercept is None or not dots:
        return []
    low, high = min(dot.human for dot in dots), max(dot.human for dot in dots)
    if slope:
        edges = sorted(((0.0 - intercept) / slope, (1.0 - intercept) / slope))
        low, high = max(low, edges[0]), min(high, edges[1])
    ends = [(frame.x(x), frame.y(intercept + slope * x)) for x in (low, high)]
    return [polyline(ends, "line c6")] if low < high else []


def _below(row: Mapping[str, Any], every: int) -> str:
    told = [f"Pearson {words.amount(row['pearson'])}", words.count(row["pearson"])]
    if every > 1:
        told.append(f"one point of {every} is drawn")
    unscored = {status: n for status, n in row["status"].items() if status != "ok"}
    if unscored:
        told.append(f"not scored: {words.statuses(unscored)}")
    return ", ".join(told)
