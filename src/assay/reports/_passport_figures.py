"""Draw what checks of a judge saw: example curves, and the reliability diagram."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.reports._markup import Safe, join, tag
from assay.reports._palette import looks, marker
from assay.reports._svg import Frame, picture, polyline
from assay.reports.figures import QUARTERS, legend, panel

__all__ = ["curve_panels", "reliability"]

_PER_TICK = 100  # a frame writes its ticks times 100; seconds are divided by it


def curve_panels(lines: Sequence[Mapping[str, Any]]) -> Safe | None:
    """Draw the example curves of the lines that have some, a panel each."""
    drawn = [line for line in lines if line["drawn"].get("series")]
    if not drawn:
        return None
    names = list(dict.fromkeys(s["name"] for line in drawn for s in line["drawn"]["series"]))
    styles = looks(names)
    panels = []
    for line in drawn:
        series = line["drawn"]["series"]
        last = max([one["t"][-1] for one in series] + [1e-3]) / _PER_TICK
        frame = Frame(x_top=last)
        parts = [frame.axes(_ticks(last), QUARTERS, "seconds", "progress, %")]
        for one in series:
            look = styles[one["name"]]
            at = [(frame.x(t / _PER_TICK), frame.y(v)) for t, v in zip(one["t"], one["v"])]  # noqa: B905 - as the file holds them
            parts.append(polyline(at, f"line {look.colour}", look.dash))
        label = f"Scores under {line['title']}: {', '.join(one['name'] for one in series)}."
        drawing = picture(frame.width, frame.height, label, parts)
        panels.append(panel(line["title"], drawing, f"episode {line['drawn']['episode']}"))
    return join([legend(names, styles), tag("div", *panels, class_="panels")])


def reliability(bins: Sequence[Mapping[str, Any]]) -> Safe:
    """Draw the mean truth over the mean score of each bin; the diagonal is perfect."""
    frame = Frame(width=360, height=320)
    look = looks(["judge"])["judge"]
    parts = [frame.axes(QUARTERS, QUARTERS, "the judge says", "Phi*")]
    parts.append(polyline([(frame.x(0), frame.y(0)), (frame.x(1), frame.y(1))], "axis"))
    at = [(frame.x(place["score"]), frame.y(place["truth"])) for place in bins]
    parts.append(polyline(at, f"line {look.colour}"))
    for (x, y), place in zip(at, bins, strict=True):
        told = (
            f"says {100 * place['score']:.0f}, true {100 * place['truth']:.0f},"
            f" {place['n']} moments"
        )
        parts.append(tag("g", tag("title", told), marker(look, x, y)))
    label = "Reliability: mean Phi* over the mean score, in tenths of the score."
    return tag("div", panel("Truth over score", picture(360, 320, label, parts)), class_="panels")


def _ticks(top: float) -> list[float]:
    """Return round ticks from 0 up to `top`."""
    power = 10.0 ** math.floor(math.log10(top / 5))
    step = next(k * power for k in (1, 2, 5, 10) if k * power * 5 >= top)
    return [step * k for k in range(math.floor(top / step + 1e-9) + 1)]
