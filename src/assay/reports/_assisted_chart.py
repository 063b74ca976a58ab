"""Draw means of few labels and a judge: with its help, labels alone, and the judge alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._assisted_words import assisted_name, metric_title
from assay.reports._markup import Safe, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._svg import Frame, nice_axis, picture, text

__all__ = ["CAPTION", "assisted_chart"]

Row: TypeAlias = Mapping[str, Any]

CAPTION = (
    "Three intervals of one mean: from the labels with the judge's help, from the labels alone, and"
    " (dashed) from the judge alone, which no label corrects. A hollow mark has no interval."
)

_ROW = 22.0
_TOP = 8.0
_LONGEST = 38  # characters of a name that fit beside the figure
_KINDS = ("mean", "alone", "judge_alone")


def assisted_chart(metric: str, rows: Sequence[Row]) -> Safe:
    """Draw three intervals for each row of one metric.

    Args:
        metric: The metric's name.
        rows: Its rows that a judge can help.
    """
    ends = [
        row[kind][key]
        for row in rows
        for kind in _KINDS
        for key in ("value", "low", "high")
        if row[kind][key] is not None
    ]
    ticks = nice_axis(min(ends, default=0.0), max(ends, default=1.0), 0.1)
    frame = Frame(
        width=920.0,
        height=_ROW * len(_KINDS) * len(rows) + 58.0,
        left=290.0,
        right=200.0,
        x_from=ticks[0],
        x_top=ticks[-1],
    )
    parts = _axis(metric, ticks, frame)
    for place, row in enumerate(rows):
        top = _TOP + _ROW * len(_KINDS) * place
        if place:
            parts.append(tag("line", x1=0.0, y1=top, x2=frame.width, y2=top, class_="grid"))
        parts += _lines(row, frame, top)
    label = f"Mean {metric_title(metric)} from few labels and a judge, with intervals"
    return picture(frame.width, frame.height, label, parts, "wide")


def _axis(metric: str, ticks: Sequence[float], frame: Frame) -> list[Safe]:
    foot = frame.height - 44.0
    found = []
    for value in ticks:
        x = frame.x(value)
        found.append(tag("line", x1=x, y1=_TOP, x2=x, y2=foot, class_="grid"))
        found.append(text(x, foot + 16.0, f"{round(100 * value, 4):g}", "num", "middle"))
    middle = (frame.x(ticks[0]) + frame.x(ticks[-1])) / 2
    note = f"mean {metric_title(metric)} [points]"
    return [*found, text(middle, foot + 36.0, note, "label", "middle")]


def _lines(row: Row, frame: Frame, top: float) -> list[Safe]:
    name = assisted_name(row)
    named = {
        "mean": f"labels with {name}",
        "alone": "labels alone",
        "judge_alone": f"{name} alone, biased",
    }
    styles = looks(_KINDS)
    return [
        _line(row[kind], shown, styles[kind], frame, top + _ROW * (place + 0.5))
        for place, (kind, shown) in enumerate(named.items())
    ]


def _line(figure: Row, name: str, look: Look, frame: Frame, y: float) -> Safe:
    shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    told = words.number(figure)
    kind = "name" if look.shape == 0 else "label"
    parts = [
        tag("title", f"{name}: {told}, {words.count(figure)}"),
        text(frame.left - 16.0, y + 4.5, shown, kind, "end"),
    ]
    right = frame.width - frame.right + 16.0
    if figure["value"] is None:
        return tag("g", *parts, text(right, y + 4.0, words.MISSING, "num"))
    if words.enough(figure):
        low, high = frame.x(figure["low"]), frame.x(figure["high"])
        dash = "6 4" if look.shape == len(_KINDS) - 1 else None
        parts.append(
            tag(
                "line",
                x1=low,
                y1=y,
                x2=high,
                y2=y,
                class_=f"line {look.colour}",
                stroke_dasharray=dash,
            )
        )
    at = frame.x(figure["value"])
    parts.append(marker(look, at, y, size=4.5, hollow=not words.enough(figure)))
    return tag("g", *parts, text(right, y + 4.0, told, "num"))
