"""Draw the figures of a run of judges: bars by bin, lines over noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.benchmarks.pulse.thresholds import BIN_NAMES
from assay.reports import words
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._pulse_columns import shown_judges
from assay.reports._svg import Frame, picture, polyline, text
from assay.reports.figures import QUARTERS, legend

__all__ = ["bins_figure", "noise_figure"]


def bins_figure(bench: Mapping[str, Any]) -> Safe:
    """Draw the average of each bin with its interval, a group of marks per bin."""
    judges = shown_judges(bench)
    bins = [name for name in BIN_NAMES if name in judges[0]["bins"]]
    styles = looks([judge["name"] for judge in judges])
    frame = Frame(width=720, height=280)
    parts = [frame.axes((), QUARTERS, "", "right answers, %")]
    wide = 1.0 / len(bins)
    for place, name in enumerate(bins):
        middle = wide * (place + 0.5)
        parts.append(text(frame.x(middle), frame.height - 20, name, "label", "middle"))
        step = 0.8 * wide / max(len(judges), 1)
        for k, judge in enumerate(judges):
            at = middle + (k - (len(judges) - 1) / 2) * step
            estimate = judge["bins"][name]["average"]
            parts += _mark(frame, at, estimate, styles[judge["name"]], judge["name"])
    label = "Right answers by size of the hop, for each judge."
    return join([legend(styles, styles), picture(frame.width, frame.height, label, parts, "wide")])


def noise_figure(bench: Mapping[str, Any]) -> Safe:
    """Draw the overall average over the share of noise."""
    judges = [judge for judge in shown_judges(bench) if len(judge["noise"]) > 1]
    styles = looks([judge["name"] for judge in judges])
    levels: Sequence[float] = bench["noise"]
    frame = Frame(width=720, height=280, x_top=max(levels))
    parts = [frame.axes(levels, QUARTERS, "noise in the pictures, %", "right answers, %")]
    for judge in judges:
        look = styles[judge["name"]]
        estimates = [judge["noise"][f"{level:g}"]["overall"]["average"] for level in levels]
        points = [
            (frame.x(level), frame.y(e["value"]))
            for level, e in zip(levels, estimates, strict=True)
        ]
        parts.append(polyline(points, f"line {look.colour}", look.dash))
        for level, estimate in zip(levels, estimates, strict=True):
            parts += _mark(frame, level, estimate, look, judge["name"])
    label = "Right answers over the share of noise, for each judge."
    return join([legend(styles, styles), picture(frame.width, frame.height, label, parts, "wide")])


def _mark(
    frame: Frame, at: float, estimate: Mapping[str, Any], look: Look, name: str
) -> Iterator[Safe]:
    """Yield the bar of the interval and the marker of the value."""
    if estimate.get("value") is None:
        return
    x, y = frame.x(at), frame.y(estimate["value"])
    if words.enough(estimate):
        ends = frame.y(estimate["low"]), frame.y(estimate["high"])
        yield tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=f"bar {look.colour}")
    yield tag("g", tag("title", words.details(name, estimate)), marker(look, x, y, size=3.6))
