"""Draw how each policy fails: z-scored metrics of its failures beside the other policies'."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.metrics.results import UP_IS_GOOD
from assay.reports import words
from assay.reports._layout import MEANINGS, Grid
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._svg import picture, text

__all__ = ["fingerprints"]

_ROW, _HEAD = 26.0, 30.0
_COLUMN, _BAR = 146.0, 88.0
_LETTER = 7.2  # px, the width of a name's letter at most
_LONGEST = 36  # letters of a name


def fingerprints(audit: Mapping[str, Any]) -> Safe:
    """Draw a panel per task: a row per policy, a bar per metric, raw means beside the bars."""
    panels = audit.get("fingerprints") or []
    names = [str(entry["policy"]) for panel in panels for entry in panel["policies"]]
    styles = looks([*Grid.of(audit).series, *names])
    longest = max((len(_short(name)) for name in names), default=0)
    largest = max((abs(z) for panel in panels for z in _scores(panel)), default=0.0)
    chart = _Chart(max(172.0, 84.0 + _LETTER * longest), max(2.0, largest))
    return tag("div", *(_panel(panel, chart, styles) for panel in panels), class_="prints")


def _scores(panel: Mapping[str, Any]) -> list[float]:
    found = (z for entry in panel["policies"] for z in (entry.get("z") or {}).values())
    return [z for z in found if z is not None]


def _panel(panel: Mapping[str, Any], chart: _Chart, styles: Mapping[str, Look]) -> Safe:
    rows = panel["policies"]
    foot = _HEAD + _ROW * len(rows)
    parts = [chart.axes(foot)]
    for place, entry in enumerate(rows):
        parts.append(chart.row(entry, styles[str(entry["policy"])], _HEAD + _ROW * (place + 0.5)))
    label = f"Failures of each policy on {panel['task']}: " + "; ".join(_told(e) for e in rows)
    drawing = picture(chart.width, foot + 20, label, parts, "wide")
    partly = [f"{e['policy']}: {e['why']}" for e in rows if e.get("z") and e.get("why")]
    return tag(
        "div",
        tag("h4", str(panel["task"])),
        tag("div", drawing, class_="scroll"),
        tag("p", "; ".join(partly), class_="below") if partly else None,
        class_="print",
    )


class _Chart:
    """The columns of all panels.

    Args:
        name: The width of the column of names [px].
        reach: The largest |z| that a bar must show.
    """

    def __init__(self, name: float, reach: float) -> None:
        self._name, self._reach = name, reach
        self.width = name + _COLUMN * len(MEANINGS) + 4

    def axes(self, foot: float) -> Safe:
        """Draw a column per metric: its name, the line of z = 0, and the ends of the scale."""
        parts = []
        for place, key in enumerate(MEANINGS):
            centre = self._centre(place)
            name = key.upper() if UP_IS_GOOD[key] else f"{key.upper()}, flipped"
            parts.append(text(centre, 15, name, "label", "middle"))
            parts.append(
                tag("line", x1=centre, x2=centre, y1=_HEAD - 7, y2=foot + 3, class_="axis")
            )
            for z in (-2, 0, 2):
                x = centre + z / self._reach * _BAR / 2
                parts.append(text(x, foot + 15, f"{z:+d}" if z else "0", "num small", "middle"))
        return join(parts)

    def row(self, entry: Mapping[str, Any], look: Look, middle: float) -> Safe:
        """Draw the bars of one policy; what can't be computed is n/a."""
        name = str(entry["policy"])
        parts = [
            marker(look, 8, middle, size=4),
            tag("g", tag("title", name), text(20, middle + 4, _short(name), "name")),
            text(self._name - 8, middle + 4, f"n = {entry['n_failures']}", "num quiet", "end"),
        ]
        if entry.get("z") is None:
            why = f"n/a: {entry.get('why') or 'not computed'}"
            return join([*parts, text(self._name + 12, middle + 4, why, "note")])
        for place, key in enumerate(MEANINGS):
            centre, z = self._centre(place), entry["z"].get(key)
            if z is None:
                parts.append(text(centre, middle + 4, words.MISSING, "note", "middle"))
            else:
                parts.append(_bar(centre, middle, z / self._reach, look))
            raw = words.points((entry.get("raw") or {}).get(key))
            parts.append(text(centre + _BAR / 2 + 38, middle + 4, raw, "num", "end"))
        return join(parts)

    def _centre(self, place: int) -> float:
        return self._name + place * _COLUMN + _BAR / 2 + 8


def _bar(centre: float, middle: float, length: float, look: Look) -> Safe:
    end = centre + length * _BAR / 2
    left, wide = min(centre, end), abs(end - centre)
    box = tag("rect", x=left, y=middle - 6, width=wide, height=12, class_=f"fill {look.colour}")
    return join([box, marker(look, end, middle, size=3)])


def _short(name: str) -> str:
    """Cut a long name in its middle: names of one family often differ in their ends alone."""
    return (
        name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 + 1 :]}"
    )


def _told(entry: Mapping[str, Any]) -> str:
    """Say a row in words, for readers who can't see it."""
    if entry.get("z") is None:
        return f"{entry['policy']} n/a, {entry.get('why') or 'not computed'}"
    scores = ", ".join(f"{key.upper()} z {_score(entry['z'].get(key))}" for key in MEANINGS)
    return f"{entry['policy']} {scores}, {words.counted(entry['n_failures'], 'failure')}"


def _score(z: float | None) -> str:
    return words.MISSING if z is None else f"{z:+.1f}"
