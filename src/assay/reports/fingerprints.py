"""Draw how each policy fails: z-scored metrics of its failures beside the other policies'."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.reports import words
from assay.reports._cells import QUALITY, Grid
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._svg import picture, text

__all__ = ["fingerprints"]

_WIDTH, _ROW, _HEAD = 760.0, 26.0, 30.0
_NAME, _COLUMN, _BAR = 172.0, 146.0, 88.0


def fingerprints(audit: Mapping[str, Any]) -> Safe:
    """Draw a panel per task: a row per policy, a bar per metric, raw means beside the bars."""
    panels = audit.get("fingerprints") or []
    names = [entry["policy"] for panel in panels for entry in panel["policies"]]
    styles = looks([*Grid.of(audit).series, *names])
    largest = max((abs(z) for panel in panels for z in _scores(panel)), default=0.0)
    return tag("div", *(_panel(p, styles, max(2.0, largest)) for p in panels), class_="prints")


def _scores(panel: Mapping[str, Any]) -> list[float]:
    return [z for entry in panel["policies"] for z in (entry.get("z") or {}).values()]


def _panel(panel: Mapping[str, Any], styles: Mapping[str, Look], reach: float) -> Safe:
    rows = panel["policies"]
    foot = _HEAD + _ROW * len(rows)
    parts = [_axes(foot, reach)]
    for place, entry in enumerate(rows):
        middle = _HEAD + _ROW * (place + 0.5)
        parts.append(_row(entry, styles[entry["policy"]], middle, reach))
    label = f"Failures of each policy on {panel['task']}: " + "; ".join(_told(e) for e in rows)
    drawing = picture(_WIDTH, foot + 20, label, parts, "wide")
    return tag(
        "div", tag("h4", str(panel["task"])), tag("div", drawing, class_="scroll"), class_="print"
    )


def _axes(foot: float, reach: float) -> Safe:
    """Draw a column per metric: its name, the line of z = 0, and the ends of the scale."""
    parts = []
    for place, (name, _, up) in enumerate(QUALITY.values()):
        centre = _centre(place)
        parts.append(text(centre, 15, name if up else f"{name}, flipped", "label", "middle"))
        parts.append(tag("line", x1=centre, x2=centre, y1=_HEAD - 7, y2=foot + 3, class_="axis"))
        for z in (-2, 0, 2):
            x = centre + z / reach * _BAR / 2
            parts.append(text(x, foot + 15, f"{z:+d}" if z else "0", "num small", "middle"))
    return join(parts)


def _row(entry: Mapping[str, Any], look: Look, middle: float, reach: float) -> Safe:
    parts = [
        marker(look, 8, middle, size=4),
        text(20, middle + 4, _short(str(entry["policy"])), "name"),
        text(_NAME - 8, middle + 4, f"n = {entry['n_failures']}", "num quiet", "end"),
    ]
    if entry.get("z") is None:
        parts.append(
            text(_NAME + 12, middle + 4, f"n/a: {entry.get('why') or 'not computed'}", "note")
        )
        return join(parts)
    for place, key in enumerate(QUALITY):
        parts.append(_bar(_centre(place), middle, entry["z"][key] / reach, look))
        raw = words.points((entry.get("raw") or {}).get(key))
        parts.append(text(_centre(place) + _BAR / 2 + 38, middle + 4, raw, "num", "end"))
    return join(parts)


def _bar(centre: float, middle: float, length: float, look: Look) -> Safe:
    end = centre + length * _BAR / 2
    left, wide = min(centre, end), abs(end - centre)
    box = tag("rect", x=left, y=middle - 6, width=wide, height=12, class_=f"fill {look.colour}")
    return join([box, marker(look, end, middle, size=3)])


def _centre(place: int) -> float:
    return _NAME + place * _COLUMN + _BAR / 2 + 8


def _short(name: str) -> str:
    return name if len(name) <= 17 else f"{name[:16]}…"


def _told(entry: Mapping[str, Any]) -> str:
    """Say a row in words, for readers who can't see it."""
    if entry.get("z") is None:
        return f"{entry['policy']} n/a, {entry.get('why') or 'not computed'}"
    scores = ", ".join(f"{QUALITY[key][0]} z {entry['z'][key]:+.1f}" for key in QUALITY)
    return f"{entry['policy']} {scores}, {entry['n_failures']} failures"
