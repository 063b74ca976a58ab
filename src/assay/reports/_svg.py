"""Draw the parts that all charts share: a frame with scales, ticks and labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.reports._markup import Safe, join, tag

__all__ = ["Frame", "nice_axis", "picture", "polyline", "text"]


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> Safe:
    """Write `words` at (x, y)."""
    return tag("text", words, x=float(x), y=float(y), text_anchor=anchor, class_=kind or None)


def polyline(points: Iterable[tuple[float, float]], kind: str, dash: str = "") -> Safe:
    """Draw a line through `points`."""
    at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return tag("polyline", points=at, class_=kind, stroke_dasharray=dash or None)


def picture(width: float, height: float, label: str, parts: Iterable[str], kind: str = "") -> Safe:
    """Return an SVG of that size with `label` as its title for readers who can't see it."""
    return tag(
        "svg",
        tag("title", label),
        join(parts),
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=label,
        class_=f"chart {kind}".strip(),
    )


def nice_axis(low: float, high: float, least: float) -> list[float]:
    """Return the round ticks of an axis that shows `low` to `high`, the ends included.

    Args:
        low: The smallest value to show, in 0..1.
        high: The largest.
        least: The axis spans at least this much, so that no noise is blown up.
    """
    wanted = max(high - low, least)
    power = 10.0 ** math.floor(math.log10(wanted / 4))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power * 5 >= wanted)
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + math.ceil(least / step - 1e-9))
    if last * step > 1 + 1e-9:  # grow downwards at the end of the scale
        first, last = first - (last - math.ceil(1 / step - 1e-9)), math.ceil(1 / step - 1e-9)
    return [min(1.0, step * k) for k in range(max(0, first), last + 1)]


@dataclass(frozen=True)
class Frame:
    """The plotting area of a chart: data in x_from..x_top by 0..y_top onto pixels."""

    width: float = 320
    height: float = 240
    left: float = 40
    right: float = 14
    top: float = 12
    bottom: float = 38
    x_from: float = 0.0
    x_top: float = 1.0
    y_top: float = 1.0

    def x(self, value: float) -> float:
        """Return the pixel column of `value`."""
        part = (value - self.x_from) / (self.x_top - self.x_from)
        return self.left + part * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Return the pixel row of `value`."""
        return self.height - self.bottom - value / self.y_top * self._tall()

    def axes(
        self, x_ticks: Sequence[float], y_ticks: Sequence[float], x_label: str, y_label: str
    ) -> Safe:
        """Draw grid lines, tick numbers on the scale of 0..100 and the two axis labels."""
        foot, end = self.y(0), self.x(self.x_top)
        parts = [
            tag("line", x1=self.left, y1=self.y(v), x2=end, y2=self.y(v), class_="grid")
            for v in y_ticks
        ]
        parts += [
            tag("line", x1=self.x(v), y1=foot, x2=self.x(v), y2=foot + 4, class_="tick")
            for v in x_ticks
        ]
        parts.append(tag("line", x1=self.left, y1=foot, x2=end, y2=foot, class_="axis"))
        parts += [text(self.left - 7, self.y(v) + 3.5, _tick(v), "num", "end") for v in y_ticks]
        parts += [text(self.x(v), foot + 16, _tick(v), "num", "middle") for v in x_ticks]
        parts.append(text((self.left + end) / 2, self.height - 5, x_label, "label", "middle"))
        middle = (foot + self.top) / 2
        parts.append(
            tag(
                "text",
                y_label,
                x=11.0,
                y=middle,
                text_anchor="middle",
                class_="label",
                transform=f"rotate(-90 11 {middle:.1f})",
            )
        )
        return join(parts)

    def note(self, words: str) -> Safe:
        """Write why there is nothing to see, in the middle of the plotting area."""
        middle = (self.left + self.x(self.x_top)) / 2
        return text(middle, (self.top + self.y(0)) / 2, words, "note", "middle")

    def _tall(self) -> float:
        return self.height - self.top - self.bottom


def _tick(value: float) -> str:
    return f"{round(100 * value, 6):g}"
