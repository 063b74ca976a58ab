"""Draw differences with their intervals, one row each: over all tasks, then task by task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay.reports._difference_words import change, p_words, title_of, unit_of
from assay.reports._markup import Safe, tag
from assay.reports._palette import looks, marker
from assay.reports._svg import Frame, picture, text

__all__ = ["forest"]

Row: TypeAlias = Mapping[str, Any]

_ROW = 26.0
_TOP = 8.0
_LONGEST = 34  # characters of a name that fit beside the figure


def forest(metric: Row, rows: Sequence[Row]) -> Safe:
    """Draw a less b of every two policies: the figure of a meta-analysis, by tasks.

    Args:
        metric: The metric, as the document has it.
        rows: Its comparisons; those over all tasks stand before their tasks.
    """
    scale = 100.0 if metric["low"] is not None and metric["high"] is not None else 1.0
    ends = [
        scale * row["difference"][key]
        for row in rows
        if row["difference"] is not None
        for key in ("value", "low", "high")
        if row["difference"][key] is not None
    ]
    ticks = _ticks(min([0.0, *ends]), max([0.0, *ends]))
    frame = Frame(
        width=920.0,
        height=_ROW * len(rows) + 58.0,
        left=262.0,
        right=220.0,
        x_from=ticks[0],
        x_top=ticks[-1],
    )
    parts = _axis(metric, ticks, frame)
    for place, row in enumerate(rows):
        if place and row["task"] is None:
            top = _TOP + _ROW * place
            parts.append(tag("line", x1=0.0, y1=top, x2=frame.width, y2=top, class_="grid"))
        parts.append(_row(metric, row, frame, _TOP + _ROW * (place + 0.5), scale))
    label = f"Differences of {title_of(metric)} with their intervals"
    return picture(frame.width, frame.height, label, parts, "wide")


def _axis(metric: Row, ticks: Sequence[float], frame: Frame) -> list[Safe]:
    foot = frame.height - 44.0
    found = []
    for value in ticks:
        x = frame.x(value)
        kind = "axis" if abs(value) < 1e-9 else "grid"
        found.append(tag("line", x1=x, y1=_TOP, x2=x, y2=foot, class_=kind))
        found.append(text(x, foot + 16.0, f"{round(value, 6) + 0.0:g}", "num", "middle"))
    middle = (frame.x(ticks[0]) + frame.x(ticks[-1])) / 2
    unit = f" [{unit_of(metric)}]" if unit_of(metric) else ""
    note = f"{title_of(metric)}: first less second{unit}"
    return [*found, text(middle, foot + 36.0, note, "label", "middle")]


def _row(metric: Row, row: Row, frame: Frame, y: float, scale: float) -> Safe:
    """Draw one difference: names, interval, mark, and the numbers at the right."""
    is_whole = row["task"] is None
    name = f"{row['a']} less {row['b']}" if is_whole else str(row["task"])
    shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    found = row["difference"]
    told = row["why"] if found is None else f"{change(metric, row)}, {p_words(row['p_adjusted'])}"
    parts = [
        tag("title", f"{row['a']} less {row['b']}, {row['task'] or 'all tasks'}: {told}"),
        text(frame.left - 16.0, y + 4.5, shown, "name" if is_whole else "label", "end"),
    ]
    if found is None:
        return tag("g", *parts, text(frame.left + 8.0, y + 4.0, str(row["why"]), "note"))
    look = looks(["whole", "task"])["whole" if is_whole else "task"]
    if found["low"] is not None and found["high"] is not None:
        low, high = frame.x(scale * found["low"]), frame.x(scale * found["high"])
        parts.append(tag("line", x1=low, y1=y, x2=high, y2=y, class_=f"line {look.colour}"))
    at = frame.x(scale * found["value"])
    size = 5.5 if is_whole else 4.0
    parts.append(marker(look, at, y, size=size, hollow=found["low"] is None))
    right = frame.width - frame.right + 16.0
    parts.append(text(right, y + 4.0, told, "num"))
    return tag("g", *parts)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers that span `low` to `high`, 0 among them."""
    wanted = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(wanted / 4))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power * 6 >= wanted)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * k for k in range(first, max(last, first + 1) + 1)]
