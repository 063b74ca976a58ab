"""Draw how an interval closes in while pairs come in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay.reports._difference_words import title_of
from assay.reports._markup import Safe, tag
from assay.reports._palette import looks, marker
from assay.reports._svg import Frame, picture, polyline, text
from assay.reports._watch_words import line, metric_of

__all__ = ["course"]

Row: TypeAlias = Mapping[str, Any]

_LOOK = looks(["stream"])["stream"]


def course(watched: Row, row: Row) -> Safe:
    """Draw the mean of a stream and its interval after every pair, and where it was decided."""
    ends = [value for _, *rest in row["course"] for value in rest if value is not None]
    base = [] if row["b"] is None else [0.0]
    ticks = _ticks(min([*base, *ends], default=0.0), max([*base, *ends], default=1.0))
    last = max([row["pairs"], 10])
    frame = Frame(width=440, height=260, left=52, x_top=float(last))
    scale = _Scale(frame, ticks[0], ticks[-1])
    parts = _axes(scale, ticks, _counts(last), row)
    parts += _margin(scale, watched, row)
    parts += _drawn(scale, row) if row["course"] else [frame.note("no pair yet")]
    label = f"{title_of(metric_of(watched, row))}. {line(watched, row)}"
    return picture(frame.width, frame.height, label, parts)


class _Scale:
    """Brings pairs and values onto pixels; values may lie below 0, which a frame's may not."""

    def __init__(self, frame: Frame, low: float, high: float) -> None:
        self.frame, self.low, self.high = frame, low, high

    def at(self, pairs: float, value: float) -> tuple[float, float]:
        return self.frame.x(pairs), self.frame.y((value - self.low) / (self.high - self.low))


def _axes(scale: _Scale, ticks: Sequence[float], counts: Sequence[int], row: Row) -> list[Safe]:
    frame, found = scale.frame, []
    end = frame.x(frame.x_top)
    for value in ticks:
        _, y = scale.at(0, value)
        kind = "axis" if row["b"] is not None and abs(value) < 1e-9 else "grid"
        found.append(tag("line", x1=frame.left, y1=y, x2=end, y2=y, class_=kind))
        sign = "+" if row["b"] is not None and value > 1e-9 else ""
        shown = f"{sign}{round(100 * value, 6) + 0.0:g}"
        found.append(text(frame.left - 7, y + 3.5, shown, "num", "end"))
    foot = frame.y(0)
    for count in counts:
        x = frame.x(count)
        found.append(tag("line", x1=x, y1=foot, x2=x, y2=foot + 4, class_="tick"))
        found.append(text(x, foot + 16, str(count), "num", "middle"))
    noun = "episodes" if row["b"] is None else "pairs"
    middle = (frame.left + end) / 2
    return [*found, text(middle, frame.height - 5, f"{noun} so far", "label", "middle")]


def _margin(scale: _Scale, watched: Row, row: Row) -> list[Safe]:
    """Draw the smallest difference that matters, on both sides, where it lies in the picture."""
    margin = watched["settings"]["margin"]
    if margin is None or row["b"] is None:
        return []
    values = [v for v in (-margin / 100, margin / 100) if scale.low <= v <= scale.high]
    last = scale.frame.x_top
    return [polyline([scale.at(0, v), scale.at(last, v)], "tick", "3 4") for v in values]


def _drawn(scale: _Scale, row: Row) -> list[Safe]:
    points = row["course"]
    known = [(n, low, high) for n, _, low, high in points if low is not None and high is not None]
    upper = [scale.at(n, high) for n, _, high in known]
    lower = [scale.at(n, low) for n, low, _ in reversed(known)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (*upper, *lower))
    means = [scale.at(n, mean) for n, mean, _, _ in points]
    colour = _LOOK.colour
    found = [
        tag("polygon", points=corners, class_=f"fill {colour}", fill_opacity=0.55),
        polyline(means, f"line {colour}"),
    ]
    if row["decided_at"] is not None:
        x = scale.frame.x(row["decided_at"])
        ends = scale.frame.y(0), scale.frame.y(1)
        found.append(tag("line", x1=x, y1=ends[0], x2=x, y2=ends[1], class_=f"bar {colour}"))
        by = " by signs" if row["by"] == "signs" else ""
        found.append(text(x + 5, ends[1] + 10, f"decided{by}: {row['decided_at']}", "label"))
    return [*found, marker(_LOOK, *means[-1], size=3.5)]


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers that span `low` to `high`."""
    wanted = max(high - low, 0.05)
    power = 10.0 ** math.floor(math.log10(wanted / 4))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power * 6 >= wanted)
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 1)
    return [step * k for k in range(first, last + 1)]


def _counts(last: int) -> list[int]:
    """Return round numbers of pairs from 0 on."""
    power = 10 ** math.floor(math.log10(last / 4))
    step = max(1, next(round(k * power) for k in (1, 2, 2.5, 5, 10) if k * power * 5 >= last))
    return list(range(0, last + 1, step))
