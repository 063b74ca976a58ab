"""Give every series a colour, a dash and a marker, so that no one of them is needed to tell.

The colours are those of Okabe and Ito, without yellow; the style sheet holds their values.

Cites:
    Okabe and Ito (2008), Color Universal Design.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.reports._markup import Safe, tag

__all__ = ["Look", "looks", "marker", "swatch"]

_COLOURS = 7
_DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "14 4", "5 2 1 2 1 2")
_CORNERS: tuple[tuple[tuple[float, float], ...], ...] = (
    (),  # a circle
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.25), (1.2, 0.95), (-1.2, 0.95)),
    ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)),
    ((0, 1.25), (1.2, -0.95), (-1.2, -0.95)),
    tuple(
        (1.35 * math.cos(a), 1.35 * math.sin(a))
        for a in (math.radians(72 * k - 90) for k in range(5))
    ),
    ((-1.5, -0.55), (1.5, -0.55), (1.5, 0.55), (-1.5, 0.55)),
    ((-0.55, -1.5), (0.55, -1.5), (0.55, 1.5), (-0.55, 1.5)),
)


@dataclass(frozen=True)
class Look:
    """How one series is drawn: a class for its colour, a dash pattern, a marker's number."""

    colour: str
    dash: str
    shape: int


def looks(names: Sequence[str]) -> dict[str, Look]:
    """Return a look per name; 56 names pass before one repeats."""
    return {
        name: Look(f"c{i % _COLOURS}", _DASHES[i % len(_DASHES)], i % len(_CORNERS))
        for i, name in enumerate(dict.fromkeys(names))
    }


def marker(look: Look, x: float, y: float, *, size: float = 4.0, hollow: bool = False) -> Safe:
    """Draw the marker of a series at (x, y)."""
    kind = f"mark {look.colour}" + (" hollow" if hollow else "")
    corners = _CORNERS[look.shape]
    if not corners:
        return tag("circle", cx=float(x), cy=float(y), r=float(size), class_=kind)
    at = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in corners)
    return tag("polygon", points=at, class_=kind)


def swatch(look: Look) -> Safe:
    """Draw the piece of line with a marker that stands beside a name."""
    line = tag(
        "line",
        x1=1,
        y1=7,
        x2=29,
        y2=7,
        class_=f"line {look.colour}",
        stroke_dasharray=look.dash or None,
    )
    return tag(
        "svg",
        line,
        marker(look, 15, 7),
        class_="swatch",
        viewBox="0 0 30 14",
        width=30,
        height=14,
        aria_hidden="true",
    )
